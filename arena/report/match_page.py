"""What a match's page shows, and its files to download."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from markupsafe import Markup

from arena.record import Fault, MatchRecord, PlyRecord
from arena.replay import steps
from arena.report.commands import match_command
from arena.report.drawing import crosses, grid_lines, outline, piece_outlines
from arena.report.facts import GameRow
from arena.report.pages import FLAGS, BotView, DivisionView, SiteView
from arena.report.replays import replay_data
from arena.report.wording import plain
from arena.terminal import KINDS
from engine import VARIANTS, Game, RulesError, blksgf
from engine.notation import column_name


def context(
    site: SiteView, view: DivisionView, row: GameRow, record: MatchRecord, reasons: Sequence[str]
) -> tuple[dict[str, Any], Game]:
    """Return all that the template of a match wants, and its game; `reasons` say why it was annulled."""
    bots = [site.bots[bot] for bot in row.bots]
    data, game = replay_of(record, bots)
    seats = [_seat(record, seat, bot) for seat, bot in enumerate(bots)]
    names = [bot.shown for bot in bots]
    found = {
        "root": "../",
        "here": view.slug,
        "division": view,
        "record": record,
        "seats": sorted(seats, key=lambda seat: seat["rank"]),
        "flags": [FLAGS[flag] for flag in row.flags],
        "reasons": reasons,
        "faults": [evidence(record, fault, bots[fault.seat]) for fault in record.faults],
        "picture": picture(record.variant, record.plies),
        "data": embedded(data),
        "title": " – ".join(names),
        "command": match_command(record.spec, bots),
    }
    return found, game


def replay_of(record: MatchRecord, bots: Sequence[BotView]) -> tuple[dict[str, Any], Game]:
    """Return the game for the replayer; a record that the rules do not bear out is cut where it fails."""
    seats = [{"name": plain(bot.shown), "href": f"../{bot.href}"} for bot in bots]
    done: list[PlyRecord | Fault] = list(steps(record))
    while True:
        try:
            return replay_data(record.spec, seats, done)
        except RulesError:
            done.pop()


def embedded(data: Any) -> Markup:
    """Return data as JSON that cannot end the script element which holds it."""
    text = msgspec.json.encode(data).decode()
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return Markup(text)  # noqa: S704


def _seat(record: MatchRecord, seat: int, bot: BotView) -> dict[str, Any]:
    used = [_used_us(record, ply) for ply in record.plies if ply.seat == seat and not ply.opening]
    colors = VARIANTS[record.variant].seats[seat]
    return {
        "entry": bot,
        "seat": seat,
        "rank": record.ranks[seat],
        "total": record.totals[seat],
        "colors": [(color, record.scores[color]) for color in colors],
        "time_ms": sum(used) / 1000,
        "longest_ms": max(used, default=0) / 1000,
        "is_faulty": any(fault.seat == seat for fault in record.faults),
    }


def _used_us(record: MatchRecord, ply: PlyRecord) -> int:
    return ply.cpu_us if record.time.kind == "cpu" else ply.wall_us


def picture(variant_name: str, plies: Iterable[PlyRecord], fault: Fault | None = None) -> dict[str, Any]:
    """Return a board for the template: a path a color, and what a faulty bot named."""
    variant = VARIANTS[variant_name]
    pieces: dict[str, list[str]] = {}
    for ply in plies:
        pieces.setdefault(ply.color, []).append(outline(ply.cells))
    named = [] if fault is None else [cell for cell in fault.evidence.named if _is_on(cell, variant.rows, variant.cols)]
    letters = [(column_name(col), col + 0.5, variant.rows + 0.7) for col in range(variant.cols)]
    numbers = [(str(variant.rows - row), -0.45, row + 0.7) for row in range(variant.rows)]
    return {
        "rows": variant.rows,
        "cols": variant.cols,
        "grid": grid_lines(variant.rows, variant.cols),
        "starts": [
            (color, *cell) for color, cells in zip(variant.colors, variant.starts, strict=True) for cell in cells
        ],
        "pieces": [(color, "".join(paths)) for color, paths in pieces.items()],
        "named": outline(named),
        "cross": crosses(named),
        "labels": letters + numbers,
    }


def _is_on(cell: Sequence[int], rows: int, cols: int) -> bool:
    return len(cell) == 2 and 0 <= cell[0] < rows and 0 <= cell[1] < cols


def evidence(record: MatchRecord, fault: Fault, bot: BotView) -> dict[str, Any]:
    """Return a fault with all that proves it; an illegal move is drawn on the board as it was."""
    board = None
    if fault.evidence.named:
        board = picture(record.variant, [ply for ply in record.plies if ply.turn < fault.turn], fault)
    return {
        "entry": bot,
        "kind": fault.kind,
        "said": KINDS[fault.kind],
        "turn": fault.turn,
        "match": record.id,
        "found": fault.evidence,
        "picture": board,
    }


def pieces_script() -> str:
    """Return the drawings of the pieces as a script: the one place that the replayer has them from."""
    return f"window.arenaPieces={msgspec.json.encode(piece_outlines()).decode()};\n"


def game_file(game: Game, names: Sequence[str]) -> str:
    """Return the game as blksgf; nothing for one that the format does not know."""
    try:
        return blksgf.dump(game, names)
    except RulesError:
        return ""

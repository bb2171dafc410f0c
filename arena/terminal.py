"""A match on a terminal: the board in color, the result, and faults told in a sentence."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from arena.doctor import Protection
from arena.record import Fault, MatchRecord, PlyRecord
from arena.text import plain
from engine import Game, Move
from engine.notation import column_name, format_move

# background and letter, told apart by the color-blind too: the letters are always there
_STYLES = {
    "blue": "bold white on #1f5fbf",
    "yellow": "bold black on #e8c020",
    "red": "bold white on #c0392b",
    "green": "bold black on #3fa650",
    "purple": "bold white on #7d4bb0",
    "orange": "bold black on #e88a1a",
}
_EMPTY = "dim"
_LAST = " underline"
_WRONG = "bold white on red"

KINDS = {
    "no-start": "did not start",
    "timeout": "ran out of time",
    "illegal": "played an illegal move",
    "garbage": "sent something that is not the message asked for",
    "flood": "sent too much",
    "crash": "crashed",
    "memory": "used too much memory",
}


def draw_board(game: Game, last: Collection[tuple[int, int]] = (), wrong: Collection[tuple[int, int]] = ()) -> Text:
    """Return the board with column letters and row numbers; `last` is underlined, `wrong` marked by crosses."""
    variant = game.variant
    owners = _owners(game)
    starts = {cell for cells in variant.starts for cell in cells}
    text = Text()
    letters = " ".join(column_name(col) for col in range(variant.cols))
    text.append(f"   {letters}\n", _EMPTY)
    for row in range(variant.rows):
        text.append(f"{variant.rows - row:2} ", _EMPTY)
        for col in range(variant.cols):
            cell = (row, col)
            color = owners.get(cell)
            mark = "x" if cell in wrong else color[0].upper() if color else "+" if cell in starts else "·"
            style = _WRONG if cell in wrong else _STYLES.get(color, "bold") if color else _EMPTY
            text.append(f"{mark} ", style + _LAST if cell in last else style)
        text.append("\n")
    return text


def _owners(game: Game) -> dict[tuple[int, int], str]:
    grid = game.placements.grid
    return {cell: color for color in game.variant.colors for cell in grid.cells(game.cells(color))}


def draw_move(game: Game, names: Sequence[str], step: PlyRecord | Fault | None) -> RenderableType:
    """Return the board after a step, and the step in words."""
    if isinstance(step, Fault):
        return Group(draw_board(game, wrong=_wrong_cells(game, step)), Text(tell_fault(step, names)))
    if step is None:
        return Group(draw_board(game), Text("the game begins"))
    return Group(draw_board(game, last=step.cells), Text(tell_ply(game, step, names)))


def tell_ply(game: Game, ply: PlyRecord, names: Sequence[str]) -> str:
    """Return a placement in words."""
    move = format_move(Move(ply.piece, ply.cells), game.variant)
    time = "opening" if ply.opening else f"{ply.wall_us / 1e6:.3f} s"
    extra = "".join(
        f"  {part}" for part in (f"eval {ply.eval:.4g}" if ply.eval is not None else "", plain(ply.note)) if part
    )
    return f"turn {ply.turn}  {ply.color} ({names[ply.seat]})  {move}  {time}{extra}"


def tell_fault(fault: Fault, names: Sequence[str]) -> str:
    """Return a fault in a sentence."""
    evidence = fault.evidence
    who = f"{names[fault.seat]} (seat {fault.seat})"
    return f"{who} {KINDS[fault.kind]} at turn {fault.turn}: {plain(evidence.detail)}."


def _wrong_cells(game: Game, fault: Fault) -> list[tuple[int, int]]:
    return [cell for cell in fault.evidence.named if cell in game.placements.grid]


def draw_result(record: MatchRecord, game: Game) -> RenderableType:
    """Return the final board, the table of seats, and the faults."""
    names = [seat.name for seat in record.seats]
    illegal = [fault for fault in record.faults if fault.evidence.named]
    wrong = _wrong_cells(game, illegal[-1]) if illegal else []
    parts: list[RenderableType] = [draw_board(game, wrong=wrong), _result_table(record, game)]
    for fault in record.faults:
        parts.append(Text(tell_fault(fault, names), style="red"))
        if fault.evidence.stderr.strip():
            tail = fault.evidence.stderr.strip().splitlines()[-5:]
            parts.append(Text("\n".join(f"    {plain(line)}" for line in tail), style="dim"))
    if wrong:
        parts.append(Text(f"x marks the illegal move of {names[illegal[-1].seat]}.", style="dim"))
    return Group(*parts)


def _result_table(record: MatchRecord, game: Game) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title, side in (("rank", "right"), ("seat", "right"), ("bot", "left"), ("colors", "left"), ("total", "right")):
        table.add_column(title, justify=side)  # type: ignore[arg-type]
    for title in ("pieces left", "time", "longest"):
        table.add_column(title, justify="right")
    order = sorted(range(len(record.seats)), key=lambda seat: (record.ranks[seat], seat))
    for seat in order:
        colors = game.variant.seats[seat]
        times = [ply.wall_us for ply in record.plies if ply.seat == seat and not ply.opening]
        table.add_row(
            str(record.ranks[seat]),
            str(seat),
            Text(record.seats[seat].name),
            " ".join(f"{color} {record.scores[color]:+d}" for color in colors),
            str(record.totals[seat]),
            str(sum(len(game.hand(color)) for color in colors)),
            f"{sum(times) / 1e6:.2f} s",
            f"{max(times, default=0) / 1e6:.3f} s",
        )
    return table


def draw_protections(sandbox: str, rows: Sequence[Protection]) -> RenderableType:
    """Return what a sandbox stops as a table, and the sum of it in a sentence."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("protection", "enforced by", "the attacker was told"):
        table.add_column(title)
    for row in rows:
        table.add_row(row.name, Text(row.by, style="green" if row.holds else "bold red"), Text(plain(row.said)))
    held = sum(row.holds for row in rows)
    if held == len(rows):
        return Group(table, Text(f"The sandbox {sandbox} stopped all {held} attacks.", style="green"))
    verdict = f"The sandbox {sandbox} stopped {held} of {len(rows)} attacks: do not run bots that you do not trust."
    return Group(table, Text(verdict, style="bold red"))

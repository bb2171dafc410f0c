"""A game as the replayer in the browser reads it: every step with its outline, legal moves, score and time. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from arena.match import MatchSpec
from arena.record import Fault, PlyRecord
from arena.replay import passes_of, take
from arena.report.drawing import crosses, outline
from arena.report.wording import plain
from engine import Game, Move
from engine.notation import format_move
from engine.scoring import points


def replay_data(
    spec: MatchSpec, seats: Sequence[dict[str, Any]], steps: Iterable[PlyRecord | Fault]
) -> tuple[dict[str, Any], Game]:
    """Return what the replayer needs of a game, finished or not, and the game itself; raises `RulesError`.

    `seats` say who plays.
    """
    game = spec.new_game()
    variant = game.variant
    shown = [_fault(game, step) if isinstance(step, Fault) else _ply(game, step) for step in steps]
    passes = [[each.turn, variant.colors.index(each.color), each.reason] for each in passes_of(game)]
    data = {
        "rows": variant.rows,
        "cols": variant.cols,
        "colors": [{"name": color, "seat": variant.seat_of(color)} for color in variant.colors],
        "starts": [[color, *cell] for color, cells in enumerate(variant.starts) for cell in cells],
        "pieces": list(variant.pieces),
        "seats": list(seats),
        "teams": list(variant.teams),
        "clock": spec.time.kind,
        "start_score": _score(variant.pieces, None, game),
        "steps": shown,
        "passes": passes,
        "over": game.is_over,
        "ranks": list(game.ranks()) if game.is_over and len(variant.seats) > 1 else [],
    }
    return data, game


def _ply(game: Game, ply: PlyRecord) -> dict[str, Any]:
    legal = game.legal_count()
    take(game, ply)
    found: dict[str, Any] = {
        "c": game.variant.colors.index(ply.color),
        "s": ply.seat,
        "p": ply.piece,
        "m": format_move(Move(ply.piece, ply.cells), game.variant),
        "d": outline(ply.cells),
        "n": legal,
        "v": _score(game.hand(ply.color), ply.piece, game),
    }
    if ply.opening:
        return found | {"o": 1}
    found |= {"w": ply.wall_us, "u": ply.cpu_us}
    if ply.note:
        found["t"] = plain(ply.note, 500)
    if ply.eval is not None:
        found["e"] = float(f"{ply.eval:.4g}")
    return found


def _score(hand: Sequence[str], last: str | None, game: Game) -> int:
    return points(hand, last, game.scoring)


def _fault(game: Game, fault: Fault) -> dict[str, Any]:
    take(game, fault)
    named = [cell for cell in fault.evidence.named if cell in game.placements.grid]
    found: dict[str, Any] = {"f": fault.kind, "s": fault.seat, "t": plain(fault.evidence.detail, 500)}
    if named:
        found |= {"d": outline(named), "x": crosses(named)}
    if fault.evidence.color is not None and fault.evidence.color in game.variant.colors:
        found["c"] = game.variant.colors.index(fault.evidence.color)
    return found

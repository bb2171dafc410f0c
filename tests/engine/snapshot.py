"""All that a caller can see of a game, as plain data: of an engine's game, and of the oracle's."""

from __future__ import annotations

from typing import Any, TypeAlias

from engine import Game, Move, Passed, Placed, Variant
from tests.engine.oracle import OracleGame, Rules, hand

Snapshot: TypeAlias = dict[str, Any]


def snapshot(game: Game) -> Snapshot:
    """Return everything that a game tells about itself."""
    return {**standing(game), **lists(game)}


def standing(game: Game) -> Snapshot:
    """Return whose turn it is, what happened, and how it stands."""
    colors = game.variant.colors
    return {
        "color": game.color,
        "seat": game.seat,
        "turn": game.turn,
        "is over": game.is_over,
        "events": [_without_absent_seat(game.variant, event) for event in game.events()],
        "moves": game.moves(),
        "scores": game.scores(),
        "totals": game.totals(),
        "ranks": game.ranks(),
        "result": game.result(),
        "retired": game.retired(),
        "forfeits": game.forfeits(),
        "hands": {color: game.hand(color) for color in colors},
        "cells": {color: game.cells(color) for color in colors},
        "can play": [game.can_play(seat) for seat in range(len(game.variant.seats))],
        "has move": {color: game.has_move(color) for color in colors},
    }


def lists(game: Game) -> Snapshot:
    """Return the legal moves of every color, in order."""
    return {"legal": {color: game.legal_moves(color) for color in game.variant.colors}}


def oracle_snapshot(game: OracleGame) -> Snapshot:
    """Return what `snapshot` must be by the rule book."""
    colors = game.rules.colors
    return {
        "color": game.color,
        "seat": game.seat,
        "turn": game.turn,
        "is over": game.color is None,
        "events": game.events,
        "moves": [what for _, _, what in game.events if not isinstance(what, str)],
        "scores": game.scores(),
        "totals": game.totals(),
        "ranks": game.ranks(),
        "result": (game.scores(), game.totals(), game.ranks()),
        "retired": game.faults,
        "forfeits": list(game.faults.items()),
        "hands": {color: hand(game.rules, game.placed, color) for color in colors},
        "cells": {color: _as_mask(game, color) for color in colors},
        "can play": [game.can_play(seat) for seat in range(len(game.rules.seats))],
        "has move": {color: bool(game.legal_moves(color)) for color in colors},
        "legal": {color: game.legal_moves(color) for color in colors},
    }


def variant_of(rules: Rules, name: str = "made for a test") -> Variant:
    """Return the engine's variant for a line of the oracle's table."""
    return Variant(
        name=name,
        rows=rules.rows,
        cols=rules.cols,
        colors=rules.colors,
        starts=tuple([(rules.starts[color],) if color in rules.starts else () for color in rules.colors]),
        seats=rules.seats,
        teams=rules.teams,
        turning_color=rules.turning,
        pieces=rules.pieces,
        largest_first=rules.descending,
        has_bonus=rules.bonus,
    )


def play_first(game: Game, piece: str) -> Move:
    """Play the first legal placement of a piece."""
    move = next(move for move in game.legal_moves() if move.piece == piece)
    game.play(move)
    return move


def _as_mask(game: OracleGame, color: str) -> int:
    cells = [cell for cells in game.placed[color].values() for cell in cells]
    return sum(1 << row * game.rules.cols + col for row, col in cells)


def _without_absent_seat(variant: Variant, event: Placed | Passed) -> object:
    # when everybody has left the turning color, the rules do not say in whose name it drops out
    if isinstance(event, Passed) and event.color == variant.turning_color and event.reason == "forfeit":
        return event._replace(seat=None)  # type: ignore[arg-type]
    return event

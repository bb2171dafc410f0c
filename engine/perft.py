"""Counts sequences of placements: the engine's yardstick."""

from __future__ import annotations

from engine.errors import BadRequest
from engine.game import Game
from engine.move import Move
from engine.placements import numbers


def perft(game: Game, depth: int) -> int:
    """Return how many sequences of exactly `depth` placements the game can go on with."""
    if depth < 0:
        raise BadRequest(f"depth must be 0 or more, got {depth}")
    if depth == 0:
        return 1
    if depth == 1:
        return game.legal_count()
    return sum(count for _, count in divide(game, depth))


def divide(game: Game, depth: int) -> list[tuple[Move, int]]:
    """Return `perft` split by the first placement."""
    if depth < 1:
        raise BadRequest(f"depth must be 1 or more to be divided, got {depth}")
    counts = []
    for number in numbers(game.legal_bits()):
        game.play_number(number)
        counts.append((game.placements.move(number), perft(game, depth - 1)))
        game.undo()
    return counts

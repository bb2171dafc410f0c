"""Seeded random games for tests of text formats, what can be seen of a game, and damaged texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any, TypeVar

from engine import BadNotation, Game, Move, Placed

_T = TypeVar("_T")


def random_game(variant: str, seed: int, *, plies: int = 999, forfeits: float = 0.0, scoring: str = "15/5") -> Game:
    """Return a random game of so many turns at most; before each turn somebody forfeits with this probability."""
    rng = Random(f"{variant} {seed}")
    game = Game(variant, scoring)
    while not game.is_over and game.turn < plies:
        if rng.random() < forfeits:
            game.retire(rng.randrange(len(game.variant.seats)))
        else:
            game.play_random(rng)
    return game


def pieces_of(game: Game) -> dict[str, list[Move]]:
    """Return the pieces that each color has placed, in order."""
    placed: dict[str, list[Move]] = {color: [] for color in game.variant.colors}
    for event in game.events():
        if isinstance(event, Placed):
            placed[event.color].append(event.move)
    return placed


def position_of(game: Game) -> dict[str, Any]:
    """Return what can be seen on the board and what can be played, but nothing of the history."""
    return {
        "variant": game.variant,
        "scoring": game.scoring,
        "turn": (game.turn, game.color, game.seat),
        "cells": [game.cells(color) for color in game.variant.colors],
        "hands": [game.hand(color) for color in game.variant.colors],
        "legal": [game.legal_bits(color) for color in game.variant.colors],
    }


def facts_of(game: Game) -> dict[str, Any]:
    """Return everything that a game tells: two games with equal facts are equal."""
    history = {"events": game.events(), "forfeits": game.forfeits(), "retired": game.retired()}
    return {**position_of(game), **history, "scores": game.scores(), "totals": game.totals(), "ranks": game.ranks()}


def truncations(text: str) -> Iterator[str]:
    """Yield every beginning of a text."""
    for end in range(len(text)):
        yield text[:end]


def mutations(text: str, rng: Random, count: int, alphabet: str) -> Iterator[str]:
    """Yield the text with one character replaced, left out, doubled, or put in."""
    for _ in range(count):
        at = rng.randrange(len(text))
        middle = rng.choice([rng.choice(alphabet), "", text[at] * 2, rng.choice(alphabet) + text[at]])
        yield text[:at] + middle + text[at + 1 :]


def junk(rng: Random, count: int, alphabet: str) -> Iterator[str]:
    """Yield random texts over an alphabet, and some over all of Unicode."""
    for number in range(count):
        length = rng.randrange(60)
        if number % 4:
            yield "".join([rng.choice(alphabet) for _ in range(length)])
        else:
            yield "".join([chr(rng.randrange(0x110000)) for _ in range(length)])


def accepted(parse: Callable[[str], _T], texts: Iterable[str]) -> Iterator[tuple[str, _T]]:
    """Yield the texts that are accepted, each with what it means; the others must be refused at a place in the text."""
    for text in texts:
        problem: BadNotation | None = None
        try:
            found = parse(text)
        except BadNotation as error:
            problem = error
        if problem is None:
            yield text, found
        else:
            assert 0 <= problem.offset <= len(text)
            assert len(problem.detail) < 300

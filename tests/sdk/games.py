"""Recorded games of every variant: the lines that each seat is told, and what a driver must print and answer to them.

A driver is a bot on one of the SDKs. Whenever it is asked for a move, it reports to stderr

    me SEAT SEED MOVE_MS BANK_MS in time              as long as less than that has passed
    at TURN COLOR SEAT SCORES TOTALS HANDS BOARD
    color COLOR CORNERS COUNT HASH                   every third turn: of each color
    list TURN COLOR SEAT SCORES COUNT HASH           now, and again when it has tried the moves below
    ply TURN COLOR SEAT SCORES COUNT                 after each of six that it plays and undoes, and two on a copy

and answers with a move and a note. COUNT and HASH are those of the list of legal moves, in its order.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Literal, NamedTuple, TypeAlias

from arena.briefing import Briefing
from arena.limits import TimeControl
from arena.match import MatchSpec
from arena.protocol import Chronicle
from engine import VARIANTS, Game, Move, Passed
from engine.diagram import board_rows

CLOCK = TimeControl(move_ms=3_600_000, bank_ms=7_000)
ANYTHING = "anything"  # in place of a line that a bot cannot know for sure

# random moves; the same with forfeits; one seat alone, which places all its pieces, the smallest first or last
Plan: TypeAlias = Literal["random", "forfeits", "one first", "one last"]


class Recording(NamedTuple):
    """What one seat was told in one game, and what a driver does about it."""

    variant: str
    lines: list[bytes]
    reports: list[str]
    answers: list[dict[str, Any]]


def record_all() -> list[Recording]:
    """Return games of every variant, seen from every seat."""
    games: list[tuple[str, int, Plan]] = []
    for name, variant in VARIANTS.items():
        games.append((name, 0, "random"))
        # where a seat is more than a color, more can go wrong
        seeds = (3, 4) if len(variant.colors) > len(variant.seats) else (3,)
        games += [(name, seed, "forfeits") for seed in seeds if len(variant.seats) > 1]
    games += [("classic", 0, "one first"), ("classic", 0, "one last")]
    return [recording for game in games for recording in record(*game)]


def record(variant: str, seed: int, plan: Plan) -> list[Recording]:
    """Return one game, seen from every seat."""
    rng = Random(f"{variant} {seed} {plan}")
    scoring = "10/5" if plan == "one first" else "15/5"
    spec = MatchSpec(variant=variant, seed=seed, scoring=scoring, time=CLOCK)
    game = Game(variant, spec.scoring)
    chronicle = Chronicle(game)
    seats = range(len(game.variant.seats))
    names = ['quote " back \\ é ☃ 𝄞 \x01 "seed":7,'] * len(seats)  # what a careless parser stumbles over
    briefings = [Briefing(spec, "m", game, chronicle, seat, names) for seat in seats]
    recordings = [Recording(variant, [briefing.hello()], [], []) for briefing in briefings]
    hidden = _who_never_starts(game, rng, plan)
    for seat in hidden:
        game.retire(seat)
    while game.seat is not None:
        hidden -= {event.seat for event in game.events() if isinstance(event, Passed) and event.reason == "forfeit"}
        now = recordings[game.seat]
        now.lines.append(briefings[game.seat].turn())
        now.reports.append(f"me {game.seat} {spec.seed_of(game.seat)} {CLOCK.move_ms} {CLOCK.bank_ms} in time")
        now.reports.extend(_reports(game, is_sure=not hidden))
        now.answers.append(_answer(game))
        _go_on(game, rng, plan)
    for seat in set(seats) - set(game.retired()):
        recordings[seat].lines.append(briefings[seat].end("finished", game.result(), []))
    return recordings


def _who_never_starts(game: Game, rng: Random, plan: Plan) -> set[int]:
    """Return the seats that are out before the first move; the others learn of it when their turn comes."""
    seats = len(game.variant.seats)
    if plan == "random" or (plan == "forfeits" and seats < 3):
        return set()
    return {rng.randrange(1, seats)} if plan == "forfeits" else set(range(1, seats))


def _go_on(game: Game, rng: Random, plan: Plan) -> None:
    """Play a move, or let the seat to move fault."""
    if plan == "forfeits" and rng.random() < _fault_rate(game) and len(game.retired()) < len(game.variant.seats) - 1:
        game.retire(game.seat or 0)
    elif plan in ("random", "forfeits"):
        game.play_random(rng)
    else:
        moves = game.legal_moves()
        is_one_first = plan == "one first" and game.turn == 0
        size = (min if is_one_first else max)(len(move.cells) for move in moves)
        game.play(rng.choice([move for move in moves if len(move.cells) == size]))


def _fault_rate(game: Game) -> float:
    return 0.2 if game.color == game.variant.turning_color else 0.05  # where a fault is told to nobody


# ---- what a driver says


def _reports(game: Game, *, is_sure: bool) -> Iterator[str]:
    hands = ",".join(str(len(game.hand(color))) for color in game.variant.colors)
    totals = ",".join(map(str, game.totals()))
    yield f"at {_state(game)} {totals} {hands} {'/'.join(board_rows(game))}"
    if game.turn % 3 == 0:
        for number, color in enumerate(game.variant.colors):
            corners = 0 if _is_out(game, color) else game._board.anchors(number).bit_count()
            yield f"color {color} {corners} {_listed(game.legal_moves(color))}" if is_sure else ANYTHING
    yield f"list {_state(game)} {_listed(game.legal_moves())}"
    for plies, factor in ((6, 31), (2, 13)):
        ahead = game.copy()
        for _ in range(plies):
            if not ahead.is_over:
                ahead.play(_picked(ahead, factor))
                yield f"ply {_state(ahead)} {ahead.legal_count()}" if is_sure else ANYTHING
    yield f"list {_state(game)} {_listed(game.legal_moves())}"


def _picked(game: Game, factor: int) -> Move:
    moves = game.legal_moves()
    return moves[(game.turn * factor + 7) % len(moves)]


def _answer(game: Game) -> dict[str, Any]:
    cells = [list(cell) for cell in _picked(game, 17).cells]
    note = f'turn {game.turn}: "quoted" \\ é ☃ 𝄞\t\n'
    return {"type": "move", "turn": game.turn, "cells": cells, "note": note, "eval": game.turn / 4 - 3}


def _is_out(game: Game, color: str) -> bool:
    has_passed = any(isinstance(event, Passed) and event.color == color for event in game.events())
    return has_passed or game.variant.seat_of(color) in game.retired()


def _state(game: Game) -> str:
    who = "- -" if game.is_over else f"{game.color} {game.seat}"
    return f"{game.turn} {who} {','.join(map(str, game.scores().values()))}"


def _listed(moves: list[Move]) -> str:
    """Return the length of a list and its FNV-1a hash, over the letters of pieces and the numbers of cells."""
    total = 2166136261
    for move in moves:
        for value in (*move.piece.encode(), *[row * 32 + col for row, col in move.cells]):
            total = (total ^ value) * 16777619 & 0xFFFFFFFF
    return f"{len(moves)} {total}"

"""Looks some moves ahead among the promising ones, as if all the others played against us.

How it works. A position is worth the squares that our side has placed and the logarithm of how many moves it has,
less the same for the others; the end of the game is worth its points. Our own moves are put in order by the position
after them, moves further on by a cheap guess (large pieces; corners won and taken), and only the first few are looked
at. Deeper and deeper searches with alpha-beta cut-offs go on until time is up. Near the end, when few moves are left,
that sees the game through.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from time import perf_counter, process_time
from typing import Any, NamedTuple

from engine import Game, Move
from engine.grid import Mask
from engine.placements import numbers

_SHARE = 0.8  # of the time for a move; the rest is for reading, answering and a busy machine
_BANK_SHARE = 0.06  # of the bank

_ROOT_WIDTH = 14  # how many moves are looked at, at first and further on
_WIDTHS = (10, 8)
_MAX_DEPTH = 12

_MOBILITY = 4.0  # what the logarithm of the number of moves is worth, in squares
_FEW = 3.0  # added to the number of moves, so that the first ones do not count for more than a game
_POINT = 1.5  # what a point at the end is worth: it is certain

# the guess, in corners
_SQUARE = 4.0
_TAKEN = 1.5  # an opponent's corner that is covered

_LISTED_AT_ONCE = 128  # moves between two looks at the clock


class Found(NamedTuple):
    """The move to play, and how it was found."""

    number: int
    value: float  # in squares, from our side
    depth: int
    positions: int


class _OutOfTime(Exception):
    """The search stops wherever it is."""


class Search:
    """Searches the positions of one game, for one side."""

    def __init__(self, game: Game, ours: list[str], theirs: list[str]) -> None:
        self._game = game
        self._ours = ours
        self._theirs = theirs
        seats = game.variant.seats
        self._is_ours = [bool(set(colors) & set(ours)) for colors in seats]
        self._is_late: Callable[[], bool] = lambda: False
        self._positions = 0
        self._outlines: dict[int, tuple[Mask, Mask, Mask]] = {}

    def find_move(self, is_late: Callable[[], bool]) -> Found:
        """Return the best move that can be found in time."""
        self._is_late = is_late
        self._positions = 0
        moves = self._guessed_order()
        found = Found(moves[0], 0.0, 0, 0)
        turn = self._game.turn
        try:
            moves, found = self._look_once(moves, found)
            while found.depth < _MAX_DEPTH and len(moves) > 1:
                moves, found = self._look_deeper(moves, found)
        except _OutOfTime as stopped:
            if stopped.args:
                found = stopped.args[0]
        while self._game.turn > turn:  # the search was stopped in the middle of a line
            self._game.undo()
        return found._replace(positions=self._positions)

    # ---- our own move

    def _look_once(self, moves: list[int], found: Found) -> tuple[list[int], Found]:
        """Return our moves in order of the positions after them, and the best."""
        values: dict[int, float] = {}
        try:
            for number in moves:
                values[number] = self._value_after(number, 0, -math.inf)
        except _OutOfTime:
            if values:
                best = max(values, key=values.__getitem__)
                found = Found(best, values[best], 0, 0)
            raise _OutOfTime(found) from None
        ranked = sorted(values, key=values.__getitem__, reverse=True)
        return ranked, Found(ranked[0], values[ranked[0]], 1, 0)

    def _look_deeper(self, moves: list[int], found: Found) -> tuple[list[int], Found]:
        """Return the same after a search that goes one move further; moves beyond the first few stay behind."""
        values: dict[int, float] = {}
        best = -math.inf
        for number in moves[:_ROOT_WIDTH]:
            try:
                values[number] = self._value_after(number, found.depth, best)
            except _OutOfTime:
                raise _OutOfTime(found) from None
            if values[number] > best:  # an equal one may be a bound only
                best = values[number]
                found = found._replace(number=number, value=best)
        ranked = sorted(values, key=values.__getitem__, reverse=True)
        ranked.remove(found.number)
        return [found.number, *ranked, *moves[_ROOT_WIDTH:]], found._replace(depth=found.depth + 1)

    def _value_after(self, number: int, depth: int, alpha: float) -> float:
        self._game.place(number)
        value = self._value(depth, 0, alpha, math.inf)
        self._game.undo()
        return value

    # ---- further on

    def _value(self, depth: int, ply: int, alpha: float, beta: float) -> float:
        """Return what the position is worth for us if `depth` more moves are looked at."""
        if self._is_late():
            raise _OutOfTime
        self._positions += 1
        game = self._game
        if game.is_over:
            return self._points()
        if depth == 0:
            return self._worth(self._ours) - self._worth(self._theirs)
        assert game.seat is not None
        maximizes = self._is_ours[game.seat]
        best = -math.inf if maximizes else math.inf
        for number in self._guessed_order()[: _WIDTHS[min(ply, len(_WIDTHS) - 1)]]:
            game.place(number)
            value = self._value(depth - 1, ply + 1, alpha, beta)
            game.undo()
            if maximizes:
                best = max(best, value)
                alpha = max(alpha, value)
            else:
                best = min(best, value)
                beta = min(beta, value)
            if alpha >= beta:
                break
        return best

    # ---- what a position is worth

    def _worth(self, colors: list[str]) -> float:
        game = self._game
        squares = sum(game.cells(color).bit_count() for color in colors)
        mobility = sum(math.log(game.legal_count(color) + _FEW) for color in colors)
        return (squares + _MOBILITY * mobility) / max(1, len(colors))

    def _points(self) -> float:
        scores = self._game.scores()
        ours = sum(scores[color] for color in self._ours) / len(self._ours)
        theirs = sum(scores[color] for color in self._theirs) / max(1, len(self._theirs))
        return _POINT * (ours - theirs)

    # ---- which moves come first

    def _guessed_order(self) -> list[int]:
        """Return the legal moves, the most promising first; not all of them if there is no time to list them."""
        game = self._game
        own, closed, enemy = self._corners()
        guesses = []
        # from the last: the largest pieces
        for listed, number in enumerate(reversed(numbers(game.legal_bits()))):
            cells, edges, corners = self._outline(number)
            won = (corners & ~closed).bit_count() - ((cells | edges) & own).bit_count()
            guess = _SQUARE * cells.bit_count() + won + _TAKEN * (cells & enemy).bit_count()
            guesses.append((guess, number))
            if listed % _LISTED_AT_ONCE == 0 and listed and self._is_late():
                break
        guesses.sort(reverse=True)
        return [number for _, number in guesses]

    def _corners(self) -> tuple[Mask, Mask, Mask]:
        """Return the corners of the color to move, the cells that can be no new ones, and its opponents' corners."""
        game = self._game
        assert game.color is not None
        assert game.seat is not None
        occupied = 0
        for color in game.variant.colors:
            occupied |= game.cells(color)
        edges, corners = game.placements.grid.around(game.cells(game.color))
        own = corners & ~(edges | occupied)
        enemy = 0
        for color in self._theirs if self._is_ours[game.seat] else self._ours:
            their_edges, their_corners = game.placements.grid.around(game.cells(color))
            enemy |= their_corners & ~(their_edges | occupied)
        return own, occupied | edges | own, enemy

    def _outline(self, number: int) -> tuple[Mask, Mask, Mask]:
        """Return a placement's cells, the cells along its edges, and those at its corners."""
        outline = self._outlines.get(number)
        if outline is None:
            grid = self._game.placements.grid
            cells = self._game.placements.needs(number) & grid.full
            edges, corners = grid.around(cells)
            edges &= ~cells
            outline = self._outlines[number] = cells, edges, corners & ~(cells | edges)
        return outline


class Player:
    """One game at one seat."""

    def __init__(self, hello: dict[str, Any]) -> None:
        self._charges_cpu = hello["clock"]["kind"] == "cpu"
        self._game = Game(hello["variant"])
        seats = hello["seats"]
        team = seats[hello["seat"]]["team"]
        self._ours = [color for seat in seats if seat["team"] == team for color in seat["colors"]]
        # the turning color counts for nobody
        theirs = [color for seat in seats if seat["team"] != team for color in seat["colors"]]
        self._search = Search(self._game, self._ours, theirs)

    def answer(self, message: dict[str, Any]) -> dict[str, object]:
        """Return the move for a turn."""
        is_late = self._deadline(message["clock"])
        for event in message["played"]:
            self._follow(event)
        found = self._search.find_move(is_late)
        return {
            "type": "move",
            "turn": message["turn"],
            "cells": self._game.placements.move(found.number).cells,
            "note": f"depth {found.depth}, {found.positions} positions, value {found.value:+.1f}",
            "eval": self._expectation(found),
        }

    def _deadline(self, clock: dict[str, int]) -> Callable[[], bool]:
        """Return what tells whether to stop thinking."""
        now = process_time if self._charges_cpu else perf_counter
        budget_s = (_SHARE * clock["move_ms"] + _BANK_SHARE * clock["bank_ms"]) / 1000
        end = now() + budget_s
        # a move that is charged by CPU time must also come before four times as long by the wall
        wall_end = perf_counter() + 3 * budget_s + 0.5
        return lambda: now() > end or perf_counter() > wall_end

    def _follow(self, event: dict[str, Any]) -> None:
        if "piece" in event:
            self._game.play(Move.from_cells(event["cells"]))
        elif event["pass"] == "forfeit":  # who is blocked the engine knows
            self._game.retire(event["seat"])

    def _expectation(self, found: Found) -> float:
        """Return the expected result, from 0 (behind all others) to 1 (ahead of all).

        Alone it is the share of squares placed.
        """
        if len(self._game.variant.seats) == 1:
            placed = sum(self._game.cells(color).bit_count() for color in self._ours)
            return placed / sum(piece.size for piece in self._game.placements.pieces) / len(self._ours)
        return 1 / (1 + math.exp(-found.value / 6))


def main() -> None:
    """Play games until the input ends."""
    player: Player | None = None
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            player = Player(message)
            print(json.dumps({"type": "ready", "games": "many"}), flush=True)
        elif message["type"] == "turn" and player:
            print(json.dumps(player.answer(message)), flush=True)


main()

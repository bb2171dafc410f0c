"""Plays the placement after which its own side has the most moves more than the others, among its largest pieces."""

from __future__ import annotations

import json
import math
import random
import sys
from collections.abc import Callable
from time import perf_counter, process_time
from typing import Any

from engine import Game, Move
from engine.placements import numbers

_SHARE = 0.6  # of the time for a move; the rest is for reading, answering and a busy machine


class Thinker:
    """Follows one game for one seat, and chooses its moves."""

    def __init__(self, hello: dict[str, Any]) -> None:
        self._game = Game(hello["variant"])
        self._rng = random.Random(hello["seed"])
        self._now: Callable[[], float] = process_time if hello["clock"]["kind"] == "cpu" else perf_counter
        seats = hello["seats"]
        team = seats[hello["seat"]]["team"]
        self._ours = [color for seat in seats if seat["team"] == team for color in seat["colors"]]
        # the turning color counts for nobody
        self._theirs = [color for seat in seats if seat["team"] != team for color in seat["colors"]]

    def answer(self, message: dict[str, Any]) -> dict[str, object]:
        """Return the move for a turn."""
        deadline = self._now() + _SHARE * message["clock"]["move_ms"] / 1000
        for event in message["played"]:
            self._follow(event)
        number, lead = self._choose(deadline)
        note = f"mobility {lead:+.0f}"
        cells = self._game.placements.move(number).cells
        return {"type": "move", "turn": message["turn"], "cells": cells, "note": note, "eval": self._expectation(lead)}

    def _follow(self, event: dict[str, Any]) -> None:
        if "piece" in event:
            self._game.play(Move.from_cells(event["cells"]))
        elif event["pass"] == "forfeit":  # who is blocked the engine knows
            self._game.retire(event["seat"])

    def _choose(self, deadline: float) -> tuple[int, float]:
        """Return the best of the largest pieces' placements, and the lead in moves after it."""
        candidates = self._largest()
        self._rng.shuffle(candidates)  # of equal ones any may be played
        best, best_lead = candidates[0], -math.inf
        for number in candidates:
            lead = self._lead_after(number)
            if lead > best_lead:
                best, best_lead = number, lead
            if self._now() > deadline:
                break
        return best, best_lead

    def _largest(self) -> list[int]:
        placements = self._game.placements
        sizes = {n: placements.pieces[placements.piece(n)].size for n in numbers(self._game.legal_bits())}
        largest = max(sizes.values())
        return [number for number, size in sizes.items() if size == largest]

    def _lead_after(self, number: int) -> float:
        self._game.place(number)
        lead = self._average_moves(self._ours) - self._average_moves(self._theirs)
        self._game.undo()
        return lead

    def _average_moves(self, colors: list[str]) -> float:
        return sum(self._game.legal_count(color) for color in colors) / max(1, len(colors))

    def _expectation(self, lead: float) -> float:
        """Return the expected result, from 0 (behind all others) to 1 (ahead of all).

        Alone it is the share of squares placed.
        """
        placed = {color: self._game.cells(color).bit_count() for color in self._game.variant.colors}
        ours = sum(placed[color] for color in self._ours) / len(self._ours)
        if not self._theirs:
            return ours / sum(piece.size for piece in self._game.placements.pieces)
        theirs = sum(placed[color] for color in self._theirs) / len(self._theirs)
        return 1 / (1 + math.exp(-lead / 100 - (ours - theirs) / 10))


def main() -> None:
    """Play games until the input ends."""
    thinker: Thinker | None = None
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            thinker = Thinker(message)
            print(json.dumps({"type": "ready", "games": "many"}), flush=True)
        elif message["type"] == "turn" and thinker:
            print(json.dumps(thinker.answer(message)), flush=True)


main()

"""A bot that does all right: it keeps a board of its own and plays any move that is legal there.

The broken ones differ from it in one thing each. All are copied into a folder together with this file.
"""

import json
import random
import sys
from typing import Any, ClassVar

from engine import VARIANTS
from engine.board import Board
from engine.explain import number_of_cells
from engine.placements import numbers, placements_of

Message = dict[str, Any]


class Bot:
    """Reads, keeps the board, answers."""

    ready: ClassVar[Message] = {"type": "ready", "games": "many"}

    def run(self) -> None:
        """Answer every line until there are no more."""
        for line in sys.stdin:
            self.hear(json.loads(line))

    def hear(self, message: Message) -> None:
        """Answer one message."""
        if message["type"] == "hello":
            self.begin(message)
            self.send(self.ready)
        elif message["type"] == "turn":
            self.note(message["played"])
            self.send(self.answer(message))
        else:
            self.note(message["played"])

    def begin(self, hello: Message) -> None:
        """Set up the board of a new game."""
        variant = VARIANTS[hello["variant"]]
        self.hello = hello
        self.colors = hello["colors"]
        self.own = hello["seats"][hello["seat"]]["colors"]
        self.random = random.Random(hello["seed"])
        self.placements = placements_of(variant)
        starts = [self.placements.grid.mask(variant.starts[at]) for at in range(len(self.colors))]
        self.board = Board(self.placements, starts, variant.largest_first)

    def note(self, played: list[Message]) -> None:
        """Put what was played on the board."""
        for entry in played:
            if "pass" not in entry:
                self.place(entry["color"], entry["cells"])

    def place(self, color: str, cells: list[list[int]]) -> None:
        """Put a piece on the board."""
        self.board.place(self.colors.index(color), number_of_cells(cells, self.placements))

    def answer(self, turn: Message) -> Message:
        """Return the answer to a turn."""
        return {"type": "move", "turn": turn["turn"], "cells": self.choose(turn["color"])}

    def choose(self, color: str) -> list[list[int]]:
        """Return the cells of a legal placement: a large one rather than a small one."""
        legal = list(numbers(self.board.legal(self.colors.index(color))))
        if not legal:
            return []
        number = max(self.random.sample(legal, min(4, len(legal))))
        return [list(cell) for cell in self.placements.move(number).cells]

    def send(self, message: Message) -> None:
        """Send a message at once."""
        print(json.dumps(message), flush=True)

"""Leaves after five moves."""

import sys

from tests.broken_bots.base import Bot, Message


class LeavesEarly(Bot):
    moves = 0

    def answer(self, turn: Message) -> Message:
        self.moves += 1
        if self.moves > 5:
            sys.exit(0)
        return super().answer(turn)


LeavesEarly().run()

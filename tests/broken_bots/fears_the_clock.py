"""Crashes where there is little time for a move."""

from tests.broken_bots.base import Bot, Message


class FearsTheClock(Bot):
    def answer(self, turn: Message) -> Message:
        if turn["clock"]["move_ms"] < 500:
            raise ValueError("no time to search")
        return super().answer(turn)


FearsTheClock().run()

"""Crashes with words of its own that others use for other troubles."""

from tests.broken_bots.base import Bot, Message


class OwnWords(Bot):
    def answer(self, turn: Message) -> Message:
        if turn["turn"] > 1:
            raise ValueError("syntax error in opening book: connection refused, cannot open")
        return super().answer(turn)


OwnWords().run()

"""Counts the legal moves from 1."""

from typing import ClassVar

from tests.broken_bots.base import Bot, Message


class IndexFrom1(Bot):
    ready: ClassVar[Message] = {"type": "ready", "want": ["count"]}

    def answer(self, turn: Message) -> Message:
        return {"type": "move", "turn": turn["turn"], "index": self.random.randint(1, turn["legal_count"])}


IndexFrom1().run()

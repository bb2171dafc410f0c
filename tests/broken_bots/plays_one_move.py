"""Leaves after its first move."""

from typing import ClassVar

from tests.broken_bots.base import Bot, Message


class PlaysOneMove(Bot):
    ready: ClassVar[Message] = {"type": "ready"}

    def send(self, message: Message) -> None:
        super().send(message)
        if message["type"] == "move":
            raise SystemExit


PlaysOneMove().run()

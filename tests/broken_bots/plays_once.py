"""Says that it can play many games, but leaves after the first one."""

import sys

from tests.broken_bots.base import Bot, Message


class PlaysOnce(Bot):
    def hear(self, message: Message) -> None:
        super().hear(message)
        if message["type"] == "end":
            sys.exit(0)


PlaysOnce().run()

"""Counts whose turn it is by itself, and skips passes."""

from tests.broken_bots.base import Bot, Message


class IgnoresPasses(Bot):
    count = 0

    def begin(self, hello: Message) -> None:
        super().begin(hello)
        self.count = 0

    def note(self, played: list[Message]) -> None:
        for entry in played:
            if "cells" in entry:
                self.place(self.colors[self.count % len(self.colors)], entry["cells"])
                self.count += 1


IgnoresPasses().run()

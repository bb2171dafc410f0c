"""Floods its log, half a megabyte a move."""

import sys

from tests.broken_bots.base import Bot


class Talkative(Bot):
    def choose(self, color: str) -> list[list[int]]:
        print("thinking " * 60_000, file=sys.stderr)
        return super().choose(color)


Talkative().run()

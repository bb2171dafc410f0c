"""Sends [column, row]."""

from tests.broken_bots.base import Bot


class Swapped(Bot):
    def choose(self, color: str) -> list[list[int]]:
        return [[col, row] for row, col in super().choose(color)]


Swapped().run()

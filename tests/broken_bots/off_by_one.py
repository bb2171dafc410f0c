"""Counts rows and columns from 1."""

from tests.broken_bots.base import Bot


class OffByOne(Bot):
    def choose(self, color: str) -> list[list[int]]:
        return [[row + 1, col + 1] for row, col in super().choose(color)]


OffByOne().run()

"""Names cells that form no piece."""

from tests.broken_bots.base import Bot


class WrongCells(Bot):
    def choose(self, color: str) -> list[list[int]]:
        return [[row, 2 * col] for row, col in super().choose(color)]


WrongCells().run()

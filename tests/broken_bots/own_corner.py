"""Believes that its first piece goes to the corner at the top left."""

from tests.broken_bots.base import Bot


class OwnCorner(Bot):
    def choose(self, color: str) -> list[list[int]]:
        if not self.board.own[self.colors.index(color)]:
            return [[0, 0], [0, 1], [1, 1]]
        return super().choose(color)


OwnCorner().run()

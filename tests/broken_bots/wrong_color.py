"""Plays its first color only."""

from tests.broken_bots.base import Bot


class WrongColor(Bot):
    def choose(self, color: str) -> list[list[int]]:
        return super().choose(self.own[0])


WrongColor().run()

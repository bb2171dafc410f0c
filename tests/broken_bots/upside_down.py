"""Has row 0 at the bottom."""

from tests.broken_bots.base import Bot


class UpsideDown(Bot):
    def choose(self, color: str) -> list[list[int]]:
        return [[self.hello["board"]["rows"] - 1 - row, col] for row, col in super().choose(color)]


UpsideDown().run()

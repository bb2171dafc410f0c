"""Has column 0 at the right."""

from tests.broken_bots.base import Bot


class Mirrored(Bot):
    def choose(self, color: str) -> list[list[int]]:
        return [[row, self.hello["board"]["cols"] - 1 - col] for row, col in super().choose(color)]


Mirrored().run()

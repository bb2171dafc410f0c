"""Believes that every board has 20 rows and 20 columns."""

from tests.broken_bots.base import Bot, Message


class AlwaysLarge(Bot):
    def begin(self, hello: Message) -> None:
        super().begin(hello | {"variant": "classic"})
        starts = [self.placements.grid.mask(hello["start"][color]) for color in self.colors]
        self.board = type(self.board)(self.placements, starts, False)


AlwaysLarge().run()

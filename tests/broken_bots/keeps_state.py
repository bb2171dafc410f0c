"""Says that it can play many games, but keeps the board of the one before."""

from tests.broken_bots.base import Bot, Message


class KeepsState(Bot):
    has_begun = False

    def begin(self, hello: Message) -> None:
        if not self.has_begun:
            super().begin(hello)
        self.has_begun = True


KeepsState().run()

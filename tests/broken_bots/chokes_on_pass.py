"""Takes every entry of `played` for a piece."""

from tests.broken_bots.base import Bot, Message


class ChokesOnPass(Bot):
    def note(self, played: list[Message]) -> None:
        for entry in played:
            self.place(entry["color"], entry["cells"])


ChokesOnPass().run()

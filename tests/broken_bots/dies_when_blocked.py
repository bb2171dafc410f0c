"""Does not expect its own color to drop out."""

from tests.broken_bots.base import Bot, Message


class DiesWhenBlocked(Bot):
    def note(self, played: list[Message]) -> None:
        super().note(played)
        if any("pass" in entry and entry["color"] in self.own for entry in played):
            raise RuntimeError("no legal move")


DiesWhenBlocked().run()

"""Does not put its own moves on its board."""

from tests.broken_bots.base import Bot, Message


class ForgetsOwn(Bot):
    def note(self, played: list[Message]) -> None:
        super().note([entry for entry in played if entry["color"] not in self.own])


ForgetsOwn().run()

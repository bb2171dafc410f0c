"""Does not put the opponents' moves on its board."""

from tests.broken_bots.base import Bot, Message


class ForgetsOpponents(Bot):
    def note(self, played: list[Message]) -> None:
        super().note([entry for entry in played if entry["color"] in self.own])


ForgetsOpponents().run()

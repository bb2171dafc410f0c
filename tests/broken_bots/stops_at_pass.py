"""Leaves off reading `played` for good once there is a pass."""

from tests.broken_bots.base import Bot, Message


class StopsAtPass(Bot):
    has_stopped = False

    def note(self, played: list[Message]) -> None:
        for entry in played:
            self.has_stopped |= "pass" in entry
            if not self.has_stopped:
                self.place(entry["color"], entry["cells"])


StopsAtPass().run()

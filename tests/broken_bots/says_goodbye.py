"""Says that it can play many games, but prints something after each."""

from tests.broken_bots.base import Bot, Message


class SaysGoodbye(Bot):
    def hear(self, message: Message) -> None:
        super().hear(message)
        if message["type"] == "end":
            print("good game!", flush=True)


SaysGoodbye().run()

"""Takes milliseconds for seconds."""

import time

from tests.broken_bots.base import Bot, Message


class TakesSeconds(Bot):
    def answer(self, turn: Message) -> Message:
        end = time.time() + 0.9 * turn["clock"]["move_ms"]
        while time.time() < end:
            pass
        return super().answer(turn)


TakesSeconds().run()

"""Asks for the list of legal moves, and reads no more than 64 KiB of a line."""

import json
import sys
from typing import ClassVar

from tests.broken_bots.base import Bot, Message


class SmallBuffer(Bot):
    ready: ClassVar[Message] = {"type": "ready", "want": ["legal"]}

    def run(self) -> None:
        while line := sys.stdin.readline(1 << 16):
            self.hear(json.loads(line))


SmallBuffer().run()

"""Leaves its answers in the buffer: never_flushes.py ready move, or move alone."""

import json
import sys

from tests.broken_bots.base import Bot, Message


class NeverFlushes(Bot):
    def send(self, message: Message) -> None:
        print(json.dumps(message), flush=message["type"] not in sys.argv)


NeverFlushes().run()

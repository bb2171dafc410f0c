"""Sends each line in pieces, which is fine as long as the newline comes."""

import json
import sys
import time

from tests.broken_bots.base import Bot, Message


class InPieces(Bot):
    def send(self, message: Message) -> None:
        for part in (*json.dumps(message).partition(","), "\n"):
            sys.stdout.write(part)
            sys.stdout.flush()
            time.sleep(0.001)


InPieces().run()

"""Takes whatever comes at once for a line: reads_chunks.py crash|swallow."""

import json
import os
import sys

from tests.broken_bots.base import Bot


class ReadsChunks(Bot):
    def run(self) -> None:
        while data := os.read(0, 1 << 20):
            try:
                self.hear(json.loads(data))
            except ValueError:
                if sys.argv[1] != "swallow":
                    raise


ReadsChunks().run()

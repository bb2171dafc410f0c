"""Thinks for 0.6 s whatever the clock says."""

import time

from tests.broken_bots.base import Bot


class Slow(Bot):
    def choose(self, color: str) -> list[list[int]]:
        time.sleep(0.6)
        return super().choose(color)


Slow().run()

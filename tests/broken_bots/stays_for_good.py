"""Does not leave when its input is closed."""

import time

from tests.broken_bots.base import Bot

Bot().run()
time.sleep(600)

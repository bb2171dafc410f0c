"""Nothing is wrong with it."""

from tests.broken_bots.base import Bot

Bot().run()

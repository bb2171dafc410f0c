"""Plays well, but takes its time, so that the others have some to misuse: slow.py [SECONDS]."""

import sys
import time

from tests.faulty_bots.wire import get_ready, move, turns

seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 0.02

get_ready()
for turn in turns():
    time.sleep(seconds)
    move(turn)

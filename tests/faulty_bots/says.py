"""Plays well but for one line, which it takes from files: says.py ready NAME, or says.py move NAME TURN.

In the line, `{turn}` stands for the number of the turn. The bot asks for a list to index unless the file
"no-list" exists.
"""

import sys
import time
from pathlib import Path

from tests.faulty_bots.wire import get_ready, log, move, receive, send_raw, turns

what, name, *rest = sys.argv[1:]
data = Path(name).read_bytes()
want = [] if Path("no-list").exists() else ["count"]

if what == "ready":
    receive()
    log("this bot gets ready in its own way")
    send_raw(data)
else:
    get_ready(want=want)
for index, turn in enumerate(turns()):
    if what == "move" and index == int(rest[0]):
        log("this bot has its own way to say it")
        send_raw(data.replace(b"{turn}", str(turn["turn"]).encode()))
        time.sleep(600)
    move(turn)

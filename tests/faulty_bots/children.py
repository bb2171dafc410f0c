"""Leaves a child behind that holds its pipes open: children.py KIND THEN.

KIND is how the child escapes: `group` (not at all), `session`, `stubborn` (it also ignores signals), `nameless` (it
also drops its environment). THEN is what the bot does: `plays` on, `sleeps`, or `exits`. The child's id goes to a file,
"child.pid".
"""

import os
import signal
import sys
import time
from pathlib import Path

from tests.faulty_bots.wire import get_ready, log, move, turns

kind, then = sys.argv[1:]


def run_child() -> None:
    """Be the child."""
    if kind != "group":
        os.setsid()
    if kind == "stubborn":
        for each in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(each, signal.SIG_IGN)
    scratch = Path("child.tmp")
    scratch.write_text(str(os.getpid()))
    scratch.rename("child.pid")
    if kind == "nameless":
        os.execve("/bin/sleep", ["sleep", "600"], {})
    time.sleep(600)


def fork_twice() -> None:
    """Start a grandchild that is nobody's child."""
    middle = os.fork()
    if middle == 0:
        if os.fork() == 0:
            run_child()
        os._exit(0)
    os.waitpid(middle, 0)
    while not Path("child.pid").exists():
        time.sleep(0.001)


get_ready()
for index, turn in enumerate(turns()):
    if index == 1:
        log(f"this bot leaves a child and {then}")
        fork_twice()
        if then == "sleeps":
            time.sleep(600)
        if then == "exits":
            sys.exit(0)
    move(turn)

"""A referee that can be killed: starts one bot in a box, says which processes stand for it, and waits.

`python -m tests.hostile.referee`; what to start comes as a line of JSON, so that only the bot has its mark.
"""

from __future__ import annotations

import json
import sys

from arena.limits import ResourceLimits
from arena.sandbox.base import Command
from arena.sandbox.choose import BACKENDS
from tests.hostile.box import ENVIRONMENT, next_line, pid_of_launcher


def main() -> None:
    """Start the bot, print the numbers of the launcher, the head and the bot, wait for the end of the input."""
    backend, processes, folder, *argv = json.loads(sys.stdin.readline())
    command = Command(tuple(argv), folder, ENVIRONMENT, processes)
    process = BACKENDS[backend](command, ResourceLimits())
    said = next_line(process)
    head = process._head  # type: ignore[attr-defined] # nobody else needs to know it
    print(pid_of_launcher(), head, process.pid, said, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()

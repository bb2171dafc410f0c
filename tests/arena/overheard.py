"""A bot that is another bot, and tells its log every line that passes: overheard.py BOT ARGUMENTS...

The other bot is a Python program in the same folder that reads `sys.stdin` line by line, and prints.
"""

import runpy
import sys
from collections.abc import Iterator


class _Input:
    def __iter__(self) -> Iterator[str]:
        for line in sys.__stdin__ or ():
            print("referee", line, end="", file=sys.stderr, flush=True)
            yield line


class _Output:
    def __init__(self) -> None:
        self._unsent = ""

    def write(self, text: str) -> None:
        self._unsent += text

    def flush(self) -> None:
        text, self._unsent = self._unsent, ""
        if text:
            print("bot", text, end="", file=sys.stderr, flush=True)
            print(text, end="", file=sys.__stdout__, flush=True)


del sys.argv[0]
sys.stdin, sys.stdout = _Input(), _Output()
runpy.run_path(sys.argv[0], run_name="__main__")

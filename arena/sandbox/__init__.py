"""Turns a command and its limits into a running process with pipes. Knows no Blokus.

The seam: `start` picks a backend; whatever it is, the caller gets a `Confined`.
"""

from arena.sandbox.base import Command, Confined, Exit, StartFailed
from arena.sandbox.choose import start

__all__ = ["Command", "Confined", "Exit", "StartFailed", "start"]

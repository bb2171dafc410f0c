"""What every backend offers: a running process, seen from outside."""

from __future__ import annotations

import signal
from abc import ABC, abstractmethod

import msgspec

from arena.sandbox.pipes import close


class Command(msgspec.Struct, frozen=True):
    """A program to run: its arguments, its folder, and its whole environment.

    One that is given a folder for scratch may write there and to its own folder, lock files and change their modes,
    and have many more and larger ones open: it builds something.
    """

    argv: tuple[str, ...]
    cwd: str
    env: dict[str, str]
    processes: bool = False  # whether it may start child processes
    scratch: str | None = None  # what its /tmp, TMPDIR and HOME are to be


class Exit(msgspec.Struct, frozen=True):
    """How a process ended, and what it used."""

    code: int | None
    signal: int | None
    cpu_ms: int
    peak_mb: float

    def __str__(self) -> str:
        if self.signal is None:
            return f"exit code {self.code}"
        try:
            return f"signal {signal.Signals(self.signal).name}"
        except ValueError:
            return f"signal {self.signal}"


class StartFailed(Exception):
    """The command itself could not be executed: the bot's trouble, not the arena's."""


class Confined(ABC):
    """A running process and its children, with our ends of its pipes (not blocking)."""

    pid: int
    stdin: int
    stdout: int
    stderr: int
    protections: dict[str, str]  # what is enforced, and by what; for the record

    @abstractmethod
    def cpu_ns(self) -> int:
        """Return the CPU time used so far by the process and its children."""

    @abstractmethod
    def freeze(self) -> None:
        """Stop the process until `thaw`."""

    @abstractmethod
    def thaw(self) -> None:
        """Let the process run on."""

    def close_stdin(self) -> None:
        """Close our end of its input."""
        close(self.stdin)
        self.stdin = -1

    def close_stderr(self) -> None:
        """Close our end of its log."""
        close(self.stderr)
        self.stderr = -1

    @abstractmethod
    def has_ended(self) -> bool:
        """Tell whether the process has ended by itself; it stays to be reaped by `end`."""

    @abstractmethod
    def end(self) -> Exit:
        """Kill whatever is left of the process and its children, reap it, close the pipes; safe to call again."""

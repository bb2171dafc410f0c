"""Runs a command in a sandbox to its end, and returns what it said: for builds."""

from __future__ import annotations

import os
import select
from time import monotonic

import msgspec

from arena.limits import ResourceLimits
from arena.sandbox.base import Command, Confined, Exit
from arena.sandbox.choose import start
from arena.sandbox.written import MOST_FILES, TooDeepError, Written

_KEPT_BYTES = 65536
_CHUNK = 65536
_LOOK_S = 0.02  # how soon we see that a process has ended whose children hold its output open
_MEASURE_S = 1.0


class Finished(msgspec.Struct, frozen=True):
    """How a command ended, the tail of what it said, and why it was ended if it did not end by itself."""

    exit: Exit
    output: str
    stopped: str | None


def run_to_end(command: Command, limits: ResourceLimits, *, patience_s: float, most_mb: int) -> Finished:
    """Run a command, and end whatever it leaves; raises as `start` does."""
    process = start(command, limits)
    output = bytearray()
    try:
        process.close_stdin()
        written = Written(command, process.pid)
        stopped = _listen(process, output, written, monotonic() + patience_s, most_mb)
    finally:
        end = process.end()
    if stopped == "":
        stopped = f"took more than {patience_s:g} s"
    return Finished(end, output.decode(errors="replace"), stopped)


def _listen(process: Confined, output: bytearray, written: Written, deadline: float, most_mb: int) -> str | None:
    """Take in what a process says until it ends; return why it must not go on, empty if it is out of time."""
    poll = select.poll()
    for descriptor in (process.stdout, process.stderr):
        poll.register(descriptor, select.POLLIN)
    measured = monotonic()
    while monotonic() < deadline:
        has_ended = process.has_ended()
        events = poll.poll(0 if has_ended else _LOOK_S * 1000)
        for descriptor, _ in events:
            data = os.read(descriptor, _CHUNK)
            output += data
            del output[:-_KEPT_BYTES]
            if not data:
                poll.unregister(descriptor)
        if has_ended and not events:
            return None
        if monotonic() - measured > _MEASURE_S:
            try:
                if written.is_too_much(most_mb):
                    return f"wrote more than {most_mb} MB or {MOST_FILES} files"
            except TooDeepError:
                return "made folders too deep in each other"
            measured = monotonic()
    return ""

"""Tells faults that the machine may have caused from those that are the bot's own."""

from __future__ import annotations

import os
from contextlib import suppress
from time import monotonic

from arena.record import Fault, MatchRecord

_PRESSURE = "/proc/pressure/cpu"
_LITTLE = 0.5  # of its limit: a bot that computed for longer has itself to blame
_BUSY = 0.1  # of the time somebody waited for a core


class LoadWatch:
    """Looks at how busy the machine is while a match is played."""

    def __init__(self) -> None:
        self._begun = monotonic()
        self._waited = _waited_s()

    def was_busy(self) -> bool:
        """Tell whether programs had to wait for a core since this watch began."""
        waited = _waited_s()
        if waited is None or self._waited is None:
            return os.getloadavg()[0] > (os.cpu_count() or 1) + 1
        return waited - self._waited > _BUSY * max(monotonic() - self._begun, 0.001)

    def suspects(self, record: MatchRecord) -> bool:
        """Tell whether a fault in the match may be the machine's doing: the match is then played once more."""
        return any(_was_killed(fault) or (_was_starved(fault) and self.was_busy()) for fault in record.faults)


def _was_killed(fault: Fault) -> bool:
    """Tell whether a bot was killed, though it was in time and within its memory: by a user, or for want of memory."""
    return fault.kind in ("crash", "no-start") and fault.evidence.exit == "signal SIGKILL"


def _was_starved(fault: Fault) -> bool:
    """Tell whether a bot ran out of time without having computed much."""
    spent = fault.evidence
    is_late = fault.kind in ("timeout", "no-start") and spent.wall_us >= spent.limit_us > 0
    return is_late and spent.cpu_us < _LITTLE * spent.limit_us


def _waited_s() -> float | None:
    """Return for how long, in all, some program that wanted to run had to wait; None where the system does not tell."""
    with suppress(OSError, ValueError, IndexError), open(_PRESSURE, encoding="ascii") as file:
        return int(file.readline().rpartition("total=")[2]) / 1e6
    return None

"""What /proc tells of running processes. For the launcher and for the referee: little of the standard library."""

from __future__ import annotations

import os
import time

_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def number_of(handle: int) -> int:
    """Return the number of the process that a handle means; 0 if it has ended and was reaped."""
    with open(f"/proc/self/fdinfo/{handle}", "rb", buffering=0) as file:
        return max(0, int(file.read(4096).partition(b"\nPid:")[2].split(None, 1)[0]))


def children(pid: int) -> list[int]:
    """Return the processes that one is the parent of."""
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                found += map(int, file.read().split())
    except OSError:
        pass  # it has ended
    return found


def descendants(pid: int) -> list[int]:
    """Return the processes below one."""
    found = children(pid)
    return found + [below for child in found for below in descendants(child)]


def open_memory(pid: int) -> int:
    """Return a descriptor to read a process's memory use from, whatever it becomes; -1 if it has ended."""
    try:
        return os.open(f"/proc/{pid}/status", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


def held_kib(memory: int) -> int:
    """Return how much of its memory is in no file, with the tables for its addresses; 0 if the process has ended."""
    try:
        status = os.pread(memory, 16384, 0)  # the groups of a user stand there too
    except OSError:
        return 0
    return _kib(status, b"\nRssAnon:") + _kib(status, b"\nVmPTE:")


def _kib(status: bytes, name: bytes) -> int:
    words = status.partition(name)[2].split(None, 1)
    return int(words[0]) if words else 0  # what ends has no memory any more


def held_kib_below(pid: int) -> int:
    """Return what the processes below one hold together."""
    total = 0
    for below in descendants(pid):
        memory = open_memory(below)
        if memory >= 0:
            total += held_kib(memory)
            os.close(memory)
    return total


def cpu_clock(pid: int) -> int:
    """Return the clock that tells the CPU time of a process, its threads included."""
    return (~pid << 3) | 2


def cpu_ns_below(pid: int) -> int:
    """Return the CPU time of the processes below one, and of those that they, or it, have waited for (to the tick)."""
    total = _waited_for_ns(pid)
    for below in descendants(pid):
        try:
            total += time.clock_gettime_ns(cpu_clock(below)) + _waited_for_ns(below)
        except OSError:
            pass  # it has ended meanwhile
    return total


def _waited_for_ns(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split(None, 15)
    except OSError:
        return 0
    return (int(fields[13]) + int(fields[14])) * _TICK_NS

"""What the benchmarks share: one core, medians, and a table of goals."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable
from time import perf_counter


def pin() -> None:
    """Keep this process and its children to one core: an unpinned run measures the scheduler."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def median_us(work: Callable[[], object], times: int, repeats: int = 7) -> float:
    """Return the median time of one call, in microseconds."""
    rounds = []
    for _ in range(repeats):
        begun = perf_counter()
        for _ in range(times):
            work()
        rounds.append((perf_counter() - begun) / times * 1e6)
    return statistics.median(rounds)


class Goals:
    """Prints each figure beside its goal, and remembers whether all were met."""

    def __init__(self) -> None:
        self.missed = 0

    def at_most(self, what: str, value: float, goal: float, unit: str) -> None:
        """Print a figure that should be small."""
        self._print(what, value, f"≤ {goal:g}", unit, value <= goal)

    def at_least(self, what: str, value: float, goal: float, unit: str) -> None:
        """Print a figure that should be large."""
        self._print(what, value, f"≥ {goal:g}", unit, value >= goal)

    def between(self, what: str, value: float, low: float, high: float, unit: str) -> None:
        """Print a figure that should be in a range."""
        self._print(what, value, f"{low:g}-{high:g}", unit, low <= value <= high)

    def _print(self, what: str, value: float, goal: str, unit: str, is_met: bool) -> None:
        self.missed += not is_met
        print(f"{what:58} {value:10.1f} {unit:8} goal {goal:8} {'ok' if is_met else 'MISSED'}")

"""Covering designs: tables at which every two of a number of points meet, as few tables as can be. Pure.

How it works. Everybody sits at equally many tables, give or take one, and every two points share one table or two. Only
five points at tables of four cannot have that: they get all five tables, and every two share three.

- Two seats: all pairs, in the order of a round robin.
- Three seats: see `triples.py`.
- Four seats, up to 60 points: starters, found by a long search, whose points move on in cycles.
- Four seats, more points: starters in one cycle, found here by annealing, a fixed number of steps.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from operator import le

from arena.schedule.starters import CYCLES_AND_STARTERS

Pair = tuple[int, int]
Table = tuple[int, ...]
Dice = Callable[[], float]  # gives a number from 0 up to 1

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ANNEALING_STEPS = 100_000


@lru_cache(maxsize=64)
def covering(points: int, seats: int) -> tuple[Table, ...]:
    """Return the tables for points 0, 1, … at one, two or four seats; the same whenever it is called."""
    if seats == 1:
        return tuple([(point,) for point in range(points)])
    if seats == 2:
        return tuple(_round_robin(points))
    if points <= seats + 1:
        return tuple(combinations(range(points), seats))
    if points in CYCLES_AND_STARTERS:
        return tuple(_from_starters(CYCLES_AND_STARTERS[points]))
    return tuple(_turned(_annealed(points), [points]))


def _round_robin(points: int) -> Iterator[Table]:
    """Yield all pairs, day by day: one point stays, the others move round it."""
    circle = points + points % 2 - 1
    for day in range(circle):
        if circle < points:
            yield (day, circle)
        for step in range(1, (circle + 1) // 2):
            low, high = sorted(((day - step) % circle, (day + step) % circle))
            yield (low, high)


def _from_starters(text: str) -> list[Table]:
    cycles, _, starters = text.partition(": ")
    blocks = [tuple([_DIGITS.index(digit) for digit in word]) for word in starters.split()]
    return _turned(blocks, [int(cycle) for cycle in cycles.split()])


def _turned(starters: Sequence[Table], cycles: Sequence[int]) -> list[Table]:
    """Return all tables that starters become as the points of each cycle move on by one, again and again."""
    following: list[int] = []
    for length in cycles:
        begin = len(following)
        following += [*range(begin + 1, begin + length), begin]
    tables: dict[Table, None] = {}
    for starter in starters:
        table = tuple(sorted(starter))
        while table not in tables:
            tables[table] = None
            table = tuple(sorted([following[point] for point in table]))
    return list(tables)


def _annealed(points: int) -> list[Table]:
    """Return starters of four modulo `points` whose differences are all there are: so every two points meet."""
    count = math.ceil((points // 2) / 6)
    while not (found := _Differences(points, count).starters()):
        count += max(1, count // 16)
    return found


class _Differences:
    """A search for `count` starters that have every difference modulo `points`, none more than three times."""

    def __init__(self, points: int, count: int) -> None:
        """Begin with random starters."""
        self._dice = random.Random(points * 1000 + count).random  # noqa: S311
        self._points = points
        self._folded = [min(gap, points - gap) for gap in range(points)]  # a difference either way round the circle
        self._times = [0] * (points // 2 + 1)  # how often each difference is there
        self._most = [3] * len(self._times)
        if points % 2 == 0:
            self._most[-1] = 1  # half the circle: each time, two points meet twice
        self._starters = [self._first() for _ in range(count)]
        for starter in self._starters:
            for a, b in combinations(starter, 2):
                self._times[self._folded[abs(a - b)]] += 1

    def starters(self) -> list[Table]:
        """Return the starters, or nothing if the steps do not suffice."""
        missing = self._times[1:].count(0)
        for step in range(_ANNEALING_STEPS):
            if not missing and all(map(le, self._times, self._most)):
                return [tuple(starter) for starter in self._starters]
            heat = 0.15 + 0.25 * (1 - step / _ANNEALING_STEPS)
            missing -= self._move_a_point(heat)
        return []

    def _first(self) -> list[int]:
        found: list[int] = []
        while len(found) < 4:
            point = int(self._dice() * self._points)
            if point not in found:
                found.append(point)
        return found

    def _move_a_point(self, heat: float) -> int:
        """Try another point in one starter, keep it if it is better or by luck; return how many differences came in."""
        starter = self._starters[int(self._dice() * len(self._starters))]
        seat = int(self._dice() * 4)
        old, new = starter[seat], int(self._dice() * self._points)
        if new in starter:
            return 0
        others = [point for point in starter if point != old]
        gain = self._count(others, new, 1) - self._count(others, old, -1)
        if gain >= 0 or self._dice() < math.exp(gain / heat):
            starter[seat] = new
            return gain
        self._count(others, old, 1)
        self._count(others, new, -1)
        return 0

    def _count(self, others: Sequence[int], point: int, times: int) -> int:
        """Add or take away the differences of a point to others; return how many came in, or how many are gone."""
        turned = 0
        for other in others:
            gap = self._folded[abs(point - other)]
            self._times[gap] += times
            turned += self._times[gap] == (times > 0)
        return turned

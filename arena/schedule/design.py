"""Covering designs: tables at which every two of a number of points meet, as few tables as can be. Pure.

How it works. Everybody sits at equally many tables, give or take one, and every two points share one table or two. Only
five points at tables of four cannot have that: they get all five tables, and every two share three.

- Two seats: all pairs, in the order of a round robin.
- Three seats: the meetings that are needed on top, for the numbers to come out even, are chosen first. Then triples are
  laid greedily, and one that is in the way of the next is taken up again: this ends fast, with no table too many.
- Four seats, up to 60 points: starters, found by a long search, whose points move on in cycles.
- Four seats, more points: starters in one cycle, found here by annealing, a fixed number of steps.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, permutations
from operator import le
from typing import TypeVar

from arena.schedule.starters import CYCLES_AND_STARTERS

_T = TypeVar("_T")
Pair = tuple[int, int]
Table = tuple[int, ...]
Dice = Callable[[], float]  # gives a number from 0 up to 1

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ANNEALING_STEPS = 100_000
_TRIPLED_PAIRS = 1000  # roughly, in all attempts to lay triples together


@lru_cache(maxsize=64)
def covering(points: int, seats: int) -> tuple[Table, ...]:
    """Return the tables for points 0, 1, …; the same whenever it is called."""
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


def triples(extra: Iterable[Pair], follows: Sequence[Sequence[int]], dice: Dice) -> list[Table]:
    """Return tables of three at which all points meet once and the `extra` pairs once more, in a good order of seats.

    `follows[a][b]` tells how often b has moved right after a so far; hardly anybody will follow the same rival again.
    """
    attempts = []
    for _ in range(1 + _TRIPLED_PAIRS // len(follows) ** 2):
        attempt = _Triples(extra, follows, dice)
        attempts.append((attempt.tables(), attempt.repeats()))
        if not attempt.repeats():
            break
    return min(attempts, key=lambda tables_and_repeats: tables_and_repeats[1])[0]


class _Triples:
    """Tables of three, laid one by one and taken up again where they are in the way of others."""

    def __init__(self, extra: Iterable[Pair], follows: Sequence[Sequence[int]], dice: Dice) -> None:
        """Let every point want each other once, and once more the pairs `extra`."""
        points = range(len(follows))
        self._dice = dice
        self._wanted = [[other for other in points if other != point] for point in points]
        for a, b in extra:
            self._wanted[a].append(b)
            self._wanted[b].append(a)
        self._open = list(points)  # those who still want to meet somebody
        self._laid: defaultdict[Pair, list[Table]] = defaultdict(list)  # by two of its points, in either order
        self._ahead = [[follows[a][b] - follows[b][a] for b in points] for a in points]
        self._patience = 40 * len(points) ** 2  # steps

    def tables(self) -> list[Table]:
        """Return the tables; each is in the order of its seats."""
        steps = 0
        while self._open:
            steps += 1
            self._step(steps / self._patience)
        return sorted({table for tables in self._laid.values() for table in tables})

    def repeats(self) -> int:
        """Return how many points have followed another more often than that one them, by two or more."""
        return sum([lead > 1 for row in self._ahead for lead in row])

    def _step(self, haste: float) -> None:
        """Lay a table that one point wants, if it can be seated well; one that stands in its way is taken up."""
        point = self._any(self._open)
        a, b = self._any(self._wanted[point]), self._any(self._wanted[point])
        if a == b or any(point in table for table in self._laid[a, b]):
            return
        blocking = [] if b in self._wanted[a] else [self._any(self._laid[a, b])]
        for table in blocking:
            self._take_up(table)
        for table in self._well_seated(point, a, b, haste) or blocking:
            self._lay(table)

    def _well_seated(self, point: int, a: int, b: int, haste: float) -> list[Table]:
        """Return the better order of the three; none if somebody would follow the same rival again, unless in haste."""
        table = min(((point, a, b), (point, b, a)), key=self._repeats)
        repeats = self._repeats(table)
        bearable = not repeats or haste > 1 or (repeats == 1 and self._dice() < haste)
        return [table] if bearable else []

    def _repeats(self, table: Table) -> int:
        a, b, c = table
        ahead = (self._ahead[a][b], self._ahead[b][c], self._ahead[c][a])
        return sum([1 << 2 * (lead - 1) for lead in ahead if lead > 0])

    def _lay(self, table: Table) -> None:
        for a, b in permutations(table, 2):
            self._laid[a, b].append(table)
            self._wanted[a].remove(b)
        self._count(table, 1)
        for point in table:
            if not self._wanted[point]:
                self._open.remove(point)

    def _take_up(self, table: Table) -> None:
        for point in table:
            if not self._wanted[point]:
                self._open.append(point)
        for a, b in permutations(table, 2):
            self._laid[a, b].remove(table)
            self._wanted[a].append(b)
        self._count(table, -1)

    def _count(self, table: Table, times: int) -> None:
        for a, b in zip(table, (*table[1:], table[0]), strict=True):
            self._ahead[a][b] += times
            self._ahead[b][a] -= times

    def _any(self, items: list[_T]) -> _T:
        return items[int(self._dice() * len(items))]


def extra_meetings(points: int) -> list[Pair]:
    """Return the fewest pairs that must meet once more for triples to come out even, no pair more than twice."""
    if points % 6 in (1, 3):
        return []
    if points % 6 == 5:
        return [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)]
    hub = [] if points % 6 == 0 else [(0, 1), (0, 2), (0, 3)]
    return hub + [(point, point + 1) for point in range(4 if hub else 0, points, 2)]

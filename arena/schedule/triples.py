"""Covering designs for tables of three, with an order of seats. Pure.

How it works. The meetings that are needed on top, for the numbers to come out even, are chosen first. Then tables are
laid one by one, wherever three points want to meet, and one that is in the way of the next is taken up again: this ends
fast, with no table too many. Three can sit in two orders only; so a table is laid only if in one of them nobody follows
the same rival again, as long as patience lasts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import TypeVar

from arena.schedule.design import Dice, Pair, Table

_T = TypeVar("_T")
_PAIRS = 1000  # roughly, in all attempts together; but one attempt there is
_PATIENCE = 40  # steps for each point and each other
_LEADS = (0, 1, 4, 16)  # what it costs to follow a rival again, after 0, 1, … times more than that one oneself


def triples(extra: Iterable[Pair], follows: Sequence[Sequence[int]], dice: Dice) -> list[Table]:
    """Return tables of three at which all points meet once and the `extra` pairs once more, in a good order of seats.

    `follows[a][b]` tells how often b has moved right after a so far; hardly anybody will follow the same rival again.
    """
    attempts = []
    for _ in range(1 + _PAIRS // len(follows) ** 2):
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
        self._patience = _PATIENCE * len(points) ** 2

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
        if set(self._wanted[point]) == {a}:  # no table can give it the same rival twice
            self._take_up(
                self._any([table for other in range(len(self._wanted)) for table in self._laid[point, other]])
            )
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
        if repeats <= 1:
            return [table] if self._dice() * repeats < haste else []
        return [table] if haste > (1 if repeats < _LEADS[2] else 2) else []

    def _repeats(self, table: Table) -> int:
        """Return how many of the three would follow a rival again; those for the third time count more."""
        a, b, c = table
        ahead = (self._ahead[a][b], self._ahead[b][c], self._ahead[c][a])
        return sum([_LEADS[min(lead, 3)] for lead in ahead if lead > 0])

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

"""A round in which nobody has met anybody: which bot is which point of a covering design. Pure.

How it works. Bots are swapped two by two: first so that those who meet once more than others in the design have met
least so far, then so that every table has an order of seats in which nobody follows the same rival too often.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

from arena.schedule.design import Dice, Pair, Table, covering
from arena.schedule.meetings import Meetings, followers, ways_to_sit
from arena.schedule.triples import extra_meetings, triples
from engine.variants import Variant

_PARTING_SWAPS = 4000
_SEATING_SWAPS = 40_000
_ANYWHERE = 0.7  # of these swaps are at tables where nothing is wrong
_SEATED_WELL_UP_TO = 60  # bots; beyond, the swaps for the order of seats would take too long


def new_tables(meetings: Meetings, dice: Dice) -> list[Table]:
    """Return tables at which every two bots meet, as places in `meetings.bots`."""
    bots, seats = len(meetings.bots), len(meetings.variant.seats)
    if seats == 1:
        return list(covering(bots, seats))
    if seats == 3:
        extra = extra_meetings(bots)
        bot_at = _Assignment(meetings, extra, extra, dice).bot_at
        return triples([(bot_at[a], bot_at[b]) for a, b in extra], meetings.follows, dice)
    return _assigned(meetings, covering(bots, seats), dice)


def count_new_tables(bots: int, seats: int) -> int:
    """Return how many tables there are in a round in which nobody has met anybody."""
    if seats == 3:
        return (math.comb(bots, 2) + len(extra_meetings(bots))) // 3
    return len(covering(bots, seats))


def _assigned(meetings: Meetings, design: Sequence[Table], dice: Dice) -> list[Table]:
    times = Counter([pair for table in design for pair in combinations(table, 2)])
    least = min(times.values())
    extra = [pair for pair in times for _ in range(times[pair] - least)]
    assignment = _Assignment(meetings, design, extra, dice)
    if len(meetings.variant.seats) == 4 and len(meetings.bots) <= _SEATED_WELL_UP_TO:
        assignment.seat_well()
    return [assignment.seated(table) for table in design]


class _Assignment:
    """Which bot is which point of a design."""

    def __init__(self, meetings: Meetings, design: Sequence[Table], extra: Sequence[Pair], dice: Dice) -> None:
        """Give most tables to those with fewest blocks, and the `extra` meetings to those who have met least."""
        bots = range(len(meetings.bots))
        self._meetings = meetings
        self._dice = dice
        self._design = design
        self._tables: list[list[int]] = [[] for _ in bots]  # by point: the numbers of its tables
        for number, table in enumerate(design):
            for point in table:
                self._tables[point].append(number)
        self._extra: list[list[int]] = [[] for _ in bots]  # by point: whom it meets once more
        for a, b in extra:
            self._extra[a].append(b)
            self._extra[b].append(a)
        self._least = min([met for bot in bots for met in meetings.shared[bot][:bot]])
        points = sorted(bots, key=lambda point: (-len(self._tables[point]), dice()))
        eager = sorted(bots, key=lambda bot: (meetings.played[bot], dice()))
        self.bot_at = [bot for _, bot in sorted(zip(points, eager, strict=True))]
        self._part_old_rivals()

    def seated(self, table: Table) -> Table:
        """Return the bots of a table of the design."""
        return tuple([self.bot_at[point] for point in table])

    def seat_well(self) -> None:
        """Swap bots until each table can be seated so that nobody follows a rival too often."""
        check = _SeatingCheck(self._meetings)
        failing = [number for number, table in enumerate(self._design) if check.fails(self.seated(table))]
        for _ in range(_SEATING_SWAPS):
            if not failing:
                return
            p, q = self._exchangeable(self._point_to_move(failing))
            still = self._failing_after(p, q, check, failing) if self._swap(p, q) >= 0 else None
            if still is None:
                self._swap(p, q)
            else:
                failing = still

    def _point_to_move(self, failing: list[int]) -> int:
        """Return a point at a failing table, or mostly any point, lest all swaps at those tables are used up."""
        if self._dice() < _ANYWHERE:
            return int(self._dice() * len(self.bot_at))
        table = self._design[failing[int(self._dice() * len(failing))]]
        return table[int(self._dice() * len(table))]

    def _failing_after(self, p: int, q: int, check: _SeatingCheck, failing: list[int]) -> list[int] | None:
        """Return the tables that fail after a swap, unless they have become more."""
        changed = set(self._tables[p]).symmetric_difference(self._tables[q])
        still = [number for number in failing if number not in changed]
        for number in sorted(changed):
            if check.fails(self.seated(self._design[number])):
                still.append(number)
                if len(still) > len(failing):
                    return None
        return still

    def _part_old_rivals(self) -> None:
        cost = sum([self._cost(point) for point in range(len(self.bot_at))]) // 2  # a pair counts at both its points
        for _ in range(_PARTING_SWAPS):
            if not cost:
                return
            p, q = self._exchangeable(int(self._dice() * len(self.bot_at)))
            gain = self._swap(p, q)
            if gain < 0:
                self._swap(p, q)
            else:
                cost -= gain

    def _exchangeable(self, p: int) -> Pair:
        """Return a point and one it can swap bots with, so that numbers of blocks stay as even; maybe itself."""
        played = self._meetings.played
        q = int(self._dice() * len(self.bot_at))
        alike = len(self._tables[p]) == len(self._tables[q]) or played[self.bot_at[p]] == played[self.bot_at[q]]
        return (p, q) if alike else (p, p)

    def _swap(self, p: int, q: int) -> int:
        """Swap two bots; return how far their extra meetings have gone to pairs who have met less."""
        before = self._cost(p) + self._cost(q)
        self.bot_at[p], self.bot_at[q] = self.bot_at[q], self.bot_at[p]
        return before - self._cost(p) - self._cost(q)

    def _cost(self, point: int) -> int:
        met = self._meetings.shared[self.bot_at[point]]
        return sum([(met[self.bot_at[other]] - self._least) ** 2 for other in self._extra[point]])


class _SeatingCheck:
    """Tells whether four bots can sit so that nobody follows a rival in more than half of their blocks, rounded up."""

    def __init__(self, meetings: Meetings) -> None:
        """Note of every two who must not follow whom once more: 1 the second the first, 2 the first the second."""
        follows, shared = meetings.follows, meetings.shared
        bots = range(len(meetings.bots))
        full = [[follows[a][b] >= (shared[a][b] + 2) // 2 for b in bots] for a in bots]
        self._barred = [[full[a][b] + 2 * full[b][a] for b in bots] for a in bots]
        self._fails = _unseatable(meetings.variant)

    def fails(self, table: Table) -> bool:
        """Tell whether in every order somebody would follow a rival too often."""
        a, b, c, d = table
        of_a, of_b, c_and_d = self._barred[a], self._barred[b], self._barred[c][d]
        return self._fails[of_a[b] | of_a[c] << 2 | of_a[d] << 4 | of_b[c] << 6 | of_b[d] << 8 | c_and_d << 10]


@lru_cache(maxsize=8)
def _unseatable(variant: Variant) -> list[bool]:
    """Return for each number that `_SeatingCheck` makes of a table whether no order is left to sit in."""
    bits = {}
    for place, (a, b) in enumerate(combinations(range(4), 2)):
        bits[a, b], bits[b, a] = 1 << 2 * place, 2 << 2 * place
    ways = [sum([bits[order[a], order[b]] for a, b in followers(variant)]) for order, *_ in ways_to_sit(variant)]
    return [all(barred & way for way in ways) for barred in range(1 << 12)]

"""A round that some bots have played already: tables for the pairs that are missing. Pure.

How it works. Greedily: each next table brings together as many missing pairs as it can, but not the same bots all the
time. The best of some attempts counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from operator import add

from arena.schedule.design import Dice, Table
from arena.schedule.meetings import Meetings

_ATTEMPTS = 12  # at most
_PAIRS = 10_000  # missing pairs in all attempts together


def missing_tables(meetings: Meetings, number: int, lacks: Sequence[int], dice: Dice) -> list[Table]:
    """Return tables at which the pairs in `lacks` meet (by bot, a mask of rivals); none of them is idle."""
    seats = len(meetings.variant.seats)
    if seats == 1:
        return [(bot,) for bot, mask in enumerate(lacks) if mask]
    missing: list[Table] = [(a, b) for a, b in combinations(range(len(lacks)), 2) if lacks[a] >> b & 1]
    if seats == 2 or not missing:
        return missing
    attempts = min(_ATTEMPTS, 1 + _PAIRS // len(missing))
    patches = [_Patch(meetings, number, lacks, dice) for _ in range(attempts)]
    return min(patches, key=_Patch.cost).tables


class _Patch:
    """Tables for missing pairs: one attempt."""

    def __init__(self, meetings: Meetings, number: int, lacks: Sequence[int], dice: Dice) -> None:
        """Lay tables until the pairs in `lacks` have met; the others have met as the round was so far."""
        bots = range(len(lacks))
        self._meetings = meetings
        self._dice = dice
        self._missing = lacks
        self._lacks = list(lacks)
        before = Counter([pair for table in meetings.tables(number) for pair in combinations(sorted(table), 2)])
        self._before = [[before[min(a, b), max(a, b)] for b in bots] for a in bots]  # meetings in the round
        self._times = [[0] * len(lacks) for _ in lacks]  # meetings at these tables
        self._worth = [[1.0 if lacks[a] >> b & 1 else -self._before[a][b] / 2 for b in bots] for a in bots]
        self.tables = self._lay()

    def cost(self) -> int:
        """Return the number of tables, and more if pairs meet more often than twice."""
        return len(self.tables) + sum([max(0, times - 2) for row in self._times for times in row]) // 2

    def _lay(self) -> list[Table]:
        """Return the tables; each has a pair that meets at no other of them."""
        tables = []
        while any(self._lacks):
            tables.append(self._next())
            self._meet(tables[-1])
        return _without_idle(tables, self._missing)

    def _next(self) -> Table:
        """Return a table for the bot that lacks most, with those who are worth most to it and to each other."""
        lacks, played = self._lacks, self._meetings.played
        bot = max(range(len(lacks)), key=lambda bot: (lacks[bot].bit_count(), -played[bot], self._dice()))
        table = [bot]
        worth, shared, useful = self._worth[bot], self._meetings.shared[bot], lacks[bot]
        while len(table) < len(self._meetings.variant.seats):
            free = [bot for bot in range(len(lacks)) if bot not in table]
            choice = [bot for bot in free if useful >> bot & 1] or free
            best = max([worth[bot] for bot in choice])
            equal = [bot for bot in choice if worth[bot] == best]
            bot = min(equal, key=lambda bot: (shared[bot], played[bot], self._dice()))
            table.append(bot)
            worth = list(map(add, worth, self._worth[bot]))
            shared = list(map(add, shared, self._meetings.shared[bot]))
            useful |= lacks[bot]
        return tuple(table)

    def _meet(self, table: Table) -> None:
        here = sum([1 << bot for bot in table])
        for bot in table:
            self._lacks[bot] &= ~here
        for a, b in combinations(table, 2):
            self._times[a][b] = self._times[b][a] = times = self._times[a][b] + 1
            self._worth[a][b] = self._worth[b][a] = -_repeat_cost(times) - self._before[a][b] / 2


def _repeat_cost(times: int) -> float:
    """Return what it costs to meet again after so many meetings; a missing pair is worth 1."""
    return times * times - 1 if times > 1 else times / 2


def _without_idle(tables: Sequence[Table], missing: Sequence[int]) -> list[Table]:
    """Leave out tables whose missing pairs all meet at others, too."""
    needed = [[pair for pair in combinations(sorted(table), 2) if missing[pair[0]] >> pair[1] & 1] for table in tables]
    times = Counter([pair for pairs in needed for pair in pairs])
    kept = []
    for table, pairs in zip(tables, needed, strict=True):
        if all(times[pair] > 1 for pair in pairs):
            times.subtract(pairs)
        else:
            kept.append(table)
    return kept

"""The order of a round: who sits where at its tables, and which table plays first. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TypeVar

from arena.schedule.design import Dice, Table
from arena.schedule.meetings import Meetings, Order, followers, ways_to_sit

_T = TypeVar("_T")
_SWEEPS = 6
_SWEPT_TABLES = 20_000  # in all sweeps together; but one sweep there is


def shuffled(items: Sequence[_T], dice: Dice) -> list[_T]:
    """Return the items in random order."""
    return [items[number] for _, number in sorted([(dice(), number) for number in range(len(items))])]


def in_playing_order(tables: Sequence[Table], bots: int, dice: Dice) -> list[Table]:
    """Return the tables so that after any number of them all bots have played about equally often."""
    waiting: list[list[Table]] = [[] for _ in range(bots)]
    for table in shuffled(tables, dice):
        for bot in table:
            waiting[bot].append(table)
    played = [0] * bots
    ordered = []
    while idle := [bot for bot in range(bots) if waiting[bot]]:
        bot = min(idle, key=played.__getitem__)
        table = min(waiting[bot], key=lambda table: sorted([played[other] for other in table], reverse=True))
        ordered.append(table)
        for other in table:
            waiting[other].remove(table)
            played[other] += 1
    return ordered


def in_seats(tables: Sequence[Table], meetings: Meetings, dice: Dice) -> list[Order]:
    """Return each table in an order of seats such that nobody moves right after the same rival all the time."""
    return _Seating(tables, meetings, dice).orders()


class _Seating:
    """Seats the bots at the tables of a round, table by table, again and again."""

    def __init__(self, tables: Sequence[Table], meetings: Meetings, dice: Dice) -> None:
        """Begin with the order in which the tables come, and count it in."""
        self._tables = list(tables)
        self._dice = dice
        self._followers = followers(meetings.variant)
        self._ways = ways_to_sit(meetings.variant)
        self._opened = list(meetings.opened)
        self._follows = [list(row) for row in meetings.follows]
        self._shared = [list(row) for row in meetings.shared]
        for table in tables:
            self._count(table, 1)
            for a, b in combinations(table, 2):
                self._shared[a][b] += 1
                self._shared[b][a] += 1

    def orders(self) -> list[Order]:
        """Return the tables in the order of their seats."""
        if len(self._ways) > 1:
            for _ in range(max(1, min(_SWEEPS, _SWEPT_TABLES // max(1, len(self._tables))))):
                self._sweep()
        return [self._opened_fairly(table) for table in self._tables]

    def _sweep(self) -> None:
        for number, table in enumerate(self._tables):
            self._count(table, -1)
            orders = [tuple([table[place] for place in way]) for way, *_ in self._ways]
            best = min(orders, key=lambda order: (self._cost(order), self._dice()))
            self._tables[number] = best
            self._count(best, 1)

    def _count(self, order: Order, times: int) -> None:
        for a, b in self._followers:
            self._follows[order[a]][order[b]] += times

    def _cost(self, order: Order) -> int:
        """Return how unwelcome it is that the bots follow each other once more in this order."""
        cost = 0
        for a, b in self._followers:
            times = self._follows[order[a]][order[b]]
            too_many = max(0, 2 * times + 1 - self._shared[order[a]][order[b]])  # more than half of their blocks
            cost += times * times + 100 * too_many * too_many
        return cost

    def _opened_fairly(self, table: Table) -> Order:
        """Return the order, or one with the same followers, in which the bot that has opened fewest blocks opens."""
        orders = [tuple([table[place] for place in way]) for way in self._ways[0]]
        order = min(orders, key=lambda order: self._opened[order[0]])
        self._opened[order[0]] += 1
        return order

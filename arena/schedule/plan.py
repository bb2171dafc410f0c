"""Schedules: which blocks are to be played, in which order. Pure, and the same whenever it is asked.

How it works. A round is a set of blocks in which every two bots meet. Rounds are planned one after the other, each
with an eye on all blocks before it: what is uneven in one (some bots have a block more, some pairs meet twice) is made
up for in the next. What exists is never planned again: a round that was cut short goes on as planned, and a bot that
comes later brings only the blocks in which it meets the others, round by round.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, count

from arena.errors import UsageError
from arena.schedule.assignment import count_new_tables, new_tables
from arena.schedule.design import Dice, Table
from arena.schedule.meetings import Block, Meetings, block_size
from arena.schedule.order import in_playing_order, in_seats, shuffled
from arena.schedule.patch import missing_tables
from engine.variants import Variant

_GOLDEN = 0.618  # of a circle: jumps of this length come down evenly all over it


def extend(existing: Iterable[Block], bots: Sequence[int], variant: Variant, *, rounds: int, seed: int) -> list[Block]:
    """Return the blocks to add, in playing order, until every two bots have met in each of the rounds 1 to `rounds`.

    `existing` are all blocks that have been or will be played; bots in them that are not in `bots` do not count.
    """
    planner = _Planner(existing, bots, variant, seed)
    return [block for number in range(1, rounds + 1) for block in planner.balanced(number)]


def full(existing: Iterable[Block], bots: Sequence[int], variant: Variant, *, rounds: int, seed: int) -> list[Block]:
    """Return the blocks to add, in playing order, until every set of bots that fits a table has met in each round."""
    planner = _Planner(existing, bots, variant, seed)
    return [block for number in range(1, rounds + 1) for block in planner.full(number)]


def gauntlet(
    existing: Iterable[Block], bot: int, field: Sequence[int], variant: Variant, *, rounds: int, seed: int
) -> list[Block]:
    """Return the blocks to add, in playing order, until one bot has met each of the field in each round."""
    planner = _Planner(existing, [bot, *field], variant, seed)
    return [block for number in range(1, rounds + 1) for block in planner.gauntlet(number, bot)]


def most_balanced(
    existing: Sequence[Block], bots: Sequence[int], variant: Variant, *, games: int, seed: int
) -> list[tuple[Block, int]]:
    """Return the blocks to add, with how many matches of each to play, until there are `games` matches in all.

    Existing blocks count as whole ones, and only the last new one can be cut short: what is to be played are the first
    `games` matches of the whole schedule.
    """
    planner = _Planner(existing, bots, variant, seed)
    matches = block_size(variant)
    left = games - matches * len(existing)
    added = []
    rounds = (planner.balanced(number) for number in count(1))
    while left > 0:
        for block in next(rounds)[: math.ceil(left / matches)]:
            added.append((block, min(left, matches)))
            left -= matches
    return added


class _Planner:
    """Plans round after round."""

    def __init__(self, existing: Iterable[Block], bots: Sequence[int], variant: Variant, seed: int) -> None:
        """Count what exists."""
        _check(bots, variant)
        self._existing = list(existing)
        self._meetings = Meetings(sorted(bots), variant, self._existing)
        self._variant = variant
        self._seed = seed

    def balanced(self, number: int) -> list[Block]:
        """Return the blocks by which every two bots meet in a round."""
        seats = len(self._variant.seats)
        known = set(self._meetings.bots)
        begun = {
            block for block in self._existing if block.round == number and len(known & {*block.bots}) >= min(2, seats)
        }
        if not begun:
            return self._counted(self._new_round(number))
        if len(begun) < count_new_tables(len(known), seats):
            before = [block for block in self._existing if block.round < number]
            plan = _Planner(before, self._meetings.bots, self._variant, self._seed)._new_round(number)
            if begun <= set(plan):
                return self._counted([block for block in plan if block not in begun])
        return self._patched(number, self._meetings.lacks(number))

    def gauntlet(self, number: int, bot: int) -> list[Block]:
        """Return the blocks by which one bot meets all others in a round; where they play alone, all of them."""
        one = self._meetings.bots.index(bot)
        lacks = self._meetings.lacks(number)
        if len(self._variant.seats) > 1:
            lacks = [lacks[one] if place == one else mask & 1 << one for place, mask in enumerate(lacks)]
        return self._patched(number, lacks)

    def full(self, number: int) -> list[Block]:
        """Return a block for every set of bots that has none in a round yet."""
        dice = self._dice(number)
        bots = shuffled(range(len(self._meetings.bots)), dice)
        played = {tuple(sorted(table)) for table in self._meetings.tables(number)}
        every = _every_table(len(bots), len(self._variant.seats), dice)
        tables = [tuple(sorted([bots[point] for point in table])) for table in every]
        return self._counted(self._blocks(number, [table for table in tables if table not in played], dice))

    def _new_round(self, number: int) -> list[Block]:
        """Return a round in which nobody has met anybody."""
        dice = self._dice(number)
        tables = new_tables(self._meetings, dice)
        if len(self._variant.seats) != 2:  # a round robin is in a good order already
            tables = in_playing_order(tables, len(self._meetings.bots), dice)
        return self._blocks(number, tables, dice)

    def _patched(self, number: int, lacks: Sequence[int]) -> list[Block]:
        """Return blocks for the pairs that a round lacks."""
        dice = self._dice(number)
        tables = missing_tables(self._meetings, number, lacks, dice)
        return self._counted(self._blocks(number, in_playing_order(tables, len(lacks), dice), dice))

    def _blocks(self, number: int, tables: Sequence[Table], dice: Dice) -> list[Block]:
        orders = in_seats(tables, self._meetings, dice)
        by_id = [tuple([self._meetings.bots[place] for place in order]) for order in orders]
        return [Block(number, bots, self._block_seed(number, bots)) for bots in by_id]

    def _counted(self, blocks: list[Block]) -> list[Block]:
        for block in blocks:
            self._meetings.add(block)
        return blocks

    def _block_seed(self, number: int, bots: Sequence[int]) -> int:
        """Return the seed of a block; where everybody plays alone it is the same for all, who have the same task."""
        return self._hash(number, "opening", sorted(bots) if len(bots) > 1 else [])

    def _dice(self, number: int) -> Dice:
        return random.Random(self._hash(number, "plan", self._meetings.bots)).random  # noqa: S311

    def _hash(self, number: int, purpose: str, bots: Iterable[int]) -> int:
        text = f"{self._seed}/{self._variant.name}/{number}/{purpose}/{' '.join(map(str, bots))}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 11


def _check(bots: Sequence[int], variant: Variant) -> None:
    twice = sorted({bot for bot in bots if bots.count(bot) > 1})
    if twice:
        raise UsageError(f"expected each bot once, got bot {twice[0]} {bots.count(twice[0])} times")
    if len(bots) < len(variant.seats):
        raise UsageError(f"expected at least {len(variant.seats)} bots for {variant.name}, got {len(bots)}")


def _every_table(bots: int, seats: int, dice: Dice) -> Iterator[Table]:
    """Yield all sets of bots; soon and always, everybody has had about as many.

    All sets that are one set moved on round a circle come together, in jumps that spread them well.
    """
    jump = next(jump for jump in count(max(1, round(bots * _GOLDEN))) if math.gcd(jump, bots) == 1)
    starters = [(0, *rest) for rest in combinations(range(1, bots), seats - 1)]
    done: set[Table] = set()
    for starter in shuffled(starters, dice):
        moved = [tuple(sorted([(point + jump * turn) % bots for point in starter])) for turn in range(bots)]
        if moved[0] not in done:
            yield from dict.fromkeys(moved)
            done.update([table for table in moved if table[0] == 0])

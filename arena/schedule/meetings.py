"""Blocks of matches, and a count of who has met whom in them. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations, permutations
from typing import NamedTuple

from engine.variants import Variant

Order = tuple[int, ...]  # bots round a table, from the first seat on


class Block(NamedTuple):
    """One set of bots with all its seat rotations on one seed."""

    round: int  # 1, 2, …
    bots: tuple[int, ...]  # ids in the order of the seats of its first match; all different
    seed: int  # below 2^53, the same for all its matches


def seatings(bots: Sequence[int], variant: Variant) -> list[Order]:
    """Return the matches of a block, each as its bots by seat: every bot has every seat equally often."""
    return [order[turn:] + order[:turn] for order in _orders(bots, variant) for turn in range(len(order))]


def _orders(bots: Sequence[int], variant: Variant) -> list[Order]:
    """Return the orders round the table that a block plays: one, or one for each way to pair off partners."""
    if len(set(variant.teams)) == len(variant.teams):
        return [tuple(bots)]
    a, b, c, d = bots  # partners have opposite seats
    return [(a, b, c, d), (a, c, b, d), (a, b, d, c)]


def block_size(variant: Variant) -> int:
    """Return how many matches a whole block has."""
    return len(seatings(range(len(variant.seats)), variant))


@lru_cache(maxsize=32)
def followers(variant: Variant) -> tuple[tuple[int, int], ...]:
    """Return all (a, b) such that bot b of a block moves right after bot a more often than a after b."""
    orders = _orders(range(len(variant.seats)), variant)
    moves = Counter([pair for order in orders for pair in zip(order, (*order[1:], order[0]), strict=True)])
    return tuple([(a, b) for a, b in moves if moves[a, b] > moves[b, a] and a != b])


@lru_cache(maxsize=32)
def ways_to_sit(variant: Variant) -> tuple[tuple[Order, ...], ...]:
    """Return the orders of the bots 0, 1, … at a table; those in which the same bots follow each other are together."""
    alike: dict[frozenset[tuple[int, int]], list[Order]] = {}
    for order in permutations(range(len(variant.seats))):
        pairs = frozenset([(order[a], order[b]) for a, b in followers(variant)])
        alike.setdefault(pairs, []).append(order)
    return tuple([tuple(orders) for orders in alike.values()])


class Meetings:
    """Who of `bots` has met whom in some blocks. Bots go by their place in `bots` here; all others are left out."""

    def __init__(self, bots: Sequence[int], variant: Variant, blocks: Iterable[Block] = ()) -> None:
        """Count the blocks."""
        self.bots = tuple(bots)
        self.variant = variant
        self.played = [0] * len(bots)  # blocks of each bot
        self.opened = [0] * len(bots)  # blocks whose first match it opens
        self.shared = [[0] * len(bots) for _ in bots]  # blocks of two bots
        self.follows = [[0] * len(bots) for _ in bots]  # [a][b]: blocks in which b is a's follower
        self._tables: dict[int, list[Order]] = {}  # by round
        self._place = {bot: place for place, bot in enumerate(bots)}
        for block in blocks:
            self.add(block)

    def add(self, block: Block) -> None:
        """Count one more block."""
        order = [self._place.get(bot, -1) for bot in block.bots]
        table = tuple([place for place in order if place >= 0])
        self._tables.setdefault(block.round, []).append(table)
        for place in table:
            self.played[place] += 1
        for a, b in combinations(table, 2):
            self.shared[a][b] += 1
            self.shared[b][a] += 1
        for first, second in followers(self.variant):
            if order[first] >= 0 and order[second] >= 0:
                self.follows[order[first]][order[second]] += 1
        if order[0] >= 0:
            self.opened[order[0]] += 1

    def tables(self, number: int) -> list[Order]:
        """Return who has sat together in a round, also those who sat with nobody but strangers."""
        return self._tables.get(number, [])

    def lacks(self, number: int) -> list[int]:
        """Return for each bot the mask of those it has yet to meet in a round; a bot that plays alone: of itself."""
        alone = len(self.variant.seats) == 1
        masks = [1 << place if alone else (1 << len(self.bots)) - 1 & ~(1 << place) for place in range(len(self.bots))]
        for table in self.tables(number):
            met = sum([1 << place for place in table])
            for place in table:
                masks[place] &= ~met
        return masks

"""How even a schedule is. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, islice, permutations
from typing import NamedTuple

from arena.schedule.meetings import Block, Meetings, seatings
from engine.variants import Variant


class Range(NamedTuple):
    """The least and the most of something."""

    least: int
    most: int


class Spread(NamedTuple):
    """How even a schedule is."""

    blocks: int
    matches: int
    blocks_per_bot: Range
    blocks_per_pair: Range  # 0 and 0 where everybody plays alone
    seats: int  # the largest difference between how often a bot has one seat and how often another
    always_after: int  # bots that move right after the same rival in all their blocks together, two or more


def spread(blocks: Sequence[Block], bots: Sequence[int], variant: Variant, *, games: int | None = None) -> Spread:
    """Return how even blocks are for `bots`; `games`: only so many matches are played."""
    meetings = Meetings(bots, variant, blocks)
    places = range(len(bots))
    pairs = [meetings.shared[a][b] for a, b in combinations(places, 2)] if len(variant.seats) > 1 else []
    matches = list(islice((match for block in blocks for match in seatings(block.bots, variant)), games))
    return Spread(
        blocks=len(blocks),
        matches=len(matches),
        blocks_per_bot=_range(meetings.played),
        blocks_per_pair=_range(pairs),
        seats=_uneven_seats(matches, bots),
        always_after=sum([meetings.follows[a][b] == meetings.shared[a][b] > 1 for a, b in permutations(places, 2)]),
    )


def _range(numbers: Sequence[int]) -> Range:
    return Range(min(numbers, default=0), max(numbers, default=0))


def _uneven_seats(matches: Sequence[Sequence[int]], bots: Sequence[int]) -> int:
    seats = range(len(matches[0])) if matches else range(0)
    times = Counter([(bot, seat) for match in matches for seat, bot in enumerate(match)])
    ranges = [_range([times[bot, seat] for seat in seats]) for bot in bots]
    return max([most - least for least, most in ranges])

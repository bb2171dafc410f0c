"""Counts what a schedule promises, straight from its blocks and matches: knows nothing of how schedules are made."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations, permutations

from arena.schedule import Block, seatings
from engine.variants import Variant

Pair = tuple[int, int]


def pairs_of(bots: Iterable[int]) -> list[Pair]:
    return list(combinations(sorted(bots), 2))


def blocks_per_bot(blocks: Sequence[Block], bots: Sequence[int]) -> list[int]:
    times = Counter([bot for block in blocks for bot in block.bots])
    return [times[bot] for bot in bots]


def meetings(blocks: Iterable[Block]) -> Counter[Pair]:
    return Counter([pair for block in blocks for pair in pairs_of(block.bots)])


def blocks_per_pair(blocks: Sequence[Block], bots: Sequence[int]) -> list[int]:
    times = meetings(blocks)
    return [times[pair] for pair in pairs_of(bots)]


def difference(numbers: Sequence[int]) -> int:
    return max(numbers, default=0) - min(numbers, default=0)


def uneven_seats(blocks: Sequence[Block], variant: Variant) -> list[Block]:
    """Return the blocks in which some bot does not have all seats equally often."""
    seats = range(len(variant.seats))
    uneven = []
    for block in blocks:
        matches = seatings(block.bots, variant)
        times = Counter([(bot, seat) for match in matches for seat, bot in enumerate(match)])
        if {times[bot, seat] for bot in block.bots for seat in seats} != {len(matches) // len(seats)}:
            uneven.append(block)
    return uneven


def followed(blocks: Sequence[Block], variant: Variant) -> Counter[Pair]:
    """Return for (a, b) the number of blocks in which b moves right after a more often than a after b."""
    times: Counter[Pair] = Counter()
    for block in blocks:
        moves: Counter[Pair] = Counter()
        for match in seatings(block.bots, variant):
            moves.update(zip(match, match[1:] + match[:1], strict=True))
        times.update([(a, b) for a, b in permutations(block.bots, 2) if moves[a, b] > moves[b, a]])
    return times


def worst_prefix(blocks: Sequence[Block], bots: Sequence[int]) -> int:
    """Return the largest difference between two bots' numbers of blocks at any moment while these are played."""
    played = dict.fromkeys(bots, 0)
    worst = 0
    for block in blocks:
        for bot in block.bots:
            played[bot] += 1
        worst = max(worst, difference(list(played.values())))
    return worst


def missing(existing: Iterable[Block], bots: Sequence[int], number: int) -> set[Pair]:
    """Return the pairs that have not met in a round."""
    return set(pairs_of(bots)) - set(meetings([block for block in existing if block.round == number]))


def idle(existing: Sequence[Block], added: Sequence[Block]) -> list[Block]:
    """Return the added blocks without which everybody would have met as well."""
    times = Counter([(block.round, pair) for block in (*existing, *added) for pair in pairs_of(block.bots)])
    return [block for block in added if all(times[block.round, pair] > 1 for pair in pairs_of(block.bots))]


def one_after_the_other(pairs: set[Pair], seats: int) -> int:
    """Return how many blocks it takes to serve one bot after the other, each with all its missing rivals."""
    left, blocks = set(pairs), 0
    while left:
        lacks = Counter([bot for pair in left for bot in pair])
        bot = max(lacks, key=lambda bot: (lacks[bot], bot))
        blocks += math.ceil(lacks[bot] / (seats - 1))
        left = {pair for pair in left if bot not in pair}
    return blocks


def fewest_tables(bots: int, seats: int) -> int:
    """Return the covering number C(bots, seats, 2), for tables of three and four: the fewest at which all pairs meet.

    Triples attain Schönheim's bound (Fort and Hedlund 1958), quadruples do with four exceptions (Mills 1972).
    """
    exceptions = {(7, 4): 5, (9, 4): 8, (10, 4): 9, (19, 4): 31}
    return exceptions.get((bots, seats), math.ceil(bots * math.ceil((bots - 1) / (seats - 1)) / seats))

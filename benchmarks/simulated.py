"""Tournaments between bots of known strength, for the tests and the study of the statistics."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.fit import BETA, SCALE
from arena.outcome import Outcome

Floats = NDArray[np.float64]
Blocks = NDArray[np.int64]  # a row a block: its bots, in the order in which they sit


class World(NamedTuple):
    """Bots and what else decides their games, in points.

    A performance is a strength, plus what the seat is worth, plus luck. Luck follows the curve of the fit, or
    TrueSkill's normal one. A share of it (of its variance, before it is bent to the curve) is the same in all games
    of a block: a seed may suit a bot wherever it sits, or a seat whoever sits there.
    """

    strengths: Floats
    seats: Floats
    suits_bot: float = 0.0
    suits_seat: float = 0.0
    is_normal: bool = False
    grain: float = 0.0  # performances are rounded to this, and may tie

    def luck(self, normal: Floats) -> Floats:
        """Return luck made of standard normal numbers."""
        if self.is_normal:
            return BETA * normal
        below = _share_above(normal)
        luck: Floats = -SCALE * np.log(-np.log(1 - below))
        return luck


_share_above = np.vectorize(lambda x: 0.5 * math.erfc(x / math.sqrt(2)), otypes=[np.float64])


def draw_blocks(rng: np.random.Generator, bots: int, seats: int, blocks: int) -> Blocks:
    """Return blocks in which all bots play about equally often; every pair, round after round, where two play."""
    if seats == 2:
        pairs = np.array([(a, b) for b in range(bots) for a in range(b)])
        rounds = [rng.permutation(pairs) for _ in range(-(-blocks // len(pairs)))]
        return rng.permuted(np.concatenate(rounds)[:blocks], axis=1)
    played = np.zeros(bots)
    found = []
    for _ in range(blocks):
        chosen = np.argsort(played + rng.random(bots))[:seats]
        played[chosen] += 1
        found.append(rng.permutation(chosen))
    return np.array(found)


def play(rng: np.random.Generator, world: World, blocks: Blocks, first: int = 0) -> list[Outcome]:
    """Return the outcomes of all rotations of all blocks, which are numbered from `first`."""
    count, seats = blocks.shape
    of_bot = math.sqrt(world.suits_bot) * rng.normal(size=blocks.shape)
    of_seat = math.sqrt(world.suits_seat) * rng.normal(size=blocks.shape)
    own = math.sqrt(1 - world.suits_bot - world.suits_seat)
    rotations = []
    for turn in range(seats):
        chairs = (np.arange(seats) + turn) % seats
        bots = blocks[:, chairs]
        luck = world.luck(of_bot[:, chairs] + of_seat + own * rng.normal(size=blocks.shape))
        performance = world.strengths[bots] + world.seats + luck
        if world.grain:
            performance = np.round(performance / world.grain)
        ranks = 1 + (performance[:, None, :] > performance[:, :, None]).sum(2)
        rotations.append(list(zip(bots.tolist(), ranks.tolist(), strict=True)))
    teams = tuple(range(seats))
    return [
        Outcome(first + block, tuple(bots), teams, tuple(ranks), (0,) * seats)
        for block in range(count)
        for bots, ranks in (rotation[block] for rotation in rotations)
    ]


def centered(values: Floats) -> Floats:
    """Return values whose average is 0."""
    found: Floats = values - values.mean()
    return found

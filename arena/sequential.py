"""Decisions that may be asked for at any moment: is the new version better, is the order of the top sure. Pure.

How it works: whoever looks again and again, and stops when the figures please, errs more often than a test that is
meant for one look promises.

`compare` bets. Against the claim "the difference is at most m" it starts with a capital of 1, and stakes a share of
it on each block, at odds that are fair if the claim is just true. Then the capital ever reaches 1 / e with a
probability of e at most, however differences are distributed, however often one looks. A capital that has grown so
much refutes the claim. The values of m that are not refuted, from either side, are the interval.

`top_order` asks for a lead that a random walk hardly ever has: of two equal bots, one or the other would be so many
standard errors ahead at some look, of all looks together, with no more than the probability allowed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Literal, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena.fit import Estimate, Fit
from arena.outcome import Outcome

Floats: TypeAlias = NDArray[np.float64]
Verdict: TypeAlias = Literal["better", "worse", "equal", "not yet"]

_STAKES = np.array([0.03, 0.06, 0.12, 0.25, 0.5, 0.9])  # shares of the capital; the best depends on what is not known
_STEPS = 40  # of bisection: far below what is shown


# ---- is the new version better?


class Comparison(msgspec.Struct, frozen=True):
    """What is known of the difference between two versions."""

    verdict: Verdict
    difference: Estimate  # of the score, new - old; the interval holds at all moments together
    blocks: int
    blocks_left: int | None  # about how many more until a verdict; None if there is one, or no telling
    repeats: int = 0  # blocks besides, which do not count: their games had been played before, move by move
    is_exhausted: bool = False  # nothing but repeats comes any more


def block_score(outcomes: Iterable[Outcome], bot: int) -> float:
    """Return the share of its opponents that a bot has beaten in some matches, ties counted half."""
    beaten = faced = 0.0
    for outcome in outcomes:
        seat = outcome.bots.index(bot)
        for rank, team in zip(outcome.ranks, outcome.teams, strict=True):
            if team != outcome.teams[seat]:
                faced += 1
                beaten += 1.0 if outcome.ranks[seat] < rank else 0.5 * (outcome.ranks[seat] == rank)
    return beaten / faced


def compare(differences: Sequence[float] | Floats, *, error: float = 0.05, margin: float = 0.0) -> Comparison:
    """Return what the differences in score, block by block in the order of play, say about two versions.

    Each is the score of the new version minus that of the old one in the same block, from -1 to 1. The probability
    that there is ever a wrong verdict is `error` at most. With a `margin`, versions that differ by less are called
    equal in the end. A verdict stays, whatever comes after it.
    """
    values = np.array(differences, np.float64)
    if len(values) and not (np.abs(values) <= 1).all():
        raise ValueError(f"expected differences from -1 to 1, got {values[np.abs(values).argmax()]:g}")
    goal = math.log(2 / error)
    low, high = _lower_bound(values, goal), -_lower_bound(-values, goal)
    mean = float(values.mean()) if len(values) else 0.0
    verdict = _verdict(values, goal, margin)
    left = _blocks_left(values, goal, margin) if verdict == "not yet" else None
    return Comparison(verdict, Estimate(mean, min(low, mean), max(high, mean)), len(values), left)


def _log_capital(values: Floats, claim: float) -> Floats:
    """Return the logarithm of the capital after each block, in bets against "the mean is at most `claim`"."""
    worth = (values + 1) / (claim + 1) - 1  # what a stake of 1 wins: on average nothing, if the claim is just true
    by_stake = np.cumsum(np.log1p(_STAKES[:, None] * worth), axis=1)
    best = by_stake.max(axis=0)
    capital: Floats = best + np.log(np.exp(by_stake - best).mean(axis=0))  # it is divided among the stakes
    return capital


def _refuted_at(values: Floats, claim: float, goal: float) -> float:
    """Return after how many blocks "the mean is at most `claim`" is refuted; infinity if it is not."""
    reached = np.flatnonzero(_log_capital(values, claim) >= goal)
    return float(reached[0] + 1) if len(reached) else math.inf


def _lower_bound(values: Floats, goal: float) -> float:
    """Return the largest claim of the kind "at most m" that has ever been refuted."""
    low, high = -1.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if _refuted_at(values, middle, goal) < math.inf:
            low = middle
        else:
            high = middle
    return low


def _verdict(values: Floats, goal: float, margin: float) -> Verdict:
    better, worse = _refuted_at(values, 0.0, goal), _refuted_at(-values, 0.0, goal)
    equal = math.inf
    if margin:
        equal = max(_refuted_at(values, -margin, goal), _refuted_at(-values, -margin, goal))
    if min(better, worse, equal) == math.inf:
        return "not yet"
    found: dict[float, Verdict] = {equal: "equal", worse: "worse", better: "better"}
    return found[min(found)]


def _blocks_left(values: Floats, goal: float, margin: float) -> int | None:
    """Return how long the capitals need to the goal, if they grow as they have on average at the best stake."""
    if not len(values):
        return None
    times = [min(_time_left(values, 0.0, goal), _time_left(-values, 0.0, goal))]
    if margin:
        times.append(max(_time_left(values, -margin, goal), _time_left(-values, -margin, goal)))
    return math.ceil(min(times)) if min(times) < math.inf else None


def _time_left(values: Floats, claim: float, goal: float) -> float:
    worth = (values + 1) / (claim + 1) - 1
    growth = float(np.log1p(_STAKES[:, None] * worth).mean(axis=1).max())
    missing = max(0.0, goal - float(_log_capital(values, claim)[-1]))
    return max(1.0, missing / growth) if growth > 0 else math.inf


# ---- is the order of the top sure?


class Sureness(msgspec.Struct, frozen=True):
    """Whether an order can be announced."""

    is_sure: bool
    certainty: float  # of the weakest relation; what had to be reached is `needed`
    needed: float
    weakest: tuple[int, int] | None  # the bot said to be above, and the one said to be below it


def top_order(fit: Fit, top: int, certainty: float, look: int) -> Sureness:
    """Return whether the order of the `top` best is sure, and that they are the best, at the look of this number.

    Looks are numbered from 1. If there is one for each number, after equally many games, the probability that an
    order that is wrong is ever called sure is 1 - `certainty` at most. Only bots that are ranked count.
    """
    if top < 1 or look < 1:
        raise ValueError(f"expected top and look from 1, got {top} and {look}")
    allowed = _allowed_doubt(1 - certainty, look)
    places = [place for place, strength in enumerate(fit.strengths) if strength.rank]
    relations = [*pairwise(places[:top]), *((places[top - 1], other) for other in places[top:])]
    if not relations:
        return Sureness(bool(places), float(bool(places)), 1 - allowed, None)
    doubt, above, below = max((fit.above[below][above], above, below) for above, below in relations)
    weakest = (fit.strengths[above].bot, fit.strengths[below].bot)
    return Sureness(doubt <= allowed, 1 - doubt, 1 - allowed, weakest)


def _allowed_doubt(error: float, look: int) -> float:
    """Return how likely a lead may be a matter of chance, at this look, to count as proven.

    Between equal bots, a lead over its standard error is like a random walk over the root of time. Weigh each size
    of a true gap by a normal distribution: the odds of "there is a gap" against "there is none" ever reach 1 / error
    with a probability of `error` at most. They reach it where the lead has this many standard errors.
    """
    square = (1 + 1 / look) * (math.log1p(look) - 2 * math.log(error))
    return 0.5 * math.erfc(math.sqrt(square / 2))

"""Strengths that do not depend on the order of the matches, with intervals from resampling whole blocks. Pure.

A bot that is `gap` points stronger ends above the other in a share 1 / (1 + exp(-gap / SCALE)) of their games, ties
counted half and seats even. docs/ratings.md says what the numbers mean, and how often the intervals are right.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from itertools import combinations, islice
from typing import NamedTuple

import msgspec
import numpy as np

from arena import student
from arena.bradley_terry import Design, Solution
from arena.jackknife import Jackknife, Spread
from arena.outcome import Outcome, sides_of
from arena.pairs import Ints, PairTable

CENTER = 25.0
BETA = 25 / 6  # TrueSkill's
SCALE = math.sqrt(2) * BETA / 1.702  # makes the logistic curve one that is nowhere more than 0.01 from TrueSkill's
PRIOR = 12.5  # the standard deviation of a strength before anything is known, in points
SEAT_PRIOR = BETA  # the same of what a seat is worth
LEVEL = 0.95
_NORMAL_QUANTILE = student.quantile((1 + LEVEL) / 2, 1e6)
_CHUNK = 4096
_CELLS = 2_000_000  # of a stack of matrices, one a bundle of blocks
_DIGITS, _DOUBT_DIGITS = 9, 12  # the last bits of a matrix product depend on the processor


class Estimate(NamedTuple):
    """A number with its interval; the ends are infinite where blocks are too few to say anything."""

    value: float
    low: float
    high: float


class Strength(msgspec.Struct, frozen=True):
    """What the fit says of one bot."""

    bot: int
    rating: Estimate  # 25 is the average of all bots
    rank: int  # 0 for a bot that is not ranked, as the next two
    rank_low: int  # the best rank that is not refuted
    rank_high: int
    games: int
    blocks: int  # resampled units with this bot in them


class Fit(msgspec.Struct, frozen=True):
    """The strengths of all bots, and what follows from them."""

    strengths: tuple[Strength, ...]  # best first
    seats: tuple[Estimate, ...]  # the points that each seat is worth; they add up to 0
    beats: tuple[tuple[float, ...], ...]  # [i][j]: share of the games that i ends above j, ties half, seats even
    above: tuple[tuple[float, ...], ...]  # [i][j]: how certain it is that i is stronger than j
    blocks: int  # resampled units: blocks, or bundles of blocks where there are very many
    matches: int


_NOTHING = Fit((), (), (), (), 0, 0)


class Tally:
    """All that the fit needs of any number of matches: takes in one after the other, can be saved at any point."""

    def __init__(self) -> None:
        self._table = PairTable()
        self._waiting: list[Outcome] = []

    @property
    def matches(self) -> int:
        """The number of matches taken in."""
        return self._table.matches + len(self._waiting)

    def feed(self, outcomes: Iterable[Outcome]) -> None:
        """Take in matches; raises `ValueError` for teams unlike those before, and for solo games."""
        rest = iter(outcomes)
        while chunk := list(islice(rest, _CHUNK)):
            teams = self._table.teams or (self._waiting or chunk)[0].teams
            sides_of(teams)
            if strange := next((outcome for outcome in chunk if outcome.teams != teams), None):
                raise ValueError(f"expected matches with the teams {teams}, got {strange.teams}")
            self._waiting += chunk
            if len(self._waiting) >= _CHUNK:
                self._count()

    def _count(self) -> None:
        self._table.add(self._waiting)
        self._waiting = []

    def save(self) -> bytes:
        """Return all of it as bytes, the same for the same matches."""
        self._count()
        return self._table.save()

    @classmethod
    def restore(cls, state: bytes) -> Tally:
        """Return the tally that was saved; raises `ValueError` for anything else."""
        tally = cls()
        tally._table = PairTable.restore(state)
        return tally

    def fit(self, *, with_faulty: bool = True, ranked: Collection[int] | None = None) -> Fit:
        """Return the strengths, on request without the matches in which somebody forfeited.

        Ranks are counted among the bots of `ranked`, by default all.
        """
        self._count()
        cells = self._table.meetings(with_faulty=with_faulty, bundles=1)
        if not len(cells.games):
            return _NOTHING
        sides = sides_of(self._table.teams)
        members = self._table.members()
        bots = np.unique(members[np.concatenate([cells.first, cells.second])])
        places = np.searchsorted(bots, members)
        prior = np.array([(SCALE / PRIOR) ** 2] * len(bots) + [(SCALE / SEAT_PRIOR) ** 2] * len(sides))
        solution = Solution(cells, Design(cells, places, len(bots), len(sides)), prior)
        rows = self._table.meetings(with_faulty=with_faulty, bundles=_affordable_bundles(len(prior)))
        jackknife = Jackknife(solution, rows, Design(rows, places, len(bots), len(sides)))
        return _Report(bots, sides, solution, jackknife).fit(set(bots.tolist() if ranked is None else ranked))


def _affordable_bundles(parameters: int) -> int:
    """Return a power of two."""
    return 1 << int(math.log2(max(32, _CELLS // parameters**2)))


# ---- from parameters to points


class _Report:
    """Turns parameters into points, intervals, certainties and ranks."""

    def __init__(
        self, bots: Ints, sides: tuple[tuple[int, ...], ...], solution: Solution, jackknife: Jackknife
    ) -> None:
        self._bots, self._sides = bots, sides
        self._solution, self._jackknife = solution, jackknife
        self._team = len(sides[0])
        self._spreads = jackknife.parameters()
        self._gaps = jackknife.differences()
        self._order = np.argsort(-solution.values[: len(bots)], kind="stable").tolist()

    def fit(self, ranked: set[int]) -> Fit:
        """Return the fit, the best bot first."""
        above = self._above()
        return Fit(
            strengths=tuple(self._strengths(above, ranked)),
            seats=self._seats(),
            beats=tuple(tuple(self._share(i, j) for j in self._order) for i in self._order),
            above=tuple(map(tuple, above)),
            blocks=self._jackknife.bundles,
            matches=int(self._solution.meetings.games.sum()) // math.comb(len(self._sides), 2),
        )

    def _strengths(self, above: list[list[float]], ranked: set[int]) -> Iterator[Strength]:
        meetings = self._solution.games() * self._team / (len(self._sides) - 1)
        ranks = _ranks(above, [int(self._bots[i]) in ranked for i in self._order])
        for i, rank in zip(self._order, ranks, strict=True):
            rating = self._estimate(i, CENTER, SCALE)
            yield Strength(int(self._bots[i]), rating, *rank, round(meetings[i]), int(self._jackknife.bundles_of[i]))

    def _seats(self) -> tuple[Estimate, ...]:
        """Return what each seat is worth; the seats of a team share it."""
        places = [
            self._estimate(len(self._bots) + place, 0.0, SCALE / self._team**0.5) for place in range(len(self._sides))
        ]
        by_seat = {seat: worth for side, worth in zip(self._sides, places, strict=True) for seat in side}
        return tuple(by_seat[seat] for seat in sorted(by_seat))

    def _estimate(self, parameter: int, center: float, scale: float) -> Estimate:
        value = center + scale * float(self._solution.values[parameter])
        below = above = math.inf
        if self._jackknife.bundles_of[parameter] > 1:
            most = _NORMAL_QUANTILE / math.sqrt(self._solution.prior[parameter])  # as before anything was played
            below, above = (scale * min(most, _reach(spread, parameter)) for spread in self._spreads)
        return Estimate(*(round(number, _DIGITS) + 0.0 for number in (value, value - below, value + above)))  # no -0

    def _share(self, i: int, j: int) -> float:
        """Return the share of games that a bot wins of another, in a team with equal partners."""
        gap = (self._solution.values[i] - self._solution.values[j]) / self._team**0.5
        return round(1 / (1 + math.exp(-gap)), _DIGITS)

    def _above(self) -> list[list[float]]:
        """Return how certain each bot is to be stronger than each other."""
        certain = [[0.5] * len(self._order) for _ in self._order]
        for (a, i), (b, j) in combinations(enumerate(self._order), 2):
            doubt = self._doubt(i, j)  # small, and therefore exact; 1 - doubt is rounded
            certain[a][b], certain[b][a] = 1 - doubt, doubt
        return certain

    def _doubt(self, i: int, j: int) -> float:
        """Return the chance that a bot is not stronger than one with a lower rating."""
        if min(self._jackknife.bundles_of[i], self._jackknife.bundles_of[j]) < 2:
            return 0.5
        gap = float(self._solution.values[j] - self._solution.values[i])
        errors = gap / math.sqrt(self._gaps.variance[i, j])
        return round(student.probability_below(errors, float(self._gaps.freedom[i, j])), _DOUBT_DIGITS)


def _reach(spread: Spread, parameter: int) -> float:
    freedom = round(float(spread.freedom[parameter]), 3)
    return math.sqrt(spread.variance[parameter]) * student.quantile((1 + LEVEL) / 2, freedom)


def _ranks(above: list[list[float]], ranked: list[bool]) -> Iterator[tuple[int, int, int]]:
    """Yield each bot's rank and the range of ranks that are not refuted.

    The range holds the true rank with a probability of `LEVEL`: all comparisons of a bot may err that often,
    together.
    """
    error = (1 - LEVEL) / 2 / max(1, sum(ranked) - 1)
    rank = 0
    for i, is_ranked in enumerate(ranked):
        if not is_ranked:
            yield 0, 0, 0
            continue
        rank += 1
        rivals = [j for j, other in enumerate(ranked) if other and j != i]
        better = sum(above[i][j] <= error for j in rivals)
        worse = sum(above[j][i] <= error for j in rivals)
        yield rank, 1 + better, sum(ranked) - worse


# ---- solo


class SoloStanding(msgspec.Struct, frozen=True):
    """How one bot does alone."""

    bot: int
    rank: int  # equal for equals
    left: Estimate  # squares left over, on average
    solved: int  # games with nothing left over
    games: int
    blocks: int


def solo_standings(outcomes: Iterable[Outcome]) -> tuple[SoloStanding, ...]:
    """Return the bots of solo games, the one with the fewest squares left over first."""
    left: dict[int, dict[int, list[int]]] = {}
    for outcome in outcomes:
        for bot, total in zip(outcome.bots, outcome.totals, strict=True):
            left.setdefault(bot, {}).setdefault(outcome.block, []).append(-total)
    standings = [_solo_standing(bot, list(blocks.values())) for bot, blocks in sorted(left.items())]
    means = sorted(standing.left.value for standing in standings)
    standings.sort(key=lambda standing: standing.left.value)
    return tuple(msgspec.structs.replace(each, rank=means.index(each.left.value) + 1) for each in standings)


def _solo_standing(bot: int, blocks: list[list[int]]) -> SoloStanding:
    """Return a standing without its rank: a ratio of sums over blocks, with the jackknife's interval."""
    games = sum(map(len, blocks))
    mean = sum(map(sum, blocks)) / games
    reach = math.inf
    if len(blocks) > 1:
        changes = [(sum(block) - mean * len(block)) / (games - len(block)) for block in blocks]
        spread = math.sqrt(sum(change * change for change in changes) * (len(blocks) - 1) / len(blocks))
        reach = spread * student.quantile((1 + LEVEL) / 2, len(blocks) - 1)
    solved = sum(squares == 0 for block in blocks for squares in block)
    return SoloStanding(bot, 0, Estimate(mean, mean - reach, mean + reach), solved, games, len(blocks))

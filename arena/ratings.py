"""Outcomes in the order of the schedule → TrueSkill ratings; the only module that knows the package. Pure.

How it works: a version of a bot never changes, so nothing is forgotten between matches (tau 0). The package computes
with an error function of seven digits, and gives up where a result was all but impossible: 30 standard deviations
off, or 180 points between two bots. The most that we could produce were 73 points, from the first to the last of 20
bots of which none ever beats a better one. But a match must not be lost: from `_FAR` points on, and wherever the
package fails, the same update is computed with functions that are exact in the tails.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

import trueskill

from arena.outcome import Outcome, sides_of

MU = 25.0
SIGMA = MU / 3
BETA = SIGMA / 2
DRAW_PROBABILITY = 0.04  # measured: how often two bots of equal strength tie; docs/ratings.md has the figures
_FORMAT = 1
_FAR = 100.0  # points between two sides; 17 standard deviations, where the package still has two digits of the update


class Rating(NamedTuple):
    """What TrueSkill believes of a bot."""

    mu: float
    sigma: float
    games: int

    @property
    def cautious(self) -> float:
        """The strength that it almost surely has: mu - 3 sigma."""
        return self.mu - 3 * self.sigma


class SkillTable:
    """TrueSkill ratings that take in one match after the other, and can be saved and go on at any point."""

    def __init__(self, draw_probability: float = DRAW_PROBABILITY, *, with_faulty: bool = True) -> None:
        """Start with nobody rated; raises `ValueError` for a draw probability that is none."""
        if not 0.001 <= draw_probability <= 0.9:
            raise ValueError(f"expected a draw probability from 0.001 to 0.9, got {draw_probability!r}")
        self._draw_probability = draw_probability
        self._with_faulty = with_faulty
        self._usual = _environment(draw_probability)
        self._exact = _exact_environment(draw_probability)
        self._skills: dict[int, Any] = {}
        self._games: dict[int, int] = {}
        self.matches = 0
        self.strained = 0  # matches that needed the exact functions

    def feed(self, outcomes: Iterable[Outcome]) -> None:
        """Rate matches in the order given; raises `ValueError` for one that cannot be rated, as solo games cannot."""
        for outcome in outcomes:
            if self._with_faulty or not outcome.faulty:
                self._rate(outcome)

    def ratings(self) -> dict[int, Rating]:
        """Return the rating of every bot that has played, by its number."""
        return {bot: Rating(skill.mu, skill.sigma, self._games[bot]) for bot, skill in sorted(self._skills.items())}

    def save(self) -> dict[str, object]:
        """Return all of it as JSON values, exact to the bit."""
        return {
            "format": _FORMAT,
            "draw_probability": self._draw_probability,
            "with_faulty": self._with_faulty,
            "matches": self.matches,
            "strained": self.strained,
            # precision and precision times mean: the package keeps these two, and mu and sigma are rounded from them
            "bots": [[bot, skill.pi, skill.tau, self._games[bot]] for bot, skill in self._skills.items()],
        }

    @classmethod
    def restore(cls, state: Mapping[str, Any]) -> SkillTable:
        """Return the table that was saved; raises `ValueError` for anything else."""
        if state.get("format") != _FORMAT:
            raise ValueError(f"expected saved ratings of format {_FORMAT}, got {state.get('format')!r}")
        table = cls(state["draw_probability"], with_faulty=state["with_faulty"])
        table.matches, table.strained = state["matches"], state["strained"]
        for bot, pi, tau, games in state["bots"]:
            table._skills[bot] = table._usual.create_rating()
            table._skills[bot].pi, table._skills[bot].tau = pi, tau
            table._games[bot] = games
        return table

    def _rate(self, outcome: Outcome) -> None:
        bots, ranks = outcome.bots, outcome.ranks
        sides = sides_of(outcome.teams)
        if len(set(bots)) < len(bots):
            raise ValueError(f"expected every bot once in a match, got {bots}")
        before = [tuple([self._skill(bots[seat]) for seat in side]) for side in sides]
        after = self._update(before, [ranks[side[0]] for side in sides])
        for side, skills in zip(sides, after, strict=True):
            for seat, skill in zip(side, skills, strict=True):
                self._skills[bots[seat]] = skill
                self._games[bots[seat]] += 1
        self.matches += 1

    def _skill(self, bot: int) -> Any:
        if bot not in self._skills:
            self._skills[bot] = self._usual.create_rating()
            self._games[bot] = 0
        return self._skills[bot]

    def _update(self, before: list[tuple[Any, ...]], ranks: list[int]) -> list[tuple[Any, ...]]:
        strengths = [sum([skill.mu for skill in side]) for side in before]
        if max(strengths) - min(strengths) < _FAR:
            try:
                return self._usual.rate(before, ranks)  # type: ignore[no-any-return]
            except (FloatingPointError, ValueError, ZeroDivisionError):
                pass  # the exact functions know
        self.strained += 1
        return self._exact.rate(before, ranks)  # type: ignore[no-any-return]


def _environment(draw_probability: float) -> Any:
    found = trueskill.TrueSkill(MU, SIGMA, BETA, tau=0.0, draw_probability=draw_probability)
    found.ppf = cache(found.ppf)  # asked for the same draw probability thrice a match
    return found


# ---- exact in the tails: the shift v and the shrinkage w of a difference, given who won or that it was a tie


def _exact_environment(draw_probability: float) -> Any:
    """Return TrueSkill with v and w that hold however unlikely a result was."""
    found = _environment(draw_probability)
    found.v_win = lambda diff, margin: _win(diff, margin)[0]
    found.w_win = lambda diff, margin: _win(diff, margin)[1]
    found.v_draw = lambda diff, margin: _draw(diff, margin)[0]
    found.w_draw = lambda diff, margin: _draw(diff, margin)[1]
    return found


def _win(diff: float, margin: float) -> tuple[float, float]:
    x = diff - margin
    v = 1 / _mills(-x)
    return v, _shrinkage(v * (v + x))


def _draw(diff: float, margin: float) -> tuple[float, float]:
    near, far = abs(diff) - margin, abs(diff) + margin
    density = math.exp(-2 * margin * abs(diff))  # of the far edge, in terms of the near one
    share = _mills(near) - density * _mills(far)
    v = math.expm1(-2 * margin * abs(diff)) / share
    w = v * v + (density * far - near) / share
    return math.copysign(v, -diff), _shrinkage(w)


def _shrinkage(w: float) -> float:
    return min(max(w, 0.0), 1 - 1e-9)  # rounding must not make a variance negative


def _mills(t: float) -> float:
    """Return how much of a normal distribution lies above `t`, divided by its density at `t`."""
    if t < -37:
        return math.inf
    if t < 25:
        return math.sqrt(math.pi / 2) * math.exp(t * t / 2) * math.erfc(t / math.sqrt(2))
    square = t * t  # erfc runs out of numbers: its asymptotic series, to eleven digits
    return (1 - (1 - (3 - (15 - 105 / square) / square) / square) / square) / t

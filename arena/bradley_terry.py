"""The Bradley-Terry model of meetings, fitted. Pure.

A side that is `gap` stronger wins a share 1 / (1 + exp(-gap)) of the points. The likelihood times a weak normal prior
is maximised by Newton's method.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.pairs import Ints, Meetings

Floats: TypeAlias = NDArray[np.float64]

_LONGEST_STEP = 2.0  # from far away, Newton's method would overshoot
_SMALL_STEP = 1e-7  # after which, convergence being quadratic, nothing is left to do
_MOST_STEPS = 200


class Design:
    """What each row of meetings depends on: some of the parameters, each with a factor.

    Parameters are a strength for each bot, then an effect for each place.
    """

    def __init__(self, meetings: Meetings, members: Ints, bots: int, places: int) -> None:
        """Take the bots of each side from a row of `members`."""
        team = members.shape[1]
        columns = [*members[meetings.first].T, *members[meetings.second].T]
        columns += [bots + meetings.first_place, bots + meetings.second_place]
        share = team**-0.5  # a team's strength is as uncertain in a game as that of one bot
        self._terms = list(zip(columns, [share] * team + [-share] * team + [1.0, -1.0], strict=True))
        self.bots, self.parameters = bots, bots + places

    def times(self, values: Floats) -> Floats:
        """Return the sum of each row's parameters."""
        total: Floats = sum(factor * values[column] for column, factor in self._terms)
        return total

    def chances(self, values: Floats) -> Floats:
        """Return the share of the points that the first side of each row should win."""
        chances: Floats = 1 / (1 + np.exp(-self.times(values)))
        return chances

    def gathered(self, weights: Floats, group: Ints, groups: int) -> Floats:
        """Return the rows' weights by parameter, for each group of rows."""
        total = np.zeros(groups * self.parameters)
        for column, factor in self._terms:
            total += np.bincount(group * self.parameters + column, factor * weights, len(total))
        return total.reshape(groups, self.parameters)

    def squared(self, weights: Floats, group: Ints, groups: int) -> Floats:
        """Return the weighted products of rows with themselves, a matrix for each group of rows."""
        total = np.zeros(groups * self.parameters**2)
        for a, factor_a in self._terms:
            for b, factor_b in self._terms:
                cell = (group * self.parameters + a) * self.parameters + b
                total += np.bincount(cell, factor_a * factor_b * weights, len(total))
        return total.reshape(groups, self.parameters, self.parameters)


class Solution:
    """The parameters of the highest posterior density."""

    def __init__(self, meetings: Meetings, design: Design, prior: Floats) -> None:
        """Fit; `prior` has the inverse variance of each parameter."""
        self.meetings, self.design, self.prior = meetings, design, prior
        self.values = np.zeros(design.parameters)
        for _ in range(_MOST_STEPS):
            step = np.linalg.solve(self.curvature(), self._slope())
            longest = float(np.abs(step).max())
            self.values = self.values + step * min(1.0, _LONGEST_STEP / max(longest, _SMALL_STEP))
            if longest < _SMALL_STEP:
                break

    def _slope(self) -> Floats:
        surprise = self.meetings.halves / 2 - self.meetings.games * self.design.chances(self.values)
        slope: Floats = self.design.gathered(surprise, _one_group(surprise), 1)[0] - self.prior * self.values
        return slope

    def curvature(self) -> Floats:
        """Return how fast the density falls off around the values: the information of the games, and the prior."""
        chance = self.design.chances(self.values)
        noise = self.meetings.games * chance * (1 - chance)
        curvature: Floats = self.design.squared(noise, _one_group(noise), 1)[0] + np.diag(self.prior)
        return curvature

    def games(self) -> Floats:
        """Return the number of meetings behind each parameter, in which a team counts by its root."""
        games = self.meetings.games.astype(np.float64)
        return np.diagonal(self.design.squared(games, _one_group(games), 1)[0])


def _one_group(rows: Floats) -> Ints:
    return np.zeros(len(rows), np.int64)

"""The Bradley-Terry model of meetings: its fit, and how far that can be trusted, by leaving out blocks. Pure.

How it works: a side that is `gap` stronger wins a share 1 / (1 + exp(-gap)) of the points. The likelihood times a
weak normal prior is maximised by Newton's method. Then each bundle of blocks is left out in turn, by one more Newton
step from the solution: the jackknife. The squares of these changes add up to the variance of whatever sum of
parameters one asks for.

With few bundles that is not enough. As if games were independent, we compute what the jackknife is expected to give,
and scale it to what it should; Satterthwaite's degrees of freedom; and by how much a strength that hangs on rare
upsets has fewer of them (the fourth cumulant). What the prior may have shifted is added.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.pairs import Ints, Meetings

Floats: TypeAlias = NDArray[np.float64]

_LONGEST_STEP = 2.0  # from far away, Newton's method would overshoot
_TOLERANCE = 1e-11


class Design:
    """What each row of meetings depends on: some of the parameters, each with a factor."""

    def __init__(self, meetings: Meetings, members: Ints, bots: int, places: int) -> None:
        """Take the bots of each side from a row of `members`."""
        team = members.shape[1]
        columns = [*members[meetings.first].T, *members[meetings.second].T]
        columns += [bots + meetings.first_place, bots + meetings.second_place]
        share = team**-0.5  # a team's strength is as uncertain in a game as that of one bot
        self._terms = list(zip(columns, [share] * team + [-share] * team + [1.0, -1.0], strict=True))
        self.parameters = bots + places

    def times(self, values: Floats) -> Floats:
        """Return the sum of each row's parameters."""
        total: Floats = sum(factor * values[column] for column, factor in self._terms)
        return total

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
    """The parameters of the highest posterior density: a strength for each bot, then an effect for each place."""

    def __init__(self, meetings: Meetings, design: Design, prior: Floats) -> None:
        """Fit; `prior` has the inverse variance of each parameter."""
        self.meetings, self.design, self.prior = meetings, design, prior
        self.values = np.zeros(design.parameters)
        longest = 1.0
        while longest > _TOLERANCE:
            step = np.linalg.solve(self.curvature(), self._slope())
            longest = float(np.abs(step).max())
            self.values = self.values + step * min(1.0, _LONGEST_STEP / max(longest, _TOLERANCE))

    def _slope(self) -> Floats:
        surprise = self.meetings.halves / 2 - self.meetings.games * _chances(self.design, self.values)
        slope: Floats = self.design.gathered(surprise, _one_group(surprise), 1)[0] - self.prior * self.values
        return slope

    def curvature(self) -> Floats:
        """Return how fast the density falls off around the values: the information of the games, and the prior."""
        chance = _chances(self.design, self.values)
        noise = self.meetings.games * chance * (1 - chance)
        curvature: Floats = self.design.squared(noise, _one_group(noise), 1)[0] + np.diag(self.prior)
        return curvature

    def games(self) -> Floats:
        """Return the number of meetings behind each parameter, in which a team counts by its root."""
        games = self.meetings.games.astype(np.float64)
        return np.diagonal(self.design.squared(games, _one_group(games), 1)[0])


def _chances(design: Design, values: Floats) -> Floats:
    return 1 / (1 + np.exp(-design.times(values)))


def _one_group(rows: Floats) -> Ints:
    return np.zeros(len(rows), np.int64)


class Spread(NamedTuple):
    """How uncertain numbers are."""

    variance: Floats
    freedom: Floats  # degrees of freedom


class Jackknife:
    """What comes of leaving out each bundle of blocks in turn."""

    def __init__(self, solution: Solution, rows: Meetings, design: Design) -> None:
        """Take the meetings of the solution once more, now as `rows` by bundle."""
        present, bundle = np.unique(rows.bundle, return_inverse=True)
        chance = _chances(design, solution.values)
        surprise = design.gathered(rows.halves / 2 - rows.games * chance, bundle, len(present))
        information = design.squared(rows.games * chance * (1 - chance), bundle, len(present))
        self._solution = solution
        self.bundles = len(present)
        self.bundles_of = np.count_nonzero(np.diagonal(information, axis1=1, axis2=2), axis=0)  # by parameter
        self._compute(solution.curvature(), information, surprise)

    def _compute(self, curvature: Floats, information: Floats, surprise: Floats) -> None:
        self._inverse = np.linalg.inv(curvature)
        self._without = np.linalg.inv(curvature - information)  # a matrix a bundle, as in what follows
        self._pull = information @ self._without
        root = np.linalg.inv(np.linalg.cholesky(curvature))
        self._shared = root @ self._pull  # the part of a change that all bundles have in common
        changes = (self._without @ surprise[:, :, None])[:, :, 0]
        self._found: Floats = changes.T @ changes
        self._expected: Floats = (self._without @ self._pull).sum(0) - (
            self._shared.transpose(0, 2, 1) @ self._shared
        ).sum(0)
        self._from_prior: Floats = self._inverse @ np.diag(self._solution.prior) @ self._inverse
        self._from_games: Floats = self._inverse - self._from_prior

    def of_differences(self, bots: int) -> Floats:
        """Return the variances of the differences between bots, a table; 0 between a bot and itself."""

        def differences(matrix: Floats) -> Floats:
            own = np.diagonal(matrix)[:bots]
            return own[:, None] + own - 2 * matrix[:bots, :bots]

        found, expected, games, prior = map(differences, self._parts())
        np.fill_diagonal(expected, 1)
        return found * games / expected + prior

    def of_parameters(self, bots: int) -> Spread:
        """Return the spread of each bot's strength and of each place's effect, against the average of its kind."""
        centered = _centering(bots, len(self._inverse))
        found, expected, games, prior = (np.diagonal(centered @ part @ centered) for part in self._parts())
        square = self._square_sum(centered)
        freedom = expected**2 / square
        rarity = self._fourth_cumulants(centered) / games**2
        freedom = 2 / np.maximum(2 / freedom + rarity, 1 / freedom)
        freedom = freedom * ((games + prior) / games) ** 2  # the prior's share is known
        return Spread(found * games / expected + prior, np.maximum(freedom, 1.0))

    def _parts(self) -> tuple[Floats, Floats, Floats, Floats]:
        return self._found, self._expected, self._from_games, self._from_prior

    def _square_sum(self, contrasts: Floats) -> Floats:
        """Return the sum of the squared covariances between the changes, for each contrast (a column)."""
        own = ((self._without @ contrasts) * (self._pull @ contrasts)).sum(1)
        shared = (self._shared @ contrasts).transpose(2, 0, 1)  # by contrast and bundle
        common = (shared**2).sum(2).T
        turned = shared.transpose(0, 2, 1)
        gram = shared @ turned if shared.shape[1] < shared.shape[2] else turned @ shared  # the smaller one
        total: Floats = (own**2).sum(0) - 2 * (own * common).sum(0) + (gram**2).sum((1, 2))
        return total

    def _fourth_cumulants(self, contrasts: Floats) -> Floats:
        """Return how heavy the tails of each contrast are: heavier than normal ones where upsets are rare."""
        meetings, design = self._solution.meetings, self._solution.design
        chance = _chances(design, self._solution.values)
        noise = chance * (1 - chance)
        weights = meetings.games * noise * (1 - 6 * noise)
        reactions = self._inverse @ contrasts
        return np.array([weights @ (design.times(reaction) ** 2) ** 2 for reaction in reactions.T])


def _centering(bots: int, parameters: int) -> Floats:
    """Return the matrix that takes its average from each strength, and from each effect of a place."""
    matrix = np.eye(parameters)
    matrix[:bots, :bots] -= 1 / bots
    matrix[bots:, bots:] -= 1 / (parameters - bots)
    return matrix

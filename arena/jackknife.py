"""How far fitted parameters can be trusted: what changes if blocks are left out. Pure.

How it works: each bundle of blocks is left out in turn, by one Newton step from the solution. The squares of the
changes add up to the variance of whatever contrast (a sum of parameters, each with a factor) one asks for: games of
a block may be as alike as they want.

With few bundles that is not enough. As if games were independent, one can compute what the jackknife is expected to
give, and scale it to what it should; and Satterthwaite's degrees of freedom, for Student's quantiles. What the prior
may have shifted is added.

A bot that hardly ever loses needs care: how much stronger than the others it is hangs on a few upsets. Towards that
side, degrees of freedom are taken away (by the fourth cumulant of its results); towards the other one, where upsets
would be common, the variance is at least that of independent games. Where results lean both ways (a seat that a strong
and a weak bot take in turn), each side gets its share of both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from arena.bradley_terry import Design, Floats, Solution
from arena.pairs import Meetings

_NEGLIGIBLE = 1e-9
_TINY = 1e-300  # keeps 0 / 0 at 0
_NORMAL = 1e6  # degrees of freedom beyond which Student's distribution is the normal one


class Spread(NamedTuple):
    """How uncertain parameters are, towards one side."""

    variance: Floats
    freedom: Floats  # degrees of freedom


class _Parts(NamedTuple):
    """What a variance is made of: the squares of changes, found and expected, and the shares of games and prior."""

    found: Floats
    expected: Floats
    games: Floats
    prior: Floats

    def of(self, forms: Callable[[Floats], Floats]) -> _Parts:
        """Return the parts of the variances of contrasts, to which `forms` reduces the matrices."""
        found, expected, games, prior = map(forms, self)
        least = _NEGLIGIBLE * prior  # partners who never part cannot be told apart: nothing but the prior is left
        return _Parts(found, np.maximum(expected, least), np.maximum(games, least), prior)

    def variance(self) -> Floats:
        """Return the variance, the share of the prior apart."""
        variance: Floats = self.found * self.games / self.expected
        return variance


class Jackknife:
    """What comes of leaving out each bundle of blocks in turn."""

    def __init__(self, solution: Solution, rows: Meetings, design: Design) -> None:
        """Take the meetings of the solution once more, now as `rows` by bundle."""
        present, bundle = np.unique(rows.bundle, return_inverse=True)
        chance = design.chances(solution.values)
        surprise = design.gathered(rows.halves / 2 - rows.games * chance, bundle, len(present))
        information = design.squared(rows.games * chance * (1 - chance), bundle, len(present))
        self._solution = solution
        self.bundles = len(present)
        self.bundles_of = np.count_nonzero(np.diagonal(information, axis1=1, axis2=2), axis=0)  # by parameter
        self._leave_out(solution.curvature(), information, surprise)
        contrasts = self._contrasts()
        self._centered = self._parts.of(lambda matrix: np.diagonal(contrasts @ matrix @ contrasts))
        self._freedom = self._degrees_of_freedom()

    def _leave_out(self, curvature: Floats, information: Floats, surprise: Floats) -> None:
        self._inverse = np.linalg.inv(curvature)
        self._without = np.linalg.inv(curvature - information)  # a matrix a bundle, as the next two
        self._pull = information @ self._without
        self._shared = np.linalg.inv(np.linalg.cholesky(curvature)) @ self._pull  # what all changes have in common
        changes = (self._without @ surprise[:, :, None])[:, :, 0]
        own, shared = (self._without @ self._pull).sum(0), (self._shared.transpose(0, 2, 1) @ self._shared).sum(0)
        prior: Floats = self._inverse @ np.diag(self._solution.prior) @ self._inverse
        games: Floats = self._inverse - prior
        self._parts = _Parts(changes.T @ changes, own - shared, games, prior)

    def differences(self) -> Spread:
        """Return the spread of the difference between any two bots, towards 0: a table for each."""
        bots = self._solution.design.bots

        def differences(matrix: Floats) -> Floats:
            own = np.diagonal(matrix)[:bots]
            return own[:, None] + own - 2 * matrix[:bots, :bots] + np.eye(bots)  # never 0, for a bot and itself

        parts = self._parts.of(differences)
        freedom = self._freedom[:bots]
        return Spread(parts.variance() + parts.prior, np.minimum(freedom[:, None], freedom))

    def parameters(self) -> tuple[Spread, Spread]:
        """Return the spread of each parameter, against the average of its kind, below it and above it."""
        parts, freedom = self._centered, self._freedom
        lean, tails = self._lean_and_tails()
        variance = parts.variance()
        telling = 2 / np.maximum(2, 2 + freedom * tails / parts.games**2)  # a share that falls as upsets become rare
        careful = telling * variance + (1 - telling) * np.maximum(variance, parts.games)
        inner = Spread(careful + parts.prior, freedom)
        outer = Spread(variance + parts.prior, np.maximum(freedom * telling, 1))
        return _mixed(inner, outer, (1 - lean) / 2), _mixed(inner, outer, (1 + lean) / 2)

    def _contrasts(self) -> Floats:
        """Return the matrix that takes its average from each strength, and from each effect of a place."""
        bots, size = self._solution.design.bots, self._solution.design.parameters
        matrix = np.eye(size)
        matrix[:bots, :bots] -= 1 / bots
        matrix[bots:, bots:] -= 1 / (size - bots)
        return matrix

    def _degrees_of_freedom(self) -> Floats:
        """Return the degrees of freedom of each parameter's variance, by the covariances of all changes."""
        parts, contrasts = self._centered, self._contrasts()
        own = ((self._without @ contrasts) * (self._pull @ contrasts)).sum(1)
        shared = (self._shared @ contrasts).transpose(2, 0, 1)  # by contrast and bundle
        turned = shared.transpose(0, 2, 1)
        gram = shared @ turned if shared.shape[1] < shared.shape[2] else turned @ shared  # the smaller one
        squares = (own**2).sum(0) - 2 * (own * (shared**2).sum(2).T).sum(0) + (gram**2).sum((1, 2))
        freedom = parts.expected**2 / np.maximum(squares, (_NEGLIGIBLE * parts.prior) ** 2)
        known = ((parts.games + parts.prior) / parts.games) ** 2  # the prior's share of the variance is no estimate
        clipped: Floats = np.clip(known * freedom, 1, _NORMAL)
        return clipped

    def _lean_and_tails(self) -> tuple[Floats, Floats]:
        """Return of the results behind each parameter which way they lean, and how much heavier than normal tails are.

        They lean by 1 if the parameter was the stronger side in all of them, by -1 if it was the weaker one.
        """
        meetings, design = self._solution.meetings, self._solution.design
        chance = design.chances(self._solution.values)
        noise = chance * (1 - chance)
        third, fourth = meetings.games * noise * (2 * chance - 1), meetings.games * noise * (1 - 6 * noise)
        weights = np.array([design.times(weight) for weight in (self._inverse @ self._contrasts()).T])
        lean = weights**3 @ third / np.maximum(np.abs(weights) ** 3 @ np.abs(third), _TINY)
        return lean, weights**4 @ fourth


def _mixed(one: Spread, other: Spread, share: Floats) -> Spread:
    """Return a spread that has this share of the other one."""
    variance = one.variance + share * (other.variance - one.variance)
    return Spread(variance, 1 / ((1 - share) / one.freedom + share / other.freedom))

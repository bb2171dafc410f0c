"""TrueSkill ratings over the matches of a division, at a bounded number of points. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from arena.outcome import Outcome
from arena.ratings import SkillTable

_POINTS = 128


class Moment(msgspec.Struct, frozen=True, array_like=True):
    """What was believed of the bots after so many matches."""

    matches: int
    mu: dict[int, float]


class History:
    """Moments at equal distances: when there are too many, every other one is dropped."""

    def __init__(self, moments: Sequence[Moment] = (), every: int = 1) -> None:
        self.every = every
        self.moments = list(moments)

    def feed(self, skill: SkillTable, outcomes: Sequence[Outcome]) -> None:
        """Let the ratings take in matches, and note what they come to on the way."""
        done = 0
        while done < len(outcomes):
            step = self.every - skill.matches % self.every
            skill.feed(outcomes[done : done + step])
            done += step
            if skill.matches % self.every == 0:
                self._note(skill)

    def _note(self, skill: SkillTable) -> None:
        self.moments.append(_moment(skill))
        if len(self.moments) > _POINTS:
            self.every *= 2
            self.moments = [moment for moment in self.moments if moment.matches % self.every == 0]

    def up_to(self, skill: SkillTable) -> tuple[Moment, ...]:
        """Return the moments, the present one last."""
        last = _moment(skill)
        return (*[moment for moment in self.moments if moment.matches < last.matches], last)


def _moment(skill: SkillTable) -> Moment:
    return Moment(skill.matches, {bot: round(rating.mu, 4) for bot, rating in skill.ratings().items()})

"""What statistics need to know of a match. Pure data."""

from __future__ import annotations

from functools import cache

import msgspec


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """How one match ended, by seat."""

    block: int  # matches of a block share bots and seed: they are resampled together
    bots: tuple[int, ...]  # the number of the bot in each seat
    teams: tuple[int, ...]
    ranks: tuple[int, ...]  # 1 is best; equal for a tie, and for team mates
    totals: tuple[int, ...]  # points
    faulty: tuple[int, ...] = ()  # the seats that forfeited

    @property
    def is_faulty(self) -> bool:
        """Whether some seat forfeited."""
        return bool(self.faulty)


@cache
def sides_of(teams: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the seats of each side, a team or a player; raises `ValueError` if there is only one."""
    sides = {team: tuple(seat for seat, other in enumerate(teams) if other == team) for team in teams}
    if len(sides) < 2:
        raise ValueError(f"expected a match of two sides or more, got the teams {teams}: nobody can be beaten")
    return tuple(sides.values())

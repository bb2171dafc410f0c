"""What to play: everything about one match but the bots' programs. Pure data."""

from __future__ import annotations

import hashlib
import sys

import msgspec

from arena.errors import UsageError
from arena.limits import ResourceLimits, TimeControl
from engine import BadRequest, Game

# what belongs to the run that plays a match, and not to the plan of what is played
_OF_THE_RUN = ("anonymous", "ponder", "pin", "limits")


class MatchSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One match: its variant, its seed and its limits."""

    variant: str = "classic"
    scoring: str = "15/5"
    seed: int = 0
    opening_plies: int = 0  # the first placements, drawn from the seed
    anonymous: bool = False  # bots are not told the others' names
    ponder: bool = False  # bots may think on the others' time
    pin: bool = True  # the match keeps to one core
    time: TimeControl = TimeControl()
    limits: ResourceLimits = ResourceLimits()

    def check(self) -> None:
        """Raise `UsageError` for what does not go together, or not here."""
        if self.ponder and self.pin:
            raise UsageError("bots that think on the others' time need cores of their own: --ponder needs --no-pin")
        if self.time.kind == "cpu" and sys.platform != "linux":
            raise UsageError("the CPU time of bots is only known on Linux: expected --clock wall")

    def under(self, other: MatchSpec) -> MatchSpec:
        """Return the same match under the conditions of another run."""
        return msgspec.structs.replace(self, **{name: getattr(other, name) for name in _OF_THE_RUN})

    def new_game(self) -> Game:
        """Return the game before its first move; raises `UsageError` for an unknown variant or scoring."""
        try:
            return Game(self.variant, self.scoring)
        except BadRequest as error:
            raise UsageError(str(error)) from None

    def seed_of(self, seat: int) -> int:
        """Return a seat's own seed, a whole number below 2^53."""
        return _hash_number(f"{self.seed}/seat/{seat}")

    def opening_seed(self) -> int:
        """Return the seed of the opening."""
        return _hash_number(f"{self.seed}/opening")

    def match_id(self, digests: list[str]) -> str:
        """Return an id that is the same for the same match between the same bots."""
        text = msgspec.json.encode([self, digests])
        return hashlib.sha256(text).hexdigest()[:12]


def _hash_number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 11


def seat_names(names: list[str]) -> list[str]:
    """Return names that tell equal ones apart: greedy, greedy#2."""
    found: list[str] = []
    for name in names:
        told, nth = name, 1
        while told in found:
            nth += 1
            told = f"{name}#{nth}"
        found.append(told)
    return found

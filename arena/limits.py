"""What a bot may spend: time and memory. Pure data."""

from __future__ import annotations

from typing import Literal

import msgspec

LINE_BYTES = 65536  # the longest line that a bot may send, its newline included
IDLE_BYTES = 65536  # what a bot may send while it is not asked
LEAVE_MS = 500  # from the closing of its input until a bot must be gone


class TimeControl(msgspec.Struct, frozen=True, kw_only=True):
    """A clock's settings, in the words of the protocol."""

    kind: Literal["wall", "cpu"] = "wall"
    start_ms: int = 10_000  # until `ready`
    move_ms: int = 2_000  # for each move
    bank_ms: int = 0  # for all moves together, once a move's own time is used up
    increment_ms: int = 0  # added to the bank after each move
    margin_ms: int = 50  # an overrun that is forgiven

    def wall_cap_ms(self, budget_ms: int) -> int:
        """Return how long a move may take by the wall where CPU time is charged.

        A bot that sleeps uses no CPU time, and must not stall the match; one that is kept waiting by
        a loaded machine should not suffer for it.
        """
        return 4 * budget_ms + 1_000


class ResourceLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What a bot's process may use besides time."""

    memory_mb: int = 512
    sandbox: str = "auto"  # the strongest there is, or one by name

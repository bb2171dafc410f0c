"""Charges the time of its moves to one seat. Pure: what was used is passed in."""

from __future__ import annotations

from arena.limits import TimeControl


class Clock:
    """The bank of one seat, and the verdict on each of its moves."""

    __slots__ = ("_bank_us", "control")

    def __init__(self, control: TimeControl) -> None:
        self.control = control
        self._bank_us = control.bank_ms * 1000

    @property
    def bank_ms(self) -> int:
        """The whole milliseconds left in the bank."""
        return self._bank_us // 1000

    @property
    def budget_us(self) -> int:
        """What the next move may use, without the margin."""
        return self.control.move_ms * 1000 + self._bank_us

    def charge(self, used_us: int) -> bool:
        """Charge a move; return whether it was in time. An overrun within the margin costs nothing more."""
        in_time = used_us <= self.budget_us + self.control.margin_ms * 1000
        over_us = max(0, used_us - self.control.move_ms * 1000)
        self._bank_us = max(0, self._bank_us - over_us) + self.control.increment_ms * 1000
        return in_time

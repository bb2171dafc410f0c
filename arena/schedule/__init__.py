"""Who plays whom: blocks of matches in which every two bots meet, seats balanced. Pure."""

from arena.schedule.measure import Range, Spread, spread
from arena.schedule.meetings import Block, seatings
from arena.schedule.plan import extend, full, gauntlet, most_balanced

__all__ = ["Block", "Range", "Spread", "extend", "full", "gauntlet", "most_balanced", "seatings", "spread"]

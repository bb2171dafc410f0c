"""Who plays whom: blocks of matches in which every two bots meet, seats balanced. Pure."""

from arena.schedule.measure import Range, Spread, spread
from arena.schedule.meetings import Block, block_size, seatings
from arena.schedule.plan import extend, full, gauntlet, most_balanced

__all__ = [
    "Block",
    "Range",
    "Spread",
    "block_size",
    "extend",
    "full",
    "gauntlet",
    "most_balanced",
    "seatings",
    "spread",
]

"""The complete rules of Blokus: a small, pure and fast library without dependencies."""

from engine.errors import BadNotation, BadRequest, IllegalMove, RulesError
from engine.game import Event, Game, Passed, Placed, Result
from engine.move import Move
from engine.pieces import PIECES, Piece
from engine.variants import SCORINGS, VARIANTS, Scoring, Variant

__all__ = [
    "PIECES",
    "SCORINGS",
    "VARIANTS",
    "BadNotation",
    "BadRequest",
    "Event",
    "Game",
    "IllegalMove",
    "Move",
    "Passed",
    "Piece",
    "Placed",
    "Result",
    "RulesError",
    "Scoring",
    "Variant",
]

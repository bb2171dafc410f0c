"""Points of a color, and ranks that ties share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.pieces import PIECES
from engine.variants import Scoring


def points(left: Iterable[str], last: str | None, scoring: Scoring) -> int:
    """Return a color's score from the pieces left in its hand and the one it placed last."""
    squares = sum(PIECES[name].size for name in left)
    if squares:
        return -squares
    return scoring.all_placed + (scoring.monomino_last if last == "I1" else 0)


def shared_ranks(merits: Sequence[tuple[int, int]]) -> list[int]:
    """Return the rank of each merit, the highest first; equal ones share a rank (1, 2, 2, 4)."""
    order = sorted(merits, reverse=True)
    return [order.index(merit) + 1 for merit in merits]

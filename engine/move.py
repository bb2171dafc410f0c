"""A move: one piece on the cells that it covers."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from operator import index
from typing import Any, NamedTuple

from engine.errors import IllegalMove
from engine.grid import Cell
from engine.pieces import LARGEST, SHAPES, shape_of

_FAR = 9999  # keeps numbers of a million digits out of messages and arithmetic


class Move(NamedTuple):
    """A piece and the cells it covers, sorted by row, then column.

    The constructor takes what it is given; `Game.play` judges it.
    """

    piece: str
    cells: tuple[Cell, ...]

    @classmethod
    def from_cells(cls, cells: Iterable[Iterable[int]]) -> Move:
        """Return the move that covers these cells, in any order; the piece follows from the shape.

        Raises `IllegalMove` ("not a piece") for anything else. Whether the cells are on the
        board is for the game to say.
        """
        clean = sorted_cells(cells)
        found = SHAPES.get(shape_of(clean))
        if found is None:
            raise _not_a_piece(tuple(clean), f"{_count(clean)} do not form one of the 21 pieces")
        return cls(found[0].name, tuple(clean))


def sorted_cells(cells: Any) -> list[Cell]:
    """Return one to five different cells in order, or raise `IllegalMove` ("not a piece")."""
    if isinstance(cells, str | bytes | dict):
        raise _not_a_piece((), f"expected a list of cells, got {_shown(cells)}")
    try:
        given = list(cells)
    except TypeError:
        raise _not_a_piece((), f"expected a list of cells, got {_shown(cells)}") from None
    if not 1 <= len(given) <= LARGEST:
        raise _not_a_piece(tuple(given[: LARGEST + 1]), f"a piece covers 1 to {LARGEST} cells, got {len(given)}")
    clean = sorted([_cell(item) for item in given])
    if min(clean)[0] < -_FAR or max(clean)[0] > _FAR or any(not -_FAR <= col <= _FAR for _, col in clean):
        raise IllegalMove("off the board", (), f"a coordinate is beyond {_FAR}, where no board reaches")
    for before, after in pairwise(clean):
        if before == after:
            raise _not_a_piece((after,), f"cell {after} is named twice")
    return clean


def _cell(item: Any) -> Cell:
    # a tuple or list of two ints, and nothing that merely behaves like one: True is 1, "12" has two items
    if isinstance(item, list | tuple) and len(item) == 2:
        row, col = item
        if type(row) is int and type(col) is int:
            return (row, col)
        if not isinstance(row, bool) and not isinstance(col, bool):
            try:
                return (index(row), index(col))  # numpy's integers
            except TypeError:
                pass
    raise _not_a_piece((), f"expected a cell as two whole numbers [row, column], got {_shown(item)}")


def _not_a_piece(cells: tuple[Any, ...], detail: str) -> IllegalMove:
    return IllegalMove("not a piece", cells, detail)


def _count(cells: list[Cell]) -> str:
    return "the cells " + " ".join(f"({row},{col})" for row, col in cells)


def _shown(item: object) -> str:
    # a hostile repr can be of any length, or raise
    try:
        text = repr(item)
    except Exception:
        return f"an unprintable {type(item).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."

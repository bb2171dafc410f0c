"""A move: one piece on the cells that it covers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice, pairwise
from operator import index
from typing import Any, NamedTuple

from engine.errors import IllegalMove, shown
from engine.grid import Cell
from engine.pieces import LARGEST, PIECES, SHAPES, shape_of

_FAR = 9999  # keeps numbers of a million digits out of messages and records


class Move(NamedTuple):
    """A piece and the cells it covers, sorted by row, then column.

    The constructor takes what it is given; `Game.play` judges it.
    """

    piece: str
    cells: tuple[Cell, ...]

    @classmethod
    def from_cells(cls, cells: Iterable[Sequence[int]]) -> Move:
        """Return the move that covers these cells, in any order; the piece follows from the shape.

        Raises `IllegalMove` ("not a piece") for anything else. Whether the cells are on the
        board is for the game to say.
        """
        clean = clean_cells(cells)
        found = SHAPES.get(shape_of(clean))
        if found is None:
            raise no_piece(clean)
        return cls(found[0].name, tuple(clean))


def clean_cells(cells: Any) -> list[Cell]:
    """Return one or more cells, sorted, in types that can be trusted; raises `IllegalMove` ("not a piece")."""
    if isinstance(cells, (str, bytes, dict)):
        raise _not_a_piece(f"expected a list of cells, got {shown(cells)}")
    try:
        given = list(islice(cells, LARGEST + 1))
    except Exception:  # whatever a stranger's iterator raises
        raise _not_a_piece(f"expected a list of cells, got {shown(cells)}") from None
    if not given:
        raise _not_a_piece("expected a list of cells, got none")
    return sorted(
        [
            # a pair of ints, and nothing that merely behaves like one: True is 1, and a set has no order
            item
            if type(item) is tuple and len(item) == 2 and type(item[0]) is int and type(item[1]) is int
            else _cell(item)
            for item in given
        ]
    )


def no_piece(cells: list[Cell]) -> IllegalMove:
    """Return what is wrong with cells that do not form a piece."""
    if far := _far(cells):
        return far
    for before, after in pairwise(cells):
        if before == after:
            return _not_a_piece(f"cell {cell_list([after])} is named twice", (after,))
    if len(cells) > LARGEST:
        return _not_a_piece(f"a piece covers at most {LARGEST} cells", tuple(cells))
    return _not_a_piece(f"the cells {cell_list(cells)} do not form one of the {len(PIECES)} pieces", tuple(cells))


def off_board(cells: list[Cell], rows: int, cols: int) -> IllegalMove | None:
    """Return which cells are off a board, or None if none is."""
    outside = [cell for cell in cells if not (0 <= cell[0] < rows and 0 <= cell[1] < cols)]
    if not outside:
        return None
    if far := _far(outside):
        return far
    return IllegalMove("off the board", tuple(outside), f"{cell_list(outside)}: the board is {rows} x {cols}")


def cell_list(cells: Iterable[Cell]) -> str:
    """Return cells for a message: (4,4) (4,5)."""
    return " ".join([f"({row},{col})" for row, col in cells])


def _far(cells: list[Cell]) -> IllegalMove | None:
    if all(-_FAR <= row <= _FAR and -_FAR <= col <= _FAR for row, col in cells):
        return None
    return IllegalMove("off the board", (), f"a coordinate is beyond {_FAR}, where no board reaches")


def _cell(item: Any) -> Cell:
    if isinstance(item, (list, tuple)) and len(item) == 2:
        with suppress(Exception):  # whatever a stranger's object raises
            if not isinstance(item[0], bool) and not isinstance(item[1], bool):
                return (index(item[0]), index(item[1]))  # numpy's integers too
    raise _not_a_piece(f"expected a cell as two whole numbers [row, column], got {shown(item)}")


def _not_a_piece(detail: str, cells: tuple[Cell, ...] = ()) -> IllegalMove:
    return IllegalMove("not a piece", cells, detail)

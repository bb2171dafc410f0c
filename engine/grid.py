"""Cells, sets of cells as bit masks, and who touches whom on a rectangular board."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import TypeAlias

Cell: TypeAlias = tuple[int, int]  # row, column; row 0 at the top
Mask: TypeAlias = int  # one bit a cell, row by row: (0, 0) is bit 0


def set_bits(mask: Mask) -> Iterator[int]:
    """Yield the positions of the set bits, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class Grid:
    """A board's size, and the neighbourhoods of a mask on it."""

    __slots__ = ("_not_left", "_not_right", "cols", "full", "rows")

    def __init__(self, rows: int, cols: int) -> None:
        self.rows = rows
        self.cols = cols
        self.full: Mask = (1 << rows * cols) - 1
        left_column = self.full // ((1 << cols) - 1)
        self._not_left: Mask = self.full ^ left_column
        self._not_right: Mask = self.full ^ left_column << cols - 1

    def __contains__(self, cell: Cell) -> bool:
        return 0 <= cell[0] < self.rows and 0 <= cell[1] < self.cols

    def mask(self, cells: Iterable[Cell]) -> Mask:
        """Return the mask of cells that are all on the board."""
        mask = 0
        for row, col in cells:
            mask |= 1 << row * self.cols + col
        return mask

    def cells(self, mask: Mask) -> tuple[Cell, ...]:
        """Return the cells of a mask, sorted by row, then column."""
        return tuple([divmod(bit, self.cols) for bit in set_bits(mask)])

    def around(self, mask: Mask) -> tuple[Mask, Mask]:
        """Return the cells that share an edge with a cell of the mask, and those that touch one diagonally.

        Either may hold cells of the mask itself.
        """
        cols = self.cols
        sideways = (mask & self._not_right) << 1 | (mask & self._not_left) >> 1
        edges = (sideways | mask << cols | mask >> cols) & self.full
        return edges, (sideways << cols | sideways >> cols) & self.full


@cache
def grid(rows: int, cols: int) -> Grid:
    """Return the one `Grid` of this size."""
    return Grid(rows, cols)

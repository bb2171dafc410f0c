"""Every placement of the pieces on a board, numbered, with what each one needs.

How it works. A placement needs its cells to be free and its piece to be in hand. Cells and
pieces together are called *needs*: on a board of n cells, need 0 to n-1 is a cell and need n+p is
piece number p. A set of needs is a small integer (a `Mask`); a set of placements is a big one, with
one bit a placement (`Bits`). `covers[need]` is the set of placements that need it. With it a rule
becomes a few operations on whole integers: blocking a cell removes `covers[cell]`, whatever
the number of placements that it concerns.

Numbers are given in the protocol's order (piece, then cells), so that walking the bits upwards
lists moves in that order. A piece with k orientations has the number

    base[piece] + k * (first cell) + (orientation)

which leaves gaps where a piece would stick out of the board, but makes the table regular:
`covers[cell + 1]` is `covers[cell]` moved by k. So all of it is built by shifting, in about two
milliseconds; going through the 30433 placements of the standard board takes a hundred times as long.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from itertools import compress
from struct import unpack
from typing import Any, TypeAlias, TypeVar

from engine.grid import Grid, Mask, grid
from engine.move import Move
from engine.pieces import PIECES, Piece, Shape
from engine.variants import Variant

Bits: TypeAlias = int  # a set of placements: bit i is placement number i

_T = TypeVar("_T")
_SINGLE = tuple([1 << bit for bit in range(64)])
_EXISTS = ord("1")
_FEW_BITS = 600  # from here on dropping bits one by one is faster than halving


class Placements:
    """The numbered placements of some pieces on one board."""

    __slots__ = (
        "_array",
        "_base",
        "_by_shape",
        "_flags",
        "_halves",
        "_length",
        "_made",
        "_moves",
        "_needs",
        "_piece_at",
        "_shape_masks",
        "covers",
        "every",
        "grid",
        "pieces",
    )

    def __init__(self, board: Grid, names: tuple[str, ...]) -> None:
        self.grid = board
        self.pieces: tuple[Piece, ...] = tuple([PIECES[name] for name in names])
        self._base: list[int] = []  # the first number of each piece
        self._length = 0
        owners = []
        for number, piece in enumerate(self.pieces):
            span = self._span(piece)
            self._base.append(self._length)
            self._length += span
            owners.append(bytes([number]) * span)
        self._piece_at = b"".join(owners)
        self._shape_masks = [[self._relative_mask(shape) for shape in p.orientations] for p in self.pieces]
        self.every: Bits = self._on_board()
        self.covers: list[Bits] = self._cell_covers() + self._piece_covers()
        self._flags = bin(self.every)[:1:-1].encode()
        self._by_shape: dict[Shape, tuple[int, int]] = {
            shape: (base + turned, len(piece.orientations))
            for base, piece in zip(self._base, self.pieces, strict=True)
            for turned, shape in enumerate(piece.orientations)
        }
        self._halves = _halves(self._length)
        self._needs: list[Mask] = [0] * self._length
        # moves are made when first asked for; `_made` says which are sure to be there
        self._made: Bits = 0
        self._moves: list[Any] = [None] * self._length
        self._array: Any = None  # the same moves, for numpy

    def exists(self, number: int) -> bool:
        """Tell whether a placement has this number: there are gaps, where a piece would stick out."""
        return type(number) is int and 0 <= number < len(self._flags) and self._flags[number] == _EXISTS

    def needs(self, number: int) -> Mask:
        """Return what a placement needs: its cells, and its piece as a bit above them."""
        needs = self._needs[number]
        if not needs:
            piece, first, turned = self._parts(number)
            needs = self._shape_masks[piece][turned] << first | 1 << self.grid.rows * self.grid.cols + piece
            self._needs[number] = needs
        return needs

    def piece(self, number: int) -> int:
        """Return the piece of a placement, as its place in `pieces`."""
        return self._piece_at[number]

    def move(self, number: int) -> Move:
        """Return a placement as a move; the same object every time."""
        move: Move | None = self._moves[number]
        if move is None:
            piece, first, turned = self._parts(number)
            row0, col0 = divmod(first, self.grid.cols)
            shape = self.pieces[piece].orientations[turned]
            move = Move(self.pieces[piece].name, tuple([(row0 + row, col0 + col) for row, col in shape]))
            self._moves[number] = move
        return move

    def first_number(self, shape: Shape) -> tuple[int, int] | None:
        """Return the number of a shape whose first cell is cell 0, and what each further cell adds to it.

        None if no piece in play has that shape.
        """
        return self._by_shape.get(shape)

    def moves(self, bits: Bits) -> list[Move]:
        """Return the moves of a set of placements, in order."""
        missing = bits ^ (bits & self._made)
        if missing:
            self._make(missing)
        # numpy lists three times as fast, but importing it takes longer than a bot lists in a whole game:
        # it is used where the program has imported it for itself
        if sys.modules.get("numpy") is not None:
            return self._moves_by_numpy(bits)
        return _chosen(bits, self._moves)

    def nth(self, bits: Bits, index: int) -> int:
        """Return the placement number that stands at `index` in a set; -1 beyond its end."""
        return self._nth_in(bits, index, 0, 0)

    def _nth_in(self, bits: Bits, index: int, base: int, level: int = 1) -> int:
        for half, low_mask in self._halves[level:]:
            low = bits & low_mask
            count = low.bit_count()
            if index < count:
                bits = low
            else:
                index -= count
                bits >>= half
                base += half
        for _ in range(index):
            if not bits:
                return -1
            bits &= bits - 1
        if not bits:
            return -1
        return base + (bits & -bits).bit_length() - 1

    def any_of(self, bits: Bits, random: Callable[[], float]) -> int:
        """Return one of a set, each as likely; `random` gives a number from 0 up to 1.

        The same as `nth` of a random index, without counting the set beforehand.
        """
        half, low_mask = self._halves[0]
        low = bits & low_mask
        high = bits >> half
        count = low.bit_count()
        index = int(random() * (count + high.bit_count()))
        if index < count:
            return self._nth_in(low, index, 0)
        return self._nth_in(high, index - count, half)

    def _make(self, missing: Bits) -> None:
        for number in numbers(missing):
            move = self.move(number)
            if self._array is not None:
                self._array[number] = move
        self._made |= missing

    def _moves_by_numpy(self, bits: Bits) -> list[Move]:
        import numpy

        if self._array is None:
            self._array = numpy.empty(self._length, dtype=object)
            for number in numbers(self._made):
                self._array[number] = self._moves[number]
        raw = bits.to_bytes((bits.bit_length() + 7) // 8, "little")
        flags = numpy.unpackbits(numpy.frombuffer(raw, numpy.uint8), bitorder="little")
        found: list[Move] = self._array[flags.view(numpy.bool_).nonzero()[0]].tolist()
        return found

    def _parts(self, number: int) -> tuple[int, int, int]:
        piece = self._piece_at[number]
        first, turned = divmod(number - self._base[piece], len(self._shape_masks[piece]))
        return piece, first, turned

    def _span(self, piece: Piece) -> int:
        # rows in which no orientation can begin get no numbers
        flattest = min(shape[-1][0] + 1 for shape in piece.orientations)
        return max(0, self.grid.rows - flattest + 1) * self.grid.cols * len(piece.orientations)

    def _relative_mask(self, shape: Shape) -> Mask:
        return sum(1 << row * self.grid.cols + col for row, col in shape) if self._fits(shape) else 0

    def _fits(self, shape: Shape) -> bool:
        columns = [col for _, col in shape]
        return shape[-1][0] < self.grid.rows and max(columns) - min(columns) < self.grid.cols

    def _on_board(self) -> Bits:
        """Return the placements that do not stick out of the board."""
        rows, cols = self.grid.rows, self.grid.cols
        every = 0
        for base, piece in zip(self._base, self.pieces, strict=True):
            step = len(piece.orientations)
            for turned, shape in enumerate(piece.orientations):
                left = min(col for _, col in shape)
                width = max(col for _, col in shape) - left + 1
                height = shape[-1][0] + 1
                if self._fits(shape):
                    in_row = _repeated(step, cols - width + 1) << step * -left
                    every |= in_row * _repeated(step * cols, rows - height + 1) << base + turned
        return every

    def _cell_covers(self) -> list[Bits]:
        """Return the placements over each cell, walking the cells and moving all of them along."""
        cells = self.grid.rows * self.grid.cols
        # a cell of a shape comes in at the cell of the board where its piece's first cell is cell 0, and
        # goes out where that would be past the piece's numbers; placements with k orientations move k bits a cell
        changes: dict[int, list[list[int]]] = {}
        for base, piece in zip(self._base, self.pieces, strict=True):
            step = len(piece.orientations)
            at = changes.setdefault(step, [[] for _ in range(cells + 1)])
            span = self._span(piece)
            for turned, shape in enumerate(piece.orientations):
                for row, col in shape if self._fits(shape) else ():
                    comes = row * self.grid.cols + col
                    if comes <= cells:
                        at[comes].append(base + turned)
                    if comes + span // step <= cells:
                        at[comes + span // step].append(base + turned + span)
        over = [0] * cells
        for step, at in changes.items():
            moving = 0
            for cell in range(cells):
                moving <<= step
                for bit in at[cell]:
                    moving ^= 1 << bit
                over[cell] |= moving
        return [bits & self.every for bits in over]

    def _piece_covers(self) -> list[Bits]:
        spans = [*self._base[1:], self._length]
        return [self.every & ((1 << end) - (1 << base)) for base, end in zip(self._base, spans, strict=True)]


def numbers(bits: Bits) -> list[int]:
    """Return the placement numbers in a set, in order."""
    return _chosen(bits, range(bits.bit_length()))


def _chosen(bits: Bits, items: Sequence[_T]) -> list[_T]:
    """Return the items at the places of the set bits, in order."""
    count = (bits.bit_length() + 63) // 64
    words = unpack(f"<{count}Q", bits.to_bytes(8 * count, "little"))
    found = []
    for at in compress(range(count - 1, -1, -1), reversed(words)):  # most words are zero
        word = words[at]
        base = 64 * at
        while word:  # from the top: dropping the highest bit is cheaper than the lowest
            bit = word.bit_length() - 1
            found.append(items[base + bit])
            word ^= _SINGLE[bit]
    found.reverse()
    return found


def _halves(width: int) -> list[tuple[int, int]]:
    """Return the widths for halving a set down to few bits, each with its mask; at least one."""
    halves: list[tuple[int, int]] = []
    while not halves or width > _FEW_BITS:
        width = (width + 1) // 2
        halves.append((width, (1 << width) - 1))
    return halves


def _repeated(step: int, times: int) -> int:
    """Return an integer with `times` bits set, `step` apart."""
    return ((1 << step * times) - 1) // ((1 << step) - 1)


@cache
def _placements(rows: int, cols: int, pieces: tuple[str, ...]) -> Placements:
    return Placements(grid(rows, cols), pieces)


def placements_of(variant: Variant) -> Placements:
    """Return the placements of a variant; boards of the same size and pieces share one table."""
    return _placements(variant.rows, variant.cols, variant.pieces)

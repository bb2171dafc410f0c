"""The 21 pieces as drawings, and every way each can be turned and flipped."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from engine.grid import Cell

Shape: TypeAlias = tuple[Cell, ...]  # sorted cells, relative to the first of them

_DRAWINGS = """
I1 #
I2 ##
I3 ###
L3 ##    #.
I4 ####
O4 ##    ##
T4 .#.   ###
L4 #.    #.    ##
S4 ##.   .##
F  .##   ##.   .#.
I5 #####
L5 #.    #.    #.    ##
N  .#    .#    ##    #.
P  ##    ##    #.
T5 ###   .#.   .#.
U  #.#   ###
V  #..   #..   ###
W  #..   ##.   .##
X  .#.   ###   .#.
Y  .#    ##    .#    .#
Z  ##.   .#.   .##
"""


class Piece(NamedTuple):
    """One free polyomino: its drawing's cells, and its distinct orientations in order of their cells."""

    name: str
    size: int
    drawing: tuple[Cell, ...]
    orientations: tuple[Shape, ...]


def shape_of(cells: list[Cell]) -> Shape:
    """Return sorted cells relative to the first of them: equal for equal orientations."""
    row0, col0 = cells[0]
    return tuple([(row - row0, col - col0) for row, col in cells])


def _orientations(drawing: tuple[Cell, ...]) -> tuple[Shape, ...]:
    cells = list(drawing)
    shapes = set()
    for _ in range(4):
        cells = [(col, -row) for row, col in cells]
        shapes.add(shape_of(sorted(cells)))
        shapes.add(shape_of(sorted([(row, -col) for row, col in cells])))
    return tuple(sorted(shapes))


def _piece(name: str, rows: list[str]) -> Piece:
    drawing = tuple([(r, c) for r, row in enumerate(rows) for c, mark in enumerate(row) if mark == "#"])
    return Piece(name, len(drawing), drawing, _orientations(drawing))


PIECES: dict[str, Piece] = {
    name: _piece(name, rows) for name, *rows in (line.split() for line in _DRAWINGS.split("\n") if line)
}

# the piece and the orientation that a shape is, for judging cells that a stranger names
SHAPES: dict[Shape, tuple[Piece, int]] = {
    shape: (piece, turned) for piece in PIECES.values() for turned, shape in enumerate(piece.orientations)
}

LARGEST = max(piece.size for piece in PIECES.values())

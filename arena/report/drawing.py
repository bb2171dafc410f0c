"""Pieces as the outlines of SVG paths: one unit a square, rows downwards. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from engine import PIECES
from engine.grid import Cell


def outline(cells: Iterable[Cell]) -> str:
    """Return the border of some squares as path data; diagonal neighbors, and squares apart, get loops of their own."""
    found = sorted(cells)
    if not found:
        return ""
    row0, col0 = found[0]
    loops = _loops(tuple([(row - row0, col - col0) for row, col in found]))
    return "".join([f"M{col0 + col} {row0 + row}{walk}z" for row, col, walk in loops])


@lru_cache(maxsize=1024)
def _loops(shape: tuple[Cell, ...]) -> list[tuple[int, int, str]]:
    """Return the closed walks round a shape, each with where it begins; there are few shapes, and many placements."""
    edges = _edges(set(shape))
    found = []
    while edges:
        start = min(edges)
        found.append((*start, _loop(start, edges)))
    return found


def _edges(cells: set[Cell]) -> dict[Cell, list[Cell]]:
    """Return the border's unit steps, clockwise around each square: where they begin, and which way they go."""
    edges: dict[Cell, list[Cell]] = {}
    for row, col in sorted(cells):
        for corner, step, beside in (
            ((row, col), (0, 1), (row - 1, col)),
            ((row, col + 1), (1, 0), (row, col + 1)),
            ((row + 1, col + 1), (0, -1), (row + 1, col)),
            ((row + 1, col), (-1, 0), (row, col - 1)),
        ):
            if beside not in cells:
                edges.setdefault(corner, []).append(step)
    return edges


def _loop(start: Cell, edges: dict[Cell, list[Cell]]) -> str:
    """Take one closed walk out of the edges, and return it with equal steps put together."""
    at, last = start, (0, 0)
    runs: list[list[int]] = []  # row step, column step, length
    while True:
        choices = edges[at]
        turn = (last[1], -last[0])  # to the right: keeps squares that only touch at a corner apart
        step = turn if turn in choices else choices[0]
        choices.remove(step)
        if not choices:
            del edges[at]
        if runs and tuple(runs[-1][:2]) == step:
            runs[-1][2] += 1
        else:
            runs.append([*step, 1])
        at, last = (at[0] + step[0], at[1] + step[1]), step
        if at == start:
            break
    return "".join(f"h{col * length}" if col else f"v{row * length}" for row, col, length in runs[:-1])


def piece_outlines() -> dict[str, tuple[str, int, int, int]]:
    """Return each piece's drawing: its outline, its width and height, and how many squares it has."""
    found = {}
    for name, piece in PIECES.items():
        rows, cols = zip(*piece.drawing, strict=True)
        found[name] = (outline(piece.drawing), max(cols) + 1, max(rows) + 1, piece.size)
    return found


def grid_lines(rows: int, cols: int) -> str:
    """Return the lines between the squares of a board."""
    across = "".join(f"M0 {row}h{cols}" for row in range(1, rows))
    return across + "".join(f"M{col} 0v{rows}" for col in range(1, cols))


def crosses(cells: Sequence[Cell]) -> str:
    """Return a cross in each square."""
    return "".join(f"M{col}.25 {row}.25l.5 .5m0 -.5l-.5 .5" for row, col in cells)

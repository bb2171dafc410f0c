"""Setting up a position: pieces from the cells they cover, an order to place them in, and whose turn it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from engine.board import Board
from engine.errors import BadRequest
from engine.explain import explain, number_of
from engine.grid import Grid, Mask
from engine.move import Move
from engine.variants import Variant


def pieces_on(cells: Mask, grid: Grid) -> list[Move]:
    """Return the pieces that cover a color's cells, or raise `IllegalMove` ("not a piece").

    Pieces of one color never share an edge, so each part that hangs together is one piece.
    """
    return [Move.from_cells(grid.cells(part)) for part in _parts(cells, grid)]


def lay_out(board: Board, variant: Variant, color: int, moves: Iterable[Move]) -> None:
    """Place a color's pieces in some order that the rules allow; raises `IllegalMove` if there is none.

    Taking whatever fits is enough: a piece of the same color only ever adds corners to go on from. The largest
    come first, so that under the order of sizes the one complained about is the one at fault.
    """
    table = board.placements
    left = sorted([number_of(move, table) for move in moves], key=lambda number: -_size(board, number))
    while left:
        fitting = [number for number in left if board.is_legal(color, number)]
        if not fitting:
            raise explain(board, variant, color, left[0])
        board.place(color, fitting[0])
        left.remove(fitting[0])


def color_to_move(variant: Variant, counts: Sequence[int], out: Mask) -> int:
    """Return the color whose turn it is from the numbers of pieces placed; `out` are the colors that cannot move.

    Colors that take turns have placed equally many, or one more if they come earlier in the order; one that
    dropped out has placed as many at most. Raises `BadRequest` if that is not so.
    """
    active = [color for color in range(len(counts)) if not out >> color & 1]
    if not active:
        return 0
    fewest = min([counts[color] for color in active])
    turn = next(color for color in active if counts[color] == fewest)
    for color, count in enumerate(counts):
        most = fewest + 1 if color < turn else fewest
        if count > most:
            name, waiting = variant.colors[color], variant.colors[turn]
            detail = f"{most} at most while {waiting}, with {fewest}, has not dropped out"
            raise BadRequest(f"taking turns cannot lead to {count} pieces of {name}: {detail}")
    return turn


def _parts(cells: Mask, grid: Grid) -> Iterator[Mask]:
    while cells:
        part, grown = 0, cells & -cells
        while grown != part:
            part = grown
            grown |= grid.around(part)[0] & cells
        yield part
        cells ^= part


def _size(board: Board, number: int) -> int:
    return board.placements.pieces[board.placements.piece(number)].size

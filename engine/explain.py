"""Why a move is illegal: which rule it breaks, and at which cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.board import Board
from engine.errors import IllegalMove, shown
from engine.move import Move, cell_list, clean_cells, off_board
from engine.pieces import shape_of
from engine.placements import Placements
from engine.variants import Variant


def number_of(move: Move, placements: Placements) -> int:
    """Return the number of a move that is a piece of this game on the board, or raise `IllegalMove`."""
    if not isinstance(move, Move):
        raise IllegalMove("not a piece", (), f"expected a Move, got {type(move).__name__}")
    number = number_of_cells(move.cells, placements)
    clean = placements.move(number)
    if not isinstance(move.piece, str) or clean.piece != move.piece:
        detail = f"{cell_list(clean.cells)} form {clean.piece}, not {shown(move.piece)}"
        raise IllegalMove("not a piece", clean.cells, detail)
    return number


def number_of_cells(cells: Iterable[Sequence[int]], placements: Placements) -> int:
    """Return the number of the placement that covers these cells, or raise `IllegalMove`."""
    clean = clean_cells(cells)
    grid = placements.grid
    first = placements.first_number(shape_of(clean))
    if first is None:
        name = Move.from_cells(clean).piece
        raise IllegalMove("not a piece", tuple(clean), f"{name} is not used in this variant")
    if problem := off_board(clean, grid.rows, grid.cols):
        raise problem
    number, step = first
    row, col = clean[0]
    return number + step * (row * grid.cols + col)


def explain(board: Board, variant: Variant, color: int, number: int) -> IllegalMove:
    """Return the rule that an illegal placement on the board breaks, the first in the order of the rule book."""
    table, grid = board.placements, board.placements.grid
    piece = table.piece(number)
    mask = table.needs(number) & grid.full
    cells = grid.cells(mask)
    name = table.pieces[piece].name
    who = variant.colors[color]
    hand = board.hand(color)
    if piece not in hand:
        return IllegalMove("piece already used", cells, f"{who} has placed {name} before")
    if covered := grid.cells(mask & board.occupied):
        return IllegalMove("overlap", covered, f"{cell_list(covered)} already covered")
    if touching := grid.cells(mask & board.touched(color)):
        return IllegalMove("edge contact", touching, f"{cell_list(touching)} beside a piece of {who}'s own")
    if not mask & board.anchors(color):
        if board.own[color]:
            return IllegalMove("no corner contact", cells, f"{name} at {cell_list(cells)} meets no corner of {who}")
        start = grid.cells(board.anchors(color)) or variant.starts[color]
        return IllegalMove("start square", start, f"the first piece of {who} must cover {cell_list(start)}")
    largest = max(table.pieces[held].size for held in hand)
    detail = f"{name} has {table.pieces[piece].size} squares, and {who} still holds a piece of {largest}"
    return IllegalMove("size order", cells, detail)

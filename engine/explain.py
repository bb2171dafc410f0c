"""Why a move is illegal: which rule it breaks, and at which cells."""

from __future__ import annotations

from collections.abc import Iterable

from engine.board import Board
from engine.errors import IllegalMove
from engine.grid import Cell
from engine.move import Move
from engine.placements import Placements
from engine.variants import Variant


def number_of(move: Move, placements: Placements) -> int:
    """Return the number of a move that is a piece of this game on the board, or raise `IllegalMove`."""
    if not isinstance(move, Move):
        raise IllegalMove("not a piece", (), f"expected a Move, got {type(move).__name__}")
    clean = Move.from_cells(move.cells)
    if clean.piece != move.piece:
        detail = f"{cell_list(clean.cells)} form {clean.piece}, not {str(move.piece)[:20]}"
        raise IllegalMove("not a piece", clean.cells, detail)
    outside = tuple([cell for cell in clean.cells if cell not in placements.grid])
    if outside:
        size = f"{placements.grid.rows} x {placements.grid.cols}"
        raise IllegalMove("off the board", outside, f"{cell_list(outside)}: the board is {size}")
    number = placements.number(clean)
    if number is None:
        raise IllegalMove("not a piece", clean.cells, f"{clean.piece} is not used in this variant")
    return number


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


def cell_list(cells: Iterable[Cell]) -> str:
    """Return cells for a message: (4,4) (4,5)."""
    return " ".join(f"({row},{col})" for row, col in cells)

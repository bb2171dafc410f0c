"""The obvious way to list legal moves, with Python sets: what the engine's speed is measured against."""

from __future__ import annotations

from engine import PIECES, Game

Cell = tuple[int, int]


def cells_of(game: Game, color: str) -> set[Cell]:
    """Return the cells that a color covers."""
    return set(game.placements.grid.cells(game.cells(color)))


def legal_moves(game: Game, color: str) -> list[tuple[str, tuple[Cell, ...]]]:
    """Return every legal move of a color that has placed a piece: each piece, turned every way, put everywhere."""
    rows, cols = game.variant.rows, game.variant.cols
    own = cells_of(game, color)
    taken = set().union(*[cells_of(game, other) for other in game.variant.colors])
    beside = {(r + dr, c + dc) for r, c in own for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0))}
    corners = {(r + dr, c + dc) for r, c in own for dr, dc in ((1, 1), (1, -1), (-1, 1), (-1, -1))}
    found = []
    for name in game.hand(color):
        for shape in PIECES[name].orientations:
            for row in range(rows):
                for col in range(cols):
                    cells = {(row + dr, col + dc) for dr, dc in shape}
                    if any(not (0 <= r < rows and 0 <= c < cols) for r, c in cells):
                        continue
                    if cells & taken or cells & beside or not cells & corners:
                        continue
                    found.append((name, tuple(sorted(cells))))
    return found

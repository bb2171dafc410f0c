"""A board as a text picture, both ways.

One line a row, one character a square: the first letter of the color, or `.` where nothing is. `draw` adds the
names of rows and columns and marks the start squares that are still free with `+`:

    3 . . Y
    2 . B .
    1 B . +
      a b c
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.errors import BadNotation, BadRequest, IllegalMove
from engine.game import Game
from engine.grid import Cell, grid, set_bits
from engine.move import Move
from engine.notation import column_name, shown_at
from engine.position import pieces_on
from engine.variants import DEFAULT_SCORING, Variant, find_scoring, find_variant

_EMPTY = ".·+-"
_MARK = re.compile(r"[0-9]+|\S")


def board_rows(game: Game) -> list[str]:
    """Return one string a row from the top: `.` for an empty square, else the color's first letter in upper case."""
    cols = game.variant.cols
    marks = ["."] * game.variant.rows * cols
    for color in game.variant.colors:
        for bit in set_bits(game.cells(color)):
            marks[bit] = _letter(color)
    return ["".join(marks[at : at + cols]) for at in range(0, len(marks), cols)]


def draw(game: Game, labels: bool = True) -> str:
    """Return the board as a picture to read; without labels, just its rows."""
    rows = board_rows(game)
    if not labels:
        return "\n".join(rows)
    for row, col in [cell for cells in game.variant.starts for cell in cells]:
        if rows[row][col] == ".":
            rows[row] = rows[row][:col] + "+" + rows[row][col + 1 :]
    width = len(str(len(rows)))
    lines = [f"{len(rows) - at:{width}} {' '.join(row)}" for at, row in enumerate(rows)]
    letters = [column_name(col) for col in range(game.variant.cols)]
    return "\n".join([*lines, f"{'':{width}} {' '.join(letters)}"])


def parse(text: str, variant: str | Variant, scoring: str = DEFAULT_SCORING) -> Game:
    """Return a game that begins in the position of a picture; raises `BadNotation` for one that no game leads to.

    Takes the rows with or without blanks between the squares, row numbers at either side and column letters above or
    below; blank lines and indentation do not matter. Empty squares are `.`, `·`, `+` or `-`; colors may be in lower
    case. What a picture cannot show is taken to be the plainest: nobody has forfeited, there is nothing to undo, and a
    monomino already on the board was not the last piece of its color. Whether every color that dropped out did so
    because it had to is not checked.
    """
    variant = find_variant(variant)
    find_scoring(variant, scoring)
    offsets = _read_squares(text, variant)
    try:
        return Game.from_position(variant, _read_pieces(text, offsets, variant), scoring)
    except IllegalMove as problem:
        raise BadNotation(text, offsets[problem.cells[0]], str(problem)) from problem
    except BadRequest as problem:
        raise BadNotation(text, offsets[0, 0], str(problem)) from problem


def _read_pieces(text: str, offsets: dict[Cell, int], variant: Variant) -> dict[str, list[Move]]:
    board = grid(variant.rows, variant.cols)
    placed = {}
    for color in variant.colors:
        cells = [cell for cell, at in offsets.items() if text[at].upper() == _letter(color)]
        placed[color] = pieces_on(board.mask(cells), board)
    return placed


def _read_squares(text: str, variant: Variant) -> dict[Cell, int]:
    """Return where in the text each square of the board stands."""
    offsets: dict[Cell, int] = {}
    row = 0
    for start, end in _lines(text):
        if _is_ruler(text[start:end], variant):
            continue
        if row == variant.rows:
            raise BadNotation(text, start, f"expected {variant.rows} rows, got more: {shown_at(text, start)}")
        for col, at in enumerate(_read_row(text, start, end, row, variant)):
            offsets[row, col] = at
        row += 1
    if row < variant.rows:
        raise BadNotation(text, len(text), f"expected {variant.rows} rows, got {row}")
    return offsets


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each line that is not blank begins and ends, without the blanks around it."""
    start = 0
    for line in text.split("\n"):
        if line.strip():
            yield start + len(line) - len(line.lstrip()), start + len(line.rstrip())
        start += len(line) + 1


def _is_ruler(line: str, variant: Variant) -> bool:
    letters = [column_name(col) for col in range(variant.cols)]
    return "".join(line.split()).lower() == "".join(letters)


def _read_row(text: str, start: int, end: int, row: int, variant: Variant) -> list[int]:
    label = str(variant.rows - row)
    known = _EMPTY + "".join([_letter(color) for color in variant.colors])
    squares: list[int] = []
    for mark in _MARK.finditer(text, start, end):
        at = mark.start()
        if mark[0].isdigit() and len(squares) in (0, variant.cols):
            if mark[0] != label:
                raise BadNotation(text, at, f"expected row number {label}, got {shown_at(text, at)}")
        elif len(squares) == variant.cols:
            raise BadNotation(text, at, f"row {label} has more than {variant.cols} squares")
        elif mark[0].upper() not in known:
            raise BadNotation(text, at, f"expected a square, one of {' '.join(known)}, got {text[at]!r}")
        else:
            squares.append(at)
    if len(squares) < variant.cols:
        raise BadNotation(text, end, f"row {label} has {len(squares)} squares, expected {variant.cols}")
    return squares


def _letter(color: str) -> str:
    return color[0].upper()

"""Cells, moves and whole games as short text, both ways.

A cell is its column's letter and its row's number counted from the bottom: `e10`. A move is the piece, a letter for
the orientation if there is a choice, and the first of its cells (rows from the top, then columns): `X@d11`, `I5b@e10`.
A game is its variant, its scoring if that is not the usual one, and the moves in order, with `!1` where seat 1
forfeited: `duo 10/5 X@d11 !1 I2a@f9`. Passes follow from the rules and are not written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

from engine.errors import BadNotation, BadRequest, IllegalMove
from engine.explain import number_of
from engine.game import Game
from engine.grid import Cell, grid
from engine.move import Move
from engine.pieces import PIECES, SHAPES, Piece, shape_of
from engine.placements import placements_of
from engine.variants import DEFAULT_SCORING, SCORINGS, VARIANTS, Variant, find_variant

_CELL = re.compile(r"([a-zA-Z]{1,2})([1-9][0-9]{0,2})(?![0-9])")
_PIECE = re.compile(r"[a-zA-Z][0-9]?")
_SEAT = re.compile(r"![0-9]")
_SCORING_NEXT = re.compile(r"\s+([0-9]\S*)")  # neither a piece nor a forfeit begins with a digit
_WORD = re.compile(r"\S+")
_SHOWN = re.compile(r"\S{1,12}|\s")


class HasSize(Protocol):
    """A `Variant`, a `Grid`, or anything else with rows and columns."""

    @property
    def rows(self) -> int:
        """The number of rows."""

    @property
    def cols(self) -> int:
        """The number of columns."""


# ---- cells


def column_name(col: int) -> str:
    """Return the letters of a column counted from 0: a to z, then aa, ab and so on."""
    name = ""
    col += 1
    while col:
        col, letter = divmod(col - 1, 26)
        name = chr(ord("a") + letter) + name
    return name


def cell_name(cell: Cell, board: HasSize) -> str:
    """Return the name of a cell of the board: (0, 0) is a14 on 14 rows."""
    if cell not in grid(board.rows, board.cols):
        raise BadRequest(f"cell {cell!r} is not on a board of {_size_of(board)}")
    return f"{column_name(cell[1])}{board.rows - cell[0]}"


def parse_cell(text: str, board: HasSize) -> Cell:
    """Return the cell of this name, in either case and with blanks around it; raises `BadNotation`."""
    cell, at = read_cell(text, _first(text), board)
    _expect_end(text, at)
    return cell


def read_cell(text: str, at: int, board: HasSize) -> tuple[Cell, int]:
    """Return the cell named at this place in a longer text, and where its name ends; raises `BadNotation`."""
    found = _CELL.match(text, at)
    if found is None:
        raise BadNotation(text, at, f"expected a cell such as e10, got {shown_at(text, at)}")
    col = 0
    for letter in found[1].lower():
        col = 26 * col + ord(letter) - ord("a") + 1
    cell = (board.rows - int(found[2]), col - 1)
    if cell not in grid(board.rows, board.cols):
        raise BadNotation(text, at, f"{found[0]} is off the board: {_extent(board)}")
    return cell, found.end()


# ---- moves


def format_move(move: Move, variant: str | Variant) -> str:
    """Return a move as text; raises `IllegalMove` for what is no piece of the variant on its board."""
    variant = find_variant(variant)
    number_of(move, placements_of(variant))
    cells = sorted(move.cells)
    piece, turned = SHAPES[shape_of(cells)]
    return f"{piece.name}{_orientation_letter(piece, turned)}@{cell_name(cells[0], variant)}"


def parse_move(text: str, variant: str | Variant) -> Move:
    """Return the move that the text names, in either case and with blanks around it; raises `BadNotation`.

    Whether the rules allow the move is for the game to say.
    """
    move, at = _read_move(text, _first(text), find_variant(variant))
    _expect_end(text, at)
    return move


def _read_move(text: str, at: int, variant: Variant) -> tuple[Move, int]:
    start = at
    piece, at = _read_piece(text, at, variant)
    turned, at = _read_orientation(text, at, piece)
    if text[at : at + 1] != "@":
        raise BadNotation(text, at, f"expected @ and a cell after {text[start:at]}, got {shown_at(text, at)}")
    (row0, col0), end = read_cell(text, at + 1, variant)
    cells = tuple([(row0 + row, col0 + col) for row, col in piece.orientations[turned]])
    if any(cell not in grid(variant.rows, variant.cols) for cell in cells):
        raise BadNotation(text, start, f"{text[start:end]} sticks out of the board: {_extent(variant)}")
    return Move(piece.name, cells), end


def _read_piece(text: str, at: int, variant: Variant) -> tuple[Piece, int]:
    found = _PIECE.match(text, at)
    if found is None or found[0].upper() not in variant.pieces:
        raise BadNotation(text, at, f"expected a piece ({' '.join(variant.pieces)}), got {shown_at(text, at)}")
    return PIECES[found[0].upper()], found.end()


def _read_orientation(text: str, at: int, piece: Piece) -> tuple[int, int]:
    if len(piece.orientations) == 1:
        return 0, at
    letters = [_orientation_letter(piece, turned) for turned in range(len(piece.orientations))]
    letter = text[at : at + 1].lower()
    if letter not in letters:
        wanted = f"expected an orientation, {letters[0]} to {letters[-1]}, after {piece.name}"
        raise BadNotation(text, at, f"{wanted}, got {shown_at(text, at)}")
    return letters.index(letter), at + 1


def _orientation_letter(piece: Piece, turned: int) -> str:
    return chr(ord("a") + turned) if len(piece.orientations) > 1 else ""


# ---- games


def format_game(game: Game) -> str:
    """Return a game as one line of text.

    Raises `BadRequest` for a game that was set up in the middle, whose beginning nobody knows.
    """
    moves = game.moves()
    if len(moves) != game.turn:
        raise BadRequest("a game that began from a set-up position has no full list of moves")
    if VARIANTS.get(game.variant.name) != game.variant:
        raise BadRequest(f"variant {game.variant.name!r} is not one of {', '.join(VARIANTS)}")
    words = [game.variant.name]
    if game.scoring.name != DEFAULT_SCORING:
        words.append(game.scoring.name)
    forfeits = game.forfeits()
    for turn in range(game.turn + 1):
        words += [f"!{seat}" for seat, when in forfeits if when == turn]
        words += [format_move(move, game.variant) for move in moves[turn : turn + 1]]
    return " ".join(words)


def parse_game(text: str) -> Game:
    """Return the game that the text tells, replayed by the rules; raises `BadNotation` where it goes wrong.

    Words are parted by any blanks, so that a long game may stand on several lines.
    """
    words = _WORD.finditer(text)
    game = _start_game(text, words)
    for word in words:
        if word[0].startswith("!"):
            _follow_forfeit(text, word, game)
        else:
            _follow_move(text, word, game)
    return game


def _start_game(text: str, words: Iterator[re.Match[str]]) -> Game:
    word = next(words, None)
    if word is None or word[0].lower() not in VARIANTS:
        at = len(text) if word is None else word.start()
        raise BadNotation(text, at, f"expected a variant ({', '.join(VARIANTS)}), got {shown_at(text, at)}")
    scoring = _SCORING_NEXT.match(text, word.end())
    if scoring is None:
        return Game(word[0].lower())
    next(words)
    if scoring[1] not in SCORINGS:
        at = scoring.start(1)
        raise BadNotation(text, at, f"expected a scoring ({', '.join(SCORINGS)}), got {shown_at(text, at)}")
    return Game(word[0].lower(), scoring[1])


def _follow_forfeit(text: str, word: re.Match[str], game: Game) -> None:
    seats = len(game.variant.seats)
    if not _SEAT.fullmatch(word[0]) or int(word[0][1:]) >= seats:
        raise BadNotation(text, word.start(), f"expected !0 to !{seats - 1}, got {shown_at(text, word.start())}")
    if not game.retire(int(word[0][1:])):
        detail = f"seat {word[0][1:]} cannot forfeit: it has nothing left to play, or has forfeited before"
        raise BadNotation(text, word.start(), detail)


def _follow_move(text: str, word: re.Match[str], game: Game) -> None:
    move, at = _read_move(text, word.start(), game.variant)
    if at != word.end():
        raise BadNotation(text, at, f"expected a blank after the move, got {shown_at(text, at)}")
    try:
        game.play(move)
    except IllegalMove as problem:
        who = "" if game.color is None else f" by {game.color}"
        raise BadNotation(text, word.start(), f"{word[0]}{who}: {problem}") from problem


# ---- for messages


def shown_at(text: str, at: int) -> str:
    """Return what stands at a place in a text, for a message that says what came."""
    found = _SHOWN.match(text, at)
    return "the end of the text" if found is None else repr(found[0])


def _first(text: str) -> int:
    return len(text) - len(text.lstrip())


def _expect_end(text: str, at: int) -> None:
    if at < len(text.rstrip()):
        raise BadNotation(text, at, f"expected nothing more, got {shown_at(text, at)}")


def _size_of(board: HasSize) -> str:
    return f"{board.rows} x {board.cols}"


def _extent(board: HasSize) -> str:
    return f"columns a to {column_name(board.cols - 1)}, rows 1 to {board.rows}"

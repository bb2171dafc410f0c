"""The numbers that are known about Blokus, and the pieces cell by cell."""

from __future__ import annotations

import pytest

from engine import PIECES, VARIANTS, Game
from tests.engine import oracle
from tests.engine.oracle import NAMES, ORIENTATIONS, RULES, SIZES


def perft(game: Game, depth: int) -> int:
    """Count the move sequences of this length."""
    if depth == 1:
        return game.legal_count()
    total = 0
    for move in game.legal_moves():
        game.play(move)
        total += perft(game, depth - 1)
        game.undo()
    return total


# ---- pieces


def test_there_are_21_pieces_in_the_usual_order() -> None:
    assert tuple(PIECES) == NAMES
    assert len(PIECES) == 21


def test_a_piece_knows_its_own_name() -> None:
    assert [piece.name for piece in PIECES.values()] == list(PIECES)


@pytest.mark.parametrize(("size", "pieces"), [(1, 1), (2, 1), (3, 2), (4, 5), (5, 12)])
def test_every_free_polyomino_up_to_five_squares_is_there(size: int, pieces: int) -> None:
    assert sum(piece.size == size for piece in PIECES.values()) == pieces


def test_pieces_are_all_shapes_that_grow_square_by_square() -> None:
    grown = {frozenset({(0, 0)})}
    shapes = set(grown)
    for _ in range(4):
        grown = {oracle.in_corner(cells | {near}) for cells in grown for near in oracle.beside(cells) - cells}
        shapes |= grown
    assert shapes == {oracle.in_corner(shape) for piece in PIECES.values() for shape in piece.orientations}


def test_the_pieces_of_a_color_cover_89_squares() -> None:
    assert sum(piece.size for piece in PIECES.values()) == 89


def test_there_are_91_orientations() -> None:
    assert sum(len(piece.orientations) for piece in PIECES.values()) == 91


@pytest.mark.parametrize("name", NAMES)
def test_drawing_is_the_one_of_the_rule_book(name: str) -> None:
    assert set(PIECES[name].drawing) == oracle.cells_of(oracle.DRAWINGS[name])
    assert PIECES[name].size == SIZES[name]


@pytest.mark.parametrize("name", NAMES)
def test_orientations_are_all_ways_to_turn_and_flip_a_piece(name: str) -> None:
    found = [oracle.in_corner(shape) for shape in PIECES[name].orientations]
    assert set(found) == ORIENTATIONS[name]
    assert len(found) == len(set(found))


def test_all_pieces_differ_however_they_are_turned() -> None:
    shapes = [oracle.in_corner(shape) for piece in PIECES.values() for shape in piece.orientations]
    assert len(set(shapes)) == len(shapes)


@pytest.mark.parametrize(
    ("name", "mistaken_for", "wrong_drawing"),
    [
        ("N", "W", ["#..", "##.", ".##"]),
        ("T5", "X", [".#.", "###", ".#."]),
    ],
)
def test_piece_is_not_the_shape_that_one_source_draws(name: str, mistaken_for: str, wrong_drawing: list[str]) -> None:
    wrong = oracle.in_corner(oracle.cells_of(wrong_drawing))
    assert wrong not in {oracle.in_corner(shape) for shape in PIECES[name].orientations}
    assert wrong in {oracle.in_corner(shape) for shape in PIECES[mistaken_for].orientations}


@pytest.mark.parametrize(
    ("name", "count"),
    [
        *[("I1", 1), ("I2", 2), ("I3", 2), ("L3", 4), ("I4", 2), ("O4", 1), ("T4", 4), ("L4", 8), ("S4", 4)],
        *[("F", 8), ("I5", 2), ("L5", 8), ("N", 8), ("P", 8), ("T5", 4), ("U", 4), ("V", 4), ("W", 4)],
        *[("X", 1), ("Y", 8), ("Z", 4)],
    ],
)
def test_piece_has_as_many_orientations_as_its_symmetry_leaves(name: str, count: int) -> None:
    assert len(PIECES[name].orientations) == count


# ---- variants


def test_all_ten_variants_are_there() -> None:
    assert list(VARIANTS) == list(RULES)
    assert len(VARIANTS) == 10


@pytest.mark.parametrize(
    ("name", "rows", "cols", "colors", "seats"),
    [
        ("classic", 20, 20, 4, 4),
        ("teams", 20, 20, 4, 4),
        ("two", 20, 20, 4, 2),
        ("three", 20, 20, 4, 3),
        ("three-open", 20, 20, 3, 3),
        ("duo", 14, 14, 2, 2),
        ("solo", 20, 20, 4, 1),
        ("solo-descending", 20, 20, 4, 1),
        ("solo-tetromino", 8, 10, 4, 1),
        ("solo-pentomino", 15, 16, 4, 1),
    ],
)
def test_variant_has_its_board_colors_and_seats(name: str, rows: int, cols: int, colors: int, seats: int) -> None:
    variant = VARIANTS[name]
    assert (variant.rows, variant.cols) == (rows, cols)
    assert (len(variant.colors), len(variant.seats)) == (colors, seats)


@pytest.mark.parametrize("name", RULES)
def test_a_color_begins_with_one_of_each_piece(name: str) -> None:
    game = Game(name)
    for color in game.variant.colors:
        assert game.hand(color) == list(RULES[name].pieces)


@pytest.mark.parametrize(
    ("name", "pieces", "squares"),
    [("classic", 84, 356), ("duo", 42, 178), ("solo-tetromino", 20, 80), ("solo-pentomino", 48, 240)],
)
def test_all_colors_together_hold_so_many_pieces(name: str, pieces: int, squares: int) -> None:
    game = Game(name)
    held = [piece for color in game.variant.colors for piece in game.hand(color)]
    assert (len(held), sum(PIECES[piece].size for piece in held)) == (pieces, squares)


@pytest.mark.parametrize("name", ["solo-tetromino", "solo-pentomino"])
def test_the_pieces_of_a_puzzle_fill_its_board_exactly(name: str) -> None:
    variant = VARIANTS[name]
    assert variant.rows * variant.cols == len(variant.colors) * sum(PIECES[piece].size for piece in variant.pieces)


# ---- placements


@pytest.mark.parametrize(("name", "count"), [("classic", 30433), ("duo", 13729)])
def test_number_of_placements_on_an_empty_board(name: str, count: int) -> None:
    assert Game(name).placements.every.bit_count() == count


@pytest.mark.parametrize("name", ["classic", "duo", "solo-tetromino", "solo-pentomino"])
def test_placements_are_those_of_brute_force(name: str) -> None:
    rules = RULES[name]
    expected = [
        move
        for piece in rules.pieces
        for move in sorted(
            oracle.sorted_move(piece, cells) for cells in oracle.kept_placements(rules.rows, rules.cols, piece)
        )
    ]
    table = Game(name).placements
    assert table.moves(table.every) == expected


# ---- first moves and perft


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("classic", {"blue": 58, "yellow": 58, "red": 58, "green": 58}),
        ("duo", {"purple": 414, "orange": 414}),
    ],
)
def test_number_of_first_moves(name: str, counts: dict[str, int]) -> None:
    game = Game(name)
    assert {color: game.legal_count(color) for color in game.variant.colors} == counts


@pytest.mark.parametrize(
    ("name", "depth", "count"),
    [
        ("classic", 1, 58),
        ("classic", 2, 3364),
        ("classic", 3, 195112),
        ("duo", 1, 414),
        ("duo", 2, 171396),
    ],
)
def test_perft(name: str, depth: int, count: int) -> None:
    assert perft(Game(name), depth) == count


# ---- the oracle itself


@pytest.mark.parametrize("name", ["classic", "duo", "solo-descending", "solo-tetromino"])
def test_oracle_lists_the_same_with_kept_placements_as_from_scratch(name: str) -> None:
    game = oracle.OracleGame(RULES[name])
    for _ in range(8):
        assert game.color is not None
        moves = oracle.legal_moves(game.rules, game.placed, game.color)
        assert moves == game.legal_moves(game.color)
        game.play(moves[len(moves) // 3])

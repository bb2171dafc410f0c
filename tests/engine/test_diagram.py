"""Boards as text pictures, both ways."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

from engine import VARIANTS, BadNotation, BadRequest, Game, IllegalMove, Move
from engine.diagram import board_rows, draw, parse
from tests.engine.sampling import accepted, facts_of, junk, mutations, position_of, random_game, truncations

ALPHABET = "BYRGPO.+-·bx0129 \n\tä"

DUO = """\
14 . . . . . . . . . . . . . .
13 . . . . . . . . . . . . . .
12 . . . . . . . . . . . . . .
11 . . . P . . . . . . . . . .
10 . . P P P . . . . . . . . .
 9 . . . P . P P . . . . . . .
 8 . . . . . . . . . . . . . .
 7 . . . . . . . . . . . . . .
 6 . . . . . . . . . . . . . .
 5 . . . . . . . . . O O . . .
 4 . . . . . . . . . . . . . .
 3 . . . . . . . . . . . . . .
 2 . . . . . . . . . . . . . .
 1 . . . . . . . . . . . . . .
   a b c d e f g h i j k l m n"""

PUZZLE = """\
8 B B B B . . . . . .
7 . . . . B . . . . .
6 . . . . B B . . . .
5 . . . . B . . . . .
4 . . . . . . . . . .
3 . . Y Y . . . . . .
2 . . Y Y G . R R . .
1 . . . . G G G R R .
  a b c d e f g h i j"""


def duo_game() -> Game:
    game = Game("duo")
    game.play(Move.from_cells([(3, 3), (4, 2), (4, 3), (4, 4), (5, 3)]))
    game.play(Move.from_cells([(9, 9), (9, 10)]))
    game.play(Move.from_cells([(5, 5), (5, 6)]))
    return game


def picture(marks: Mapping[tuple[int, int], str], rows: int = 14, cols: int = 14) -> str:
    return "\n".join(["".join([marks.get((row, col), ".") for col in range(cols)]) for row in range(rows)])


def refusal(text: str, variant: str = "duo") -> BadNotation:
    with pytest.raises(BadNotation) as caught:
        parse(text, variant)
    return caught.value


# ---- drawing


def test_rows_are_those_of_the_protocol() -> None:
    rows = board_rows(duo_game())
    assert rows[3] == "...P.........."
    assert rows[4] == "..PPP........."
    assert rows[5] == "...P.PP......."
    assert rows[9] == ".........OO..."
    assert [len(row) for row in rows] == [14] * 14
    assert draw(duo_game(), labels=False).split("\n") == rows


def test_drawing_names_rows_and_columns() -> None:
    assert draw(duo_game()) == DUO


def test_drawing_marks_start_squares_until_they_are_covered() -> None:
    lines = draw(Game("duo")).split("\n")
    assert lines[4] == "10 . . . . + . . . . . . . . ."
    assert lines[9] == " 5 . . . . . . . . . + . . . ."
    assert "+" not in "".join(board_rows(Game("duo")))
    assert draw(Game("three-open")).count("+") == 3
    assert draw(Game("solo-pentomino")).count("+") == 0


# ---- reading


@pytest.mark.parametrize(
    "text",
    [
        DUO,
        DUO.lower(),
        DUO.replace(".", "·"),
        DUO.replace(".", "-"),
        DUO.replace(" . . .\n", " + . .\n"),
        DUO.replace("\n", "\r\n"),
        "\n\n   " + DUO.replace("\n", "\n\n\t  ") + "  \n \n",
        "\n".join(DUO.split("\n")[:-1]),
        "\n".join(DUO.split("\n")[-1:] + DUO.split("\n")[:-1]),
        "\n".join([line[3:] for line in DUO.split("\n")[:-1]]),
        "\n".join([line[3:] + line[:2] for line in DUO.split("\n")]),
        draw(duo_game(), labels=False),
    ],
)
def test_pictures_of_many_kinds_are_read(text: str) -> None:
    assert position_of(parse(text, "duo")) == position_of(duo_game())


def test_puzzle_is_read() -> None:
    game = parse(PUZZLE, VARIANTS["solo-tetromino"])
    assert game.hand("blue") == ["O4", "L4", "S4"]
    assert (game.color, game.turn) == ("yellow", 5)
    assert draw(game) == PUZZLE


def test_game_from_a_picture_goes_on_but_not_back() -> None:
    game = parse(DUO, "duo", "10/5")
    assert (game.color, game.seat, game.turn, game.scoring.name) == ("orange", 1, 3, "10/5")
    assert game.events() == []
    game.play(Move.from_cells([(8, 8)]))
    game.undo()
    with pytest.raises(BadRequest):
        game.undo()
    assert game.retire(0)
    assert game.copy().retired() == {0: 3}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("labels", [True, False])
def test_random_position_survives_the_round_trip(variant: str, labels: bool) -> None:
    rng = Random(variant)
    for seed in range(12):
        game = random_game(variant, seed, plies=rng.randrange(85) if seed else 999)
        twin = parse(draw(game, labels=labels), variant)
        assert position_of(twin) == position_of(game)
        assert draw(twin, labels=labels) == draw(game, labels=labels)
        assert board_rows(twin) == board_rows(game)


def test_unknown_variant_or_scoring_is_a_bad_request() -> None:
    with pytest.raises(BadRequest, match="unknown variant"):
        parse(DUO, "chess")
    with pytest.raises(BadRequest, match="unknown scoring"):
        parse(DUO, "duo", "1/1")


# ---- pictures that are not of the right form


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "detail"),
    [
        ("10 . . P", "10 . . Q", 5, 8, "expected a square, one of . · + - P O, got 'Q'"),
        ("10 . . P", "10 . . 7", 5, 8, "expected a square, one of . · + - P O, got '7'"),
        ("10 . . P", "10 . B P", 5, 6, "expected a square, one of . · + - P O, got 'B'"),
        ("10 . . P", "10 . . ß", 5, 8, "expected a square, one of . · + - P O, got 'ß'"),
        ("10 . . P", "11 . . P", 5, 1, "expected row number 10, got '11'"),
        (" 9 . .", " 9 .", 6, 29, "row 9 has 13 squares, expected 14"),
        (" 9 . .", " 9 . . . ", 6, 33, "row 9 has more than 14 squares"),
        ("\n 9 ", "  9\n 9 ", 5, 33, "expected row number 10, got '9'"),
        ("   a b c", "   a b d", 15, 4, "expected 14 rows, got more: 'a'"),
    ],
)
def test_malformed_picture_is_refused_at_its_place(old: str, new: str, line: int, column: int, detail: str) -> None:
    error = refusal(DUO.replace(old, new))
    assert (error.line, error.column, error.detail) == (line, column, detail)


@pytest.mark.parametrize(
    ("text", "line", "column", "detail"),
    [
        ("", 1, 1, "expected 14 rows, got 0"),
        ("\n \n", 3, 1, "expected 14 rows, got 0"),
        ("..............\n..............\n", 3, 1, "expected 14 rows, got 2"),
        (picture({}) + "\n\n  ..............", 16, 3, "expected 14 rows, got more: '............'"),
        ("14", 1, 3, "row 14 has 0 squares, expected 14"),
        ("abcdefghijklmn\n. .", 2, 4, "row 14 has 2 squares, expected 14"),
    ],
)
def test_picture_of_the_wrong_size_is_refused(text: str, line: int, column: int, detail: str) -> None:
    error = refusal(text)
    assert (error.line, error.column, error.detail) == (line, column, detail)


# ---- pictures of positions that no game leads to

START = {(4, 4): "P"}
BOTH = {**START, (9, 9): "O"}


@pytest.mark.parametrize(
    ("marks", "line", "column", "rule"),
    [
        ({(4, col): "P" for col in range(4, 10)}, 5, 5, "not a piece"),
        ({**BOTH, (3, 3): "P", (10, 10): "O"}, 4, 4, "piece already used"),
        ({(3, 3): "P", (9, 9): "O"}, 5, 5, "start square"),
        ({**START, (9, 8): "O"}, 10, 10, "start square"),
        ({**BOTH, (7, 7): "P", (7, 8): "P"}, 8, 8, "no corner contact"),
    ],
)
def test_impossible_pieces_are_refused_at_their_place(
    marks: dict[tuple[int, int], str], line: int, column: int, rule: str
) -> None:
    error = refusal(picture(marks))
    assert isinstance(error.__cause__, IllegalMove)
    assert (error.line, error.column, error.__cause__.rule) == (line, column, rule)
    assert error.detail == str(error.__cause__)


def test_piece_of_another_variant_is_refused() -> None:
    error = refusal(picture({(1, col): "B" for col in range(5)}, 8, 10), "solo-tetromino")
    assert (error.line, error.column) == (2, 1)
    assert error.detail.startswith("not a piece: I5 ")


def test_small_piece_before_a_larger_one_is_refused_where_sizes_must_descend() -> None:
    marks = {**{(0, col): "B" for col in range(5)}, (1, 5): "B"}
    assert parse(picture({**marks, (0, 19): "Y", (19, 19): "R", (19, 0): "G"}, 20, 20), "solo").color == "yellow"
    error = refusal(picture(marks, 20, 20), "solo-descending")
    assert (error.line, error.column) == (2, 6)
    assert error.detail.startswith("size order: I1 ")


@pytest.mark.parametrize(
    ("marks", "detail"),
    [
        ({(9, 9): "O"}, "taking turns cannot lead to 1 pieces of orange: 0 at most while purple, with 0, "),
        (
            {**START, (5, 5): "P", (5, 6): "P"},
            "taking turns cannot lead to 2 pieces of purple: 1 at most while orange, ",
        ),
    ],
)
def test_numbers_that_no_order_of_turns_explains_are_refused(marks: dict[tuple[int, int], str], detail: str) -> None:
    error = refusal("\n" + picture(marks))
    assert (error.line, error.column) == (2, 1)
    assert error.detail.startswith(detail)


def test_blocked_color_may_have_fewer_pieces() -> None:
    game = random_game("classic", 1)
    while game.has_move("blue") or game.has_move("yellow") or game.color is None:
        assert game.turn > 40
        game.undo()
    counts = [21 - len(game.hand(color)) for color in game.variant.colors]
    assert max(counts) - min(counts) > 1
    assert parse(draw(game), "classic").color == game.color


# ---- damage


@pytest.mark.parametrize("variant", ["duo", "three", "solo-descending", "solo-tetromino"])
@pytest.mark.parametrize("labels", [True, False])
def test_damaged_picture_is_refused_or_shows_another_position(variant: str, labels: bool) -> None:
    rng = Random(21)
    text = draw(random_game(variant, 4, plies=11), labels=labels)
    texts = [*truncations(text), *mutations(text, rng, 1200, ALPHABET), *junk(rng, 200, ALPHABET)]
    games = [game for _, game in accepted(lambda given: parse(given, variant), texts)]
    assert len(games) > 20
    for game in games:
        assert facts_of(parse(draw(game), variant)) == facts_of(game)


def test_swapped_squares_are_refused_or_show_another_position() -> None:
    rng = Random(22)
    rows = board_rows(random_game("duo", 9))
    texts = []
    for _ in range(600):
        marks = list("\n".join(rows))
        for at in rng.sample(range(len(marks)), 2):
            if marks[at] != "\n":
                marks[at] = rng.choice("PO.")
        texts.append("".join(marks))
    for _, game in accepted(lambda given: parse(given, "duo"), texts):
        assert facts_of(parse(draw(game), "duo")) == facts_of(game)


@pytest.mark.parametrize("text", ["." * 10**6, " " * 10**6, "\n" * 10**6, "9" * 10**6, "B " * 10**5, "a\n" * 10**5])
def test_long_junk_is_refused(text: str) -> None:
    assert len(refusal(text).detail) < 200

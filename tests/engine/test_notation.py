"""Cells, moves and whole games as short text, both ways."""

from __future__ import annotations

from random import Random

import pytest

from engine import PIECES, VARIANTS, BadNotation, BadRequest, Game, IllegalMove, Move
from engine.grid import Grid
from engine.notation import cell_name, column_name, format_game, format_move, parse_cell, parse_game, parse_move
from tests.engine.sampling import accepted, facts_of, junk, mutations, random_game, truncations

X_ON_D11 = Move("X", ((3, 3), (4, 2), (4, 3), (4, 4), (5, 3)))
WIDE = Grid(3, 60)
ALPHABET = "abenXFI15L@!0/ \n\t-ä²"


def refusal(text: str, variant: str) -> BadNotation:
    with pytest.raises(BadNotation) as caught:
        parse_move(text, variant)
    return caught.value


# ---- cells


@pytest.mark.parametrize(
    ("cell", "rows", "cols", "name"),
    [
        ((0, 0), 14, 14, "a14"),
        ((13, 13), 14, 14, "n1"),
        ((0, 0), 20, 20, "a20"),
        ((19, 0), 20, 20, "a1"),
        ((2, 25), 3, 60, "z1"),
        ((2, 26), 3, 60, "aa1"),
        ((1, 51), 3, 60, "az2"),
        ((0, 52), 3, 60, "ba3"),
    ],
)
def test_cell_has_a_column_letter_and_a_row_number_from_the_bottom(
    cell: tuple[int, int], rows: int, cols: int, name: str
) -> None:
    assert cell_name(cell, Grid(rows, cols)) == name
    assert parse_cell(name, Grid(rows, cols)) == cell
    assert parse_cell(f"  {name.upper()}\n", Grid(rows, cols)) == cell


def test_every_cell_of_a_wide_board_has_its_own_name() -> None:
    cells = [(row, col) for row in range(3) for col in range(60)]
    names = [cell_name(cell, WIDE) for cell in cells]
    assert len(set(names)) == len(cells)
    assert [parse_cell(name, WIDE) for name in names] == cells
    assert column_name(701) == "zz"
    assert column_name(702) == "aaa"


@pytest.mark.parametrize("cell", [(-1, 0), (0, 14), (14, 0), (0, -1)])
def test_cell_off_the_board_has_no_name(cell: tuple[int, int]) -> None:
    with pytest.raises(BadRequest, match=r"is not on a board of 14 x 14"):
        cell_name(cell, VARIANTS["duo"])


@pytest.mark.parametrize(
    ("text", "column", "detail"),
    [
        ("", 1, "expected a cell such as e10, got the end of the text"),
        ("  ", 3, "expected a cell such as e10, got the end of the text"),
        ("e", 1, "expected a cell such as e10, got 'e'"),
        ("10", 1, "expected a cell such as e10, got '10'"),
        ("e0", 1, "expected a cell such as e10, got 'e0'"),
        ("e010", 1, "expected a cell such as e10, got 'e010'"),
        ("e1000", 1, "expected a cell such as e10, got 'e1000'"),
        ("aaa1", 1, "expected a cell such as e10, got 'aaa1'"),
        ("e²", 1, "expected a cell such as e10, got 'e²'"),
        ("e15", 1, "e15 is off the board: columns a to n, rows 1 to 14"),
        (" O1", 2, "O1 is off the board: columns a to n, rows 1 to 14"),
        ("e10 x", 4, "expected nothing more, got ' '"),
        ("e10x", 4, "expected nothing more, got 'x'"),
    ],
)
def test_bad_cell_is_refused_at_its_place(text: str, column: int, detail: str) -> None:
    with pytest.raises(BadNotation) as caught:
        parse_cell(text, VARIANTS["duo"])
    assert (caught.value.line, caught.value.column, caught.value.detail) == (1, column, detail)


# ---- moves


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("X@d11", X_ON_D11),
        ("I1@e10", Move("I1", ((4, 4),))),
        ("I5a@e10", Move("I5", ((4, 4), (4, 5), (4, 6), (4, 7), (4, 8)))),
        ("I5b@e10", Move("I5", ((4, 4), (5, 4), (6, 4), (7, 4), (8, 4)))),
        ("O4@m2", Move("O4", ((12, 12), (12, 13), (13, 12), (13, 13)))),
        ("L3a@a14", Move("L3", ((0, 0), (0, 1), (1, 0)))),
        ("Fc@f10", Move("F", ((4, 5), (5, 3), (5, 4), (5, 5), (6, 4)))),
    ],
)
def test_move_is_piece_orientation_and_first_cell(text: str, move: Move) -> None:
    assert format_move(move, "duo") == text
    assert parse_move(text, "duo") == move
    assert parse_move(f" {text.lower()} ", VARIANTS["duo"]) == move
    assert parse_move(text.upper(), "duo") == move


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_placement_survives_the_round_trip(variant: str) -> None:
    placements = Game(variant).placements
    rng = Random(1)
    every = placements.moves(placements.every)
    for move in rng.sample(every, 400) + every[:5] + every[-5:]:
        assert parse_move(format_move(move, variant), variant) == move


def test_letters_count_the_orientations_in_the_engines_order() -> None:
    for piece in PIECES.values():
        letters = "abcdefgh"[: len(piece.orientations)] if len(piece.orientations) > 1 else [""]
        moves = [parse_move(f"{piece.name}{letter}@j10", "classic") for letter in letters]
        shapes = [tuple([(row - 10, col - 9) for row, col in move.cells]) for move in moves]
        assert shapes == list(piece.orientations)


@pytest.mark.parametrize(
    ("text", "column", "detail"),
    [
        ("", 1, "got the end of the text"),
        ("Q@d11", 1, "expected a piece (I1 I2 I3 L3 I4 O4 T4 L4 S4 F I5 L5 N P T5 U V W X Y Z), got 'Q@d11'"),
        ("I6a@d11", 1, "got 'I6a@d11'"),
        ("@d11", 1, "got '@d11'"),
        ("X", 2, "expected @ and a cell after X, got the end of the text"),
        ("Xa@d11", 2, "expected @ and a cell after X, got 'a@d11'"),
        ("X d11", 2, "expected @ and a cell after X, got ' '"),
        ("I5@e10", 3, "expected an orientation, a to b, after I5, got '@e10'"),
        ("I5c@e10", 3, "expected an orientation, a to b, after I5, got 'c@e10'"),
        ("F", 2, "expected an orientation, a to h, after F, got the end of the text"),
        ("Fi@e10", 2, "expected an orientation, a to h, after F, got 'i@e10'"),
        ("  X@", 5, "expected a cell such as e10, got the end of the text"),
        ("X@11", 3, "expected a cell such as e10, got '11'"),
        ("X@d15", 3, "d15 is off the board: columns a to n, rows 1 to 14"),
        ("X@d11x", 6, "expected nothing more, got 'x'"),
        (" X@a11", 2, "X@a11 sticks out of the board: columns a to n, rows 1 to 14"),
        ("I5b@e4", 1, "I5b@e4 sticks out of the board: columns a to n, rows 1 to 14"),
    ],
)
def test_bad_move_is_refused_at_its_place(text: str, column: int, detail: str) -> None:
    error = refusal(text, "duo")
    assert (error.line, error.column) == (1, column)
    assert error.detail.endswith(detail)


def test_piece_that_the_variant_lacks_is_refused() -> None:
    assert refusal("X@d6", "solo-tetromino").detail == "expected a piece (I4 O4 T4 L4 S4), got 'X@d6'"


@pytest.mark.parametrize(
    ("move", "rule"),
    [
        (Move("X", ((0, 0),)), "not a piece"),
        (Move("I2", ((0, 0), (2, 0))), "not a piece"),
        (Move("I1", ((14, 0),)), "off the board"),
        (Move("I1", ((0, -1),)), "off the board"),
    ],
)
def test_move_that_is_no_placement_has_no_text(move: Move, rule: str) -> None:
    with pytest.raises(IllegalMove) as caught:
        format_move(move, "duo")
    assert caught.value.rule == rule


def test_unknown_variant_is_a_bad_request() -> None:
    with pytest.raises(BadRequest):
        parse_move("X@d11", "chess")
    with pytest.raises(BadRequest):
        format_move(X_ON_D11, "chess")


# ---- games


def test_game_is_variant_scoring_moves_and_forfeits() -> None:
    game = Game("duo", "10/5")
    assert format_game(game) == "duo 10/5"
    game.play(X_ON_D11)
    game.retire(1)
    game.play(Move("I2", ((5, 5), (5, 6))))
    assert format_game(game) == "duo 10/5 X@d11 !1 I2a@f9"
    assert facts_of(parse_game("DUO\n10/5\tx@D11  !1 i2A@f9\n")) == facts_of(game)


def test_usual_scoring_may_be_named_but_is_not_written() -> None:
    assert format_game(parse_game("classic 15/5 I5a@a20")) == "classic I5a@a20"


def test_passes_are_implied() -> None:
    game = random_game("duo", 3)
    assert any(event for event in game.events() if "reason" in event._fields)
    assert len(format_game(game).split()) == 1 + game.turn


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("scoring", ["15/5", "10/5"])
@pytest.mark.parametrize("forfeits", [0.0, 0.05, 0.4])
def test_random_game_survives_the_round_trip(variant: str, scoring: str, forfeits: float) -> None:
    for seed in range(4):
        plies = 999 if seed % 2 else 10 * seed + 3
        game = random_game(variant, seed, plies=plies, forfeits=forfeits, scoring=scoring)
        text = format_game(game)
        assert facts_of(parse_game(text)) == facts_of(game)
        assert format_game(parse_game(text)) == text


def test_order_of_forfeits_on_one_turn_is_kept() -> None:
    blocked = random_game("two", 0)
    while blocked.has_move("blue") == blocked.has_move("red") or blocked.seat != 1:
        blocked.undo()
    first, second = blocked.copy(), blocked.copy()
    assert first.retire(0)
    assert first.retire(1)
    assert second.retire(1)
    assert second.retire(0)
    assert first.forfeits() == [(0, blocked.turn), (1, blocked.turn)]
    assert second.forfeits() == [(1, blocked.turn), (0, blocked.turn)]
    assert format_game(first).endswith(" !0 !1")
    assert format_game(second).endswith(" !1 !0")
    assert facts_of(parse_game(format_game(first))) == facts_of(first)
    assert facts_of(parse_game(format_game(second))) == facts_of(second)


def test_undone_forfeit_is_forgotten() -> None:
    game = Game("classic")
    game.retire(2)
    game.retire(0)
    game.undo()
    assert game.forfeits() == [(2, 0)]
    game.undo()
    assert game.forfeits() == []


@pytest.mark.parametrize(
    ("text", "line", "column", "detail"),
    [
        ("", 1, 1, "got the end of the text"),
        ("\n  ", 2, 3, "got the end of the text"),
        ("chess X@d11", 1, 1, "got 'chess'"),
        ("duo 7/7 X@d11", 1, 5, "expected a scoring (15/5, 10/5), got '7/7'"),
        ("duo X@d11 15/5", 1, 11, "got '15/5'"),
        ("duo\n X@d11x", 2, 7, "expected a blank after the move, got 'x'"),
        ("duo X@a11", 1, 5, "X@a11 sticks out of the board: columns a to n, rows 1 to 14"),
        ("duo !", 1, 5, "expected !0 to !1, got '!'"),
        ("duo !2", 1, 5, "expected !0 to !1, got '!2'"),
        ("duo !01", 1, 5, "expected !0 to !1, got '!01'"),
        ("duo !1\n!1", 2, 1, "seat 1 cannot forfeit: it has nothing left to play, or has forfeited before"),
    ],
)
def test_bad_game_is_refused_at_its_place(text: str, line: int, column: int, detail: str) -> None:
    with pytest.raises(BadNotation) as caught:
        parse_game(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert caught.value.detail.endswith(detail)


@pytest.mark.parametrize(
    ("text", "column", "rule", "detail"),
    [
        ("duo X@d14", 5, "start square", "X@d14 by purple: start square: "),
        ("duo X@d11 X@i6 X@g9", 16, "piece already used", "X@g9 by purple: piece already used: "),
        ("duo X@d11 X@i6 I1@d11", 16, "overlap", "I1@d11 by purple: overlap: "),
        ("duo X@d11 X@i6 I1@d12", 16, "edge contact", "I1@d12 by purple: edge contact: "),
        ("duo X@d11 X@i6 I1@a1", 16, "no corner contact", "I1@a1 by purple: no corner contact: "),
        ("duo !0 !1 X@d11", 11, "game over", "X@d11: game over: "),
        ("solo-descending I1@a20", 17, "size order", "I1@a20 by blue: size order: "),
    ],
)
def test_illegal_move_is_refused_with_its_rule(text: str, column: int, rule: str, detail: str) -> None:
    with pytest.raises(BadNotation) as caught:
        parse_game(text)
    assert (caught.value.line, caught.value.column) == (1, column)
    assert caught.value.detail.startswith(detail)
    assert isinstance(caught.value.__cause__, IllegalMove)
    assert caught.value.__cause__.rule == rule


def test_game_from_a_position_has_no_list_of_moves() -> None:
    game = Game.from_position("duo", {"purple": [X_ON_D11]})
    with pytest.raises(BadRequest, match="set-up position"):
        format_game(game)


def test_variant_of_ones_own_has_no_text() -> None:
    with pytest.raises(BadRequest, match="'mini' is not one of classic"):
        format_game(Game(VARIANTS["duo"]._replace(name="mini")))
    with pytest.raises(BadRequest, match="'duo' is not one of classic"):
        format_game(Game(VARIANTS["duo"]._replace(has_bonus=False)))


# ---- damage


def damaged(text: str, seed: int) -> list[str]:
    rng = Random(seed)
    return [*truncations(text), *mutations(text, rng, 1500, ALPHABET), *junk(rng, 400, ALPHABET)]


@pytest.mark.parametrize("variant", VARIANTS)
def test_damaged_game_is_refused_or_tells_another_game(variant: str) -> None:
    text = format_game(random_game(variant, 1, plies=9, forfeits=0.1, scoring="10/5"))
    games = [game for _, game in accepted(parse_game, damaged(text, 11))]
    assert len(games) > 20
    for game in games:
        assert facts_of(parse_game(format_game(game))) == facts_of(game)


@pytest.mark.parametrize("text", ["X@d11", "I5b@e10", "Lh@n14"])
def test_damaged_move_is_refused_or_means_another(text: str) -> None:
    for given, move in accepted(lambda given: parse_move(given, "duo"), damaged(text, 12)):
        assert format_move(move, "duo").lower() == given.strip().lower()


def test_damaged_cell_is_refused_or_means_another() -> None:
    for given, cell in accepted(lambda given: parse_cell(given, VARIANTS["duo"]), damaged("e10", 13)):
        assert cell_name(cell, VARIANTS["duo"]) == given.strip().lower()


def test_long_junk_is_refused_in_a_short_message() -> None:
    for text in ["x" * 10**6, "duo " + "X" * 10**6, "duo " + "9" * 10**6, "duo !" + "9" * 10**6, " " * 10**6]:
        with pytest.raises(BadNotation) as caught:
            parse_game(text)
        assert len(caught.value.detail) < 200

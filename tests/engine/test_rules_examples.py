"""The rule book, rule by rule, with its worked examples and what it takes where the sources differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from engine import PIECES, SCORINGS, VARIANTS, BadRequest, Game, Move, Passed, Placed, Variant
from engine.scoring import points, shared_ranks
from tests.engine import oracle
from tests.engine.oracle import RULES, Cell
from tests.engine.snapshot import play_first

ALONE = Variant("alone", 20, 20, ("blue",), ((),), (("blue",),), (0,))  # one color, beginning anywhere
PAIR = Variant("pair", 20, 20, ("blue", "red"), ((), ()), (("blue",), ("red",)), (0, 1))  # two, beginning anywhere


def cover(*cells: Cell) -> Move:
    return Move.from_cells(cells)


def cover_1(*cells: Cell) -> Move:
    """Return the move over cells that are counted from 1, as the sources do."""
    return Move.from_cells([(row - 1, col - 1) for row, col in cells])


def rule_broken(game: Game, move: Move) -> str | None:
    problem = game.why_illegal(move)
    assert (problem is None) == (move in game.legal_moves())
    return None if problem is None else problem.rule


def play_randomly(game: Game, rng: Random, plies: int = 1000) -> None:
    for _ in range(plies):
        if game.is_over:
            return
        game.play(rng.choice(game.legal_moves()))


def play_large_first(game: Game, rng: Random, last: str = "I1") -> None:
    """Play to the end, large pieces first, and a given one after all others."""
    while not game.is_over:
        moves = game.legal_moves()
        others = [move for move in moves if move.piece != last] or moves
        size = max(len(move.cells) for move in others)
        game.play(rng.choice([move for move in others if len(move.cells) == size]))


def blue_places_everything(variant: str, last: str, scoring: str = "15/5") -> Game:
    """Return a finished game in which all seats but the first left at once, and that one placed all."""
    for seed in range(100):
        game = Game(variant, scoring)
        for seat in range(1, len(game.variant.seats)):
            game.retire(seat)
        play_large_first(game, Random(seed), last)
        if not game.hand("blue") and game.moves()[-1].piece == last:
            return game
    raise AssertionError("no seed places everything")


# ---- placement: the worked examples


@pytest.mark.parametrize(
    ("cells", "broken"),
    [
        ([(3, 4), (3, 5)], None),
        ([(2, 4), (2, 5)], "edge contact"),
        ([(4, 5), (5, 5)], "no corner contact"),
    ],
)
def test_worked_example_of_l3_and_i2(cells: list[Cell], broken: str | None) -> None:
    game = Game(ALONE)
    game.play(cover_1((1, 2), (1, 3), (2, 3)))
    assert rule_broken(game, cover_1(*cells)) == broken


@pytest.mark.parametrize(
    ("cells", "broken"),
    [
        ([(6, 6), (6, 7)], None),
        ([(5, 6), (5, 7)], "edge contact"),
        ([(7, 7), (8, 7)], "no corner contact"),
    ],
)
def test_worked_example_around_the_start_square_of_duo(cells: list[Cell], broken: str | None) -> None:
    game = Game("duo")
    game.play(cover((4, 4), (4, 5), (5, 5)))
    game.play(cover((9, 9)))
    assert rule_broken(game, cover(*cells)) == broken


@pytest.mark.parametrize(
    ("own", "broken"),
    [
        ((2, 3), None),
        ((3, 3), "edge contact"),  # the slip: one source says that this is the corner contact
    ],
)
def test_contact_in_the_worked_example_is_between_2_3_and_3_4(own: Cell, broken: str | None) -> None:
    game = Game(ALONE)
    game.play(cover_1(own))
    assert rule_broken(game, cover_1((3, 4), (3, 5))) == broken


# ---- placement: start squares


STARTS = [
    (name, color, cell)
    for name in ("classic", "teams", "two", "three", "solo", "solo-descending")
    for color, cell in [("blue", (0, 0)), ("yellow", (0, 19)), ("red", (19, 19)), ("green", (19, 0))]
]
STARTS += [("three-open", "blue", (0, 0)), ("three-open", "yellow", (0, 19)), ("three-open", "red", (19, 19))]
STARTS += [("duo", "purple", (5 - 1, 5 - 1)), ("duo", "orange", (10 - 1, 10 - 1))]


@pytest.mark.parametrize(("name", "color", "start"), STARTS)
def test_first_piece_covers_the_start_square_of_its_color(name: str, color: str, start: Cell) -> None:
    moves = Game(name).legal_moves(color)
    assert moves
    assert all(start in move.cells for move in moves)


@pytest.mark.parametrize("cell", [(0, 1), (1, 0), (1, 1)])
def test_touching_the_start_square_is_not_covering_it(cell: Cell) -> None:
    assert rule_broken(Game(), cover(cell)) == "start square"


@pytest.mark.parametrize("corner", [(0, 19), (19, 19), (19, 0)])
def test_first_piece_may_not_take_the_corner_of_another_color(corner: Cell) -> None:
    assert rule_broken(Game(), cover(corner)) == "start square"


def test_colors_that_face_each_other_diagonally_are_blue_and_red_and_yellow_and_green() -> None:
    starts = {color: cells[0] for color, cells in zip(oracle.FOUR, VARIANTS["classic"].starts, strict=True)}
    for color, other in (("blue", "red"), ("yellow", "green")):
        (row, col), (other_row, other_col) = starts[color], starts[other]
        assert (row + other_row, col + other_col) == (19, 19)


def test_first_piece_needs_no_corner_contact() -> None:
    game = Game()
    play_first(game, "I1")
    assert rule_broken(game, cover((0, 19))) is None


def test_start_square_counts_for_the_first_piece_only() -> None:
    game = Game("duo")
    game.play(cover((4, 4)))
    game.play(cover((9, 9)))
    assert rule_broken(game, cover((5, 5), (5, 6))) is None


# ---- placement: corners, edges, overlap, board


@pytest.mark.parametrize("corner", [(4, 4), (4, 6), (6, 4), (6, 6)])
def test_later_piece_may_touch_any_of_the_four_corners(corner: Cell) -> None:
    game = Game(ALONE)
    game.play(cover((5, 5)))
    assert game.legal_count() > 0
    assert any(corner in move.cells for move in game.legal_moves())


@pytest.mark.parametrize(
    "domino",
    [[(4, 5), (3, 5)], [(6, 5), (7, 5)], [(5, 4), (5, 3)], [(5, 6), (5, 7)]],
)
def test_later_piece_may_touch_none_of_the_four_edges(domino: list[Cell]) -> None:
    game = Game(ALONE)
    game.play(cover((5, 5)))
    assert rule_broken(game, cover(*domino)) == "edge contact"


def test_corner_contact_does_not_excuse_edge_contact() -> None:
    game = Game(ALONE)
    game.play(cover((5, 5)))
    assert rule_broken(game, cover((5, 6), (6, 6))) == "edge contact"


def test_edge_contact_with_any_earlier_own_piece_counts() -> None:
    game = Game(ALONE)
    game.play(cover((5, 5)))
    game.play(cover((6, 6), (6, 7)))
    assert rule_broken(game, cover((5, 7), (4, 6), (4, 7))) == "edge contact"


def test_edges_of_other_colors_may_be_shared() -> None:
    game = Game(PAIR)
    game.play(cover((5, 5)))
    assert rule_broken(game, cover((5, 6))) is None


def test_corner_of_another_color_is_no_corner_contact() -> None:
    game = Game(PAIR)
    game.play(cover((5, 5)))
    game.play(cover((15, 15)))
    game.play(cover((6, 6), (7, 6)))
    assert rule_broken(game, cover((4, 4), (4, 3))) == "no corner contact"


@pytest.mark.parametrize("taken", [(5, 5), (15, 15)])  # one's own, and another color's
def test_covered_square_may_not_be_covered_again(taken: Cell) -> None:
    game = Game(PAIR)
    game.play(cover((5, 5)))
    game.play(cover((15, 15)))
    row, col = taken
    assert rule_broken(game, cover(taken, (row, col + 1))) == "overlap"


@pytest.mark.parametrize(
    "cells",
    [
        [(0, -1), (0, 0)],
        [(-1, 0), (0, 0)],
        [(0, 19), (0, 20)],  # would go on in the next row, if rows were glued together
        [(19, 0), (20, 0)],
        [(20, 20)],
        [(400, 0)],
    ],
)
def test_piece_must_be_inside_the_board(cells: list[Cell]) -> None:
    assert rule_broken(Game(ALONE), cover(*cells)) == "off the board"


def test_neighbours_do_not_reach_round_the_edge_of_the_board() -> None:
    game = Game(ALONE)
    game.play(cover((5, 19)))
    assert rule_broken(game, cover((7, 0), (7, 1))) == "no corner contact"
    assert rule_broken(game, cover((6, 0), (6, 1))) == "no corner contact"
    assert rule_broken(game, cover((4, 0), (5, 0))) == "no corner contact"


def test_piece_is_used_once() -> None:
    game = Game(ALONE)
    game.play(cover((5, 5)))
    assert rule_broken(game, cover((6, 6))) == "piece already used"
    assert "I1" not in game.hand("blue")


def test_other_colors_keep_a_piece_that_one_has_used() -> None:
    game = Game(PAIR)
    game.play(cover((5, 5)))
    assert game.hand("red") == list(PIECES)


def test_pieces_may_be_turned_and_flipped() -> None:
    game = Game(ALONE)
    for shape in oracle.ORIENTATIONS["F"]:
        assert rule_broken(game, cover(*oracle.shifted(shape, 8, 8))) is None


def test_piece_once_placed_never_moves() -> None:
    game = Game("duo")
    rng = Random(5)
    before = dict.fromkeys(game.variant.colors, 0)
    while not game.is_over:
        game.play_random(rng)
        for color, cells in before.items():
            assert game.cells(color) & cells == cells
            before[color] = game.cells(color)


# ---- order of play, passing, end


@pytest.mark.parametrize(
    ("name", "colors", "seats"),
    [
        ("classic", ["blue", "yellow", "red", "green"], [0, 1, 2, 3]),
        ("teams", ["blue", "yellow", "red", "green"], [0, 1, 2, 3]),
        ("two", ["blue", "yellow", "red", "green"], [0, 1, 0, 1]),
        ("three-open", ["blue", "yellow", "red"], [0, 1, 2]),
        ("duo", ["purple", "orange"], [0, 1]),
        ("solo", ["blue", "yellow", "red", "green"], [0, 0, 0, 0]),
        ("solo-descending", ["blue", "yellow", "red", "green"], [0, 0, 0, 0]),
        ("solo-tetromino", ["blue", "yellow", "red", "green"], [0, 0, 0, 0]),
        ("solo-pentomino", ["blue", "yellow", "red", "green"], [0, 0, 0, 0]),
    ],
)
def test_colors_play_in_turn(name: str, colors: list[str], seats: list[int]) -> None:
    game = Game(name)
    for color, seat in list(zip(colors, seats, strict=True)) * 2:
        assert (game.color, game.seat) == (color, seat)
        game.play(game.legal_moves()[0])


def test_turn_counts_the_pieces_placed() -> None:
    game = Game("duo")
    play_randomly(game, Random(2), 7)
    assert game.turn == 7 == len(game.moves())


@pytest.mark.parametrize("name", RULES)
def test_colors_pass_only_when_blocked_and_once_and_for_good(name: str) -> None:
    for seed in range(5):
        game = Game(name)
        play_randomly(game, Random(seed))
        out: set[str] = set()
        replay = oracle.OracleGame(RULES[name])
        for event in game.events():
            assert event.color not in out
            if isinstance(event, Passed):
                assert event.reason == "blocked"
                out.add(event.color)
            else:
                assert replay.color == event.color
                replay.play(event.move)
        assert out == set(game.variant.colors)


def test_game_is_over_when_no_color_can_place_a_piece() -> None:
    game = Game("duo")
    rng = Random(3)
    while game.has_move("purple") or game.has_move("orange"):
        assert not game.is_over
        game.play_random(rng)
    assert game.is_over
    assert (game.color, game.seat) == (None, None)


def test_blocked_color_is_passed_over_while_the_others_play_on() -> None:
    # blue's only square is enclosed by the border and by red
    tiny = PAIR._replace(rows=2, cols=6, pieces=("I1", "I2", "I3"))
    game = Game(tiny)
    game.play(cover((0, 0)))
    game.play(cover((1, 1), (1, 2)))
    assert game.events()[-1] == Passed("blue", 0, "blocked")
    assert game.color == "red"
    game.play(cover((0, 3), (0, 4), (0, 5)))
    assert game.color is None


def test_player_who_has_placed_everything_waits() -> None:
    game = Game(PAIR._replace(pieces=("I1", "I2")))
    game.play(cover((5, 5), (5, 6)))
    game.play(cover((15, 15), (15, 16)))
    game.play(cover((6, 7)))
    assert game.hand("blue") == []
    assert game.color == "red"
    game.play(cover((16, 17)))
    assert game.events()[-2:] == [Passed("blue", 0, "blocked"), Passed("red", 1, "blocked")]
    assert game.is_over


# ---- score


@pytest.mark.parametrize(
    ("left", "last", "scoring", "score"),
    [
        ([], "I1", "15/5", 20),
        ([], "X", "15/5", 15),
        ([], "I1", "10/5", 15),
        ([], "X", "10/5", 10),
        (["I1"], "X", "15/5", -1),
        (["I5"], "I1", "15/5", -5),  # the monomino last, but not everything placed
        (list(PIECES), None, "15/5", -89),
        (list(PIECES), None, "10/5", -89),
    ],
)
def test_score_of_a_color(left: list[str], last: str | None, scoring: str, score: int) -> None:
    assert points(left, last, SCORINGS[scoring]) == score


@pytest.mark.parametrize(
    ("left", "last", "score"),
    [
        ([], "I1", 20),
        (["O4", "T4"], "I1", -8),
        (["I3", "I4", "T4", "L4", "S4", "X"], "I1", -24),
        (["L3", "I4", "T4", "S4", "W"], "I1", -20),
    ],
)
def test_worked_example_of_the_score(left: list[str], last: str, score: int) -> None:
    assert points(left, last, SCORINGS["15/5"]) == score


def test_bonuses_are_15_and_20_unless_told_otherwise() -> None:
    assert Game().scoring == SCORINGS["15/5"] == ("15/5", 15, 5)


@pytest.mark.parametrize(
    ("scoring", "last", "score"),
    [("15/5", "I1", 20), ("15/5", "I2", 15), ("10/5", "I1", 15), ("10/5", "I2", 10)],
)
def test_game_in_which_a_color_places_all_21_pieces(scoring: str, last: str, score: int) -> None:
    game = blue_places_everything("classic", last, scoring)
    assert len(game.moves()) == 21
    assert game.scores()["blue"] == score
    assert game.totals()[0] == score
    assert game.ranks()[0] == 1


def test_unplaced_squares_count_against_a_color() -> None:
    game = Game()
    for piece in ("I5", "I4", "L3", "I1"):
        play_first(game, piece)
    assert game.scores() == {"blue": -84, "yellow": -85, "red": -86, "green": -88}


def test_equal_scores_share_a_rank() -> None:
    game = Game()
    for piece in ("I2", "I1", "I1"):
        play_first(game, piece)
    assert game.totals() == [-87, -88, -88, -89]
    assert game.ranks() == [1, 2, 2, 4]


@pytest.mark.parametrize(
    ("scores", "ranks"),
    [
        ([20, -8, -8, -24], [1, 2, 2, 4]),
        ([-5, -5, -5, -5], [1, 1, 1, 1]),
        ([-9, 15, 20, 15], [4, 2, 1, 2]),
        ([-3, -2, -1], [3, 2, 1]),
        ([0, 0, -1], [1, 1, 3]),
    ],
)
def test_ranks_are_shared(scores: list[int], ranks: list[int]) -> None:
    assert shared_ranks([(1, score) for score in scores]) == ranks


def test_highest_score_wins_even_with_as_many_squares_placed() -> None:
    for seed in range(300):
        game = Game("three-open")
        game.retire(2)
        rng = Random(seed)
        while not game.is_over:
            # yellow keeps its I1 for the end, blue its I2
            keep = "I2" if game.color == "blue" else "I1"
            moves = game.legal_moves()
            others = [move for move in moves if move.piece != keep] or moves
            size = max(len(move.cells) for move in others)
            game.play(rng.choice([move for move in others if len(move.cells) == size]))
        if game.totals()[:2] == [15, 20]:
            break
    assert game.hand("blue") == game.hand("yellow") == []
    assert game.ranks() == [2, 1, 3]


# ---- variants


def test_teams_add_up_blue_with_red_and_yellow_with_green() -> None:
    game = Game("teams")
    for piece in ("I5", "I1", "I3", "I2"):
        play_first(game, piece)
    blue, yellow, red, green = (game.scores()[color] for color in oracle.FOUR)
    assert game.totals() == [blue + red, yellow + green, blue + red, yellow + green]
    assert game.totals() == [-84 - 86, -88 - 87] * 2
    assert game.ranks() == [1, 2, 1, 2]


def test_teams_with_equal_sums_share_the_first_rank() -> None:
    assert Game("teams").ranks() == [1, 1, 1, 1]


def test_two_adds_up_the_two_colors_of_a_seat() -> None:
    game = Game("two")
    for piece in ("I1", "I5", "I3", "I2"):
        play_first(game, piece)
    assert game.variant.seats == (("blue", "red"), ("yellow", "green"))
    assert game.totals() == [-88 - 86, -84 - 87]
    assert game.ranks() == [2, 1]


def test_three_ranks_three_and_counts_green_for_nobody() -> None:
    game = Game("three")
    for piece in ("I1", "I2", "I3", "I5"):
        play_first(game, piece)
    assert game.scores()["green"] == -84
    assert game.totals() == [-88, -87, -86]
    assert game.ranks() == [3, 2, 1]


def test_three_open_does_not_use_green() -> None:
    game = Game("three-open")
    assert game.variant.colors == ("blue", "yellow", "red")
    with pytest.raises(BadRequest):
        game.legal_moves("green")


def test_three_open_leaves_the_fourth_corner_to_anybody() -> None:
    for seed in range(200):
        game = Game("three-open")
        play_randomly(game, Random(seed))
        if any((19, 0) in move.cells for move in game.moves()):
            return
    raise AssertionError("nobody ever covers the corner of green")


def test_duo_colors_are_purple_and_orange() -> None:
    assert VARIANTS["duo"].colors == ("purple", "orange")


@pytest.mark.parametrize("name", ["solo", "solo-descending", "solo-tetromino", "solo-pentomino"])
def test_solo_total_is_the_squares_left_over(name: str) -> None:
    game = Game(name)
    play_randomly(game, Random(1))
    left = sum(PIECES[piece].size for color in game.variant.colors for piece in game.hand(color))
    assert left > 0
    assert game.totals() == [-left]
    assert game.ranks() == [1]


@pytest.mark.parametrize("scoring", ["15/5", "10/5"])
@pytest.mark.parametrize("name", ["solo", "solo-descending"])
def test_solo_has_no_bonus(name: str, scoring: str) -> None:
    game = Game(VARIANTS[name]._replace(pieces=("I1",)), scoring)
    play_randomly(game, Random(1))
    assert game.scores() == {"blue": 0, "yellow": 0, "red": 0, "green": 0}
    assert game.totals() == [0]
    assert game.scoring == (scoring, 0, 0)


def test_solo_passes_over_a_stuck_color() -> None:
    game = Game("solo")
    play_randomly(game, Random(4))
    passes = [at for at, event in enumerate(game.events()) if isinstance(event, Passed)]
    assert any(isinstance(event, Placed) for event in game.events(passes[0]))


# ---- solo-descending


def test_descending_begins_with_a_piece_of_five() -> None:
    game = Game("solo-descending")
    for color in game.variant.colors:
        assert {PIECES[move.piece].size for move in game.legal_moves(color)} == {5}


def test_descending_refuses_a_smaller_piece_while_a_larger_one_is_held() -> None:
    assert rule_broken(Game("solo-descending"), cover((0, 0))) == "size order"


def test_descending_goes_to_the_next_size_when_all_of_a_size_are_placed() -> None:
    game = Game(ALONE._replace(largest_first=True))
    play_randomly(game, Random(0), 12)
    assert {PIECES[piece].size for piece in game.hand("blue")} == {1, 2, 3, 4}
    assert {PIECES[move.piece].size for move in game.legal_moves()} == {4}


def test_descending_color_is_out_if_none_of_its_largest_fits() -> None:
    game = Game("solo-descending")
    play_randomly(game, Random(0))
    board = oracle.OracleGame(RULES["solo"])
    for event in game.events():
        if isinstance(event, Placed):
            board.placed[event.color][event.move.piece] = frozenset(event.move.cells)
    assert game.is_over
    assert any(board.legal_moves(color) for color in game.variant.colors)


def test_solo_without_order_may_play_any_size_at_any_time() -> None:
    assert {PIECES[move.piece].size for move in Game("solo").legal_moves()} == {1, 2, 3, 4, 5}


# ---- the two puzzles


@pytest.mark.parametrize(("name", "size", "pieces"), [("solo-tetromino", 4, 5), ("solo-pentomino", 5, 12)])
def test_puzzle_uses_the_pieces_of_one_size(name: str, size: int, pieces: int) -> None:
    game = Game(name)
    for color in game.variant.colors:
        assert [PIECES[piece].size for piece in game.hand(color)] == [size] * pieces


@pytest.mark.parametrize("name", ["solo-tetromino", "solo-pentomino"])
def test_first_piece_in_a_puzzle_goes_anywhere(name: str) -> None:
    game = Game(name)
    assert game.legal_count() == game.placements.every.bit_count()


@pytest.mark.parametrize("name", ["solo-tetromino", "solo-pentomino"])
def test_first_piece_of_a_later_color_in_a_puzzle_goes_anywhere_that_is_free(name: str) -> None:
    game = Game(name)
    first = game.legal_moves()[0]
    game.play(first)
    every = game.placements.moves(game.placements.every)
    assert game.legal_moves() == [move for move in every if not set(move.cells) & set(first.cells)]


@pytest.mark.parametrize("name", ["solo-tetromino", "solo-pentomino"])
def test_later_pieces_in_a_puzzle_touch_their_color_at_a_corner_and_never_along_an_edge(name: str) -> None:
    game = Game(name)
    play_randomly(game, Random(6), 8)
    moves = game.legal_moves("blue")
    own = [cell for event in game.events() if event.color == "blue" for cell in event.move.cells]  # type: ignore[union-attr]
    assert moves
    for move in moves:
        assert oracle.at_corners(own) & set(move.cells)
        assert not oracle.beside(own) & set(move.cells)


# ---- forfeits


def test_forfeited_colors_place_nothing_more() -> None:
    game = Game("two")
    play_randomly(game, Random(1), 8)
    assert game.retire(0)
    assert game.legal_moves("blue") == game.legal_moves("red") == []
    assert not game.has_move("blue")
    play_randomly(game, Random(1))
    assert {event.color for event in game.events(8) if isinstance(event, Placed)} == {"yellow", "green"}


def test_pieces_of_a_forfeiter_stay_on_the_board() -> None:
    game = Game("duo")
    play_randomly(game, Random(1), 6)
    before = game.cells("purple")
    game.retire(0)
    assert game.cells("purple") == before != 0
    play_randomly(game, Random(1))
    assert game.cells("purple") == before
    assert game.cells("orange") & before == 0


def test_forfeiter_drops_out_when_its_turn_comes() -> None:
    game = Game()
    game.retire(2)
    assert game.events() == []
    play_first(game, "I1")
    assert game.events(1) == []
    play_first(game, "I1")
    assert game.events(2) == [Passed("red", 2, "forfeit")]
    assert game.color == "green"


def test_forfeit_on_ones_own_turn_hands_it_to_the_next_color() -> None:
    game = Game()
    play_first(game, "I1")
    game.retire(1)
    assert game.events(1) == [Passed("yellow", 1, "forfeit")]
    assert (game.color, game.seat, game.turn) == ("red", 2, 1)


def test_game_is_over_when_everybody_has_forfeited() -> None:
    game = Game()
    for seat in (0, 1, 2, 3):
        assert game.retire(seat)
    assert game.is_over
    assert game.ranks() == [1, 1, 1, 1]


def test_forfeiter_ranks_below_a_lower_score() -> None:
    game = Game("duo")
    play_first(game, "I5")
    play_first(game, "I1")
    game.retire(0)
    assert game.totals() == [-84, -88]
    assert game.ranks() == [2, 1]


@pytest.mark.parametrize(
    ("faults", "ranks"),
    [
        ({0: 0, 1: 1, 2: 2}, [4, 3, 2, 1]),
        ({3: 4, 0: 6}, [3, 1, 2, 4]),
        ({1: 4, 2: 4}, [1, 3, 3, 1]),  # in the same turn
        ({1: 0, 3: 0, 0: 4}, [2, 3, 1, 3]),  # two that never started
        ({0: 0, 1: 0, 2: 0, 3: 0}, [1, 1, 1, 1]),
    ],
)
def test_later_fault_ranks_higher(faults: dict[int, int], ranks: list[int]) -> None:
    game = Game()
    for seat, turn in faults.items():
        while game.turn < turn:
            play_first(game, game.hand(game.color)[-1] if game.color else "")
        assert game.retire(seat)
    assert game.retired() == faults
    assert game.ranks() == ranks


def test_seat_forfeits_once() -> None:
    game = Game()
    assert game.retire(1)
    play_first(game, "I1")
    assert not game.retire(1)
    assert game.retired() == {1: 0}


def test_seat_with_nothing_left_to_play_can_no_longer_forfeit() -> None:
    game = Game("duo")
    rng = Random(1)
    while game.has_move("purple") and game.has_move("orange"):
        game.play_random(rng)
    blocked = 0 if game.has_move("orange") else 1
    assert not game.is_over
    assert not game.retire(blocked)
    assert game.retired() == {}
    assert game.retire(1 - blocked)


def test_seat_that_has_placed_everything_can_no_longer_forfeit() -> None:
    game = Game(PAIR._replace(pieces=("I1",)))
    game.play(cover((5, 5)))
    assert not game.is_over
    assert not game.retire(0)
    assert game.ranks() == [1, 2]


def test_seat_is_blocked_before_its_turn_comes() -> None:
    tiny = PAIR._replace(rows=2, cols=6, pieces=("I1", "I2", "I3"))
    game = Game(tiny)
    game.play(cover((0, 0)))
    game.play(cover((1, 1), (1, 2)))
    assert game.color == "red"
    assert not game.retire(0)


def test_nobody_forfeits_a_finished_game() -> None:
    game = Game("duo")
    play_randomly(game, Random(1))
    assert [game.retire(seat) for seat in (0, 1)] == [False, False]


def test_seat_of_two_colors_can_forfeit_while_one_of_them_can_play() -> None:
    for seed in range(100):
        game = Game("two")
        rng = Random(seed)
        while game.has_move("blue") == game.has_move("red") and not game.is_over:
            game.play_random(rng)
        if not game.is_over:
            break
    assert game.can_play(0)
    assert game.retire(0)


def test_partner_plays_on_after_the_forfeit_of_the_other() -> None:
    game = Game("teams")
    game.retire(0)
    play_randomly(game, Random(1))
    placed = Counter(event.color for event in game.events() if isinstance(event, Placed))
    assert placed["blue"] == 0
    assert placed["red"] > 5


def test_both_partners_carry_the_total_and_rank_of_the_team_after_a_forfeit() -> None:
    game = Game("teams")
    game.retire(0)
    for piece in ("I1", "I5", "I1"):
        play_first(game, piece)
    assert game.totals() == [-89 - 84, -88 - 88] * 2
    assert game.ranks() == [1, 2, 1, 2]


@pytest.mark.parametrize(
    ("faults", "ranks"),
    [
        ([0], [1, 2, 1, 2]),  # one partner alone: the sums count
        ([0, 1], [1, 2, 1, 2]),
        ([0, 2], [2, 1, 2, 1]),  # both: below the other team
        ([0, 2, 1], [2, 1, 2, 1]),
        ([0, 1, 2, 3], [1, 1, 1, 1]),
    ],
)
def test_team_ranks_as_a_forfeiter_only_if_both_did(faults: list[int], ranks: list[int]) -> None:
    game = Game("teams")
    for piece in ("I5", "I1", "I5", "I1"):
        play_first(game, piece)
    for seat in faults:
        assert game.retire(seat)
    assert game.ranks() == ranks


def test_team_forfeits_with_its_second_partner() -> None:
    game = Game("teams")
    game.retire(0)  # blue at turn 0, red at 2
    play_first(game, "I1")
    game.retire(1)  # yellow and green at 1
    game.retire(3)
    play_first(game, "I1")
    game.retire(2)
    assert game.is_over
    assert game.ranks() == [1, 2, 1, 2]


def test_solo_forfeit_leaves_over_what_was_not_placed() -> None:
    game = Game("solo")
    play_first(game, "I5")
    game.retire(0)
    assert game.is_over
    assert game.totals() == [-(4 * 89 - 5)]
    assert game.ranks() == [1]


# ---- the turning color


def seats_of_green(game: Game) -> list[int]:
    return [event.seat for event in game.events() if isinstance(event, Placed) and event.color == "green"]


def test_turning_color_is_played_by_the_seats_in_rotation() -> None:
    game = Game("three")
    play_randomly(game, Random(1), 28)
    assert seats_of_green(game) == [0, 1, 2, 0, 1, 2, 0]


@pytest.mark.parametrize(
    ("retired", "seats"),
    [
        ([0], [1, 2, 1, 2, 1]),
        ([1], [0, 2, 0, 2, 0]),
        ([2], [0, 1, 0, 1, 0]),
        ([0, 1], [2, 2, 2, 2, 2]),
    ],
)
def test_turning_color_skips_retired_seats(retired: list[int], seats: list[int]) -> None:
    game = Game("three")
    for seat in retired:
        game.retire(seat)
    rng = Random(1)
    while len(seats_of_green(game)) < 5:
        game.play_random(rng)
    assert seats_of_green(game) == seats


def test_seat_keeps_its_turn_with_the_turning_color_when_its_own_is_blocked() -> None:
    for seed in range(100):
        game = Game("three")
        play_randomly(game, Random(seed))
        events = game.events()
        greens = seats_of_green(game)
        assert greens == [turn % 3 for turn in range(len(greens))]
        for seat, color in enumerate(("blue", "yellow", "red")):
            at = events.index(Passed(color, seat, "blocked"))
            if any(isinstance(event, Placed) and event.seat == seat for event in events[at:]):
                return
    raise AssertionError("no game in which a blocked seat still plays green")


def test_blocked_seat_can_forfeit_while_the_turning_color_can_play() -> None:
    game = next(_games_with_blocked_blue_and_green_to_play())
    assert game.can_play(0)
    assert game.retire(0)


def test_fault_on_the_turning_turn_hands_the_same_turn_to_the_next_seat() -> None:
    game = Game("three")
    play_randomly(game, Random(1), 7)
    assert (game.color, game.seat, game.turn) == ("green", 1, 7)
    game.retire(1)
    assert (game.color, game.seat, game.turn) == ("green", 2, 7)
    rng = Random(1)
    while len(seats_of_green(game)) < 5:
        game.play_random(rng)
    assert seats_of_green(game) == [0, 2, 0, 2, 0]


def test_turning_turn_goes_on_through_several_faults() -> None:
    game = Game("three")
    play_randomly(game, Random(1), 11)
    assert (game.color, game.seat) == ("green", 2)
    game.retire(2)
    assert (game.color, game.seat) == ("green", 0)
    game.retire(0)
    assert (game.color, game.seat) == ("green", 1)
    game.retire(1)
    assert game.is_over


def test_turning_color_places_nothing_when_everybody_has_forfeited() -> None:
    game = Game("three")
    for seat in (0, 1, 2):
        game.retire(seat)
    assert game.is_over
    assert game.legal_moves("green") == []
    assert not game.has_move("green")


def test_turning_color_plays_on_when_its_seat_has_forfeited() -> None:
    game = Game("three")
    game.retire(0)
    assert game.has_move("green")
    assert game.legal_count("green") == 58
    assert not game.has_move("blue")


def _games_with_blocked_blue_and_green_to_play() -> Iterator[Game]:
    for seed in range(100):
        game = Game("three")
        rng = Random(seed)
        while not game.is_over:
            if not game.has_move("blue") and game.has_move("green"):
                yield game
                break
            game.play_random(rng)

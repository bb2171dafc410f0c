"""What a refused move is told: the rule it breaks, the cells concerned, and words that help; and nothing changes."""

from __future__ import annotations

import copy
import pickle
from random import Random
from typing import Any, NamedTuple, get_args

import pytest

from engine import BadNotation, BadRequest, Game, IllegalMove, Move, RulesError
from engine.errors import Rule
from tests.engine import oracle
from tests.engine.oracle import RULES, Cell
from tests.engine.snapshot import snapshot


def new_classic() -> Game:
    return Game("classic")


def new_descending() -> Game:
    return Game("solo-descending")


def new_tetromino() -> Game:
    return Game("solo-tetromino")


def duo_with_one_piece_each() -> Game:
    """Purple to move, with an L3 on the board, against an I1."""
    game = Game("duo")
    game.play(Move("L3", ((4, 4), (4, 5), (5, 5))))
    game.play(Move("I1", ((9, 9),)))
    return game


def finished_duo() -> Game:
    game = Game("duo")
    rng = Random(1)
    while not game.is_over:
        game.play_random(rng)
    return game


class Case(NamedTuple):
    """A move in a position, and what must be said about it."""

    position: Any
    move: Move
    rule: str
    cells: tuple[Cell, ...]
    words: tuple[str, ...]  # all of them are in the message
    color: str | None = None


DUO = duo_with_one_piece_each
CASES = [
    Case(DUO, Move("I2", ((9, 9), (9, 10))), "overlap", ((9, 9),), ("(9,9)", "covered")),
    Case(DUO, Move("I3", ((4, 4), (4, 5), (4, 6))), "overlap", ((4, 4), (4, 5)), ("(4,4) (4,5)",)),
    Case(DUO, Move("I2", ((5, 6), (5, 7))), "edge contact", ((5, 6),), ("(5,6)", "purple")),
    Case(DUO, Move("O4", ((3, 3), (3, 4), (2, 3), (2, 4))), "edge contact", ((3, 4),), ("(3,4)", "purple")),
    Case(DUO, Move("I2", ((7, 7), (8, 7))), "no corner contact", ((7, 7), (8, 7)), ("(7,7) (8,7)", "I2", "purple")),
    Case(DUO, Move("I1", ((10, 10),)), "no corner contact", ((10, 10),), ("(10,10)", "I1", "purple")),
    Case(new_classic, Move("I1", ((1, 1),)), "start square", ((0, 0),), ("(0,0)", "blue", "first")),
    Case(new_classic, Move("I1", ((0, 19),)), "start square", ((0, 0),), ("(0,0)", "blue")),
    Case(new_classic, Move("I2", ((0, -1), (0, 0))), "off the board", ((0, -1),), ("(0,-1)", "20 x 20")),
    Case(new_classic, Move("I2", ((19, 0), (20, 0))), "off the board", ((20, 0),), ("(20,0)", "20 x 20")),
    Case(DUO, Move("I2", ((3, 14), (3, 13))), "off the board", ((3, 14),), ("(3,14)", "14 x 14")),
    Case(new_classic, Move("I1", ((9000, 9000),)), "off the board", ((9000, 9000),), ("(9000,9000)",)),
    Case(new_classic, Move("I2", ((0, 0), (0, 2))), "not a piece", ((0, 0), (0, 2)), ("(0,0) (0,2)",)),
    Case(new_classic, Move("I2", ((0, 0), (1, 1))), "not a piece", ((0, 0), (1, 1)), ("(0,0) (1,1)",)),
    Case(new_classic, Move("I1", ()), "not a piece", (), ("cells",)),
    Case(new_classic, Move("I1", ((0, 0), (0, 0))), "not a piece", ((0, 0),), ("twice",)),
    Case(new_classic, Move("I2", ((0, 0),)), "not a piece", ((0, 0),), ("I1", "I2")),
    Case(new_classic, Move("N", ((0, 0), (1, 0), (1, 1), (2, 1), (2, 2))), "not a piece",
         ((0, 0), (1, 0), (1, 1), (2, 1), (2, 2)), ("form W", "N")),
    Case(new_classic, Move("Q", ((0, 0),)), "not a piece", ((0, 0),), ("I1", "Q")),
    Case(new_tetromino, Move("I1", ((0, 0),)), "not a piece", ((0, 0),), ("I1", "not used in this variant")),
    Case(DUO, Move("L3", ((6, 6), (6, 7), (7, 6))), "piece already used", ((6, 6), (6, 7), (7, 6)),
         ("purple", "L3")),
    Case(DUO, Move("I1", ((10, 10),)), "not this colour's turn", (), ("purple", "orange"), "orange"),
    Case(DUO, Move("I1", ((6, 6),)), "not this colour's turn", (), ("purple", "pink"), "pink"),
    Case(new_descending, Move("I1", ((0, 0),)), "size order", ((0, 0),), ("I1", "blue", "5")),
    Case(new_descending, Move("O4", ((0, 0), (0, 1), (1, 0), (1, 1))), "size order",
         ((0, 0), (0, 1), (1, 0), (1, 1)), ("O4", "4", "blue", "5")),
    Case(finished_duo, Move("I1", ((6, 6),)), "game over", (), ("no color",)),
    Case(finished_duo, Move("I1", ((6, 6),)), "game over", (), (), "purple"),
]  # fmt: skip
IDS = [f"{case.rule} {case.move.piece} {at}" for at, case in enumerate(CASES)]


def refusal(case: Case) -> IllegalMove:
    with pytest.raises(IllegalMove) as caught:
        case.position().play(case.move, case.color)
    return caught.value


def test_every_rule_has_a_case() -> None:
    assert {case.rule for case in CASES} == set(get_args(Rule))


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_refusal_names_the_rule(case: Case) -> None:
    assert refusal(case).rule == case.rule


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_refusal_names_the_cells_concerned(case: Case) -> None:
    assert refusal(case).cells == case.cells


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_message_begins_with_the_rule_and_says_what_is_wrong(case: Case) -> None:
    message = str(refusal(case))
    assert message.startswith(f"{case.rule}: ")
    assert message == f"{case.rule}: {refusal(case).detail}"
    for word in case.words:
        assert word in message


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_game_is_unchanged_after_a_refusal(case: Case) -> None:
    game = case.position()
    before = snapshot(game)
    with pytest.raises(IllegalMove):
        game.play(case.move, case.color)
    assert snapshot(game) == before


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_refusal_leaves_nothing_to_undo(case: Case) -> None:
    game, same = case.position(), case.position()
    with pytest.raises(IllegalMove):
        game.play(case.move, case.color)
    if game.turn == 0:
        with pytest.raises(BadRequest):
            game.undo()
    else:
        game.undo()
        same.undo()
        assert snapshot(game) == snapshot(same)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_why_illegal_returns_what_play_raises(case: Case) -> None:
    game = case.position()
    before = snapshot(game)
    problem = game.why_illegal(case.move, case.color)
    assert isinstance(problem, IllegalMove)
    assert problem.args == refusal(case).args
    assert snapshot(game) == before


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_refusal_survives_pickling_and_copying(case: Case) -> None:
    error = refusal(case)
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(twin) is IllegalMove
        assert (twin.rule, twin.cells, twin.detail, str(twin)) == (error.rule, error.cells, error.detail, str(error))


def test_legal_move_is_not_refused() -> None:
    game = duo_with_one_piece_each()
    for move in game.legal_moves():
        assert game.why_illegal(move) is None
        assert game.why_illegal(move, "purple") is None


@pytest.mark.parametrize("error", [BadRequest("unknown seat 9"), BadNotation("a\nbc", 3, "expected a cell")])
def test_other_refusals_survive_pickling(error: RulesError) -> None:
    twin = pickle.loads(pickle.dumps(error))
    assert type(twin) is type(error)
    assert str(twin) == str(error)
    assert twin.__dict__ == error.__dict__


def test_bad_notation_tells_line_and_column() -> None:
    error = BadNotation("a\nbc", 3, "expected a cell")
    assert (error.offset, error.line, error.column) == (3, 2, 2)
    assert str(error) == "line 2, column 2: expected a cell"


@pytest.mark.parametrize("kind", [BadNotation, BadRequest, IllegalMove])
def test_every_refusal_is_a_rules_error_and_a_value_error(kind: type[Exception]) -> None:
    assert issubclass(kind, RulesError)
    assert issubclass(kind, ValueError)


# ---- every placement of the board, against the oracle


def rules_broken(game: oracle.OracleGame, move: Move) -> dict[str, tuple[Cell, ...]]:
    """Return all rules that a placement on the board breaks, each with the cells concerned."""
    assert game.color is not None
    placed, cells = game.placed, set(move.cells)
    own = {cell for piece in placed[game.color].values() for cell in piece}
    occupied = {cell for pieces in placed.values() for piece in pieces.values() for cell in piece}
    start = game.rules.starts.get(game.color)
    largest = oracle.playable_pieces(game.rules, placed, game.color)
    broken = {
        "piece already used": move.cells if move.piece in placed[game.color] else (),
        "overlap": tuple(sorted(cells & occupied)),
        "edge contact": tuple(sorted(cells & oracle.beside(own))),
        "no corner contact": move.cells if own and not cells & oracle.at_corners(own) else (),
        "start square": (start,) if start and not own and start not in cells else (),
        "size order": move.cells if move.piece not in largest and move.piece not in placed[game.color] else (),
    }
    return {rule: where for rule, where in broken.items() if where}


@pytest.mark.parametrize(
    ("name", "plies"),
    [
        ("classic", 0),
        ("classic", 22),
        ("duo", 1),
        ("duo", 13),
        ("solo-descending", 30),
        ("solo-tetromino", 7),
        ("solo-pentomino", 17),
    ],
)
def test_every_placement_is_legal_or_breaks_the_rule_that_is_named(name: str, plies: int) -> None:
    game, reference = Game(name), oracle.OracleGame(RULES[name])
    rng = Random(plies)
    for _ in range(plies):
        move = rng.choice(game.legal_moves())
        game.play(move)
        reference.play(move)
    assert not game.is_over
    for move in game.placements.moves(game.placements.every):
        problem, broken = game.why_illegal(move), rules_broken(reference, move)
        if problem is None:
            assert broken == {}
        else:
            assert problem.cells == broken[problem.rule]

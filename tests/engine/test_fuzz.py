"""Bad input of every kind: it is refused by a `RulesError`, changes nothing, and is never taken for a legal move."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Callable, Iterator
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from functools import partial
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import SCORINGS, VARIANTS, BadRequest, Game, IllegalMove, Move, RulesError
from tests.engine.oracle import FOUR, NAMES, RULES, OracleGame, piece_of
from tests.engine.oracle import Move as OracleMove
from tests.engine.snapshot import snapshot, standing

HUGE = 10**5000  # has more digits than Python agrees to print


class Hostile(Exception):
    """What the objects below raise when they are touched."""


class BadRepr:
    def __repr__(self) -> str:
        raise Hostile


class LongRepr:
    def __repr__(self) -> str:
        return "x" * 10**6


class BadStr(BadRepr):
    def __str__(self) -> str:
        raise Hostile


class BadIter:
    def __iter__(self) -> Iterator[Any]:
        raise Hostile


class BadNext:
    def __iter__(self) -> Iterator[Any]:
        yield (0, 0)
        raise Hostile


class BadIndex:
    def __index__(self) -> int:
        raise Hostile


class BadEq:
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise Hostile


class BadList(list[Any]):
    def __iter__(self) -> Iterator[Any]:
        raise Hostile


class Two(IntEnum):
    TWO = 2


def deeply_nested() -> list[Any]:
    nested: list[Any] = []
    for _ in range(10**5):
        nested = [nested]
    return nested


def cyclic() -> list[Any]:
    cycle: list[Any] = []
    cycle.append(cycle)
    return cycle


VALUES: dict[str, Any] = {
    "true": True,
    "zero": 0,
    "minus one": -1,
    "a number": 7,
    "a huge number": HUGE,
    "a huge negative number": -HUGE,
    "a fraction": 1.5,
    "a whole float": 4.0,
    "nan": math.nan,
    "infinity": math.inf,
    "a complex number": 1j,
    "a Decimal": Decimal(1),
    "a Fraction": Fraction(1, 2),
    "an IntEnum": Two.TWO,
    "an empty string": "",
    "a piece's name": "I1",
    "a color with a space": "blue ",
    "a cell as text": "(0,0)",
    "half a surrogate pair": "\ud800",
    "a long string": "a" * 10**5,
    "bytes": b"\x00\x00",
    "a bytearray": bytearray(b"\x00\x00"),
    "a memoryview": memoryview(b"\x00\x00"),
    "an empty tuple": (),
    "an empty cell": ((),),
    "half a cell": ((0,),),
    "a bare cell": (0, 0),
    "a cell of three": [[0, 0, 0]],
    "a cell in a cell": [[[0, 0]]],
    "a list of None": [None],
    "a range": range(2),
    "an empty dict": {},
    "a dict of cells": {"cells": [[0, 0]]},
    "a dict with a cell as key": {(0, 0): 1},
    "an empty set": set(),
    "a set of numbers": {1, 2},
    "an empty list": [],
    "nested empty lists": [[[[]]]],
    "a cell and a number": [[0, 0], 1],
    "a cell as a string of two": ["00"],
    "a cell as two bytes": [b"00"],
    "a cell as a set": [{0, 1}],
    "a cell as a dict": [{0: 0, 1: 1}],
    "a cell with None": [[0, None]],
    "a cell of floats": [[0.0, 0.0]],
    "a cell with nan": [[0, math.nan]],
    "a cell of strings": [["0", "0"]],
    "a cell of bools": [[False, True]],
    "a cell with a list": [[0, [0]]],
    "a huge row": [[HUGE, 0]],
    "a huge negative column": [[0, -HUGE]],
    "two huge neighbours": [[HUGE, HUGE], [HUGE, HUGE + 1]],
    "a cell twice": [[0, 0], [0, 0]],
    "a hundred thousand cells": [[0, 0]] * 10**5,
    "a hundred thousand times None": [None] * 10**5,
    "six cells": [[0, col] for col in range(6)],
    "cells apart": [[0, 0], [0, 2]],
    "an object": object(),
    "a class": object,
    "a function": len,
    "an ellipsis": ...,
    "a module": json,
    "an exception": Hostile(),
    "a namespace like a move": SimpleNamespace(piece="I1", cells=((0, 0),)),
    "a tuple like a move": ("I1", ((0, 0),)),
    "an object that cannot be printed": BadRepr(),
    "a list of what cannot be printed": [BadRepr()],
    "a cell of what cannot be printed": [[0, BadRepr()]],
    "an object with a long text": LongRepr(),
    "a list of a long text": [LongRepr()],
    "an object without a text": BadStr(),
    "an object that cannot be compared": BadEq(),
    "a cell of what cannot be compared": [[BadEq(), 0]],
    "a cell of what is no index": [[BadIndex(), 0]],
    "an array": numpy.array([1, 2]),
    "an array of floats": numpy.zeros((2, 3)),
    "an array of strings": numpy.array(["blue", "red"]),
    "a cell of numpy's bools": [[numpy.True_, numpy.False_]],
    "a cell of numpy's floats": [[numpy.float64(0), numpy.float64(0)]],
}
MAKERS: dict[str, Callable[[], Any]] = {
    "an empty iterator": lambda: iter([]),
    "a generator of None": lambda: (None for _ in range(3)),
    "a generator of very many cells": lambda: ([0, 0] for _ in range(10**5)),
    "a deeply nested list": deeply_nested,
    "a list of a deeply nested list": lambda: [deeply_nested()],
    "a list in itself": cyclic,
    "an object that raises when iterated": BadIter,
    "an object that raises on the second item": BadNext,
    "a list of what raises when iterated": lambda: [BadIter()],
    "a list that raises when iterated": lambda: BadList([[0, 0]]),
    "a cell that raises when iterated": lambda: [BadList(["0", 0])],
}
JUNK = [pytest.param(lambda value=value: value, id=name) for name, value in VALUES.items()]
JUNK += [pytest.param(maker, id=name) for name, maker in MAKERS.items()]
FAR = ("a huge row", "a huge negative column", "two huge neighbours")  # pieces, though on no board
JUNK_BUT_NUMBERS = [param for param in JUNK if param.id not in ("zero", "a number", "an IntEnum")]
NONE = pytest.param(lambda: None, id="None")  # where that is not a way to say "as usual"


def refused(call: Callable[[], object]) -> RulesError | None:
    """Return the refusal, whose text must be printable and short; None if there was none."""
    try:
        call()
    except RulesError as error:
        refusal = error
    else:
        return None
    assert len(str(refusal)) < 1000
    return refusal


def game_after(name: str, plies: int, seed: int = 1) -> tuple[Game, set[OracleMove]]:
    """Return a game in the middle, and its legal moves by the oracle."""
    game, reference, rng = Game(name), OracleGame(RULES[name]), Random(seed)
    for _ in range(plies):
        move = rng.choice(game.legal_moves())
        game.play(move)
        reference.play(move)
    assert reference.color is not None
    return game, set(reference.legal_moves(reference.color))


# ---- single odd values


@pytest.mark.parametrize("junk", [param for param in JUNK if param.id not in FAR])
def test_from_cells_refuses_what_is_not_a_list_of_cells(junk: Callable[[], Any]) -> None:
    error = refused(lambda: Move.from_cells(junk()))
    assert isinstance(error, IllegalMove)
    assert error.rule == "not a piece"


@pytest.mark.parametrize("junk", JUNK)
def test_play_refuses_a_move_with_odd_cells(junk: Callable[[], Any]) -> None:
    game = Game("duo")
    before = snapshot(game)
    error = refused(lambda: game.play(Move("I1", junk())))
    assert isinstance(error, IllegalMove)
    assert error.rule in ("not a piece", "off the board")
    assert snapshot(game) == before


@pytest.mark.parametrize("cells", [[[HUGE, 0]], [[0, -HUGE]], [[HUGE, HUGE], [HUGE, HUGE + 1]], [[10**9, 10**9]]])
def test_piece_far_away_is_off_the_board(cells: Any) -> None:
    error = refused(lambda: Game("duo").play(Move("I1" if len(cells) == 1 else "I2", cells)))
    assert isinstance(error, IllegalMove)
    assert error.rule == "off the board"


@pytest.mark.parametrize("junk", JUNK)
def test_cells_are_judged_as_moves_are(junk: Callable[[], Any]) -> None:
    game = Game("duo")
    error = refused(lambda: game.judge_cells(junk()))
    assert isinstance(error, IllegalMove)
    assert error.rule in ("not a piece", "off the board")


@pytest.mark.parametrize("junk", JUNK)
def test_play_refuses_a_move_with_an_odd_piece(junk: Callable[[], Any]) -> None:
    game = Game("duo")
    error = refused(lambda: game.play(Move(junk(), ((4, 4), (4, 5)))))
    assert isinstance(error, IllegalMove)
    assert error.rule == "not a piece"
    assert game.turn == 0


@pytest.mark.parametrize("junk", [*JUNK, NONE])
def test_play_refuses_what_is_not_a_move(junk: Callable[[], Any]) -> None:
    game = Game("duo")
    error = refused(lambda: game.play(junk()))
    assert isinstance(error, IllegalMove)
    assert error.rule == "not a piece"
    assert isinstance(game.why_illegal(junk()), IllegalMove)
    assert game.turn == 0


@pytest.mark.parametrize("junk", JUNK)
def test_play_refuses_an_odd_color(junk: Callable[[], Any]) -> None:
    game = Game("duo")
    error = refused(lambda: game.play(Move("I1", ((4, 4),)), junk()))
    assert isinstance(error, IllegalMove)
    assert error.rule == "not this colour's turn"
    assert game.turn == 0


@pytest.mark.parametrize("junk", [*JUNK, NONE])
def test_unknown_variant_is_refused(junk: Callable[[], Any]) -> None:
    assert isinstance(refused(lambda: Game(junk())), BadRequest)


@pytest.mark.parametrize("junk", [*JUNK, NONE])
def test_unknown_scoring_is_refused(junk: Callable[[], Any]) -> None:
    for name in ("classic", "solo"):
        assert isinstance(refused(partial(Game, name, junk())), BadRequest)


@pytest.mark.parametrize("name", ["Classic", "classic ", " duo", "DUO", "solo-", "three_open", "3", "blokus"])
def test_misspelled_variant_is_refused_with_the_names_there_are(name: str) -> None:
    with pytest.raises(BadRequest) as caught:
        Game(name)
    assert name in str(caught.value)
    assert all(known in str(caught.value) for known in VARIANTS)


@pytest.mark.parametrize("name", ["15", "15/20", "10/15", "5/15", "15 / 5"])
def test_misspelled_scoring_is_refused_with_the_names_there_are(name: str) -> None:
    with pytest.raises(BadRequest) as caught:
        Game("classic", name)
    assert name in str(caught.value)
    assert all(known in str(caught.value) for known in SCORINGS)


ABOUT_A_COLOR = (Game.legal_moves, Game.legal_count, Game.legal_bits, Game.has_move, Game.hand, Game.cells)


@pytest.mark.parametrize("junk", JUNK)
def test_unknown_color_is_refused(junk: Callable[[], Any]) -> None:
    game = Game("duo")
    for ask in ABOUT_A_COLOR:
        assert isinstance(refused(partial(ask, game, junk())), BadRequest)


@pytest.mark.parametrize("color", [*FOUR, "Purple", "p", "0"])
def test_color_of_another_variant_is_refused(color: str) -> None:
    game = Game("duo")
    for ask in ABOUT_A_COLOR:
        error = refused(partial(ask, game, color))
        assert isinstance(error, BadRequest)
        assert all(word in str(error) for word in (color, "duo", "purple", "orange"))


ODD_NUMBERS = [
    *JUNK_BUT_NUMBERS,
    pytest.param(lambda: False, id="false"),
    pytest.param(lambda: -2, id="minus two"),
    pytest.param(lambda: 10**9, id="a number too large"),
    pytest.param(lambda: 0.0, id="zero as a float"),
    pytest.param(lambda: "0", id="zero as text"),
    NONE,
]


@pytest.mark.parametrize("seat", ODD_NUMBERS)
def test_unknown_seat_is_refused(seat: Callable[[], Any]) -> None:
    game = Game("duo")
    before = standing(game)
    assert isinstance(refused(lambda: game.retire(seat())), BadRequest)
    assert isinstance(refused(lambda: game.can_play(seat())), BadRequest)
    assert standing(game) == before


@pytest.mark.parametrize(("name", "seats"), [("classic", 4), ("three", 3), ("two", 2), ("duo", 2), ("solo", 1)])
def test_seat_beyond_the_last_is_refused(name: str, seats: int) -> None:
    game = Game(name)
    assert refused(lambda: game.can_play(seats - 1)) is None
    for seat in range(seats, 6):
        assert isinstance(refused(partial(game.retire, seat)), BadRequest)


@pytest.mark.parametrize("index", [*ODD_NUMBERS, pytest.param(lambda: 414, id="one beyond the last")])
def test_index_that_is_not_in_the_list_is_refused(index: Callable[[], Any]) -> None:
    assert isinstance(refused(lambda: Game("duo").legal_number(index())), BadRequest)


@pytest.mark.parametrize("number", ODD_NUMBERS)
def test_odd_placement_number_is_refused(number: Callable[[], Any]) -> None:
    for game in (Game("solo-tetromino"), finished()):
        before = standing(game)
        assert isinstance(refused(partial(game.play_number, number())), RulesError)
        assert standing(game) == before


def finished() -> Game:
    game, rng = Game("solo-tetromino"), Random(1)
    while not game.is_over:
        game.play_random(rng)
    return game


def test_finished_game_has_no_index_and_nothing_to_play() -> None:
    game = finished()
    before = snapshot(game)
    assert isinstance(refused(lambda: game.legal_number(0)), BadRequest)
    assert isinstance(refused(lambda: game.play_random(Random(0))), BadRequest)
    for number in range(0, game.placements.every.bit_length(), 7):
        assert isinstance(refused(partial(game.play_number, number)), RulesError)
    assert snapshot(game) == before


def test_new_game_has_nothing_to_undo() -> None:
    assert isinstance(refused(Game().undo), BadRequest)


# ---- every number


@pytest.mark.parametrize(
    ("name", "plies"),
    [
        *[("classic", plies) for plies in (0, 1, 2, 3, 15)],
        *[("duo", plies) for plies in (0, 1, 12)],
        *[("solo-tetromino", plies) for plies in (0, 1, 6)],
        *[("solo-pentomino", plies) for plies in (0, 14)],
    ],
)
def test_number_is_played_only_if_it_is_a_legal_placement(name: str, plies: int) -> None:
    game, legal = game_after(name, plies)
    before = standing(game)
    accepted = set()
    last = game.placements.every.bit_length()
    for number in range(-last - 50, last + 200):
        if refused(partial(game.play_number, number)) is None:
            accepted.add(game.moves()[-1])
            game.undo()
    assert accepted == legal
    assert standing(game) == before


# ---- cells that come in other forms


FORMS: list[Callable[[Any], Any]] = [
    list,
    lambda cells: [list(cell) for cell in cells],
    lambda cells: list(reversed(cells)),
    set,
    frozenset,
    lambda cells: dict.fromkeys(cells).keys(),
    lambda cells: (cell for cell in cells),
    lambda cells: [[numpy.int64(row), numpy.int8(col)] for row, col in cells],
    lambda cells: [(numpy.uint16(row), col) for row, col in cells],
    lambda cells: numpy.array(cells).tolist(),
]


@pytest.mark.parametrize("form", FORMS)
def test_cells_may_come_in_any_form_and_order(form: Callable[[Any], Any]) -> None:
    game, legal = game_after("duo", 9)
    for piece, cells in sorted(legal):
        move = Move.from_cells(form(cells))
        assert move == (piece, cells)
        assert all(type(number) is int for cell in move.cells for number in cell)
        game.play(Move(piece, form(cells)))
        assert game.moves()[-1] == (piece, cells)
        game.undo()


def test_endless_cells_are_refused() -> None:
    def cells() -> Iterator[tuple[int, int]]:
        for col in range(10**6):
            yield 0, col
        raise Hostile  # by now one should have given up

    assert isinstance(refused(lambda: Move.from_cells(cells())), IllegalMove)


# ---- thousands of nearly right moves


ODD_COORDINATES: list[Any] = [True, False, None, 0.0, 1.5, math.nan, "0", "", [], {}, HUGE, -HUGE, 10**6, -1, 14, 20]


def odd_cells(rng: Random, cells: list[Any]) -> Any:
    """Return cells with something changed: a coordinate, a type, a cell too many or too few."""
    cells = [list(cell) for cell in cells]
    rng.shuffle(cells)
    at = rng.randrange(len(cells))
    odd = rng.choice(ODD_COORDINATES)
    match rng.randrange(10):
        case 0:
            cells[at] = [number + rng.choice([-1, 0, 1]) for number in cells[at]]
        case 1:
            cells[at][rng.randrange(2)] = odd
        case 2:
            cells.append(list(rng.choice(cells)))
        case 3:
            cells.pop(at)
        case 4:
            cells[at] = odd
        case 5:
            cells[at].append(odd)
        case 6:
            cells[at].pop()
        case 7:
            cells.append([rng.randrange(-2, 22), rng.randrange(-2, 22)])
        case 8:
            cells = [[row + 1, col] for row, col in cells]
    return rng.choice([list, tuple])(cells)


@pytest.mark.parametrize(
    ("name", "plies"), [("classic", 0), ("classic", 30), ("duo", 1), ("duo", 10), ("solo-tetromino", 5)]
)
def test_nearly_right_move_is_accepted_only_if_it_is_legal(name: str, plies: int) -> None:
    game, legal = game_after(name, plies)
    before, listed, rng = standing(game), sorted(legal), Random(plies)
    legal_cells = {cells for _, cells in legal}
    every = game.placements.moves(game.placements.every)
    played = 0
    for _ in range(6000):
        piece, cells = rng.choice(listed) if rng.random() < 0.7 else rng.choice(every)
        if rng.random() < 0.1:
            piece = rng.choice(NAMES)
        move = Move(piece, odd_cells(rng, list(cells)))
        by_cells = refused(partial(game.judge_cells, move.cells))
        error = refused(partial(game.play, move))
        if error is None:
            assert by_cells is None
            assert game.moves()[-1] in legal
            assert {tuple(cell) for cell in move.cells} == set(game.moves()[-1].cells)
            game.undo()
            played += 1
        else:
            assert isinstance(error, IllegalMove)
            if by_cells is None:  # then only the piece was named wrongly
                assert error.rule == "not a piece"
                assert tuple(sorted((row, col) for row, col in move.cells)) in legal_cells
    assert standing(game) == before
    assert played > 100


def is_a_piece_or_refused(cells: Any) -> bool:
    """Tell whether cells are taken as a move, which must be the piece that they form."""
    error = refused(partial(Move.from_cells, cells))
    if error is None:
        move = Move.from_cells(cells)
        assert move.piece == piece_of(move.cells)
        assert sorted(tuple(cell) for cell in cells) == list(move.cells)
        return True
    assert isinstance(error, IllegalMove)
    assert error.rule in ("not a piece", "off the board")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    return False


def test_nearly_right_cells_are_a_move_only_if_they_are_a_piece() -> None:
    rng = Random(0)
    every = Game("classic").placements.moves(Game("classic").placements.every)
    accepted = 0
    for _ in range(30000):
        cells = odd_cells(rng, list(rng.choice(every).cells))
        accepted += is_a_piece_or_refused(cells)
    assert accepted > 1000


# ---- whatever hypothesis can think of


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=15,
)
NEAR = st.integers(-1, 14)
CELLS = st.lists(st.tuples(NEAR, NEAR) | st.lists(NEAR | st.none() | st.booleans(), max_size=3), max_size=6)
SETTINGS = settings(max_examples=500, deadline=None, derandomize=True, database=None)


@SETTINGS
@given(JSON | CELLS)
def test_any_cells_are_a_piece_or_refused(cells: Any) -> None:
    is_a_piece_or_refused(cells)


@SETTINGS
@given(st.sampled_from(NAMES) | st.text(max_size=3) | JSON, JSON | CELLS)
def test_any_move_is_legal_or_refused(piece: Any, cells: Any) -> None:
    game = Game("duo")
    error = refused(lambda: game.play(Move(piece, cells)))
    if error is None:
        assert game.moves()[0] in set(OracleGame(RULES["duo"]).legal_moves("purple"))
    else:
        assert isinstance(error, IllegalMove)
        assert (game.turn, game.events()) == (0, [])


@SETTINGS
@given(st.integers() | JSON)
def test_any_number_is_legal_or_refused(number: Any) -> None:
    for act in (Game.play_number, Game.legal_number, Game.retire):
        game = Game("duo")
        error = refused(partial(act, game, number))
        if error is None:
            assert type(number) is int
        else:
            assert (game.turn, game.retired()) == (0, {})

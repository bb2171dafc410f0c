"""What holds at every ply of every game: random games, seeded, against the oracle and against themselves."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import TypeAlias

import numpy
import pytest

from engine import BadRequest, Game, Move, Passed, Placed, Variant
from engine.placements import numbers
from tests.engine.oracle import NAMES, RULES, Cell, OracleGame, Rules
from tests.engine.snapshot import lists, oracle_snapshot, snapshot, standing, variant_of

assert numpy  # imported for its effect: the engine uses numpy where a program has loaded it

ROOT = Path(__file__).parents[2]
GAMES = {"duo": 12, "solo-tetromino": 30, "solo-pentomino": 6}
SEEDED_GAMES = [(name, seed) for name in RULES for seed in range(GAMES.get(name, 4))]
BIG_AND_SMALL = [(name, seed) for name in RULES for seed in range(2)]


@contextmanager
def numpy_loaded(loaded: bool) -> Iterator[None]:
    """Let the engine find numpy among the loaded modules, or not."""
    with pytest.MonkeyPatch.context() as patch:
        if not loaded:
            patch.delitem(sys.modules, "numpy")
        yield


def random_small_rules(rng: Random) -> Rules:
    """Return a variant on a board so small that games are short, and colors are blocked early."""
    rows, cols = rng.randint(1, 8), rng.randint(3, 8)
    colors = ("blue", "yellow", "red", "green")[: rng.randint(1, 4)]
    free = [(row, col) for row in range(rows) for col in range(cols)]
    rng.shuffle(free)
    starts: dict[str, Cell] = dict(zip(colors, free, strict=False)) if rng.random() < 0.6 else {}
    turning = "green" if len(colors) == 4 and rng.random() < 0.6 else None
    owned = colors[:3] if turning else colors
    if len(owned) == 4 and rng.random() < 0.4:
        seats: tuple[tuple[str, ...], ...] = (("blue", "red"), ("yellow", "green"))
    else:
        seats = tuple((color,) for color in owned)
    teams = (0, 1, 0, 1) if len(seats) == 4 and rng.random() < 0.5 else tuple(range(len(seats)))
    pieces = tuple(sorted(rng.sample(NAMES, rng.randint(1, 21)), key=NAMES.index))
    descending, bonus = rng.random() < 0.3, rng.random() < 0.7
    return Rules(rows, cols, colors, starts, seats, teams, turning, pieces, descending, bonus)


def play_both(game: Game, reference: OracleGame, rng: Random, forfeits: float) -> Iterator[None]:
    """Play a game and its reference side by side, pausing after every move and every forfeit."""
    yield
    while not game.is_over:
        seat = rng.randrange(len(reference.rules.seats))
        if rng.random() < forfeits:
            assert game.retire(seat) is reference.retire(seat)
        else:
            assert reference.color is not None
            move = rng.choice(reference.legal_moves(reference.color))
            game.play(Move(*move))
            reference.play(move)
        yield


# ---- against the oracle


@pytest.mark.parametrize(("name", "seed"), SEEDED_GAMES)
def test_game_is_as_the_oracle_says_at_every_ply(name: str, seed: int) -> None:
    game, reference = Game(name), OracleGame(RULES[name])
    forfeits = 0.02 if seed % 4 >= 2 else 0.0
    with numpy_loaded(seed % 2 == 0):
        for _ in play_both(game, reference, Random(seed), forfeits):
            assert snapshot(game) == oracle_snapshot(reference)


@pytest.mark.parametrize("seed", range(250))
def test_small_game_is_as_the_oracle_says_at_every_ply(seed: int) -> None:
    rng = Random(seed)
    rules = random_small_rules(rng)
    scoring = rng.choice(["15/5", "10/5"])
    game, reference = Game(variant_of(rules), scoring), OracleGame(rules, scoring)
    for _ in play_both(game, reference, rng, rng.choice([0.0, 0.1, 0.3])):
        with numpy_loaded(rng.random() < 0.5):
            assert snapshot(game) == oracle_snapshot(reference)


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 5), (5, 1), (9, 2), (2, 9), (3, 3)])
def test_game_on_a_narrow_board_is_as_the_oracle_says(rows: int, cols: int) -> None:
    rules = Rules(rows, cols, ("blue", "red"), {}, (("blue",), ("red",)), (0, 1))
    game, reference = Game(variant_of(rules)), OracleGame(rules)
    for _ in play_both(game, reference, Random(0), 0.0):
        assert snapshot(game) == oracle_snapshot(reference)


@pytest.mark.parametrize("name", RULES)
def test_turns_events_totals_and_ranks_are_the_oracles_with_many_forfeits(name: str) -> None:
    for seed in range(3):
        game, reference = Game(name), OracleGame(RULES[name])
        for _ in play_both(game, reference, Random(seed), 0.08):
            expected = oracle_snapshot(reference)
            assert standing(game) == {key: expected[key] for key in standing(game)}


def test_variants_are_the_oracles() -> None:
    for name, rules in RULES.items():
        assert Game(name).variant == variant_of(rules, name)


# ---- the ways to ask for legal moves


@pytest.mark.parametrize(("name", "seed"), BIG_AND_SMALL)
def test_all_ways_to_ask_for_legal_moves_agree(name: str, seed: int) -> None:
    game, rng = Game(name), Random(seed)
    while not game.is_over:
        assert game.legal_moves() == game.legal_moves(game.color)
        assert game.legal_bits() == game.legal_bits(game.color)
        assert game.legal_count() == game.legal_count(game.color)
        for color in game.variant.colors:
            moves = game.legal_moves(color)
            assert [game.placements.move(number) for number in numbers(game.legal_bits(color))] == moves
            assert game.legal_count(color) == len(moves)
            assert game.has_move(color) is bool(moves)
        game.play_random(rng)
    assert (game.legal_moves(), game.legal_count(), game.legal_bits(), game.has_move()) == ([], 0, 0, False)


@pytest.mark.parametrize("name", ["classic", "duo", "solo-tetromino", "solo-pentomino"])
def test_legal_number_goes_through_the_list_in_order(name: str) -> None:
    game, rng = Game(name), Random(9)
    while not game.is_over:
        moves = game.legal_moves()
        indexes = range(len(moves)) if len(moves) < 300 else [0, *rng.sample(range(len(moves)), 50), len(moves) - 1]
        for index in indexes:
            assert game.placements.move(game.legal_number(index)) == moves[index]
        with pytest.raises(BadRequest):
            game.legal_number(len(moves))
        game.play_random(rng)


@pytest.mark.parametrize("name", ["classic", "duo", "solo-tetromino"])
def test_move_has_the_number_under_which_it_is_played(name: str) -> None:
    game, rng = Game(name), Random(4)
    while not game.is_over:
        index = rng.randrange(game.legal_count())
        move = game.legal_moves()[index]
        number = game.legal_number(index)
        assert game.judge(move) == game.judge_cells(move.cells) == number
        twin = game.copy()
        twin.play(move)
        game.play_number(number)
        assert standing(game) == standing(twin)


class Always(Random):
    """A source that always gives the same number."""

    def __init__(self, value: float) -> None:
        super().__init__(0)
        self.value = value

    def random(self) -> float:
        return self.value


@pytest.mark.parametrize(("name", "plies"), [("classic", 0), ("classic", 20), ("duo", 3), ("solo-tetromino", 2)])
def test_random_play_reaches_every_legal_move_from_an_equal_share(name: str, plies: int) -> None:
    game, rng = Game(name), Random(7)
    for _ in range(plies):
        game.play_random(rng)
    moves = game.legal_moves()
    values = [(index + 0.5) / len(moves) for index in range(len(moves))]
    chosen = []
    for value in [0.0, *values, 1 - 2**-53]:
        number = game.play_random(Always(value))
        chosen.append(game.moves()[-1])
        assert game.placements.move(number) == chosen[-1]
        game.undo()
    assert chosen == [moves[0], *moves, moves[-1]]


@pytest.mark.parametrize(("name", "seed"), BIG_AND_SMALL)
def test_color_that_does_not_move_only_loses_moves(name: str, seed: int) -> None:
    game, rng = Game(name), Random(seed)
    while not game.is_over:
        mover = game.color
        before = {color: game.legal_bits(color) for color in game.variant.colors}
        game.play_random(rng)
        for color, bits in before.items():
            if color != mover:
                assert game.legal_bits(color) | bits == bits


@pytest.mark.parametrize("name", RULES)
def test_blocked_color_never_moves_again(name: str) -> None:
    for seed in range(10):
        game, rng = Game(name), Random(seed)
        blocked: set[str] = set()
        while not game.is_over:
            assert game.color not in blocked
            game.play_random(rng)
            assert not any(game.has_move(color) for color in blocked)
            blocked |= {color for color in game.variant.colors if not game.has_move(color)}
        passed = [event.color for event in game.events() if isinstance(event, Passed)]
        assert sorted(passed) == sorted(game.variant.colors)


# ---- numpy


LISTING = """
import sys, hashlib, random
from engine import Game
print("numpy" in sys.modules)
for name in ("classic", "duo", "solo-descending", "solo-tetromino", "solo-pentomino"):
    game, rng, digest = Game(name), random.Random(3), hashlib.sha256()
    while not game.is_over:
        digest.update(repr([game.legal_moves(color) for color in game.variant.colors]).encode())
        game.play_random(rng)
    print(name, game.turn, digest.hexdigest())
"""


def run_python(program: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.split("\n")


def test_lists_are_the_same_in_a_program_with_numpy_and_without() -> None:
    loaded, *with_numpy = run_python("import numpy\n" + LISTING)
    missing, *without = run_python(LISTING)
    assert (loaded, missing) == ("True", "False")
    assert with_numpy == without


def test_numpy_that_cannot_be_imported_is_not_used() -> None:
    # the usual way to say that a module is not to be had
    done = run_python(
        "import sys; sys.modules['numpy'] = None\nfrom engine import Game\nprint(len(Game().legal_moves()))"
    )
    assert done[0] == "58"


@pytest.mark.parametrize("size", [9, 10, 11])  # sizes of their own, so that tables begin empty
def test_lists_are_the_same_when_numpy_comes_and_goes(size: int) -> None:
    rules = Rules(size, size, ("blue", "red"), {}, (("blue",), ("red",)), (0, 1))
    game, reference, rng = Game(variant_of(rules)), OracleGame(rules), Random(size)
    for _ in play_both(game, reference, rng, 0.0):
        with numpy_loaded(rng.random() < 0.5):
            assert lists(game)["legal"] == oracle_snapshot(reference)["legal"]


# ---- undo


Action: TypeAlias = Move | int  # a move, or the seat that retires


def act(game: Game, action: Action) -> None:
    if isinstance(action, Move):
        game.play(action)
    else:
        assert game.retire(action)


def random_action(game: Game, rng: Random, forfeits: float) -> Action:
    seats = [seat for seat in range(len(game.variant.seats)) if game.can_play(seat)]
    if rng.random() < forfeits:
        return rng.choice(seats)
    return game.placements.move(game.legal_number(rng.randrange(game.legal_count())))


def ask_something(game: Game, rng: Random) -> None:
    """Ask for something, or nothing: answers must not depend on what was asked before."""
    color = rng.choice(game.variant.colors)
    questions: list[Callable[[], object]] = [
        lambda: None,
        lambda: game.has_move(color),
        lambda: game.has_move(),
        lambda: game.legal_bits(color),
        lambda: game.legal_moves(color),
        lambda: game.can_play(rng.randrange(len(game.variant.seats))),
        lambda: game.why_illegal(Move("I1", ((rng.randrange(8), rng.randrange(8)),))),
    ]
    rng.choice(questions)()


def any_variant(seed: int) -> Variant:
    """Return the ten variants in turn, and small boards in between."""
    names = list(RULES)
    if seed % 2 == 0:
        return variant_of(RULES[names[seed // 2 % len(names)]])
    return variant_of(random_small_rules(Random(seed)))


@pytest.mark.parametrize("seed", range(40))
def test_undo_restores_everything_back_to_the_start_and_replay_leads_there_again(seed: int) -> None:
    rng = Random(seed)
    game = Game(any_variant(seed))
    seen = [snapshot(game)]
    done: list[Action] = []
    while not game.is_over:
        done.append(random_action(game, rng, 0.03))
        act(game, done[-1])
        seen.append(snapshot(game))
    for before in seen[-2::-1]:
        game.undo()
        assert snapshot(game) == before
    with pytest.raises(BadRequest):
        game.undo()
    for action, after in zip(done, seen[1:], strict=True):
        act(game, action)
        assert snapshot(game) == after


@pytest.mark.parametrize("seed", range(60))
def test_answers_do_not_depend_on_what_was_asked_played_and_undone_before(seed: int) -> None:
    rng = Random(seed)
    variant = any_variant(seed)
    game = Game(variant)
    done: list[Action] = []
    for _ in range(150):
        back = rng.choice([0, 0, 0, 1, 1, rng.randrange(30)]) if done else 0
        for _ in range(min(back, len(done))):
            game.undo()
            done.pop()
            ask_something(game, rng)
        for _ in range(rng.choice([1, 1, 2, 5])):
            if game.is_over:
                break
            done.append(random_action(game, rng, 0.01))
            act(game, done[-1])
            ask_something(game, rng)
        if rng.random() < 0.1:
            fresh = Game(variant)
            for action in done:
                act(fresh, action)
            assert snapshot(game.copy()) == snapshot(fresh)  # of a copy, so that the game itself is not asked
    assert snapshot(game) == snapshot(game.copy())
    while done:
        game.undo()
        done.pop()
    assert snapshot(game) == snapshot(Game(variant))


@pytest.mark.parametrize("seed", range(60))
def test_position_after_plays_and_undos_is_as_the_oracle_says(seed: int) -> None:
    rng = Random(seed)
    rules = random_small_rules(rng)
    game = Game(variant_of(rules))
    done: list[Action] = []
    for _ in range(80):
        if done and rng.random() < 0.45:
            game.undo()
            done.pop()
        elif not game.is_over:
            done.append(random_action(game, rng, 0.05))
            act(game, done[-1])
        ask_something(game, rng)
        if rng.random() < 0.2:
            reference = OracleGame(rules)
            for action in done:
                if isinstance(action, Move):
                    reference.play(action)
                else:
                    reference.retire(action)
            assert snapshot(game) == oracle_snapshot(reference)


def test_undo_of_a_forfeit_gives_the_turn_back() -> None:
    game = Game("three")
    for _ in range(7):
        game.play(game.legal_moves()[-1])
    before = snapshot(game)
    assert (game.color, game.seat) == ("green", 1)
    game.retire(1)
    game.retire(2)
    game.undo()
    game.undo()
    assert snapshot(game) == before


# ---- copy


@pytest.mark.parametrize("seed", range(20))
def test_copy_and_original_do_not_touch_each_other(seed: int) -> None:
    rng = Random(seed)
    game = Game(any_variant(seed))
    for _ in range(rng.randrange(30)):
        if not game.is_over:
            act(game, random_action(game, rng, 0.02))
            ask_something(game, rng)
    before = snapshot(game.copy())
    twin = game.copy()
    for one, other in ((twin, game), (game, twin)):
        for _ in range(rng.randrange(1, 12)):
            if not one.is_over:
                act(one, random_action(one, rng, 0.1))
        for _ in range(rng.randrange(3)):
            if one.turn:
                one.undo()
        kept = snapshot(other.copy())
        if other is game:
            assert kept == before
    assert snapshot(twin) == snapshot(twin.copy())


def test_copy_can_undo_all_that_the_original_did() -> None:
    game = Game("duo")
    for _ in range(10):
        game.play(game.legal_moves()[-1])
    twin = game.copy()
    for _ in range(10):
        twin.undo()
    assert snapshot(twin) == snapshot(Game("duo"))
    assert game.turn == 10


def test_answers_are_the_callers_own() -> None:
    game = Game("duo")
    game.play(game.legal_moves()[0])
    before = snapshot(game)
    for answer in (game.legal_moves(), game.events(), game.moves(), game.hand("purple"), game.totals(), game.ranks()):
        answer.clear()
    game.scores().clear()
    game.retired().clear()
    assert snapshot(game) == before


def test_events_can_be_asked_for_from_a_number_on() -> None:
    game = Game("duo")
    rng = Random(3)
    while not game.is_over:
        game.play_random(rng)
    events = game.events()
    for since in range(len(events) + 2):
        assert game.events(since) == events[since:]
    assert [event.move for event in events if isinstance(event, Placed)] == game.moves()


# ---- symmetry


def quarter_turn(cell: Cell, rows: int, cols: int) -> Cell:
    """Turn a square board clockwise: the corner of blue comes to the one of yellow."""
    return cell[1], rows - 1 - cell[0]


def half_turn(cell: Cell, rows: int, cols: int) -> Cell:
    return rows - 1 - cell[0], cols - 1 - cell[1]


def upside_down(cell: Cell, rows: int, cols: int) -> Cell:
    return rows - 1 - cell[0], cell[1]


def left_to_right(cell: Cell, rows: int, cols: int) -> Cell:
    return cell[0], cols - 1 - cell[1]


def diagonal(cell: Cell, rows: int, cols: int) -> Cell:
    return cell[1], cell[0]


@pytest.mark.parametrize(
    ("name", "change", "colors"),  # `colors`: who stands in for the first, second … color
    [
        ("classic", quarter_turn, ["yellow", "red", "green", "blue"]),
        ("classic", half_turn, ["red", "green", "blue", "yellow"]),
        ("classic", diagonal, ["blue", "green", "red", "yellow"]),
        ("classic", left_to_right, ["yellow", "blue", "green", "red"]),
        ("classic", upside_down, ["green", "red", "yellow", "blue"]),
        ("two", quarter_turn, ["yellow", "red", "green", "blue"]),
        ("solo-descending", quarter_turn, ["yellow", "red", "green", "blue"]),
        ("duo", half_turn, ["orange", "purple"]),
        ("duo", diagonal, ["purple", "orange"]),
        ("solo-tetromino", half_turn, ["blue", "yellow", "red", "green"]),
        ("solo-tetromino", upside_down, ["yellow", "red", "green", "blue"]),
        ("solo-pentomino", half_turn, ["blue", "yellow", "red", "green"]),
        ("solo-pentomino", left_to_right, ["red", "blue", "yellow", "green"]),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_turned_position_gives_turned_lists(
    name: str, change: Callable[[Cell, int, int], Cell], colors: list[str], seed: int
) -> None:
    game, other, rng = Game(name), Game(name), Random(seed)
    rows, cols = game.variant.rows, game.variant.cols
    stands_in = dict(zip(game.variant.colors, colors, strict=True))

    def changed(move: Move) -> Move:
        return Move.from_cells([change(cell, rows, cols) for cell in move.cells])

    rounds = 0
    while rounds < 8:
        round_of_moves: dict[str | None, Move] = {}
        for color in game.variant.colors:
            if game.color == color:
                game.play_random(rng)
                round_of_moves[stands_in[color]] = changed(game.moves()[-1])
        if len(round_of_moves) < len(colors):
            break  # somebody is blocked
        # the colors of the other game come in another order, which is legal too: they share only the empty squares
        for _ in colors:
            other.play(round_of_moves[other.color])
        for color, other_color in stands_in.items():
            turned = {changed(move) for move in game.legal_moves(color)}
            assert set(other.legal_moves(other_color)) == turned
        rounds += 1
    assert rounds

"""Games that begin with pieces on the board: what is accepted, whose turn it is, and how they go on."""

from __future__ import annotations

from random import Random

import pytest

from engine import VARIANTS, BadRequest, Game, IllegalMove, Move
from tests.engine.sampling import facts_of, pieces_of, position_of, random_game

TINY = VARIANTS["duo"]._replace(name="tiny", pieces=("I1", "I2"))


def i1(row: int, col: int) -> Move:
    return Move("I1", ((row, col),))


def i2(row: int, col: int) -> Move:
    return Move("I2", ((row, col), (row, col + 1)))


def shuffled(game: Game, rng: Random) -> dict[str, list[Move]]:
    return {color: rng.sample(moves, len(moves)) for color, moves in pieces_of(game).items()}


@pytest.mark.parametrize("variant", VARIANTS)
def test_pieces_in_any_order_give_the_position_of_the_game(variant: str) -> None:
    rng = Random(5)
    for seed in range(6):
        game = random_game(variant, seed, plies=rng.randrange(60))
        twin = Game.from_position(variant, shuffled(game, rng))
        assert position_of(twin) == position_of(game)
        assert not twin.events()
        assert not twin.moves()
        assert not twin.forfeits()


@pytest.mark.parametrize("variant", VARIANTS)
def test_game_from_a_position_goes_on_like_the_original(variant: str) -> None:
    rng = Random(6)
    for seed in range(3):
        game = random_game(variant, seed, plies=12)
        twin = Game.from_position(variant, shuffled(game, rng))
        while not game.is_over:
            number = game.play_random(rng)
            twin.play_number(number)
            assert position_of(twin) == position_of(game)
        assert twin.totals() == game.totals()
        assert twin.ranks() == game.ranks()


def test_empty_position_is_a_new_game() -> None:
    for variant in VARIANTS:
        assert facts_of(Game.from_position(variant, {}, "10/5")) == facts_of(Game(variant, "10/5"))


def test_undo_stops_at_the_position() -> None:
    game = Game.from_position("duo", {"purple": [i1(4, 4)]})
    before = facts_of(game)
    game.play(i1(9, 9))
    game.retire(0)
    game.undo()
    game.undo()
    assert facts_of(game) == before
    with pytest.raises(BadRequest, match="nothing to undo"):
        game.undo()


def test_copy_of_a_position_is_independent() -> None:
    game = Game.from_position("duo", {"purple": [i1(4, 4)]})
    before = facts_of(game)
    twin = game.copy()
    twin.play(i1(9, 9))
    twin.retire(1)
    assert facts_of(game) == before
    assert twin.moves() == [i1(9, 9)]
    assert twin.forfeits() == [(1, 2)]


def test_forfeit_counts_its_turn_from_the_position() -> None:
    game = Game.from_position("classic", {"blue": [i1(0, 0)], "yellow": [i1(0, 19)]})
    assert game.retire(2)
    assert game.color == "green"
    assert game.retired() == {2: 2}
    assert game.ranks() == [1, 1, 4, 3]


@pytest.mark.parametrize(("placed", "seat"), [(3, 0), (7, 1), (11, 2), (15, 0)])
def test_turning_color_goes_on_with_the_seat_whose_turn_it_is(placed: int, seat: int) -> None:
    game = random_game("three", 2, plies=placed)
    twin = Game.from_position("three", shuffled(game, Random(1)))
    assert (twin.color, twin.seat) == (game.color, game.seat) == ("green", seat)


def test_monomino_counts_as_last_only_if_it_was_seen_to_be() -> None:
    seen, unseen = Game(TINY), Game.from_position(TINY, {"purple": [i2(4, 4), i1(3, 3)], "orange": [i2(9, 9)]})
    for move in (i2(4, 4), i2(9, 9), i1(3, 3)):
        seen.play(move)
    assert position_of(unseen) == position_of(seen)
    assert seen.scores() == {"purple": 20, "orange": -1}
    assert unseen.scores() == {"purple": 15, "orange": -1}
    unseen.play(i1(8, 8))
    assert unseen.scores() == {"purple": 15, "orange": 20}


def test_finished_position_is_over() -> None:
    game = Game.from_position(TINY, {"purple": [i2(4, 4), i1(3, 3)], "orange": [i2(9, 9), i1(8, 8)]})
    assert game.is_over
    assert (game.color, game.seat) == (None, None)
    assert not game.retire(0)


@pytest.mark.parametrize(
    ("placed", "rule"),
    [
        ({"purple": [i1(4, 4)], "orange": [i1(4, 4)]}, "overlap"),
        ({"purple": [i1(4, 4), i1(4, 4)]}, "piece already used"),
        ({"purple": [i1(4, 4), i2(4, 5)]}, "edge contact"),
        ({"purple": [i1(4, 4), i2(7, 7)]}, "no corner contact"),
        ({"purple": [i1(3, 3)]}, "start square"),
        ({"purple": [i1(14, 4)]}, "off the board"),
        ({"purple": [Move("I2", ((4, 4),))]}, "not a piece"),
    ],
)
def test_pieces_against_the_rules_are_refused(placed: dict[str, list[Move]], rule: str) -> None:
    with pytest.raises(IllegalMove) as caught:
        Game.from_position("duo", placed)
    assert caught.value.rule == rule


def test_largest_first_is_judged_by_what_is_still_in_hand() -> None:
    with pytest.raises(IllegalMove, match="size order: I1 "):
        Game.from_position("solo-descending", {"blue": [i1(0, 0)]})


@pytest.mark.parametrize(
    ("placed", "detail"),
    [
        (
            {"purple": [i1(4, 4), i2(5, 5)]},
            "taking turns cannot lead to 2 pieces of purple: 1 at most while orange, with 0, has not dropped out",
        ),
        (
            {"orange": [i1(9, 9)]},
            "taking turns cannot lead to 1 pieces of orange: 0 at most while purple, with 0, has not dropped out",
        ),
    ],
)
def test_numbers_that_taking_turns_cannot_give_are_refused(placed: dict[str, list[Move]], detail: str) -> None:
    with pytest.raises(BadRequest) as caught:
        Game.from_position("duo", placed)
    assert str(caught.value) == detail


def test_unknown_color_variant_or_scoring_is_refused() -> None:
    with pytest.raises(BadRequest, match="unknown color 'blue'"):
        Game.from_position("duo", {"blue": []})
    with pytest.raises(BadRequest, match="unknown variant 'chess'"):
        Game.from_position("chess", {})
    with pytest.raises(BadRequest, match="unknown scoring '1/1'"):
        Game.from_position("duo", {}, "1/1")

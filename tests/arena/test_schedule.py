"""Schedules: what they promise, counted by an independent checker; and that nothing is planned twice."""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.schedule import Block, Range, extend, full, gauntlet, most_balanced, seatings, spread
from engine.variants import VARIANTS, Variant
from tests.arena import schedule_checker as checker

ROOT = Path(__file__).parent.parent.parent
CLASSIC, TEAMS, THREE, DUO, SOLO = (VARIANTS[name] for name in ("classic", "teams", "three", "duo", "solo"))
ROUNDS = 5
MOST = 60  # bots up to which everything is promised


def seats_of(variant: Variant) -> int:
    return len(variant.seats)


# ---- what is promised of a fresh league

EVERY_SIZE = [(variant, bots) for variant in (CLASSIC, THREE, DUO, SOLO) for bots in range(2, MOST + 1)]
SOME_SIZES = [
    (VARIANTS[name], bots)
    for name in set(VARIANTS) - {"classic", "three", "duo", "solo"}
    for bots in (2, 3, 4, 5, 8, 13, 23, 60)
]
FRESH = [(variant, bots) for variant, bots in EVERY_SIZE + sorted(SOME_SIZES) if bots >= seats_of(variant)]


@pytest.mark.parametrize(("variant", "count"), FRESH, ids=[f"{variant.name}-{bots}" for variant, bots in FRESH])
def test_a_fresh_league_is_as_even_as_promised_after_each_round(variant: Variant, count: int) -> None:
    bots = [100 + 7 * number for number in range(count)]
    blocks = extend([], bots, variant, rounds=ROUNDS, seed=count)
    for number in range(1, ROUNDS + 1):
        so_far = [block for block in blocks if block.round <= number]
        this = [block for block in blocks if block.round == number]
        assert so_far == blocks[: len(so_far)]  # round after round
        assert len({frozenset(block.bots) for block in this}) == len(this)
        assert all(len(set(block.bots)) == seats_of(variant) and set(block.bots) <= set(bots) for block in this)
        assert checker.difference(checker.blocks_per_bot(so_far, bots)) <= 1
        assert checker.worst_prefix(this, bots) <= 3
        if seats_of(variant) > 1:
            assert checker.difference(checker.blocks_per_pair(so_far, bots)) <= 2
            expected = {3} if (count, seats_of(variant)) == (5, 4) else {1, 2}
            assert set(checker.blocks_per_pair(this, bots)) <= expected
    assert not checker.uneven_seats(blocks, variant)
    check_followers(blocks, bots, variant)


def check_followers(blocks: list[Block], bots: list[int], variant: Variant) -> None:
    """Nobody moves right after the same rival in more than half of their blocks, rounded up; a few in one more."""
    exceptions = 0.005 * (len(bots) > 40)
    if seats_of(variant) == 3:  # where there are two orders only
        exceptions = 0.08 if len(bots) > 8 else 0.4
    shared, followed = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    for number in range(1, ROUNDS + 1):
        this = [block for block in blocks if block.round == number]
        shared += checker.meetings(this)
        followed += checker.followed(this, variant)
        too_many = {
            (a, b): followed[a, b] - math.ceil(times / 2)
            for pair, times in shared.items()
            for a, b in (pair, pair[::-1])
            if followed[a, b] > math.ceil(times / 2)
        }
        assert len(too_many) <= exceptions * len(shared)
        assert all(shared[min(pair), max(pair)] % 2 == 0 and more == 1 for pair, more in too_many.items())


def test_five_bots_at_four_seats_play_five_blocks_and_meet_three_times() -> None:
    blocks = extend([], [1, 2, 3, 4, 5], CLASSIC, rounds=1, seed=0)
    assert len(blocks) == 5
    assert checker.blocks_per_pair(blocks, [1, 2, 3, 4, 5]) == [3] * 10


@pytest.mark.parametrize(("variant", "bots"), [(CLASSIC, 4), (TEAMS, 4), (THREE, 3), (DUO, 2)])
def test_a_full_table_plays_one_block_a_round(variant: Variant, bots: int) -> None:
    blocks = extend([], range(bots), variant, rounds=3, seed=0)
    assert [block.round for block in blocks] == [1, 2, 3]
    assert len({block.seed for block in blocks}) == 3


@cache
def first_round(variant: Variant, count: int) -> list[Block]:
    return extend([], range(count), variant, rounds=1, seed=0)


@pytest.mark.parametrize("count", range(3, MOST + 1))
def test_three_seats_take_the_fewest_blocks_there_are_or_one_more(count: int) -> None:
    blocks = first_round(THREE, count)
    one_more = count % 6 == 5  # otherwise a pair would have to meet three times
    assert len(blocks) == checker.fewest_tables(count, 3) + one_more


@pytest.mark.parametrize("count", set(range(4, MOST + 1)) - {5, 8})
def test_four_seats_take_hardly_more_blocks_than_the_fewest_there_are(count: int) -> None:
    blocks = first_round(CLASSIC, count)
    assert len(blocks) <= 1.07 * checker.fewest_tables(count, 4) or (count, len(blocks)) in {(9, 9), (10, 10)}


def test_eight_bots_at_four_seats_take_eight_blocks_to_meet_once_or_twice() -> None:
    assert len(extend([], range(8), CLASSIC, rounds=1, seed=0)) == 8  # in six, some would meet three times


@pytest.mark.parametrize("variant", [CLASSIC, THREE])
def test_no_block_of_a_round_is_idle(variant: Variant) -> None:
    for count in {*range(seats_of(variant), MOST + 1)} - {5}:
        assert not checker.idle([], first_round(variant, count))


@pytest.mark.parametrize("variant", [CLASSIC, TEAMS, THREE, DUO], ids=lambda variant: variant.name)
@pytest.mark.parametrize("count", [61, 97, 200])
def test_many_bots_are_as_evenly_served(variant: Variant, count: int) -> None:
    blocks = extend([], range(count), variant, rounds=1, seed=0)
    assert checker.difference(checker.blocks_per_bot(blocks, range(count))) <= 1
    assert set(checker.blocks_per_pair(blocks, range(count))) <= {1, 2, 3}
    if seats_of(variant) > 2:
        assert len(blocks) <= 1.17 * checker.fewest_tables(count, seats_of(variant))


# ---- the matches of a block


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.name)
def test_every_bot_of_a_block_has_every_seat_equally_often(variant: Variant) -> None:
    bots = tuple(range(10, 10 + seats_of(variant)))
    matches = seatings(bots, variant)
    assert matches[0] == bots
    assert len(set(matches)) == len(matches) == (12 if variant.name == "teams" else seats_of(variant))
    assert not checker.uneven_seats([Block(1, bots, 0)], variant)


def test_in_teams_everybody_is_everybodys_partner_in_every_seat() -> None:
    seen = set()
    for match in seatings((1, 2, 3, 4), TEAMS):
        seen |= {(match[seat], match[(seat + 2) % 4], seat) for seat in range(4)}
    assert seen == {(a, b, seat) for a in (1, 2, 3, 4) for b in (1, 2, 3, 4) if a != b for seat in range(4)}


def test_blocks_have_seeds_of_their_own() -> None:
    blocks = extend([], range(13), CLASSIC, rounds=3, seed=0)
    assert len({block.seed for block in blocks}) == len(blocks)
    assert all(0 <= block.seed < 2**53 for block in blocks)


def test_alone_all_have_the_same_task_in_a_round_and_a_new_one_in_the_next() -> None:
    blocks = extend([], range(7), SOLO, rounds=3, seed=0)
    assert [len({block.seed for block in blocks if block.round == number}) for number in (1, 2, 3)] == [1, 1, 1]
    assert len({block.seed for block in blocks}) == 3
    later = extend(blocks, range(9), SOLO, rounds=1, seed=0)
    assert {block.bots for block in later} == {(7,), (8,)}
    assert {block.seed for block in later} == {blocks[0].seed}


# ---- the same whenever it is asked

SAMPLE = """
import hashlib
from arena.schedule import extend, full, gauntlet, most_balanced
from engine.variants import VARIANTS

def show(what, variant, blocks):
    print(f"# {what}, {variant.name}")
    for block in blocks:
        print(block.round, block.bots, block.seed)

for name, bots in (("classic", 6), ("teams", 5), ("three", 5), ("duo", 4), ("solo", 3)):
    variant = VARIANTS[name]
    rounds = extend([], range(bots), variant, rounds=2, seed=5)
    show(f"two rounds of {bots} bots", variant, rounds)
    show("one leaves, two come", variant, extend(rounds, range(1, bots + 2), variant, rounds=2, seed=5))
    show("a gauntlet", variant, gauntlet([], 0, range(1, bots + 1), variant, rounds=1, seed=5))
    show("five blocks of all", variant, full([], range(bots), variant, rounds=1, seed=5)[:5])
for name, bots in (("classic", 47), ("classic", 62), ("teams", 31), ("three", 35), ("duo", 20)):
    blocks = extend([], range(bots), VARIANTS[name], rounds=3, seed=5)
    blocks += extend(blocks, range(5, bots + 9), VARIANTS[name], rounds=3, seed=5)
    print(name, bots, len(blocks), hashlib.sha256(repr(blocks).encode()).hexdigest()[:16])
"""


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_a_schedule_is_the_same_on_every_python(hash_seed: str, check_golden: Callable[[Path, str], None]) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    found = subprocess.run([sys.executable, "-c", SAMPLE], env=environment, capture_output=True, check=True, text=True)
    check_golden(ROOT / "tests" / "golden" / "schedule.txt", found.stdout)


def test_the_order_in_which_bots_are_named_does_not_matter() -> None:
    assert extend([], [3, 1, 4, 0, 5, 9], CLASSIC, rounds=2, seed=0) == extend(
        [], [0, 1, 3, 4, 5, 9], CLASSIC, rounds=2, seed=0
    )


def test_seed_and_variant_make_a_difference() -> None:
    plans = [extend([], range(9), variant, rounds=1, seed=seed) for variant in (CLASSIC, TEAMS) for seed in (1, 2)]
    assert len({tuple(sorted([sorted(block.bots) for block in plan])[0]) for plan in plans}) > 1
    assert len({block.seed for plan in plans for block in plan}) == 4 * 9


@pytest.mark.parametrize("variant", [CLASSIC, TEAMS, THREE, DUO, SOLO], ids=lambda variant: variant.name)
@pytest.mark.parametrize("count", [4, 5, 11, 26])
def test_rounds_are_planned_one_after_the_other(variant: Variant, count: int) -> None:
    five = extend([], range(count), variant, rounds=5, seed=3)
    for number in range(1, 5):
        first = extend([], range(count), variant, rounds=number, seed=3)
        assert first == five[: len(first)]
        assert extend(first, range(count), variant, rounds=5, seed=3) == five[len(first) :]
    assert not extend(five, range(count), variant, rounds=5, seed=3)
    assert not extend(five, range(count), variant, rounds=2, seed=3)


@pytest.mark.parametrize("variant", [CLASSIC, THREE, DUO, SOLO], ids=lambda variant: variant.name)
def test_a_round_that_was_cut_short_goes_on_as_planned(variant: Variant) -> None:
    for count in (5, 9):
        plan = extend([], range(count), variant, rounds=2, seed=3)
        for cut in range(len(plan)):
            assert extend(plan[:cut], range(count), variant, rounds=2, seed=3) == plan[cut:]


# ---- bots that come later


@pytest.mark.parametrize("variant", [CLASSIC, TEAMS, THREE, DUO], ids=lambda variant: variant.name)
@pytest.mark.parametrize("count", [4, 5, 6, 10, 25, 59])
def test_a_bot_that_comes_later_brings_only_its_own_blocks(variant: Variant, count: int) -> None:
    before = extend([], range(count), variant, rounds=2, seed=0)
    added = extend(before, range(count + 1), variant, rounds=2, seed=0)
    assert all(count in block.bots for block in added)
    assert len(added) == 2 * math.ceil(count / (seats_of(variant) - 1))
    assert not any(checker.missing(before + added, range(count + 1), number) for number in (1, 2))


def test_bots_that_are_no_longer_entered_are_nobodys_rivals() -> None:
    before = extend([], range(10), CLASSIC, rounds=1, seed=0)
    added = extend(before, [0, 1, 2, 3, 20], CLASSIC, rounds=1, seed=0)
    assert len(added) == 2
    assert all(20 in block.bots and set(block.bots) < {0, 1, 2, 3, 20} for block in added)


def test_a_round_between_strangers_is_planned_as_a_fresh_one() -> None:
    before = extend([], range(10), CLASSIC, rounds=1, seed=0)
    strangers = range(10, 23)
    assert extend(before, strangers, CLASSIC, rounds=1, seed=0) == extend([], strangers, CLASSIC, rounds=1, seed=0)


@pytest.mark.parametrize("variant", [CLASSIC, TEAMS, THREE, DUO, SOLO], ids=lambda variant: variant.name)
@pytest.mark.parametrize("seed", range(12))
def test_whatever_a_league_goes_through_each_missing_pair_meets_and_no_block_is_idle(
    variant: Variant, seed: int
) -> None:
    rng = random.Random(seed)
    bots, rounds, blocks = list(range(rng.randint(4, 9))), 1, list[Block]()
    for step in range(12):
        added = extend(blocks, bots, variant, rounds=rounds, seed=seed)
        check_extension(blocks, added, bots, rounds, variant)
        blocks += added
        assert not extend(blocks, bots, variant, rounds=rounds, seed=seed)
        what = rng.choice(["join", "join", "join many", "new version", "leave", "one more round"])
        if what in ("new version", "leave") and len(bots) > 4:
            bots.remove(rng.choice(bots))
        if what in ("join", "new version"):
            bots.append(100 + step)
        if what == "join many":
            bots += range(200 + 10 * step, 200 + 10 * step + rng.randint(2, 6))
        rounds += what == "one more round"


def check_extension(before: list[Block], added: list[Block], bots: list[int], rounds: int, variant: Variant) -> None:
    assert not {(block.round, frozenset(block.bots)) for block in before} & {
        (block.round, frozenset(block.bots)) for block in added
    }
    assert all(set(block.bots) <= set(bots) for block in added)
    if seats_of(variant) == 1:
        played = [(block.round, block.bots[0]) for block in before + added]
        assert len(set(played)) == len(played)
        assert set(played) >= {(number, bot) for number in range(1, rounds + 1) for bot in bots}
        return
    for number in range(1, rounds + 1):
        known = [block for block in before if block.round == number]
        new = [block for block in added if block.round == number]
        lacking = checker.missing(known, bots, number)
        assert not checker.missing(known + new, bots, number)
        if len(lacking) < math.comb(len(bots), 2):  # not a fresh round
            assert not checker.idle(known, new)
            assert len(new) <= checker.one_after_the_other(lacking, seats_of(variant))
            assert max(checker.meetings(new).values(), default=0) <= 4
            so_far = checker.blocks_per_pair(known, bots)
            assert max(checker.blocks_per_pair(known + new, bots)) <= max(so_far) + 2


# ---- other kinds of schedule


@pytest.mark.parametrize(
    ("variant", "count"), [(CLASSIC, 4), (CLASSIC, 8), (TEAMS, 6), (THREE, 9), (DUO, 6), (DUO, 7), (SOLO, 5)]
)
def test_a_full_schedule_has_every_set_of_bots_once_a_round(variant: Variant, count: int) -> None:
    blocks = full([], range(count), variant, rounds=2, seed=0)
    for number in (1, 2):
        this = [block for block in blocks if block.round == number]
        assert sorted([tuple(sorted(block.bots)) for block in this]) == list(
            combinations(range(count), seats_of(variant))
        )
        assert checker.worst_prefix(this, range(count)) <= seats_of(variant)
    assert len({block.seed for block in blocks}) == (2 if seats_of(variant) == 1 else len(blocks))
    assert not full(blocks, range(count), variant, rounds=2, seed=0)


def test_a_full_schedule_adds_to_what_was_played() -> None:
    before = extend([], range(7), CLASSIC, rounds=1, seed=0)
    added = full(before, range(8), CLASSIC, rounds=1, seed=0)
    assert len(added) == math.comb(8, 4) - len(before)
    assert not extend(before + added, range(8), CLASSIC, rounds=1, seed=0)


@pytest.mark.parametrize("variant", [CLASSIC, TEAMS, THREE, DUO, SOLO], ids=lambda variant: variant.name)
@pytest.mark.parametrize("games", [1, 3, 12, 50, 333])
def test_so_many_games_are_played_and_all_bots_have_about_equally_many(variant: Variant, games: int) -> None:
    planned = most_balanced([], range(9), variant, games=games, seed=0)
    assert sum(matches for _, matches in planned) == games
    whole = len(seatings(range(seats_of(variant)), variant))
    assert all(matches == whole for _, matches in planned[:-1])
    assert checker.worst_prefix([block for block, _ in planned], range(9)) <= 3


@pytest.mark.parametrize("variant", [CLASSIC, THREE, DUO, SOLO], ids=lambda variant: variant.name)
def test_more_games_go_on_where_fewer_stopped(variant: Variant) -> None:
    whole = len(seatings(range(seats_of(variant)), variant))
    plan = [block for block, _ in most_balanced([], range(9), variant, games=100 * whole, seed=0)]
    for cut in (1, 2, 9, 10, 31):
        added = most_balanced(plan[:cut], range(9), variant, games=100 * whole, seed=0)
        assert added == [(block, whole) for block in plan[cut:]]
        assert not most_balanced(plan[:cut], range(9), variant, games=cut * whole, seed=0)
    assert extend(plan[:10], range(9), variant, rounds=1, seed=0) == [block for block in plan[10:] if block.round == 1]


@pytest.mark.parametrize("variant", [CLASSIC, TEAMS, THREE, DUO], ids=lambda variant: variant.name)
@pytest.mark.parametrize("count", [3, 4, 9, 10, 11, 40])
def test_a_gauntlet_is_one_against_all_others_equally_often(variant: Variant, count: int) -> None:
    field = range(1, count + 1)
    blocks = gauntlet([], 0, field, variant, rounds=3, seed=0)
    assert all(0 in block.bots for block in blocks)
    assert len(blocks) == 3 * math.ceil(count / (seats_of(variant) - 1))
    assert len({(block.round, frozenset(block.bots)) for block in blocks}) == len(blocks)
    assert checker.difference(checker.blocks_per_bot(blocks, field)) <= 1
    for number in (1, 2, 3):
        assert {bot for block in blocks if block.round == number for bot in block.bots} == {0, *field}
    assert not gauntlet(blocks, 0, field, variant, rounds=3, seed=0)


def test_in_a_gauntlet_of_puzzles_all_have_the_same_tasks() -> None:
    blocks = gauntlet([], 0, [1, 2], SOLO, rounds=2, seed=0)
    assert {(block.round, block.bots) for block in blocks} == {
        (number, (bot,)) for number in (1, 2) for bot in range(3)
    }


def test_a_gauntlet_counts_in_the_rounds_of_the_league() -> None:
    before = gauntlet([], 0, range(1, 10), CLASSIC, rounds=1, seed=0)
    added = extend(before, range(10), CLASSIC, rounds=1, seed=0)
    assert not checker.missing(before + added, range(10), 1)
    assert not checker.idle(before, added)


# ---- how even it is


def test_the_spread_of_a_schedule_is_what_one_counts() -> None:
    blocks = extend([], range(7), CLASSIC, rounds=1, seed=0)
    found = spread(blocks, range(7), CLASSIC)
    assert found == (5, 20, Range(2, 3), Range(1, 2), 0, 0)
    assert found.blocks_per_bot == (2, 3) == (found.blocks_per_bot.least, found.blocks_per_bot.most)


def test_the_spread_of_a_schedule_that_is_cut_short_shows_uneven_seats() -> None:
    (block,) = extend([], range(4), CLASSIC, rounds=1, seed=0)
    assert spread([block], range(4), CLASSIC, games=3)[1:5] == (3, Range(1, 1), Range(1, 1), 1)


def test_the_spread_tells_who_always_moves_after_the_same_rival() -> None:
    stubborn = [Block(number, (1, 2, 3, 4), number) for number in (1, 2)]
    assert spread(stubborn, [1, 2, 3, 4], CLASSIC).always_after == 4
    assert spread(extend([], [1, 2, 3, 4], CLASSIC, rounds=2, seed=0), [1, 2, 3, 4], CLASSIC).always_after == 0


def test_the_spread_of_puzzles_knows_no_pairs() -> None:
    blocks = extend([], range(3), SOLO, rounds=2, seed=0)
    assert spread(blocks, range(3), SOLO) == (6, 6, Range(2, 2), Range(0, 0), 0, 0)
    assert spread([], range(3), SOLO).blocks_per_bot == Range(0, 0)


# ---- what cannot be scheduled


def test_too_few_bots_are_refused() -> None:
    with pytest.raises(UsageError, match=r"^expected at least 4 bots for classic, got 3$"):
        extend([], [1, 2, 3], CLASSIC, rounds=1, seed=0)
    with pytest.raises(UsageError, match=r"^expected at least 3 bots for three, got 2$"):
        gauntlet([], 1, [2], THREE, rounds=1, seed=0)


def test_a_bot_that_is_entered_twice_is_refused() -> None:
    with pytest.raises(UsageError, match=r"^expected each bot once, got bot 2 2 times$"):
        full([], [1, 2, 3, 2], DUO, rounds=1, seed=0)
    with pytest.raises(UsageError, match=r"^expected each bot once, got bot 1 2 times$"):
        gauntlet([], 1, [1, 2, 3], CLASSIC, rounds=1, seed=0)

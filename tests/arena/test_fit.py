"""The order-free fit: what it finds, what it is sure of, and that it can stop and go on."""

import math
import random

import numpy as np
import pytest

from arena.fit import BETA, PRIOR, SCALE, SEAT_PRIOR, Fit, Tally, solo_standings
from arena.outcome import Outcome
from arena.pairs import PairTable
from arena.ratings import SkillTable
from benchmarks.simulated import World, centered, draw_blocks, play

FOUR, TWO, TEAMS = (0, 1, 2, 3), (0, 1), (0, 1, 0, 1)


def _duel(block: int, first: int, second: int, ranks: tuple[int, int], faulty: tuple[int, ...] = ()) -> Outcome:
    return Outcome(block, (first, second), TWO, ranks, (0, 0), faulty)


def _fit(outcomes: list[Outcome]) -> Fit:
    tally = Tally()
    tally.feed(outcomes)
    return tally.fit()


def _ratings(fit: Fit) -> dict[int, float]:
    return {strength.bot: strength.rating.value for strength in fit.strengths}


def _tournament(seed: int = 1, bots: int = 5, blocks: int = 30, **settings: float) -> tuple[World, list[Outcome]]:
    rng = np.random.default_rng(seed)
    world = World(centered(rng.normal(0, 4, bots)), np.linspace(1.5, -1.5, 4), **settings)  # type: ignore[arg-type]
    return world, play(rng, world, draw_blocks(rng, bots, 4, blocks))


# ---- what it finds


def test_three_wins_of_four_are_a_gap_of_log_three() -> None:
    outcomes = []
    for block in range(400):
        wins = (block % 4 != 0, block % 4 != 2)  # each seating on its own is won three times of four
        outcomes.append(_duel(block, 1, 2, (1, 2) if wins[0] else (2, 1)))
        outcomes.append(_duel(block, 2, 1, (2, 1) if wins[1] else (1, 2)))
    fit = _fit(outcomes)
    assert fit.strengths[0].bot == 1
    assert fit.strengths[0].rating.value - fit.strengths[1].rating.value == pytest.approx(SCALE * math.log(3), rel=0.01)
    assert fit.beats[0][1] == pytest.approx(0.75, abs=0.002)
    assert fit.beats[0][1] + fit.beats[1][0] == pytest.approx(1)
    assert fit.beats[0][0] == 0.5
    assert sum(_ratings(fit).values()) == pytest.approx(2 * 25)


def test_the_curve_is_nearly_trueskill_s() -> None:
    for gap in np.linspace(0, 30, 200):
        normal = 0.5 * math.erfc(-gap / (math.sqrt(2) * BETA) / math.sqrt(2))
        assert 1 / (1 + math.exp(-gap / SCALE)) == pytest.approx(normal, abs=0.01)


def test_a_tie_is_half_a_win() -> None:
    ties = [_duel(block, *pair, (1, 1)) for block in range(10) for pair in ((1, 2), (2, 1))]
    shared = [_duel(block, *pair, (1, 2)) for block in range(10) for pair in ((1, 2), (2, 1))]
    for outcomes in (ties, shared):
        assert _ratings(_fit(outcomes)) == {1: pytest.approx(25), 2: pytest.approx(25)}


def test_known_strengths_and_seats_are_found() -> None:
    world, outcomes = _tournament(blocks=400)
    fit = _fit(outcomes)
    for bot, rating in _ratings(fit).items():
        assert rating - 25 == pytest.approx(world.strengths[bot], abs=0.6)
    assert [seat.value for seat in fit.seats] == pytest.approx(world.seats.tolist(), abs=0.3)
    assert sum(seat.value for seat in fit.seats) == pytest.approx(0, abs=1e-6)
    assert (fit.matches, fit.blocks) == (1600, 400)
    assert sum(strength.games for strength in fit.strengths) == 4 * 1600


def test_a_good_seat_does_not_make_a_good_bot() -> None:
    world = World(np.zeros(3), np.array([6.0, -6.0]))
    rng = np.random.default_rng(1)
    pairs = np.array([(0, 1), (0, 2), (1, 2), (2, 1)] * 150)
    outcomes = play(rng, world, pairs)[::2]  # one seating only: bot 0 always has the better seat
    fit = _fit(outcomes)
    assert sum(outcome.ranks[0] == 1 for outcome in outcomes) > 0.9 * len(outcomes)
    assert _ratings(fit)[0] == pytest.approx(25, abs=1.2)
    assert fit.seats[0].low > 3


def test_who_always_wins_stays_within_reason() -> None:
    fit = _fit([_duel(block, *pair) for block in range(20) for pair in ((1, 2, (1, 2)), (2, 1, (2, 1)))])
    best, worst = fit.strengths
    assert 30 < best.rating.value < 45
    assert worst.rating.high < 25 < best.rating.low
    assert best.rating.high > 50, "how much stronger it is, nobody can tell"
    assert fit.above[0][1] > 0.9999
    assert (best.rank_low, best.rank_high) == (1, 1)


def test_a_team_is_as_strong_as_its_members_together() -> None:
    rng = random.Random(2)
    strengths = {0: 8.0, 1: 3.0, 2: 0.0, 3: -4.0, 4: -7.0}
    outcomes = []
    for block in range(500):
        bots = rng.sample(sorted(strengths), 4)
        for turn in range(4):
            seats = tuple(bots[turn:] + bots[:turn])
            luck = [SCALE * -math.log(-math.log(rng.random())) for _ in range(2)]
            first = (strengths[seats[0]] + strengths[seats[2]]) / math.sqrt(2) + 2 + luck[0]
            second = (strengths[seats[1]] + strengths[seats[3]]) / math.sqrt(2) + luck[1]
            ranks = (1, 2, 1, 2) if first > second else (2, 1, 2, 1)
            outcomes.append(Outcome(block, seats, TEAMS, ranks, (0,) * 4))
    fit = _fit(outcomes)
    for bot, rating in _ratings(fit).items():
        assert rating - 25 == pytest.approx(strengths[bot], abs=1.2)
    assert fit.seats[0] == fit.seats[2]
    assert fit.seats[0].value == -fit.seats[1].value == pytest.approx(1 / math.sqrt(2), abs=0.4)
    assert fit.matches == 2000
    assert sum(strength.games for strength in fit.strengths) == 8000


def test_matches_with_a_forfeit_can_be_left_out() -> None:
    fair = [_duel(block, *pair, (1, 2)) for block in range(9) for pair in ((1, 2), (2, 1))]
    tally = Tally()
    tally.feed([*fair, *(_duel(block, 1, 2, (2, 1), faulty=(0,)) for block in range(9)), _duel(9, 3, 1, (1, 2), (1,))])
    clean = tally.fit(with_faulty=False)
    assert clean == _fit(fair)
    assert clean.matches == 18
    assert tally.fit().matches == 28
    assert _ratings(tally.fit())[2] > 25.5


def test_only_ranked_bots_have_ranks() -> None:
    _, outcomes = _tournament()
    tally = Tally()
    tally.feed(outcomes)
    best, *others = [strength.bot for strength in tally.fit().strengths]
    fit = tally.fit(ranked=others)
    assert [strength.bot for strength in fit.strengths] == [best, *others]
    assert [strength.rank for strength in fit.strengths] == [0, 1, 2, 3, 4]
    assert all(1 <= strength.rank_low <= strength.rank <= strength.rank_high <= 4 for strength in fit.strengths[1:])


# ---- that it is order-free, and can stop and go on


def test_the_order_of_the_matches_does_not_matter_to_the_bit() -> None:
    _, outcomes = _tournament()
    shuffled = random.Random(4).sample(outcomes, len(outcomes))
    assert _fit(shuffled) == _fit(outcomes)


def test_portions_do_not_matter_nor_does_a_stop() -> None:
    _, outcomes = _tournament()
    whole, single = Tally(), Tally()
    whole.feed(outcomes)
    for outcome in outcomes[:50]:
        single.feed([outcome])
    assert single.matches == 50
    single.fit()
    resumed = Tally.restore(single.save())
    resumed.feed(iter(outcomes[50:]))
    assert resumed.save() == whole.save()
    assert resumed.fit() == whole.fit()


def test_a_table_that_is_full_bundles_blocks_in_the_same_way_whenever_it_does() -> None:
    _, outcomes = _tournament(bots=12, blocks=600)
    at_once, bit_by_bit = PairTable(most_rows=4000), PairTable(most_rows=4000)
    at_once.add(outcomes)
    for start in range(0, len(outcomes), 70):
        bit_by_bit.add(outcomes[start : start + 70])
        bit_by_bit.meetings(with_faulty=True, bundles=1024)
    assert bit_by_bit.save() == at_once.save()
    rows = at_once.meetings(with_faulty=True, bundles=1024)
    assert rows.games.sum() == 6 * len(outcomes)
    assert len(set(rows.bundle.tolist())) == 64 < 600


def test_few_bundles_of_many_blocks_give_the_intervals_of_the_blocks() -> None:
    _, outcomes = _tournament(blocks=2048, suits_bot=0.3)
    fine = _fit(outcomes)  # 1024 bundles of two blocks
    coarse = _fit([Outcome(o.block % 64, o.bots, o.teams, o.ranks, o.totals) for o in outcomes])
    assert (fine.blocks, coarse.blocks) == (1024, 64)
    assert _ratings(coarse) == _ratings(fine)
    widths = [[each.rating.high - each.rating.low for each in fit.strengths] for fit in (fine, coarse)]
    assert widths[1] == pytest.approx(widths[0], rel=0.35)


def test_nothing_played_is_nothing_known() -> None:
    assert Tally().fit().strengths == ()
    assert Tally.restore(Tally().save()).fit().matches == 0
    faulty = Tally()
    faulty.feed([_duel(0, 1, 2, (1, 2), faulty=(1,))])
    assert faulty.fit(with_faulty=False) == Tally().fit()


@pytest.mark.parametrize(
    ("outcome", "problem"),
    [
        (Outcome(0, (1,), (0,), (1,), (0,)), "two sides or more"),
        (Outcome(0, (1, 2, 3), (0, 1, 2), (1, 2, 3), (0, 0, 0)), "expected matches with the teams"),
        (_duel(0, 1, 1, (1, 2)), "every bot once"),
    ],
)
def test_a_match_that_does_not_fit_is_refused(outcome: Outcome, problem: str) -> None:
    before = [] if outcome.teams == (0,) else [_duel(0, 1, 2, (1, 2))]
    with pytest.raises(ValueError, match=problem):
        _fit([*before, outcome])


@pytest.mark.parametrize("state", [b"", b"junk", Tally().save()[:-30]])
def test_a_stranger_s_state_is_refused(state: bytes) -> None:
    with pytest.raises(ValueError, match="expected a saved tally"):
        Tally.restore(state)


def _strange_tournament(seed: int) -> list[Outcome]:
    """Return few matches in which anything may be the same all the time: the winner, the best seat, the partners."""
    rng = random.Random(seed)
    teams = rng.choice([TWO, (0, 1, 2), FOUR, TEAMS])
    steady = rng.choice(["nothing", "everything", "bot", "seat"])
    outcomes = []
    for block in range(rng.choice([1, 2, 3, 12])):
        bots = rng.sample(range(rng.choice([len(teams), len(teams) + 3])), len(teams))
        for turn in range(rng.choice([1, len(teams)])):
            seated = tuple(bots[turn:] + bots[:turn])
            merits = {
                team: {"nothing": rng.random(), "everything": 0, "bot": seated[team], "seat": team}[steady]
                for team in sorted(set(teams))
            }
            ranks = tuple(1 + sum(other > merits[team] for other in merits.values()) for team in teams)
            outcomes.append(Outcome(block, seated, teams, ranks, (0,) * len(teams)))
    return outcomes


@pytest.mark.parametrize("seed", range(60))
def test_whatever_happens_there_are_numbers(seed: int) -> None:
    with np.errstate(all="raise", under="ignore"):
        fit = _fit(_strange_tournament(seed))
    assert fit.strengths
    for each in [*(strength.rating for strength in fit.strengths), *fit.seats]:
        assert each.low <= each.value <= each.high
        assert math.isfinite(each.value)
    for strength in fit.strengths:
        assert 1 <= strength.rank_low <= strength.rank <= strength.rank_high <= len(fit.strengths)
    assert all(0 <= share <= 1 for row in (*fit.above, *fit.beats) for share in row)


# ---- what it is sure of


def test_one_block_says_nothing_of_the_uncertainty() -> None:
    _, outcomes = _tournament(bots=4, blocks=1)
    fit = _fit(outcomes)
    for strength in fit.strengths:
        assert (strength.rating.low, strength.rating.high) == (-math.inf, math.inf)
        assert (strength.rank_low, strength.rank_high) == (1, 4)
    assert {certainty for row in fit.above for certainty in row} == {0.5}


@pytest.mark.parametrize(
    ("bots", "seats", "blocks", "suits_bot", "suits_seat"),
    [(5, 4, 20, 0.0, 0.0), (5, 4, 20, 0.4, 0.3), (8, 4, 10, 0.4, 0.0), (5, 2, 50, 0.4, 0.3)],
)
def test_intervals_hold_the_truth_as_often_as_they_say(
    bots: int, seats: int, blocks: int, suits_bot: float, suits_seat: float
) -> None:
    rng = np.random.default_rng(11)
    inside, seats_inside, ranks_inside = [], [], []
    for _ in range(120):
        world = World(centered(rng.normal(0, 4, bots)), np.linspace(1, -1, seats), suits_bot, suits_seat)
        fit = _fit(play(rng, world, draw_blocks(rng, bots, seats, blocks)))
        better = {bot: 1 + int((world.strengths > own).sum()) for bot, own in enumerate(world.strengths)}
        for each in fit.strengths:
            inside.append(each.rating.low <= 25 + world.strengths[each.bot] <= each.rating.high)
            ranks_inside.append(each.rank_low <= better[each.bot] <= each.rank_high)
        seats_inside += [seat.low <= worth <= seat.high for seat, worth in zip(fit.seats, world.seats, strict=True)]
    assert 0.925 <= np.mean(inside) <= 0.985  # give or take what chance does in so few tournaments
    assert 0.92 <= np.mean(seats_inside) <= 0.99
    assert np.mean(ranks_inside) >= 0.95


def _always(winner: int, loser: int, blocks: int) -> list[Outcome]:
    both = ((winner, loser, (1, 2)), (loser, winner, (2, 1)))
    return [_duel(block, *seating) for block in range(blocks) for seating in both]


@pytest.mark.parametrize("blocks", range(2, 10))
def test_results_that_are_symmetric_give_symmetric_intervals(blocks: int) -> None:
    fit = _fit(_always(1, 2, blocks))
    for seat in fit.seats:
        assert (seat.value, math.copysign(1, seat.value)) == (0, 1)
        assert seat.low == pytest.approx(-seat.high)
    best, worst = fit.strengths
    assert best.rating.high - 25 == pytest.approx(25 - worst.rating.low)
    assert best.rating.low - 25 == pytest.approx(25 - worst.rating.high)


@pytest.mark.parametrize("outcomes", [_tournament(bots=4, blocks=4)[1], [*_always(1, 2, 6), _duel(6, 2, 1, (1, 2))]])
def test_exchanging_the_seats_mirrors_what_they_are_worth(outcomes: list[Outcome]) -> None:
    mirrored = [Outcome(o.block, o.bots[::-1], o.teams, o.ranks[::-1], o.totals) for o in outcomes]
    here, there = _fit(outcomes), _fit(mirrored)
    for seat, other in zip(here.seats, reversed(there.seats), strict=True):
        assert seat == pytest.approx(other)
    assert {each.bot: each.rating for each in here.strengths} == {
        each.bot: pytest.approx(each.rating) for each in there.strengths
    }


@pytest.mark.parametrize("blocks", [2, 3, 8, 30])
def test_nothing_is_less_known_than_before_it_was_played(blocks: int) -> None:
    fit = _fit(_always(1, 2, blocks))
    assert max(seat.high - seat.low for seat in fit.seats) <= 2 * 1.96 * SEAT_PRIOR
    assert max(each.rating.high - each.rating.value for each in fit.strengths) <= 1.96 * PRIOR


def test_games_that_go_alike_within_a_block_make_less_sure() -> None:
    widths = []
    for share in (0.0, 0.8):
        _, outcomes = _tournament(blocks=100, suits_bot=share)
        widths.append(np.mean([each.rating.high - each.rating.low for each in _fit(outcomes).strengths]))
    assert widths[1] > 1.3 * widths[0]


def test_who_is_called_better_for_certain_is() -> None:
    rng = np.random.default_rng(5)
    wrong, said = 0, 0
    for _ in range(80):
        world = World(centered(rng.normal(0, 2, 6)), np.zeros(4), 0.3)
        fit = _fit(play(rng, world, draw_blocks(rng, 6, 4, 18)))
        for i, a in enumerate(fit.strengths):
            for j, b in enumerate(fit.strengths):
                if fit.above[i][j] >= 0.95:
                    said += 1
                    wrong += world.strengths[a.bot] <= world.strengths[b.bot]
    assert said > 200
    assert wrong / said < 0.05


def test_certainties_of_a_pair_add_up_to_one() -> None:
    _, outcomes = _tournament()
    above = np.array(_fit(outcomes).above)
    assert np.allclose(above + above.T, 1)
    assert (np.diagonal(above) == 0.5).all()
    assert (above[0] >= 0.5).all()


def test_trueskill_agrees_on_the_order() -> None:
    agreed = certain = 0
    for seed in range(5):
        _, outcomes = _tournament(seed, bots=8, blocks=60)
        fit, table = _fit(outcomes), SkillTable()
        table.feed(outcomes)
        mus = [table.ratings()[strength.bot].mu for strength in fit.strengths]
        for i in range(8):
            for j in range(8):
                if fit.above[i][j] >= 0.95:
                    certain += 1
                    agreed += mus[i] > mus[j]
    assert certain > 80
    assert agreed == certain


# ---- solo


def _solo(block: int, bot: int, total: int) -> Outcome:
    return Outcome(block, (bot,), (0,), (1,), (total,))


def test_solo_bots_are_ranked_by_squares_left_over() -> None:
    outcomes = [_solo(block, 1, -4) for block in range(4)]
    outcomes += [_solo(block, 2, total) for block, total in enumerate([0, -2, 0, -6])]
    outcomes += [_solo(block, 3, total) for block, total in enumerate([0, 0, -4, -4])]
    second, third, first = solo_standings(outcomes)
    assert [(each.bot, each.rank, each.left.value, each.solved) for each in (second, third, first)] == [
        (2, 1, 2.0, 2),
        (3, 1, 2.0, 2),
        (1, 3, 4.0, 0),
    ]
    assert first.left == (4.0, 4.0, 4.0)
    spread = math.sqrt((4 + 0 + 4 + 16) / 3 / 4)  # the textbook's standard error
    assert second.left.high - second.left.value == pytest.approx(3.18245 * spread, rel=1e-5)
    assert (second.games, second.blocks) == (4, 4)


def test_solo_games_of_one_block_count_as_one() -> None:
    (standing,) = solo_standings([_solo(0, 1, -3), _solo(0, 1, -5)])
    assert standing.left == (4.0, -math.inf, math.inf)
    assert (standing.games, standing.blocks) == (2, 1)


def test_solo_intervals_hold_the_truth() -> None:
    rng = np.random.default_rng(3)
    inside = []
    for _ in range(400):
        (standing,) = solo_standings(_solo(block, 1, -int(left)) for block, left in enumerate(rng.poisson(9, 12)))
        inside.append(standing.left.low <= 9 <= standing.left.high)
    assert 0.92 <= np.mean(inside) <= 0.98

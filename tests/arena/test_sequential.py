"""Decisions at any moment: right as often as they promise, however often one looks."""

from collections.abc import Callable

import numpy as np
import pytest

from arena.fit import Fit, Tally
from arena.outcome import Outcome
from arena.sequential import Verdict, block_score, compare, top_order
from benchmarks.simulated import Floats, World, draw_blocks, play

Draw = Callable[[np.random.Generator, int], Floats]


def _table_of_four(gain: float) -> Draw:
    """Differences between two bots, each of which beats a share of its three opponents in four games."""

    def draw(rng: np.random.Generator, blocks: int) -> Floats:
        new, old = (rng.binomial(3, share, (blocks, 4)).mean(axis=1) / 3 for share in (0.5 + gain, 0.5))
        difference: Floats = new - old
        return difference

    return draw


def _mostly_a_little(rng: np.random.Generator, blocks: int) -> Floats:
    """Differences of a version that is a bit better, and crashes now and then: on average 0."""
    return np.where(rng.random(blocks) < 0.1, -0.9, 0.1)


def _one_sided(rng: np.random.Generator, blocks: int) -> Floats:
    return np.where(rng.random(blocks) < 0.5, -1.0, 1.0)


# ---- is the new version better?


@pytest.mark.parametrize("draw", [_table_of_four(0.0), _mostly_a_little, _one_sided])
def test_equal_versions_are_seldom_told_apart_though_one_looks_after_every_block(draw: Draw) -> None:
    rng = np.random.default_rng(1)
    verdicts = [compare(draw(rng, 400)).verdict for _ in range(300)]  # the earliest verdict counts
    assert sum(verdict != "not yet" for verdict in verdicts) <= 0.05 * len(verdicts)


@pytest.mark.parametrize(("gain", "verdict"), [(0.1, "better"), (-0.1, "worse")])
def test_a_real_difference_is_found(gain: float, verdict: Verdict) -> None:
    rng = np.random.default_rng(2)
    verdicts = [compare(_table_of_four(gain)(rng, 250)).verdict for _ in range(100)]
    assert verdicts.count(verdict) >= 95


def test_the_interval_holds_the_truth_at_all_moments_together() -> None:
    rng = np.random.default_rng(3)
    missed = 0
    for _ in range(150):
        found = compare(_table_of_four(0.05)(rng, 300)).difference  # what was refuted once stays refuted
        missed += not found.low <= 0.05 <= found.high
    assert missed <= 0.05 * 150


def test_a_verdict_stays() -> None:
    first = [0.4] * 40
    assert compare(first).verdict == "better"
    later = compare([*first, *[-0.4] * 200])
    assert later.verdict == "better"
    assert later.blocks_left is None


def test_versions_that_hardly_differ_are_called_equal_only_with_a_margin() -> None:
    values = np.random.default_rng(4).uniform(-0.2, 0.2, 600)
    assert compare(values).verdict == "not yet"
    found = compare(values, margin=0.05)
    assert found.verdict == "equal"
    assert -0.05 <= found.difference.low <= found.difference.high <= 0.05


def test_a_version_outside_the_margin_is_seldom_called_equal() -> None:
    rng = np.random.default_rng(5)
    verdicts = [compare(_table_of_four(0.05)(rng, 400), margin=0.05).verdict for _ in range(150)]
    assert sum(verdict in ("equal", "worse") for verdict in verdicts) <= 0.05 * len(verdicts)


def test_new_and_old_exchanged_exchange_the_answer() -> None:
    values = _table_of_four(0.03)(np.random.default_rng(6), 100)
    there, back = compare(values), compare(-values)
    assert there.difference.value == -back.difference.value
    assert (there.difference.low, there.difference.high) == (-back.difference.high, -back.difference.low)
    assert there.blocks_left == back.blocks_left


def test_the_blocks_left_are_about_right() -> None:
    rng = np.random.default_rng(7)
    guesses = []
    for _ in range(40):
        values = _table_of_four(0.1)(rng, 400)
        needed = next(count for count in range(10, 400, 5) if compare(values[:count]).verdict != "not yet")
        guesses.append((20 + (compare(values[:20]).blocks_left or 400)) / max(needed, 20))
    assert 0.6 < np.median(guesses) < 1.7


def test_before_the_first_block_nothing_is_known() -> None:
    found = compare([])
    assert (found.verdict, found.blocks, found.blocks_left) == ("not yet", 0, None)
    assert found.difference == (0.0, -1.0, 1.0)


def test_a_difference_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match=r"expected differences from -1 to 1, got 1\.5"):
        compare([0.1, 1.5])


@pytest.mark.parametrize(
    ("teams", "ranks", "score"),
    [
        ((0, 1, 2, 3), (2, 1, 3, 4), 2 / 3),
        ((0, 1, 2, 3), (2, 1, 2, 4), 0.5),  # a tie counts half
        ((0, 1, 0, 1), (1, 2, 1, 2), 1.0),  # a partner is no opponent
        ((0, 1), (2, 1), 0.0),
    ],
)
def test_a_score_is_the_share_of_opponents_beaten(teams: tuple[int, ...], ranks: tuple[int, ...], score: float) -> None:
    outcome = Outcome(0, tuple(range(7, 7 + len(teams))), teams, ranks, (0,) * len(teams))
    assert block_score([outcome], 7) == pytest.approx(score)
    assert block_score([outcome, outcome], 7) == pytest.approx(score)


# ---- is the order of the top sure?


def _fit(strengths: list[float], blocks: int, seed: int = 1) -> Fit:
    rng = np.random.default_rng(seed)
    world = World(np.array(strengths), np.zeros(4))
    tally = Tally()
    tally.feed(play(rng, world, draw_blocks(rng, len(strengths), 4, blocks)))
    return tally.fit()


def test_a_clear_order_is_sure() -> None:
    found = top_order(_fit([9.0, 4.0, -1.0, -6.0, -6.0], 60), 3, 0.95, look=3)
    assert found.is_sure
    assert found.certainty >= found.needed > 0.95


def test_equals_further_down_do_not_matter_but_at_the_top_they_do() -> None:
    fit = _fit([9.0, 4.0, -1.0, -6.0, -6.0], 60)
    assert not top_order(fit, 5, 0.95, look=3).is_sure
    assert set(top_order(fit, 5, 0.95, look=3).weakest or ()) == {3, 4}


def test_the_last_of_the_top_must_be_above_all_others() -> None:
    fit = _fit([6.0, 0.0, 0.0, -6.0], 60)
    assert top_order(fit, 1, 0.95, look=3).is_sure
    assert not top_order(fit, 2, 0.95, look=3).is_sure


def test_who_is_not_ranked_does_not_matter() -> None:
    rng = np.random.default_rng(2)
    tally = Tally()
    tally.feed(play(rng, World(np.array([6.0, 6.0, 0.0, -6.0]), np.zeros(4)), draw_blocks(rng, 4, 4, 60)))
    assert not top_order(tally.fit(), 1, 0.95, look=2).is_sure
    assert top_order(tally.fit(ranked=[1, 2, 3]), 1, 0.95, look=2).is_sure


def test_nobody_is_no_order_and_one_alone_is() -> None:
    fit = _fit([6.0, 0.0, 0.0, -6.0], 4)
    assert not top_order(Tally().fit(), 1, 0.95, look=1).is_sure
    assert not top_order(fit, 9, 0.95, look=1).is_sure
    rng = np.random.default_rng(2)
    tally = Tally()
    tally.feed(play(rng, World(np.zeros(4), np.zeros(4)), draw_blocks(rng, 4, 4, 4)))
    assert top_order(tally.fit(ranked=[2]), 3, 0.95, look=1).is_sure


@pytest.mark.parametrize(("top", "look"), [(0, 1), (1, 0)])
def test_a_look_that_cannot_be_is_refused(top: int, look: int) -> None:
    with pytest.raises(ValueError, match="expected top and look from 1"):
        top_order(_fit([1.0, 0.0, 0.0, 0.0], 3), top, 0.95, look)


@pytest.mark.parametrize(
    ("strengths", "certainty"),
    [([0.0, 0.0, -6.0, -6.0], 0.8), ([0.0, 0.0, 0.0, 0.0], 0.8), ([0.4, 0.0, -6.0, -8.0], 0.9)],
)
def test_a_wrong_order_is_seldom_called_sure_though_one_looks_after_every_round(
    strengths: list[float], certainty: float
) -> None:
    rng = np.random.default_rng(8)
    world = World(np.array(strengths), np.zeros(4), suits_bot=0.3)
    wrong = 0
    for _ in range(30):
        tally = Tally()
        for look in range(1, 11):
            tally.feed(play(rng, world, draw_blocks(rng, 4, 4, 2), first=2 * look))
            fit = tally.fit()
            if top_order(fit, 1, certainty, look).is_sure:
                best = fit.strengths[0].bot
                wrong += not all(strengths[best] > strengths[other] for other in range(4) if other != best)
                break
    assert wrong <= 30 * (1 - certainty)

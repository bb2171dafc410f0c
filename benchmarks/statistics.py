"""Whether the statistics keep their promises, on bots of known strength: `python -m benchmarks.statistics [PART...]`.

Parts: coverage, certainty, models, order, compare, sure, ties, speed; by default all, in about a quarter of an hour.
"""

from __future__ import annotations

import math
import random
import statistics
import sys
from collections.abc import Callable
from functools import partial
from itertools import combinations
from time import process_time
from typing import Any

import numpy as np
import trueskill

from arena.fit import SCALE, Fit, Tally
from arena.outcome import Outcome
from arena.ratings import SkillTable
from arena.sequential import compare, top_order
from benchmarks.simulated import Floats, World, centered, draw_blocks, play
from benchmarks.timing import Goals
from engine import PIECES, Game

SPREAD = 4.0  # standard deviation of the strengths, in points
ALIKE = {"suits_bot": 0.4, "suits_seat": 0.3}  # what games of a block have in common


def fitted(outcomes: list[Outcome]) -> Fit:
    tally = Tally()
    tally.feed(outcomes)
    return tally.fit()


def drawn_world(rng: np.random.Generator, bots: int, seats: int, spread: float = SPREAD, **settings: float) -> World:
    """Return bots with strengths of this spread, at seats of which the first is worth two points more than the last."""
    return World(centered(rng.normal(0, spread, bots)), np.linspace(1, -1, seats), **settings)  # type: ignore[arg-type]


# ---- intervals

TOURNAMENTS = [  # bots, seats, blocks
    (4, 4, 2),
    (4, 4, 5),
    (5, 4, 5),
    (5, 4, 20),
    (5, 4, 200),
    (13, 4, 13),
    (13, 4, 52),
    (20, 4, 40),
    (20, 4, 200),
    (6, 3, 24),
    (3, 2, 6),
    (3, 2, 30),
    (5, 2, 10),
    (5, 2, 40),
    (10, 2, 45),
    (20, 2, 190),
]


def coverage(goals: Goals) -> None:
    """Count how often the 95 % intervals and rank ranges hold the truth."""
    for bots, seats, blocks in TOURNAMENTS:
        for name, settings in (("", {}), (", games alike", ALIKE)):
            _cover(goals, bots, seats, blocks, SPREAD, name, settings)
    for bots, seats, blocks in ((5, 4, 20), (5, 2, 40), (20, 4, 40)):
        _cover(goals, bots, seats, blocks, 9.0, ", far apart", ALIKE)
        _cover(goals, bots, seats, blocks, SPREAD, ", normal luck", {**ALIKE, "is_normal": True})


def _cover(
    goals: Goals, bots: int, seats: int, blocks: int, spread: float, name: str, settings: dict[str, float]
) -> None:
    rng = np.random.default_rng(1)
    inside, seats_inside, ranks_inside, widths = [], [], [], []
    for _ in range(max(100, 3000 // bots) if blocks < 100 else 100):
        world = drawn_world(rng, bots, seats, spread, **settings)
        fit = fitted(play(rng, world, draw_blocks(rng, bots, seats, blocks)))
        better = 1 + (world.strengths > world.strengths[:, None]).sum(1)
        for each in fit.strengths:
            inside.append(each.rating.low <= 25 + world.strengths[each.bot] <= each.rating.high)
            ranks_inside.append(each.rank_low <= better[each.bot] <= each.rank_high)
            widths.append(each.rating.high - each.rating.low)
        seats_inside += [seat.low <= worth <= seat.high for seat, worth in zip(fit.seats, world.seats, strict=True)]
    what = f"{bots:2} bots, {seats} seats, {blocks:3} blocks{name}: held"
    is_few = blocks * seats / bots * seats * (seats - 1) < 30  # meetings of a bot; so few results come in coarse steps
    goals.between(what, 100 * float(np.mean(inside)), 93, 100 if is_few else 97.5, "%")  # 97, and half of chance
    rest = (100 * np.mean(seats_inside), 100 * np.mean(ranks_inside), np.median(widths) / 2)
    print("    seats {:.1f} %, rank ranges {:.1f} %, rating ± {:.1f} points".format(*rest))


def certainty(goals: Goals) -> None:
    """Count how often equal bots are called different, by the certainty that one is above the other."""
    for bots, seats, blocks in ((4, 4, 5), (5, 4, 20), (8, 4, 28), (4, 2, 24), (2, 2, 10)):
        for share in (0.0, 0.6):
            rng = np.random.default_rng(2)
            doubts = []
            for _ in range(600):
                world = World(np.array([0.0, 0.0, *rng.normal(-3, 5, bots - 2)]), np.zeros(seats), share)
                fit = fitted(play(rng, world, draw_blocks(rng, bots, seats, blocks)))
                first, second = (place for place, each in enumerate(fit.strengths) if each.bot < 2)
                doubts.append(fit.above[second][first])
            for level in (0.05, 0.005):
                what = f"{bots} bots, {seats} seats, {blocks} blocks, alike {share:.0%}: {1 - level:.1%} sure of equals"
                chance = 3 * math.sqrt(2 * level / len(doubts))  # three standard errors
                goals.at_most(what, 100 * float(np.mean(np.array(doubts) < level)), 100 * (2 * level + chance), "%")


# ---- models


def models(goals: Goals) -> None:
    """Compare the errors of the fit of pairs with those of Plackett and Luce's model of whole rankings."""
    rng = np.random.default_rng(3)
    of_pairs = of_rankings = 0.0
    for _ in range(100):
        world = drawn_world(rng, 8, 4)
        outcomes = play(rng, world, draw_blocks(rng, 8, 4, 28))
        pairs = {each.bot: each.rating.value - 25 for each in fitted(outcomes).strengths}
        whole = plackett_luce(outcomes, 8, 4)
        of_pairs += sum((pairs[bot] - truth) ** 2 for bot, truth in enumerate(world.strengths))
        of_rankings += float(((whole - world.strengths) ** 2).sum())
    goals.at_most("squared error of all pairs / Plackett-Luce, 8 bots", of_pairs / of_rankings, 1.15, "x")


def plackett_luce(outcomes: list[Outcome], bots: int, seats: int) -> Floats:
    """Return strengths in points: each place goes to one of those left, in proportion to exp(strength)."""
    orders = np.array([np.argsort(outcome.ranks) for outcome in outcomes])
    rows = np.take_along_axis(np.array([outcome.bots for outcome in outcomes]), orders, axis=1)
    values = np.zeros(bots + seats)
    for _ in range(20):
        slope, curve = -0.02 * values, 0.02 * np.eye(bots + seats)
        for first in range(seats - 1):
            columns = np.stack([rows[:, first:], bots + orders[:, first:]])
            weights = np.exp(values[columns].sum(0))
            shares = weights / weights.sum(1, keepdims=True)
            design = np.zeros((len(rows), seats - first, bots + seats))
            for column in columns:
                np.put_along_axis(design, column[:, :, None], 1.0, axis=2)
            mean = (shares[:, :, None] * design).sum(1)
            slope += (design[:, 0] - mean).sum(0)
            curve += np.einsum("ms,msp,msq->pq", shares, design, design) - mean.T @ mean
        values = values + np.linalg.solve(curve, slope)
    return centered(SCALE * values[:bots])


def order(goals: Goals) -> None:
    """Count how often TrueSkill has the order of those of whom the fit is 95 % sure."""
    rng = np.random.default_rng(4)
    agreed = said = 0
    for _ in range(20):
        outcomes = play(rng, drawn_world(rng, 10, 4, **ALIKE), draw_blocks(rng, 10, 4, 60))
        fit, table = fitted(outcomes), SkillTable()
        table.feed(outcomes)
        mus = [table.ratings()[each.bot].mu for each in fit.strengths]
        certain = [(i, j) for i, j in combinations(range(10), 2) if fit.above[i][j] >= 0.95]
        said += len(certain)
        agreed += sum(mus[i] > mus[j] for i, j in certain)
    goals.at_least("TrueSkill agrees on the order of 95 % sure pairs", 100 * agreed / said, 99, "%")


# ---- decisions at any moment


def _table_of_four(gain: float) -> Callable[[np.random.Generator, int], Floats]:
    def draw(rng: np.random.Generator, blocks: int) -> Floats:
        new, old = (rng.binomial(3, share, (blocks, 4)).mean(axis=1) / 3 for share in (0.5 + gain, 0.5))
        difference: Floats = new - old
        return difference

    return draw


def _duels(gain: float) -> Callable[[np.random.Generator, int], Floats]:
    def draw(rng: np.random.Generator, blocks: int) -> Floats:
        new, old = ((rng.random((blocks, 2)) < share).mean(axis=1) for share in (0.5 + gain, 0.5))
        difference: Floats = new - old
        return difference

    return draw


def _crashes(rng: np.random.Generator, blocks: int) -> Floats:
    return np.where(rng.random(blocks) < 0.1, -0.9, 0.1)


def compare_versions(goals: Goals) -> None:
    """Count wrong verdicts if one looks after each of 1000 blocks, and the blocks that real differences need."""
    for name, draw in (("four seats", _table_of_four(0)), ("two seats", _duels(0)), ("rare crashes", _crashes)):
        rng = np.random.default_rng(5)
        wrong = sum(compare(draw(rng, 1000)).verdict != "not yet" for _ in range(500))
        goals.at_most(f"equal versions told apart within 1000 blocks, {name}", wrong / 5, 5, "%")
    for name, kind in (("four seats", _table_of_four), ("two seats", _duels)):
        for gain in (0.03, 0.05, 0.1, 0.2):
            rng = np.random.default_rng(6)
            verdicts = [_first_verdict(kind(gain)(rng, 2000)) for _ in range(100)]
            wrong = sum(verdict == "worse" for verdict, _ in verdicts)
            needed = np.quantile([blocks for _, blocks in verdicts], [0.5, 0.95])
            goals.at_most(f"+{gain:.0%} of the points, {name}: called worse", float(wrong), 5, "%")
            print("    blocks until a verdict: half of the time up to {:.0f}, 95 % up to {:.0f}".format(*needed))


def _first_verdict(values: Floats) -> tuple[str, int]:
    """Return the verdict, and after how many blocks it came."""
    low, high = 0, len(values)
    verdict = compare(values).verdict
    while high - low > 1 and verdict != "not yet":
        middle = (low + high) // 2
        low, high = (middle, high) if compare(values[:middle]).verdict == "not yet" else (low, middle)
    return verdict, high


def until_sure(goals: Goals) -> None:
    """Count wrong orders if one looks after each round, until the order is sure."""
    cases: list[tuple[list[float], int, int, int, float]] = [  # strengths, seats, blocks a round, top, certainty
        ([0, 0], 2, 2, 1, 0.8),
        ([0, 0, -4], 2, 3, 1, 0.9),
        ([0, 0, 0, 0], 4, 2, 1, 0.8),
        ([0, 0, -8, -8], 4, 2, 1, 0.8),
        ([0.3, 0, -4, -8, -8], 4, 5, 3, 0.8),
        ([0.3, 0, -4, -8, -8], 4, 5, 1, 0.95),
        ([6, 2, -2, -6, -6], 4, 5, 3, 0.95),
    ]
    for strengths, seats, blocks, top, promise in cases:
        wrong, looks = _sure_and_wrong(World(np.array(strengths), np.zeros(seats), 0.3), seats, blocks, top, promise)
        what = f"top {top} of {strengths}, at {promise:.0%}: wrong"
        goals.at_most(what, wrong, 100 * (1 - promise), "%")
        print(
            f"    sure within 15 rounds: {len(looks)} of 100 tournaments, after {np.median(looks or [0]):.0f} on median"
        )


def _sure_and_wrong(world: World, seats: int, blocks: int, top: int, promise: float) -> tuple[float, list[int]]:
    rng = np.random.default_rng(7)
    wrong, looks = 0, []
    for _ in range(100):
        tally = Tally()
        for look in range(1, 16):
            tally.feed(play(rng, world, draw_blocks(rng, len(world.strengths), seats, blocks), blocks * look))
            fit = tally.fit()
            if top_order(fit, top, promise, look).is_sure:
                looks.append(look)
                found = [world.strengths[each.bot] for each in fit.strengths]
                wrong += not all(found[i] > found[j] for i in range(top) for j in range(i + 1, len(found)))
                break
    return float(wrong), looks


# ---- ties and speed


def ties(goals: Goals) -> None:
    """Count ties between equals: in random games, and where everybody plays one of the largest pieces."""
    for variant in ("classic", "two", "three", "duo"):
        for name, games, player in (("random", 1000, None), ("greedy", 300, _play_large)):
            tied = met = 0
            for seed in range(games):
                ranks = _play_game(variant, random.Random(seed), player)
                met += math.comb(len(ranks), 2)
                tied += sum(a == b for a, b in combinations(ranks, 2))
            goals.between(f"{variant}, {name}: pairs that tie", 100 * tied / met, 2, 6, "%")


def _play_game(variant: str, rng: random.Random, player: Callable[[Game, random.Random], None] | None) -> list[int]:
    game = Game(variant)
    while not game.is_over:
        if player is None:
            game.play_random(rng)
        else:
            player(game, rng)
    return game.ranks()


def _play_large(game: Game, rng: random.Random) -> None:
    moves = game.legal_moves()
    largest = max(PIECES[move.piece].size for move in moves)
    game.play(rng.choice([move for move in moves if PIECES[move.piece].size == largest]))


def speed(goals: Goals) -> None:
    """Compare what a league of 100 000 matches costs with the bare loop of the package, in CPU time."""
    rng = np.random.default_rng(8)
    outcomes = play(rng, drawn_world(rng, 20, 4), draw_blocks(rng, 20, 4, 25_000))
    portions = [outcomes[start : start + 1000] for start in range(0, 12_000, 1000)]
    env = trueskill.TrueSkill(tau=0, draw_probability=0.04)
    skills, table = {bot: env.create_rating() for bot in range(20)}, SkillTable()
    bare = [0.0] * len(portions)
    ours = [0.0] * len(portions)
    for number, portion in enumerate(portions):  # in turn, so that a busy machine slows both
        bare[number] = cpu_s(partial(_bare_loop, env, skills, portion))
        ours[number] = cpu_s(partial(table.feed, portion))
    goals.at_most(
        "TrueSkill / the bare loop of the package", statistics.median(ours) / statistics.median(bare), 1.05, "x"
    )
    whole = statistics.median(bare) * 100
    tally = Tally()
    fed = cpu_s(lambda: tally.feed(outcomes))
    saved = cpu_s(tally.save)
    state = tally.save()
    goals.at_most("fit: taking in 100 000 matches / bare loop", 100 * fed / whole, 4, "%")
    goals.at_most("fit: saving them / bare loop", 100 * saved / whole, 2, "%")
    goals.at_most(
        "fit: restored and solved / bare loop", 100 * cpu_s(lambda: Tally.restore(state).fit()) / whole, 4, "%"
    )
    print(f"    {whole:.1f} s for the bare loop, {fed:.2f} s for the tally, {len(state) / 1024:.0f} KiB saved")


def cpu_s(work: Callable[[], object]) -> float:
    """Return the CPU time of a call."""
    begun = process_time()
    work()
    return process_time() - begun


def _bare_loop(env: Any, skills: dict[int, Any], outcomes: list[Outcome]) -> None:
    for outcome in outcomes:
        after = env.rate([(skills[bot],) for bot in outcome.bots], outcome.ranks)
        for bot, (skill,) in zip(outcome.bots, after, strict=True):
            skills[bot] = skill


PARTS = {
    "coverage": coverage,
    "certainty": certainty,
    "models": models,
    "order": order,
    "compare": compare_versions,
    "sure": until_sure,
    "ties": ties,
    "speed": speed,
}


def main() -> int:
    goals = Goals()
    for name in sys.argv[1:] or PARTS:
        print(f"-- {name}")
        PARTS[name](goals)
    print(f"goals missed: {goals.missed}")
    return min(goals.missed, 1)


if __name__ == "__main__":
    sys.exit(main())

"""TrueSkill: what the package says, match after match, and what it cannot say."""

import json
import random

import pytest
import trueskill

from arena.outcome import Outcome
from arena.ratings import SkillTable

FOUR, TWO, TEAMS = (0, 1, 2, 3), (0, 1), (0, 1, 0, 1)


def _match(bots: tuple[int, ...], ranks: tuple[int, ...], teams: tuple[int, ...] = FOUR, **rest: object) -> Outcome:
    return Outcome(0, bots, teams, ranks, (0,) * len(bots), **rest)  # type: ignore[arg-type]


def _random_matches(count: int, teams: tuple[int, ...], seed: int = 1) -> list[Outcome]:
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        bots = tuple(rng.sample(range(9), len(teams)))
        by_team = {team: sum(rng.choice((1, 3)) for other in teams if other == team) for team in teams}
        points = [by_team[team] + (bots[team] if len(by_team) > 2 else 0) for team in teams]
        found.append(_match(bots, tuple(1 + sum(other > own for other in points) for own in points), teams))
    return found


def _by_hand(outcomes: list[Outcome]) -> dict[int, trueskill.Rating]:
    """Rate matches with nothing but the package."""
    env = trueskill.TrueSkill(tau=0, draw_probability=0.1)
    skills = {bot: env.create_rating() for bot in range(9)}
    for outcome in outcomes:
        seated = list(zip(outcome.bots, outcome.teams, strict=True))
        sides = [[bot for bot, other in seated if other == team] for team in dict.fromkeys(outcome.teams)]
        ranks = [outcome.ranks[outcome.bots.index(side[0])] for side in sides]
        after = env.rate([tuple(skills[bot] for bot in side) for side in sides], ranks)
        for side, changed in zip(sides, after, strict=True):
            skills.update(zip(side, changed, strict=True))
    return skills


@pytest.mark.parametrize("teams", [FOUR, TWO, (0, 1, 2), TEAMS])
def test_ratings_are_the_package_s_own_to_the_bit(teams: tuple[int, ...]) -> None:
    outcomes = _random_matches(60, teams)
    assert any(len(set(outcome.ranks)) < len(set(teams)) for outcome in outcomes), "there should be ties"
    table = SkillTable(0.1)
    table.feed(outcomes)
    expected = _by_hand(outcomes)
    for bot, rating in table.ratings().items():
        assert (rating.mu, rating.sigma) == (expected[bot].mu, expected[bot].sigma)
    assert table.strained == 0


@pytest.mark.parametrize("portion", [1, 37, 150])
def test_a_table_that_was_saved_goes_on_as_if_nothing_had_happened(portion: int) -> None:
    outcomes = _random_matches(150, FOUR)
    whole, resumed = SkillTable(), SkillTable()
    whole.feed(outcomes)
    for start in range(0, len(outcomes), portion):
        resumed.feed(outcomes[start : start + portion])
        resumed = SkillTable.restore(json.loads(json.dumps(resumed.save())))
    assert resumed.ratings() == whole.ratings()
    assert resumed.save() == whole.save()


def test_what_is_saved_does_not_grow_with_the_matches() -> None:
    few, many = SkillTable(), SkillTable()
    few.feed(_random_matches(40, FOUR))
    many.feed(_random_matches(400, FOUR))
    assert len(json.dumps(many.save())) < 1.05 * len(json.dumps(few.save()))


def test_a_win_raises_and_every_match_makes_surer() -> None:
    table = SkillTable()
    table.feed([_match((7, 3), (2, 1), TWO)])
    ratings = table.ratings()
    assert list(ratings) == [3, 7]
    assert ratings[3].mu > 25 > ratings[7].mu
    assert ratings[3].sigma < 25 / 3
    assert ratings[3].games == 1
    assert ratings[3].cautious == ratings[3].mu - 3 * ratings[3].sigma
    sigma = ratings[3].sigma
    for _ in range(50):
        table.feed([_match((7, 3), (1, 1), TWO)])
        assert table.ratings()[3].sigma < sigma
        sigma = table.ratings()[3].sigma


def test_team_mates_win_together() -> None:
    table = SkillTable()
    table.feed([_match((5, 6, 7, 8), (2, 1, 2, 1), TEAMS)])
    ratings = table.ratings()
    assert ratings[6].mu == ratings[8].mu > 25 > ratings[5].mu == ratings[7].mu


def test_matches_with_a_forfeit_can_be_left_out() -> None:
    fair, faulty = _match((1, 2), (1, 2), TWO), _match((1, 2), (2, 1), TWO, faulty=(0,))
    everything, clean = SkillTable(), SkillTable(with_faulty=False)
    everything.feed([fair, faulty, fair])
    clean.feed([fair, faulty, fair])
    assert (everything.matches, clean.matches) == (3, 2)
    assert clean.ratings()[1].mu > everything.ratings()[1].mu
    assert SkillTable.restore(clean.save()).save() == clean.save()


@pytest.mark.parametrize(
    ("ranks", "after"),
    [  # from a computation with 80 digits
        ((2, 1), [(201.549348334, 1.904138126), (-1.549348334, 1.904138126)]),
        ((1, 1), [(201.606443462, 1.904111578), (-1.606443462, 1.904111578)]),
        ((1, 2), [(225.0, 2.0), (-25.0, 2.0)]),
    ],
)
def test_results_that_the_package_cannot_compute_count_all_the_same(
    ranks: tuple[int, int], after: list[tuple[float, float]]
) -> None:
    table = _far_apart([225.0, -25.0])
    table.feed([_match((0, 1), ranks, TWO)])
    assert (table.matches, table.strained) == (1, 1)
    for rating, (mu, sigma) in zip(table.ratings().values(), after, strict=True):
        assert (rating.mu, rating.sigma) == pytest.approx((mu, sigma), rel=1e-7)


def test_three_impossible_results_at_once_count_too() -> None:
    table = _far_apart([225.0, 25.0, -150.0])
    table.feed([_match((0, 1, 2), (3, 2, 1), (0, 1, 2))])
    found = [rating.mu for rating in table.ratings().values()]
    assert found == pytest.approx([189.0327608696, 26.5601537551, -115.5929146247], rel=1e-7)


def _far_apart(strengths: list[float]) -> SkillTable:
    """Return ratings with a sigma of 2 which no matches that we know lead to."""
    state = SkillTable(0.04).save()
    state["bots"] = [[bot, 0.25, 0.25 * mu, 1] for bot, mu in enumerate(strengths)]
    return SkillTable.restore(state)


def test_a_strict_hierarchy_does_not_strain_the_package() -> None:
    rng = random.Random(3)
    table = SkillTable()
    for _ in range(1500):
        bots = tuple(rng.sample(range(20), 4))
        table.feed([_match(bots, tuple(1 + sum(other < own for other in bots) for own in bots))])
    assert table.strained == 0
    mus = [rating.mu for rating in table.ratings().values()]
    assert mus == sorted(mus, reverse=True)
    assert mus[0] - mus[-1] < 80


@pytest.mark.parametrize(
    ("outcome", "problem"),
    [
        (_match((1,), (1,), (0,)), "two sides or more"),
        (_match((1, 1), (1, 2), TWO), "every bot once"),
    ],
)
def test_a_match_that_cannot_be_rated_is_refused(outcome: Outcome, problem: str) -> None:
    table = SkillTable()
    with pytest.raises(ValueError, match=problem):
        table.feed([outcome])
    assert table.matches == 0


@pytest.mark.parametrize("draws", [0.0, 1.0, -0.1, float("nan")])
def test_a_draw_probability_that_is_none_is_refused(draws: float) -> None:
    with pytest.raises(ValueError, match="expected a draw probability"):
        SkillTable(draws)


def test_a_stranger_s_state_is_refused() -> None:
    with pytest.raises(ValueError, match="format"):
        SkillTable.restore({"format": 99})

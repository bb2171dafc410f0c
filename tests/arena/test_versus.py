"""`arena compare`: what it plays, what it counts, and that the league is left as it was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.exchange import export, import_records
from arena.league import League, open_league
from arena.limits import ResourceLimits
from arena.report import write_site
from arena.schedule import Block
from arena.sequential import Comparison
from arena.store import LEAGUE, Division
from arena.tournament import Watcher
from arena.versus import Contest, compare_versions
from tests.arena.leagues import QUIET, arena, events, run, wanted, write_bot, write_bots


@pytest.fixture
def league(tmp_path: Path) -> Iterator[League]:
    with open_league(tmp_path / "league") as opened:
        for file in write_bots(tmp_path / "src", "small", "large", "middle", "dice", "largish"):
            opened.resolve(file, is_trial=True)
        yield opened


def _contest(league: League, old: str, new: str, *field: str) -> Contest:
    return Contest(league.find(old), league.find(new), tuple(league.find(name) for name in field))


def _compare(league: League, contest: Contest, *, pairs: int, error: float = 0.05, **settings: Any) -> Comparison:
    asked = wanted(**settings)
    return compare_versions(league, contest, asked, Watcher(), lambda _: None, pairs=pairs, error=error)


def _division(league: League) -> Division:
    (division,) = league.store.divisions()
    return division


def _blocks(league: League, contest: Contest, **settings: Any) -> list[Block]:
    purpose = contest.purpose(wanted(**settings).spec)
    return [block.as_block() for block in league.store.blocks(_division(league), purpose)]


# ---- what it plays


def test_a_better_version_is_found_better_and_the_same_command_plays_no_more(tmp_path: Path) -> None:
    old, new, *field = write_bots(tmp_path / "src", "small", "large", "dice", "middle")
    options = [*QUIET, "--field", field[0], "--field", field[1], "--json"]
    said = events(arena("compare", old, new, *options, cwd=tmp_path).stdout)
    assert said[-1]["event"] == "comparison"
    assert said[-1]["verdict"] == "better"
    (again,) = events(arena("compare", "small", "large", *options, cwd=tmp_path).stdout)
    assert again == said[-1]
    assert [again[name] for name in ("old", "new", "field", "fillers")] == [
        "small@1",
        "large@1",
        ["dice@1", "middle@1"],
        [],
    ]


def test_both_versions_meet_the_same_opponents_in_the_same_seats_on_the_same_seeds(league: League) -> None:
    contest = _contest(league, "small", "large", "dice", "middle")
    _compare(league, contest, pairs=3, error=0.0001)
    blocks = _blocks(league, contest)
    for first, second in zip(blocks[::2], blocks[1::2], strict=True):
        same = tuple(contest.new.id if bot == contest.old.id else bot for bot in first.bots)
        assert second == first._replace(bots=same)
        assert contest.new.id in second.bots


@pytest.mark.parametrize(
    "other",
    [
        {"seed": 2},
        {"opening_plies": 0},
        {"anonymous": True},
        {"limits": ResourceLimits(sandbox="none", memory_mb=300)},
        {"field": ("middle",)},
        {"field": ("dice", "middle")},
    ],
)
def test_what_was_played_under_other_conditions_says_nothing(other: dict[str, Any], league: League) -> None:
    assert _compare(league, _contest(league, "small", "large", "dice"), pairs=2).blocks == 2
    field = other.pop("field", ("dice",))
    told: list[Comparison] = []
    contest = _contest(league, "small", "large", *field)
    compare_versions(league, contest, wanted(**other), Watcher(), told.append, pairs=1, error=0.05)
    assert [found.blocks for found in told] == [0]


def test_the_order_of_the_field_and_the_sandbox_do_not_matter(league: League) -> None:
    there, back = (
        _contest(league, "small", "large", "dice", "middle"),
        _contest(league, "small", "large", "middle", "dice"),
    )
    bare, boxed = (wanted(limits=ResourceLimits(sandbox=name)).spec for name in ("none", "auto"))
    assert there.purpose(bare) == back.purpose(boxed)


def test_no_match_is_also_one_of_the_league_s_or_of_another_comparison(league: League) -> None:
    league.store.enter_again(league.find("small"))
    league.store.enter_again(league.find("dice"))
    run(league, league.entrants(), rounds=3)
    contests = [_contest(league, "small", "large", "dice"), _contest(league, "small", "middle", "dice")]
    for contest in contests:
        _compare(league, contest, pairs=3, error=0.0001)
    purposes = [LEAGUE, *(contest.purpose(wanted().spec) for contest in contests)]
    matches = [match.match for each in purposes for match in league.store.counted(_division(league), purpose=each)]
    assert len(matches) == len(set(matches)) == 6 + 12 + 12


def test_the_schedule_is_the_same_in_one_go_and_in_several(league: League) -> None:
    contest = _contest(league, "dice", "largish", "small", "large", "middle")
    for pairs in (1, 2, 5):
        _compare(league, contest, pairs=pairs, error=0.0001)
    at_once = _contest(league, "dice", "largish", "small", "large", "middle")
    before = _blocks(league, contest)
    league.store._db.execute("DELETE FROM matches")
    league.store._db.execute("DELETE FROM blocks")
    _compare(league, at_once, pairs=5, error=0.0001)
    assert _blocks(league, at_once) == before
    rounds = [block.round for block in before[::2]]
    assert rounds == [1, 1, 1, 2, 2, 2], "whole rounds, in which each opponent is met once"


def test_only_the_pairs_that_were_asked_for_are_played(league: League) -> None:
    contest = _contest(league, "dice", "largish", "small", "large", "middle")
    assert _compare(league, contest, pairs=2, error=0.0001).blocks == 2
    assert league.store.count_matches() == 8


# ---- what it counts


def test_the_same_games_again_are_no_evidence_and_end_it(league: League) -> None:
    contest = _contest(league, "small", "large", "middle")
    found = _compare(league, contest, pairs=50, opening_plies=0)
    assert (found.verdict, found.blocks, found.repeats) == ("not yet", 1, 7)
    assert found.is_exhausted
    assert found.blocks_left is None
    assert _compare(league, contest, pairs=50, opening_plies=0) == found
    assert league.store.count_matches() == 8 * 4


def test_a_version_that_plays_anew_against_one_that_does_not_is_evidence(league: League) -> None:
    found = _compare(league, _contest(league, "small", "dice", "middle"), pairs=5, error=0.0001, opening_plies=0)
    assert (found.blocks, found.repeats, found.is_exhausted) == (5, 0, False)


def test_one_opponent_that_plays_anew_keeps_it_going(league: League) -> None:
    contest = _contest(league, "small", "large", "middle", "dice")
    found = _compare(league, contest, pairs=12, error=0.0001, opening_plies=0)
    assert (found.blocks, found.repeats, found.is_exhausted) == (7, 5, False)


def test_it_goes_on_after_one_of_its_matches_was_annulled(league: League) -> None:
    contest = _contest(league, "dice", "largish", "middle")
    assert _compare(league, contest, pairs=2, error=0.001).blocks == 2
    match = next(league.store.counted(_division(league), purpose=contest.purpose(wanted().spec))).match
    league.store.annul(match=match, reason="test")
    assert _compare(league, contest, pairs=4, error=0.001).blocks == 3


def test_a_suspect_match_is_played_again_before_it_counts(league: League) -> None:
    contest = _contest(league, "dice", "largish", "middle")
    _compare(league, contest, pairs=1, error=0.001)
    league.store._db.execute("UPDATE matches SET suspect = 1 WHERE id = 1")
    told: list[Comparison] = []
    found = compare_versions(league, contest, wanted(), Watcher(), told.append, pairs=1, error=0.001)
    assert ([each.blocks for each in told], found.blocks) == ([0], 1)
    assert league.store.count_matches() == 5


# ---- what it says


def test_who_plays_whom_is_said_at_the_start_and_the_verdict_once(tmp_path: Path) -> None:
    old, new = write_bots(tmp_path / "src", "small", "large")
    said = arena("compare", old, new, *QUIET, "--pairs", "1", cwd=tmp_path).stdout.splitlines()
    assert said[0] == "duo, 60 s a move, 60 s to start: large@1 against small@1, in games with random@1.0"
    assert said[1] == "too few bots for a table: filled up with random (bundled)"
    assert [line.startswith("large@1 against small@1: not yet after 1 pair of") for line in said].count(True) == 1
    assert said[-1].startswith("large@1 against small@1: ")


def test_repeats_are_announced(tmp_path: Path) -> None:
    old, new, other = write_bots(tmp_path / "src", "small", "large", "middle")
    said = arena("compare", old, new, "--field", other, *QUIET, "--opening-plies", "0", cwd=tmp_path).stdout
    assert "7 more were the same games again, move by move, and do not count; nothing else comes any more" in said


def test_the_same_bot_twice_is_refused(tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "src", "small")
    done = arena("compare", bot, bot, *QUIET, cwd=tmp_path, check=False)
    assert done.returncode == 2
    assert "are the same bot: small@1" in done.stderr


def test_a_bot_is_not_its_own_opponent(tmp_path: Path) -> None:
    old, new = write_bots(tmp_path / "src", "small", "large")
    done = arena("compare", old, new, "--field", new, *QUIET, cwd=tmp_path, check=False)
    assert done.returncode == 2
    assert "large@1 is compared itself: expected other bots as its --field" in done.stderr.splitlines()[-1]


# ---- what it leaves alone


def test_the_league_plays_on_as_if_nothing_had_been_compared(tmp_path: Path) -> None:
    old, new, other = write_bots(tmp_path / "src", "small", "large", "middle")
    arena("compare", old, new, "--field", other, *QUIET, "--pairs", "2", cwd=tmp_path)
    said = events(arena("tournament", old, new, other, *QUIET, "--json", cwd=tmp_path).stdout)
    assert (said[-1]["matches"], said[-1]["repeats"]) == (6, 0)


def test_nobody_is_entered_superseded_or_brought_back(tmp_path: Path) -> None:
    files = write_bots(tmp_path / "src", "small", "large", "dice")
    changed = write_bot(tmp_path / "changed", "large", extra="# new\n")
    with open_league(tmp_path / "league") as league:
        for file in files:
            league.resolve(file)
        league.store.withdraw(league.find("dice"), "")
        league.fill(1, [])
        before = league.store.bots()
    assert [entry.status for entry in before] == ["entered", "entered", "withdrawn", "filler"]
    asked = ["--field", "dice", "--field", "random", *QUIET, "--pairs", "1"]
    said = arena("compare", "large", changed, *asked, cwd=tmp_path).stdout
    assert "large@2 against large@1, in games with dice@1, random@1.0" in said
    with open_league(tmp_path / "league") as league:
        *same, trial = league.store.bots()
        assert same == before
        assert (trial.label, trial.status, trial.is_ranked) == ("large@2", "trial", False)
        assert league.find("large").label == "large@1"


def test_a_bot_that_was_on_trial_can_be_submitted_even_under_another_name(tmp_path: Path) -> None:
    bots = write_bots(tmp_path / "src", "small", "large", "middle")
    with open_league(tmp_path / "league") as league:
        trials = [league.resolve(bot, is_trial=True) for bot in bots]
        assert [entry.status for entry in trials] == ["trial"] * 3
        assert (league.entrants(), league.resolve(bots[0], is_trial=True)) == ([], trials[0])
        assert league.enter(bots[0]) == trials[0]._replace(status="entered")
        assert league.resolve("large").status == "entered"
        assert league.enter(bots[2], "other").label == "other@1"
        assert [entry.name for entry in league.entrants()] == ["small", "large", "other"]


def test_a_bot_on_trial_that_has_matches_in_the_league_is_ranked_as_others_are(league: League, tmp_path: Path) -> None:
    with open_league(tmp_path / "other") as other:
        run(other, [other.resolve(str(tmp_path / "src" / f"{name}.py")) for name in ("small", "large")])
        export(other, tmp_path / "all.jsonl")
    import_records(league, tmp_path / "all.jsonl")
    assert {entry.name: entry.status for entry in league.store.bots() if entry.is_ranked} == {
        "small": "elsewhere",
        "large": "elsewhere",
    }


def test_bots_on_trial_are_not_on_the_site(league: League, tmp_path: Path) -> None:
    run(league, [league.resolve("small"), league.resolve("large")])
    league.resolve(str(write_bot(tmp_path / "changed", "large", extra="# new\n")), is_trial=True)
    write_site(league.folder, tmp_path / "site")
    assert sorted(page.name for page in (tmp_path / "site" / "bots").iterdir()) == ["1-small.html", "2-large.html"]
    assert "<bdi>large@1" not in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")


def test_a_bundled_bot_that_was_on_trial_fills_up_tables(league: League) -> None:
    (trial,) = league.fill(1, [], is_trial=True)
    (filler,) = league.fill(1, [])
    assert (trial.status, filler) == ("trial", trial._replace(status="filler"))
    assert league.fill(1, [], is_trial=True) == [filler]

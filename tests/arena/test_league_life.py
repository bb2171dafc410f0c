"""What happens to a league over time: bots come, change and go, runs stop, matches move in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import msgspec
import pytest

from arena.errors import ArenaError, BotSetupError, UsageError
from arena.exchange import export, import_records
from arena.league import League, open_league, read_league
from arena.limits import ResourceLimits
from arena.runner import Finished
from arena.sandbox.choose import why_not
from arena.standings import Standings, standings
from arena.tournament import Watcher, make_plan
from tests.arena.leagues import QUIET, arena, events, run, wanted, write_bot, write_bots

ALL = ("dice", "small", "large", "middle", "largish")


@pytest.fixture
def league(tmp_path: Path) -> Iterator[League]:
    with open_league(tmp_path / "league") as opened:
        yield opened


def _enter(league: League, folder: Path, *names: str) -> None:
    for file in write_bots(folder, *names):
        league.resolve(file)


def test_everybody_meets_even_if_a_bot_goes_in_the_middle_of_a_round(league: League, tmp_path: Path) -> None:
    _enter(league, tmp_path / "src", *ALL)
    asked = wanted(variant="classic", opening_plies=4)
    make_plan(league, league.entrants(), asked)  # and nothing of it is played
    league.store.withdraw(league.find("dice"), "")
    division = run(league, league.entrants(), variant="classic", opening_plies=4)
    met = {
        pair for match in league.store.counted(division) for pair in combinations(sorted(match.summary.outcome.bots), 2)
    }
    assert met == set(combinations(sorted(entry.id for entry in league.entrants()), 2))


def test_an_earlier_version_can_play_again(league: League, tmp_path: Path) -> None:
    first = league.enter(str(write_bot(tmp_path / "src", "dice")))
    second = league.enter(str(write_bot(tmp_path / "src", "dice", extra="# other\n")))
    assert [entry.id for entry in league.entrants()] == [second.id]
    league.enter(str(write_bot(tmp_path / "src", "dice")))
    assert [entry.id for entry in league.entrants()] == [first.id]
    assert league.find("dice").id == first.id


def test_the_same_program_under_another_name_is_refused(league: League, tmp_path: Path) -> None:
    file = write_bot(tmp_path / "src", "dice")
    league.enter(str(file))
    with pytest.raises(BotSetupError, match="the same program as dice@1"):
        league.enter(str(file), "twin")


@pytest.mark.parametrize("name", ["", "a@b", "tail#2", "x" * 61, "\x1b[31m", "two\nlines"])
def test_a_name_that_would_confuse_is_refused(name: str, league: League, tmp_path: Path) -> None:
    with pytest.raises(BotSetupError, match="expected a name"):
        league.enter(str(write_bot(tmp_path / "src", "dice")), name)
    assert league.store.bots() == []


def test_a_folder_named_like_a_bundled_bot_does_not_take_its_place(
    league: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "random").mkdir()
    monkeypatch.chdir(tmp_path)
    (filler,) = league.fill(1, [])
    assert (filler.name, filler.version) == ("random", "1.0")


def test_a_program_that_was_damaged_is_mended_by_submitting_the_original(league: League, tmp_path: Path) -> None:
    file = write_bot(tmp_path / "src", "dice")
    entry = league.enter(str(file))
    (league.folder / entry.path).write_text("damaged", encoding="utf-8")
    with pytest.raises(BotSetupError, match="submit the original again"):
        league.load(entry)
    league.enter(str(file))
    assert league.load(entry).digest == entry.digest


def test_a_planned_match_is_played_in_the_sandbox_of_the_run_that_plays_it(league: League, tmp_path: Path) -> None:
    if why_not("namespaces") is not None:
        pytest.skip("needs the sandbox namespaces")
    _enter(league, tmp_path / "src", "dice", "small")
    make_plan(league, league.entrants(), wanted())  # with --sandbox none
    division = run(league, league.entrants(), limits=ResourceLimits(sandbox="namespaces"))
    records = [league.store.record(match.match) for match in league.store.counted(division)]
    assert [record.sandbox["backend"] for record in records] == ["namespaces"] * 2


def test_matches_move_to_another_league_which_plays_on(league: League, tmp_path: Path) -> None:
    _enter(league, tmp_path / "src", "dice", "small", "large")
    run(league, league.entrants())
    assert export(league, tmp_path / "all.jsonl") == (6, 0)
    lines = (tmp_path / "all.jsonl").read_text().splitlines()
    (tmp_path / "half.jsonl").write_text("\n".join(lines[::2]))
    with open_league(tmp_path / "other") as other:
        import_records(other, tmp_path / "half.jsonl")
        (division,) = other.store.divisions()
        standings(other.store, division, other.config, keeps=True)
        import_records(other, tmp_path / "all.jsonl")
        kept = standings(other.store, division, other.config)
        assert kept == standings(other.store, division, other.config, anew=True)
        assert (kept.matches, [line.rank for line in kept.lines]) == (6, [1, 2, 3])
        assert other.entrants() == []
        _enter(other, tmp_path / "src", "dice", "small", "large")
        assert len(other.entrants()) == 3
        run(other, other.entrants(), rounds=2)
        assert len(list(other.store.counted(division))) == 12


def test_importing_an_older_version_retires_nobody(league: League, tmp_path: Path) -> None:
    _enter(league, tmp_path / "src", "dice", "small")
    run(league, league.entrants())
    export(league, tmp_path / "all.jsonl")
    with open_league(tmp_path / "other") as other:
        newer = other.enter(str(write_bot(tmp_path / "src", "dice", extra="# newer\n")))
        import_records(other, tmp_path / "all.jsonl")
        statuses = {(entry.name, entry.id == newer.id): entry.status for entry in other.store.bots()}
    assert statuses == {("dice", True): "entered", ("dice", False): "superseded", ("small", False): "elsewhere"}


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    for folder, extra in (("alice", "# a\n"), ("bob", "# b\n")):
        write_bot(tmp_path / folder, "dice", extra=extra)
    done = arena("tournament", "alice/dice.py", "bob/dice.py", *QUIET, cwd=tmp_path, check=False)
    assert done.returncode == 2
    assert "alice/dice.py and bob/dice.py are both called dice" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["withdraw", "x"],
        ["annul", "x", "--reason", "y"],
        ["import", "nowhere.jsonl"],
        ["submit", "nowhere.py", "--no-check"],
        ["tournament", "--jobs", "9999"],
        ["tournament", "--games", "3", "--rounds", "2"],
        ["tournament", "--until-sure", "0.9", "--variant", "solo"],
    ],
)
def test_a_command_that_is_refused_makes_no_league(words: list[str], tmp_path: Path) -> None:
    done = arena(*words, cwd=tmp_path, check=False)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert list(tmp_path.iterdir()) == []


def test_somebody_else_may_read_a_league_that_is_not_theirs_to_write(league: League, tmp_path: Path) -> None:
    _enter(league, tmp_path / "src", "dice", "small")
    run(league, league.entrants())
    league.store.close()
    before, was_root = league.folder.stat().st_mode, os.geteuid() == 0
    if was_root:
        pytest.skip("root may write everywhere")
    league.folder.chmod(0o555)
    try:
        with read_league(league.folder) as reader:
            assert reader.store.count_matches() == 2
    finally:
        league.folder.chmod(before)


def test_a_suspect_match_is_repeated_with_games_too(league: League, tmp_path: Path) -> None:
    _enter(league, tmp_path / "src", "dice", "small")
    division = run(league, league.entrants(), games=2)
    league.store._db.execute("UPDATE matches SET suspect = 1 WHERE nth = 0")
    plan = make_plan(league, league.entrants(), wanted(games=2))
    assert [(task.nth, task.attempt) for task in plan.tasks] == [(0, 1)]
    assert msgspec.structs.asdict(plan.tasks[0].spec)["variant"] == division.variant


def test_a_gauntlet_takes_a_file(tmp_path: Path) -> None:
    arena("tournament", *write_bots(tmp_path / "src", "dice", "small"), *QUIET, cwd=tmp_path)
    hero = write_bot(tmp_path / "src", "large")
    said = events(arena("tournament", *QUIET, "--gauntlet", hero, "--json", cwd=tmp_path).stdout)
    tables = [event["bots"] for event in said if event["event"] == "match"]
    assert len(tables) == 4
    assert all("large" in bots for bots in tables)


def test_usage_errors_name_what_is_wrong(league: League) -> None:
    with pytest.raises(UsageError, match="no bot nobody"):
        league.find("nobody")


# ---- what is kept of the ratings while the schedule changes


def _same_anew(league: League) -> Standings:
    """Return the table of the only division, which is the same from the checkpoint and from all matches."""
    (division,) = league.store.divisions()
    kept = standings(league.store, division, league.config)
    assert kept == standings(league.store, division, league.config, anew=True)
    return kept


def test_a_match_that_comes_into_a_block_that_was_done_with_counts(league: League, tmp_path: Path) -> None:
    with open_league(tmp_path / "other") as other:
        _enter(other, tmp_path / "src", "middle", "largish")
        run(other, other.entrants())
        export(other, tmp_path / "theirs.jsonl")
    _enter(league, tmp_path / "src", "dice", "small", "large")
    division = run(league, league.entrants(), games=3)  # half of the second block
    import_records(league, tmp_path / "theirs.jsonl")
    standings(league.store, division, league.config, keeps=True)
    run(league, league.entrants())
    found = _same_anew(league)
    assert (found.matches, found.planned) == (8, 8)


def test_a_new_version_in_the_middle_leaves_nothing_to_wait_for(league: League, tmp_path: Path) -> None:
    _enter(league, tmp_path / "src", "dice", "small", "large")
    make_plan(league, league.entrants(), wanted(rounds=3))
    run(league, league.entrants(), games=7)
    league.enter(str(write_bot(tmp_path / "src", "dice", extra="# newer\n")))
    division = run(league, league.entrants(), rounds=3)
    found = _same_anew(league)
    assert found.planned == found.matches == league.store.count_matches()
    plan = make_plan(league, league.entrants(), wanted(rounds=3))
    assert (plan.tasks, plan.matches) == ([], found.matches)
    standings(league.store, division, league.config, keeps=True)
    assert league.store._rows("SELECT max(block) FROM checkpoints") == league.store._rows("SELECT max(id) FROM blocks")


def test_a_bot_that_comes_back_plays_what_it_had_left(league: League, tmp_path: Path) -> None:
    _enter(league, tmp_path / "src", "dice", "small", "large")
    make_plan(league, league.entrants(), wanted(rounds=2))
    run(league, league.entrants(), games=3)
    dice = league.find("dice")
    league.store.withdraw(dice, "")
    run(league, league.entrants(), rounds=2)
    before = _same_anew(league)
    assert before.planned == before.matches < 12
    league.store.enter_again(dice)
    assert _same_anew(league).planned == 12
    run(league, league.entrants(), rounds=2)
    found = _same_anew(league)
    assert (found.matches, found.planned) == (12, 12)


def test_a_block_of_a_bot_that_has_gone_is_not_made_longer(league: League, tmp_path: Path) -> None:
    _enter(league, tmp_path / "src", "dice", "small", "large")
    division = run(league, league.entrants(), games=1)
    (block,) = league.store.blocks(division)
    league.store.withdraw(next(entry for entry in league.entrants() if entry.id == block.bots[0]), "")
    run(league, league.entrants(), rounds=2)
    assert [each.games for each in league.store.blocks(division)] == [1, 2, 2]
    assert _same_anew(league).planned == 5


def test_what_was_played_under_other_conditions_is_taken_in_beside_it(league: League, tmp_path: Path) -> None:
    _enter(league, tmp_path / "src", "dice", "small")
    run(league, league.entrants(), pin=True)
    export(league, tmp_path / "all.jsonl")
    with open_league(tmp_path / "other") as other:
        _enter(other, tmp_path / "src", "dice", "small")
        make_plan(other, other.entrants(), wanted(pin=True))
        run(other, other.entrants(), pin=False)
        assert import_records(other, tmp_path / "all.jsonl") == (2, 0)
        assert import_records(other, tmp_path / "all.jsonl") == (0, 2)
        found = _same_anew(other)
    assert (found.matches, found.repeats, found.planned) == (2, 2, 4)


def _kept_up_to(league: League) -> int:
    """Return the block up to which the ratings are kept."""
    return int(league.store._rows("SELECT coalesce(max(block), 0) FROM checkpoints")[0][0])


def test_ratings_are_kept_however_a_tournament_ends(league: League, tmp_path: Path) -> None:
    class Stops(Watcher):
        def on_finished(self, finished: Finished) -> None:
            if finished.task.block == 3:
                raise ArenaError("enough")

    _enter(league, tmp_path / "src", "dice", "small")
    with pytest.raises(ArenaError, match="enough"):
        run(league, league.entrants(), Stops(), rounds=5, jobs=1)
    assert _kept_up_to(league) == 2
    _same_anew(league)


def test_ratings_are_kept_now_and_then_during_a_long_tournament(
    league: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.tournament._KEEP_EVERY", 4)
    kept: list[int] = []

    class Looks(Watcher):
        def on_finished(self, finished: Finished) -> None:
            kept.append(_kept_up_to(league))
            _same_anew(league)

    _enter(league, tmp_path / "src", "dice", "small")
    run(league, league.entrants(), Looks(), rounds=6, jobs=1)
    assert (len(kept), sorted(kept), kept[-1]) == (12, kept, 6)
    assert len(set(kept)) > 2


def test_ratings_are_kept_after_an_annulment_and_after_an_import(league: League, tmp_path: Path) -> None:
    _enter(league, tmp_path / "src", "dice", "small", "large")
    run(league, league.entrants())
    export(league, tmp_path / "all.jsonl")
    assert _kept_up_to(league) == 3
    with open_league(tmp_path / "other") as other:
        import_records(other, tmp_path / "all.jsonl")
        assert _kept_up_to(other) == 3
        before = other.store._rows("SELECT key FROM checkpoints")
    arena("annul", "dice", "--reason", "cheats", "--league", tmp_path / "other", cwd=tmp_path)
    with read_league(tmp_path / "other") as other:
        assert other.store._rows("SELECT key FROM checkpoints") != before
        assert (_kept_up_to(other), _same_anew(other).annulled) == (3, 4)

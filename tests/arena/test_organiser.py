"""What an organiser does wrong, or in an odd order: nothing is changed by a command that is refused."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from arena.audit import audit
from arena.league import open_league, read_league
from tests.arena.leagues import COMMAND, QUIET, ROOT, arena, events, played, run, write_bot, write_bots

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a folder with a league of three bots that have played."""
    with open_league(tmp_path / "league") as league:
        run(league, [league.resolve(file) for file in write_bots(tmp_path / "src", "dice", "small", "large")])
    return tmp_path


def statuses(home: Path) -> dict[str, str]:
    with read_league(home / "league") as league:
        return {entry.label: entry.status for entry in league.store.bots()}


def refused(home: Path, *arguments: str) -> str:
    """Return the one line of a command that is refused."""
    done = arena(*arguments, cwd=home, check=False)
    assert done.returncode == 2, done.stderr
    return done.stderr.splitlines()[-1]


# ---- refused before anything is changed


@pytest.mark.parametrize("command", ["tournament", "compare dice large"])
def test_thinking_on_the_others_time_needs_cores_and_leaves_no_plan(command: str, home: Path) -> None:
    said = refused(home, *command.split(), *QUIET, "--ponder", "--seed", "5")
    assert "--ponder needs --no-pin" in said
    arena("tournament", *QUIET, "--rounds", "2", cwd=home)
    assert len(played(home / "league")) == 12


def test_two_bots_of_one_name_change_nothing(home: Path) -> None:
    other = write_bot(home / "other", "large", extra="# changed\n")
    said = refused(home, "tournament", str(home / "src" / "large.py"), str(other), *QUIET)
    assert "are both called large" in said
    assert statuses(home) == {"dice@1": "entered", "small@1": "entered", "large@1": "entered"}


def test_a_league_whose_bots_have_gone_does_not_call_in_others(home: Path) -> None:
    for name in ("dice", "small", "large"):
        arena("withdraw", name, cwd=home)
    assert "plays any more" in refused(home, "tournament", *QUIET)
    assert len(statuses(home)) == 3


# ---- conditions of a run


def test_what_is_resumed_is_played_under_the_conditions_of_the_run(tmp_path: Path) -> None:
    files = write_bots(tmp_path / "src", "dice", "small")
    arena("tournament", *files, *QUIET, "--games", "1", "--memory", "256", cwd=tmp_path)
    arena("tournament", *QUIET, "--memory", "128", "--anonymous", cwd=tmp_path)
    matches = [match for match, *_ in played(tmp_path / "league").values()]
    with read_league(tmp_path / "league") as league:
        records = [league.store.record(match) for match in matches]
        assert [(record.limits.memory_mb, record.anonymous) for record in records] == [(256, False), (128, True)]
        assert list(audit(league)) == []


def test_the_one_against_all_may_be_named_among_them(tmp_path: Path) -> None:
    dice, small = write_bots(tmp_path / "src", "dice", "small")
    done = arena("tournament", dice, small, "--gauntlet", dice, *QUIET, "--dry-run", cwd=tmp_path)
    assert done.stdout.splitlines()[0].endswith(": small@1, dice@1")


# ---- annulled, compared


def test_an_annulled_bot_plays_no_more(home: Path) -> None:
    assert "expected a reason" in refused(home, "annul", "dice", "--reason", " ")
    said = arena("annul", "dice", "--reason", "cheats", cwd=home).stdout
    assert said == "all matches of dice@1 are annulled, and it plays no more: cheats\n"
    assert statuses(home)["dice@1"] == "withdrawn"


def test_a_comparison_elsewhere_does_not_hide_the_table(home: Path) -> None:
    arena("compare", "small", "large", "--field", "dice", *QUIET, "--variant", "two", "--pairs", "1", cwd=home)
    (found,) = events(arena("standings", "--json", cwd=home).stdout)
    assert found["division"]["variant"] == "duo"
    assert len(arena("standings", "--json", "--variant", "ALL", cwd=home).stdout.splitlines()) == 1
    assert "no two matches" in refused(home, "standings", "--variant", "two")


def test_the_table_is_that_of_what_was_played_last(home: Path) -> None:
    arena("tournament", *QUIET, "--variant", "two", cwd=home)
    arena("tournament", *QUIET, "--rounds", "2", cwd=home)
    (found,) = events(arena("standings", "--json", cwd=home).stdout)
    assert found["division"]["variant"] == "duo"


# ---- others who read, or do not


def test_a_tournament_that_nobody_listens_to_says_so_and_keeps_what_it_has(tmp_path: Path) -> None:
    files = write_bots(tmp_path / "src", "dice", "small")
    command = [*COMMAND, "tournament", *files, *QUIET, "--rounds", "500", "--json"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stderr
        while '"match"' not in process.stdout.readline():
            pass
        process.stdout.close()
        errors = process.stderr.read()
    assert process.returncode == 3
    assert errors.splitlines()[-1].startswith("arena: stopped, as nobody reads what is told")
    assert 1 <= len(played(tmp_path / "league")) < 1000


def test_a_closed_output_is_no_defect(home: Path) -> None:
    command = f"exec {' '.join(COMMAND)} standings --json >&-"
    done = subprocess.run(["sh", "-c", command], cwd=home, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_rehearsal_tells_of_the_league_itself(home: Path) -> None:
    (home / "league" / "league.toml").write_text("seed = 'x'\n", encoding="utf-8")
    said = refused(home, "tournament", *QUIET, "--dry-run")
    assert "league/league.toml" in said
    assert "tmp" not in said.replace(str(home), "")


def test_a_league_at_rest_that_nobody_may_write_to_can_be_rehearsed(home: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    (home / "league").chmod(0o555)
    try:
        assert "to play" in arena("tournament", *QUIET, "--rounds", "2", "--dry-run", cwd=home).stdout
    finally:
        (home / "league").chmod(0o755)


def test_every_look_says_what_is_needed(tmp_path: Path) -> None:
    files = write_bots(tmp_path / "src", "dice", "small")
    said = events(
        arena("tournament", *files, *QUIET, "--until-sure", "0.9", "--rounds", "3", "--json", cwd=tmp_path).stdout
    )
    looks = [event for event in said if event["event"] == "look"]
    assert looks
    assert all(look["needed"] >= 0.9 for look in looks)
    assert all(look["sure"] == (look["certainty"] >= look["needed"]) for look in looks)


def test_a_comparison_elsewhere_makes_no_page(home: Path) -> None:
    arena("compare", "small", "large", "--field", "dice", *QUIET, "--variant", "two", "--pairs", "1", cwd=home)
    arena("report", cwd=home)
    assert sorted(path.stem for path in (home / "league" / "site").glob("*.html") if path.stem in ("duo", "two")) == [
        "duo"
    ]

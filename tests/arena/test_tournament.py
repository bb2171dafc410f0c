"""Tournaments: what is planned, played, kept and shown."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from arena.bots import bundled_names
from arena.config import read_config
from arena.errors import ArenaError, UsageError
from arena.league import League, open_league, read_league
from arena.runner import Finished, Void
from arena.sequential import Sureness
from arena.standings import standings
from arena.tournament import Plan, Watcher, check_jobs, make_plan
from tests.arena.leagues import COMMAND, QUIET, ROOT, arena, events, played, run, wanted, write_bot, write_bots


def _enter(league: League, tmp_path: Path, *names: str) -> list:  # type: ignore[type-arg]
    return [league.resolve(word) for word in write_bots(tmp_path / "src", *names)]


class _Notes(Watcher):
    def __init__(self) -> None:
        self.plans: list[Plan] = []
        self.finished: list[Finished] = []
        self.voids: list[Void] = []

    def on_plan(self, plan: Plan) -> None:
        self.plans.append(plan)

    def on_finished(self, finished: Finished) -> None:
        self.finished.append(finished)

    def on_void(self, void: Void) -> None:
        self.voids.append(void)


def test_a_round_of_a_two_seat_variant_is_every_pair_in_both_seatings(tmp_path: Path) -> None:
    with open_league(tmp_path / "league") as league:
        entries = _enter(league, tmp_path, "dice", "small", "large")
        division = run(league, entries)
        pairs = [match.summary.outcome.bots for match in league.store.counted(division)]
    ids = [entry.id for entry in entries]
    assert sorted(pairs) == sorted((one, other) for one in ids for other in ids if one != other)


def test_a_finished_tournament_plays_nothing_when_it_is_run_again(tmp_path: Path) -> None:
    notes = _Notes()
    with open_league(tmp_path / "league") as league:
        entries = _enter(league, tmp_path, "dice", "small")
        run(league, entries)
        run(league, entries, notes)
        run(league, entries, notes, rounds=2)
    assert [len(plan.tasks) for plan in notes.plans] == [0, 2]


def test_a_bot_that_comes_later_plays_only_the_games_it_brings(tmp_path: Path) -> None:
    notes = _Notes()
    with open_league(tmp_path / "league") as league:
        entries = _enter(league, tmp_path, "dice", "small", "large")
        run(league, entries)
        late = _enter(league, tmp_path, "middle")
        run(league, entries + late, notes)
    assert len(notes.finished) == 6
    assert all(late[0].id in report.task.bots for report in notes.finished)


def test_a_new_version_plays_and_the_old_one_keeps_its_games(tmp_path: Path) -> None:
    with open_league(tmp_path / "league") as league:
        _enter(league, tmp_path, "dice", "small")
        run(league, league.entrants())
        newer = league.enter(str(write_bot(tmp_path / "src", "small", extra="# better\n")))
        assert [entry.label for entry in league.entrants()] == ["dice@1", "small@2"]
        division = run(league, league.entrants())
        found = standings(league.store, division, league.config)
    lines = {(line.name, line.version): line for line in found.lines}
    assert newer.version == "2"
    assert lines["small", "1"].games == lines["small", "2"].games == 2
    assert lines["small", "1"].rank is None
    assert {lines["small", "2"].rank, lines["dice", "1"].rank} == {1, 2}


def test_too_few_bots_are_filled_up_with_bundled_ones_that_are_not_ranked(tmp_path: Path) -> None:
    notes = _Notes()
    with open_league(tmp_path / "league") as league:
        entries = _enter(league, tmp_path, "dice", "small")
        division = run(league, entries, notes, variant="classic", opening_plies=4)
        found = standings(league.store, division, league.config)
    assert [entry.name for entry in notes.plans[0].fillers] == ["random", "greedy"]
    assert {line.name for line in found.lines if line.rank} == {"dice", "small"}
    assert {line.status for line in found.lines if not line.rank} == {"filler"}
    assert sorted(line.rank for line in found.lines if line.rank) == [1, 2]


def test_so_many_games_are_played_and_no_more(tmp_path: Path) -> None:
    notes = _Notes()
    with open_league(tmp_path / "league") as league:
        entries = _enter(league, tmp_path, "dice", "small", "large")
        for games in (3, 3, 5, 13):
            run(league, entries, notes, games=games)
    assert [len(plan.tasks) for plan in notes.plans] == [3, 0, 2, 8]


def test_so_many_games_are_played_although_others_left_a_block_half_played(tmp_path: Path) -> None:
    notes = _Notes()
    with open_league(tmp_path / "league") as league:
        run(league, _enter(league, tmp_path, "dice", "small", "large"), notes, games=3)
        others = _enter(league, tmp_path, "middle", "largish")
        for _ in range(2):
            run(league, others, notes, games=5)
        assert [block.games for block in league.store.blocks(league.store.divisions()[0])] == [2, 1, 2]
    assert [len(plan.tasks) for plan in notes.plans] == [3, 2, 0]


def test_games_of_a_bot_that_has_gone_count_among_so_many(tmp_path: Path) -> None:
    notes = _Notes()
    with open_league(tmp_path / "league") as league:
        entries = _enter(league, tmp_path, "dice", "small", "large")
        make_plan(league, entries, wanted())
        run(league, entries, notes, games=3)
        gone = next(entry for entry in entries if entry.id in notes.finished[-1].task.bots)
        league.store.withdraw(gone, "")
        for _ in range(2):
            run(league, league.entrants(), notes, games=6)
        (division,) = league.store.divisions()
        found = standings(league.store, division, league.config)
    assert [len(plan.tasks) for plan in notes.plans] == [3, 3, 0]
    assert found.planned == 6


def test_openings_are_the_same_for_all_seatings_of_a_block(tmp_path: Path) -> None:
    with open_league(tmp_path / "league") as league:
        division = run(league, _enter(league, tmp_path, "dice", "small"), rounds=2)
        openings: dict[int, set[tuple[object, ...]]] = {}
        for match in league.store.counted(division):
            plies = league.store.record(match.match).plies
            openings.setdefault(match.block, set()).add(tuple(ply.cells for ply in plies if ply.opening))
    assert [len(found) for found in openings.values()] == [1, 1]
    assert len(set.union(*openings.values())) == 2


def test_identical_games_are_counted_once(tmp_path: Path) -> None:
    with open_league(tmp_path / "league") as league:
        division = run(league, _enter(league, tmp_path, "large", "small"), rounds=3, opening_plies=0)
        found = standings(league.store, division, league.config)
    assert (found.matches, found.repeats) == (2, 4)


def test_results_and_ratings_do_not_depend_on_jobs(tmp_path: Path) -> None:
    files = write_bots(tmp_path / "src", "dice", "small", "largish")
    tables = []
    for jobs in (1, 2):
        folder = tmp_path / f"league-{jobs}"
        with open_league(folder) as league:
            division = run(league, [league.resolve(file) for file in files], jobs=jobs, rounds=2)
            tables.append(standings(league.store, division, league.config))
    keep = ("rank", "rank_low", "rank_high", "mu", "sigma", "rating", "clean_rating", "games", "wins", "score", "place")
    first, second = ([[getattr(line, name) for name in keep] for line in table.lines] for table in tables)
    assert first == second
    assert played(tmp_path / "league-1") == played(tmp_path / "league-2")


def test_more_jobs_than_cores_are_refused() -> None:
    cores = len(os.sched_getaffinity(0))
    assert check_jobs(None, oversubscribes=False) == cores
    assert check_jobs(cores + 1, oversubscribes=True) == cores + 1
    with pytest.raises(UsageError, match=f"expected at most {cores} jobs"):
        check_jobs(cores + 1, oversubscribes=False)


def test_a_second_writer_is_refused_and_told_who_holds_the_league(tmp_path: Path) -> None:
    with open_league(tmp_path / "league"):
        done = arena("tournament", "--league", tmp_path / "league", cwd=tmp_path, check=False)
    assert done.returncode == 2
    assert f"is in use by process {os.getpid()} on " in done.stderr


def test_a_match_that_is_void_three_times_stops_the_run_and_all_results_are_kept(tmp_path: Path) -> None:
    notes = _Notes()
    with open_league(tmp_path / "league") as league:
        entries = _enter(league, tmp_path, "dice", "small")
        division = run(league, entries)
        (tmp_path / "killer.py").write_text("import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n")
        killer = league.resolve(str(tmp_path / "killer.py"))
        with pytest.raises(ArenaError, match="matches came to nothing, the last one because its worker was killed"):
            run(league, [*entries, killer], notes, jobs=1)
        assert len(list(league.store.counted(division))) == 2
        assert 3 <= len(notes.voids) <= 12
        assert {reason for *_, reason in league.store.voids()} == {"its worker was killed"}
        run(league, entries, rounds=2)
        assert len(list(league.store.counted(division))) == 4


def test_a_gauntlet_is_one_bot_against_all_others(tmp_path: Path) -> None:
    notes = _Notes()
    with open_league(tmp_path / "league") as league:
        entries = _enter(league, tmp_path, "dice", "small", "large", "middle")
        run(league, entries, notes, gauntlet="dice")
    assert len(notes.finished) == 6
    assert all(entries[0].id in report.task.bots for report in notes.finished)


def test_in_teams_all_three_partnerings_of_a_table_are_played(tmp_path: Path) -> None:
    with open_league(tmp_path / "league") as league:
        entries = _enter(league, tmp_path, "dice", "small", "large", "middle")
        division = run(league, entries, variant="teams", opening_plies=4)
        outcomes = [match.summary.outcome for match in league.store.counted(division)]
        found = standings(league.store, division, league.config)
    partners = Counter(frozenset(outcome.bots[::2]) for outcome in outcomes)
    partners.update(frozenset(outcome.bots[1::2]) for outcome in outcomes)
    assert len(outcomes) == 12
    assert set(partners.values()) == {4}
    assert all(outcome.ranks[0] == outcome.ranks[2] for outcome in outcomes)
    assert {line.games for line in found.lines} == {12}


def test_it_goes_on_in_rounds_until_the_order_is_sure(tmp_path: Path) -> None:
    looks: list[Sureness] = []

    class Looks(Watcher):
        def on_look(self, sureness: Sureness, rounds: int) -> None:
            assert rounds == len(looks) + 1
            looks.append(sureness)

    with open_league(tmp_path / "league") as league:
        entries = _enter(league, tmp_path, "large", "small")
        run(league, entries, Looks(), rounds=60, until_sure=0.95, top=1)
        blocks = len(league.store.blocks(league.store.divisions()[0]))
    assert looks[-1].is_sure
    assert not any(look.is_sure for look in looks[:-1])
    assert 2 <= blocks == len(looks) < 60


def test_puzzles_are_ranked_by_the_squares_left_over(tmp_path: Path) -> None:
    with open_league(tmp_path / "league") as league:
        entries = _enter(league, tmp_path, "dice", "small", "large")
        division = run(league, entries, variant="solo", opening_plies=0, rounds=2)
        found = standings(league.store, division, league.config)
    left = [line.left.value for line in found.lines if line.left]
    assert left == sorted(left)
    assert [line.rank for line in found.lines] == [1, 2, 3]
    assert all(line.mu is None and line.solved == 0 for line in found.lines)


def test_a_bundled_bot_that_cannot_be_built_or_run_here_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with open_league(tmp_path / "league") as league:
        entries, reasons = league.enter_bundled()
    assert [entry.name for entry in entries] == ["random", "greedy", "mobility", "lookahead"]
    assert [reason.partition(" ")[0].rstrip(":") for reason in reasons] == ["corners", "mcts"]
    assert all("not installed" in reason for reason in reasons)


# ---- from the command line


def test_a_tournament_is_one_command_that_prints_the_standings_and_writes_the_site(tmp_path: Path) -> None:
    bots = write_bots(tmp_path / "src", "dice", "small", "large")
    done = arena("tournament", *bots, *QUIET, cwd=tmp_path)
    assert "6 of 6 matches to play" in done.stdout
    assert "dice" in done.stdout
    assert "TrueSkill" in done.stdout
    assert (tmp_path / "league" / "site" / "index.html").is_file()
    assert (tmp_path / "league" / "logs" / "arena.log").read_text().count("ranks [") == 6
    again = arena("tournament", *QUIET, cwd=tmp_path)
    assert "nothing to play, of 6 matches that are scheduled: dice@1, small@1, large@1" in again.stdout


def test_machines_get_json(tmp_path: Path) -> None:
    bots = write_bots(tmp_path / "src", "dice", "small")
    said = events(arena("tournament", *bots, *QUIET, "--json", cwd=tmp_path).stdout)
    assert [event["event"] for event in said] == ["plan", "match", "match", "standings"]
    assert said[0]["matches"] == 2
    assert {line["name"] for line in said[-1]["lines"]} == {"dice", "small"}


def test_a_dry_run_leaves_nothing(tmp_path: Path) -> None:
    bots = write_bots(tmp_path / "src", "dice", "small", "large")
    done = arena("tournament", *bots, *QUIET, "--dry-run", cwd=tmp_path)
    assert "6 of 6 matches to play" in done.stdout
    assert not (tmp_path / "league").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere.py"], "no bot nowhere.py"),
        (["--games", "3", "--full"], "expected one of --games, --full and --gauntlet"),
        (["--rounds", "0"], "0 is not in the range"),
        (["--variant", "chess"], "'chess' is not one of"),
        (["--jobs", "999"], "expected at most"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(arguments: list[str], says: str, tmp_path: Path) -> None:
    done = arena("tournament", *arguments, cwd=tmp_path, check=False)
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_bad_settings_of_a_league_are_named(tmp_path: Path) -> None:
    (tmp_path / "league.toml").write_text("draw_probability = 2")
    with pytest.raises(UsageError, match=r"expected draw_probability to be a number from 0\.001 to 0\.9, got 2"):
        read_config(tmp_path)
    (tmp_path / "league.toml").write_text('titel = "x"')
    with pytest.raises(UsageError, match="unknown field `titel`"):
        read_config(tmp_path)


def test_faults_are_shown_with_whose_they_are(tmp_path: Path) -> None:
    good = write_bots(tmp_path / "src", "dice", "small")
    (tmp_path / "src" / "crasher.py").write_text("raise SystemExit(3)")
    (tmp_path / "src" / "liar.py").write_text(
        'import sys\nsys.stdin.readline()\nprint(\'{"type":"ready"}\', flush=True)\n'
        'sys.stdin.readline()\nprint(\'{"type":"move","turn":0,"cells":[[0,0]]}\', flush=True)\n'
    )
    (tmp_path / "src" / "looper.py").write_text("while True: pass")
    bad = [str(tmp_path / "src" / f"{name}.py") for name in ("crasher", "liar", "looper")]
    limits = ["--variant", "duo", "--sandbox", "none", "--move-time", "20", "--start-time", "1500ms"]
    done = arena("tournament", *good, *bad, *limits, "--json", cwd=tmp_path)
    said = events(done.stdout)
    faults = [(fault["bot"], fault["kind"]) for event in said if event["event"] == "match" for fault in event["faults"]]
    assert {bot for bot, _ in faults} == {"crasher", "liar", "looper"}
    assert {kind for bot, kind in faults if bot == "crasher"} == {"no-start"}
    assert {kind for bot, kind in faults if bot == "looper"} == {"no-start"}
    lines = {line["name"]: line for line in said[-1]["lines"]}
    assert lines["dice"]["faults"] == lines["small"]["faults"] == 0
    assert lines["crasher"]["faults"] == lines["looper"]["faults"] == 8
    assert {lines["dice"]["rank"], lines["small"]["rank"]} == {1, 2}


def test_all_bundled_bots_and_three_bad_ones_finish_and_the_table_shows_whose_fault_it_was(tmp_path: Path) -> None:
    (tmp_path / "crasher.py").write_text("raise SystemExit(3)")
    (tmp_path / "looper.py").write_text("while True: pass")
    (tmp_path / "cheat.py").write_text(_BOT_THAT_CHEATS)
    bad = ["crasher", "looper", "cheat"]
    words = [*bundled_names(), *(f"{name}.py" for name in bad)]
    clock = ["--clock", "cpu", "--move-time", "60ms", "--start-time", "3"]
    said = events(arena("tournament", *words, *clock, "--games", "16", "--json", cwd=tmp_path).stdout)
    lines = {line["name"]: line for line in said[-1]["lines"]}
    assert all(lines[name]["faults"] == lines[name]["games"] > 0 for name in bad)
    assert all(lines[name]["faults"] == 0 and lines[name]["games"] > 0 for name in bundled_names() if name in lines)
    faults = {(fault["bot"], fault["kind"]) for event in said for fault in event.get("faults", [])}
    assert faults == {("crasher", "no-start"), ("looper", "no-start"), ("cheat", "illegal")}


_BOT_THAT_CHEATS = """\
import json, sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready"}), flush=True)
    elif message["type"] == "turn":
        print(json.dumps({"type": "move", "turn": message["turn"], "cells": [[9, 9], [9, 10]]}), flush=True)
"""


# ---- interruption


def _start(tmp_path: Path, *arguments: str) -> subprocess.Popen[str]:
    bots = write_bots(tmp_path / "src", "dice", "small", "large", "middle")
    return subprocess.Popen(
        [*COMMAND, "tournament", *bots, *QUIET, "--rounds", "20", "--json", *arguments],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _hear_match(process: subprocess.Popen[str]) -> None:
    assert process.stdout
    while json.loads(process.stdout.readline())["event"] != "match":
        pass


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_stops_and_the_same_command_goes_on(times: int, tmp_path: Path) -> None:
    process = _start(tmp_path)
    _hear_match(process)
    for _ in range(times):
        os.killpg(process.pid, signal.SIGINT)
    assert process.stdout
    assert process.stderr
    with process.stdout, process.stderr:  # `communicate` would pass over what has been read ahead
        said, errors = process.stdout.read(), process.stderr.read()
    assert process.wait() == 130
    assert "the same command goes on" in errors
    kept = len(played(tmp_path / "league"))
    assert 1 <= kept < 240
    seen = 1 + sum(json.loads(line)["event"] == "match" for line in said.splitlines())
    assert kept == seen
    plan = make_plan_of(tmp_path / "league")
    assert len(plan.tasks) == 240 - kept


def make_plan_of(folder: Path) -> Plan:
    """Return what is still to be played in a league of 20 rounds."""
    with open_league(folder) as league:
        return make_plan(league, league.entrants(), wanted(rounds=20))


def test_a_reader_can_look_while_a_tournament_runs(tmp_path: Path) -> None:
    process = _start(tmp_path)
    try:
        _hear_match(process)
        shown = arena("standings", cwd=tmp_path)
        assert "dice" in shown.stdout
        with read_league(tmp_path / "league") as league:
            assert league.store.count_matches() >= 1
    finally:
        os.killpg(process.pid, signal.SIGINT)
        process.communicate()

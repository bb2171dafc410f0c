"""What is done with a league besides playing: looking, annulling, verifying, moving matches in and out."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console

from arena.audit import audit
from arena.exchange import export, import_records
from arena.league import open_league, read_league
from arena.record import read_record
from arena.replay import verify
from arena.standings import standings
from arena.store import FILE_NAME
from arena.table_view import draw_standings
from tests.arena.leagues import COMMAND, QUIET, ROOT, arena, events, run, write_bot, write_bots


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a finished league of three bots and six matches."""
    home = tmp_path_factory.mktemp("home")
    with open_league(home / "league") as league:
        division = run(league, [league.resolve(file) for file in write_bots(home / "src", "dice", "small", "large")])
        standings(league.store, division, league.config, keeps=True)
    return home / "league"


@pytest.fixture
def home(original: Path, tmp_path: Path) -> Path:
    """Return a folder with a copy of that league."""
    shutil.copytree(original, tmp_path / "league")
    return tmp_path


# ---- looking


def test_the_standings_come_as_a_table_as_csv_and_as_json(home: Path) -> None:
    table = arena("standings", cwd=home).stdout
    rows = list(csv.DictReader(io.StringIO(arena("standings", "--csv", cwd=home).stdout)))
    (found,) = events(arena("standings", "--json", cwd=home).stdout)
    names = [line["name"] for line in found["lines"]]
    assert [row["name"] for row in rows] == names
    assert sorted(names) == ["dice", "large", "small"]
    assert all(name in table for name in names)
    assert float(rows[0]["mu"]) == found["lines"][0]["mu"]
    assert found["lines"][0]["rank"] == 1
    assert found["lines"][0]["cautious"] == pytest.approx(
        rows and found["lines"][0]["mu"] - 3 * found["lines"][0]["sigma"]
    )


def test_all_divisions_come_as_one_table_and_each_by_its_name(home: Path) -> None:
    files = write_bots(home / "src", "dice", "small")
    arena("tournament", *files, *QUIET, "--start-time", "59", "--margin", "80ms", cwd=home)
    rows = list(csv.DictReader(io.StringIO(arena("standings", "--variant", "ALL", "--csv", cwd=home).stdout)))
    assert [row["name"] for row in rows].count("dice") == 2
    titles = {row["division"] for row in rows}
    assert titles == {"duo, 60 s a move, 60 s to start", "duo, 60 s a move, 59 s to start, 80 ms forgiven"}
    found = events(arena("standings", "--variant", "ALL", "--json", cwd=home).stdout)
    assert {each["division"]["title"] for each in found} == titles
    assert [each["division"]["time"]["margin_ms"] for each in found] == [50, 80]


@pytest.mark.parametrize("width", [20, 30, 45, 60, 75, 90, 105])
def test_in_a_narrow_table_a_number_is_whole_or_not_there(width: int, home: Path) -> None:
    with read_league(home / "league") as league:
        found = standings(league.store, league.store.divisions()[0], league.config)
    console = Console(width=width, file=io.StringIO())
    console.print(draw_standings(found, width))
    assert isinstance(console.file, io.StringIO)
    said = console.file.getvalue().splitlines()
    head = next(at for at, line in enumerate(said) if line.split()[:2] == ["bot", "rating"])  # the title may wrap
    titles = re.split(r"\s{2,}", said[head].strip())
    for line, shown in zip(found.lines, said[head + 1 :], strict=False):
        assert line.rating
        assert f" {line.rating.value:.1f} " in f"{shown} "
        for title, text in (("μ − 3σ", f"{line.cautious:.1f}"), ("games", "4"), ("score", f"{line.score:.1f}")):
            assert title not in titles or re.search(rf" {re.escape(text)}( |$)", shown)


def test_whoever_reads_only_the_beginning_is_no_error(home: Path) -> None:
    command = subprocess.Popen([*COMMAND, "standings"], cwd=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert command.stdout
    command.stdout.close()
    assert command.communicate()[1] == b""
    assert command.returncode == 0


def test_a_name_is_no_formula_to_a_spreadsheet(home: Path) -> None:
    (home / "bot").mkdir()
    write_bot(home / "bot", "dice", extra="# other\n")
    (home / "bot" / "bot.toml").write_text("name = '=1+1'\nauthor = '+2'\nrun = 'python3 dice.py'\n", encoding="utf-8")
    arena("tournament", "small", "bot", *QUIET, cwd=home)
    rows = list(csv.DictReader(io.StringIO(arena("standings", "--csv", cwd=home).stdout)))
    assert ("'=1+1", "'+2") in {(row["name"], row["author"]) for row in rows}
    assert min(float(row["score"]) for row in rows) < 0  # a number stays one
    arena("export", "all.csv", cwd=home)
    assert "'=1+1" in set(pd.read_csv(home / "all.csv")["bot"])


def test_results_by_seat_and_by_opponent_add_up(home: Path) -> None:
    seats = list(csv.DictReader(io.StringIO(arena("standings", "--by", "seat", cwd=home).stdout)))
    assert {row["bot"] for row in seats} == {"dice@1", "small@1", "large@1", "(all)"}
    assert sum(int(row["games"]) for row in seats if row["bot"] == "(all)") == 12
    pairs = list(csv.DictReader(io.StringIO(arena("standings", "--by", "opponent", cwd=home).stdout)))
    by_pair = {(row["bot"], row["opponent"]): row for row in pairs}
    for (one, other), row in by_pair.items():
        back = by_pair[other, one]
        assert int(row["above"]) + int(back["above"]) + int(row["tied"]) == int(row["games"]) == 2


# ---- variants that a bot claims


def test_a_bot_plays_only_what_it_claims(home: Path) -> None:
    (home / "bot").mkdir()
    write_bot(home / "bot", "middle")
    manifest = "name = 'picky'\nrun = 'python3 middle.py'\nvariants = ['two']\n"
    (home / "bot" / "bot.toml").write_text(manifest, encoding="utf-8")
    assert "picky@1 is entered" in arena("submit", "bot", "--sandbox", "none", cwd=home).stdout  # tried in two
    said = arena("tournament", *QUIET, "--dry-run", cwd=home).stdout
    assert "left out: picky@1 does not play duo" in said
    assert "dice@1, small@1, large@1\n" in said
    two = arena("tournament", *QUIET, "--variant", "two", "--dry-run", cwd=home).stdout
    assert "picky@1" in two.splitlines()[0]
    for command in (
        ("tournament", "dice", "picky"),
        ("tournament", "--gauntlet", "picky"),
        ("compare", "dice", "picky"),
    ):
        done = arena(*command, *QUIET, cwd=home, check=False)
        assert done.returncode == 2
        assert "picky@1 does not play duo" in done.stderr.splitlines()[-1]
    for name in ("dice", "small", "large"):
        arena("withdraw", name, cwd=home)
    done = arena("tournament", *QUIET, cwd=home, check=False)
    assert (done.returncode, "no bot of league plays duo" in done.stderr) == (2, True)


def test_no_league_is_one_line(tmp_path: Path) -> None:
    done = arena("standings", cwd=tmp_path, check=False)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "no league at league" in done.stderr
    assert not (tmp_path / "league").exists()


def test_the_bots_are_listed_with_their_versions(home: Path) -> None:
    arena("submit", write_bot(home / "src", "small", extra="# new\n"), "--no-check", cwd=home)
    arena("withdraw", "dice", "--reason", "tired", cwd=home)
    found = {(row["name"], row["version"]): row["status"] for row in events(arena("bots", "--json", cwd=home).stdout)}
    assert found == {
        ("dice", "1"): "withdrawn",
        ("small", "1"): "superseded",
        ("small", "2"): "entered",
        ("large", "1"): "entered",
    }


# ---- annulling


def test_an_annulled_match_is_out_of_the_tables_and_stays_in_the_store(home: Path) -> None:
    with read_league(home / "league") as league:
        match = next(iter(league.store.counted(league.store.divisions()[0]))).match
    arena("annul", match[:8], "--reason", "power failure", cwd=home)
    (found,) = events(arena("standings", "--json", cwd=home).stdout)
    assert (found["matches"], found["annulled"]) == (5, 1)
    assert "1 match annulled" in arena("standings", cwd=home).stdout
    assert arena("verify", "league", cwd=home).returncode == 0


def test_an_annulled_bot_takes_its_matches_along(home: Path) -> None:
    arena("annul", "dice", "--reason", "cheats", cwd=home)
    (found,) = events(arena("standings", "--json", cwd=home).stdout)
    assert (found["matches"], found["annulled"]) == (2, 4)


# ---- verifying


def test_a_league_that_was_not_touched_stands(home: Path) -> None:
    assert "6 matches stand" in arena("verify", cwd=home).stdout


def _change(home: Path, statement: str, *values: object) -> None:
    with sqlite3.connect(home / "league" / FILE_NAME) as db:
        db.execute(statement, values)
    db.close()


def _change_record(home: Path, edit: Callable[[str], str]) -> None:
    with sqlite3.connect(home / "league" / FILE_NAME) as db:
        (data,) = db.execute("SELECT record FROM matches WHERE id = 1").fetchone()
        changed = edit(zlib.decompress(data).decode()).encode()
        db.execute("UPDATE matches SET record = ? WHERE id = 1", (zlib.compress(changed),))
    db.close()


def _move_to_another_division(home: Path) -> None:
    _change(home, "INSERT INTO divisions SELECT 2, 'two', scoring, clock FROM divisions")
    _change(home, "UPDATE blocks SET division = 2 WHERE id = 1")


def _scribble(home: Path) -> None:
    """Write into the part of the file that finds matches by their game."""
    with sqlite3.connect(home / "league" / FILE_NAME) as db:
        (page,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'matches_by_game'").fetchone()
        (size,) = db.execute("PRAGMA page_size").fetchone()
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    with (home / "league" / FILE_NAME).open("r+b") as file:
        file.seek((page - 1) * size + size - 60)
        file.write(bytes(range(60)))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            lambda home: _change_record(home, lambda text: text.replace('"ranks":[', '"ranks": [')),
            "its hash is another",
        ),
        (lambda home: _change(home, "UPDATE matches SET record = x'00' WHERE id = 1"), "its hash is another"),
        (
            lambda home: _change(home, "UPDATE matches SET summary = (SELECT summary FROM matches WHERE nth = 1)"),
            "result",
        ),
        (lambda home: _change(home, "UPDATE blocks SET bots = '[1,3]' WHERE id = 1"), "same bots"),
        (lambda home: _change(home, "UPDATE blocks SET spec = replace(spec, '\"seed\":', '\"seed\":1')"), "do not say"),
        (
            lambda home: _change(home, "UPDATE matches SET game = (SELECT game FROM matches WHERE id = 1)"),
            "another game",
        ),
        (lambda home: _change(home, "UPDATE matches SET attempt = 1 WHERE id = 1"), "played again"),
        (_move_to_another_division, "another division"),
        (lambda home: _change(home, "DELETE FROM blocks WHERE id = 1"), "blocks"),
        (_scribble, "the file is damaged"),
        (lambda home: next((home / "league" / "bots").glob("*/dice.py")).write_text("pass"), "has been changed"),
        (lambda home: next((home / "league" / "bots").glob("*/dice.py")).unlink(), "is missing"),
    ],
)
def test_whatever_is_changed_behind_our_back_is_found(change: Callable[[Path], object], says: str, home: Path) -> None:
    change(home)
    done = arena("verify", "league", cwd=home, check=False)
    assert done.returncode == 1
    assert says in done.stderr


def test_a_checkpoint_that_was_changed_is_found(home: Path) -> None:
    with open_league(home / "league") as league:
        (division,) = league.store.divisions()
        good = standings(league.store, division, league.config)
        league.store.annul(match="nothing", reason="")  # so that another checkpoint is made, of another league
        assert standings(league.store, division, league.config, keeps=True).lines == good.lines
    _change(home, "UPDATE checkpoints SET block = 1, nth = 1")
    with read_league(home / "league") as league:
        assert any("the ratings that were kept" in problem for problem in audit(league))


# ---- out and in


def test_exported_records_imported_elsewhere_give_the_same_table(home: Path) -> None:
    with open_league(home / "league") as league:
        assert export(league, home / "all.jsonl") == (6, 0)
        before = standings(league.store, league.store.divisions()[0], league.config)
    with open_league(home / "other") as league:
        count = import_records(league, home / "all.jsonl")
        after = standings(league.store, league.store.divisions()[0], league.config)
        assert (count.added, count.known) == (6, 0)
        again = import_records(league, home / "all.jsonl")
        assert (again.added, again.known) == (0, 6)
    view = [
        [(line.name, line.rank, line.mu, line.rating, line.games) for line in each.lines] for each in (before, after)
    ]
    assert view[0] == view[1]


@pytest.mark.parametrize("target", ["all.jsonl", "games"])
def test_an_annulled_match_is_not_handed_on(target: str, home: Path) -> None:
    arena("annul", "dice", "--reason", "cheats", cwd=home)
    said = arena("export", target, cwd=home).stdout
    assert said == f"2 matches written to {target}; 4 annulled ones left out\n"
    if target == "all.jsonl":
        assert "taken in: 2;" in arena("import", target, "--league", "other", cwd=home).stdout


def test_a_match_of_a_comparison_does_not_stand_in_the_way_of_the_same_match_of_a_league(home: Path) -> None:
    with open_league(home / "league") as league:
        export(league, home / "all.jsonl")
    _change(home, "UPDATE blocks SET purpose = 'compare:1:2'")
    _change(home, "DELETE FROM checkpoints")
    with open_league(home / "league") as league:
        assert import_records(league, home / "all.jsonl") == (6, 0)
        assert import_records(league, home / "all.jsonl") == (0, 6)
        assert standings(league.store, league.store.divisions()[0], league.config).matches == 6


def test_a_record_that_does_not_stand_is_not_imported_and_nothing_else_is(home: Path) -> None:
    with open_league(home / "league") as league:
        export(league, home / "all.jsonl")
    lines = (home / "all.jsonl").read_text().splitlines()
    found = json.loads(lines[3])
    found["totals"][0] += 1
    (home / "all.jsonl").write_text("\n".join([*lines[:3], json.dumps(found), *lines[4:]]))
    done = arena("import", "all.jsonl", "--league", "other", cwd=home, check=False)
    assert done.returncode == 2
    assert "all.jsonl:4: " in done.stderr
    with read_league(home / "other") as league:
        assert league.store.count_matches() == 0


@pytest.mark.parametrize("name", ["all.csv", "all.parquet"])
def test_tables_have_a_row_a_seat(name: str, home: Path) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    arena("export", name, cwd=home)
    table = pd.read_csv(home / name) if name.endswith("csv") else pd.read_parquet(home / name)
    assert len(table) == 12
    assert set(table["bot"]) == {"dice", "small", "large"}
    assert table.groupby("match")["rank"].min().eq(1).all()


def test_a_table_that_cannot_be_finished_leaves_the_old_one(home: Path) -> None:
    arena("export", "all.csv", cwd=home)
    before = (home / "all.csv").read_bytes()
    _change(home, "UPDATE matches SET summary = x'00' WHERE id = 6")
    assert arena("export", "all.csv", cwd=home, check=False).returncode != 0
    assert (home / "all.csv").read_bytes() == before
    assert sorted(path.name for path in home.iterdir()) == ["all.csv", "league"]


def test_parquet_without_pyarrow_is_one_line_that_says_how_to_get_it(home: Path) -> None:
    (home / "lib").mkdir()
    (home / "lib" / "pyarrow.py").write_text("raise ImportError('not here')", encoding="utf-8")
    code = f"import sys; sys.path.insert(0, {str(home / 'lib')!r}); from arena.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "export", "all.parquet"],
        cwd=home,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "pip install 'blokus-arena[parquet]'" in done.stderr
    assert not (home / "all.parquet").exists()


def test_games_are_exported_for_pentobi(home: Path) -> None:
    arena("export", "games", cwd=home)
    files = sorted((home / "games").iterdir())
    assert len(files) == 6
    arena("convert", files[0], "back.json", cwd=home)
    assert verify(read_record(home / "back.json")) == []


def test_another_suffix_is_refused(home: Path) -> None:
    done = arena("export", "all.xml", cwd=home, check=False)
    assert done.returncode == 2
    assert "expected a file .jsonl, .csv, .parquet or a folder" in done.stderr

"""A bot author's first hour, in every language: new, check, submit, a tournament."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from arena.starters import STARTERS, Starter, missing
from tests.arena.helpers import require
from tests.arena.leagues import arena, events

DUO = ["--variant", "duo"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.mark.parametrize("starter", STARTERS, ids=lambda starter: starter.folder)
def test_a_new_bot_passes_its_check_and_is_entered(starter: Starter, home: Path) -> None:
    for program in starter.needs:
        require(program)
    name = f"my-{starter.folder}"
    said = arena("new", name, "--lang", starter.folder, cwd=home).stdout
    assert f"arena submit ./{name}" in said
    assert "first:" not in said
    checked = arena("check", f"./{name}", *DUO, "--json", cwd=home)
    assert events(checked.stdout)[0]["passed"]
    assert f"{name}@" in arena("submit", f"./{name}", *DUO, cwd=home).stdout


def test_then_they_all_meet_in_a_tournament(home: Path) -> None:
    entered = {row["name"] for row in events(arena("bots", "--json", cwd=home).stdout)}
    assert entered == {f"my-{starter.folder}" for starter in STARTERS if missing(starter) is None}
    said = events(arena("tournament", *DUO, "--move-time", "10", "--games", "44", "--json", cwd=home).stdout)
    lines = {line["name"]: line for line in said[-1]["lines"]}
    assert set(lines) == entered
    assert all(line["faults"] == 0 and line["games"] > 0 for line in lines.values())


def test_a_broken_bot_is_refused_with_the_reason_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import no_such_library\n", encoding="utf-8")
    done = arena("submit", "broken.py", cwd=tmp_path, check=False)
    assert done.returncode == 1
    assert "it needs a library that is not there: no_such_library" in done.stderr
    assert "nothing was entered" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["broken.py"]


def test_a_changed_bot_is_a_new_version_and_the_same_one_is_not(tmp_path: Path) -> None:
    shutil.copytree(Path(__file__).parent.parent.parent / "bots" / "random", tmp_path / "mine")
    for expected in ("is entered", "was there already"):
        assert expected in arena("submit", "mine", *DUO, "--name", "ann", cwd=tmp_path).stdout
    with (tmp_path / "mine" / "bot.py").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert "ann@1.0-2 is entered" in arena("submit", "mine", *DUO, "--name", "ann", cwd=tmp_path).stdout
    found = [(row["name"], row["status"]) for row in events(arena("bots", "--json", cwd=tmp_path).stdout)]
    assert found == [("ann", "superseded"), ("ann", "entered")]

"""What can be said of macOS without one: nothing that only Linux has is needed, and the profile says what it should."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import engine
from arena.sandbox import Command
from arena.sandbox.seatbelt import profile
from tests.arena.leagues import QUIET, ROOT, events, write_bots


def on_macos(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.arena.on_macos", *arguments]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)


def test_a_tournament_needs_nothing_that_only_linux_has(tmp_path: Path) -> None:
    files = write_bots(tmp_path / "src", "dice", "small", "large")
    done = on_macos("tournament", *files, *QUIET, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    said = events(done.stdout)
    assert [event["event"] for event in said].count("match") == 6
    assert all(line["faults"] == 0 for line in said[-1]["lines"])
    assert (tmp_path / "league" / "site" / "index.html").exists()
    assert "bots run unconfined" in done.stderr


def test_a_check_needs_nothing_that_only_linux_has(tmp_path: Path) -> None:
    (file,) = write_bots(tmp_path / "src", "dice")
    done = on_macos("check", file, "--variant", "duo", "--sandbox", "none", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_where_there_is_no_sandbox_nothing_is_played(tmp_path: Path) -> None:
    done = on_macos("match", "random", "greedy", "--variant", "duo", cwd=tmp_path)
    assert done.returncode == 2
    assert "the sandbox of macOS is a weak one" in done.stderr
    assert "seatbelt: there is no /usr/bin/sandbox-exec" in done.stderr.splitlines()[-1]
    assert on_macos("doctor", cwd=tmp_path).returncode == 1


def test_a_clock_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    done = on_macos("match", "random", "greedy", *QUIET, "--clock", "cpu", cwd=tmp_path)
    assert done.returncode == 2
    assert "CPU time of bots is only known on Linux" in done.stderr


# ---- the profile


def test_a_bot_may_read_its_folder_and_write_nothing(tmp_path: Path) -> None:
    rules = profile(Command(("./bot",), str(tmp_path), {})).splitlines()
    assert rules[:2] == ["(version 1)", "(allow default)"]
    assert rules[-1] == "(deny process-fork)"
    written = rules.index('(allow file-write* (literal "/dev/null") )')
    assert rules.index("(deny file-write*)") < written  # the last one counts
    reads = [rule for rule in rules if rule.startswith("(allow file-read* ")]
    assert reads == [f'(allow file-read* (subpath "{tmp_path}"))']
    assert "(deny network*)" in rules


def test_a_build_may_write_and_start_processes(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    rules = profile(Command(("cc",), str(tmp_path / "bot"), {}, processes=True, scratch=str(scratch)))
    assert "process-fork" not in rules
    assert f'(allow file-write* (literal "/dev/null") (subpath "{tmp_path}/bot") (subpath "{scratch}"))' in rules


def test_an_odd_name_cannot_end_its_rule(tmp_path: Path) -> None:
    folder = tmp_path / 'a") (allow default) (deny x "\\'
    rules = profile(Command(("./bot",), str(folder), {}))
    assert f'(subpath "{tmp_path}/a\\") (allow default) (deny x \\"\\\\")' in rules


def test_the_arenas_own_python_is_within_reach(tmp_path: Path) -> None:
    rules = profile(Command((sys.executable, "bot.py"), str(tmp_path), {}))
    reads = next(rule for rule in rules.splitlines() if rule.startswith("(allow file-read* "))
    shown = [path for path in re.findall(r'subpath "(.*?)"', reads) if path != str(tmp_path)]
    for needed in (os.__file__, engine.__file__):
        assert any(needed.startswith(f"{path}/") for path in (*shown, "/usr"))

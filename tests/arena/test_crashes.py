"""`kill -9` at any instant, and a full disk: nothing is lost, nothing counts twice."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from arena.audit import audit
from arena.league import open_league
from arena.limits import ResourceLimits
from arena.sandbox.choose import why_not
from arena.standings import standings
from tests.arena.leagues import COMMAND, QUIET, ROOT, arena, played, run, write_bots
from tests.arena.leftovers import descendants

KILLS = 50
ROUNDS = 40
_BOX = ["--sandbox", "auto"] if why_not("namespaces") is None else []  # in which bots die with us, however we do
NAMES = ("dice", "small", "largish", "middle")


@pytest.fixture(autouse=True)
def orphans_are_reaped() -> Iterator[None]:
    """Reap what came to us when its parent was killed: a process that has run bots unconfined takes in orphans."""
    yield
    deadline = time.monotonic() + 20
    while (left := descendants()) and time.monotonic() < deadline:
        for pid, shown in left.items():
            if shown.endswith("(Z)"):
                with suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)
        time.sleep(0.05)
    assert not left


def _start(folder: Path, files: list[str], rounds: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, "tournament", *files, *QUIET, *_BOX, "--rounds", str(rounds), "--league", str(folder), "--json"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _wait_for_a_match(process: subprocess.Popen[bytes]) -> None:
    assert process.stdout
    for line in process.stdout:
        if b'"event":"match"' in line:
            return


@contextmanager
def _drained(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Read what a process says and forget it, so that it never waits for us; close its pipes in the end."""
    assert process.stdout
    reader = threading.Thread(target=process.stdout.read)
    reader.start()
    yield
    reader.join()
    for stream in (process.stdout, process.stderr):
        if stream:
            stream.close()


def _below(pid: int) -> list[int]:
    """Return the children of a process, and theirs."""
    found: list[int] = []
    with suppress(OSError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            found += [int(child), *_below(int(child))]
    return found


def _parent_of(pid: int) -> int:
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return -1


def _kill_one(parent: int, rng: random.Random) -> None:
    """Kill the parent, a worker, or something of a worker's: a bot, its head, the launcher."""
    workers = [pid for pid in _below(parent) if _parent_of(pid) == parent]
    rest = [pid for worker in workers for pid in _below(worker)]
    targets = rng.choice([[parent], workers, rest])
    if targets:
        with suppress(ProcessLookupError):
            os.kill(rng.choice(targets), signal.SIGKILL)


def _ratings(folder: Path) -> list[object]:
    with open_league(folder) as league:
        assert list(audit(league)) == []
        (division,) = league.store.divisions()
        found = standings(league.store, division, league.config)
        return [
            (line.name, line.rank, line.mu, line.sigma, line.rating, line.games, line.score) for line in found.lines
        ]


def test_killing_it_at_fifty_instants_changes_nothing(tmp_path: Path) -> None:
    files = write_bots(tmp_path / "src", *NAMES)
    rng = random.Random(4)
    disturbed = tmp_path / "disturbed"
    kills, rounds = 0, ROUNDS
    while True:
        process = _start(disturbed, files, rounds)
        if rng.random() < 0.85:  # else while it starts
            _wait_for_a_match(process)
        with _drained(process):
            while process.poll() is None and kills < KILLS:
                time.sleep(rng.uniform(0, 0.2))
                _kill_one(process.pid, rng)
                kills += 1
            errors = process.stderr.read().decode() if process.stderr else ""
            process.wait()
        assert process.returncode in (0, 3, -signal.SIGKILL), errors
        assert "Traceback" not in errors
        if process.returncode == 0 and kills == KILLS:
            break
        rounds += ROUNDS * (process.returncode == 0)  # it was over too soon: on with it
    with open_league(tmp_path / "calm") as league:
        limits = ResourceLimits(sandbox=_BOX[-1] if _BOX else "none")
        run(league, [league.resolve(file) for file in files], rounds=rounds, limits=limits)
    assert played(disturbed) == played(tmp_path / "calm")
    assert _ratings(disturbed) == _ratings(tmp_path / "calm")


def test_a_full_disk_is_a_clear_error_and_tears_nothing(tmp_path: Path) -> None:
    if os.geteuid() != 0 or shutil.which("mount") is None:
        if os.environ.get("ARENA_REQUIRE_ALL") == "1" and os.geteuid() == 0:
            pytest.fail("mount is not installed, and ARENA_REQUIRE_ALL=1")
        pytest.skip("a small disk can be made by root only")
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)], check=True)
    try:
        files = write_bots(tmp_path / "src", *NAMES)
        done = arena(
            "tournament", *files, *QUIET, "--rounds", "300", "--league", disk / "league", cwd=tmp_path, check=False
        )
        assert done.returncode == 3
        assert "disk is full" in done.stderr
        assert "Traceback" not in done.stderr
        shutil.copytree(disk / "league", tmp_path / "rescued")
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    with open_league(tmp_path / "rescued") as league:
        assert [problem for problem in audit(league) if "ratings" not in problem] == []
        before = league.store.count_matches()
        assert before > 0
        run(league, league.entrants(), games=before + 4)
        assert league.store.count_matches() == before + 4

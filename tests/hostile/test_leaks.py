"""A hundred bots later, hostile ones among them: everything is as it was."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from arena.jail.cgroup import Groups
from arena.sandbox.base import Confined, StartFailed
from arena.sandbox.choose import strongest
from benchmarks import soak
from tests.arena.leftovers import descendants, open_descriptors
from tests.hostile.box import BOXES, IS_ROOT, next_line, pid_of_launcher, require_box, require_program, start, wait_for
from tests.hostile.conftest import Canaries

STARTS, WARM_UP = 100, 20
PAGES = 1024  # by how much memory may move
PROGRAMS = [
    ("manners", "wait"),
    ("manners", "stop_itself"),
    ("manners", "close_everything"),
    ("manners", "fill_log"),
    ("manners", "ignore_signals"),
    ("manners", "compute"),
    ("manners", "crash"),
    ("manners", "have_children"),
    ("manners", "fork_many"),
    ("files", "fill_disk"),
    ("files", "fill_inodes"),
    ("processes", "daemonize"),
    ("processes", "hop"),
    ("processes", "take_threads"),
    ("network", "leave_shared_memory"),
    ("network", "leave_posix_messages"),
    ("memory", "private_memory"),
    ("surfaces", "call_as_i386"),
    ("missing", ""),
]


@pytest.mark.parametrize("processes", [False, True], ids=["alone", "with children"])
@pytest.mark.parametrize("backend", BOXES)
def test_nothing_is_left_of_a_hundred_bots(backend: str, processes: bool, canaries: Canaries) -> None:
    require_box(backend)
    _play(backend, processes, canaries, WARM_UP)
    _reap_orphans()
    assert wait_for(lambda: set(descendants()) == {canaries.process})
    with _unchanged(pid_of_launcher()):
        _play(backend, processes, canaries, STARTS)
    assert not canaries.harmed()
    left = str(int(canaries.arguments[-1]) + 1)  # the key that `leave_shared_memory` uses
    assert left not in Path("/proc/sysvipc/shm").read_text().split()


def _reap_orphans() -> None:
    """Reap what tests that kill a launcher have left to us, since one of the plain backend made us adopt orphans."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _play(backend: str, processes: bool, canaries: Canaries, starts: int) -> None:
    """Start bots, two at a time, and end them in whatever state they are."""
    rng = random.Random(starts)
    running: list[Confined] = []
    for at in range(starts):
        program, manner = PROGRAMS[at % len(PROGRAMS)]
        with suppress(StartFailed):
            argv = [f"./{program}", manner, *canaries.arguments]
            running.append(start(backend, argv, canaries.bot, memory_mb=64, processes=processes))
            if rng.random() < 0.5:
                next_line(running[-1], 1.0)
            if rng.random() < 0.5:
                running[-1].freeze()
        if len(running) > 2:
            running.pop(0).end()
    for process in running:
        process.end()


@contextmanager
def _unchanged(launcher: int) -> Iterator[None]:
    """Compare what there was with what there is."""
    before, held = _things(launcher), [_pages(pid) for pid in ("self", launcher)]
    yield
    if not wait_for(lambda: _things(launcher) == before):
        now = _things(launcher)
        pytest.fail("\n".join(f"{name}: {was} → {now[name]}" for name, was in before.items() if now[name] != was))
    for was, is_now in zip(held, [_pages(pid) for pid in ("self", launcher)], strict=True):
        assert is_now < was * 1.25 + PAGES


def _things(launcher: int) -> dict[str, object]:
    handles = list(open_descriptors().values())
    return {
        "processes": sorted(descendants()),
        "descriptors": len(handles),
        "the launcher's descriptors": len(os.listdir(f"/proc/{launcher}/fd")),
        "mounts": Path("/proc/self/mountinfo").read_text(),
        "the launcher's mounts": Path(f"/proc/{launcher}/mountinfo").read_text(),
        "control groups": _groups(launcher),
        "files": [name for place in ("/tmp", "/dev/shm", "/var/tmp") for name in _left_in(place)],
    }


def _groups(launcher: int) -> list[str]:
    places = Groups()
    found = {*places._limiting.values(), *places._counting.values()}
    return [str(group) for place in found for group in Path(place).glob(f"blokus-arena-{launcher}-*")]


def test_nothing_is_left_of_matches_with_hostile_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    """A short soak: `python -m benchmarks.soak` is a long one."""
    require_box(strongest())
    require_program("cc")
    monkeypatch.setenv("XDG_CACHE_HOME", "")  # put back afterwards
    with soak.soaked_bots() as bots:
        ends = soak.play(bots, len(bots), strongest())
        _reap_orphans()
        with _unchanged(pid_of_launcher()):
            before = soak.things()
            ends += soak.play(bots, len(bots) // 2, strongest(), len(bots))
            assert soak.settled(before) == before
    assert {end.split(":")[0] for end in ends} == set(bots)
    assert {"crash-alone: crash", "crash-family: crash"} <= set(ends)


def _left_in(folder: str) -> list[str]:
    """Return the files of users that bots run as, and those with names that our programs use."""
    found = []
    for entry in os.scandir(folder):
        with suppress(FileNotFoundError):
            is_bots = IS_ROOT and entry.stat(follow_symlinks=False).st_uid >= 60_000
            if is_bots or entry.name.startswith(("fill-", "inode-", "left", "arena-canary")):
                found.append(entry.path)
    return found


def _pages(pid: int | str) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1])

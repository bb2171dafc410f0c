"""A hundred bots later, hostile ones among them: everything is as it was."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from arena.jail.cgroup import Groups
from arena.sandbox import jailed
from arena.sandbox.base import Confined, StartFailed
from arena.sandbox.choose import strongest
from benchmarks import soak
from tests.arena.leftovers import descendants, open_descriptors
from tests.hostile.box import BOXES, IS_ROOT, next_line, pid_of_launcher, require_box, require_program, start, wait_for
from tests.hostile.conftest import Canaries

STARTS, WARM_UP = 100, 20
PAGES = 1024  # by how much memory may move
PLACES = ("/tmp", "/mnt", "/media", "/srv", "/opt")  # where boxes are made, in mount namespaces of their own
AT_ONCE = 8  # more bots than ever run at once
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
    if not wait_for(lambda: not _new_things(launcher, before)):
        pytest.fail("\n".join(f"{name}: {left}" for name, left in _new_things(launcher, before).items()))
    for was, is_now in zip(held, [_pages(pid) for pid in ("self", launcher)], strict=True):
        assert is_now < was * 1.25 + PAGES


def _new_things(launcher: int, before: dict[str, Counter[str]]) -> dict[str, Counter[str]]:
    """Return what was not there: that of others, who use the machine as well, may have gone."""
    return {name: new for name, now in _things(launcher).items() if (new := now - before[name])}


def _things(launcher: int) -> dict[str, Counter[str]]:
    things = {
        "processes": map(str, descendants()),
        "descriptors": ["descriptor"] * len(open_descriptors()),
        "the launcher's descriptors": ["descriptor"] * len(os.listdir(f"/proc/{launcher}/fd")),
        "mounts": _mounts("self"),
        "the launcher's mounts": _mounts(launcher),
        "control groups": _groups(launcher),
        "files": [name for place in ("/tmp", "/dev/shm", "/var/tmp") for name in _left_in(place)],
    }
    return {name: Counter(found) for name, found in things.items()}


def _mounts(pid: int | str) -> list[str]:
    """Return the mounts in the places where boxes are made: others may mount what they like elsewhere."""
    lines = Path(f"/proc/{pid}/mountinfo").read_text().splitlines()
    return [line for line in lines if f"{line.split()[4]}/".startswith(tuple(f"{place}/" for place in PLACES))]


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
            after = soak.settled(before)
            assert [name for name in before if after[name] != before[name] and "mounts" not in name] == []
    assert {end.split(":")[0] for end in ends} == set(bots)
    assert {"crash-alone: crash", "crash-family: crash"} <= set(ends)


def _left_in(folder: str) -> list[str]:
    """Return the files of users that our bots run as, and ours with names that our programs use."""
    found = []
    users = _users() if IS_ROOT else [os.geteuid()]
    for entry in os.scandir(folder):
        with suppress(FileNotFoundError):
            is_named = entry.name.startswith(("fill-", "inode-", "left", "arena-canary"))
            if entry.stat(follow_symlinks=False).st_uid in users and (IS_ROOT or is_named):
                found.append(entry.path)
    return found


def _users() -> range:
    """Return the users that our bots run as, who are not those of another arena: the first that are free."""
    first = jailed._take_user()
    jailed._give_back(first)
    return range(first, first + AT_ONCE) if first is not None else range(0)


def _pages(pid: int | str) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1])

"""Control groups: found where they can be made, limiting where they are, and gone afterwards."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from arena.jail import cgroup
from arena.jail.cgroup import Groups
from tests.hostile.box import BOXES, next_line, pid_of_launcher, require_box, start, verdict_of, wait_for

needs_groups = pytest.mark.skipif(not Groups().limits_memory, reason="no control group can be made here")


def _host(folder: Path, own: str, mounts: list[tuple[str, str, str]]) -> tuple[str, str]:
    """Write down what a host says of its groups: which are our own, and mount points, kinds and options."""
    (folder / "own").write_text(own)
    lines = [f"30 20 0:1 / {folder}/{point} rw - {kind} none {options}" for point, kind, options in mounts]
    (folder / "mounts").write_text("\n".join(lines))
    return str(folder / "own"), str(folder / "mounts")


def test_groups_of_version_1_are_made_below_our_own(tmp_path: Path) -> None:
    own = "5:memory:/service/one\n4:pids:/\n3:cpu,cpuacct:/service\n0::/\n"
    mounts = [(name, "cgroup", f"rw,{name}") for name in ("memory", "pids", "cpu,cpuacct")]
    limiting, counting = cgroup._places(*_host(tmp_path, own, mounts))
    assert limiting == {"memory": f"{tmp_path}/memory/service/one", "pids": f"{tmp_path}/pids"}
    assert counting == {"cpuacct": f"{tmp_path}/cpu,cpuacct/service"}


def _version_2(folder: Path, limit: str, given: str) -> dict[str, str]:
    (folder / "v2/slice/own").mkdir(parents=True)
    (folder / "v2/slice/cgroup.subtree_control").write_text(given)
    (folder / "v2/slice/own/cgroup.subtree_control").write_text("")
    (folder / "v2/slice/own/memory.max").write_text(limit)
    return cgroup._places(*_host(folder, "0::/slice/own\n", [("v2", "cgroup2", "rw,nsdelegate")]))[0]


def test_groups_of_version_2_are_made_beside_our_own(tmp_path: Path) -> None:
    place = f"{tmp_path}/v2/slice"
    assert _version_2(tmp_path, "max\n", "cpu memory pids\n") == {"memory": place, "pids": place}


def test_no_group_goes_around_a_limit_that_is_put_on_us(tmp_path: Path) -> None:
    assert _version_2(tmp_path, "1000000\n", "cpu memory pids\n") == {}


def test_a_slice_that_gives_no_memory_is_of_no_use(tmp_path: Path) -> None:
    assert _version_2(tmp_path, "max\n", "cpu\n") == {}


def test_a_host_without_groups_does_without(tmp_path: Path) -> None:
    groups = Groups(*_host(tmp_path, "0::/\n", []))
    assert not groups.limits_memory
    with pytest.raises(OSError, match="no place"):
        groups.make(64, 10, counts=True)


def test_a_host_that_lets_us_make_no_group_does_without(tmp_path: Path) -> None:
    """There is no `cgroup.procs` in the folders that are made here."""
    (tmp_path / "memory").mkdir()
    groups = Groups(*_host(tmp_path, "5:memory:/\n", [("memory", "cgroup", "rw,memory")]))
    assert not groups.limits_memory
    assert list((tmp_path / "memory").iterdir()) == []


@needs_groups
@pytest.mark.parametrize("backend", BOXES)
def test_a_bot_is_alone_in_a_group_that_is_gone_with_it(backend: str, built: Path) -> None:
    require_box(backend)
    process = start(backend, ["./manners", "wait"], built)
    try:
        assert next_line(process) == "begun"
        assert process.protections["memory"] == "cgroup"
        lines = Path(f"/proc/{process.pid}/cgroup").read_text().splitlines()
        own = {line.rpartition("/")[2] for line in lines if "blokus-arena-" in line}
        assert len(own) == 1
        members = [pid for folder in _folders(own.pop()) for pid in (folder / "cgroup.procs").read_text().split()]
        assert str(process.pid) in members
        if backend != "bwrap":  # which is in it with its bot
            assert set(members) == {str(process.pid)}
    finally:
        process.end()
    assert wait_for(lambda: not _folders(f"blokus-arena-{pid_of_launcher()}-*"))


def _folders(name: str) -> list[Path]:
    places = Groups()
    return [
        folder
        for place in {*places._limiting.values(), *places._counting.values()}
        for folder in Path(place).glob(name)
    ]


@needs_groups
@pytest.mark.parametrize("backend", BOXES)
def test_what_no_limit_of_a_process_counts_is_counted_by_the_group(backend: str, built: Path) -> None:
    require_box(backend)
    process = start(backend, ["./memory", "read_only_memory", "0", "0", "0", "0", "0", "0"], built, memory_mb=64)
    assert verdict_of(process).startswith("held")


@needs_groups
def test_what_a_killed_launcher_left_is_removed_by_the_next(built: Path) -> None:
    process = start("namespaces", ["./manners", "wait"], built)
    killed = pid_of_launcher()
    os.kill(killed, signal.SIGKILL)
    process.end()
    assert _folders(f"blokus-arena-{killed}-*")
    assert wait_for(lambda: not os.path.exists(f"/proc/{killed}") or _is_reaped(killed))
    start("namespaces", ["./manners", "wait"], built).end()
    assert wait_for(lambda: not _folders(f"blokus-arena-{killed}-*"))


def _is_reaped(pid: int) -> bool:
    """Tell whether a zombie of ours is gone, which it is when somebody asks."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True


@needs_groups
def test_a_referee_that_is_killed_leaves_no_group(built: Path) -> None:
    told, telling = os.pipe()
    child = os.fork()
    if child == 0:
        start("namespaces", ["./manners", "wait"], built)
        os.write(telling, str(pid_of_launcher()).encode())
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    launcher = int(os.read(told, 20))
    os.close(told)
    os.close(telling)
    assert wait_for(lambda: not _folders(f"blokus-arena-{launcher}-*"))


def test_a_group_of_version_2_tells_the_time_of_all_in_it_and_ends_them(tmp_path: Path) -> None:
    own = tmp_path / "own"
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    own.write_text("\n".join(line for line in lines if line.startswith("0::")))
    groups = Groups(str(own))
    try:
        group = groups.make(64, 64, counts=True)
    except OSError as error:
        pytest.skip(f"no group of version 2 can be made here: {error}")
    child = os.fork()
    if child == 0:
        cgroup.enter(group.entrances)
        while True:
            pass
    try:
        assert wait_for(lambda: cgroup.used_ns(group.clock) > 10_000_000)
    finally:
        group.remove()
        _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL
    assert not any(os.path.exists(folder) for folder in group._folders)

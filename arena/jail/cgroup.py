"""Control groups: exact limits of a bot's memory and tasks, wherever groups can be made. Never required.

How it works. A group is made for each bot. With version 1 it is below the one that we are in, so that all limits put on
us hold for bots too. With version 2, where groups with limits must hold no processes themselves, it is beside ours, and
only if ours has no limit. The bot enters it before it gives up its rights; it is removed when the bot has ended. Its
name says whose it is: what a launcher that was killed has left is removed by the next one.
"""

from __future__ import annotations

import os
import signal
import time

_NAME = "blokus-arena-"
_MEGABYTE = 1 << 20
_TRIES = 50


class Group:
    """A bot's own group: a folder in each hierarchy."""

    def __init__(self, folders: list[str], entrances: list[int], clock: int) -> None:
        self._folders = folders
        self.entrances = entrances  # whoever writes 0 to all of them is in the group
        self.clock = clock  # tells the CPU time of all in it; -1 if nobody needs to know

    def shut(self) -> None:
        """Let nobody in any more."""
        for descriptor in {*self.entrances, self.clock} - {-1}:
            os.close(descriptor)
        self.entrances, self.clock = [], -1

    def remove(self) -> None:
        """Remove the group, and end whatever is still in it."""
        self.shut()
        for folder in self._folders:
            _remove(folder)


class Groups:
    """Where groups can be made here: a folder for each hierarchy that is of use."""

    def __init__(self, own: str = "/proc/self/cgroup", mounts: str = "/proc/self/mountinfo") -> None:
        self._made = 0
        self._limiting, self._counting = _places(own, mounts)
        for place in {*self._limiting.values(), *self._counting.values()}:
            _remove_stale(place)
        try:
            self.make(16, 1, counts=True).remove()
        except OSError:
            self._limiting, self._counting = {}, {}

    @property
    def limits_memory(self) -> bool:
        """Whether a group limits memory."""
        return "memory" in self._limiting

    def make(self, memory_mb: int, tasks: int, *, counts: bool) -> Group:
        """Make a group with limits; `counts` gives it a clock as well."""
        self._made += 1
        name = f"{_NAME}{os.getpid()}-{self._made}"
        places = {**self._limiting, **(self._counting if counts else {})}
        if not places:
            raise OSError("no place for control groups")
        folders = list(dict.fromkeys(f"{place}/{name}" for place in places.values()))
        opened: list[int] = []
        try:
            for folder in folders:
                os.mkdir(folder)
                _limit(folder, memory_mb, tasks)
                opened.append(os.open(f"{folder}/cgroup.procs", os.O_WRONLY | os.O_CLOEXEC))
            return Group(folders, opened, _clock(folders) if counts else -1)
        except OSError:
            Group(folders, opened, -1).remove()
            raise


def enter(entrances: list[int]) -> None:
    """Enter a group, with all that is forked from here."""
    for descriptor in entrances:
        os.write(descriptor, b"0")


def used_ns(clock: int) -> int:
    """Return the CPU time that a group's clock tells; raises `OSError` if the group has gone."""
    said = os.pread(clock, 64, 0)
    return int(said.split()[1]) * 1000 if said.startswith(b"usage_usec") else int(said)


# ---- where groups are


def _places(own: str, mounts: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the folders, by what they limit and by what they count, in which we may make groups."""
    homes = _homes(own, mounts)
    limiting: dict[str, str] = {kind: homes[kind] for kind in ("memory", "pids") if kind in homes}
    counting: dict[str, str] = {"cpuacct": homes["cpuacct"]} if "cpuacct" in homes else {}
    if "" in homes:
        for place in (homes[""], os.path.dirname(homes[""])):
            given = set(_read(f"{place}/cgroup.subtree_control").split())
            if "memory" not in limiting and "memory" in given and _may_leave(homes[""], place):
                limiting |= dict.fromkeys(given & {"memory", "pids"}, place)
        if not counting:
            counting = {"": limiting.get("memory", homes[""])}
    return limiting, counting


def _homes(own: str, mounts: str) -> dict[str, str]:
    """Return the folder of the group that we are in, by controller; that of version 2 has no name."""
    paths: dict[str, str] = {}
    for line in _read(own).splitlines():
        _, controllers, path = line.split(":", 2)
        paths |= dict.fromkeys(controllers.split(","), path)
    found = {}
    for line in _read(mounts).splitlines():
        place, _, system = line.partition(" - ")
        root, point = place.split()[3:5]
        kind, _, options = system.split(" ", 2)
        for name in options.split(",") if kind == "cgroup" else [""] if kind == "cgroup2" else []:
            path = paths.get(name, "")
            if (path + "/").startswith(root.rstrip("/") + "/"):
                found[name] = (point + path[len(root.rstrip("/")) :]).rstrip("/")
    return found


def _may_leave(own: str, place: str) -> bool:
    """Tell whether a group beside our own would not go around a limit that is put on us."""
    return own == place or _read(f"{own}/memory.max").strip() in ("", "max")


def _read(file: str) -> str:
    try:
        with open(file) as opened:
            return opened.read()
    except OSError:
        return ""


# ---- one folder


def _limit(folder: str, memory_mb: int, tasks: int) -> None:
    """Put the limits on a group that its hierarchy knows."""
    size = str(memory_mb * _MEGABYTE)
    for name, value in (
        ("memory.limit_in_bytes", size),
        ("memory.memsw.limit_in_bytes", size),  # memory and swap together
        ("memory.max", size),
        ("memory.swap.max", "0"),
        ("memory.oom.group", "1"),
        ("pids.max", str(tasks)),
    ):
        try:
            _write(f"{folder}/{name}", value)
        except FileNotFoundError:
            pass  # not of this hierarchy, or of this kernel


def _write(file: str, value: str) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, value.encode())
    finally:
        os.close(descriptor)


def _clock(folders: list[str]) -> int:
    for name in ("cpuacct.usage", "cpu.stat"):
        for folder in folders:
            if os.path.exists(f"{folder}/{name}"):
                return os.open(f"{folder}/{name}", os.O_RDONLY | os.O_CLOEXEC)
    return -1


def _remove(folder: str) -> None:
    for _ in range(_TRIES):
        try:
            os.rmdir(folder)
        except FileNotFoundError:
            return
        except OSError:
            _kill(folder)
            time.sleep(0.001)


def _kill(folder: str) -> None:
    """Kill all that are in a group."""
    try:
        _write(f"{folder}/cgroup.kill", "1")
    except OSError:  # version 1, or before Linux 5.14
        for pid in map(int, _read(f"{folder}/cgroup.procs").split()):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def _remove_stale(place: str) -> None:
    """Remove the groups of launchers that are no more: with them, all in these has ended."""
    try:
        names = [name for name in os.listdir(place) if name.startswith(_NAME)]
    except OSError:
        return
    for name in names:
        pid = name[len(_NAME) :].partition("-")[0]
        if not os.path.exists(f"/proc/{pid}"):
            try:
                os.rmdir(f"{place}/{name}")
            except OSError:
                pass

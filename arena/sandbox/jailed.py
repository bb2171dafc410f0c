"""Confined bots, started by the launcher (`arena/jail/`): the referee's side."""

from __future__ import annotations

import marshal
import os
import select
import signal
import stat
import threading
import time
from functools import cache
from typing import Any

from arena.errors import ArenaError, SandboxError
from arena.jail import proc
from arena.jail.cgroup import used_ns
from arena.limits import ResourceLimits
from arena.sandbox.base import Command, Confined, Exit, StartFailed
from arena.sandbox.launcher import launch
from arena.sandbox.pipes import close, open_pipes
from arena.sandbox.programs import bubblewrap, listed_folders, shown_folders, why_out_of_reach

_ORDER_BYTES = 100_000  # what a socket takes in one piece, with room to spare
_SCRATCH_MB = 64
_TASKS = 64 + 2 * (os.cpu_count() or 1)
_BUILD_TASKS, _BUILD_FILE_MB, _BUILD_OPEN_FILES = 1024, 1024, 4096
_END_S = 10.0
# users that exist nowhere, one for each running bot; the second choice is for containers that have fewer
_SPARE_USERS = (range(200_000, 260_000), range(60_000, 65_000))


class JailedProcess(Confined):
    """A bot in its box: one made of `namespaces`, by `bwrap`, or of `landlock` alone."""

    def __init__(self, command: Command, limits: ResourceLimits, backend: str) -> None:
        self._exit: Exit | None = None
        self._used_ns = 0
        self._has_children = command.processes
        self._user = _take_user() if os.geteuid() == 0 else None
        try:
            answer, handles = self._start(command, self._order(command, limits, backend))
        except BaseException:
            _give_back(self._user)
            raise
        _, self.pid, self._head, self._process_group, memory_by = answer
        self._bot_handle, self._head_handle, *clock = handles
        self._cpu_clock = proc.cpu_clock(self.pid)
        self._group_clock = clock[0] if clock else -1
        self.protections = {
            "backend": backend,
            "memory": memory_by,
            "cpu": "approximate" if command.processes and not clock else "exact",
        }

    def _start(self, command: Command, order: dict[str, Any]) -> tuple[tuple[Any, ...], list[int]]:
        data = marshal.dumps(order)
        if len(data) > _ORDER_BYTES:
            raise StartFailed(f"{command.argv[0]}: its arguments or its environment are too long")
        ours, theirs = open_pipes(others=1)
        self.stdin, self.stdout, self.stderr, self._report = ours
        try:
            answer, handles = launch(data, theirs)
            if answer[0] == "failed":
                stage, text = answer[1:] if answer[1] != "bwrap" else _said_by_bwrap(self.stderr)
                if stage == "exec" or any(path in text for path in order["shown"]):
                    raise _why_not_executed(command, text, order)
                raise ArenaError(f"the sandbox cannot be set up: {text}")
        except BaseException:
            close(*ours)
            raise
        finally:
            close(*theirs)
        return answer, handles

    def _order(self, command: Command, limits: ResourceLimits, backend: str) -> dict[str, Any]:
        namespaces = backend != "landlock"
        if os.geteuid() == 0 and self._user is None and (backend != "namespaces" or _is_root_outside()):
            raise SandboxError("root has no other user here to run bots as")
        if os.geteuid() == 0 and not namespaces and (device := _device_in(command.cwd)):
            raise StartFailed(f"{device} is a device file")
        if command.scratch is not None and self._user is not None:
            _hand_over(self._user, command.cwd, command.scratch)
        builds = command.scratch is not None
        return {
            "argv": list(command.argv),
            "env": {"JAVA_TOOL_OPTIONS": f"-Xmx{limits.memory_mb // 2}m"} | command.env | _homes(command, namespaces),
            "folder": command.cwd,
            "scratch": command.scratch,
            "shown": shown_folders(command),
            "listed": listed_folders(command),
            "memory_mb": limits.memory_mb,
            "scratch_mb": _SCRATCH_MB,
            "file_mb": _BUILD_FILE_MB if builds else 32,
            "open_files": _BUILD_OPEN_FILES if builds else 256,
            "tasks": _BUILD_TASKS if builds else _TASKS,
            "cpus": sorted(os.sched_getaffinity(0)),
            "processes": self._has_children,
            "uid": self._user,
            "namespaces": namespaces,
            "bwrap": bubblewrap() if backend == "bwrap" else None,
        }

    def cpu_ns(self) -> int:
        """Return the CPU time of the process and its threads, and of its children, if need be to the tick."""
        try:
            if not self._has_children:
                self._used_ns = time.clock_gettime_ns(self._cpu_clock)
            elif self._group_clock >= 0:
                self._used_ns = used_ns(self._group_clock)
            else:
                self._used_ns = max(self._used_ns, proc.cpu_ns_below(self._head))
        except OSError:
            pass  # it has ended: what is known stays
        return self._used_ns

    def freeze(self) -> None:
        """Stop the process, and its children."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let the process, and its children, run on."""
        self._signal(signal.SIGCONT)

    def has_ended(self) -> bool:
        """Tell whether the process has ended by itself."""
        return self._exit is not None or _is_readable(self._report, 0)

    def end(self) -> Exit:
        """Kill the box with all that is in it, and hear how the bot ended."""
        if self._exit is None:
            peak_mb = self._peak_mb()
            if not self.has_ended():
                self.cpu_ns()
                _send(self._bot_handle, signal.SIGKILL)
                if self._process_group != self.pid:
                    self.thaw()  # who reaps it is in its group, and may be stopped as well
            said = self._hear_report()
            if said is None:
                _send(self._head_handle, signal.SIGKILL)
                said = self._hear_report()
            self._exit = _exit_from(said, self._used_ns, peak_mb)
            close(self.stdin, self.stdout, self.stderr, self._report)
            close(self._bot_handle, self._head_handle, self._group_clock)
            self.stdin = self.stdout = self.stderr = self._report = -1
            _give_back(self._user)
        return self._exit

    def _hear_report(self) -> bytes | None:
        """Return what was reported when all of the box has gone; None if that does not come to be."""
        data = b""
        deadline = time.monotonic() + _END_S
        while _is_readable(self._report, max(0.0, deadline - time.monotonic())):
            more = os.read(self._report, 4096)
            if not more:
                return data
            data += more
        return None

    def _peak_mb(self) -> float:
        try:
            with open(f"/proc/{self.pid}/status", encoding="ascii", errors="replace") as file:
                for line in file:
                    if line.startswith("VmHWM:"):
                        return int(line.split()[1]) / 1024
        except (OSError, ValueError):
            pass
        return 0.0

    def _signal(self, number: int) -> None:
        if not self._has_children:
            _send(self._bot_handle, number)
        elif not self.has_ended():  # or its number could mean another group
            try:
                os.killpg(self._process_group, number)
            except ProcessLookupError:
                pass


def _said_by_bwrap(stderr: int) -> tuple[str, str]:
    """Return what bubblewrap says of a bot that it could not start: at which stage, and why."""
    try:
        said = os.read(stderr, 4096).decode(errors="replace").strip()
    except BlockingIOError:
        said = ""
    if said.startswith("bwrap: execvp "):
        return "exec", said.rpartition(": ")[2]
    return "sandbox", said or "bwrap did not start the bot"


def _homes(command: Command, namespaces: bool) -> dict[str, str]:
    """Return the environment by which a build finds its scratch folder."""
    if command.scratch is None:
        return {}
    return dict.fromkeys(("HOME", "TMPDIR"), "/tmp" if namespaces else command.scratch)  # noqa: S108


def _hand_over(user: int, *folders: str) -> None:
    """Make a user the owner of folders with all that is in them."""
    for folder in folders:
        for place, _, files in os.walk(folder):
            for path in (place, *[os.path.join(place, name) for name in files]):
                os.chown(path, user, user, follow_symlinks=False)


def _send(handle: int, number: int) -> None:
    try:
        signal.pidfd_send_signal(handle, number)
    except ProcessLookupError:
        pass  # it has ended


def _is_readable(descriptor: int, patience_s: float) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(patience_s * 1000))


@cache
def _device_in(folder: str) -> str | None:
    """Return a device file in a bot's folder: root can make one, and without a mount of its own it would work."""
    for place, _, files in os.walk(folder):
        for name in files:
            mode = os.lstat(os.path.join(place, name)).st_mode
            if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
                return os.path.join(place, name)
    return None


def _why_not_executed(command: Command, text: str, order: dict[str, Any]) -> StartFailed:
    closed = why_out_of_reach(command) if order["uid"] is not None and not order["namespaces"] else None
    if closed is not None:
        text = f"the sandbox landlock runs it as an ordinary user, to whom {closed} is closed"
    return StartFailed(f"{command.argv[0]}: {text}")


def _exit_from(said: bytes | None, used_ns: int, peak_mb: float) -> Exit:
    """Return how a bot ended: exit code, CPU time and peak memory as reported, or what is known without."""
    code, cpu_ms, peak_kib = marshal.loads(said) if said else (-signal.SIGKILL, used_ns // 1_000_000, 0)
    return Exit(
        code=code if code >= 0 else None,
        signal=-code if code < 0 else None,
        cpu_ms=max(cpu_ms, used_ns // 1_000_000),
        peak_mb=round(max(peak_mb, peak_kib / 1024), 1),
    )


# ---- the users that bots run as where the referee is root

_taken: set[int] = set()
_lock = threading.Lock()


@cache
def _users() -> range | None:
    """Return the users that bots may run as; None where root is only called so, and has no others."""
    for users in _SPARE_USERS:
        if all(_is_mapped(users, f"/proc/self/{name}") for name in ("uid_map", "gid_map")):
            return users
    return None


def _is_mapped(users: range, file: str) -> bool:
    with open(file, encoding="ascii") as opened:
        mapped = [line.split() for line in opened]
    return any(int(first) <= users[0] and users[-1] < int(first) + int(count) for first, _, count in mapped)


def _is_root_outside() -> bool:
    """Tell whether root of this user namespace is root of the one outside of it as well."""
    with open("/proc/self/uid_map", encoding="ascii") as opened:
        return any(line.split()[:2] == ["0", "0"] for line in opened)


def _take_user() -> int | None:
    users = _users()
    if users is None:
        return None
    with _lock:
        at = os.getpid() * 97  # other referees should come to other users
        while users[at % len(users)] in _taken:
            at += 1
        _taken.add(users[at % len(users)])
        return users[at % len(users)]


def _give_back(user: int | None) -> None:
    with _lock:
        _taken.discard(user or 0)

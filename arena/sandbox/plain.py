"""The plain backend: an ordinary process in a session of its own. It confines nothing.

How it works. A bot is killed by its process group. A child that left the group is an orphan sooner or
later; as a "subreaper" this process becomes its parent and finds it there: in a session that is not ours, marked by
an environment variable that tells whose it is. A bot that scrubs the mark is caught when the last bot ends.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import secrets
import signal
import subprocess
import sys
import time
from contextlib import suppress

from arena.errors import ArenaError
from arena.limits import ResourceLimits
from arena.sandbox.base import Command, Confined, Exit, StartFailed
from arena.sandbox.pipes import close, open_pipes

_MARK = "ARENA_PROCESS"
_OUR_TROUBLE = {errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM}
_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
_ON_LINUX = sys.platform == "linux"
_PR_SET_CHILD_SUBREAPER = 36
_PEAK_SLACK_KIB = 1024  # the kernel counts pages in batches

_running: dict[int, PlainProcess] = {}
_adopting = False


def start_plain(command: Command, limits: ResourceLimits) -> Confined:
    """Start a command; raises `StartFailed` if it cannot be executed, `ArenaError` if we cannot start anything."""
    _adopt_orphans()
    return PlainProcess(command, limits)


class PlainProcess(Confined):
    """A process of the plain backend."""

    def __init__(self, command: Command, limits: ResourceLimits) -> None:
        self._mark = secrets.token_hex(8)
        self._exit: Exit | None = None
        self._reaped: tuple[int, resource.struct_rusage] | None = None
        self._stat = -1
        self._used_ns = self._children_ns = self._counted_at = self._inherited_kib = 0
        ours, theirs = open_pipes()
        self.stdin, self.stdout, self.stderr = ours
        try:
            self._process = subprocess.Popen(  # noqa: S603
                command.argv,
                stdin=theirs[0],
                stdout=theirs[1],
                stderr=theirs[2],
                cwd=command.cwd,
                env=command.env | {_MARK: self._mark},
                start_new_session=True,
            )
        except OSError as error:
            close(*ours)
            if error.errno in _OUR_TROUBLE:
                raise ArenaError(f"cannot start a process: {error.strerror}") from error
            raise StartFailed(f"{command.argv[0]}: {error.strerror}") from error
        except ValueError as error:  # a NUL in the command, or the like
            close(*ours)
            raise StartFailed(f"{command.argv[0]!r}: {error}") from error
        except BaseException:
            close(*ours)
            raise
        finally:
            close(*theirs)
        self.pid = self._process.pid
        _running[self.pid] = self
        self._cpu_clock = (~self.pid << 3) | 2
        try:
            self.protections = {"memory": self._limit_memory(limits), "cpu": "approximate" if _ON_LINUX else "none"}
            if _ON_LINUX:
                self._inherited_kib = _own_peak_kib()
                self._stat = os.open(f"/proc/{self.pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            self.end()
            raise ArenaError(f"cannot watch a process: {error.strerror}") from error

    def _limit_memory(self, limits: ResourceLimits) -> str:
        if not _ON_LINUX:
            return "none"
        size = limits.memory_mb << 20
        with suppress(ProcessLookupError):  # it may have ended by now
            resource.prlimit(self.pid, resource.RLIMIT_DATA, (size, size))
        return "rlimit"

    def cpu_ns(self) -> int:
        """Return the CPU time of the process, and of those children that it has waited for (to the tick)."""
        if not _ON_LINUX:
            return 0
        try:
            self._used_ns = time.clock_gettime_ns(self._cpu_clock)
            # what its children used is told in ticks, so there is nothing new within one
            now = time.monotonic_ns()
            if now - self._counted_at >= _TICK_NS:
                self._counted_at = now
                fields = os.pread(self._stat, 1024, 0).rpartition(b")")[2].split(None, 15)
                self._children_ns = (int(fields[13]) + int(fields[14])) * _TICK_NS
        except OSError:
            pass  # it has ended: what is known stays
        return self._used_ns + self._children_ns

    def freeze(self) -> None:
        """Stop the process group."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let the process group run on."""
        self._signal(signal.SIGCONT)

    def has_ended(self) -> bool:
        """Tell whether the process has ended by itself."""
        if self._exit is not None:
            return True
        if self._reaped is None and hasattr(os, "waitid"):
            options = os.WEXITED | os.WNOHANG | os.WNOWAIT
            return os.waitid(os.P_PID, self.pid, options) is not None
        if self._reaped is None:  # macOS before Python 3.13 cannot look without reaping
            pid, status, usage = os.wait4(self.pid, os.WNOHANG)
            self._reaped = (status, usage) if pid else None
        return self._reaped is not None

    def end(self) -> Exit:
        """Kill the group and the strays, reap, close the pipes."""
        if self._exit is None:
            self._signal(signal.SIGKILL)
            status, usage = self._reaped or os.wait4(self.pid, 0)[1:]
            self._signal(signal.SIGKILL)  # a child that was forked while we killed
            code = os.waitstatus_to_exitcode(status)
            self._process.returncode = code  # or Popen would wait for it again
            self._exit = Exit(
                code=code if code >= 0 else None,
                signal=-code if code < 0 else None,
                cpu_ms=round((usage.ru_utime + usage.ru_stime) * 1000),
                peak_mb=self._peak_mb(usage.ru_maxrss),
            )
            del _running[self.pid]
            close(self.stdin, self.stdout, self.stderr, self._stat)
            self.stdin = self.stdout = self.stderr = self._stat = -1
            _end_orphans(self.pid, self._mark)
        return self._exit

    def _peak_mb(self, reported: int) -> float:
        """Return the most memory that the process held, or 0 if that is hidden.

        Linux counts what we held ourselves when we started it, so only more than that tells anything.
        """
        if not _ON_LINUX:
            return round(reported / (1024 * 1024), 1)
        return round(reported / 1024, 1) if reported > self._inherited_kib + _PEAK_SLACK_KIB else 0.0

    def _signal(self, number: int) -> None:
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            pass  # it has ended; macOS says EPERM for a group of zombies


def _own_peak_kib() -> int:
    with open("/proc/self/status", "rb") as file:
        return int(file.read().partition(b"VmHWM:")[2].split(None, 1)[0])


def _adopt_orphans() -> None:
    global _adopting
    if not _adopting and _ON_LINUX:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    if not _adopting and signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:
        # whoever started us left it so; then the kernel reaps bots before we learn how they ended
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _adopting = True


def _end_orphans(session: int, mark: str) -> None:
    """Kill and reap what a bot left behind; once no bot runs, what any bot left behind."""
    if not _ON_LINUX:
        return
    for _ in range(1000):  # killing a parent hands us its children
        strays = [pid for pid in _adopted() if not _running or _is_left_by(pid, session, mark)]
        if not strays:
            return
        for pid in strays:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in strays:
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _adopted() -> list[int]:
    """Return our children that a bot has forked: those in another session than ours, and no bots themselves."""
    found = []
    for task in os.listdir("/proc/self/task"):
        with suppress(OSError), open(f"/proc/self/task/{task}/children", "rb") as file:
            found += [pid for pid in map(int, file.read().split()) if pid not in _running]
    session = os.getsid(0)
    return [pid for pid in found if _session(pid) not in (None, session)]


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return None


def _is_left_by(pid: int, session: int, mark: str) -> bool:
    """Tell whether one of our children comes from the bot of this session and mark, or is dead anyway."""
    if _session(pid) == session or os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        return True
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return f"{_MARK}={mark}".encode() in file.read().split(b"\0")
    except OSError:
        return False

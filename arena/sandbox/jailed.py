"""Confined bots, started by the launcher (`arena/jail/`): the referee's side."""

from __future__ import annotations

import atexit
import marshal
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import engine
from arena.errors import ArenaError
from arena.limits import ResourceLimits
from arena.sandbox.base import Command, Confined, Exit, StartFailed
from arena.sandbox.pipes import close, open_pipes

_ROOT = str(Path(__file__).resolve().parent.parent.parent)
_CODE = f"import sys; sys.path.insert(0, {_ROOT!r}); from arena.jail.launcher import main; main(int(sys.argv[1]))"
_FIRST_UID, _UIDS = 200_000, 60_000  # users that exist nowhere; one for each running bot
_SCRATCH_MB = 64
_END_MS = 10_000
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")


class Launcher:
    """The one launcher of this process."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-I", "-S", "-c", _CODE, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env={},
                cwd="/",
                stdin=subprocess.DEVNULL,
            )
        self._link = ours

    def start(self, order: dict[str, Any], descriptors: list[int]) -> tuple[Any, ...]:
        """Have something started; return what the launcher says."""
        try:
            socket.send_fds(self._link, [marshal.dumps(order)], descriptors)
            answer = self._link.recv(65536)
        except OSError as error:
            raise ArenaError(f"the sandbox's launcher does not answer: {error.strerror}") from error
        if not answer:
            raise ArenaError("the sandbox's launcher has ended")
        found: tuple[Any, ...] = marshal.loads(answer)
        return found

    def close(self) -> None:
        """End the launcher, and with it all that it started."""
        self._link.close()
        self._process.wait()


_launchers: dict[int, Launcher] = {}  # by our own process number: a fork needs its own


def _launcher() -> Launcher:
    own = os.getpid()
    if own not in _launchers:
        _launchers[own] = Launcher()
        atexit.register(_launchers[own].close)
    return _launchers[own]


class JailedProcess(Confined):
    """A bot in its box."""

    _slots: set[int] = set()  # noqa: RUF012 - shared: the users taken by running bots

    def __init__(self, command: Command, limits: ResourceLimits, *, namespaces: bool) -> None:
        self._exit: Exit | None = None
        self._used_ns = 0
        self._slot = _free_slot(self._slots)
        ours, theirs = open_pipes(others=1)
        self.stdin, self.stdout, self.stderr, self._report = ours
        try:
            answer = _launcher().start(self._order(command, limits, namespaces), theirs)
            if answer[0] == "failed":
                _, stage, text = answer
                if stage == "exec":
                    raise StartFailed(f"{command.argv[0]}: {text}")
                raise ArenaError(f"the sandbox cannot be set up: {text}")
        except BaseException:
            close(*ours)
            self._slots.discard(self._slot)
            raise
        finally:
            close(*theirs)
        _, self.pid, self._init = answer
        self._bot_handle = _handle(self.pid)
        self._init_handle = _handle(self._init)
        self._cpu_clock = (~self.pid << 3) | 2
        self.protections = {
            "backend": "namespaces" if namespaces else "landlock",
            "memory": "rlimit",
            "cpu": "exact",
        }

    def _order(self, command: Command, limits: ResourceLimits, namespaces: bool) -> dict[str, Any]:
        return {
            "argv": list(command.argv),
            "env": dict(command.env),
            "folder": command.cwd,
            "shown": _shown_folders(command),
            "memory_mb": limits.memory_mb,
            "scratch_mb": _SCRATCH_MB,
            "tasks": 64 + 2 * (os.cpu_count() or 1),
            "cpus": sorted(os.sched_getaffinity(0)),
            "processes": False,
            "uid": self._slot if os.geteuid() == 0 else None,
            "namespaces": namespaces,
        }

    def cpu_ns(self) -> int:
        """Return the CPU time of the process and its threads; it cannot have children."""
        try:
            self._used_ns = time.clock_gettime_ns(self._cpu_clock)
        except OSError:
            pass  # it has ended: what is known stays
        return self._used_ns

    def freeze(self) -> None:
        """Stop the process."""
        self._signal(self._bot_handle, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let the process run on."""
        self._signal(self._bot_handle, signal.SIGCONT)

    def close_stdin(self) -> None:
        """Close our end of its input."""
        close(self.stdin)
        self.stdin = -1

    def close_stderr(self) -> None:
        """Close our end of its log."""
        close(self.stderr)
        self.stderr = -1

    def has_ended(self) -> bool:
        """Tell whether the process has ended by itself."""
        if self._exit is not None:
            return True
        poll = select.poll()
        poll.register(self._report, select.POLLIN)
        return bool(poll.poll(0))

    def end(self) -> Exit:
        """Kill the box with all that is in it, and hear how the bot ended."""
        if self._exit is None:
            peak_mb = self._peak_mb()
            if not self.has_ended():
                self.cpu_ns()
                self._signal(self._bot_handle, signal.SIGKILL)
            said = self._hear_report()
            self._signal(self._init_handle, signal.SIGKILL)
            self._exit = _exit_from(said, self._used_ns, peak_mb)
            close(self.stdin, self.stdout, self.stderr, self._report, self._bot_handle, self._init_handle)
            self.stdin = self.stdout = self.stderr = self._report = -1
            self._slots.discard(self._slot)
        return self._exit

    def _hear_report(self) -> tuple[int, int, int] | None:
        """Return exit code, CPU time and peak memory as the init tells them, when all of the box has gone."""
        poll = select.poll()
        poll.register(self._report, select.POLLIN)
        data = b""
        deadline = time.monotonic() + _END_MS / 1000
        while (left := deadline - time.monotonic()) > 0:
            if poll.poll(left * 1000):
                more = os.read(self._report, 4096)
                if not more:
                    break
                data += more
        return marshal.loads(data) if data else None

    def _peak_mb(self) -> float:
        try:
            with open(f"/proc/{self.pid}/status", encoding="ascii", errors="replace") as file:
                for line in file:
                    if line.startswith("VmHWM:"):
                        return int(line.split()[1]) / 1024
        except (OSError, ValueError):
            pass
        return 0.0

    @staticmethod
    def _signal(handle: int, number: int) -> None:
        if handle >= 0:
            try:
                signal.pidfd_send_signal(handle, number)
            except ProcessLookupError:
                pass  # it has ended


def _exit_from(said: tuple[int, int, int] | None, used_ns: int, peak_mb: float) -> Exit:
    code, cpu_ms, peak_kb = said or (-signal.SIGKILL, used_ns // 1_000_000, 0)
    return Exit(
        code=code if code >= 0 else None,
        signal=-code if code < 0 else None,
        cpu_ms=cpu_ms,
        peak_mb=round(max(peak_mb, peak_kb / 1024), 1),
    )


def _handle(pid: int) -> int:
    """Return a handle of a process, which never comes to mean another one; -1 if it has ended."""
    try:
        return os.pidfd_open(pid) if pid else -1
    except ProcessLookupError:
        return -1


def _free_slot(taken: set[int]) -> int:
    slot = _FIRST_UID + os.getpid() * 97 % _UIDS
    while slot in taken:
        slot += 1
    taken.add(slot)
    return slot


def _shown_folders(command: Command) -> list[str]:
    """Return the folders outside the system's that a command needs: its interpreter, and the engine for Python."""
    program = shutil.which(command.argv[0], path=command.env.get("PATH"))
    if program is None or program.startswith(_SYSTEM):
        return []
    if os.path.realpath(program) == os.path.realpath(sys.executable):
        found = [sys.prefix, sys.base_prefix, os.path.dirname(engine.__file__)]
    else:
        found = [_installation(path) for path in (program, os.path.realpath(program))]
    return [path for path in dict.fromkeys(map(os.path.abspath, found)) if not path.startswith(_SYSTEM)]


def _installation(program: str) -> str:
    """Return the folder in which a program is installed, or the program alone if it just lies somewhere."""
    prefix = os.path.dirname(os.path.dirname(program))
    is_installed = os.path.basename(os.path.dirname(program)) == "bin" and os.path.isdir(f"{prefix}/lib")
    return prefix if is_installed and prefix not in ("/", os.path.expanduser("~")) else program

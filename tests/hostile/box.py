"""Starting a hostile program, in a box or as an ordinary process, and hearing what it has to say."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import NoReturn, TypeAlias

import pytest

from arena.limits import ResourceLimits
from arena.sandbox.base import Command, Confined, Exit
from arena.sandbox.choose import BACKENDS, why_not

PROGRAMS = Path(__file__).parent / "programs"
PATIENCE_S = 60.0  # for what must come: only a failure takes that long
HELD_S = 1.5  # for what must not come: every test takes that long
BOXES = ("namespaces", "bwrap", "landlock")
IS_ROOT = os.geteuid() == 0
MEMORY_MB = 64  # what the programs that take memory are given
ENVIRONMENT = {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", "HOME": "/nonexistent"}


def miss(reason: str) -> NoReturn:
    """Skip a test for what it needs and is not there; where everything must be tested, fail it."""
    if os.environ.get("ARENA_REQUIRE_ALL") == "1":
        pytest.fail(f"{reason}, and ARENA_REQUIRE_ALL=1")
    pytest.skip(reason)


def require_program(name: str) -> str:
    """Return the path of a program."""
    found = shutil.which(name)
    return found if found else miss(f"{name} is not installed")


def require_root(what: str) -> None:
    """Skip a test that only root can set up: who runs everything runs it as root as well."""
    if not IS_ROOT:
        pytest.skip(f"only root can {what}")


def require_box(backend: str) -> None:
    """Skip a test if a sandbox does not work here."""
    reason = why_not(backend)
    if reason is not None:
        miss(f"the sandbox {backend} does not work here: {reason}")


def python_in(backend: str) -> str:
    """Return a Python that a box can reach: as root, without namespaces, ours may lie in a home closed to others."""
    if backend == "landlock" and IS_ROOT:
        return require_program("/usr/bin/python3")
    return sys.executable


class Plain:
    """An ordinary process, with our environment and a descriptor of ours, that looks like one in a box."""

    def __init__(self, argv: list[str], folder: Path, *, user: int | None = None, descriptor: int = -1) -> None:
        self._process = subprocess.Popen(
            argv,
            cwd=folder,
            env=os.environ | {"PLAIN": "1"},
            user=user,
            pass_fds=[descriptor] if descriptor >= 0 else [],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdin
        assert self._process.stdout
        self.pid = self._process.pid
        self.stdin, self.stdout = self._process.stdin.fileno(), self._process.stdout.fileno()

    def freeze(self) -> None:
        """Stop it."""
        self._process.send_signal(signal.SIGSTOP)

    def has_gone_on(self) -> bool:
        """Tell whether it was stopped, however shortly, and goes on; only once for each time."""
        return os.waitid(os.P_PID, self.pid, os.WCONTINUED | os.WNOHANG) is not None

    def end(self) -> Exit:
        """Kill it, and reap it."""
        self._process.kill()
        with self._process:
            return Exit(code=self._process.wait(), signal=None, cpu_ms=0, peak_mb=0)


Running: TypeAlias = Confined | Plain


def start(backend: str, argv: list[str], folder: Path, *, memory_mb: int = 512, processes: bool = False) -> Confined:
    """Start a program in a box."""
    command = Command(tuple(argv), str(folder), ENVIRONMENT, processes)
    return BACKENDS[backend](command, ResourceLimits(memory_mb=memory_mb))


def next_line(process: Running, patience_s: float = PATIENCE_S) -> str:
    """Return the next line of a process; nothing if it ends, or if none comes."""
    poll = select.poll()
    poll.register(process.stdout, select.POLLIN)
    data = b""
    deadline = monotonic() + patience_s
    while not data.endswith(b"\n") and (left := deadline - monotonic()) > 0:
        if poll.poll(left * 1000):
            byte = os.read(process.stdout, 1)
            if not byte:
                break
            data += byte
    return data.decode(errors="replace").strip()


def verdict_of(process: Running) -> str:
    """Return what an attack says of itself, or how it ended instead; ends it."""
    try:
        said = next_line(process)
    finally:
        end = process.end()
    return said or f"held: it ended with {end}"


def waking_verdict(process: Running) -> str:
    """Stop a process that wants to wake itself, and return whether it did; ends it."""
    try:
        said = next_line(process)
        if said != "armed":
            return said
        is_awake = _wakes(process) if isinstance(process, Plain) else _does_not_stay_stopped(process)
        return "through" if is_awake else "held: it stayed stopped"
    finally:
        process.end()


def _wakes(process: Plain) -> bool:
    """Stop an ordinary process until it has woken itself: a signal to go on takes back one to stop, on its way."""
    deadline = monotonic() + PATIENCE_S
    while monotonic() < deadline:
        process.freeze()
        if wait_for(lambda: state_of(process.pid) == "T", 0.1):  # or it is awake again
            os.write(process.stdin, b"\n")
        if wait_for(process.has_gone_on, 0.5):
            return next_line(process) == "woke"
    return False


def _does_not_stay_stopped(process: Confined) -> bool:
    """Stop a process in a box for good; what it said before it was stopped tells nothing."""
    sleep(0.1)  # helpers that leave its group are to be under way
    process.freeze()
    if not wait_for(lambda: state_of(process.pid) == "T"):
        return True
    with suppress(BlockingIOError):
        os.read(process.stdout, 65536)
    os.write(process.stdin, b"\n")
    return next_line(process, HELD_S) == "woke"


def wait_for(is_so: Callable[[], bool], patience_s: float = PATIENCE_S) -> bool:
    """Wait until something is so; return whether it has come to be."""
    deadline = monotonic() + patience_s
    while monotonic() < deadline:
        if is_so():
            return True
        sleep(0.005)
    return is_so()


def state_of(pid: int) -> str:
    """Return the state of a process as the kernel tells it: R, S, T, Z …; nothing if there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def processes_of(mark: str) -> list[int]:
    """Return the processes in whose command a word stands, but zombies and bubblewrap, which has it from its bot."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            with suppress(OSError):
                words = Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
                if mark.encode() in words and words[0] != b"bwrap":
                    found.append(int(name))
    return found


def kill_all(mark: str) -> None:
    """Kill the processes in whose command a word stands: those that our own plain processes have left."""
    for pid in processes_of(mark):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    assert wait_for(lambda: not processes_of(mark))


def pid_of_launcher() -> int:
    """Return the number of this process's launcher, or 0 if it has none."""
    for task in os.listdir("/proc/self/task"):
        for child in Path(f"/proc/self/task/{task}/children").read_text().split():
            with suppress(OSError):
                if b"arena.jail.launcher" in Path(f"/proc/{child}/cmdline").read_bytes():
                    return int(child)
    return 0

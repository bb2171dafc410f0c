"""What the sandbox really stops here: every class of attack tried from inside, against canaries of our own."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from time import monotonic

import msgspec

from arena.builds import environment
from arena.errors import ArenaError, SandboxError
from arena.limits import ResourceLimits
from arena.sandbox.base import Command, StartFailed
from arena.sandbox.choose import BACKENDS, of_this_system, why_not

_ATTACKS = Path(__file__).parent / "jail" / "attacks.py"
_PATIENCE_S = 30.0
_MEMORY_MB = 128
_FOR_NAMESPACES = (
    "For a stronger sandbox, let users make namespaces (sysctl user.max_user_namespaces; on Ubuntu also "
    "kernel.apparmor_restrict_unprivileged_userns=0), or install bubblewrap."
)
_FOR_GROUPS = (
    "A control group would limit memory exactly: start the arena as root, or by "
    "systemd-run --user --scope -p Delegate=yes arena …"
)


class Protection(msgspec.Struct, frozen=True):
    """A class of attack, what stops it, and whether it was stopped when it was tried."""

    name: str
    attack: str
    by: str  # what enforces it: namespace, landlock, seccomp, rlimit …; none if the attack got through
    said: str  # what the attacker was told

    @property
    def holds(self) -> bool:
        """Whether the attack failed."""
        return self.by != "none"


def _by(namespaces: str, landlock: str, seatbelt: str = "none") -> dict[str, str]:
    """Return what enforces something in each backend; bubblewrap makes namespaces too."""
    return {"namespaces": namespaces, "bwrap": namespaces, "landlock": landlock, "seatbelt": seatbelt}


# attack: what is protected, and by what in each backend
_ROWS: dict[str, tuple[str, dict[str, str]]] = {
    "read_file": ("files outside cannot be read", _by("namespace", "landlock", "seatbelt")),
    "see_file": ("files outside cannot be seen", _by("namespace", "file modes")),
    "write_own_folder": ("the bot's folder cannot be changed", _by("namespace", "landlock", "seatbelt")),
    "write_system": ("system folders cannot be changed", _by("namespace", "landlock", "seatbelt")),
    "see_process": ("other processes cannot be seen", _by("namespace", "landlock")),
    "signal_process": ("other processes cannot be signalled", _by("namespace", "landlock", "seatbelt")),
    "trace_process": ("other processes cannot be traced", _by("seccomp", "seccomp")),
    "slow_process": ("other processes cannot be limited", _by("seccomp", "seccomp")),
    "use_network": ("no network, loopback included", _by("seccomp", "seccomp", "seatbelt")),
    "use_local_socket": ("no local sockets", _by("seccomp", "seccomp", "seatbelt")),
    "fork_child": ("no child processes", _by("seccomp", "seccomp", "seatbelt")),
    "make_namespace": ("no namespaces of its own", _by("seccomp", "seccomp")),
    "leave_core": ("it stays on its core", _by("seccomp", "seccomp")),
    "wake_itself": ("it stays stopped off turn", _by("seccomp", "seccomp")),
    "lock_file": ("no locks that others could feel", _by("seccomp", "seccomp")),
    "share_memory": ("no memory shared with others", _by("seccomp", "seccomp", "seatbelt")),
    "hide_memory": ("no memory that no limit counts", _by("seccomp", "seccomp")),
    "use_kernel_rings": ("no io_uring", _by("seccomp", "seccomp")),
    "take_memory": ("memory is limited", _by("rlimit", "rlimit")),
    "outgrow_limits": ("nor beyond what limits count", _by("watchdog", "watchdog")),
    "take_threads": ("threads are limited", _by("rlimit", "rlimit")),
    "be_root": ("not root, no capabilities", _by("namespace", "seccomp", "file modes")),
    "see_secrets": ("a clean environment", _by("launcher", "launcher", "launcher")),
    "use_descriptors": ("no descriptors but its own", _by("launcher", "launcher", "launcher")),
}


def examine(backend: str) -> list[Protection]:
    """Return what a sandbox stops here; raises `SandboxError` if it does not work at all."""
    reason = why_not(backend)
    if reason is not None:
        raise SandboxError(f"the sandbox {backend} does not work here: {reason}")
    # nothing is tried where nothing would stop it
    said, memory_by = ({}, "") if backend == "none" else _attack(backend)
    return [_judge(attack, backend, said.get(attack, ""), memory_by) for attack in _ROWS]


def _judge(attack: str, backend: str, said: str, memory_by: str) -> Protection:
    name, enforcers = _ROWS[attack]
    by = "none" if not said else enforcers[backend]
    return Protection(name, attack, memory_by if by == "watchdog" and memory_by == "cgroup" else by, said)


def advice(backend: str, rows: Sequence[Protection]) -> list[str]:
    """Return what the user could do to be protected better."""
    by = {row.attack: row.by for row in rows}
    found = []
    if backend == "none":
        found.append("Leave out --sandbox none: it confines nothing.")
    if backend == "landlock":
        found.append(_FOR_NAMESPACES)
    if backend == "seatbelt":
        found.append("The sandbox of macOS is weaker than those of Linux: run bots of strangers in a Linux machine.")
    if by["outgrow_limits"] == "watchdog":
        found.append(_FOR_GROUPS)
    return found


def promises() -> list[tuple[str, dict[str, str]]]:
    """Return what is protected, and by what in each sandbox, where nothing is missing."""
    return list(_ROWS.values())


def names() -> dict[str, str]:
    """Return what is protected, by the attack that tries it."""
    return {attack: name for attack, (name, _) in _ROWS.items()}


def missing() -> dict[str, str]:
    """Return the sandboxes that do not work here, though they could on such a system, each with the reason."""
    reasons = {name: why_not(name) for name in of_this_system()}
    return {name: reason for name, reason in reasons.items() if reason is not None}


@cache
def protections(backend: str) -> dict[str, str]:
    """Return what a sandbox stops here and by what, for the record; found out once in a process's life."""
    try:
        return {"backend": backend, **{row.attack: row.by for row in examine(backend)}}
    except StartFailed as error:  # our own interpreter is out of its reach; a bot in another language may start
        return {"backend": backend, "examined": f"no: {error}"}


def _attack(backend: str) -> tuple[dict[str, str], str]:
    """Return what each attack was told, an empty text being one that got through, and what limits memory."""
    with _canaries() as arguments, tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        source = _ATTACKS.read_text(encoding="utf-8")
        argv = (sys.executable, "-I", "-S", "-c", source, *arguments, str(_MEMORY_MB))
        limits = ResourceLimits(memory_mb=_MEMORY_MB)
        process = BACKENDS[backend](Command(argv, folder, environment()), limits)
        try:
            table, _, more = _hear(process.stdout).partition(b"\n")
        finally:
            end = process.end()
    try:
        found: dict[str, str] = json.loads(table)
    except ValueError as error:
        raise ArenaError("the attacks on the sandbox did not come to an end") from error
    return found | {"outgrow_limits": "" if more else f"ended by {end}"}, process.protections["memory"]


def _hear(descriptor: int) -> bytes:
    """Return all that a process says until it ends."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    data = b""
    deadline = monotonic() + _PATIENCE_S
    while (left := deadline - monotonic()) > 0:
        if poll.poll(left * 1000):
            more = os.read(descriptor, 65536)
            if not more:
                break
            data += more
    return data


@contextmanager
def _canaries() -> Iterator[tuple[str, ...]]:
    """Set up things that an attack could reach: a file, a process, a server and a socket."""
    with (
        tempfile.TemporaryDirectory() as folder,
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as local,
    ):
        Path(folder).chmod(0o755)
        secret = Path(folder) / "secret"
        secret.write_text("canary")
        path = str(Path(folder) / "socket")
        local.bind(path)
        Path(path).chmod(0o777)
        local.listen()
        os.environ["ARENA_CANARY"] = "secret"
        # it reads until we end, however that happens
        sleeper = subprocess.Popen([sys.executable, "-ISc", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
        try:
            yield (str(secret), str(sleeper.pid), str(server.getsockname()[1]), path)
        finally:
            del os.environ["ARENA_CANARY"]
            sleeper.kill()
            sleeper.communicate()

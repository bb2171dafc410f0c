"""The hostile programs, built once, and the canaries that they attack, new for each test."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import msgspec
import pytest

from tests.hostile.box import PROGRAMS, Plain, require_program

_STALLED_AFTER_S = 300
_keys = count(0x41520000 + os.getpid() * 16, 16)
_IPC_CREAT, _IPC_RMID = 0o1000, 0


class Stalled(Exception):
    """A test took so long that something must have blocked."""


@pytest.fixture(autouse=True)
def watchdog() -> Iterator[None]:
    """Fail a test that stalls."""

    def bark(*_: object) -> None:
        raise Stalled(f"not done after {_STALLED_AFTER_S} s")

    previous = signal.signal(signal.SIGALRM, bark)
    signal.alarm(_STALLED_AFTER_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


@contextmanager
def open_folder() -> Iterator[Path]:
    """Give a new folder that everybody may enter: what keeps a bot out of it is not to be the mode of a folder."""
    with tempfile.TemporaryDirectory(prefix="arena-hostile-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="session")
def built() -> Iterator[Path]:
    """A folder with all hostile programs, those in C compiled."""
    compiler = require_program("cc")
    with open_folder() as folder:
        for source in PROGRAMS.glob("*.c"):
            kind = ["-shared", "-fPIC"] if source.name == "loaded.c" else ["-pthread"]
            subprocess.run([compiler, "-O1", *kind, "-o", folder / source.stem, source], check=True)
        for source in [*PROGRAMS.glob("*.py"), *PROGRAMS.glob("*.js")]:
            shutil.copy(source, folder)
            (folder / source.name).chmod(0o644)
        yield folder


class Canaries(msgspec.Struct, frozen=True):
    """What an attack could reach, and the folder of the bot that attacks."""

    folder: Path
    bot: Path
    process: int
    arguments: list[str]
    descriptor: int
    key: int
    left: list[Path]  # what two bots that talk may leave

    def harmed(self) -> list[str]:
        """Return what has been done to the canaries."""
        found = []
        secret = self.folder / "secret"
        if not secret.exists() or secret.read_text() != "canary" or secret.stat().st_mode & 0o777 != 0o666:
            found.append("the secret file was changed")
        elif secret.stat().st_mtime_ns != 0 or os.listxattr(secret) or secret.stat().st_nlink != 2:
            found.append("the secret file was marked")
        if list((self.folder / "world").iterdir()) or (self.bot / "left").exists():
            found.append("something was written")
        if (self.bot / "bait").read_text() != "bait" or os.listxattr(self.bot / "bait"):
            found.append("the bot's own folder was changed")
        if os.getpriority(os.PRIO_PROCESS, self.process) or os.sched_getscheduler(self.process) != os.SCHED_OTHER:
            found.append("the process was slowed")
        if Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()[0] not in "SR":
            found.append("the process was stopped or ended")
        if any(path.exists() for path in self.left):
            found.append("something was left for others")
        return found

    def clear(self) -> None:
        """Remove what a plain process has left for others."""
        for path in self.left:
            path.unlink(missing_ok=True)


@pytest.fixture
def canaries(built: Path) -> Iterator[Canaries]:
    """Canaries of all kinds: files, a process, servers, sockets, shared memory, a descriptor, an environment."""
    with (
        open_folder() as folder,
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
        socket.socket(socket.AF_UNIX) as stream,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as datagram,
        socket.socket(socket.AF_UNIX) as abstract,
        pytest.MonkeyPatch.context() as patch,
    ):
        bot = _bot_folder(folder, built)
        udp.bind(("127.0.0.1", 0))
        for link, path in ((stream, folder / "stream"), (datagram, folder / "datagram")):
            link.bind(str(path))
            path.chmod(0o777)
        abstract.bind(f"\0{folder}")
        for link in (stream, abstract):
            link.listen()
        patch.setenv("ARENA_CANARY", "secret")
        key = next(_keys)
        victim = Plain([str(built / "manners"), "wait"], folder)
        descriptor = os.open(folder / "secret", os.O_RDONLY)
        os.set_inheritable(descriptor, True)
        ports = [str(link.getsockname()[1]) for link in (tcp, udp)]
        arguments = [str(folder), str(victim.pid), *ports, str(folder), str(key)]
        left = [Path(place, f"{folder.name}-left") for place in ("/tmp", "/dev/shm")]
        try:
            with _shared_memory(key):
                yield Canaries(folder, bot, victim.pid, arguments, descriptor, key, left)
        finally:
            os.close(descriptor)
            victim.end()


def _bot_folder(folder: Path, built: Path) -> Path:
    """Make the files that are canaries, and a bot's folder with all that a stranger could put into it."""
    secret = folder / "secret"
    secret.write_text("canary")
    secret.chmod(0o666)
    (folder / "arena-canary").touch()
    (folder / "odd\nname").write_text("canary")
    for name, mode in (("world", 0o777), ("other", 0o755), ("bot", 0o755)):
        (folder / name).mkdir()
        (folder / name).chmod(mode)
    (folder / "other" / "bot.py").write_text("SOURCE = 1\n")
    with suppress(OSError):  # not every file system has them
        os.setxattr(folder / "other" / "bot.py", "user.mark", b"canary")
    (folder / "pointer").symlink_to("/nonexistent/canary")
    bot = folder / "bot"
    (bot / "bait").write_text("bait")
    (bot / "bait").chmod(0o666)
    (bot / "page").write_text("page")
    os.mkfifo(bot / "fifo")
    (bot / "fifo").chmod(0o666)
    (bot / "link").symlink_to(secret)
    (bot / "folder-link").symlink_to(folder)
    (bot / "proc-link").symlink_to(f"/proc/self/root{folder}")
    (bot / "hard-link").hardlink_to(secret)
    os.utime(secret, ns=(0, 0))
    for program in filter(Path.is_file, built.iterdir()):
        shutil.copy(program, bot)
    return bot


@contextmanager
def _shared_memory(key: int) -> Iterator[None]:
    libc = ctypes.CDLL(None, use_errno=True)
    segment = libc.shmget(key, 4096, _IPC_CREAT | 0o666)
    assert segment >= 0, os.strerror(ctypes.get_errno())
    try:
        yield
    finally:
        with suppress(OSError):
            libc.shmctl(segment, _IPC_RMID, None)

"""Copies of bots, kept in a cache under the hash of their content, and built there, once, in the sandbox.

How it works. A build is a stranger's program like a bot. It runs in the same box, in which it may start processes, use
more memory and time, and write to its copy of the bot and to a scratch folder, which is gone afterwards. There is no
network. What it leaves is taken for data: links stay links, and no file gives its user more rights than he has.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.errors import ArenaError, BotSetupError
from arena.limits import ResourceLimits
from arena.sandbox import Command, StartFailed
from arena.sandbox.finish import Finished, run_to_end
from arena.sandbox.places import cache_of_bots, managers
from arena.text import quoted

MOST_FILES, MOST_MB, MOST_DEEP = 20_000, 1024, 64  # of a bot's folder
MOST_BYTES_OF_PATH = 1024  # below it: the system takes 4096, and we put more in front when we copy
BUILD_S = 300
BUILD_MB = 2048
_WRITTEN_MB = 4096
_SHOWN_CHARACTERS = 4000
# compilers would otherwise try for a long time to reach what they cannot
_OFFLINE = {
    "CARGO_NET_OFFLINE": "true",
    "GOTOOLCHAIN": "local",
    "GOFLAGS": "-buildvcs=false",
    "RUSTUP_AUTO_INSTALL": "0",
}
_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device file",
    stat.S_IFBLK: "a device file",
}


def environment() -> dict[str, str]:
    """Return all that a bot sees of our environment."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": "C.UTF-8",
        "HOME": "/nonexistent",
        "PYTHONDONTWRITEBYTECODE": "1",  # a bot cannot write to its folder
    }


def check_folder(folder: Path) -> None:
    """Raise `BotSetupError` if a folder holds anything but files, folders and links, or more than a bot can need."""
    size = 0
    for files, path in enumerate(_below(folder, folder.name), 1):
        size += path.lstat().st_size
        if files > MOST_FILES:
            raise BotSetupError(f"{folder.name}: expected at most {MOST_FILES} files and folders, got more")
        if size > MOST_MB << 20:
            raise BotSetupError(f"{folder.name}: expected at most {MOST_MB} MB in all, got more")


def _below(folder: Path, bot: str, take: Callable[[Path], None] = lambda _: None) -> Iterator[Path]:
    """Give all that is below a folder, each folder after it was taken and before what is in it.

    Raises `BotSetupError` for a kind of file that no bot can have, for folders too deep in each other and for paths too
    long.
    """
    waiting = [folder]
    while waiting:
        place = waiting.pop()
        if len(place.parts) - len(folder.parts) > MOST_DEEP:
            raise BotSetupError(f"{bot}: expected at most {MOST_DEEP} folders in each other, got more")
        for path in sorted(place.iterdir()):
            _check_kind(path, str(path.relative_to(folder)), bot)
            take(path)
            yield path
            if path.is_dir() and not path.is_symlink():
                waiting.append(path)


def _check_kind(path: Path, name: str, bot: str) -> None:
    if len(os.fsencode(name)) > MOST_BYTES_OF_PATH:
        raise BotSetupError(f"{bot}: expected paths of at most {MOST_BYTES_OF_PATH} bytes, got {quoted(name)}")
    kind = _KINDS.get(stat.S_IFMT(path.lstat().st_mode))
    if kind:
        raise BotSetupError(f"{bot}: {quoted(name)} is {kind}; expected files, folders and symbolic links")


def kept(origin: Path, digest: str, build: list[str] | None, name: str, sandbox: str) -> Path:
    """Return a copy of a bot in a folder of its own, built if it needs to be; made once for each content."""
    name_of_file = origin.name if origin.is_file() else None
    key = hashlib.sha256(repr((digest, name_of_file, build)).encode()).hexdigest()[:32]
    target = cache_of_bots() / key
    if target.is_dir():
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _workshop(target.parent, "making-") as making:
            _make(origin, build, name, sandbox, making)
            _put(making / "bot", target)
    except OSError as error:
        raise ArenaError(f"cannot keep {name} in {target.parent}: {error}") from error
    return target


def _make(origin: Path, build: list[str] | None, name: str, sandbox: str, making: Path) -> None:
    """Make a copy of a bot in making/bot, built if it needs to be."""
    if build is None or os.geteuid() != 0:
        _copy(origin, making / "bot")
        if build is not None:
            _build(build, making, name, sandbox)
    else:  # as another user, who may not be let into our cache
        with _workshop(None, "arena-build-") as workshop:
            workshop.chmod(0o711)
            _copy(origin, workshop / "bot")
            _build(build, workshop, name, sandbox)
            make_harmless(workshop / "bot", name)
            _copy(workshop / "bot", making / "bot")
    make_harmless(making / "bot", name)


@contextmanager
def _workshop(place: Path | None, prefix: str) -> Iterator[Path]:
    """Give a new folder that is gone afterwards, whatever a build has left in it."""
    made = tempfile.TemporaryDirectory(dir=place, prefix=prefix)
    try:
        yield Path(made.name)
    finally:
        try:
            made.cleanup()
        except (RecursionError, OSError):  # folders too deep in each other for the standard library
            subprocess.run(["/bin/rm", "-rf", made.name], check=False, stderr=subprocess.DEVNULL)  # noqa: S603


def _copy(origin: Path, target: Path) -> None:
    if origin.is_dir():
        shutil.copytree(origin, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        target.mkdir()
        shutil.copy2(origin, target)


def _put(made: Path, target: Path) -> None:
    try:
        made.rename(target)
    except OSError:
        if not target.is_dir():  # else somebody else has made it meanwhile
            raise


def make_harmless(folder: Path, bot: str | None = None) -> None:
    """Make a bot's files ours, readable to everybody, since it may not run as their owner, and nothing more.

    A setuid file is an ordinary one then. Raises `BotSetupError` for what no bot can have.
    """
    _take(folder)
    for _ in _below(folder, bot or folder.name, _take):  # from above: what is in a folder is seen once that is open
        pass


def _take(path: Path) -> None:
    if os.geteuid() == 0:
        os.chown(path, 0, 0, follow_symlinks=False)
    if not path.is_symlink():
        was = path.stat().st_mode
        path.chmod(0o755 if path.is_dir() else 0o644)
        if path.is_file() and (was & 0o100 or _is_program(path)):
            path.chmod(0o755)


def _is_program(file: Path) -> bool:
    """Tell whether a file is for the kernel to execute: where a build has no right to say so, its content does."""
    with file.open("rb") as opened:
        return opened.read(4) == b"\x7fELF"


def _build(words: list[str], workshop: Path, name: str, sandbox: str) -> None:
    """Build the bot in workshop/bot."""
    if not words:
        raise BotSetupError(f"{name}: build is empty, expected a command")
    if "/" not in words[0] and shutil.which(words[0]) is None:
        raise BotSetupError(f"{name}: building needs {words[0]}, which is not installed")
    scratch = workshop / "scratch"
    scratch.mkdir()
    try:
        done = _run(words, workshop / "bot", scratch, sandbox)
    except StartFailed as error:
        raise BotSetupError(f"{name}: cannot run {error}") from None
    if done.stopped:
        raise BotSetupError(f"{name}: the build {done.stopped}")
    if done.exit.code != 0:
        said = done.output.strip()[-_SHOWN_CHARACTERS:]
        why = f", {done.exit}" if done.exit.signal else ""
        raise BotSetupError(f"{name}: the build failed ({shlex.join(words)}{why}):\n{said}")


def _run(words: list[str], folder: Path, scratch: Path, sandbox: str) -> Finished:
    env = dict(os.environ) if sandbox == "none" else environment() | managers() | _OFFLINE
    command = Command(tuple(words), str(folder), env, processes=True, scratch=str(scratch))
    limits = ResourceLimits(memory_mb=BUILD_MB, sandbox=sandbox)
    return run_to_end(command, limits, patience_s=BUILD_S, most_mb=_WRITTEN_MB)

"""How much a build has written, though it may hide it.

How it works. Folders are walked by handle, so that neither the length of a path nor a link put in the place of a folder
matters, and are opened if the build has closed them. A file that was removed and is still open is found among what the
build's processes hold. What no process seems to hold (a file in a socket's queue, or mapped; a process that cannot be
looked into) shows only as space that is gone from the disk. Anybody may write to that, so it is taken for the build's
doing only while one of its processes is such as could hide a file: an honest build is not to pay for a download.
"""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress

from arena.jail.proc import children
from arena.sandbox.base import Command

MOST_FILES = 200_000
_MOST_DEEP = 128  # folders in each other: one handle each
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_IN_MEMORY = ("/memfd:", "/dev/zero", "/SYSV")
_ON_LINUX = sys.platform == "linux"


class TooDeepError(Exception):
    """Folders in each other without end."""


class Written:
    """What a command has written to its folders since it was started, as a process of that number."""

    def __init__(self, command: Command, pid: int) -> None:
        self._folders = [folder for folder in (command.cwd, command.scratch) if folder]
        self._pid = pid
        # children whose parent has ended come to whoever started it, unless that is us
        head = _parent(pid) if command.processes else 0
        self._head = head if head != os.getpid() else 0
        self._free = self._free_bytes()

    def is_too_much(self, most_mb: int) -> bool:
        """Tell whether it is more than so many megabytes, or too many files; raises `TooDeepError`."""
        total = _Total(most_mb << 20)
        for folder in self._folders:
            total.add_folder(folder, None, 0)
        if _ON_LINUX:
            for pid in self._processes():
                total.add_held(pid)
        has_lost = any(was - now > total.most for was, now in zip(self._free, self._free_bytes(), strict=True))
        return total.is_too_much() or (total.may_be_more and has_lost)

    def _free_bytes(self) -> list[int]:
        found = [os.statvfs(folder) for folder in self._folders]
        return [each.f_bfree * each.f_frsize for each in found]

    def _processes(self) -> list[int]:
        found, todo = [self._pid], [self._head or self._pid]
        while todo:
            below = children(todo.pop())
            found += below
            todo += below
        return list(dict.fromkeys(found))


class _Total:
    """A sum of files; it stops growing where it is too much."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.may_be_more = False  # something could not be looked into
        self._files = self._size = 0
        self._held: set[tuple[int, int]] = set()

    def is_too_much(self) -> bool:
        return self._files > MOST_FILES or self._size > self.most

    def add_folder(self, name: str, place: int | None, depth: int) -> None:
        """Add what is in a folder, which is named as seen from the one with a handle, and below it."""
        if depth > _MOST_DEEP:
            raise TooDeepError
        try:
            handle = _open_folder(name, place)
        except FileNotFoundError:
            return  # it has gone meanwhile
        except OSError:
            self.may_be_more = True
            return
        try:
            for folder in self._add_entries(handle):
                self.add_folder(folder, handle, depth + 1)
        finally:
            os.close(handle)

    def _add_entries(self, handle: int) -> list[str]:
        """Add what is directly in a folder; return the folders among it."""
        folders = []
        with os.scandir(handle) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):
                    info = entry.stat(follow_symlinks=False)
                    self._files += 1
                    self._size += info.st_blocks * 512
                    if stat.S_ISDIR(info.st_mode):
                        folders.append(entry.name)
                if self.is_too_much():
                    return []
        return folders

    def add_held(self, pid: int) -> None:
        """Add the files that a process holds open and that have no name any more."""
        try:
            for task in os.listdir(f"/proc/{pid}/task"):  # each may have descriptors of its own
                place = f"/proc/{pid}/task/{task}/fd"
                for name in os.listdir(place):
                    with suppress(FileNotFoundError):
                        self._add_descriptor(f"{place}/{name}")
            with open(f"/proc/{pid}/maps", "rb") as file:
                self.may_be_more |= b"(deleted)" in file.read()
        except (FileNotFoundError, ProcessLookupError):
            pass  # it has ended meanwhile
        except OSError:
            self.may_be_more = True

    def _add_descriptor(self, path: str) -> None:
        info = os.stat(path)
        self.may_be_more |= stat.S_ISSOCK(info.st_mode)
        key = (info.st_dev, info.st_ino)
        is_removed = stat.S_ISREG(info.st_mode) and info.st_nlink == 0
        if is_removed and key not in self._held and not os.readlink(path).startswith(_IN_MEMORY):
            self._held.add(key)
            self._size += info.st_blocks * 512


def _open_folder(name: str, place: int | None) -> int:
    """Return a handle of a folder; one that is closed to its owner, who we may be, is opened to him."""
    try:
        return os.open(name, _FOLDER, dir_fd=place)
    except PermissionError:
        if not _ON_LINUX:
            raise
    # by handle: meanwhile the build may put a link to something of ours in its place
    handle = os.open(name, os.O_PATH | _FOLDER, dir_fd=place)
    try:
        os.chmod(f"/proc/self/fd/{handle}", stat.S_IMODE(os.fstat(handle).st_mode) | stat.S_IRWXU)
        return os.open(f"/proc/self/fd/{handle}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    finally:
        os.close(handle)


def _parent(pid: int) -> int:
    """Return the parent of a process; 0 if that is not to be known."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split(None, 2)[1])
    except OSError:
        return 0

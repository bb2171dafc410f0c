"""The site's folder: files are written whole, unchanged ones left alone, and those of before removed.

How it works: `site.json` lists every file that we wrote, with a key that says what it was made from. A file whose key
is known need not be made again; a file that is on the old list and not on the new one is ours to remove. Nothing else
is touched.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec

from arena.errors import ArenaError, UsageError

MANIFEST = "site.json"


class Made(msgspec.Struct, frozen=True, array_like=True):
    """A file of ours: what it was made from, and how long it is."""

    key: str
    size: int


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What is in the folder."""

    arena_site: int = 1
    files: dict[str, Made]


class SiteFolder:
    """A folder that is being brought up to date."""

    def __init__(self, folder: Path, maker: str) -> None:
        """Open the folder, made if it is not there; `maker` stands for the code, and changes with it.

        Raises `UsageError` for a folder with things in it that are not ours: it could be anything.
        """
        self._folder = folder
        self._maker = maker
        self._before = _read_manifest(folder)
        self._now: dict[str, Made] = {}
        self.written = 0
        self._make_folder("")
        if not (folder / MANIFEST).exists():  # so that a site cut short is known as ours
            self._write(MANIFEST, folder / MANIFEST, msgspec.json.encode(Manifest(files={})))

    def put(self, name: str, data: bytes | str, key: str | None = None) -> None:
        """Write a file, unless it is there with this content; names are relative, with slashes."""
        data = data.encode("utf-8", "replace") if isinstance(data, str) else data
        path = self._folder / name
        if not _holds(path, data):
            self._write(name, path, data)
        self._note(name, Made(self._full_key(key) if key else "", len(data)))

    def put_once(self, name: str, key: str, make: Callable[[], bytes | str]) -> None:
        """Write a file that depends on nothing but `key` and our code: it is made only if that is new."""
        if not self.has(name, key):
            self.put(name, make(), key)

    def has(self, name: str, key: str) -> bool:
        """Tell whether a file made from this is there, and keep it if so."""
        made = self._before.get(name)
        if made is None or made.key != self._full_key(key):
            return False
        try:
            if (self._folder / name).stat().st_size != made.size:
                return False
        except OSError:
            return False
        self._note(name, made)
        return True

    def finish(self) -> None:
        """Remove what is ours and no longer belongs to the site, and write the list."""
        for name in sorted(self._before.keys() - self._now.keys()):
            (self._folder / name).unlink(missing_ok=True)
        for folder in sorted({str(Path(name).parent) for name in self._before} - {"."}, reverse=True):
            try:
                (self._folder / folder).rmdir()
            except OSError:
                continue  # it is in use, or gone
        data = msgspec.json.encode(Manifest(files=dict(sorted(self._now.items()))))
        if not _holds(self._folder / MANIFEST, data):
            self._write(MANIFEST, self._folder / MANIFEST, data)

    @property
    def files(self) -> int:
        """How many files belong to the site."""
        return len(self._now)

    def _full_key(self, key: str) -> str:
        return hashlib.sha256(f"{self._maker}/{key}".encode()).hexdigest()[:20]

    def _note(self, name: str, made: Made) -> None:
        self._now[name] = made

    def _make_folder(self, name: str) -> None:
        try:
            (self._folder / name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ArenaError(f"cannot write the site to {self._folder}: {error.strerror}") from error

    def _write(self, name: str, path: Path, data: bytes) -> None:
        # no fsync: a site that a power failure cuts short is simply written again
        try:
            if not path.parent.is_dir():
                self._make_folder(str(Path(name).parent))
            handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=".site-")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                    os.fchmod(file.fileno(), 0o644)
                Path(scratch).replace(path)
            except BaseException:
                Path(scratch).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise ArenaError(f"cannot write {path}: {error.strerror}") from error
        self.written += 1


def _read_manifest(folder: Path) -> dict[str, Made]:
    try:
        data = (folder / MANIFEST).read_bytes()
    except FileNotFoundError:
        if folder.exists() and any(folder.iterdir()):
            raise UsageError(
                f"{folder} holds other things than a site: expected a new or empty folder, or one with {MANIFEST}"
            ) from None
        return {}
    except OSError as error:
        raise UsageError(f"cannot use {folder} for the site: {error.strerror}") from error
    try:
        files = msgspec.json.decode(data, type=Manifest).files
    except msgspec.MsgspecError as error:
        raise UsageError(f"{folder / MANIFEST} is not the list of a site: {error}") from error
    return {name: made for name, made in files.items() if _is_inside(name)}


def _is_inside(name: str) -> bool:
    return not name.startswith("/") and ".." not in name.split("/")


def _holds(path: Path, data: bytes) -> bool:
    try:
        return path.stat().st_size == len(data) and path.read_bytes() == data
    except OSError:
        return False

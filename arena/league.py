"""A league's folder: its settings, its store, its bots; held by one writer at a time."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from arena.bots import Bot, bundled_names, claimed_variants, digest_of, find_bot, load_bot
from arena.builds import make_harmless
from arena.config import LeagueConfig, create_config, read_config
from arena.errors import ArenaError, BotSetupError, UsageError
from arena.resources import bundled_bots
from arena.store import FILE_NAME, Entry, Store, check_league
from arena.text import NAME_CHARACTERS

DEFAULT_FOLDER = Path("league")
_LOCK = "league.lock"
_SKILL_ORDER = ("random", "greedy", "corners", "mobility", "lookahead", "mcts")


class League:
    """An open league."""

    def __init__(self, folder: Path, config: LeagueConfig, store: Store, forget: Callable[[], None]) -> None:
        self.folder = folder
        self.config = config
        self.store = store
        self.forget = forget  # lets go of the lock, in a fork
        self.sandbox = "auto"  # in which bots are built

    # ---- bots

    def enter(self, source: str, name: str | None = None, *, is_filler: bool = False, is_trial: bool = False) -> Entry:
        """Take a bot into the league, copied by its content, built, and entered; raises `BotSetupError`."""
        origin = find_bot(source)
        check_apart(origin, self.folder)
        bot = load_bot(source, self.sandbox)
        _check_runtime(bot)
        name = checked_name(bot.name if name is None else name)
        for entry in self.store.bots():
            if entry.digest == bot.digest and entry.name != name and entry.status != "trial":
                raise BotSetupError(f"{source} is the same program as {entry.label}, which is in the league already")
        path = f"bots/{bot.digest[:16]}/{origin.resolve().name}"
        _copy(origin, self.folder / path, bot.digest)
        about = (name, bot.version, bot.author, bot.language, bot.digest, path)
        return self.store.add_bot(*about, is_filler=is_filler, is_trial=is_trial)

    def find(self, label: str) -> Entry:
        """Return the bot of a name (its newest version) or NAME@VERSION; raises `UsageError`."""
        found = [entry for entry in self.store.bots() if label in (entry.name, entry.label)]
        found.sort(key=lambda entry: entry.status == "entered")  # the last one is meant: the one that plays
        if not found:
            names = ", ".join(dict.fromkeys(entry.name for entry in self.store.bots())) or "none"
            raise UsageError(f"no bot {label} in {self.folder}: expected one of {names}")
        return found[-1]

    def resolve(self, word: str, *, is_trial: bool = False) -> Entry:
        """Return the bot that a user names: a path, which is entered, a bot of the league, or a bundled one.

        For a trial nobody is entered: who plays in the league stays as it is.
        """
        if Path(word).exists():
            return self.enter(word, is_trial=is_trial)
        if any(word in (entry.name, entry.label) for entry in self.store.bots()):
            entry = self.find(word)
            return entry if is_trial or entry.status in ("entered", "superseded") else self.store.enter_again(entry)
        if word in bundled_names():
            return self.enter(str(bundled_bots() / word), is_trial=is_trial)
        raise UsageError(
            f"no bot {word}: expected a file, a folder with bot.toml, a bot of the league, or one of"
            f" {', '.join(bundled_names())}"
        )

    def entrants(self) -> list[Entry]:
        """Return the bots that play: the newest version of each that was not withdrawn."""
        return [entry for entry in self.store.bots() if entry.status == "entered"]

    def enter_bundled(self) -> tuple[list[Entry], list[str]]:
        """Enter the bundled bots; return them, and why others had to stay out."""
        entries, reasons = [], []
        for name in by_strength(bundled_names()):
            try:
                entries.append(self.enter(str(bundled_bots() / name)))
            except BotSetupError as error:
                reasons.append(str(error).partition("\n")[0])
        return entries, reasons

    def fill(self, count: int, taken: list[Entry], *, is_trial: bool = False) -> list[Entry]:
        """Return so many bundled bots to fill up a table: the weakest ones that are not there yet."""
        fillers: list[Entry] = []
        for name in by_strength(bundled_names()):
            if len(fillers) == count:
                break
            try:
                entry = self.enter(str(bundled_bots() / name), is_filler=True, is_trial=is_trial)
            except BotSetupError:
                continue
            if all(entry.id != other.id for other in taken):
                fillers.append(entry)
        if len(fillers) < count:
            raise UsageError(f"too few bots: {len(taken)} were named, and no more than {len(fillers)} can be added")
        return fillers

    def plays(self, entry: Entry, variant: str) -> bool:
        """Return whether a bot claims to play a variant, as far as its program is here to tell."""
        path = self.folder / entry.path
        return not entry.path or not path.exists() or variant in claimed_variants(path)

    def load(self, entry: Entry) -> Bot:
        """Return the program of a bot of the league, built if need be."""
        path = self.folder / entry.path
        if not entry.path or not path.exists():
            raise BotSetupError(f"the program of {entry.label} is not in {self.folder}: expected it at {path}")
        bot = load_bot(str(path), self.sandbox)
        if bot.digest != entry.digest:
            raise BotSetupError(f"{path} has been changed since {entry.label} was entered: submit the original again")
        return replace(bot, name=entry.name, version=entry.version, source=entry.path, is_named=True)


def by_strength(names: list[str]) -> list[str]:
    """Return bundled bots from the weakest to the strongest."""
    return sorted(names, key=lambda name: (_SKILL_ORDER.index(name) if name in _SKILL_ORDER else 99, name))


def check_apart(origin: Path, league: Path) -> None:
    """Refuse a bot whose folder holds the league: each would become a part of the other."""
    if origin.is_dir() and league.resolve().is_relative_to(origin.resolve()):
        raise UsageError(f"the league {league} lies inside the bot's folder {origin}: expected it elsewhere (--league)")


def _check_runtime(bot: Bot) -> None:
    program = bot.command.argv[0]
    if os.sep not in program and shutil.which(program) is None:
        raise BotSetupError(f"{bot.name} needs {program}, which is not installed")


def checked_name(name: str) -> str:
    """Return a name under which a bot can play, without spaces around it; raises `BotSetupError`."""
    name = name.strip()
    is_good = 0 < len(name) <= NAME_CHARACTERS and name.isprintable() and "@" not in name
    if not is_good or re.search(r"#\d+$", name):  # as equal names at one table are told apart
        raise BotSetupError(
            f"expected a name of 1 to {NAME_CHARACTERS} printable characters without @ and without a number after #"
            f" at the end, got {name!r}"
        )
    return name


def _copy(origin: Path, target: Path, digest: str) -> None:
    """Copy a bot's file or folder, whole or not at all; a copy that was changed is made anew."""
    if target.exists():
        if digest_of(target) == digest:
            return
        shutil.rmtree(target) if target.is_dir() else target.unlink()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _copy_whole(origin, target)
    except (OSError, shutil.Error) as error:
        raise ArenaError(f"cannot copy {origin} into the league: {str(error)[:200]}") from error


def _copy_whole(origin: Path, target: Path) -> None:
    with tempfile.TemporaryDirectory(dir=target.parent, prefix="copying-") as scratch:
        work = Path(scratch) / target.name
        if origin.is_dir():
            shutil.copytree(origin, work, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
            make_harmless(work)
        else:
            shutil.copyfile(origin, work)
            work.chmod(0o755 if os.access(origin, os.X_OK) else 0o644)
        work.rename(target)


# ---- opening


@contextmanager
def open_league(folder: Path, *, makes: bool = True) -> Iterator[League]:
    """Open a league to write, made if it is not there; raises `UsageError` if somebody else holds it."""
    if not makes:
        check_league(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise UsageError(f"cannot use {folder} as a league: {error.strerror}") from error
    try:
        _hold(lock, folder)
        create_config(folder)
        config = read_config(folder)
        with Store(folder, writes=True) as store:
            yield League(folder, config, store, lambda: os.close(lock))
    finally:
        os.close(lock)


def _hold(lock: int, folder: Path) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(lock, 1000, 0).decode(errors="replace").strip() or "somebody"
        raise UsageError(f"{folder} is in use by {holder}") from None
    command = " ".join(["arena", *sys.argv[1:]])[:200]
    since = datetime.now(UTC).isoformat(sep=" ", timespec="seconds")
    os.ftruncate(lock, 0)
    os.pwrite(lock, f"process {os.getpid()} on {socket.gethostname()} since {since}: {command}\n".encode(), 0)


@contextmanager
def read_league(folder: Path) -> Iterator[League]:
    """Open a league to read; a tournament may be writing to it."""
    with Store(folder) as store:
        yield League(folder, read_config(folder), store, lambda: None)


@contextmanager
def rehearse(folder: Path) -> Iterator[League]:
    """Open a copy of a league, or a new one, of which nothing remains."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / folder.resolve().name
        copy.mkdir()
        if (folder / FILE_NAME).exists():
            read_config(folder)  # what is wrong with it is told of the original
            with Store(folder) as store:
                store.copy_to(copy / FILE_NAME)
            if (folder / "league.toml").exists():
                shutil.copy2(folder / "league.toml", copy)
            if (folder / "bots").is_dir():
                shutil.copytree(folder / "bots", copy / "bots", symlinks=True)
        with open_league(copy) as league:
            yield league

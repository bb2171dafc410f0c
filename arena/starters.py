"""New bots: a folder with a small program that plays at once, in the language of one's choice."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import msgspec

from arena.errors import UsageError
from arena.resources import bundled_bots
from arena.text import NAME_CHARACTERS

_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{NAME_CHARACTERS - 1}}}")


class Starter(msgspec.Struct, frozen=True):
    """A language in which one can begin."""

    name: str
    folder: str  # in bots/starters; also what the user says
    aliases: tuple[str, ...]
    needs: tuple[str, ...]  # the programs that build and run it
    packages: str  # Debian's, which install them
    sdk: str | None = None  # the file in bots/sdk


STARTERS: tuple[Starter, ...] = (
    Starter("Python", "python", ("py", "python3"), (), "", "blokus.py"),  # runs on the arena's own
    Starter("JavaScript", "javascript", ("js", "node"), ("node",), "nodejs", "blokus.js"),
    Starter("TypeScript", "typescript", ("ts",), ("node", "tsc"), "nodejs node-typescript"),
    Starter("C", "c", (), ("cc",), "gcc libc6-dev"),
    Starter("C++", "cpp", ("c++", "cxx"), ("c++",), "g++", "blokus.hpp"),
    Starter("Rust", "rust", ("rs",), ("rustc", "cc"), "rustc gcc", "blokus.rs"),
    Starter("Java", "java", (), ("java", "javac"), "default-jdk-headless", "Blokus.java"),
    Starter("Go", "go", ("golang",), ("go",), "golang-go", "blokus.go"),
    Starter("Perl", "perl", ("pl",), ("perl",), "perl"),
    Starter("Ruby", "ruby", ("rb",), ("ruby",), "ruby"),
    Starter("shell", "shell", ("sh", "bash"), ("sh",), "dash"),
)


def find_starter(language: str) -> Starter:
    """Return the starter of a language, by its name or an alias; raises `UsageError`."""
    wanted = language.lower()
    for starter in STARTERS:
        if wanted in (starter.folder, *starter.aliases):
            return starter
    known = ", ".join(starter.folder for starter in STARTERS)
    raise UsageError(f"no starter in {language!r}: expected one of {known}")


def create(name: str, language: str, folder: Path, *, sdk: bool = False) -> Path:
    """Make a bot called `name` in a new folder of that name below `folder`, and return its path.

    With `sdk` it stands on the SDK of its language, which is put next to it. Raises `UsageError`.
    """
    starter = find_starter(language)
    if not _NAME.fullmatch(name):
        allowed = f"1 to {NAME_CHARACTERS} letters, digits, '.', '_' or '-', beginning with a letter or a digit"
        raise UsageError(f"a bot cannot be called {name!r}: expected {allowed}")
    if sdk and starter.sdk is None:
        known = ", ".join(other.folder for other in STARTERS if other.sdk)
        raise UsageError(f"there is no SDK for {starter.name}: expected one of {known}")
    target = folder / name
    try:
        target.mkdir()
        for source in _sources(starter, sdk=sdk):
            text = source.read_text(encoding="utf-8")
            text = text.replace("{name}", name) if source.name == "bot.toml" else text
            (target / source.name).write_text(text, encoding="utf-8")
    except FileExistsError:
        raise UsageError(f"{target} exists already: expected a name that is free") from None
    except OSError as error:
        raise UsageError(f"cannot make {target}: {error.strerror}") from error
    return target


def missing(starter: Starter) -> str | None:
    """Return what to install before a bot in this language can run here, in one line; None if all is there."""
    absent = [program for program in starter.needs if shutil.which(program) is None]
    if not absent:
        return None
    programs = " and ".join(absent)
    return f"{starter.name} needs {programs}, not installed here; on Debian or Ubuntu: apt install {starter.packages}"


def new_bot(name: str, language: str, folder: Path, *, sdk: bool = False) -> list[str]:
    """Make a bot as `create` does, and return what to tell the user: what is there, and what to do next."""
    target = create(name, language, folder, sdk=sdk)
    starter = find_starter(language)
    files = ", ".join(sorted(path.name for path in target.iterdir()))
    lines = [f"{name}: a bot in {starter.name} ({files}). Next:"]
    if problem := missing(starter):
        lines.append(f"  first: {problem}")
    return [
        *lines,
        f"  arena match ./{name} greedy --variant duo --watch",
        f"  arena check ./{name}",
        f"  arena submit ./{name}",
    ]


def _sources(starter: Starter, *, sdk: bool) -> list[Path]:
    """Return the files of a starter; those of its SDK's starter take the place of others of the same name."""
    folder = bundled_bots() / "starters" / starter.folder
    files = {path.name: path for path in sorted(folder.iterdir()) if path.is_file()}
    if sdk and starter.sdk:
        files |= {path.name: path for path in sorted((folder / "sdk").iterdir()) if path.is_file()}
        files[starter.sdk] = bundled_bots() / "sdk" / starter.sdk
    return list(files.values())

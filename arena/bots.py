"""A bot as the user names it (a script, an executable, a folder with bot.toml, a bundled bot) → a command to run.

A single file, and a bot that needs building, is kept in a cache under the hash of its content, and built there once.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import stat
import sys
import tomllib
from pathlib import Path
from typing import Any

import msgspec

from arena.builds import MOST_MB, check_folder, environment, kept
from arena.errors import BotSetupError
from arena.resources import bundled_bots
from arena.sandbox import Command
from arena.sandbox.programs import python_path
from arena.text import NAME_CHARACTERS, quoted
from engine import VARIANTS

_MANIFEST_BYTES = 64 << 10
# what a decoder calls the kinds of values, and what people do
_KINDS = {"str": "text", "int": "a whole number", "float": "a number", "bool": "true or false"}
_KINDS |= {"array": "a list", "object": "a table", "null": "nothing"}
_BLANK_LETTERS = "\u115f\u1160\u3164\uffa0"  # fillers of Hangul: letters by their kind, but nothing to see


class Language(msgspec.Struct, frozen=True):
    """How a single source file becomes a running program; {file} is its name, {stem} that without the suffix."""

    name: str
    run: tuple[str, ...]
    build: tuple[str, ...] | None = None


LANGUAGES: dict[str, Language] = {
    ".py": Language("Python", (sys.executable, "{file}")),
    ".js": Language("JavaScript", ("node", "{file}")),
    ".mjs": Language("JavaScript", ("node", "{file}")),
    ".pl": Language("Perl", ("perl", "{file}")),
    ".rb": Language("Ruby", ("ruby", "{file}")),
    ".lua": Language("Lua", ("lua", "{file}")),
    ".php": Language("PHP", ("php", "{file}")),
    ".sh": Language("shell", ("sh", "{file}")),
    ".jar": Language("Java", ("java", "-jar", "{file}")),
    ".c": Language("C", ("./{stem}",), ("cc", "-O2", "-o", "{stem}", "{file}", "-lm")),
    ".cpp": Language("C++", ("./{stem}",), ("c++", "-O2", "-std=c++17", "-o", "{stem}", "{file}")),
    ".cc": Language("C++", ("./{stem}",), ("c++", "-O2", "-std=c++17", "-o", "{stem}", "{file}")),
    ".rs": Language("Rust", ("./{stem}",), ("rustc", "-O", "-o", "{stem}", "{file}")),
    ".go": Language("Go", ("./{stem}",), ("go", "build", "-o", "{stem}", "{file}")),
    ".java": Language("Java", ("java", "-XX:+UseSerialGC", "{stem}"), ("javac", "{file}")),
}


class Bot(msgspec.Struct, frozen=True, kw_only=True):
    """A program at a version, ready to be started."""

    name: str
    version: str
    author: str
    language: str
    source: str  # as the user named it
    digest: str  # of its content
    command: Command
    is_named: bool  # by its manifest, which wins over what the bot says of itself
    variants: tuple[str, ...] = tuple(VARIANTS)  # that it claims to play


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of bot.toml."""

    name: str
    run: str | list[str]
    version: str = ""
    author: str = ""
    language: str = ""
    build: str | list[str] | None = None
    processes: bool = False
    variants: list[str] = msgspec.field(default_factory=lambda: list(VARIANTS))
    env: dict[str, str] = msgspec.field(default_factory=dict)


def load_bot(source: str, sandbox: str = "auto") -> Bot:
    """Return the bot of a path or of a bundled bot's name, built if it needs to be in the sandbox of that name.

    Raises `BotSetupError`.
    """
    path = find_bot(source)
    if path.is_dir():
        return _from_folder(path.resolve(), source, sandbox)
    if not path.is_file():
        raise BotSetupError(f"{source} is neither a file nor a folder")
    return _from_file(path.resolve(), source, sandbox)


def find_bot(source: str) -> Path:
    """Return where the bot of a path or of a bundled bot's name is; raises `BotSetupError` if it is nowhere."""
    path = Path(source)
    if path.exists():
        return path
    bundled = bundled_bots() / source
    if os.sep in source or not (bundled / "bot.toml").is_file():
        known = ", ".join(bundled_names())
        raise BotSetupError(f"no bot at {source}: expected a file, a folder with bot.toml, or one of {known}")
    return bundled


def claimed_variants(path: Path) -> tuple[str, ...]:
    """Return the variants that the bot at a path claims to play: all of them, unless its manifest says otherwise."""
    return tuple(_read_manifest(path, str(path)).variants) if path.is_dir() else tuple(VARIANTS)


def bundled_names() -> list[str]:
    """Return the names of the bundled bots."""
    return sorted(folder.parent.name for folder in bundled_bots().glob("*/bot.toml"))


# ---- a folder with a manifest


def _from_folder(folder: Path, source: str, sandbox: str) -> Bot:
    manifest = _read_manifest(folder, source)
    try:
        check_folder(folder)
        digest = digest_of(folder)
    except OSError as error:
        raise BotSetupError(f"{source}: cannot be read: {error}") from error
    build = None if manifest.build is None else _words(manifest.build, f"{source}/bot.toml")
    # under root a bot runs as a user who may not be let into the folder
    home = folder if build is None and os.geteuid() != 0 else kept(folder, digest, build, manifest.name, sandbox)
    argv = _interpreted(_words(manifest.run, f"{source}/bot.toml"))
    return Bot(
        name=manifest.name,
        version=manifest.version,
        author=manifest.author,
        language=manifest.language or _language_of(argv),
        source=source,
        digest=digest,
        command=_command(argv, home, manifest.env, manifest.processes),
        is_named=True,
        variants=tuple(manifest.variants),
    )


def _command(argv: list[str], home: Path, env: dict[str, str] | None = None, processes: bool = False) -> Command:
    command = Command(tuple(argv), str(home), environment() | (env or {}), processes)
    return msgspec.structs.replace(command, env=command.env | python_path(command))


def _read_manifest(folder: Path, source: str) -> Manifest:
    where = f"{source}/bot.toml"
    try:
        text = _small_file(folder / "bot.toml", where).decode("utf-8")
        manifest = msgspec.convert(tomllib.loads(text), Manifest)
    except FileNotFoundError:
        raise BotSetupError(f"{source} is a folder without bot.toml") from None
    except RecursionError:
        raise BotSetupError(f"{where}: expected a few keys, got lists or tables too deep in each other") from None
    except msgspec.ValidationError as error:
        raise BotSetupError(f"{where}: {_in_words(str(error))}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise BotSetupError(f"{where}: {error}") from error
    manifest = msgspec.structs.replace(manifest, name=manifest.name.strip())
    _check_texts(manifest, where)
    _check_words(manifest, where)
    _check_variants(manifest, where)
    return manifest


def _in_words(problem: str) -> str:
    """Return what is wrong with a manifest in the words of its author, not of its decoder."""
    if found := re.fullmatch(r"Object missing required field `(\w+)`", problem):
        return f'expected the key `{found[1]}` ({found[1]} = "…"), got none'
    if found := re.fullmatch(r"Object contains unknown field `(.*)`", problem, re.DOTALL):
        return f"expected keys out of {', '.join(Manifest.__struct_fields__)}, got {quoted(found[1], ascii)}"
    if found := re.fullmatch(r"Expected `(.+)`, got `(\w+)` - at `\$\.(\w+)(.*)`", problem):
        expected = " or ".join(_KINDS.get(kind, kind) for kind in found[1].split(" | "))
        what = f"each entry of {found[3]}" if found[4] else found[3]
        return f"expected {what} to be {expected}, got {_KINDS.get(found[2], found[2])}"
    return problem


def _small_file(path: Path, where: str) -> bytes:
    """Return the content of an ordinary file of a stranger's, which may be no file at all, or without an end."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise BotSetupError(f"{where}: expected an ordinary file, got a link, a folder or a special file")
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as opened:  # it may change meanwhile
        data = opened.read(_MANIFEST_BYTES + 1)
    if len(data) > _MANIFEST_BYTES:
        raise BotSetupError(f"{where}: expected at most {_MANIFEST_BYTES >> 10} kB, got more")
    return data


def _check_texts(manifest: Manifest, where: str) -> None:
    """Raise `BotSetupError` unless what is shown of a bot in lines and tables is fit for them."""
    for key in ("name", "version", "author", "language"):
        text = getattr(manifest, key)
        least = 1 if key == "name" else 0
        if not least <= len(text) <= NAME_CHARACTERS or not text.isprintable():
            expected = f"{least} to {NAME_CHARACTERS} printable characters"
            raise BotSetupError(f"{where}: {key} must be {expected}, got {quoted(text, ascii)}")
        if "@" in text and key in ("name", "version"):
            raise BotSetupError(f"{where}: {key} must be without @, got {quoted(text, ascii)}")
    if not any(letter.isalnum() and letter not in _BLANK_LETTERS for letter in manifest.name):
        raise BotSetupError(f"{where}: name must have a letter or a digit, got {manifest.name!a}")


def _check_words(manifest: Manifest, where: str) -> None:
    """Raise `BotSetupError` unless commands and environment are such as the system can take."""
    words = _words(manifest.run, where)
    if not words or not words[0]:
        raise BotSetupError(f"{where}: run is empty, expected a command")
    build = _words(manifest.build or [], where)
    for key, texts in (("run", words), ("build", build), ("env", [*manifest.env, *manifest.env.values()])):
        if any("\0" in text for text in texts):
            raise BotSetupError(f"{where}: {key} must be without the character NUL")
    for name in manifest.env:
        if not name or "=" in name:
            raise BotSetupError(f"{where}: expected names without = in env, got {quoted(name, ascii)}")


def _check_variants(manifest: Manifest, where: str) -> None:
    """Raise `BotSetupError` unless a bot claims variants that there are, at least one."""
    for name in manifest.variants or [""]:
        if name not in VARIANTS:
            got = quoted(name, ascii) if name else "none"
            raise BotSetupError(f"{where}: expected variants out of {', '.join(VARIANTS)}, got {got}")


def _words(command: str | list[str], where: str) -> list[str]:
    try:
        return shlex.split(command) if isinstance(command, str) else command
    except ValueError as error:
        raise BotSetupError(f"{where}: expected a command, got {command!r}: {error}") from error


def _interpreted(argv: list[str]) -> list[str]:
    """Return a command in which Python is the arena's own, so that `engine` can be imported."""
    return [sys.executable, *argv[1:]] if argv[0] in ("python", "python3") else argv


def _language_of(argv: list[str]) -> str:
    for word in argv:
        if language := LANGUAGES.get(Path(word).suffix):
            return language.name
    name = Path(argv[0]).name[:NAME_CHARACTERS]
    return name if name.isprintable() else ""


# ---- a single file


def _from_file(file: Path, source: str, sandbox: str) -> Bot:
    if file.stat().st_size > MOST_MB << 20:
        raise BotSetupError(f"{source}: expected at most {MOST_MB} MB, got more")
    digest = digest_of(file)
    language = LANGUAGES.get(file.suffix)
    build = _filled(language.build, file) if language and language.build else None
    if language and build:
        argv = _filled(language.run, file)
    elif _has_shebang(file):
        argv = _shebang(file)
    elif language:
        argv = _filled(language.run, file)
    elif os.access(file, os.X_OK):
        argv = [f"./{file.name}"]
    else:
        known = " ".join(sorted(LANGUAGES))
        raise BotSetupError(
            f"{source}: expected a known suffix ({known}), a #! line or an executable, got none of them"
        )
    # a file stands alone: the folder it happens to lie in is none of the bot's business
    home = kept(file, digest, build, file.name, sandbox)
    return Bot(
        name=file.stem[:NAME_CHARACTERS],
        version="",
        author="",
        language=language.name if language else _language_of(argv),
        source=source,
        digest=digest,
        command=_command(argv, home),
        is_named=False,
    )


def _filled(words: tuple[str, ...], file: Path) -> list[str]:
    return [word.replace("{file}", file.name).replace("{stem}", file.stem) for word in words]


def _has_shebang(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(2) == b"#!"


def _shebang(file: Path) -> list[str]:
    """Return the command of a #! line, so that the file need not be executable; Python by `env` is the arena's own."""
    with file.open("rb") as opened:
        line = opened.readline(256)[2:].decode(errors="replace").strip()
    words = line.split(None, 1)
    if not words:
        raise BotSetupError(f"{file.name}: expected a program after #!, got nothing")
    if Path(words[0]).name == "env" and words[1:] in (["python"], ["python3"]):
        words = [sys.executable]
    return [*words, file.name]


def digest_of(path: Path) -> str:
    """Return the hash of a bot's file or folder, as it is in its `digest`; raises `OSError`."""
    return _digest_folder(path) if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()


def _digest_folder(folder: Path) -> str:
    """Return the hash of all files below a folder: names, whether executable, and content."""
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if "__pycache__" in path.parts:
            continue
        entry: dict[str, Any] = {"name": str(path.relative_to(folder))}
        if path.is_symlink():
            entry["link"] = os.readlink(path)
        elif path.is_file():
            entry["runs"] = os.access(path, os.X_OK)
            entry["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
        line = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
        total.update(line.encode(errors="surrogateescape") + b"\n")  # a name may be any bytes
    return total.hexdigest()

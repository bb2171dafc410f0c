"""What a command needs of the host besides the system's folders: wherever its interpreter is installed."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator

import engine
from arena.sandbox.base import Command

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
_LINKS = 40  # as many as the kernel follows


def shown_folders(command: Command) -> list[str]:
    """Return the folders, or files, that a command needs and that are not the system's or its own."""
    found: list[str] = []
    for program in _programs(command):
        if os.path.realpath(program) == os.path.realpath(sys.executable):
            found += [sys.prefix, sys.base_prefix, os.path.dirname(engine.__file__)]
        found += [_installation(each) for each in _links(program)]
    paths = dict.fromkeys(map(os.path.abspath, found))
    return [path for path in paths if not any(_is_below(path, folder) for folder in (*_SYSTEM, command.cwd))]


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

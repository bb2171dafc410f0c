"""Where programs are installed on the host, and where bots are kept: what a stranger may name as his program.

A stranger names his program, and his environment may put code of his own into it (`LD_PRELOAD`): then it reads whatever
is shown. So he is shown nothing but what the user has installed for all to use, and never another bot.
"""

from __future__ import annotations

import os
import pwd
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
# where more is installed for everybody: by hand, by Homebrew, on macOS
_SHARED = ("/opt", "/home/linuxbrew/.linuxbrew", "/Library", "/System", "/Applications")
# where managers of versions keep the languages, to which the programs in the path only lead
_MANAGERS = {"RUSTUP_HOME": "~/.rustup", "PYENV_ROOT": "~/.pyenv", "RBENV_ROOT": "~/.rbenv", "ASDF_DATA_DIR": "~/.asdf"}
# and those whose languages are in the path themselves, so that nobody needs to be told
_MORE_MANAGERS = {
    "NVM_DIR": "~/.nvm",
    "SDKMAN_DIR": "~/.sdkman",
    "VOLTA_HOME": "~/.volta",
    "MISE_DATA_DIR": "~/.local/share/mise",
    "UV_PYTHON_INSTALL_DIR": "~/.local/share/uv/python",
    "_CONDA_ROOT": "~/miniconda3",
    "MAMBA_ROOT_PREFIX": "~/micromamba",
}
PARTS = ("bin", "lib", "lib32", "lib64", "libexec", "include", "share", "pyvenv.cfg")
# what tells that a language is installed in a folder → what it has there besides
_MORE_PARTS = {
    "lib/modules": ("conf", "jmods", "release"),  # Java
    "jre/lib/rt.jar": ("jre", "release"),  # Java, before 9
    "src/runtime/runtime.go": ("src", "pkg", "go.env", "VERSION"),  # Go
    "lib_pypy": ("lib_pypy", "lib-python"),  # PyPy
    "Cellar": ("Cellar", "opt"),  # Homebrew
}
_LEAGUE = ("league.toml", "league.sqlite")


def search_path() -> str:
    """Return where programs are looked for: as we do, since the environment of a bot may lead anywhere."""
    return os.environ.get("PATH", os.defpath)


def searched_folders() -> list[str]:
    """Return the folders of the path that there are."""
    folders = [os.path.normpath(folder) for folder in search_path().split(os.pathsep) if os.path.isabs(folder)]
    return list(dict.fromkeys(filter(os.path.isdir, folders)))


def managers() -> dict[str, str]:
    """Return the environment by which a build finds the languages that the user has by a manager of versions."""
    return _homes_of(_MANAGERS)


def _homes_of(usual: dict[str, str]) -> dict[str, str]:
    homes = {name: os.environ.get(name) or os.path.expanduser(home) for name, home in usual.items()}
    return {name: home for name, home in homes.items() if os.path.isdir(home)}


# ---- what is installed with a program


def installation(program: str) -> list[str]:
    """Return what is installed with a program, or the program alone if it just lies somewhere.

    A home, or the folder in it that many programs share, is no installation: it holds a user's own things as well.
    """
    folder = os.path.dirname(os.path.abspath(program))
    prefix = os.path.dirname(folder)
    is_shared = holds_home(prefix) or os.path.basename(os.path.realpath(prefix)) == ".local"
    if is_shared or os.path.basename(folder) != "bin" or not os.path.isdir(f"{prefix}/lib"):
        return [program]
    return _parts(prefix)


def _parts(prefix: str) -> list[str]:
    """Return what belongs to a language of the folder in which it is installed."""
    marks = [mark for mark in _MORE_PARTS if os.path.exists(f"{prefix}/{mark}")]
    names = [*PARTS, *[name for mark in marks for name in _MORE_PARTS[mark]]]
    return [f"{prefix}/{name}" for name in names if os.path.exists(f"{prefix}/{name}")]


def own_parts() -> list[str]:
    """Return what belongs to our own Python."""
    return [part for prefix in (sys.prefix, sys.base_prefix) for part in _parts_of_python(prefix)]


def _parts_of_python(prefix: str) -> list[str]:
    if not holds_home(prefix):
        return _parts(prefix)
    # it is installed in a home among other things
    libraries = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    return [path for path in (f"{prefix}/pyvenv.cfg", *libraries) if os.path.exists(path)]


# ---- what a stranger may name


def real_place(program: str) -> str:
    """Return where a program, or a link to one, really lies, whatever links its folder is reached by."""
    return os.path.join(os.path.realpath(os.path.dirname(program)), os.path.basename(program))


def is_installed(place: str) -> bool:
    """Tell whether a program really lies where the user has installed it for all to use: a stranger may name it."""
    if os.path.dirname(place) in map(os.path.realpath, searched_folders()):
        return True
    if any(is_below(place, os.path.realpath(root)) for root in _roots()):
        return True
    return any(is_below(place, top) for top in _SHARED) and not _is_of_a_bot(place)


def _roots() -> Iterator[str]:
    """Give the folders of programs: the system's, our own, those of managers, and what goes with the path."""
    yield from SYSTEM
    yield from own_parts()
    yield from [home for home in _homes_of(_MANAGERS | _MORE_MANAGERS).values() if not holds_home(home)]
    for folder in searched_folders():
        yield from installation(f"{folder}/program")


def is_virtual_python(place: str) -> bool:
    """Tell whether a program is the Python of a virtual environment, wherever that is; it may lead anywhere."""
    folder, name = os.path.split(place)
    is_python = name.startswith("python") and os.path.basename(folder) == "bin"
    return is_python and os.path.isfile(f"{os.path.dirname(folder)}/pyvenv.cfg") and not _is_of_a_bot(place)


def _is_of_a_bot(place: str) -> bool:
    return any((folder / "bot.toml").exists() for folder in Path(place).parents)


def cache_of_bots() -> Path:
    """Return the folder in which copies of bots are kept."""
    own = Path.home() / ".cache" if os.geteuid() != 0 else Path("/var/cache")  # root's bots run as others
    return Path(os.environ.get("XDG_CACHE_HOME") or own) / "blokus-arena" / "bots"


def is_kept(path: str) -> bool:
    """Tell whether a path leads to, into, or around the bots that we keep: in the cache, or in a league."""
    real, kept = os.path.realpath(path), os.path.realpath(cache_of_bots())
    if is_below(real, kept) or is_below(kept, real):
        return True
    around = [folder.parent for folder in (Path(real), *Path(real).parents) if folder.name == "bots"]
    return any((league / name).exists() for league in around for name in _LEAGUE)


def holds_home(path: str) -> bool:
    """Tell whether a folder is a home, or has one in it, wherever links lead."""
    real = os.path.realpath(path)
    return os.path.dirname(real) == "/home" or any(is_below(home, real) for home in _homes())


def _homes() -> list[str]:
    try:
        own = [pwd.getpwuid(os.getuid()).pw_dir]
    except KeyError:
        own = []  # as in some containers
    return [os.path.realpath(home) for home in (os.path.expanduser("~"), *own)]


def is_below(path: str, folder: str) -> bool:
    """Tell whether a path is a folder, or below it, by their names."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")

"""Whatever a stranger's command says, it is shown nothing of the user's but programs: each tries to reach a canary."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

import engine
from arena.bots import load_bot
from arena.builds import environment
from arena.limits import ResourceLimits
from arena.sandbox import jailed, programs
from arena.sandbox.base import Command, StartFailed
from arena.sandbox.choose import BACKENDS
from tests.hostile.box import BOXES, IS_ROOT, python_in, require_box, require_program, verdict_of
from tests.hostile.conftest import open_folder

PYTHON = "/usr/bin/python3"
SPY = "#!/bin/sh\n{{ read line < {secret}; }} 2>/dev/null && echo through || echo held\n"
PYTHON_SPY = (
    "import sys\ntry:\n    print(open({secret!r}).read())\nexcept OSError as error:\n    print('held:', error)\n"
)


class Place(msgspec.Struct, frozen=True):
    """A user's home with a secret, a project that is a virtual environment, and the folder of a hostile bot."""

    home: Path
    bot: Path

    @property
    def project(self) -> Path:
        return self.home / "project"


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """All of it open to everybody: what hides it is not to be a mode."""
    require_program(PYTHON)
    with open_folder() as home, open_folder() as bot:
        monkeypatch.setenv("HOME", str(home))
        subprocess.run([PYTHON, "-m", "venv", "--without-pip", home / "project"], check=True)
        (home / "bin").mkdir()
        (home / "bin/python").symlink_to(PYTHON)
        for folder in (home, home / "lib", home / "project", home / "project/src", home / "project/league"):
            folder.mkdir(exist_ok=True)
            (folder / "secret").write_text("through\n")
        yield Place(home, bot)


def _write(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


# the command, what it wants to read, and its environment; {home}, {project} and {bot} are folders
ATTACKS: dict[str, tuple[list[str], str, dict[str, str]]] = {
    "call itself env, and name a home": (["./env", "{home}"], "{home}/secret", {}),
    "call itself env, and name a file": (["./env", "{home}/secret"], "{home}/secret", {}),
    "call itself env, and name everything": (["./env", "/"], "{home}/secret", {}),
    "call itself env, and name an option": (["./env", "-", "{home}"], "{home}/secret", {}),
    "call itself env, found by a path of its own": (["env", "{home}"], "{home}/secret", {"PATH": "{bot}:/bot"}),
    "name a file after the system's env": (["/usr/bin/env", "cat", "{home}/secret"], "{home}/secret", {}),
    "name a program after the system's env": (["/usr/bin/env", "{project}/bin/python", "spy.py"], "{home}/secret", {}),
    "name a file after a program": (["/bin/cat", "{home}/secret"], "{home}/secret", {}),
    "name a project's Python": (["{project}/bin/python", "spy.py"], "{project}/secret", {}),
    "name a project's Python, for its sources": (["{project}/bin/python", "spy.py"], "{project}/src/secret", {}),
    "name a project's Python, for its league": (["{project}/bin/python", "spy.py"], "{project}/league/secret", {}),
    "name a home's Python": (["{home}/bin/python", "spy.py"], "{home}/secret", {}),
    "name a home's Python, for its library": (["{home}/bin/python", "spy.py"], "{home}/lib/secret", {}),
    "name a home by /proc": (["/proc/self/root{home}/bin/python", "spy.py"], "{home}/lib/secret", {}),
    "name a home by a link": (["home-link/bin/python", "spy.py"], "{home}/lib/secret", {}),
    "name a program by a link": (["./python-link", "spy.py"], "{project}/secret", {}),
    "find a program by a path of its own": (["python", "spy.py"], "{home}/lib/secret", {"PATH": "{home}/bin"}),
    "find a project by a path of its own": (["python", "spy.py"], "{project}/secret", {"PATH": "{project}/bin"}),
    "have a first line that names a project": (["./shebang"], "{project}/secret", {}),
    "have a link to a file": (["/bin/cat", "secret-link"], "{home}/secret", {}),
    "go up from a link": (["./deep/../../python", "spy.py"], "{home}/secret", {}),
}


def _command(attack: str, place: Place) -> Command:
    argv, secret, env = ATTACKS[attack]
    names = {"home": str(place.home), "project": str(place.project), "bot": str(place.bot)}
    secret = secret.format(**names)
    _write(place.bot / "env", SPY.format(secret=secret))
    (place.bot / "spy.py").write_text(PYTHON_SPY.format(secret=secret))
    _write(place.bot / "shebang", f"#!{place.project}/bin/python\n{PYTHON_SPY.format(secret=secret)}")
    (place.home / "lib/deep").mkdir()
    (place.home / "python").symlink_to(PYTHON)
    for link, target in (
        ("home-link", place.home),
        ("python-link", place.project / "bin/python"),
        ("secret-link", place.home / "secret"),
        ("deep", place.home / "lib/deep"),
    ):
        (place.bot / link).symlink_to(target)
    filled = {name: value.format(**names) for name, value in env.items()}
    return Command(tuple(word.format(**names) for word in argv), str(place.bot), environment() | filled)


@pytest.mark.parametrize("backend", ["none", *BOXES])
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_command_shows_nothing_but_programs(attack: str, backend: str, place: Place) -> None:
    """Each gets through where nothing is confined."""
    require_box(backend)
    try:
        verdict = verdict_of(BACKENDS[backend](_command(attack, place), ResourceLimits()))
    except StartFailed as error:
        verdict = f"held: {error}"
    assert verdict.startswith("through" if backend == "none" else "held")


@pytest.mark.parametrize(
    "argv",
    [
        ["{home}/secret"],
        ["{home}"],
        ["/"],
        ["{home}/gone"],
        ["env", "{home}/bin/python"],
        ["./link"],
        ["./folder-link"],
        ["/proc/self/root{home}/bin/python"],
    ],
)
def test_what_is_no_program_is_not_shown(argv: list[str], place: Place) -> None:
    (place.bot / "link").symlink_to(place.home / "secret")
    (place.bot / "folder-link").symlink_to(place.home)
    words = tuple(word.format(home=place.home) for word in argv)
    shown = programs.shown_folders(Command(words, str(place.bot), environment()))
    assert not [path for path in shown if str(place.home) in path]


def test_of_a_virtual_environment_only_its_parts_are_shown(place: Place) -> None:
    command = Command((f"{place.project}/bin/python",), str(place.bot), environment())
    names = {Path(path).name for path in programs.shown_folders(command) if path.startswith(f"{place.project}/")}
    assert {"bin", "lib", "pyvenv.cfg"} <= names <= set(programs._PARTS)


def test_of_our_own_environment_only_its_parts_are_shown(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(place.project))
    shown = programs.shown_folders(Command((sys.executable,), str(place.bot), environment()))
    assert f"{place.project}/lib" in shown
    assert not {str(place.project), f"{place.project}/league", f"{place.project}/src"} & set(shown)


@pytest.mark.parametrize("backend", BOXES)
def test_a_file_with_a_first_line_that_names_a_secret_does_not_start(
    backend: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_box(backend)
    monkeypatch.setenv("XDG_CACHE_HOME", str(place.bot / "cache"))
    (place.bot / "file").write_text(f"#!{place.home}/secret\n")
    bot = load_bot(str(place.bot / "file"), backend)
    assert not programs.shown_folders(bot.command)
    with pytest.raises(StartFailed):
        BACKENDS[backend](bot.command, ResourceLimits())


@pytest.mark.parametrize("backend", ["namespaces", "bwrap"])
def test_what_cannot_be_shown_is_the_bots_trouble(backend: str, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    require_box(backend)
    monkeypatch.setattr(jailed, "shown_folders", lambda _: [f"{place.home}/gone"])
    with pytest.raises(StartFailed, match="gone"):
        BACKENDS[backend](Command(("true",), str(place.bot), environment()), ResourceLimits())


@pytest.mark.parametrize("backend", ["none", *BOXES])
def test_the_engine_is_found_where_it_is_installed_for_one_user(
    backend: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By our own Python, in a folder below the home; what else is installed there stays closed."""
    require_box(backend)
    site = place.home / ".local/lib/python3/site-packages"
    shutil.copytree(Path(engine.__file__).parent, site / "engine", ignore=shutil.ignore_patterns("__pycache__"))
    (site / "other.py").touch()
    monkeypatch.setattr(programs, "engine", SimpleNamespace(__file__=str(site / "engine/__init__.py")))
    monkeypatch.setattr(sys, "executable", python_in(backend if IS_ROOT else "namespaces"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(place.home / "cache"))
    (place.bot / "bot.toml").write_text("name = 'x'\nrun = 'python3 bot.py'\nenv = { PYTHONPATH = '/nowhere' }")
    (place.bot / "bot.py").write_text(
        "import engine\ntry:\n    open(engine.__path__[0] + '/../other.py')\n    seen = 'open'\n"
        "except OSError:\n    seen = 'closed'\nprint(engine.__file__, engine.Game().legal_count(), seen)\n"
    )
    said = verdict_of(BACKENDS[backend](load_bot(str(place.bot), backend).command, ResourceLimits()))
    assert said == f"{site}/engine/__init__.py 58 {'open' if backend == 'none' else 'closed'}"


def test_a_bot_of_another_language_is_told_nothing_of_python(place: Place) -> None:
    assert programs.python_path(Command(("sh",), str(place.bot), environment())) == {}

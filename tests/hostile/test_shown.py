"""Whatever a stranger's command says, it is shown nothing of the user's but programs: each tries to reach a canary."""

from __future__ import annotations

import os
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
from arena.sandbox import jailed, places, programs
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
    try:
        shown = programs.shown_folders(Command(words, str(place.bot), environment()))
    except StartFailed:
        shown = []
    assert not [path for path in shown if str(place.home) in path]


def test_of_a_virtual_environment_only_its_parts_are_shown(place: Place) -> None:
    command = Command((f"{place.project}/bin/python",), str(place.bot), environment())
    names = {Path(path).name for path in programs.shown_folders(command) if path.startswith(f"{place.project}/")}
    assert {"bin", "lib", "pyvenv.cfg"} <= names <= set(places.PARTS)


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


# ---- the programs of other bots, into which a thief's environment puts his own code

THIEF = """
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((constructor)) static void steal(void) {
    if (!getenv("LOOT")) return;
    int loot = open(getenv("LOOT"), O_RDONLY);
    if (write(1, loot < 0 ? "held\\n" : "through\\n", loot < 0 ? 5 : 8) > 0) _exit(0);
}
"""
# where the victim is, below the home; and how the thief names its program
VICTIMS = {
    "in a folder": "victim",
    "in a folder that looks like an installation": "victim/bin",
    "in the cache": "cache/blokus-arena/bots/0123",
    "in a league": "league/bots/0123/victim",
    "in a cache that is in the path": "cache/blokus-arena/bots/path",
    "in a league that is in the path": "league/bots/path/victim",
    "where programs are shared": "shared/victim",
}
NAMES = {
    "by its path": "{victim}/bot.sh",
    "by a link": "./link",
    "by a folder's link": "folder-link/bot.sh",
    "by /proc": "/proc/self/root{victim}/bot.sh",
    "from above": "../../../../../../../../..{victim}/bot.sh",
}


@pytest.fixture
def thief(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Make the thief's library, and a home with a cache and a league in it, and with shared programs."""
    for name in ("league/league.toml", "shared/victim/bot.toml"):
        (place.home / name).parent.mkdir(parents=True, exist_ok=True)
        (place.home / name).touch()
    (place.bot / "thief.c").write_text(THIEF)
    words = [require_program("cc"), "-shared", "-fPIC", "-o", "thief.so", "thief.c"]
    subprocess.run(words, cwd=place.bot, check=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(place.home / "cache"))
    monkeypatch.setattr(places, "_SHARED", (str(place.home / "shared"),))
    return place


def _theft(where: str, name: str, thief: Place, monkeypatch: pytest.MonkeyPatch) -> Command:
    victim = thief.home / VICTIMS[where]
    victim.mkdir(parents=True, exist_ok=True)
    (victim.parent / "lib").mkdir(exist_ok=True)
    _write(victim / "bot.sh", "#!/bin/sh\n")
    (thief.bot / "link").symlink_to(victim / "bot.sh")
    (thief.bot / "folder-link").symlink_to(victim)
    if "in the path" in where:
        monkeypatch.setenv("PATH", f"{victim}:{os.environ['PATH']}")
    own = {"LD_PRELOAD": f"{thief.bot}/thief.so:/bot/thief.so", "LOOT": f"{victim}/bot.sh"}
    return Command((NAMES[name].format(victim=victim),), str(thief.bot), environment() | own)


@pytest.mark.parametrize("backend", ["none", *BOXES])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("where", VICTIMS)
def test_a_bot_cannot_read_the_program_of_another(
    where: str, name: str, backend: str, thief: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_box(backend)
    command = _theft(where, name, thief, monkeypatch)
    if backend == "none":
        assert verdict_of(BACKENDS[backend](command, ResourceLimits())) == "through"
    else:
        with pytest.raises(StartFailed, match=r"^.*: out of bounds: .*$|^.*: leads to .*, out of bounds: .*$"):
            BACKENDS[backend](command, ResourceLimits())


@pytest.mark.parametrize("where", [where for where in VICTIMS if "in the path" in where])
@pytest.mark.parametrize("argv", [["bot.sh"], ["/usr/bin/env", "bot.sh"]])
def test_a_bot_in_the_path_is_not_found_by_its_name(
    argv: list[str], where: str, thief: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = msgspec.structs.replace(_theft(where, "by its path", thief, monkeypatch), argv=tuple(argv))
    with pytest.raises(StartFailed, match="out of bounds: another bot's"):
        programs.shown_folders(command)


@pytest.mark.parametrize("where", VICTIMS)
def test_a_build_is_shown_no_other_bot(where: str, thief: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    named = _theft(where, "by its path", thief, monkeypatch)
    for argv in (("sh",), named.argv):
        try:
            shown = programs.shown_folders(Command(argv, str(thief.bot), environment(), scratch=str(thief.bot)))
        except StartFailed:
            shown = []
        assert not [path for path in shown if places.is_below(named.env["LOOT"], path)]


def test_what_is_out_of_bounds_is_told_in_one_line(thief: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    command = _theft("in a folder", "by its path", thief, monkeypatch)
    with pytest.raises(StartFailed) as caught:
        programs.shown_folders(command)
    assert str(caught.value) == (
        f"{thief.home}/victim/bot.sh: out of bounds: neither the bot's own nor in a folder of PATH; "
        "if bots may use it, put its folder into PATH"
    )
    odd = thief.home / ("a\nb" + "c" * 200)
    _write(odd, "#!/bin/sh\n")
    with pytest.raises(StartFailed) as caught:
        programs.shown_folders(msgspec.structs.replace(command, argv=(str(odd),)))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_a_link_to_a_folder_of_programs_shows_nothing_beside_it(place: Place) -> None:
    """It leads to programs of the system; what lies beside the link is the user's."""
    (place.project / "work/lib").mkdir(parents=True)
    (place.project / "work/bin").symlink_to("/usr/bin")
    shown = programs.shown_folders(Command((f"{place.project}/work/bin/env",), str(place.bot), environment()))
    assert shown == [f"{place.project}/work/bin/env"]


# ---- the odd places where users have their languages

# the program, what it is a link to, and what is in the path; {home} and {bot} are folders
ODD_PLACES: dict[str, tuple[str, str, str]] = {
    "by nvm": ("{home}/.nvm/versions/v1/bin/node", "", ""),
    "by pyenv": ("{home}/.pyenv/versions/3/bin/python3", "", ""),
    "by conda": ("{home}/miniconda3/envs/x/bin/python", "", ""),
    "by nvm, in the path": ("node", "{home}/.nvm/versions/v1/bin/node", "{home}/.nvm/versions/v1/bin"),
    "where programs are shared": ("{home}/shared/language/bin/run", "", ""),
    "in a folder of the path": ("run", "{home}/path/run", "{home}/path"),
    "in a folder of the path, by its path": ("{home}/path/run", "", "{home}/path"),
    "in a folder of the path, with a slash": ("{home}/path/run", "", "{home}/path/"),
    "in a folder of the path, by a link to that": ("run", "{home}/path/run", "{home}/path-link"),
    "a link in the path": ("run", "{home}/path/run > {home}/apps/language/bin/run", "{home}/path"),
    "two links in the path": ("run", "{home}/path/run > {home}/b > {home}/apps/language/bin/run", "{home}/path"),
    "an installation of the path": ("{home}/apps/language/lib/run", "", "{home}/apps/language/bin"),
    "by Homebrew": ("run", "{home}/brew/bin/run > {home}/brew/Cellar/run/1/bin/run", "{home}/brew/bin"),
    "a virtual environment": ("{home}/environment/bin/python", "", ""),
    "a link of the bot's own": ("./own", "{bot}/own > {home}/.pyenv/versions/3/bin/python3", ""),
    "the bot's own virtual environment": ("own/bin/python", "{bot}/own/bin/python > {home}/path/run", "{home}/path"),
    "the bot's own": ("./run", "{bot}/run", ""),
}


@pytest.mark.parametrize("backend", ["none", *BOXES])
@pytest.mark.parametrize("odd", ODD_PLACES)
def test_a_language_is_found_in_an_odd_place(
    odd: str, backend: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the library beside it, if it has one; the bot's own programs may need none."""
    require_box(backend)
    names = {"home": str(place.home), "bot": str(place.bot)}
    word, chain, path = (text.format(**names) for text in ODD_PLACES[odd])
    monkeypatch.setattr(places, "_SHARED", (str(place.home / "shared"),))
    for name in places._MANAGERS | places._MORE_MANAGERS:
        monkeypatch.delenv(name, raising=False)
    (place.home / "path-link").symlink_to(place.home / "path")
    *links, program = [Path(name) for name in (chain or word).split(" > ")]
    _install(program)
    for link, target in zip(links, [*links, program][1:], strict=True):
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)
    if path:
        Path(path).mkdir(parents=True, exist_ok=True)
        monkeypatch.setenv("PATH", f"{path}:{os.environ['PATH']}")
    assert verdict_of(BACKENDS[backend](Command((word,), str(place.bot), environment()), ResourceLimits())) == "found"


def _install(program: Path) -> None:
    """Make a program that reads what is installed with it, if it is in an installation."""
    program.parent.mkdir(parents=True, exist_ok=True)
    library = program.parent.parent / "lib/word"
    _write(program, "#!/bin/sh\necho found\n")
    if program.parent.name == "bin":
        library.parent.mkdir()
        library.write_text("found\n")
        (library.parent.parent / "pyvenv.cfg").touch() if program.name == "python" else None
        _write(program, f'#!/bin/sh\nread word < {library} && echo "$word"\n')


def test_what_a_virtual_environment_leads_to_must_be_installed(place: Place) -> None:
    """It may be a stranger's, unpacked beside his bot."""
    (place.project / "bin/python3.99").symlink_to(place.home / "script")
    _write(place.home / "script", "#!/bin/sh\n")
    with pytest.raises(StartFailed, match="script, out of bounds"):
        programs.shown_folders(Command((f"{place.project}/bin/python3.99",), str(place.bot), environment()))

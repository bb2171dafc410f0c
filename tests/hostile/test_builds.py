"""Builds run in the box too: they can build, in any language, and nothing else; odd files of a bot do no harm."""

from __future__ import annotations

import itertools
import os
import shutil
import socket
import stat
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple
from uuid import uuid4

import pytest

from arena import builds
from arena.bots import Bot, load_bot
from arena.errors import BotSetupError
from arena.limits import ResourceLimits
from arena.sandbox.base import Command
from arena.sandbox.choose import BACKENDS
from arena.sandbox.finish import Finished, run_to_end
from arena.sandbox.places import cache_of_bots
from tests.hostile.box import (
    BOXES,
    ENVIRONMENT,
    IS_ROOT,
    next_line,
    processes_of,
    require_box,
    require_program,
    require_root,
    wait_for,
)
from tests.hostile.conftest import Canaries, open_folder

ECHO = Path(__file__).parent / "echo"
CARGO = '[package]\nname = "echo"\nversion = "1.0.0"\nedition = "2021"\n'


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A new folder, and a cache for builds."""
    with open_folder() as cache, open_folder() as folder:
        monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
        yield folder


def _submit(folder: Path, build: str | None, run: str = "true", **files: str) -> str:
    """Make a bot's folder; return its name."""
    bot = folder / "submitted"
    bot.mkdir(exist_ok=True)
    lines = ["name = 'submitted'", f"run = '{run}'", f"build = '''{build}'''" if build else ""]
    (bot / "bot.toml").write_text("\n".join(lines))
    for name, text in files.items():
        (bot / name.replace("_", ".")).write_text(text)
    return str(bot)


def _home(bot: Bot) -> Path:
    return Path(bot.command.cwd)


# ---- what builds are for


class Build(NamedTuple):
    """A bot to build: its source, alone or in a folder with a manifest."""

    name: str
    program: str
    source: str = ""
    command: str = ""
    run: str = ""


BUILDS = [
    Build("C", "cc", "echo.c"),
    Build("C++", "c++", "echo.cc"),
    Build("Rust", "rustc", "echo.rs"),
    Build("Go", "go", "echo.go"),
    Build("Java", "javac", "Echo.java"),
    Build("cargo", "cargo", "echo.rs", "cargo build --offline", "target/debug/echo"),
    Build("make", "make", "echo.c", "make echo", "./echo"),
    Build("a shell script", "cc", "echo.c", "sh -c 'cc -o half echo.c && mv half echo'", "./echo"),
    Build(
        "node", "node", "echo.js", 'node -e \'fs.writeFileSync("out.js", fs.readFileSync("echo.js"))\'', "node out.js"
    ),
]


@pytest.mark.parametrize("backend", BOXES)
@pytest.mark.parametrize("build", BUILDS, ids=lambda build: build.name)
def test_a_bot_in_any_language_is_built_in_any_box(build: Build, backend: str, folder: Path) -> None:
    require_box(backend)
    program = require_program(build.program)
    if backend == "landlock" and IS_ROOT and Path(program).is_relative_to(Path.home()):
        pytest.skip(f"{program} is below the home of root, which is closed to others")
    source = str(ECHO / build.source)
    if build.command:
        source = _submit(folder, None, run=build.run)
        target = "src/main.rs" if build.program == "cargo" else build.source
        Path(source, target).parent.mkdir(exist_ok=True)
        shutil.copy(ECHO / build.source, Path(source, target))
        Path(source, "Cargo.toml").write_text(CARGO)
        with Path(source, "bot.toml").open("a") as manifest:
            manifest.write(f"\nbuild = '''{build.command}'''")
    process = BACKENDS[backend](load_bot(source, backend).command, ResourceLimits())
    try:
        assert next_line(process) == "ready", os.read(process.stderr, 4096).decode()
        os.write(process.stdin, b"hello\n")
        assert next_line(process) == "echo hello"
    finally:
        process.end()


@pytest.mark.parametrize("backend", BOXES)
def test_a_compiler_in_a_home_is_found(backend: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a build that starts it itself, and through a link, as managers of versions have it."""
    require_box(backend)
    (folder / "tools/bin").mkdir(parents=True)
    (folder / "path").mkdir()
    (folder / "tools/bin/compiler").write_text("#!/bin/sh\necho compiled > out\n")
    (folder / "tools/bin/compiler").chmod(0o755)
    (folder / "path/compile").symlink_to("../tools/bin/compiler")
    monkeypatch.setenv("PATH", f"{folder}/path:{os.environ['PATH']}")
    bot = load_bot(_submit(folder, "sh -c compile"), backend)
    assert (_home(bot) / "out").read_text() == "compiled\n"


@pytest.mark.parametrize("backend", BOXES)
def test_a_build_has_a_scratch_folder_that_is_gone_afterwards(backend: str, folder: Path) -> None:
    require_box(backend)
    script = "set -e; echo x > $HOME/file; echo $(mktemp -d) > place; test -d $(cat place)"
    bot = load_bot(_submit(folder, "sh build.sh", build_sh=script), backend)
    assert not Path((_home(bot) / "place").read_text().strip()).exists()
    assert [path.name for path in _home(bot).parent.iterdir()] == [_home(bot).name]


@pytest.mark.parametrize("backend", BOXES)
def test_what_a_build_says_is_shown_when_it_fails(backend: str, folder: Path) -> None:
    require_box(backend)
    with pytest.raises(BotSetupError, match=r"(?s)submitted: the build failed \(sh build.sh\):.*one\ntwo"):
        load_bot(_submit(folder, "sh build.sh", build_sh="echo one; echo two >&2; exit 3"), backend)


# ---- hostile builds


ATTACKS = {
    "read a secret": "cat {secret} > stolen",
    "read a secret by a link": "ln -s {secret} link; cat link > stolen",
    "take a secret along": "ln {secret} stolen || cp {secret} stolen",
    "write to a secret": "echo harm > {secret}",
    "remove a secret": "rm {secret}",
    "write outside": "echo x > {world}/left",
    "make a file outside executable": "chmod 777 {secret}; test -x {secret}",
    "change the times of a file outside": "touch {secret}; test -n \"$(find {secret} -mmin -100)\"",
    "write above its folder": "echo x > ../left",
    "write to the system": "echo x > /usr/left",
    "use the network": "./network connect_tcp {arguments} | grep -q through",
    "use a local socket": "./network connect_path {arguments} | grep -q through",
    "use an abstract socket": "./network connect_abstract {arguments} | grep -q through",
    "kill a process": "kill -9 {victim}",
    "see a process": "cat /proc/{victim}/cmdline",
    "have more rights": "./processes new_namespace {arguments} | grep -q through",
    "see the environment": "test -n \"$ARENA_CANARY\"",
}  # fmt: skip


@pytest.mark.parametrize("backend", ["none", *BOXES])
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_hostile_build_does_no_harm(attack: str, backend: str, built: Path, canaries: Canaries, folder: Path) -> None:
    """Each succeeds in a build that is not confined."""
    require_box(backend)
    if backend == "none" and attack == "write to the system":
        require_root("write there")
    source = _submit(folder, "sh build.sh", build_sh=_script(ATTACKS[attack], canaries))
    for program in ("network", "processes"):
        shutil.copy(built / program, source)
    try:
        if backend == "none":
            load_bot(source, backend)
        else:
            with pytest.raises(BotSetupError, match="the build failed"):
                load_bot(source, backend)
            assert not canaries.harmed()
    finally:
        Path("/usr/left").unlink(missing_ok=True) if IS_ROOT else None


def _script(attack: str, canaries: Canaries) -> str:
    secret, world = canaries.folder / "secret", canaries.folder / "world"
    arguments = " ".join(canaries.arguments)
    return attack.format(secret=secret, world=world, victim=canaries.process, arguments=arguments)


@pytest.mark.parametrize("backend", ["none", *BOXES])
def test_a_build_that_calls_itself_env_is_shown_no_argument(backend: str, canaries: Canaries, folder: Path) -> None:
    require_box(backend)
    source = _submit(folder, f"./env {canaries.folder}", env=f"#!/bin/sh\ncat {canaries.folder}/secret > stolen\n")
    Path(source, "env").chmod(0o755)
    if backend == "none":
        assert (_home(load_bot(source, backend)) / "stolen").read_text() == "canary"
    else:
        with pytest.raises(BotSetupError, match="the build failed"):
            load_bot(source, backend)


@pytest.mark.parametrize("backend", ["none", *BOXES])
@pytest.mark.parametrize("place", [".", "$TMPDIR"])
def test_a_build_that_makes_folders_without_end_leaves_nothing(place: str, backend: str, folder: Path) -> None:
    """What is too deep for the standard library is gone as well; in its own folder it is no bot."""
    require_box(backend)
    if backend == "none" and place == "$TMPDIR":
        pytest.skip("it has no scratch folder of its own there")
    script = f"cd {place}; i=0; while [ $i -lt 1200 ]; do mkdir d && cd -P d || exit 1; i=$((i+1)); done"
    source = _submit(folder, "sh build.sh", build_sh=script)
    expected = pytest.raises(BotSetupError, match=r"folders .*in each other")
    with expected if place == "." else suppress(BotSetupError):  # a scratch folder may be seen in time, or not
        load_bot(source, backend)
    assert not list(cache_of_bots().glob("making-*"))


@pytest.mark.parametrize("backend", BOXES)
@pytest.mark.parametrize("way", ["&", "</dev/null >/dev/null 2>&1 &"])
def test_a_build_leaves_no_daemon(way: str, backend: str, built: Path, folder: Path) -> None:
    require_box(backend)
    mark = f"mark-{uuid4().hex}"
    source = _submit(folder, "sh build.sh", build_sh=f"(setsid ./manners wait {mark} || ./manners wait {mark}) {way}")
    shutil.copy(built / "manners", source)
    load_bot(source, backend)
    assert not processes_of(mark)


@pytest.mark.parametrize("backend", BOXES)
def test_a_build_that_does_not_end_is_ended(backend: str, built: Path, folder: Path) -> None:
    require_box(backend)
    mark = f"mark-{uuid4().hex}"
    command = Command(("sh", "-c", f"./manners wait {mark} & ./manners wait {mark}"), str(folder), ENVIRONMENT, True)
    shutil.copy(built / "manners", folder)
    done = run_to_end(command, ResourceLimits(sandbox=backend), patience_s=1, most_mb=10)
    assert done.stopped == "took more than 1 s"
    assert not processes_of(mark)


LONG_NAME = "n=$(printf 'a%.0s' $(seq 240)); for i in $(seq 20); do mkdir $n && cd -P $n || exit 9; done; "
FILLS = {
    "in a few files": "for i in 1 2 3 4; do head -c 4000000 /dev/urandom > $i; done",
    "in its scratch folder": "head -c 16000000 /dev/zero > $TMPDIR/x",
    "in a file that it removes": "exec 3>x; rm x; head -c 16000000 /dev/zero >&3",
    "in files that a child removes": "(exec 3>x; rm x; head -c 16000000 /dev/zero >&3; exec sleep 100) & wait",
    "in files that an orphan removes": "((exec 3>x; rm x; head -c 16000000 /dev/zero >&3; exec sleep 100) &)",
    "in a folder that it closes": "mkdir d; head -c 16000000 /dev/zero > d/x; chmod 000 d",
    "in a folder in a closed one": "mkdir -p d/d; head -c 16000000 /dev/zero > d/d/x; chmod 000 d/d d",
    "in its own folder, closed": "head -c 16000000 /dev/zero > x; chmod 000 .",
    "below paths without end": f"{LONG_NAME} head -c 16000000 /dev/zero > x",
}


@pytest.mark.parametrize("backend", BOXES)
@pytest.mark.parametrize("fill", FILLS)
def test_a_build_that_fills_the_disk_is_ended(fill: str, backend: str, folder: Path) -> None:
    done = _run_in_a_box(["sh", "-c", f"{FILLS[fill]}; sleep 100"], backend, folder, patience_s=60)
    assert done.stopped == "wrote more than 10 MB or 200000 files"


@pytest.mark.parametrize("backend", BOXES)
def test_a_build_that_makes_folders_in_each_other_is_ended(backend: str, folder: Path) -> None:
    script = "i=0; while [ $i -lt 400 ]; do mkdir d && cd -P d || exit 1; i=$((i+1)); done; sleep 100"
    done = _run_in_a_box(["sh", "-c", script], backend, folder, patience_s=60)
    assert done.stopped == "made folders too deep in each other"


def _run_in_a_box(argv: list[str], backend: str, folder: Path, patience_s: float) -> Finished:
    require_box(backend)
    for name in ("bot", "scratch"):
        (folder / name).mkdir()
    command = Command(tuple(argv), str(folder / "bot"), ENVIRONMENT, True, str(folder / "scratch"))
    try:
        return run_to_end(command, ResourceLimits(sandbox=backend), patience_s=patience_s, most_mb=10)
    finally:
        subprocess.run(["rm", "-rf", folder / "bot"], check=True)  # the standard library cannot


PYTHON = "/usr/bin/python3"
IN_A_SOCKET = "import socket; a, b = socket.socketpair(); socket.send_fds(a, [b'x'], [file.fileno()]); file.close()"
MAPPED = "import mmap; held = mmap.mmap(file.fileno(), 4096, mmap.MAP_SHARED); file.close()"
HIDES = {
    "in a socket": ([PYTHON, "-c", f"import os, time; file = open('x', 'wb+'); {IN_A_SOCKET}; time.sleep(100)"], True),
    "in a mapping": (
        [
            PYTHON,
            "-c",
            f"import os, time; file = open('x', 'wb+'); file.truncate(4096); os.unlink('x'); {MAPPED}; time.sleep(100)",
        ],
        True,
    ),
    "nowhere": (["sh", "-c", "echo x > x; sleep 100"], False),
}


@pytest.mark.parametrize("backend", BOXES)
@pytest.mark.parametrize("place", HIDES)
def test_what_is_gone_from_the_disk_is_the_doing_of_a_build_that_could_hide_it(
    place: str, backend: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one that could not, it may be anybody's."""
    argv, could_hide = HIDES[place]
    require_program(argv[0])
    free = itertools.count(1 << 40, -(100 << 20))
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_bfree=next(free), f_frsize=1))
    done = _run_in_a_box(argv, backend, folder, patience_s=60 if could_hide else 2)
    assert done.stopped == ("wrote more than 10 MB or 200000 files" if could_hide else "took more than 2 s")


@pytest.mark.parametrize("backend", BOXES)
def test_what_a_build_leaves_gives_nobody_more_rights(backend: str, folder: Path) -> None:
    require_box(backend)
    script = "cp /bin/sh sh; chmod 6755 sh; mkdir -m 000 closed; touch none; chmod 000 none; ln -s /etc/passwd link"
    home = _home(load_bot(_submit(folder, "sh build.sh", build_sh=script), backend))
    assert stat.S_IMODE((home / "sh").stat().st_mode) == 0o755
    assert stat.S_IMODE((home / "none").stat().st_mode) == 0o644
    assert stat.S_IMODE((home / "closed").stat().st_mode) == 0o755
    assert (home / "link").is_symlink()
    assert {path.lstat().st_uid for path in home.iterdir()} == {os.geteuid()}
    assert stat.S_IMODE(Path("/etc/passwd").stat().st_mode) == 0o644


@pytest.mark.parametrize("backend", BOXES)
def test_a_build_that_makes_odd_files_is_refused(backend: str, folder: Path) -> None:
    require_box(backend)
    with pytest.raises(BotSetupError, match="the build failed"):
        load_bot(_submit(folder, "mkfifo pipe"), backend)
    with pytest.raises(BotSetupError, match="'pipe' is a named pipe"):
        load_bot(_submit(folder, "mkfifo pipe"), "none")


@pytest.mark.parametrize("backend", ["none", *BOXES])
def test_a_build_that_makes_paths_too_long_is_told_so_in_a_line(backend: str, folder: Path) -> None:
    require_box(backend)
    with pytest.raises(BotSetupError, match=r"submitted: expected paths of at most 1024 bytes, got 'a+'…") as caught:
        load_bot(_submit(folder, "sh build.sh", build_sh=f"{LONG_NAME} echo x > x"), backend)
    assert len(str(caught.value)) < 200
    assert not list(cache_of_bots().glob("*"))


@pytest.mark.parametrize("backend", BOXES)
def test_a_build_is_limited_in_memory(backend: str, built: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require_box(backend)
    monkeypatch.setattr(builds, "BUILD_MB", 64)
    for attack in ("private_memory", "read_only_memory"):
        source = _submit(folder, f"sh -c './memory {attack} | grep through'")
        shutil.copy(built / "memory", source)
        with pytest.raises(BotSetupError, match="the build failed"):
            load_bot(source, backend)


# ---- odd files of a bot


def test_special_files_are_refused(folder: Path) -> None:
    source = _submit(folder, None)
    os.mkfifo(Path(source, "pipe"))
    with pytest.raises(BotSetupError, match="submitted: 'pipe' is a named pipe; expected files"):
        load_bot(source)
    Path(source, "pipe").unlink()
    with socket.socket(socket.AF_UNIX) as link:
        link.bind(f"{source}/socket")
        with pytest.raises(BotSetupError, match="'socket' is a socket"):
            load_bot(source)


def test_device_files_are_refused(folder: Path) -> None:
    require_root("make device files")
    source = _submit(folder, "true")
    os.mknod(Path(source, "zero"), stat.S_IFCHR | 0o666, os.makedev(1, 5))
    with pytest.raises(BotSetupError, match="'zero' is a device file"):
        load_bot(source)


def test_names_of_any_bytes_are_fine(folder: Path) -> None:
    source = _submit(folder, "true")
    odd = [b"new\nline", b"\xff\xfe", b"-rf", b"'quote\"", b"a b", "ü".encode()]
    for name in odd:
        Path(source, os.fsdecode(name)).write_text("x")
    home = _home(load_bot(source))
    assert {os.fsencode(path.name) for path in home.iterdir()} == {*odd, b"bot.toml"}


def test_two_names_make_two_bots(folder: Path) -> None:
    source = _submit(folder, None)
    Path(source, os.fsdecode(b"\xff")).touch()
    first = load_bot(source).digest
    Path(source, os.fsdecode(b"\xff")).rename(Path(source, os.fsdecode(b"\xfe")))
    assert load_bot(source).digest != first


def test_links_are_copied_as_links_and_hard_links_as_files(folder: Path) -> None:
    source = _submit(folder, "true")
    (folder / "outside").write_text("outside")
    Path(source, "link").symlink_to(folder / "outside")
    Path(source, "folder").symlink_to("/")
    Path(source, "itself").symlink_to("itself")
    Path(source, "hard").hardlink_to(folder / "outside")
    home = _home(load_bot(source))
    assert os.readlink(home / "link") == str(folder / "outside")
    assert os.readlink(home / "folder") == "/"
    assert (home / "itself").is_symlink()
    assert (home / "hard").stat().st_nlink == 1
    assert (folder / "outside").stat().st_nlink == 2


def test_setuid_files_are_copied_without(folder: Path) -> None:
    source = _submit(folder, "true")
    shutil.copy("/bin/true", Path(source, "root"))
    Path(source, "root").chmod(0o6755)
    assert stat.S_IMODE((_home(load_bot(source)) / "root").stat().st_mode) == 0o755


def test_a_failed_build_leaves_nothing_behind(folder: Path) -> None:
    """A build that fails leaves no half-made copy."""
    with pytest.raises(BotSetupError):
        load_bot(_submit(folder, "false"))
    assert wait_for(lambda: not list(cache_of_bots().iterdir()))

"""However a bot behaves, and whoever dies first: it can be stopped, it can be ended, and nothing of it is left."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from arena.errors import ArenaError
from arena.sandbox.base import StartFailed
from tests.hostile.box import (
    BOXES,
    IS_ROOT,
    miss,
    next_line,
    pid_of_launcher,
    processes_of,
    require_box,
    require_program,
    start,
    state_of,
    wait_for,
)

ROOT = Path(__file__).parent.parent.parent
MANNERS = ("stop_itself", "close_everything", "fill_log", "ignore_signals", "compute", "wait", "outlive")


@pytest.fixture
def mark() -> str:
    """A word in the command of a bot, by which everything of it can be found."""
    return f"mark-{uuid4().hex}"


@pytest.mark.parametrize("backend", BOXES)
@pytest.mark.parametrize("manner", MANNERS)
def test_a_bot_without_manners_can_be_ended(manner: str, backend: str, built: Path, mark: str) -> None:
    require_box(backend)
    process = start(backend, ["./manners", manner, mark], built)
    assert next_line(process) == "begun"
    assert not process.has_ended()
    end = process.end()
    assert (end.code, end.signal) == (None, signal.SIGKILL)
    assert end == process.end()
    assert not processes_of(mark)


@pytest.mark.parametrize("backend", BOXES)
@pytest.mark.parametrize("manner", ["ignore_signals", "compute", "fill_log", "close_everything"])
def test_a_stopped_bot_stays_stopped_until_it_is_let_go(manner: str, backend: str, built: Path, mark: str) -> None:
    require_box(backend)
    process = start(backend, ["./manners", manner, mark], built)
    try:
        next_line(process)
        for _ in range(3):
            process.freeze()
            assert wait_for(lambda: state_of(process.pid) == "T")
            process.thaw()
            assert wait_for(lambda: state_of(process.pid) in ("S", "R"))
        process.freeze()
    finally:
        assert process.end().signal == signal.SIGKILL
    assert not processes_of(mark)


@pytest.mark.parametrize("backend", BOXES)
def test_a_stopped_bot_uses_no_time(backend: str, built: Path) -> None:
    require_box(backend)
    process = start(backend, ["./manners", "compute"], built)
    try:
        next_line(process)
        before = process.cpu_ns()
        assert wait_for(lambda: process.cpu_ns() > before)
        process.freeze()
        assert wait_for(lambda: state_of(process.pid) == "T")
        used = process.cpu_ns()
        assert not wait_for(lambda: process.cpu_ns() != used, patience_s=0.2)
    finally:
        process.end()


@pytest.mark.parametrize("backend", BOXES)
@pytest.mark.parametrize(("manner", "number"), [("crash", signal.SIGSEGV), ("abort", signal.SIGABRT)])
def test_a_crash_is_reported_as_what_it_was(manner: str, number: int, backend: str, built: Path) -> None:
    require_box(backend)
    process = start(backend, ["./manners", manner], built)
    assert wait_for(process.has_ended)
    assert process.end().signal == number
    assert not list(built.glob("core*"))


@pytest.mark.parametrize("backend", BOXES)
def test_an_exit_is_reported_with_its_code(backend: str, built: Path) -> None:
    require_box(backend)
    process = start(backend, ["sh", "-c", "exit 42"], built)
    assert wait_for(process.has_ended)
    assert process.end().code == 42


@pytest.mark.parametrize("backend", BOXES)
@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["./missing"], "No such file"),
        (["missing"], "No such file"),
        (["./escapes.py"], "Permission denied"),
        ([""], "empty"),
        (["./manners", "a\0b"], "null byte"),
        (["./manners", "x" * 150_000], "too long"),
    ],
)
def test_a_command_that_cannot_be_executed_is_the_bots_trouble(
    argv: list[str], says: str, backend: str, built: Path
) -> None:
    require_box(backend)
    with pytest.raises(StartFailed, match=says):
        start(backend, argv, built)


@pytest.mark.parametrize("backend", BOXES)
def test_a_folder_that_is_not_there_is_our_trouble(backend: str, built: Path) -> None:
    require_box(backend)
    with pytest.raises(ArenaError, match="cannot be set up"):
        start(backend, ["true"], built / "missing")


@pytest.mark.parametrize("backend", BOXES)
def test_a_folder_may_have_any_name(backend: str, built: Path) -> None:
    require_box(backend)
    folder = built / "new\nline, 'quote' \\ ü"
    folder.mkdir(exist_ok=True)
    (folder / "bot.sh").write_text('echo "$PWD"; read line; echo x > /dev/stderr; echo "$line"\n')
    process = start(backend, ["sh", str(folder / "bot.sh")], folder)
    try:
        assert next_line(process)
        if backend == "landlock":
            next_line(process)  # its name has two lines
        os.write(process.stdin, b"heard\n")
        assert next_line(process) == "heard"
    finally:
        process.end()


# ---- whoever dies first


@contextmanager
def _referee(
    backend: str, processes: bool, folder: Path, *argv: str
) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """Give a referee in a process of its own, and the numbers of its launcher, of the head and of the bot."""
    command = [sys.executable, "-m", "tests.hostile.referee"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as referee:
        try:
            assert referee.stdin
            assert referee.stdout
            referee.stdin.write(json.dumps([backend, processes, str(folder), *argv]) + "\n")
            referee.stdin.flush()
            *pids, said = referee.stdout.readline().split()
            assert said == "begun"
            yield referee, [int(pid) for pid in pids]
        finally:
            referee.kill()


# a test of the plain backend may have made us the parent of orphans, which are then ours to reap
_ENDED = ("", "Z")


@pytest.mark.parametrize("backend", BOXES)
@pytest.mark.parametrize("processes", [False, True], ids=["alone", "with children"])
@pytest.mark.parametrize("first", ["referee", "launcher", "head", "bot"])
def test_nothing_of_a_bot_outlives_whoever_is_killed(
    first: str, processes: bool, backend: str, built: Path, mark: str
) -> None:
    require_box(backend)
    manner = "have_children" if processes else "outlive"
    with _referee(backend, processes, built, "./manners", manner, mark) as (referee, (launcher, head, bot)):
        assert wait_for(lambda: len(processes_of(mark)) == (5 if processes else 1))
        os.kill({"referee": referee.pid, "launcher": launcher, "head": head, "bot": bot}[first], signal.SIGKILL)
        assert wait_for(lambda: not processes_of(mark)), "the bot, or a child of it, is alive"
        assert wait_for(lambda: state_of(bot) in _ENDED)
        assert wait_for(lambda: state_of(head) in _ENDED)
        if first == "referee":
            assert wait_for(lambda: state_of(launcher) in _ENDED)


@pytest.mark.parametrize("backend", BOXES)
def test_a_stopped_bot_does_not_outlive_the_referee(backend: str, built: Path, mark: str) -> None:
    require_box(backend)
    with _referee(backend, False, built, "./manners", "outlive", mark) as (referee, (_, _, bot)):
        os.kill(bot, signal.SIGSTOP)
        referee.kill()
        assert wait_for(lambda: not processes_of(mark))


@pytest.mark.parametrize("backend", BOXES)
def test_a_killed_launcher_is_replaced(backend: str, built: Path, mark: str) -> None:
    require_box(backend)
    process = start(backend, ["./manners", "wait", mark], built)
    killed = pid_of_launcher()
    os.kill(killed, signal.SIGKILL)
    assert wait_for(lambda: not processes_of(mark))
    assert process.end().signal == signal.SIGKILL
    process = start(backend, ["./manners", "wait", mark], built)
    assert next_line(process) == "begun"
    assert process.end().signal == signal.SIGKILL
    assert pid_of_launcher() not in (0, killed)


@pytest.mark.parametrize("backend", BOXES)
def test_a_fork_of_the_referee_does_not_keep_its_launcher_alive(backend: str, built: Path, mark: str) -> None:
    require_box(backend)
    code = (
        "import os, sys, time; from pathlib import Path; from tests.hostile import box\n"
        f"process = box.start({backend!r}, ['./manners', 'wait', {mark!r}], Path({str(built)!r}))\n"
        "said, fork = box.next_line(process), os.fork() or 'fork'\n"
        "os.write(1, f'{said} {fork}\\n'.encode())\n"  # in one piece
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True) as referee:
        assert referee.stdout
        said = [referee.stdout.readline().split()[1] for _ in range(2)]
        fork = int(next(word for word in said if word != "fork"))
        try:
            referee.kill()
            assert wait_for(lambda: not processes_of(mark))
        finally:
            os.kill(fork, signal.SIGKILL)


# ---- hosts that do not offer everything


def _tried_in(prepare: str, backend: str) -> str:
    """Return why a sandbox does not work, or "None", in a user namespace in which we are called root."""
    code = f"from arena.sandbox.choose import why_not; print(why_not({backend!r}))"
    command = f"{prepare} && exec {sys.executable} -c {shlex.quote(code)}"
    unshare = [require_program("unshare"), "--user", "--map-root-user", "--mount", "sh", "-c", command]
    done = subprocess.run(unshare, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        miss(f"a user namespace cannot be made here: {done.stderr}")
    return done.stdout.strip()


def test_root_who_is_only_called_so_runs_bots_in_a_namespace_of_theirs() -> None:
    said = _tried_in("true", "namespaces")
    assert said == ("root has no other user here to run bots as" if IS_ROOT else "None")


def test_root_who_is_only_called_so_runs_none_without_namespaces() -> None:
    assert _tried_in("true", "landlock") == "root has no other user here to run bots as"


@pytest.mark.skipif(IS_ROOT, reason="in a user namespace of root's, no bot is run at all")
@pytest.mark.parametrize(
    ("prepare", "says"),
    [
        ("echo 0 > /proc/sys/user/max_user_namespaces", "new namespaces: No space left"),
        ("mount -t tmpfs none /proc/sys", "the file system: .*mount: Operation not permitted"),
    ],
)
def test_it_is_said_what_a_host_does_not_offer(prepare: str, says: str) -> None:
    assert re.search(says, _tried_in(prepare, "namespaces"))

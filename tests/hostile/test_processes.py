"""A bot that may have children (`processes = true`): they are stopped, counted, limited and ended with it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest

from arena.sandbox.base import Confined
from tests.hostile.box import (
    BOXES,
    IS_ROOT,
    MEMORY_MB,
    next_line,
    processes_of,
    require_box,
    start,
    state_of,
    verdict_of,
    wait_for,
    waking_verdict,
)
from tests.hostile.conftest import Canaries

FAMILY = 5  # what `have_children` comes to: itself, two children and two orphans


@pytest.fixture
def mark() -> str:
    """A word in the command of a bot, by which everything of it can be found."""
    return f"mark-{uuid4().hex}"


def _start(backend: str, folder: Path, *argv: str, memory_mb: int = 512) -> Confined:
    require_box(backend)
    return start(backend, list(argv), folder, memory_mb=memory_mb, processes=True)


@pytest.mark.parametrize("backend", BOXES)
@pytest.mark.parametrize("attack", ["fork_child", "vfork_child", "clone_child", "start_program"])
def test_children_are_allowed_to_who_asked_for_them(attack: str, backend: str, canaries: Canaries) -> None:
    process = _start(backend, canaries.bot, "./processes", attack, *canaries.arguments)
    assert verdict_of(process) == "through"


@pytest.mark.parametrize("backend", BOXES)
@pytest.mark.parametrize(
    "attack",
    ["clone_namespace", "new_namespace", "read_secret_in_child", "kill_victim", "trace", "outlive", "leave_core"],
)
def test_all_else_stays_denied(attack: str, backend: str, canaries: Canaries) -> None:
    if attack == "read_secret_in_child":
        command = f"(cat {canaries.folder}/secret && echo through) || echo held"
        process = _start(backend, canaries.bot, "sh", "-c", command)
    else:
        process = _start(backend, canaries.bot, "./processes", attack, *canaries.arguments)
    assert verdict_of(process).startswith("held")
    assert not canaries.harmed()


@pytest.mark.parametrize("backend", BOXES)
def test_shell_pipelines_work(backend: str, built: Path) -> None:
    process = _start(backend, built, "sh", "-c", "echo one two | tr a-z A-Z | cat")
    assert verdict_of(process) == "ONE TWO"


@pytest.mark.parametrize("backend", BOXES)
def test_children_are_stopped_and_let_go_with_the_bot(backend: str, built: Path, mark: str) -> None:
    process = _start(backend, built, "./manners", "have_children", mark)
    try:
        assert wait_for(lambda: len(processes_of(mark)) == FAMILY)
        process.freeze()
        assert wait_for(_all_are("T", mark))
        process.thaw()
        assert wait_for(_all_are("S", mark))
        process.freeze()
    finally:
        process.end()
    assert not processes_of(mark)


def _all_are(state: str, mark: str) -> Callable[[], bool]:
    return lambda: {state_of(pid) for pid in processes_of(mark)} == {state}


@pytest.mark.parametrize("backend", BOXES)
@pytest.mark.parametrize("way", ["timer", "input", "helper", "ends", "each"])
def test_a_bot_with_children_stays_stopped(way: str, backend: str, built: Path) -> None:
    assert waking_verdict(_start(backend, built, "./waking", way)).startswith("held")


@pytest.mark.parametrize("backend", BOXES)
@pytest.mark.parametrize("attack", ["daemonize", "hop"])
def test_no_child_is_left_behind(attack: str, backend: str, canaries: Canaries, mark: str) -> None:
    process = _start(backend, canaries.bot, "./processes", attack, *canaries.arguments, "0", mark)
    assert next_line(process) == "through"
    process.end()
    assert not processes_of(mark)


@pytest.mark.parametrize("backend", BOXES)
def test_children_end_with_the_bot(backend: str, built: Path, mark: str) -> None:
    process = _start(backend, built, "sh", "-c", f"./manners wait {mark} & exit 3")
    assert wait_for(process.has_ended)
    assert process.end().code == 3
    assert not processes_of(mark)


@pytest.mark.parametrize("backend", BOXES)
def test_the_number_of_children_is_limited(backend: str, built: Path) -> None:
    process = _start(backend, built, "./manners", "fork_many")
    try:
        assert next_line(process) == "begun"
        count = int(next_line(process))
    finally:
        process.end()
    if backend != "namespaces" and not IS_ROOT:
        assert count > 0  # all that the user runs is counted: how much is left to the bot is nobody's promise
    else:
        assert 32 <= count <= 64 + 2 * (os.cpu_count() or 1)


@pytest.mark.parametrize("backend", BOXES)
def test_orphans_that_have_ended_do_not_count(backend: str, built: Path) -> None:
    process = _start(backend, built, "./manners", "leave_orphans")
    try:
        assert next_line(process) == "begun"
        assert next_line(process) == "300"
    finally:
        process.end()


@pytest.mark.parametrize("backend", BOXES)
def test_the_memory_of_children_is_counted(backend: str, built: Path) -> None:
    process = _start(backend, built, "./manners", "share_memory_hunger", memory_mb=MEMORY_MB)
    assert next_line(process) == "begun"
    assert verdict_of(process).startswith("held")


@pytest.mark.parametrize("backend", BOXES)
def test_the_time_of_children_is_counted(backend: str, built: Path) -> None:
    process = _start(backend, built, "./manners", "burn_with_children")
    try:
        assert next_line(process) == "begun"
        assert next_line(process) == "burnt"
        # it, a child that lives, one that it waited for, and an orphan: those two to the tick, without a control group
        tenths = 3.9 if process.protections["cpu"] == "exact" else 3.6
        assert wait_for(lambda: process.cpu_ns() / 1e8 > tenths)
    finally:
        process.end()


@pytest.mark.parametrize("backend", BOXES)
def test_a_bot_without_children_has_an_exact_clock(backend: str, built: Path) -> None:
    require_box(backend)
    process = start(backend, ["./manners", "wait"], built)
    assert process.protections["cpu"] == "exact"
    process.end()

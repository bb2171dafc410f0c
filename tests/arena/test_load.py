"""Faults that the machine may have caused."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from arena.load import LoadWatch
from arena.protocol import FaultKind
from arena.record import Evidence, Fault, MatchRecord
from tests.arena.helpers import play


class _Busy(LoadWatch):
    def __init__(self, *, is_busy: bool) -> None:
        self._is_busy = is_busy

    def was_busy(self) -> bool:
        return self._is_busy


@pytest.fixture(scope="module")
def record() -> MatchRecord:
    return play("random", "random")


def _with(record: MatchRecord, kind: FaultKind, **evidence: Any) -> MatchRecord:
    fault = Fault(seat=0, kind=kind, turn=3, evidence=Evidence(detail="", **evidence))
    return msgspec.structs.replace(record, faults=(fault,))


@pytest.mark.parametrize(
    ("kind", "cpu_us", "is_busy", "is_suspect"),
    [
        ("timeout", 10_000, True, True),
        ("timeout", 10_000, False, False),  # it slept, or waited for something
        ("timeout", 190_000, True, False),  # it computed for all of its time
        ("no-start", 10_000, True, True),
        ("illegal", 10_000, True, False),
    ],
)
def test_a_late_bot_is_suspect_only_if_it_was_starved(
    kind: FaultKind, cpu_us: int, is_busy: bool, is_suspect: bool, record: MatchRecord
) -> None:
    found = _with(record, kind, wall_us=260_000, cpu_us=cpu_us, limit_us=200_000)
    assert _Busy(is_busy=is_busy).suspects(found) is is_suspect


@pytest.mark.parametrize(
    ("kind", "exit_", "is_suspect"),
    [("crash", "signal SIGKILL", True), ("crash", "signal SIGSEGV", False), ("memory", "signal SIGKILL", False)],
)
def test_a_bot_that_was_killed_from_outside_is_suspect(
    kind: FaultKind, exit_: str, is_suspect: bool, record: MatchRecord
) -> None:
    assert _Busy(is_busy=False).suspects(_with(record, kind, exit=exit_)) is is_suspect


def test_a_match_without_a_fault_is_never_suspect(record: MatchRecord) -> None:
    assert not _Busy(is_busy=True).suspects(record)


def test_the_machine_is_asked_how_busy_it_is() -> None:
    assert LoadWatch().was_busy() in (True, False)

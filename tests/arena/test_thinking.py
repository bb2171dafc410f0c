"""Time is charged to whom it belongs: off turn a bot stands still, and a CPU clock charges work, not waiting."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from arena.limits import TimeControl
from arena.record import MatchRecord
from tests.arena.helpers import faulty_bot, play, spy_bot

pytestmark = pytest.mark.usefixtures("nothing_is_left")


def banks(record: MatchRecord, seat: int) -> list[int]:
    return [ply.bank_ms for ply in record.plies if ply.seat == seat]


@pytest.mark.parametrize("ponder", [False, True])
def test_a_bot_stands_still_off_turn_unless_it_may_think_on(tmp_path: Path, ponder: bool) -> None:
    bots = [spy_bot(tmp_path, habit="never rests"), faulty_bot(tmp_path, "slow.py", "0.1")]
    record = play(*bots, ponder=ponder, pin=False)
    assert record.faults == ()
    _, *standstills_s = [float(ply.note) for ply in record.plies if ply.seat == 0]
    if ponder:
        assert min(standstills_s) < 0.05
    else:
        assert min(standstills_s) > 0.09  # all the time that the other one thinks


def test_cpu_time_of_every_ply_is_recorded(tmp_path: Path) -> None:
    record = play(spy_bot(tmp_path, habit="burns a little"), spy_bot(tmp_path, habit="sleeps"))
    burnt, slept = [[ply for ply in record.plies if ply.seat == seat] for seat in (0, 1)]
    assert all(ply.cpu_us >= 29_000 for ply in burnt)
    assert all(ply.wall_us >= 29_000 for ply in burnt)
    assert all(ply.cpu_us < 29_000 <= ply.wall_us for ply in slept)


def test_the_cpu_time_of_children_counts(tmp_path: Path) -> None:
    record = play(spy_bot(tmp_path, habit="burns in a child"), "random")
    burnt = [ply.cpu_us for ply in record.plies if ply.seat == 0]
    assert sum(burnt) > 0.5 * 50_000 * len(burnt)


def test_a_cpu_clock_does_not_charge_sleep(tmp_path: Path) -> None:
    control = TimeControl(kind="cpu", start_ms=20_000, move_ms=10, bank_ms=100, margin_ms=50)
    record = play(spy_bot(tmp_path, habit="sleeps"), "random", time=control)  # three times its time, by the wall
    assert record.faults == ()
    assert all(ply.wall_us > 29_000 for ply in record.plies if ply.seat == 0)
    assert min(banks(record, 0)) > 50


def test_a_cpu_clock_charges_work(tmp_path: Path) -> None:
    control = TimeControl(kind="cpu", start_ms=20_000, move_ms=10, bank_ms=100, margin_ms=0)
    record = play(spy_bot(tmp_path, habit="burns a little"), "random", time=control)
    (fault,) = record.faults
    assert (fault.seat, fault.kind) == (0, "timeout")
    assert fault.evidence.cpu_us > fault.evidence.limit_us
    assert "of CPU time" in fault.evidence.detail
    told = banks(record, 0)
    assert told[0] == 100
    assert all(after <= before - 19 for before, after in pairwise(told))


def test_a_cpu_clock_ends_one_that_never_stops_working(tmp_path: Path) -> None:
    control = TimeControl(kind="cpu", start_ms=20_000, move_ms=100, margin_ms=10)
    record = play(spy_bot(tmp_path, habit="burns"), "random", time=control)
    (fault,) = record.faults
    assert fault.kind == "timeout"
    assert fault.evidence.cpu_us >= 100_000


def test_a_cpu_clock_has_a_wall_cap(tmp_path: Path) -> None:
    control = TimeControl(kind="cpu", start_ms=20_000, move_ms=20, margin_ms=10)
    record = play(spy_bot(tmp_path, habit="sleeps long"), "random", time=control)
    (fault,) = record.faults
    assert fault.kind == "timeout"
    assert fault.evidence.cpu_us < 20_000
    assert fault.evidence.wall_us >= control.wall_cap_ms(20) * 1000


@pytest.mark.parametrize("variant", ["duo", "two"])
def test_the_bank_that_is_told_follows_from_the_times(tmp_path: Path, variant: str) -> None:
    control = TimeControl(start_ms=20_000, move_ms=10, bank_ms=60_000, increment_ms=3)
    record = play(spy_bot(tmp_path, habit="sleeps"), "random", time=control, variant=variant)
    assert record.faults == ()
    bank_us = 60_000_000
    for ply in [ply for ply in record.plies if ply.seat == 0]:  # one bank, also with two colors
        assert ply.bank_ms == bank_us // 1000
        bank_us += 3_000 - max(0, ply.wall_us - 10_000)
    assert bank_us < 60_000_000


def test_an_overrun_within_the_margin_is_forgiven(tmp_path: Path) -> None:
    control = TimeControl(start_ms=20_000, move_ms=10, margin_ms=10_000)
    record = play(spy_bot(tmp_path, habit="sleeps"), "random", time=control)
    assert record.faults == ()
    assert all(ply.wall_us > 10_000 for ply in record.plies if ply.seat == 0)
    assert set(banks(record, 0)) == {0}


def test_a_bank_that_is_used_up_is_a_timeout(tmp_path: Path) -> None:
    control = TimeControl(start_ms=20_000, move_ms=10, bank_ms=100, margin_ms=1)
    record = play(spy_bot(tmp_path, habit="sleeps"), faulty_bot(tmp_path, "slow.py"), time=control)
    assert [fault.kind for fault in record.faults] == ["timeout", "timeout"]
    assert record.reason == "all-forfeited"
    assert record.ranks[record.faults[1].seat] == 1  # who lasts longer

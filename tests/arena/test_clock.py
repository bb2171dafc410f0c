"""The clock, as a table: what is charged, what is forgiven, what is left."""

import pytest

from arena.clock import Clock
from arena.limits import TimeControl

MS = 1000


@pytest.mark.parametrize(
    ("control", "used_ms", "in_time", "bank_ms"),
    [
        # no bank: each move has its own time, and the margin
        (TimeControl(move_ms=1000, margin_ms=50), [400], True, 0),
        (TimeControl(move_ms=1000, margin_ms=50), [1000], True, 0),
        (TimeControl(move_ms=1000, margin_ms=50), [1050], True, 0),
        (TimeControl(move_ms=1000, margin_ms=50), [1050.001], False, 0),
        (TimeControl(move_ms=1000, margin_ms=50), [1050, 1050, 1050], True, 0),  # nothing is carried over
        (TimeControl(move_ms=1000, margin_ms=0), [1000], True, 0),
        (TimeControl(move_ms=1000, margin_ms=0), [1000.001], False, 0),
        # a bank: only what goes beyond the move's own time is taken from it
        (TimeControl(move_ms=1000, bank_ms=500, margin_ms=50), [1000], True, 500),
        (TimeControl(move_ms=1000, bank_ms=500, margin_ms=50), [1200], True, 300),
        (TimeControl(move_ms=1000, bank_ms=500, margin_ms=50), [1200, 1200], True, 100),
        (TimeControl(move_ms=1000, bank_ms=500, margin_ms=50), [1200, 1200, 1100], True, 0),
        (TimeControl(move_ms=1000, bank_ms=500, margin_ms=50), [1200, 1200, 1150], True, 0),  # forgiven
        (TimeControl(move_ms=1000, bank_ms=500, margin_ms=50), [1200, 1200, 1150.001], False, 0),
        (TimeControl(move_ms=1000, bank_ms=500, margin_ms=50), [1500, 1050, 1050], True, 0),
        (TimeControl(move_ms=1000, bank_ms=500, margin_ms=50), [10, 10, 10], True, 500),  # what is not used is lost
        # parts of a millisecond count, and are told rounded down
        (TimeControl(move_ms=1000, bank_ms=500, margin_ms=50), [1000.001], True, 499),
        (TimeControl(move_ms=1000, bank_ms=500, margin_ms=50), [1000.999, 1000.001], True, 499),
        (TimeControl(move_ms=1000, bank_ms=500, margin_ms=50), [1000.999, 1000.002], True, 498),
        # an increment comes after the move, and heaps up
        (TimeControl(move_ms=1000, increment_ms=100, margin_ms=0), [1], True, 100),
        (TimeControl(move_ms=1000, increment_ms=100, margin_ms=0), [1, 1, 1], True, 300),
        (TimeControl(move_ms=1000, increment_ms=100, margin_ms=0), [1100], False, 100),  # too late for this move
        (TimeControl(move_ms=1000, increment_ms=100, margin_ms=0), [1, 1100], True, 100),
        (TimeControl(move_ms=1000, bank_ms=50, increment_ms=100, margin_ms=20), [1070, 1100], True, 100),
        # bank only, as in chess
        (TimeControl(move_ms=0, bank_ms=1000, increment_ms=10, margin_ms=5), [300, 300, 300], True, 130),
        (TimeControl(move_ms=0, bank_ms=1000, increment_ms=10, margin_ms=5), [300, 300, 300, 135], True, 10),
        (TimeControl(move_ms=0, bank_ms=1000, increment_ms=10, margin_ms=5), [300, 300, 300, 136], False, 10),
    ],
)
def test_a_clock_charges_what_goes_beyond_a_moves_own_time(
    control: TimeControl, used_ms: list[float], in_time: bool, bank_ms: int
) -> None:
    clock = Clock(control)
    *earlier, last = [round(used * MS) for used in used_ms]
    for used_us in earlier:
        assert clock.charge(used_us)
    assert clock.charge(last) is in_time
    assert clock.bank_ms == bank_ms


def test_the_budget_is_the_moves_own_time_and_the_bank() -> None:
    clock = Clock(TimeControl(move_ms=200, bank_ms=300, increment_ms=20, margin_ms=50))
    assert clock.budget_us == 500 * MS
    clock.charge(250 * MS)
    assert clock.budget_us == 470 * MS


def test_the_wall_cap_of_a_cpu_clock_leaves_room_for_a_loaded_machine() -> None:
    control = TimeControl(kind="cpu")
    assert control.wall_cap_ms(0) >= 1000
    assert control.wall_cap_ms(2000) >= 3 * 2000

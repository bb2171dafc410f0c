"""Whatever a bot does: its fault is told right and proved, the others finish their game, and nothing is left behind."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.bots import Bot, load_bot
from arena.limits import IDLE_BYTES, LINE_BYTES, TimeControl
from arena.protocol import FaultKind
from arena.record import Evidence, Fault, MatchRecord, read_record
from arena.replay import lines_for, verify
from tests.arena.bad_lines import BAD_MOVE, BAD_READY
from tests.arena.helpers import FAULTY_BOTS, HASTY, PATIENT, PLAIN, c_bot, faulty_bot, folder_bot, play

pytestmark = pytest.mark.usefixtures("nothing_is_left")

SHORT_START = msgspec.structs.replace(PATIENT, start_ms=1500)


def fault_of(record: MatchRecord, seat: int, kind: FaultKind) -> Evidence:
    """Return the evidence for the one fault of a match, in which all others played to their end."""
    assert [(fault.seat, fault.kind) for fault in record.faults] == [(seat, kind)], record.faults
    fault = record.faults[0]
    assert_others_finished(record, fault)
    return fault.evidence


def assert_others_finished(record: MatchRecord, fault: Fault) -> None:
    """Check that a fault cost nobody else anything."""
    reasons = {each.color: each.reason for each in record.passes}
    game = record.spec.new_game()
    for color in game.variant.colors:
        owner = game.variant.seat_of(color)
        left = len(game.variant.pieces) - sum(ply.color == color for ply in record.plies)
        if owner == fault.seat:
            assert reasons[color] == "forfeit"
        elif owner is not None and left:
            assert reasons[color] == "blocked"
    seats = len(record.seats)
    if seats > 1:
        assert record.reason == "finished"
        if game.variant.teams == tuple(range(seats)):
            assert record.ranks[fault.seat] == seats
            assert sorted(record.ranks)[0] == 1


@dataclass(frozen=True)
class Case:
    """A faulty program, and what must be found: patterns for the evidence's text, values for the rest."""

    kind: FaultKind
    program: str
    arguments: tuple[str, ...]
    time: TimeControl = PATIENT
    found: dict[str, str] = field(default_factory=dict)


STOPPED = {"exit": "^still running$"}

AT_START = {
    "sleeps": Case(
        "no-start", "start.py", ("sleeps",), SHORT_START, {"detail": "a ready message within 1500 ms, got nothing"}
    ),
    "exits with 0": Case("no-start", "start.py", ("exits", "0"), found={"exit": "^exit code 0$", "detail": "ended"}),
    "exits with 3": Case("no-start", "start.py", ("exits", "3"), found={"exit": "^exit code 3$"}),
    "dies": Case("no-start", "start.py", ("dies", "9"), found={"exit": "^signal SIGKILL$"}),
    "exits half way": Case(
        "no-start", "start.py", ("exits half way", "1"), found={"received": '^{"type":"rea$', "exit": "^exit code 1$"}
    ),
    "closes its output": Case("no-start", "start.py", ("closes its output",), SHORT_START),
    "closes its input": Case(
        "no-start", "start.py", ("closes its input",), SHORT_START, {"detail": "1500 ms, got nothing"}
    ),
    "floods": Case("flood", "start.py", ("floods",), found={"detail": f"more than {LINE_BYTES}", "received": "^xxx"}),
    "sends a move": Case("garbage", "start.py", ("sends a move",), found={"received": '^{"type": "move"'}),
}

AT_A_TURN = {
    "sleeps": Case("timeout", "turn.py", ("sleeps",), HASTY, {"detail": r"within 0\.250 s, got none in 0\.[3-9]"}),
    "burns": Case("timeout", "turn.py", ("burns",), HASTY),
    "ignores SIGTERM": Case("timeout", "turn.py", ("ignores SIGTERM",), HASTY, STOPPED),
    "stops itself": Case("timeout", "turn.py", ("stops itself",), HASTY, STOPPED),
    "stops half way": Case("timeout", "turn.py", ("stops half way",), HASTY, {"received": '^{"type":"move","tu$'}),
    "dribbles": Case("timeout", "turn.py", ("dribbles",), HASTY, {"received": '^{"type":"mo'}),
    "never reads": Case("timeout", "turn.py", ("never reads",), HASTY, {"sent": '"legal":'}),
    "has a small pipe and never reads": Case("timeout", "turn.py", ("has a small pipe and never reads",), HASTY),
    "floods its log": Case(
        "timeout", "turn.py", ("floods its log",), HASTY, {"stderr": r"(?s)dull one.*\[\d+ bytes left out\].*dull one"}
    ),
    "exits with 0": Case("crash", "turn.py", ("exits", "0"), found={"exit": "^exit code 0$", "detail": "exit code 0"}),
    "exits with 3": Case("crash", "turn.py", ("exits", "3"), found={"exit": "^exit code 3$"}),
    "exits half way": Case(
        "crash", "turn.py", ("exits half way", "4"), found={"exit": "^exit code 4$", "received": '^{"type":"move","tu$'}
    ),
    "dies by SIGSEGV": Case("crash", "turn.py", ("dies", "11"), found={"exit": "^signal SIGSEGV$"}),
    "dies by SIGKILL": Case("crash", "turn.py", ("dies", "9"), found={"exit": "^signal SIGKILL$"}),
    "dies by a signal without a name": Case("crash", "turn.py", ("dies", "40"), found={"exit": "^signal 40$"}),
    "closes its output": Case("crash", "turn.py", ("closes its output",), found={"detail": "closed its"}),
    "closes its input": Case("crash", "turn.py", ("closes its input",), found={"detail": "closed its"}),
    "raises": Case("crash", "turn.py", ("no such way",), found={"stderr": "ValueError: no such way", "exit": "code 1"}),
    "answers twice": Case(  # the second time before it is stopped, or when it runs on
        "garbage", "turn.py", ("answers twice",), found={"detail": "without being asked|to turn", "received": '"move"'}
    ),
    "answers thrice at once": Case("garbage", "turn.py", ("answers ahead",), found={"detail": "without being asked"}),
    "is ready and makes a move at once": Case(
        "garbage", "turn.py", ("is ready and makes a move at once",), found={"sent": "hello", "received": '"move"'}
    ),
    "sends a line of one byte too much": Case(
        "flood", "turn.py", ("sends a long line", str(LINE_BYTES)), found={"detail": f"more than {LINE_BYTES} bytes"}
    ),
    "sends a blank line as long as allowed": Case("garbage", "turn.py", ("sends a long line", str(LINE_BYTES - 1))),
    "floods off turn": Case("flood", "turn.py", ("floods off turn",), found={"received": "^xxx"}),
}


def cases(table: dict[str, Case]) -> list[Any]:
    """Return a table as parameters."""
    return [pytest.param(case, id=name) for name, case in table.items()]


@pytest.mark.parametrize("case", cases(AT_START))
def test_a_fault_at_the_start(tmp_path: Path, case: Case) -> None:
    bot = faulty_bot(tmp_path, case.program, *case.arguments)
    for record, seat in [
        (play(bot, "random", time=case.time), 0),
        (play("random", bot, "greedy", "random", variant="classic", time=case.time), 1),
    ]:
        evidence = fault_of(record, seat, case.kind)
        assert record.faults[0].turn == 0
        assert record.seats[seat].ready is None
        assert evidence.sent.startswith('{"type":"hello"')
        assert_proved(case, evidence, f"this bot {case.arguments[0]}")
        assert evidence.limit_us == case.time.start_ms * 1000
        assert evidence.wall_us > 0


@pytest.mark.parametrize("case", cases(AT_A_TURN))
def test_a_fault_at_a_turn(tmp_path: Path, case: Case) -> None:
    bot = faulty_bot(tmp_path, case.program, *case.arguments)
    for record, seat in [
        (play(bot, "random", time=case.time), 0),
        (play("random", "greedy", bot, "random", variant="classic", time=case.time), 2),
    ]:
        evidence = fault_of(record, seat, case.kind)
        assert evidence.color == record.spec.new_game().variant.colors[seat]
        assert_proved(case, evidence, f"this bot {case.arguments[0]}")
        was_asked = f'"turn":{record.faults[0].turn},' in evidence.sent
        assert was_asked == ("without being asked" not in evidence.detail)
        if was_asked:
            assert evidence.limit_us == case.time.move_ms * 1000
            assert evidence.wall_us > 0
        if case.kind == "timeout":
            assert evidence.wall_us >= evidence.limit_us


def assert_proved(case: Case, evidence: Evidence, log: str) -> None:
    """Check the evidence: what the case expects, the exit status, and the bot's own words."""
    for name, pattern in case.found.items():
        assert re.search(pattern, getattr(evidence, name) or ""), (name, evidence)
    assert evidence.exit
    if "bytes left out" not in evidence.stderr:
        assert log in evidence.stderr


# ---- commands that cannot even be started


@pytest.mark.parametrize(
    ("run", "files", "detail"),
    [
        ("./nowhere", {}, "nowhere: No such file or directory"),
        ("no-such-command", {}, "no-such-command: No such file or directory"),
        ("./bot.toml", {}, "bot.toml: Permission denied"),
        ("./script", {"script": b"#!/no/such/interpreter\n"}, "script: No such file or directory"),
        ("./script", {"script": b"no #! line, and no machine code"}, "script: Exec format error"),
    ],
    ids=["no such file", "no such command", "not executable", "bad interpreter", "not a program"],
)
def test_a_command_that_cannot_be_executed_is_a_no_start(
    tmp_path: Path, run: str, files: dict[str, bytes], detail: str
) -> None:
    bot = folder_bot(tmp_path, run, files=files)
    evidence = fault_of(play(bot, "random"), 0, "no-start")
    assert detail in evidence.detail
    assert evidence.sent == ""
    assert evidence.exit is None


def test_bots_that_never_start_tie(tmp_path: Path) -> None:
    missing = folder_bot(tmp_path, "./nowhere")
    silent = faulty_bot(tmp_path, "start.py", "exits", "1")
    record = play(missing, "random", silent, "random", variant="classic")
    assert [fault.kind for fault in record.faults] == ["no-start", "no-start"]
    assert record.ranks[0] == record.ranks[2] == 3
    record = play(missing, silent)
    assert record.reason == "all-forfeited"
    assert record.ranks == (1, 1)
    assert record.plies == ()


# ---- lines that are not what was asked for


@pytest.mark.parametrize("line", [pytest.param(line, id=name) for name, line in BAD_READY.items()])
def test_a_bad_ready_is_garbage(tmp_path: Path, line: bytes) -> None:
    bot = faulty_bot(tmp_path, "says.py", "ready", "line", files={"line": line})
    evidence = fault_of(play(bot, "random"), 0, "garbage")
    assert evidence.detail.startswith("expected a ready message, got ")
    assert_received(evidence, line)
    assert "in its own way" in evidence.stderr


@pytest.mark.parametrize("line", [pytest.param(line, id=name) for name, line in BAD_MOVE.items()])
def test_a_bad_move_is_garbage(tmp_path: Path, line: bytes) -> None:
    bot = faulty_bot(tmp_path, "says.py", "move", "line", "1", files={"line": line})
    record = play(bot, "random")
    evidence = fault_of(record, 0, "garbage")
    assert record.faults[0].turn == 2
    assert evidence.detail.startswith("expected ")
    assert "\n" not in evidence.detail
    assert len(evidence.detail) < 500
    assert_received(evidence, line.replace(b"{turn}", b"2"))
    assert evidence.limit_us == PATIENT.move_ms * 1000
    assert "its own way" in evidence.stderr


def assert_received(evidence: Evidence, line: bytes) -> None:
    """Check that the evidence shows the line, or its beginning."""
    text = line.partition(b"\n")[0].decode(errors="replace").rstrip("\r")
    assert evidence.received[:1000] == text[:1000]


def test_an_index_without_a_list_is_garbage(tmp_path: Path) -> None:
    line = b'{"type":"move","turn":{turn},"index":0}\n'
    bot = faulty_bot(tmp_path, "says.py", "move", "line", "0", files={"line": line, "no-list": b""})
    assert "want" in fault_of(play(bot, "random"), 0, "garbage").detail


# ---- placements that the rules forbid

X = [[3, 4], [4, 3], [4, 4], [4, 5], [5, 4]]  # on the first start square of duo


@pytest.mark.parametrize(
    ("moves", "rule", "cells"),
    [
        ([[[0, 0]]], "start square", ((4, 4),)),
        ([[[4, 13], [4, 14]]], "off the board", ((4, 14),)),
        ([[[4, -1], [4, 0]]], "off the board", ((4, -1),)),
        ([[[4, 4], [4, 10**30]]], "off the board", ()),
        ([[]], "not a piece", ()),
        ([[[4, 4], [4, 4]]], "not a piece", ((4, 4),)),
        ([[[4, 4], [6, 6]]], "not a piece", None),
        ([[[4, column] for column in range(4, 10)]], "not a piece", None),
        ([X, [[4, 4]]], "overlap", ((4, 4),)),
        ([X, [[6, 4], [7, 4]]], "edge contact", None),
        ([X, [[0, 0], [0, 1]]], "no corner contact", None),
        ([[[4, 4]], [[5, 5]]], "piece already used", None),
    ],
)
def test_an_illegal_placement_is_proved_by_rule_and_cells(
    tmp_path: Path, moves: list[list[list[int]]], rule: str, cells: tuple[tuple[int, int], ...] | None
) -> None:
    bot = faulty_bot(tmp_path, "plays.py", msgspec.json.encode(moves).decode())
    record = play(bot, "random")
    evidence = fault_of(record, 0, "illegal")
    assert record.faults[0].turn == 2 * (len(moves) - 1)
    assert evidence.rule == rule
    assert evidence.detail.startswith(rule)
    assert evidence.named == tuple([(row, column) for row, column in moves[-1] if column < 1000])
    assert all(len(cell) == 2 for cell in evidence.cells)
    if cells is not None:
        assert evidence.cells == cells
    assert '"cells"' in evidence.received
    assert "makes up its own rules" in evidence.stderr


def test_an_overlap_with_another_bots_piece_is_illegal(tmp_path: Path) -> None:
    first = faulty_bot(tmp_path, "plays.py", "[[[4,4]]]")
    second = faulty_bot(tmp_path, "plays.py", "[[[4,4],[5,4]]]")
    evidence = fault_of(play(first, second), 1, "illegal")
    assert (evidence.rule, evidence.cells) == ("overlap", ((4, 4),))


def test_a_small_piece_before_a_large_one_is_illegal_in_descending_order(tmp_path: Path) -> None:
    bot = faulty_bot(tmp_path, "plays.py", "[[[0,0]]]")
    record = play(bot, variant="solo-descending")
    assert fault_of(record, 0, "illegal").rule == "size order"
    assert record.reason == "all-forfeited"
    assert record.totals == (-4 * 89,)


@pytest.mark.parametrize("index", ["-1", "1000000", "9" * 18, "9" * 30])
def test_an_index_out_of_range_is_illegal(tmp_path: Path, index: str) -> None:
    line = b'{"type":"move","turn":{turn},"index":%s}\n' % index.encode()
    bot = faulty_bot(tmp_path, "says.py", "move", "line", "2", files={"line": line})
    evidence = fault_of(play(bot, "random"), 0, "illegal")
    assert evidence.rule == "index out of range"


# ---- more than can be read, more than can be written


def test_a_gigabyte_without_a_newline_is_a_flood() -> None:
    evidence = fault_of(play(c_bot(FAULTY_BOTS / "gigabyte.c"), "random"), 0, "flood")
    assert evidence.received.startswith("xxx")
    assert len(evidence.received) < 3000
    assert "a lot to say" in evidence.stderr


def test_a_turn_that_does_not_fit_into_the_pipe_does_not_hold_up_the_referee(tmp_path: Path) -> None:
    bot = faulty_bot(tmp_path, "turn.py", "never reads")
    record = play(bot, variant="solo-pentomino", time=HASTY)
    assert fault_of(record, 0, "timeout").sent
    *_, told = lines_for(record, 0)
    assert len(told.line) > 600_000


@pytest.mark.parametrize("ponder", [False, True])
def test_a_bot_may_flood_its_log_and_play_on(tmp_path: Path, ponder: bool) -> None:
    bot = faulty_bot(tmp_path, "turn.py", "floods its log all the time")
    record = play(bot, "random", ponder=ponder, pin=not ponder)
    assert record.faults == ()


@pytest.mark.parametrize(
    ("way", "kind", "detail"),
    [
        ("speaks off turn", "garbage", "without being asked"),
        ("floods off turn", "flood", f"more than {IDLE_BYTES} bytes"),
    ],
)
def test_output_off_turn_is_a_fault_when_bots_run_on(tmp_path: Path, way: str, kind: FaultKind, detail: str) -> None:
    slow = faulty_bot(tmp_path, "slow.py")
    record = play(faulty_bot(tmp_path, "turn.py", way), slow, ponder=True, pin=False)
    evidence = fault_of(record, 0, kind)
    assert detail in evidence.detail
    if "asked" in evidence.detail:
        assert evidence.sent.startswith('{"type":"turn","turn":2,')  # the last one that it was really sent


def test_a_bot_that_takes_back_its_output_does_not_confuse_the_referee() -> None:
    record = play(c_bot(FAULTY_BOTS / "thief.c"), "random", time=HASTY, pin=False)
    fault_of(record, 0, "timeout")


@pytest.mark.parametrize("way", ["answers and exits", "answers twice", "floods off turn", "closes its input"])
def test_a_bot_that_has_nothing_left_to_play_can_no_longer_forfeit(tmp_path: Path, way: str) -> None:
    healthy = faulty_bot(tmp_path, "turn.py", way, "3", "99")
    for seed in range(20):
        record = play(healthy, "random", seed=seed)
        moves = [ply.turn for ply in record.plies if ply.seat == 0]
        if len(record.plies) - moves[-1] > 3:  # its opponent had a few more
            break
    goes_wrong_at_last = faulty_bot(tmp_path, "turn.py", way, "3", str(len(moves) - 1))
    again = play(goes_wrong_at_last, "random", seed=seed)
    assert again.faults == ()
    assert [ply.cells for ply in again.plies] == [ply.cells for ply in record.plies]


# ---- programs in other languages


def test_a_crash_in_c_tells_its_signal() -> None:
    evidence = fault_of(play("random", c_bot(FAULTY_BOTS / "segfault.c")), 1, "crash")
    assert evidence.exit == "signal SIGSEGV"
    assert evidence.detail.endswith("(signal SIGSEGV)")
    assert "null pointer" in evidence.stderr


def test_debug_text_on_the_output_is_garbage() -> None:
    evidence = fault_of(play(load_bot(str(FAULTY_BOTS / "debug.sh")), "random"), 0, "garbage")
    assert evidence.received == "debug: depth=4 score=12"
    assert '"debug: depth=4 score=12"' in evidence.detail
    assert "thinks aloud" in evidence.stderr


# ---- memory

ENOUGH = msgspec.structs.replace(PLAIN, memory_mb=400)  # more than the process of the tests itself


@pytest.mark.parametrize(("program", "turn"), [("start.py", 0), ("turn.py", 2)])
def test_a_bot_that_dies_of_its_memory(tmp_path: Path, program: str, turn: int) -> None:
    record = play(faulty_bot(tmp_path, program, "grows"), "random", limits=ENOUGH)
    evidence = fault_of(record, 0, "memory")
    assert record.faults[0].turn == turn
    assert "MB of the 400 MB allowed (exit code 1)" in evidence.detail
    assert evidence.peak_mb >= 0.95 * 400
    assert "MemoryError" in evidence.stderr


def test_a_small_memory_on_the_command_line(tmp_path: Path) -> None:
    faulty_bot(tmp_path, "turn.py", "grows")
    (folder,) = tmp_path.iterdir()
    file = tmp_path / "record.json"
    command = [sys.executable, "-m", "arena", "match", "--variant", "duo", "--memory", "64", "--sandbox", "none"]
    subprocess.run([*command, "--record", file, folder, "random"], check=True, capture_output=True)
    record = read_record(file)
    assert verify(record) == []
    assert "of the 64 MB allowed" in fault_of(record, 0, "memory").detail


def test_a_crash_is_not_blamed_on_memory_because_the_arena_itself_is_large(tmp_path: Path) -> None:
    ballast = bytearray(100_000_000)
    ballast[::4096] = b"x" * len(ballast[::4096])
    record = play(
        faulty_bot(tmp_path, "turn.py", "exits", "3"), "random", limits=msgspec.structs.replace(PLAIN, memory_mb=64)
    )
    assert fault_of(record, 0, "crash").peak_mb < 60


# ---- children


@pytest.mark.parametrize("kind", ["group", "session", "stubborn", "nameless"])
@pytest.mark.parametrize(("then", "fault"), [("plays", None), ("sleeps", "timeout"), ("exits", "crash")])
def test_no_child_outlives_its_bot(tmp_path: Path, kind: str, then: str, fault: FaultKind | None) -> None:
    bot = faulty_bot(tmp_path, "children.py", kind, then)
    record = play("random", bot, time=HASTY)
    if fault:
        evidence = fault_of(record, 1, fault)
        assert "leaves a child" in evidence.stderr
        assert evidence.exit == ("exit code 0" if then == "exits" else "still running")
    else:
        assert record.faults == ()
    child = int((Path(bot.command.cwd) / "child.pid").read_text())
    assert not Path(f"/proc/{child}").exists()


# ---- all of them together


def faulty_bots(home: Path) -> list[Bot]:
    """Return one of each."""
    table = [*AT_START.values(), *AT_A_TURN.values()]
    bots = [faulty_bot(home, case.program, *case.arguments) for case in table]
    bots += [faulty_bot(home, "children.py", kind, "exits") for kind in ("group", "session", "stubborn", "nameless")]
    lines = [b'{"type":"move","turn":{turn},"cells":[[0,1]]}\n', *BAD_MOVE.values()]
    bots += [faulty_bot(home, "says.py", "move", "line", "1", files={"line": line}) for line in lines]
    return [*bots, folder_bot(home, "./nowhere")]


def test_any_mix_of_faulty_and_healthy_bots_ends_and_leaves_nothing(tmp_path: Path) -> None:
    rng = random.Random(20260101)
    faulty = faulty_bots(tmp_path)
    healthy = [load_bot("random"), load_bot("greedy")]
    for seed in range(20):
        variant = rng.choice(["duo", "two", "three", "three-open", "classic", "teams"])
        seats = {"duo": 2, "two": 2, "three": 3, "three-open": 3}.get(variant, 4)
        bots = [rng.choice(faulty if rng.random() < 0.5 else healthy) for _ in range(seats)]
        time = TimeControl(start_ms=2000, move_ms=150, bank_ms=50, increment_ms=5, margin_ms=20)
        record = play(*bots, variant=variant, time=time, seed=seed)
        assert all(bots[fault.seat] in faulty for fault in record.faults)

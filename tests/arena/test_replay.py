"""A record can be judged anew, played again, fed to a bot again, and turned into a game file and back."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from arena.convert import convert, from_blksgf, to_blksgf
from arena.errors import RecordError, UsageError
from arena.limits import TimeControl
from arena.match import MatchSpec
from arena.record import (
    Evidence,
    Fault,
    MatchRecord,
    PassRecord,
    PlyRecord,
    from_json,
    read_record,
    to_json,
    write_file,
)
from arena.replay import lines_for, positions, steps, verify
from arena.rerun import rerun
from tests.arena.helpers import FAULTY_BOTS, HASTY, c_bot, faulty_bot, play, spy_bot

pytestmark = pytest.mark.usefixtures("nothing_is_left")


@pytest.fixture(scope="module")
def healthy() -> MatchRecord:
    """A game of duo with an opening, a bank and no faults."""
    time = TimeControl(start_ms=20_000, move_ms=10_000, bank_ms=1000, increment_ms=10)
    return play("random", "greedy", time=time, opening_plies=4, seed=3)


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> MatchRecord:
    """A game of classic in which seat 1 crashed at its second turn."""
    bot = faulty_bot(tmp_path_factory.mktemp("bots"), "turn.py", "exits", "3")
    return play("random", bot, "random", "greedy", variant="classic", seed=3)


def with_ply(record: MatchRecord, number: int, **changes: Any) -> MatchRecord:
    plies = list(record.plies)
    plies[number] = replace(plies[number], **changes)
    return replace(record, plies=tuple(plies))


def with_fault(record: MatchRecord, **changes: Any) -> MatchRecord:
    return replace(record, faults=(replace(record.faults[0], **changes),))


def shifted(ply: PlyRecord) -> tuple[tuple[int, int], ...]:
    return tuple((row + 1, column) for row, column in ply.cells)


# ---- verify

TAMPERED: dict[str, tuple[Callable[[MatchRecord], MatchRecord], str]] = {
    "a moved piece": (lambda record: with_ply(record, 9, cells=shifted(record.plies[9])), r"turn 9: \w+ may not play"),
    "a changed cell": (
        lambda record: with_ply(record, 9, cells=((0, 0), *record.plies[9].cells[1:])),
        r"turn 9: \w+ may not play",
    ),
    "a cell too few": (lambda record: with_ply(record, 9, cells=record.plies[9].cells[1:]), "turn 9: .* may not play"),
    "no cells": (lambda record: with_ply(record, 9, cells=()), "turn 9: .* may not play .*: not a piece"),
    "cells off the board": (lambda record: with_ply(record, 9, cells=((99, -1),)), "turn 9: .*off the board"),
    "another piece": (lambda record: with_ply(record, 9, piece="no piece"), r"turn 9: \w+ may not play no piece"),
    "a changed score": (
        lambda record: replace(record, scores=record.scores | {"purple": 20}),
        "the score of purple: the record says 20, the rules -",
    ),
    "a score too many": (
        lambda record: replace(record, scores=record.scores | {"pink": 20}),
        "the scored colors: the record says .*pink",
    ),
    "a score missing": (lambda record: replace(record, scores={}), "the score of orange: the record says None"),
    "a changed total": (
        lambda record: replace(record, totals=(0, record.totals[1])),
        "the total of seat 0: the record says 0, the rules -",
    ),
    "swapped ranks": (
        lambda record: replace(record, ranks=record.ranks[::-1]),
        "the rank of seat 0: the record says [12], the rules [12]",
    ),
    "a rank missing": (
        lambda record: replace(record, ranks=(1,)),
        "the number of ranks: the record says 1, the rules 2",
    ),
    "a dropped ply": (
        lambda record: replace(record, plies=record.plies[:9] + record.plies[10:]),
        "the number of a turn: the record says 10, the rules 9",
    ),
    "the last ply dropped": (
        lambda record: replace(record, plies=record.plies[:-1]),
        "the game is not over: .* can still move",
    ),
    "a ply too many": (
        lambda record: replace(record, plies=(*record.plies, record.plies[-1])),
        "turn .*: the game was over by then",
    ),
    "a dropped pass": (lambda record: replace(record, passes=record.passes[1:]), "the passes: the record says"),
    "another reason to pass": (
        lambda record: replace(record, passes=tuple(replace(each, reason="forfeit") for each in record.passes)),
        "the passes: .*forfeit",
    ),
    "swapped colors": (
        lambda record: with_ply(record, 9, color="purple"),
        "turn 9: the color: the record says purple, the rules orange",
    ),
    "another seat": (lambda record: with_ply(record, 9, seat=0), "turn 9: the seat: the record says 0, the rules 1"),
    "another number of a turn": (lambda record: with_ply(record, 9, turn=8), "the number of a turn: the record says 8"),
    "an opening of another seed": (
        lambda record: replace(record, seed=99),
        "the opening: the record says",
    ),
    "a shorter opening": (
        lambda record: with_ply(record, 3, opening=False),
        "the opening: the record says",
    ),
    "a longer opening": (lambda record: with_ply(record, 4, opening=True), "the opening: the record says"),
    "another bank": (
        lambda record: with_ply(record, 9, bank_ms=5000),
        "turn 9: the bank told: the record says 5000, the rules 10",
    ),
    "overtime without a fault": (
        lambda record: with_ply(record, 9, wall_us=12_000_000),
        "turn 9: took longer than allowed, but was not a fault",
    ),
    "overtime that the next bank does not show": (
        lambda record: with_ply(record, 9, wall_us=10_500_000),
        "turn 11: the bank told: the record says",
    ),
    "another reason": (
        lambda record: replace(record, reason="all-forfeited"),
        "the reason: the record says all-forfeited, the rules finished",
    ),
    "another id": (lambda record: replace(record, id="0" * 12), "the id: the record says 000000000000, the rules"),
    "another bot": (
        lambda record: replace(record, seats=(replace(record.seats[0], digest="0"), record.seats[1])),
        "the id: the record says",
    ),
    "a seat too few": (lambda record: replace(record, seats=record.seats[:1]), "duo has 2 seats, the record 1"),
    "another variant": (
        lambda record: replace(record, variant="solo"),
        "solo has 1 seats, the record 2",
    ),
    "an unknown variant": (
        lambda record: replace(record, variant="chess"),
        "chess",
    ),
    "an unknown scoring": (
        lambda record: replace(record, scoring="1/1"),
        "1/1",
    ),
    "a fault made up": (
        lambda record: replace(record, faults=(made_up(seat=1, turn=len(record.plies)),)),
        "the fault of seat 1: it had nothing left to play",
    ),
}


def made_up(seat: int, turn: int) -> Fault:
    return Fault(seat=seat, kind="crash", turn=turn, evidence=Evidence(detail="made up"))


@pytest.mark.parametrize(("tamper", "words"), [pytest.param(*each, id=name) for name, each in TAMPERED.items()])
def test_a_tampered_record_does_not_stand(
    healthy: MatchRecord, tamper: Callable[[MatchRecord], MatchRecord], words: str
) -> None:
    assert verify(healthy) == []
    problems = verify(tamper(healthy))
    assert any(re.search(words, problem) for problem in problems), problems
    assert len(problems) <= 20


@pytest.mark.parametrize(
    ("tamper", "words"),
    [
        (lambda record: replace(record, faults=()), "turn 5: the color: the record says red, the rules yellow"),
        (lambda record: with_fault(record, seat=2), "the fault of seat 2: it was the turn of seat 1"),
        (lambda record: with_fault(record, seat=7), "the fault of seat 7: there is no such seat"),
        (lambda record: with_fault(record, turn=6), "the color: the record says red, the rules yellow"),
        (lambda record: with_fault(record, turn=-1), "the turn: the record says -1, the rules 0"),
        (lambda record: replace(record, faults=record.faults * 2), "it had nothing left to play"),
        (
            lambda record: replace(record, passes=tuple(each for each in record.passes if each.color != "yellow")),
            "the passes: the record says",
        ),
        (lambda record: replace(record, ranks=(1, 1, 1, 1)), "the rank of seat 1: the record says 1, the rules 4"),
    ],
    ids=["dropped", "of another", "of nobody", "later", "before the game", "twice", "no pass", "rank of a forfeiter"],
)
def test_a_tampered_fault_does_not_stand(
    crashed: MatchRecord, tamper: Callable[[MatchRecord], MatchRecord], words: str
) -> None:
    assert verify(crashed) == []
    problems = verify(tamper(crashed))
    assert any(words in problem for problem in problems), problems


def test_a_record_with_everything_wrong_is_told_in_a_few_words(healthy: MatchRecord) -> None:
    wrong = replace(healthy, plies=tuple(replace(ply, color="x", seat=9, turn=-1) for ply in healthy.plies))
    assert len(verify(wrong)) < 250


SPOILT: list[Any] = [None, True, -1, 0, 1, 7, 10**6, 2**70, 0.5, "", "blue", "X", [], [[0, 0]], [[-1, 2**65]], {}]


def spoil(value: Any, rng: random.Random) -> Any:
    """Return JSON with something in it changed."""
    if isinstance(value, dict) and value and rng.random() < 0.95:
        key = rng.choice(list(value))
        return value | {key: spoil(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = rng.randrange(len(value))
        return [*value[:at], *([spoil(value[at], rng)] if rng.random() < 0.9 else []), *value[at + 1 :]]
    return rng.choice(SPOILT)


def test_no_spoilt_record_makes_verify_stumble(healthy: MatchRecord, crashed: MatchRecord) -> None:
    rng = random.Random(5)
    judged = 0
    for number in range(4000):
        good = (healthy, crashed)[number % 2]
        loose = spoil(msgspec.json.decode(to_json(good)), rng)
        try:
            record = from_json(msgspec.json.encode(loose), "here")
        except RecordError:
            continue
        judged += 1
        problems = verify(record)
        if judgeable(record) != judgeable(good):
            assert problems
    assert judged > 300


def judgeable(record: MatchRecord) -> list[Any]:
    """Return what follows from the rules."""
    plies = [(ply.turn, ply.color, ply.seat, ply.piece, ply.cells, ply.opening) for ply in record.plies]
    faults = [(fault.seat, fault.turn) for fault in record.faults]
    return [record.id, record.spec, plies, record.passes, faults, record.scores, record.totals, record.ranks]


# ---- JSON


def test_a_record_survives_its_json(healthy: MatchRecord, crashed: MatchRecord, tmp_path: Path) -> None:
    for record in (healthy, crashed):
        assert from_json(to_json(record), "here") == record
        write_file(tmp_path / "record.json", to_json(record))
        assert read_record(tmp_path / "record.json") == record
    assert [path.name for path in tmp_path.iterdir()] == ["record.json"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "here is not a match record"),
        (b"{", "here is not a match record"),
        (b"[]", "here is not a match record"),
        (b"\xff\xfe", "here is not a match record"),
        (b"{}", "expected a match record of format 1, got None"),
        (b'{"format":2}', "expected a match record of format 1, got 2"),
        (b'{"format":1}', "missing required field"),
        (b'{"format":"1"}', "got '1'"),
        (b"[" * 100_000, "here is not a match record"),
    ],
)
def test_what_is_no_record_is_told_in_words(data: bytes, words: str) -> None:
    with pytest.raises(RecordError, match="here") as caught:
        from_json(data, "here")
    assert words in str(caught.value)


def test_a_record_with_a_field_of_the_wrong_type(healthy: MatchRecord) -> None:
    loose = msgspec.json.decode(to_json(healthy))
    loose["plies"][3]["cells"] = "A1"
    with pytest.raises(RecordError, match=r"plies\[3\]\.cells"):
        from_json(msgspec.json.encode(loose), "here")


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="cannot read"):
        read_record(tmp_path / "nowhere")


# ---- step by step


def test_positions_go_through_plies_and_faults_to_the_end(crashed: MatchRecord) -> None:
    seen = [(game.turn, step) for game, step in positions(crashed)]
    assert seen[0] == (0, None)
    assert [step for _, step in seen[1:]] == list(steps(crashed))
    assert seen[6][1] == crashed.faults[0]
    assert seen[-1][0] == len(crashed.plies)


def test_positions_of_a_broken_record_say_where(healthy: MatchRecord) -> None:
    broken = with_ply(healthy, 5, cells=((0, 0),))
    with pytest.raises(RecordError, match=f"match {healthy.id}, turn 5: "):
        list(positions(broken))


def test_there_are_no_lines_for_a_seat_that_does_not_exist(healthy: MatchRecord) -> None:
    with pytest.raises(RecordError, match="has seats 0 to 1, got 2"):
        list(lines_for(healthy, 2))


# ---- rerun


def rerun_lines(record: MatchRecord, seat: int, *, no_limit: bool = False) -> tuple[bool, list[str]]:
    lines: list[str] = []
    return rerun(record, seat, None, no_limit=no_limit, tell=lines.append), lines


def test_a_rerun_of_a_healthy_bot_gets_through(tmp_path: Path) -> None:
    record = play(spy_bot(tmp_path), "random")
    fine, lines = rerun_lines(record, 0)
    assert fine
    assert lines[0].startswith("hello: ready in ")
    assert lines[-1] == "end of the game"
    assert len(lines) == 2 + sum(ply.seat == 0 for ply in record.plies)
    assert not any("in the record" in line for line in lines)


@pytest.mark.parametrize(
    ("program", "arguments", "words"),
    [
        ("turn.py", ("exits", "3"), "turn 2: crash: ended, or closed its input or output (exit code 3)"),
        ("turn.py", ("dies", "11"), "turn 2: crash: ended, or closed its input or output (signal SIGSEGV)"),
        ("turn.py", ("sleeps",), "turn 2: timeout: did not answer in time"),
        ("plays.py", ("[[[4,4]],[[4,5]]]",), "turn 2: illegal: "),
        ("debug.sh", (), "turn 0: garbage: expected a move message, got "),
        ("start.py", ("exits", "4"), "exit code 4"),
        ("start.py", ("sends a move",), "turn 0: garbage: expected a ready message, got "),
    ],
)
def test_a_rerun_reproduces_a_fault(tmp_path: Path, program: str, arguments: tuple[str, ...], words: str) -> None:
    bot = faulty_bot(tmp_path, program, *arguments) if program.endswith(".py") else str(FAULTY_BOTS / program)
    record = play(bot, "random", time=HASTY)
    fine, lines = rerun_lines(record, 0)
    assert not fine
    assert any(words in line for line in lines), lines
    assert any("stderr: this bot" in line for line in lines)


def test_a_rerun_without_limits_waits_for_a_slow_bot(tmp_path: Path) -> None:
    record = play(faulty_bot(tmp_path, "slow.py", "0.4"), "random", time=HASTY)
    assert record.faults[0].kind == "timeout"
    fine, lines = rerun_lines(record, 0, no_limit=True)
    assert fine
    assert "in the record timeout: expected a move within 0.250 s" in lines[-1]


def test_a_rerun_in_c_reproduces_a_signal() -> None:
    record = play("random", c_bot(FAULTY_BOTS / "segfault.c"))
    fine, lines = rerun_lines(record, 1)
    assert not fine
    assert any("signal SIGSEGV" in line for line in lines)


def test_a_rerun_of_another_program_says_so(tmp_path: Path, healthy: MatchRecord) -> None:
    lines: list[str] = []
    rerun(healthy, 0, "greedy", no_limit=False, tell=lines.append)
    assert lines[0] == "note: greedy is not the program of the record: its content differs"
    assert any("in the record" in line for line in lines)


# ---- game files


@pytest.mark.parametrize("variant", ["classic", "duo", "two", "three", "teams"])
def test_a_game_file_keeps_plies_and_result(variant: str, tmp_path: Path) -> None:
    bots = ["random", "greedy", "random", "greedy"][: {"duo": 2, "two": 2, "three": 3}.get(variant, 4)]
    record = play(*bots, variant=variant)
    write_file(tmp_path / "game.json", to_json(record))
    convert(tmp_path / "game.json", tmp_path / "game.blksgf")
    convert(tmp_path / "game.blksgf", tmp_path / "back.json")
    back = read_record(tmp_path / "back.json")
    assert verify(back) == []
    assert [(ply.piece, ply.cells) for ply in back.plies] == [(ply.piece, ply.cells) for ply in record.plies]
    assert back.scores == record.scores
    if back.spec.variant == variant:  # the format does not tell teams from four single players
        assert (back.totals, back.ranks, back.passes) == (record.totals, record.ranks, record.passes)
    assert [seat.name for seat in back.seats] == [seat.name for seat in record.seats]


def test_a_game_file_keeps_a_forfeit(crashed: MatchRecord) -> None:
    back = from_blksgf(to_blksgf(crashed), "game.blksgf")
    assert verify(back) == []
    assert back.ranks == crashed.ranks
    assert back.scores == crashed.scores
    assert [(fault.seat, fault.turn) for fault in back.faults] == [(1, 5)]
    assert PassRecord(turn=5, color="yellow", seat=1, reason="forfeit") in back.passes


def test_what_cannot_be_converted_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"expected a \.json and a \.blksgf file"):
        convert(tmp_path / "a.json", tmp_path / "b.json")
    with pytest.raises(RecordError, match="cannot read"):
        convert(tmp_path / "a.blksgf", tmp_path / "b.json")
    (tmp_path / "a.blksgf").write_text("(;GM[Chess])")
    with pytest.raises(RecordError, match=r"a\.blksgf"):
        convert(tmp_path / "a.blksgf", tmp_path / "b.json")


def test_specs_with_the_same_words_make_the_same_match(healthy: MatchRecord) -> None:
    digests = [seat.digest for seat in healthy.seats]
    assert healthy.spec.match_id(digests) == healthy.id
    assert MatchSpec(seed=1).match_id(digests) != MatchSpec(seed=2).match_id(digests)

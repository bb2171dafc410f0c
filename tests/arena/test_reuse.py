"""A bot that allows it plays several games in one process; no other does, and no bot gets another one's process."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import msgspec
import pytest

from arena.bots import Bot, load_bot
from arena.limits import TimeControl
from arena.pool import BotPool
from arena.record import MatchRecord
from arena.referee import play_match
from arena.replay import verify
from tests.arena.helpers import HASTY, PATIENT, PLAIN, faulty_bot, messages, spec_of, spy_bot
from tests.arena.leftovers import descendants

pytestmark = pytest.mark.usefixtures("nothing_is_left")


def play_games(bots: list[Bot], pool: BotPool, games: int, time: TimeControl = PATIENT) -> list[MatchRecord]:
    """Play games in which nobody may commit a fault."""
    records = []
    for seed in range(games):
        record = play_match(spec_of(seed=seed, time=time), bots, pool=pool)
        assert verify(record) == []
        assert record.faults == ()
        records.append(record)
    return records


def processes(records: list[MatchRecord], seat: int) -> list[str]:
    """Return the process of a seat in each game, as the bot tells it in its version."""
    ready = [record.seats[seat].ready for record in records]
    return [str(each.version) for each in ready if each]


def test_a_bot_that_allows_it_stays_up(tmp_path: Path) -> None:
    many, one = spy_bot(tmp_path, games="many"), spy_bot(tmp_path, games="one")
    with BotPool() as pool:
        records = play_games([many, one], pool, 4)
        assert list(descendants()) == [int(processes(records, 0)[0])]
    assert len(set(processes(records, 0))) == 1
    assert len(set(processes(records, 1))) == 4
    assert [message["type"] for message in messages(many) if message["type"] != "turn"] == ["hello", "end"] * 4


def test_a_bot_against_itself_has_two_processes(tmp_path: Path) -> None:
    many = spy_bot(tmp_path, games="many")
    with BotPool() as pool:
        records = play_games([many, many], pool, 3)
    assert len({*processes(records, 0), *processes(records, 1)}) == 2


def test_without_a_pool_nobody_stays_up(tmp_path: Path) -> None:
    many = spy_bot(tmp_path, games="many")
    records = [play_match(spec_of(), [many, load_bot("random")]) for _ in range(2)]
    assert len(set(processes(records, 0))) == 2


def test_no_bot_gets_the_process_of_another(tmp_path: Path) -> None:
    first, second = spy_bot(tmp_path, games="many"), spy_bot(tmp_path, games="many")
    with BotPool() as pool:
        ours = processes(play_games([first, load_bot("random")], pool, 2), 0)
        theirs = processes(play_games([second, load_bot("random")], pool, 2), 0)
    assert len(set(ours)) == len(set(theirs)) == 1
    assert set(ours) != set(theirs)


def test_other_limits_need_another_process(tmp_path: Path) -> None:
    bots = [spy_bot(tmp_path, games="many"), load_bot("random")]
    with BotPool() as pool:
        specs = [spec_of(limits=msgspec.structs.replace(PLAIN, memory_mb=size)) for size in (256, 300)]
        records = [play_match(spec, bots, pool=pool) for spec in specs]
    assert len(set(processes(records, 0))) == 2


@pytest.mark.parametrize("habit", ["says goodbye", "says goodbye without an end", "leaves", "stays", "floods"])
def test_a_bot_that_is_not_at_rest_between_games_is_replaced_without_a_fault(tmp_path: Path, habit: str) -> None:
    bots = [spy_bot(tmp_path, habit=habit, games="many"), load_bot("random")]
    time = TimeControl(start_ms=1500, move_ms=10_000)
    if habit == "stays":  # it is up, but does not answer the next hello
        with BotPool() as pool:
            play_games(bots, pool, 1, time)
            record = play_match(spec_of(seed=2, time=time), bots, pool=pool)
        assert [fault.kind for fault in record.faults] == ["no-start"]
        return
    with BotPool() as pool:
        records = play_games(bots, pool, 3, time)
    assert len(set(processes(records, 0))) == 3


def test_a_bot_that_dies_between_games_is_replaced(tmp_path: Path) -> None:
    bots = [spy_bot(tmp_path, games="many"), load_bot("random")]
    with BotPool() as pool:
        first = play_games(bots, pool, 1)
        os.kill(int(processes(first, 0)[0]), signal.SIGKILL)
        second = play_games(bots, pool, 1)
    assert processes(first, 0) != processes(second, 0)


def test_a_bot_that_faults_is_not_used_again(tmp_path: Path) -> None:
    bots = [faulty_bot(tmp_path, "turn.py", "answers ahead"), load_bot("random")]
    with BotPool() as pool:
        for _ in range(2):
            record = play_match(spec_of(), bots, pool=pool)
            assert [fault.kind for fault in record.faults] == ["garbage"]


def test_zombies_do_not_heap_up_while_a_bot_stays_up(tmp_path: Path) -> None:
    leaves_children = faulty_bot(tmp_path, "children.py", "group", "exits")
    stays = spy_bot(tmp_path, games="many")
    with BotPool() as pool:
        for _ in range(3):
            record = play_match(spec_of(time=HASTY), [stays, leaves_children], pool=pool)
            assert [fault.kind for fault in record.faults] == ["crash"]
            (Path(leaves_children.command.cwd) / "child.pid").unlink()
            assert len(descendants()) == 1

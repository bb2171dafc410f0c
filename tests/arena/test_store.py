"""The league's one file of facts."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from arena.errors import ArenaError, UsageError
from arena.limits import TimeControl
from arena.match import MatchSpec
from arena.record import MatchRecord, to_json
from arena.schedule.meetings import Block
from arena.store import FILE_NAME, Division, Store, Task, prepare
from tests.arena.helpers import play

SPEC = MatchSpec(variant="duo", opening_plies=2)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path, now="2026-01-01T00:00:00+00:00", writes=True) as opened:
        yield opened


@pytest.fixture(scope="module")
def record() -> MatchRecord:
    return play("random", "greedy", opening_plies=2)


def _entered(store: Store, *names: str) -> list[int]:
    return [store.add_bot(name, "", "", "Python", f"digest of {name}", "").id for name in names]


def _scheduled(store: Store, *pairs: tuple[int, int]) -> Division:
    division = store.division_of(SPEC)
    store.add_blocks(division, [(Block(1, pair, 100 + at), 2) for at, pair in enumerate(pairs)], SPEC)
    return division


def _keep(store: Store, task: Task, record: MatchRecord, *, is_suspect: bool = False) -> None:
    found = msgspec.structs.replace(record, id=f"{task.block}{task.nth}", seed=task.spec.seed)
    store.add_matches([(task, prepare(found, to_json(found), task.block, task.bots, 5, is_suspect=is_suspect))])


# ---- bots


def test_the_same_content_under_the_same_name_is_the_same_bot(store: Store) -> None:
    first = store.add_bot("ann", "1.0", "A", "Python", "d1", "bots/x")
    assert store.add_bot("ann", "1.0", "A", "Python", "d1", "bots/x") == first
    assert len(store.bots()) == 1


def test_a_changed_bot_is_a_new_version_and_the_old_one_stays(store: Store) -> None:
    store.add_bot("ann", "", "", "", "d1", "")
    store.add_bot("ann", "", "", "", "d2", "")
    assert [(entry.version, entry.status) for entry in store.bots()] == [("1", "superseded"), ("2", "entered")]


def test_a_version_that_was_used_before_gets_a_number(store: Store) -> None:
    store.add_bot("ann", "1.0", "", "", "d1", "")
    assert store.add_bot("ann", "1.0", "", "", "d2", "").version == "1.0-2"


def test_an_old_version_that_is_entered_again_is_the_newest(store: Store) -> None:
    old = store.add_bot("ann", "1.0", "", "", "d1", "")
    new = store.add_bot("ann", "2.0", "", "", "d2", "")
    store.withdraw(new, "worse")
    store.withdraw(old, "")
    store.add_bot("ann", "1.0", "", "", "d1", "")
    assert [entry.status for entry in store.bots()] == ["entered", "withdrawn"]


def test_a_filler_becomes_an_entrant_when_it_is_entered(store: Store) -> None:
    assert store.add_bot("ann", "", "", "", "d1", "", is_filler=True).status == "filler"
    assert store.add_bot("ann", "", "", "", "d1", "").status == "entered"
    assert store.add_bot("ann", "", "", "", "d1", "", is_filler=True).status == "entered"


# ---- divisions


def test_variant_scoring_and_clock_are_kept_apart(store: Store) -> None:
    others = [SPEC, MatchSpec(variant="two"), MatchSpec(variant="duo", time=TimeControl(move_ms=1))]
    assert len({store.division_of(spec).id for spec in others}) == 3
    assert store.division_of(msgspec.structs.replace(SPEC, seed=9, opening_plies=0)) == store.division_of(SPEC)


# ---- the schedule and its matches


def test_what_has_not_been_kept_is_still_to_be_played(store: Store, record: MatchRecord) -> None:
    ann, bob = _entered(store, "ann", "bob")
    division = _scheduled(store, (ann, bob))
    tasks = store.open_tasks(division)
    assert [(task.nth, task.bots) for task in tasks] == [(0, (ann, bob)), (1, (bob, ann))]
    _keep(store, tasks[0], record)
    assert store.open_tasks(division) == tasks[1:]


def test_a_match_cannot_be_kept_twice(store: Store, record: MatchRecord) -> None:
    division = _scheduled(store, (*_entered(store, "ann", "bob"),))  # type: ignore[arg-type]
    task = store.open_tasks(division)[0]
    _keep(store, task, record)
    with pytest.raises(ArenaError, match="UNIQUE"):
        _keep(store, task, record)
    assert store.count_matches() == 1


def test_of_several_matches_all_are_kept_or_none(store: Store, record: MatchRecord) -> None:
    division = _scheduled(store, (*_entered(store, "ann", "bob"),))  # type: ignore[arg-type]
    first, second = store.open_tasks(division)
    kept = prepare(record, to_json(record), first.block, first.bots, 5, is_suspect=False)
    with pytest.raises(ArenaError):
        store.add_matches([(first, kept), (second, kept), (first, kept)])
    assert store.count_matches() == 0


def test_a_suspect_match_is_played_once_more_and_the_last_attempt_stands(store: Store, record: MatchRecord) -> None:
    division = _scheduled(store, (*_entered(store, "ann", "bob"),))  # type: ignore[arg-type]
    first, second = store.open_tasks(division)
    _keep(store, first, record, is_suspect=True)
    again = first._replace(attempt=1)
    assert store.open_tasks(division) == [second, again]
    _keep(store, again, record, is_suspect=True)
    assert store.open_tasks(division) == [second]
    assert [(match.nth, match.is_suspect) for match in store.counted(division)] == [(0, True)]


def test_matches_count_in_the_order_of_the_schedule_whoever_finished_first(store: Store, record: MatchRecord) -> None:
    ann, bob, cat = _entered(store, "ann", "bob", "cat")
    division = _scheduled(store, (ann, bob), (bob, cat))
    for task in reversed(store.open_tasks(division)):
        _keep(store, task, record)
    places = [(match.block, match.nth) for match in store.counted(division)]
    assert places == sorted(places)
    assert len(places) == 4


def test_an_identical_game_is_a_repeat_of_the_first_in_the_schedule(store: Store, record: MatchRecord) -> None:
    ann, bob = _entered(store, "ann", "bob")
    division = _scheduled(store, (ann, bob), (ann, bob))
    for task in reversed(store.open_tasks(division)):
        if task.nth == 0:
            _keep(store, task, record)
    assert [match.is_repeat for match in store.counted(division)] == [False, True]
    store.annul(match=next(store.counted(division)).match, reason="power failure")
    assert [(match.is_repeat, match.is_annulled) for match in store.counted(division)] == [
        (False, True),
        (False, False),
    ]


def test_blocks_are_open_until_all_their_matches_are_settled(store: Store, record: MatchRecord) -> None:
    ann, bob, cat = _entered(store, "ann", "bob", "cat")
    division = _scheduled(store, (ann, bob), (ann, cat), (bob, cat))
    tasks = store.open_tasks(division)
    for task in (tasks[0], tasks[1], tasks[2]):
        _keep(store, task, record, is_suspect=task == tasks[0])
    found = [(block.id, block.missing) for block in store.open_blocks(division)]
    assert found == [(tasks[0].block, 0), (tasks[2].block, 1), (tasks[4].block, 2)]
    assert store.open_blocks(division, after=tasks[2].block) == [(tasks[4].block, (bob, cat), 2)]
    _keep(store, tasks[0]._replace(attempt=1), record, is_suspect=True)
    assert [block.id for block in store.open_blocks(division)] == [tasks[2].block, tasks[4].block]
    assert store.last_place(division, before=tasks[4].block) == (tasks[2].block, 1)


def _checkpoint(store: Store, division: Division, upto: tuple[int, int]) -> None:
    store.save_checkpoint(division, "standings", "key", upto, b"")


@pytest.mark.parametrize(("place", "is_kept"), [((1, 1), True), ((2, 0), False), ((2, 1), False), ((3, 0), False)])
def test_a_match_drops_a_checkpoint_at_its_place_or_beyond(
    place: tuple[int, int], is_kept: bool, store: Store, record: MatchRecord
) -> None:
    ann, bob, cat = _entered(store, "ann", "bob", "cat")
    division = _scheduled(store, (ann, bob), (ann, cat), (bob, cat))
    _checkpoint(store, division, place)
    _keep(store, store.open_tasks(division)[2], record)  # the first of the second block
    assert (store.checkpoint(division, "standings", "key") is not None) == is_kept


def test_a_block_that_grows_drops_a_checkpoint_at_it_or_beyond(store: Store) -> None:
    ann, bob = _entered(store, "ann", "bob")
    division = store.division_of(SPEC)
    blocks = store.add_blocks(division, [(Block(1, (ann, bob), 1), 1), (Block(2, (ann, bob), 2), 1)], SPEC)
    _checkpoint(store, division, (blocks[0].id, 0))
    store.allow_games(blocks[1], 2)
    store.allow_games(blocks[0], 1)  # as it was
    assert store.checkpoint(division, "standings", "key")
    store.allow_games(blocks[0], 2)
    assert store.checkpoint(division, "standings", "key") is None


def test_what_is_no_match_of_the_league_drops_no_checkpoint(store: Store, record: MatchRecord) -> None:
    ann, bob = _entered(store, "ann", "bob")
    division = store.division_of(SPEC)
    store.add_blocks(division, [(Block(1, (ann, bob), 5), 2)], SPEC, "compare:1:2")
    _scheduled(store, (ann, bob))
    _checkpoint(store, division, (2, 1))
    _keep(store, store.open_tasks(division, "compare:1:2")[0], record)
    assert store.checkpoint(division, "standings", "key")


def test_fillers_are_expected_only_while_entrants_are_too_few(store: Store) -> None:
    division = store.division_of(SPEC)
    filler = store.add_bot("filler", "", "", "", "d", "", is_filler=True).id
    (ann,) = _entered(store, "ann")
    assert store.playing(division) == {ann, filler}
    (bob,) = _entered(store, "bob")
    assert store.playing(division) == {ann, bob}
    store.withdraw(store.bots()[1], "")
    assert store.playing(division) == {bob, filler}


def test_an_annulment_concerns_the_divisions_where_it_was_played(store: Store, record: MatchRecord) -> None:
    ann, bob, _ = _entered(store, "ann", "bob", "cat")
    division = _scheduled(store, (ann, bob))
    _keep(store, store.open_tasks(division)[0], record)
    other = store.division_of(MatchSpec(variant="two"))
    store.annul(match=next(store.counted(division)).match, reason="power failure")
    store.annul(bot=store.bots()[0], reason="cheats")
    store.annul(bot=store.bots()[2], reason="has not played")
    assert store.annulled_in(division) == (["10"], [ann])
    assert store.annulled_in(other) == ([], [])


def test_matches_come_from_the_indices_in_their_order(store: Store) -> None:
    seen: list[str] = []
    store._db.set_trace_callback(seen.append)
    list(store.counted_records(store.division_of(SPEC)))
    store._db.set_trace_callback(None)
    (query,) = [text for text in seen if "is_repeat" in text]
    plan = [row[-1] for row in store._rows(f"EXPLAIN QUERY PLAN {query}")]
    assert any("blocks_of_division" in step and "rowid>" in step for step in plan)
    assert not any("TEMP B-TREE" in step for step in plan)


def test_annulling_a_bot_annuls_all_its_matches(store: Store, record: MatchRecord) -> None:
    ann, bob, cat = _entered(store, "ann", "bob", "cat")
    division = _scheduled(store, (ann, bob), (bob, cat))
    for task in store.open_tasks(division):
        _keep(store, task, record)
    store.annul(bot=store.bots()[0], reason="cheats")
    assert [match.is_annulled for match in store.counted(division)] == [True, True, False, False]


def test_a_record_comes_back_as_it_was(store: Store, record: MatchRecord) -> None:
    division = _scheduled(store, (*_entered(store, "ann", "bob"),))  # type: ignore[arg-type]
    task = store.open_tasks(division)[0]
    store.add_matches([(task, prepare(record, to_json(record), task.block, task.bots, 5, is_suspect=False))])
    assert store.record(record.id) == record
    assert store.record(record.id[:6]) == record
    with pytest.raises(UsageError, match="no match ffff"):
        store.record("ffff")


def test_comparisons_do_not_count_in_the_standings(store: Store, record: MatchRecord) -> None:
    ann, bob = _entered(store, "ann", "bob")
    division = store.division_of(SPEC)
    store.add_blocks(division, [(Block(1, (ann, bob), 5), 2)], SPEC, "compare:1:2")
    _keep(store, store.open_tasks(division, "compare:1:2")[0], record)
    assert list(store.counted(division)) == []
    assert len(list(store.counted(division, purpose="compare:1:2"))) == 1
    assert store.open_tasks(division) == []


# ---- the file


def test_a_league_of_another_schema_is_refused(store: Store, tmp_path: Path) -> None:
    store.close()
    with sqlite3.connect(tmp_path / FILE_NAME) as db:
        db.execute("UPDATE meta SET value = '99'")
    db.close()
    with pytest.raises(UsageError, match="expected a league of schema 1, got 99"):
        Store(tmp_path)


def test_a_file_that_is_no_league_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("what is this? not a database, by any means")
    with pytest.raises(ArenaError, match="not a database"):
        Store(tmp_path, writes=True)


def test_a_reader_cannot_write_and_makes_no_league(store: Store, tmp_path: Path) -> None:
    with Store(tmp_path) as reader, pytest.raises(ArenaError, match="readonly"):
        reader.division_of(SPEC)
    with pytest.raises(UsageError, match="no league at"):
        Store(tmp_path / "elsewhere")

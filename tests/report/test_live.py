"""A match while it is played: written down by its worker, read by anybody, followed on the terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.errors import UsageError
from arena.live import FOLDER, LiveHead, LiveWriter, clear_live, read_live, running
from arena.match import MatchSpec
from arena.record import MatchRecord
from arena.store import Store
from arena.watch import find_running, follow, watch
from tests.report.leagues import Plan, build


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> MatchRecord:
    """Return a game with a fault in it."""
    league = build(tmp_path_factory.mktemp("league"), Plan(bots=3, matches=12, faulty=1, variants=("duo",)))
    with Store(league) as store:
        matches = [store.record(found.match) for found in store.counted(store.divisions()[0])]
    return next(match for match in matches if match.faults and match.faults[0].turn > 4)


def _head(record: MatchRecord, pid: int | None = None) -> LiveHead:
    names = tuple(seat.name for seat in record.seats)
    return LiveHead(match=record.id, spec=record.spec, names=names, bots=(1, 2), pid=pid or os.getpid())


def _write(writer: LiveWriter, record: MatchRecord, plies: int) -> None:
    game: Any = None  # what a writer does not look at
    for ply in record.plies[:plies]:
        writer.on_ply(game, ply)


def test_what_is_written_is_read(tmp_path: Path, record: MatchRecord) -> None:
    with LiveWriter(tmp_path, "worker-0", _head(record)) as writer:
        _write(writer, record, 3)
        (found,) = running(tmp_path)
        assert (found.worker, found.head.match, found.head.spec) == ("worker-0", record.id, record.spec)
        assert found.steps == record.plies[:3]
        writer.on_fault(None, record.faults[0])  # type: ignore[arg-type]
        assert read_live(tmp_path / FOLDER / "worker-0.jsonl").steps[-1] == record.faults[0]  # type: ignore[union-attr]
    assert running(tmp_path) == []
    assert read_live(tmp_path / FOLDER / "worker-0.jsonl").is_over  # type: ignore[union-attr]


def test_a_line_that_is_not_finished_waits(tmp_path: Path, record: MatchRecord) -> None:
    with LiveWriter(tmp_path, "worker-0", _head(record)) as writer:
        _write(writer, record, 2)
        path = tmp_path / FOLDER / "worker-0.jsonl"
        path.write_bytes(path.read_bytes() + b'{"ply":{"turn":2,"col')
        assert len(running(tmp_path)[0].steps) == 2


def test_the_next_match_replaces_the_last_one(tmp_path: Path, record: MatchRecord) -> None:
    with LiveWriter(tmp_path, "worker-0", _head(record)) as writer:
        _write(writer, record, 3)
    spec = MatchSpec(variant="duo", seed=99)
    head = LiveHead(match="another", spec=spec, names=("a", "b"), bots=(1, 2), pid=os.getpid())
    with LiveWriter(tmp_path, "worker-0", head):
        (found,) = running(tmp_path)
        assert (found.head.match, found.steps) == ("another", ())


def test_the_match_of_a_dead_worker_is_not_running(tmp_path: Path, record: MatchRecord) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    LiveWriter(tmp_path, "worker-0", _head(record, gone.pid))._handle = -1
    assert running(tmp_path) == []


def test_rubbish_in_the_folder_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "worker-0.jsonl").write_bytes(b"\xff{}\n\n")
    (tmp_path / FOLDER / "worker-1.jsonl").write_bytes(b"")
    assert running(tmp_path) == []
    clear_live(tmp_path)
    assert list((tmp_path / FOLDER).iterdir()) == []


def test_a_match_goes_on_where_nothing_can_be_written(tmp_path: Path, record: MatchRecord) -> None:
    (tmp_path / FOLDER).write_bytes(b"a file where the folder should be")
    with LiveWriter(tmp_path, "worker-0", _head(record)) as writer:
        _write(writer, record, 3)


def test_a_match_is_followed_from_its_start_to_its_end(tmp_path: Path, record: MatchRecord) -> None:
    writer = LiveWriter(tmp_path, "worker-0", _head(record))
    left = list(record.plies)

    def play_on(_: float) -> None:
        if left and record.faults[0].turn != left[0].turn:
            writer.on_ply(None, left.pop(0))  # type: ignore[arg-type]
        else:
            writer.close()

    seen = [step for _, step in follow(tmp_path, find_running(tmp_path, None), play_on)]
    assert seen == [None, *record.plies[: record.faults[0].turn]]


def test_what_is_watched_is_shown(tmp_path: Path, record: MatchRecord) -> None:
    writer = LiveWriter(tmp_path, "worker-0", _head(record))
    _write(writer, record, 2)
    pictures: list[object] = []

    def show(picture: object) -> None:
        pictures.append(picture)
        if len(pictures) == 3:
            writer.close()

    assert watch(tmp_path, record.id[:5], show).head.match == record.id
    assert len(pictures) == 3


def test_a_match_that_is_not_running_is_told_by_name(tmp_path: Path, record: MatchRecord) -> None:
    with pytest.raises(UsageError, match="no match is being played"):
        find_running(tmp_path, None)
    with LiveWriter(tmp_path, "worker-0", _head(record)):
        with pytest.raises(UsageError, match=f"zzz is not being played .* expected one of {record.id}"):
            find_running(tmp_path, "zzz")
        assert find_running(tmp_path, "worker-0").head.match == record.id

"""Matches out of a league and into one: records as JSON lines, tables as CSV or Parquet, games as blksgf."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from arena.convert import to_blksgf
from arena.errors import ArenaError, RecordError, UsageError
from arena.league import League, checked_name
from arena.match import MatchSpec
from arena.record import MatchRecord, SeatRecord, from_json, write_file
from arena.replay import verify
from arena.schedule.meetings import Block, seatings
from arena.standings import keep_all_figures
from arena.store import Counted, Entry, Store, StoredBlock, Task, prepare
from arena.tables import write_table
from arena.text import as_name
from engine import VARIANTS

SUFFIXES = (".jsonl", ".csv", ".parquet")
_NUMBER = re.compile(r"#\d+$")


# ---- out


class Exported(NamedTuple):
    """How many matches were written, and how many left out because they are annulled."""

    written: int
    annulled: int


def export(league: League, target: Path) -> Exported:
    """Write the matches that stand to a file, by its suffix, or as blksgf files into a folder.

    A record cannot say that it is annulled, and would count elsewhere: tables have a column for it, all else leaves out
    what is annulled.
    """
    store = league.store
    if target.suffix and target.suffix not in SUFFIXES:
        raise UsageError(f"expected a file {', '.join(SUFFIXES)} or a folder for blksgf files, got {target.name}")
    try:
        (target.parent if target.suffix else target).mkdir(parents=True, exist_ok=True)
        if target.suffix == ".jsonl":
            return _write_lines(store, target)
        if target.suffix:
            with _whole(target) as scratch:
                return Exported(write_table(appearances(store), scratch, per="match"), 0)
        return _write_games(store, target)
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror or error}") from error


@contextmanager
def _whole(target: Path) -> Iterator[Path]:
    """Yield a file to write, which takes the place of `target` once all of it is there."""
    scratch = target.with_name(f".part-{target.name}")
    try:
        yield scratch
        scratch.replace(target)
    finally:
        scratch.unlink(missing_ok=True)


def _standing(store: Store) -> Iterator[tuple[Counted, bytes]]:
    """Yield the matches of all divisions that stand, annulled ones too, with their records."""
    for division in store.divisions():
        for found, _, data in store.counted_records(division):
            if not data:
                raise ArenaError(f"match {found.match}: the record is damaged (arena verify says more)")
            yield found, data


def _write_lines(store: Store, target: Path) -> Exported:
    count = Counter[bool]()
    with _whole(target) as scratch, scratch.open("wb") as file:
        for found, data in _standing(store):
            count[found.is_annulled] += 1
            if not found.is_annulled:
                file.write(data)
    return Exported(count[False], count[True])


def _write_games(store: Store, folder: Path) -> Exported:
    count = Counter[bool]()
    for found, data in _standing(store):
        count[found.is_annulled] += 1
        if not found.is_annulled:
            record = from_json(data, f"match {found.match}")
            write_file(folder / f"{found.match}.blksgf", to_blksgf(record).encode())
    return Exported(count[False], count[True])


def appearances(store: Store) -> Iterator[dict[str, Any]]:
    """Yield a row for each bot in each match that stands."""
    entries = {entry.id: entry for entry in store.bots()}
    for division in store.divisions():
        specs = {block.id: block.spec for block in store.blocks(division)}
        for found in store.counted(division):
            yield from _rows_of(found, specs[found.block], entries)


def _rows_of(found: Counted, spec: MatchSpec, entries: dict[int, Entry]) -> Iterator[dict[str, Any]]:
    kinds = dict(found.summary.faults)
    outcome = found.summary.outcome
    for seat, bot in enumerate(outcome.bots):
        yield {
            "match": found.match,
            "block": found.block,
            "variant": spec.variant,
            "scoring": spec.scoring,
            "clock": spec.time.kind,
            "move_ms": spec.time.move_ms,
            "seed": spec.seed,
            "seat": seat,
            "bot": entries[bot].name,
            "version": entries[bot].version,
            "rank": outcome.ranks[seat],
            "total": outcome.totals[seat],
            "fault": kinds.get(seat, ""),
            "moves": found.summary.moves[seat],
            "used_ms": round(found.summary.used_us[seat] / 1000, 3),
            "repeat": found.is_repeat,
            "suspect": found.is_suspect,
            "annulled": found.is_annulled,
        }


# ---- in


class Imported(NamedTuple):
    """How many matches came in, and how many were there already."""

    added: int
    known: int


def import_records(league: League, source: Path) -> Imported:
    """Take matches of another league into this one, each judged anew: if one is wrong, none is taken."""
    try:
        lines = [line for line in source.read_bytes().splitlines() if line.strip()]
    except OSError as error:
        raise UsageError(f"cannot read {source}: {error.strerror}") from error
    records = [_checked(line, f"{source}:{number}") for number, line in enumerate(lines, 1)]
    importer = _Importer(league.store)
    with league.store.together():
        added = sum(importer.take(record, line + b"\n") for record, line in zip(records, lines, strict=True))
    if added:
        keep_all_figures(league.store, league.config)
    return Imported(added, len(records) - added)


def _checked(line: bytes, where: str) -> MatchRecord:
    record = from_json(line, where)
    for problem in verify(record):
        raise RecordError(f"{where}: {problem}")
    if len({(seat.digest, _plain_name(seat.name)) for seat in record.seats}) < len(record.seats):
        raise RecordError(f"{where}: a bot plays against itself, which a league does not rate")
    return record


def _plain_name(name: str) -> str:
    """Return the name of a bot that shared it with another one at the table."""
    return _NUMBER.sub("", name)


class _Importer:
    """Finds the place of each match in the schedule, which grows as need be."""

    def __init__(self, store: Store) -> None:
        self._store = store
        places = store.places()
        self._known = {match for match, *_ in places}
        self._taken = {(block, nth) for _, block, nth in places}
        self._bots = {(entry.name, entry.digest): entry.id for entry in store.bots() if entry.status != "trial"}
        self._blocks: dict[tuple[MatchSpec, tuple[int, ...]], StoredBlock] = {}
        self._rounds: Counter[tuple[int, tuple[int, ...]]] = Counter()
        for division in store.divisions():
            for block in store.blocks(division):
                self._note(division.id, block)

    def _note(self, division: int, block: StoredBlock) -> None:
        bots = tuple(sorted(block.bots))
        self._blocks[block.spec, bots] = block
        self._rounds[division, bots] += 1

    def take(self, record: MatchRecord, data: bytes) -> bool:
        """Keep a match; tell whether it is new."""
        if record.id in self._known:
            return False
        bots = tuple(self._bot(seat) for seat in record.seats)
        block, nth = self._place(record.spec, bots)
        duration_ms = sum(ply.wall_us for ply in record.plies) // 1000
        played = prepare(record, data, block.id, bots, duration_ms, is_suspect=False)
        self._store.add_matches([(Task(block.id, nth, 0, bots, record.spec), played)])
        self._known.add(record.id)
        self._taken.add((block.id, nth))
        return True

    def _bot(self, seat: SeatRecord) -> int:
        name = checked_name(_plain_name(seat.name))
        if (name, seat.digest) not in self._bots:
            version, author, language = (as_name(text) for text in (seat.version, seat.author, seat.language))
            found = self._store.know_bot(name, version.replace("@", ""), author, language, seat.digest)
            self._bots[name, seat.digest] = found.id
        return self._bots[name, seat.digest]

    def _place(self, spec: MatchSpec, bots: tuple[int, ...]) -> tuple[StoredBlock, int]:
        """Return the block of a match and its number there; a new one if it was played there under other conditions."""
        block = self._blocks.get((spec, tuple(sorted(bots))))
        every = seatings(block.bots, VARIANTS[spec.variant]) if block else []
        nth = every.index(bots) if bots in every else -1
        if block and nth >= 0 and (block.id, nth) not in self._taken:
            self._store.allow_games(block, nth + 1)
            return block, nth
        division = self._store.division_of(spec)
        number = 1 + self._rounds[division.id, tuple(sorted(bots))]
        (added,) = self._store.add_blocks(division, [(Block(number, bots, spec.seed), 1)], spec)
        self._note(division.id, added)
        return added, 0

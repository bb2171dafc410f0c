"""The league's one file of facts: bots, blocks, match records, annulments. The only module that knows its layout.

How it works: facts are only ever added. A match is finished when its row is committed, with the whole record in it;
what is not there has not been played. `UNIQUE (block, nth, attempt)` makes it impossible to count a match twice.
Ratings are derived; what is kept of them (`checkpoints`) can be deleted at any time, and is deleted by whatever changes
what it was computed of, in the same transaction.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

from arena.errors import ArenaError, UsageError
from arena.limits import TimeControl
from arena.match import MatchSpec
from arena.outcome import Outcome
from arena.record import MatchRecord, from_json
from arena.schedule.meetings import Block, seatings
from engine import VARIANTS

SCHEMA = 1
FILE_NAME = "league.sqlite"
LEAGUE = "league"  # the purpose of matches that count in the standings; others are comparisons
BEGINNING, END = (0, -1), (2**62, 0)  # places in a schedule, as (block, nth), before the first one and after the last

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE bots (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, version TEXT NOT NULL, author TEXT NOT NULL, language TEXT NOT NULL,
    digest TEXT NOT NULL, path TEXT NOT NULL,
    UNIQUE (name, version), UNIQUE (name, digest));
CREATE TABLE events (
    id INTEGER PRIMARY KEY, bot INTEGER NOT NULL REFERENCES bots, kind TEXT NOT NULL, reason TEXT NOT NULL,
    at TEXT NOT NULL);
CREATE TABLE divisions (
    id INTEGER PRIMARY KEY, variant TEXT NOT NULL, scoring TEXT NOT NULL, clock TEXT NOT NULL,
    UNIQUE (variant, scoring, clock));
CREATE TABLE blocks (
    id INTEGER PRIMARY KEY, division INTEGER NOT NULL REFERENCES divisions, round INTEGER NOT NULL,
    bots TEXT NOT NULL, spec TEXT NOT NULL, games INTEGER NOT NULL, purpose TEXT NOT NULL);
CREATE INDEX blocks_of_division ON blocks (division, purpose);
CREATE TABLE matches (
    id INTEGER PRIMARY KEY, block INTEGER NOT NULL REFERENCES blocks, nth INTEGER NOT NULL, attempt INTEGER NOT NULL,
    match TEXT NOT NULL, game BLOB NOT NULL, suspect INTEGER NOT NULL, summary BLOB NOT NULL,
    at TEXT NOT NULL, duration_ms INTEGER NOT NULL, sha256 BLOB NOT NULL, record BLOB NOT NULL,
    UNIQUE (block, nth, attempt));
CREATE INDEX matches_by_name ON matches (match);
CREATE INDEX matches_by_game ON matches (game, block, nth);
CREATE TABLE voids (
    id INTEGER PRIMARY KEY, block INTEGER NOT NULL, nth INTEGER NOT NULL, reason TEXT NOT NULL, at TEXT NOT NULL);
CREATE TABLE annulments (
    id INTEGER PRIMARY KEY, match TEXT, bot INTEGER, reason TEXT NOT NULL, at TEXT NOT NULL);
CREATE TABLE checkpoints (
    division INTEGER NOT NULL, purpose TEXT NOT NULL, key TEXT NOT NULL, block INTEGER NOT NULL, nth INTEGER NOT NULL,
    data BLOB NOT NULL, PRIMARY KEY (division, purpose));
"""

# in the order of the schedule straight from the indices: to sort whole records would take long, and much memory
_STANDING = """
SELECT matches.block, nth, match, summary, suspect,
    EXISTS (SELECT 1 FROM matches AS other JOIN blocks AS theirs ON theirs.id = other.block
        WHERE other.game = matches.game
        AND theirs.division = blocks.division AND theirs.purpose = blocks.purpose
        AND (other.block, other.nth) < (matches.block, matches.nth)
        AND (other.suspect = 0 OR other.attempt > 0)
        AND other.match NOT IN (SELECT match FROM annulments WHERE match IS NOT NULL)) AS is_repeat{columns}
FROM blocks CROSS JOIN matches ON matches.block = blocks.id
WHERE blocks.division = :division AND blocks.purpose = :purpose AND blocks.id BETWEEN :after AND :upto
    AND (blocks.id > :after OR nth > :after_nth) AND (blocks.id < :upto OR nth <= :upto_nth)
    AND attempt = (SELECT max(attempt) FROM matches AS again
        WHERE again.block = matches.block AND again.nth = matches.nth)
ORDER BY blocks.id, nth"""


class Entry(NamedTuple):
    """A bot of the league, at a version."""

    id: int
    name: str
    version: str
    author: str
    language: str
    digest: str
    path: str  # inside the league's folder, or "bundled:NAME"
    status: str  # entered, filler, trial (only compared), elsewhere (has no program here), superseded, withdrawn

    @property
    def is_ranked(self) -> bool:
        """Whether it has a rank: fillers and those who play no more have none."""
        return self.status in ("entered", "elsewhere")

    @property
    def label(self) -> str:
        """Name and version, as `arena` commands take them."""
        return f"{self.name}@{self.version}"


class Division(NamedTuple):
    """What is rated apart: a variant with a scoring and a clock."""

    id: int
    variant: str
    scoring: str
    time: TimeControl

    def __str__(self) -> str:
        clock = f"{self.time.move_ms / 1000:g} s a move"
        if self.time.bank_ms or self.time.increment_ms:
            clock += f" + {self.time.bank_ms / 1000:g} s + {self.time.increment_ms / 1000:g} s"
        clock += " of CPU time" * (self.time.kind == "cpu")
        usual = TimeControl()
        if self.time.start_ms != usual.start_ms:
            clock += f", {self.time.start_ms / 1000:g} s to start"
        if self.time.margin_ms != usual.margin_ms:
            clock += f", {self.time.margin_ms} ms forgiven"
        scoring = "" if self.scoring == "15/5" else f", scoring {self.scoring}"
        return f"{self.variant}{scoring}, {clock}"

    def as_object(self) -> dict[str, Any]:
        """Return it with names, for JSON."""
        return {"title": str(self), "variant": self.variant, "scoring": self.scoring, "time": self.time}


class StoredBlock(NamedTuple):
    """A block of the schedule, with all that its matches share."""

    id: int
    round: int
    bots: tuple[int, ...]
    spec: MatchSpec
    games: int  # how many of its seatings are to be played

    @property
    def seatings(self) -> list[tuple[int, ...]]:
        """The bots by seat, match by match."""
        return seatings(self.bots, VARIANTS[self.spec.variant])[: self.games]

    def as_block(self) -> Block:
        """Return it in the words of the schedule."""
        return Block(self.round, self.bots, self.spec.seed)


class OpenBlock(NamedTuple):
    """A block of which not all has been played."""

    id: int
    bots: tuple[int, ...]
    missing: int  # matches that were never played; others wait to be played again


class Task(NamedTuple):
    """A match that is still to be played."""

    block: int
    nth: int
    attempt: int
    bots: tuple[int, ...]
    spec: MatchSpec


class Played(msgspec.Struct, frozen=True):
    """A finished match on its way into the store, prepared where it was played."""

    match: str
    game: bytes  # the same for the same placements by the same bots in the same seats
    is_suspect: bool
    summary: bytes
    duration_ms: int
    sha256: bytes
    record: bytes


class Summary(msgspec.Struct, frozen=True):
    """What tables need to know of a match, kept beside its record."""

    outcome: Outcome
    moves: tuple[int, ...]  # by seat, those of the opening left out
    used_us: tuple[int, ...]  # by seat: the time for all of them
    faults: tuple[tuple[int, str], ...]  # seat and kind


class Counted(NamedTuple):
    """A match that stands."""

    block: int
    nth: int
    match: str
    summary: Summary
    is_repeat: bool  # the same game has been played before
    is_annulled: bool
    is_suspect: bool


class StoredMatch(NamedTuple):
    """A match as it was kept."""

    match: str
    block: int
    bots: tuple[int, ...]
    spec: MatchSpec
    game: bytes
    sha256: bytes
    summary: Summary | None  # none if it cannot be read
    data: bytes  # the record's JSON; empty if it cannot be read


_summaries = msgspec.msgpack.Decoder(Summary)


def prepare(
    record: MatchRecord, data: bytes, block: int, bots: Sequence[int], duration_ms: int, *, is_suspect: bool
) -> Played:
    """Return a match as it is stored; `data` is the record's JSON."""
    return Played(
        match=record.id,
        game=game_key(record, bots),
        is_suspect=is_suspect,
        summary=msgspec.msgpack.encode(summarize(record, block, bots)),
        duration_ms=duration_ms,
        sha256=hashlib.sha256(data).digest(),
        record=zlib.compress(data, 6),
    )


def game_key(record: MatchRecord, bots: Sequence[int]) -> bytes:
    """Return what is the same for the same placements by the same bots in the same seats."""
    moves = [(ply.seat, ply.piece, ply.cells) for ply in record.plies]
    retired = [(fault.seat, fault.turn) for fault in record.faults]
    text = msgspec.json.encode((bots, record.variant, record.scoring, record.time, moves, retired))
    return hashlib.sha256(text).digest()[:16]


def summarize(record: MatchRecord, block: int, bots: Sequence[int]) -> Summary:
    """Return what tables need to know of a match between these bots of the league."""
    moves, used_us = [0] * len(bots), [0] * len(bots)
    for ply in record.plies:
        if not ply.opening:
            moves[ply.seat] += 1
            used_us[ply.seat] += ply.cpu_us if record.time.kind == "cpu" else ply.wall_us
    outcome = Outcome(
        block=block,
        bots=tuple(bots),
        teams=VARIANTS[record.variant].teams,
        ranks=record.ranks,
        totals=record.totals,
        faulty=tuple(sorted({fault.seat for fault in record.faults})),
    )
    faults = tuple((fault.seat, fault.kind) for fault in record.faults)
    return Summary(outcome, tuple(moves), tuple(used_us), faults)


def check_league(folder: Path) -> None:
    """Raise `UsageError` if there is no league in a folder."""
    if not (folder / FILE_NAME).exists():
        raise UsageError(f"no league at {folder}: expected a folder with {FILE_NAME} (arena tournament makes one)")


class Store:
    """A league's facts; opened to read by anybody, to write by the one who holds the league."""

    def __init__(self, folder: Path, *, now: str | None = None, writes: bool = False) -> None:
        """Open the file; `now` is what new rows carry as their time, if not the time when they are written."""
        self._path = folder / FILE_NAME
        self._fixed_now = now
        self._is_together = False
        if not writes:
            check_league(folder)
        with self._troubles():
            self._db = self._connect(writes=writes)
            try:
                self._prepare(writes=writes)
            except BaseException:
                self._db.close()
                raise

    def _prepare(self, *, writes: bool) -> None:
        self._db.execute("PRAGMA foreign_keys = ON")
        if writes:
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = FULL")  # what is committed survives a power failure
            self._create()
        else:
            self._db.execute("PRAGMA query_only = ON")
        self._check_schema()

    def _connect(self, *, writes: bool) -> sqlite3.Connection:
        place = str(self._path)
        if not writes and not os.access(self._path.parent, os.W_OK) and not Path(f"{place}-wal").exists():
            # somebody else's league, at rest: to read it as usual would need to write beside it
            place = f"file:{quote(place)}?mode=ro&immutable=1"
        is_uri = place.startswith("file:")
        return sqlite3.connect(place, isolation_level=None, timeout=30, check_same_thread=False, uri=is_uri)

    @contextmanager
    def _troubles(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise ArenaError(f"{self._path}: {error}") from error

    def _create(self) -> None:
        if self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone() is None:
            self._db.executescript(f"BEGIN IMMEDIATE; {_TABLES}")
            self._db.execute("INSERT INTO meta VALUES ('schema', ?)", (str(SCHEMA),))
            self._db.execute("COMMIT")

    def _check_schema(self) -> None:
        known = self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone()
        row = known and self._db.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
        if row is None or row[0] != str(SCHEMA):
            found = row[0] if row else "none"
            raise UsageError(f"{self._path}: expected a league of schema {SCHEMA}, got {found}")

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def copy_to(self, target: Path) -> None:
        """Write all of it to another file, as it stands now."""
        with self._troubles(), closing(sqlite3.connect(target)) as copy:
            self._db.backup(copy)

    @property
    def _now(self) -> str:
        return datetime.now(UTC).isoformat(timespec="seconds") if self._fixed_now is None else self._fixed_now

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Keep all that is written inside, or none of it."""
        with self._transaction():
            self._is_together = True
            try:
                yield
            finally:
                self._is_together = False

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        if self._is_together:
            yield self._db
            return
        with self._troubles():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                if self._db.in_transaction:  # a full disk may have rolled it back already
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read everything as it stands now, whatever is added meanwhile."""
        with self._troubles():
            self._db.execute("BEGIN")
        try:
            yield
        finally:
            with self._troubles():
                self._db.rollback()  # nothing was written; a damaged file cannot even be let go of by a commit

    def _rows(self, query: str, *values: Any) -> list[Any]:
        with self._troubles():
            return self._db.execute(query, values).fetchall()

    # ---- bots

    def bots(self) -> list[Entry]:
        """Return all bots that were ever in the league, in the order they came."""
        rows = self._rows("SELECT id, name, version, author, language, digest, path FROM bots ORDER BY id")
        names = {row[0]: row[1] for row in rows}
        kinds: dict[int, str] = {}
        newest: dict[str, int] = {}
        for bot, kind in self._rows("SELECT bot, kind FROM events ORDER BY id"):
            kinds[bot] = kind
            if kind == "entered":
                newest[names[bot]] = bot
        return [Entry._make((*row, _status(row, kinds, newest))) for row in rows]

    def add_bot(
        self,
        name: str,
        version: str,
        author: str,
        language: str,
        digest: str,
        path: str,
        *,
        is_filler: bool = False,
        is_trial: bool = False,
    ) -> Entry:
        """Enter a bot; the same name and content again is the bot that is there already.

        A filler, or a bot on trial, is no entrant, and takes nobody's place; whoever is there already stays what it is.
        """
        with self._transaction() as db:
            row = db.execute("SELECT id FROM bots WHERE name = ? AND digest = ?", (name, digest)).fetchone()
            if row is None:
                row = (self._insert_bot(name, version, author, language, digest, path),)
            db.execute("UPDATE bots SET path = ? WHERE id = ? AND path = ''", (path, row[0]))
            last = db.execute("SELECT kind FROM events WHERE bot = ? ORDER BY id DESC", row).fetchone()
            kind = "trial" if is_trial else "filler" if is_filler else "entered"
            is_new = last is None or (last[0] == "trial" and not is_trial)
            if is_new or (kind == "entered" and self._entry(row[0]).status != "entered"):
                self._note_event(row[0], kind, "")
        return self._entry(row[0])

    def _entry(self, bot: int) -> Entry:
        return next(entry for entry in self.bots() if entry.id == bot)

    def know_bot(self, name: str, version: str, author: str, language: str, digest: str) -> Entry:
        """Return the bot of a match that was played elsewhere; it is new, and has no program here, if need be."""
        for entry in self.bots():
            if (entry.name, entry.digest) == (name, digest):
                if entry.status == "trial":  # with a match in the league it is more than that
                    with self._transaction():
                        self._note_event(entry.id, "elsewhere", "")
                return self._entry(entry.id)
        with self._transaction():
            bot = self._insert_bot(name, version, author, language, digest, "")
            self._note_event(bot, "elsewhere", "")
        return self._entry(bot)

    def _insert_bot(self, name: str, version: str, author: str, language: str, digest: str, path: str) -> int:
        values = (name, self._free_version(name, version), author, language, digest, path)
        query = "INSERT INTO bots (name, version, author, language, digest, path) VALUES (?, ?, ?, ?, ?, ?)"
        return int(self._db.execute(query, values).lastrowid or 0)

    def _free_version(self, name: str, version: str) -> str:
        taken = {row[0] for row in self._rows("SELECT version FROM bots WHERE name = ?", name)}
        if not version:
            return str(len(taken) + 1)
        nth, free = 1, version
        while free in taken:
            nth += 1
            free = f"{version}-{nth}"
        return free

    def enter_again(self, bot: Entry) -> Entry:
        """Make a bot an entrant that was a filler, or had been withdrawn."""
        with self._transaction():
            self._note_event(bot.id, "entered", "")
        return self._entry(bot.id)

    def withdraw(self, bot: Entry, reason: str) -> None:
        """Note that a bot plays no more; its games stay."""
        with self._transaction():
            self._note_event(bot.id, "withdrawn", reason)

    def _note_event(self, bot: int, kind: str, reason: str) -> None:
        self._db.execute(
            "INSERT INTO events (bot, kind, reason, at) VALUES (?, ?, ?, ?)", (bot, kind, reason, self._now)
        )

    # ---- machines

    def note_machine(self, machine: str) -> None:
        """Note that matches are played on a machine like this."""
        with self._transaction() as db:
            db.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (f"machine: {machine}", self._now))

    def machines(self) -> list[str]:
        """Return what kinds of machines matches were played on, in the order they came."""
        rows = self._rows("SELECT key FROM meta WHERE key LIKE 'machine: %' ORDER BY value, key")
        return [row[0].removeprefix("machine: ") for row in rows]

    # ---- the schedule

    def divisions(self) -> list[Division]:
        """Return what has been played apart, in the order it began."""
        rows = self._rows("SELECT id, variant, scoring, clock FROM divisions ORDER BY id")
        return [Division._make((*row[:3], msgspec.json.decode(row[3], type=TimeControl))) for row in rows]

    def scheduled_divisions(self) -> list[Division]:
        """Return those in which the league plays, or means to: not those of comparisons only."""
        any_of = "SELECT 1 FROM blocks WHERE purpose = ? AND division = ? LIMIT 1"
        return [each for each in self.divisions() if self._rows(any_of, LEAGUE, each.id)]

    def played_divisions(self) -> list[Division]:
        """Return those in which the league has played, the one that it played in last at the end."""
        of_league = "FROM blocks JOIN matches ON matches.block = blocks.id WHERE purpose = ?"
        any_of = f"SELECT 1 {of_league} AND division = ? LIMIT 1"
        last = self._rows(f"SELECT division {of_league} ORDER BY matches.id DESC LIMIT 1", LEAGUE)
        played = [each for each in self.divisions() if self._rows(any_of, LEAGUE, each.id)]
        return sorted(played, key=lambda each: each.id == last[0][0])

    def division_of(self, spec: MatchSpec) -> Division:
        """Return the division that a match belongs to, which is new if need be."""
        clock = msgspec.json.encode(spec.time).decode()
        with self._transaction() as db:
            db.execute(
                "INSERT OR IGNORE INTO divisions (variant, scoring, clock) VALUES (?, ?, ?)",
                (spec.variant, spec.scoring, clock),
            )
        return next(
            found
            for found in self.divisions()
            if (found.variant, found.scoring, found.time) == (spec.variant, spec.scoring, spec.time)
        )

    def blocks(self, division: Division, purpose: str = LEAGUE) -> list[StoredBlock]:
        """Return the schedule of a division, in its order."""
        query = "SELECT id, round, bots, spec, games FROM blocks WHERE division = ? AND purpose = ? ORDER BY id"
        return [_block(row) for row in self._rows(query, division.id, purpose)]

    def add_blocks(
        self, division: Division, blocks: Iterable[tuple[Block, int]], spec: MatchSpec, purpose: str = LEAGUE
    ) -> list[StoredBlock]:
        """Add blocks to the schedule, each with the number of its matches to be played; return them."""
        added = []
        with self._transaction() as db:
            for block, games in blocks:
                its_spec = msgspec.structs.replace(spec, seed=block.seed)
                cursor = db.execute(
                    "INSERT INTO blocks (division, round, bots, spec, games, purpose) VALUES (?, ?, ?, ?, ?, ?)",
                    (
                        division.id,
                        block.round,
                        msgspec.json.encode(block.bots).decode(),
                        msgspec.json.encode(its_spec).decode(),
                        games,
                        purpose,
                    ),
                )
                added.append(StoredBlock(int(cursor.lastrowid or 0), block.round, block.bots, its_spec, games))
        return added

    def allow_games(self, block: StoredBlock, games: int) -> None:
        """Let more matches of a block be played: the schedule grows, and never shrinks."""
        with self._transaction() as db:
            grown = db.execute("UPDATE blocks SET games = ? WHERE id = ? AND games < ?", (games, block.id, games))
            if grown.rowcount:
                self._drop_checkpoints_from([(block.id, 0)])

    def open_tasks(self, division: Division, purpose: str = LEAGUE) -> list[Task]:
        """Return the matches that are still to be played, in the order of the schedule; those to be repeated last."""
        rows = self._rows(
            "SELECT matches.block, nth, max(attempt), suspect FROM matches JOIN blocks ON blocks.id = matches.block"
            " WHERE division = ? AND purpose = ? GROUP BY matches.block, nth",
            division.id,
            purpose,
        )
        played = {(block, nth): (attempt, suspect) for block, nth, attempt, suspect in rows}
        tasks = []
        for block in self.blocks(division, purpose):
            for nth, bots in enumerate(block.seatings):
                attempt, is_suspect = played.get((block.id, nth), (-1, 1))
                if is_suspect and attempt < 1:  # a suspect one is played once more
                    tasks.append(Task(block.id, nth, attempt + 1, bots, block.spec))
        return sorted(tasks, key=lambda task: task.attempt)

    def playing(self, division: Division) -> set[int]:
        """Return the bots whose matches can be expected: the entrants, and fillers while those are too few."""
        statuses = {entry.id: entry.status for entry in self.bots()}
        entered = {bot for bot, status in statuses.items() if status == "entered"}
        if len(entered) >= len(VARIANTS[division.variant].seats):
            return entered
        return entered | {bot for bot, status in statuses.items() if status == "filler"}

    def open_blocks(self, division: Division, after: int = 0) -> list[OpenBlock]:
        """Return the blocks after that one of which not all has been played, in the order of the schedule."""
        played = "SELECT count(DISTINCT nth) FROM matches WHERE block = blocks.id"
        settled = f"{played} AND (suspect = 0 OR attempt > 0)"
        query = f"SELECT id, bots, games - ({played}) FROM blocks WHERE division = ? AND purpose = ?"  # noqa: S608
        rows = self._rows(f"{query} AND id > ? AND games > ({settled}) ORDER BY id", division.id, LEAGUE, after)
        return [OpenBlock(row[0], msgspec.json.decode(row[1], type=tuple[int, ...]), row[2]) for row in rows]

    def last_place(self, division: Division, before: int | None = None) -> tuple[int, int]:
        """Return the last match of the schedule, or of what comes before a block, as (block, nth)."""
        rows = self._rows(
            "SELECT id, games FROM blocks WHERE division = ? AND purpose = ? AND id < ? ORDER BY id DESC LIMIT 1",
            division.id,
            LEAGUE,
            END[0] if before is None else before,
        )
        return (rows[0][0], rows[0][1] - 1) if rows else BEGINNING

    # ---- matches

    def add_matches(self, finished: Iterable[tuple[Task, Played]]) -> None:
        """Keep finished matches, all of them or, if this raises, none."""
        finished = list(finished)
        with self._transaction() as db:
            self._drop_checkpoints_from([(task.block, task.nth) for task, _ in finished])
            db.executemany(
                "INSERT INTO matches (block, nth, attempt, match, game, suspect, summary, at, duration_ms, sha256,"
                " record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        task.block,
                        task.nth,
                        task.attempt,
                        played.match,
                        played.game,
                        played.is_suspect,
                        played.summary,
                        self._now,
                        played.duration_ms,
                        played.sha256,
                        played.record,
                    )
                    for task, played in finished
                ],
            )

    def add_void(self, task: Task, reason: str) -> None:
        """Note that a match came to nothing through the arena's own trouble."""
        with self._transaction() as db:
            db.execute(
                "INSERT INTO voids (block, nth, reason, at) VALUES (?, ?, ?, ?)",
                (task.block, task.nth, reason, self._now),
            )

    def voids(self) -> list[tuple[int, int, str]]:
        """Return what came to nothing: block, number in it, reason."""
        return self._rows("SELECT block, nth, reason FROM voids ORDER BY id")

    def counted(
        self,
        division: Division,
        after: tuple[int, int] = BEGINNING,
        upto: tuple[int, int] = END,
        *,
        purpose: str = LEAGUE,
    ) -> Iterator[Counted]:
        """Yield the matches of a division that stand, in the order of the schedule, after `after` and up to `upto`.

        Of a match that was played again, the last attempt stands.
        """
        for found, *_ in self._standing("", division, purpose, after, upto):
            yield found

    def counted_records(self, division: Division) -> Iterator[tuple[Counted, bytes, bytes]]:
        """Yield the matches of a division that stand, each with its hash and its record's JSON (empty if damaged)."""
        for found, sha256, record in self._standing(", sha256, record", division, LEAGUE, BEGINNING, END):
            try:
                yield found, sha256, zlib.decompress(record)
            except zlib.error:
                yield found, sha256, b""

    def _standing(
        self, columns: str, division: Division, purpose: str, after: tuple[int, int], upto: tuple[int, int]
    ) -> Iterator[Any]:
        annulled, bad_bots = self._annulled()
        with self._troubles():
            places = {"after": after[0], "after_nth": after[1], "upto": upto[0], "upto_nth": upto[1]}
            values = {"division": division.id, "purpose": purpose, **places}
            for row in self._db.execute(_STANDING.format(columns=columns), values):
                block, nth, match, data, suspect, is_repeat = row[:6]
                summary = _summaries.decode(data)
                is_annulled = match in annulled or not bad_bots.isdisjoint(summary.outcome.bots)
                yield Counted(block, nth, match, summary, bool(is_repeat), is_annulled, bool(suspect)), *row[6:]

    def period(self, division: Division) -> tuple[str, str] | None:
        """Return when the first and the last match of a division were kept, or None if there is none."""
        query = (
            "SELECT min(at), max(at) FROM matches JOIN blocks ON blocks.id = block WHERE division = ? AND purpose = ?"
        )
        first, last = self._rows(query, division.id, LEAGUE)[0]
        return None if first is None else (first, last)

    def record(self, match: str) -> MatchRecord:
        """Return the record of a match that stands, by its id or the beginning of it."""
        rows = []
        if match.isalnum():
            query = "SELECT match, record FROM matches WHERE match GLOB ? || '*' ORDER BY match, attempt DESC LIMIT 20"
            rows = self._rows(query, match)
        if not rows:
            raise UsageError(f"no match {match} in {self._path}")
        if len({row[0] for row in rows}) > 1:
            raise UsageError(f"{match} means more than one match: {', '.join(sorted({row[0] for row in rows})[:5])}")
        try:
            return from_json(zlib.decompress(rows[0][1]), f"{self._path}, match {rows[0][0]}")
        except zlib.error as error:
            raise ArenaError(f"{self._path}, match {rows[0][0]}: the record is damaged: {error}") from error

    def stored_matches(self) -> Iterator[StoredMatch]:
        """Yield all matches as they were kept, with what the schedule says of them."""
        query = "SELECT match, block, nth, game, sha256, summary, record, bots, spec, games, round FROM matches"
        blocks: dict[int, StoredBlock] = {}
        with self._troubles():
            for row in self._db.execute(f"{query} JOIN blocks ON blocks.id = block ORDER BY block, nth, attempt"):
                match, block, nth, game, sha256, summary, record, bots, spec, games, number = row
                if block not in blocks:
                    blocks = {block: _block((block, number, bots, spec, games))}
                try:
                    data = zlib.decompress(record)
                except zlib.error:
                    data = b""
                found = blocks[block]
                every = seatings(found.bots, VARIANTS[found.spec.variant])
                bots_by_seat = every[nth] if nth < len(every) else ()
                yield StoredMatch(match, block, bots_by_seat, found.spec, game, sha256, _read_summary(summary), data)

    def places(self) -> list[tuple[str, int, int]]:
        """Return all matches of the league, those of comparisons left out: id, block and number in it."""
        query = "SELECT match, block, nth FROM matches JOIN blocks ON blocks.id = block WHERE purpose = ?"
        return self._rows(query, LEAGUE)

    def mean_duration_ms(self, division: Division) -> float | None:
        """Return how long a match took lately, or None if there was none."""
        query = "SELECT avg(duration_ms) FROM (SELECT duration_ms FROM matches CROSS JOIN blocks ON blocks.id = block"
        rows = self._rows(f"{query} WHERE division = ? ORDER BY matches.id DESC LIMIT 200)", division.id)
        return rows[0][0] if rows else None

    def count_matches_of(self, division: Division) -> int:
        """Return how many matches of a division's schedule have been played."""
        query = "SELECT count(DISTINCT block * 64 + nth) FROM matches JOIN blocks ON blocks.id = block"
        return int(self._rows(f"{query} WHERE division = ? AND purpose = ?", division.id, LEAGUE)[0][0])

    def count_matches(self) -> int:
        """Return how many matches are stored."""
        return int(self._rows("SELECT count(*) FROM matches")[0][0])

    def change_mark(self) -> tuple[int, ...]:
        """Return numbers that change whenever something is added."""
        tables = ("matches", "blocks", "events", "annulments")
        return tuple(int(self._rows(f"SELECT coalesce(max(id), 0) FROM {table}")[0][0]) for table in tables)  # noqa: S608

    # ---- annulments

    def annul(self, *, match: str | None = None, bot: Entry | None = None, reason: str) -> None:
        """Note that a match, or all matches of a bot, do not count."""
        with self._transaction() as db:
            db.execute(
                "INSERT INTO annulments (match, bot, reason, at) VALUES (?, ?, ?, ?)",
                (match, bot.id if bot else None, reason, self._now),
            )

    def annulled_in(self, division: Division) -> tuple[list[str], list[int]]:
        """Return the matches and the bots that were annulled, as far as they have to do with a division."""
        matches = self._rows(
            "SELECT DISTINCT annulments.match FROM annulments CROSS JOIN matches ON matches.match = annulments.match"
            " CROSS JOIN blocks ON blocks.id = block WHERE division = ? AND purpose = ? ORDER BY annulments.match",
            division.id,
            LEAGUE,
        )
        bots = self._rows(
            "SELECT DISTINCT bot FROM annulments WHERE bot IS NOT NULL AND EXISTS (SELECT 1 FROM blocks WHERE"
            " division = ? AND purpose = ? AND ',' || trim(bots, '[]') || ',' LIKE '%,' || bot || ',%') ORDER BY bot",
            division.id,
            LEAGUE,
        )
        return [row[0] for row in matches], [row[0] for row in bots]

    def annulments(self) -> list[tuple[str | None, int | None, str, str]]:
        """Return what was annulled: a match or a bot, why, and when."""
        return self._rows("SELECT match, bot, reason, at FROM annulments ORDER BY id")

    def _annulled(self) -> tuple[set[str], set[int]]:
        rows = self.annulments()
        return {row[0] for row in rows if row[0]}, {row[1] for row in rows if row[1] is not None}

    # ---- what is derived, and kept only to save time

    def checkpoint(self, division: Division, purpose: str, key: str) -> tuple[tuple[int, int], bytes] | None:
        """Return what was computed of the matches up to some (block, nth), if its key still holds."""
        rows = self._rows(
            "SELECT block, nth, data FROM checkpoints WHERE division = ? AND purpose = ? AND key = ?",
            division.id,
            purpose,
            key,
        )
        return ((rows[0][0], rows[0][1]), rows[0][2]) if rows else None

    def save_checkpoint(self, division: Division, purpose: str, key: str, upto: tuple[int, int], data: bytes) -> None:
        """Keep what was computed, in place of what was kept before."""
        with self._transaction() as db:
            db.execute(
                "INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?, ?, ?, ?)", (division.id, purpose, key, *upto, data)
            )

    def _drop_checkpoints_from(self, places: Iterable[tuple[int, int]]) -> None:
        """Forget what was computed of matches up to one of these places, as (block, nth), or beyond it."""
        self._db.executemany(
            "DELETE FROM checkpoints WHERE (block, nth) >= (?, ?)"
            " AND division = (SELECT division FROM blocks WHERE id = ? AND purpose = ?)",
            [(block, nth, block, LEAGUE) for block, nth in places],
        )

    # ---- the file

    def damage(self) -> list[str]:
        """Return what is wrong with the file itself, whatever it says; nothing if it is whole."""
        try:
            found = [row[0] for row in self._db.execute("PRAGMA integrity_check(10)") if row[0] != "ok"]
            lost = [] if found else self._db.execute("PRAGMA foreign_key_check").fetchall()
        except sqlite3.DatabaseError as error:
            found, lost = [str(error)], []
        found += [f"row {row} of {table} needs a row of {other} that is not there" for table, row, other, _ in lost]
        return [f"{self._path}: the file is damaged: {problem}" for problem in found]

    def unfounded_attempts(self) -> list[str]:
        """Return the matches that were played again although the attempt before was in order, or is not there."""
        rows = self._rows(
            "SELECT match FROM matches WHERE attempt > 0 AND NOT EXISTS (SELECT 1 FROM matches AS before WHERE"
            " before.block = matches.block AND before.nth = matches.nth AND before.attempt = matches.attempt - 1"
            " AND before.suspect)"
        )
        return [row[0] for row in rows]


def _status(row: Any, kinds: dict[int, str], newest: dict[str, int]) -> str:
    kind = kinds[row[0]]
    is_old = kind in ("entered", "elsewhere") and newest.get(row[1], row[0]) != row[0]
    return "superseded" if is_old else kind


def _block(row: Any) -> StoredBlock:
    bots = msgspec.json.decode(row[2], type=tuple[int, ...])
    return StoredBlock(row[0], row[1], bots, msgspec.json.decode(row[3], type=MatchSpec), row[4])


def _read_summary(data: bytes) -> Summary | None:
    try:
        return _summaries.decode(data)
    except msgspec.MsgspecError:
        return None

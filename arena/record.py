"""What happened in a match: a self-contained, versioned record, and its JSON."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Literal

import msgspec

from arena.errors import ArenaError, RecordError
from arena.match import MatchSpec
from arena.protocol import CellPair, FaultKind, Ready

FORMAT = 1


class SeatRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Who sat there: the bot's name, version and content, and what it said of itself."""

    name: str
    told_name: str  # under which the others knew it during the game
    version: str
    author: str
    language: str
    source: str
    digest: str
    ready: Ready | None


class PlyRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One placement, and the time it took; an opening ply has none."""

    turn: int
    color: str
    seat: int
    piece: str
    cells: tuple[CellPair, ...]
    wall_us: int = 0
    cpu_us: int = 0
    bank_ms: int = 0  # as the bot was told before it
    note: str = ""
    eval: float | None = None
    opening: bool = False


class PassRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A color that dropped out when its turn came, after `turn` placements."""

    turn: int
    color: str
    seat: int
    reason: Literal["blocked", "forfeit"]


class Evidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a fault is proved by; what does not apply is left out."""

    detail: str
    color: str | None = None
    rule: str | None = None
    cells: tuple[CellPair, ...] = ()  # that the rule is broken at
    named: tuple[CellPair, ...] = ()  # that the bot named
    sent: str = ""  # the last line to the bot, cut
    received: str = ""  # the last line from the bot, cut
    exit: str | None = None
    stderr: str = ""
    wall_us: int = 0
    cpu_us: int = 0
    limit_us: int = 0
    peak_mb: float = 0.0


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """How a seat broke the contract."""

    seat: int
    kind: FaultKind
    turn: int
    evidence: Evidence


class MatchRecord(MatchSpec, frozen=True, kw_only=True):
    """A whole match: what was to be played, and what happened."""

    format: int
    arena: str  # the version that played it
    id: str
    sandbox: dict[str, str]  # each attack that was tried on it here, and what stopped it
    seats: tuple[SeatRecord, ...]
    plies: tuple[PlyRecord, ...]
    passes: tuple[PassRecord, ...]
    faults: tuple[Fault, ...]
    reason: Literal["finished", "all-forfeited"]
    scores: dict[str, int]
    totals: tuple[int, ...]
    ranks: tuple[int, ...]

    @property
    def spec(self) -> MatchSpec:
        """What was to be played."""
        return MatchSpec(**{name: getattr(self, name) for name in MatchSpec.__struct_fields__})


_decoder = msgspec.json.Decoder(MatchRecord)


def to_json(record: MatchRecord) -> bytes:
    """Return a record as one line of JSON, with its newline."""
    return msgspec.json.encode(record) + b"\n"


def from_json(data: bytes, where: str) -> MatchRecord:
    """Return the record in some JSON; raises `RecordError`, which names the place."""
    try:
        found = msgspec.json.decode(data, type=dict[str, Any])
        if found.get("format") != FORMAT:
            raise RecordError(f"{where}: expected a match record of format {FORMAT}, got {found.get('format')!r}")
        return _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise RecordError(f"{where} is not a match record: {error}") from error


def read_record(path: Path) -> MatchRecord:
    """Return the record in a file."""
    try:
        return from_json(path.read_bytes(), str(path))
    except OSError as error:
        raise RecordError(f"cannot read {path}: {error.strerror}") from error


def write_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    try:
        handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(scratch).chmod(0o666 & ~_umask())
            Path(scratch).replace(path)
        except BaseException:
            Path(scratch).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ArenaError(f"cannot write {path}: {error.strerror}") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

"""Between our records and Pentobi's game files."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import asdict

from arena.errors import RecordError, UsageError
from arena.match import MatchSpec, seat_names
from arena.record import FORMAT, Evidence, Fault, MatchRecord, PlyRecord, SeatRecord, read_record, to_json, write_file
from arena.replay import passes_of, positions
from arena.version import VERSION
from engine import Game, Placed, RulesError, blksgf


def convert(source: Path, target: Path) -> None:
    """Read a file of one format and write it in the other, as the names say; raises `UsageError`."""
    kinds = (source.suffix, target.suffix)
    if kinds == (".json", ".blksgf"):
        write_file(target, to_blksgf(read_record(source)).encode())
    elif kinds == (".blksgf", ".json"):
        write_file(target, to_json(from_blksgf(_read(source), str(source))))
    else:
        raise UsageError(f"expected a .json and a .blksgf file, got {source.name} and {target.name}")


def _read(source: Path) -> str:
    try:
        return source.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"cannot read {source}: {error}") from error


def to_blksgf(record: MatchRecord) -> str:
    """Return a record as a game file; times and evidence have no place in it."""
    *_, (game, _) = positions(record)
    try:
        return blksgf.dump(game, [seat.name for seat in record.seats])
    except RulesError as error:
        raise RecordError(str(error)) from error


def from_blksgf(text: str, where: str) -> MatchRecord:
    """Return a game file as a record: whoever played it used no time."""
    try:
        found = blksgf.load(text)
    except RulesError as error:
        raise RecordError(f"{where}: {error}") from error
    game = found.game
    if len(game.moves()) != game.turn:
        raise RecordError(f"{where}: a game that begins with pieces on the board cannot be a record")
    spec = MatchSpec(variant=game.variant.name, scoring=game.scoring.name)
    names = seat_names([name or f"player {seat + 1}" for seat, name in enumerate(found.names)])
    seats = tuple([_unknown_bot(name, where) for name in names])
    result = game.result()
    faults = [
        Fault(seat=seat, kind="no-start", turn=turn, evidence=Evidence(detail=f"forfeited in {where}"))
        for seat, turn in game.forfeits()
    ]
    return MatchRecord(
        format=FORMAT,
        arena=VERSION,
        id=spec.match_id([seat.digest for seat in seats]),
        **asdict(spec),
        sandbox={},
        seats=seats,
        plies=tuple(_plies(game)),
        passes=tuple(passes_of(game)),
        faults=tuple(faults),
        reason="all-forfeited" if len(faults) == len(seats) else "finished",
        scores=result.scores,
        totals=tuple(result.totals),
        ranks=tuple(result.ranks),
    )


def _plies(game: Game) -> list[PlyRecord]:
    placed = [event for event in game.events() if isinstance(event, Placed)]
    return [
        PlyRecord(turn=turn, color=event.color, seat=event.seat, piece=event.move.piece, cells=event.move.cells)
        for turn, event in enumerate(placed)
    ]


def _unknown_bot(name: str, source: str) -> SeatRecord:
    return SeatRecord(
        name=name, told_name=name, version="", author="", language="", source=source, digest="", ready=None
    )

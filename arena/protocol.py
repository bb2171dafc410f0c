"""The bot protocol, version 1: every message as a type, and as one line of JSON. docs/protocol.md tells it in words."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypeVar, cast

import msgspec

from arena.limits import LINE_BYTES
from engine import Event, Game, Placed
from engine.placements import Bits, Placements, numbers

PROTOCOL_VERSION = 1
NOTE_CHARACTERS = 500

CellPair: TypeAlias = tuple[int, int]


class Message(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=False, tag_field="type"):
    """A line; its `type` is the class's name in lower case."""


# ---- referee → bot


class BoardSize(msgspec.Struct, frozen=True):
    """The number of rows and columns."""

    rows: int
    cols: int


class Bonuses(msgspec.Struct, frozen=True):
    """What a color gets for placing all its pieces, and on top for placing I1 last."""

    all_placed: int
    monomino_last: int


class SeatInfo(msgspec.Struct, frozen=True):
    """Who sits where with which colors."""

    name: str
    colors: tuple[str, ...]
    team: int


class ClockInfo(msgspec.Struct, frozen=True):
    """The time control; all times in milliseconds."""

    kind: Literal["wall", "cpu"]
    start_ms: int
    move_ms: int
    bank_ms: int
    increment_ms: int
    margin_ms: int


class Hello(Message, frozen=True, kw_only=True, tag="hello"):
    """The first line of a game; a bot answers with `ready`."""

    protocol: int
    match: str
    variant: str
    board: BoardSize
    colors: tuple[str, ...]
    start: dict[str, tuple[CellPair, ...]]
    pieces: dict[str, tuple[CellPair, ...]]
    scoring: Bonuses
    seat: int
    seats: tuple[SeatInfo, ...]
    turning_color: str | None
    clock: ClockInfo
    seed: int


class Played(msgspec.Struct, frozen=True):
    """A piece that was placed (`piece` and `cells`), or a color that has dropped out for good (`pass`)."""

    color: str
    seat: int
    piece: str | msgspec.UnsetType = msgspec.UNSET
    cells: tuple[CellPair, ...] | msgspec.UnsetType = msgspec.UNSET
    reason: Literal["blocked", "forfeit"] | msgspec.UnsetType = msgspec.field(default=msgspec.UNSET, name="pass")


class LegalMove(msgspec.Struct, frozen=True):
    """One legal placement."""

    piece: str
    cells: tuple[CellPair, ...]


class TurnClock(msgspec.Struct, frozen=True):
    """What this move may use: its own time, and what is left in the bank."""

    move_ms: int
    bank_ms: int


class Turn(Message, frozen=True, kw_only=True, tag="turn"):
    """A color of this bot is to move; a bot answers with `move`."""

    turn: int
    color: str
    played: list[Played]
    clock: TurnClock
    legal: list[LegalMove] | msgspec.UnsetType = msgspec.UNSET
    legal_count: int | msgspec.UnsetType = msgspec.UNSET
    board: list[str] | msgspec.UnsetType = msgspec.UNSET


class FaultInfo(msgspec.Struct, frozen=True):
    """Which seat broke the contract, how, and when."""

    seat: int
    kind: str
    turn: int


EndReason: TypeAlias = Literal["finished", "all-forfeited", "void"]


class End(Message, frozen=True, kw_only=True, tag="end"):
    """The game is over."""

    reason: EndReason
    played: list[Played]
    scores: dict[str, int]
    totals: list[int]
    ranks: list[int]
    faults: list[FaultInfo]


# ---- bot → referee


class Ready(Message, frozen=True, kw_only=True, tag="ready"):
    """The answer to `hello`: who the bot is, and what it wants in every `turn`."""

    name: str | msgspec.UnsetType = msgspec.UNSET
    version: str | msgspec.UnsetType = msgspec.UNSET
    author: str | msgspec.UnsetType = msgspec.UNSET
    want: list[str] = msgspec.field(default_factory=list)
    games: Literal["one", "many"] = "one"


class MoveAnswer(Message, frozen=True, kw_only=True, tag="move"):
    """The answer to `turn`: the cells to cover, or an index into the legal list."""

    turn: int
    cells: list[CellPair] | msgspec.UnsetType = msgspec.UNSET
    index: int | msgspec.UnsetType = msgspec.UNSET
    note: str | msgspec.UnsetType = msgspec.UNSET
    eval: float | msgspec.UnsetType = msgspec.UNSET


class Garbage(Exception):
    """A line that is not the message asked for; the text says what was expected and what came."""


_M = TypeVar("_M", bound=Message)
_encoder = msgspec.json.Encoder()
_decoders: dict[type[Message], msgspec.json.Decoder[Any]] = {
    kind: msgspec.json.Decoder(kind) for kind in (Ready, MoveAnswer)
}


def encode(message: Message) -> bytes:
    """Return a message as a compact line with its newline, `type` first."""
    return _encoder.encode(message) + b"\n"


def decode_ready(line: bytes) -> Ready:
    """Return the answer to `hello`, or raise `Garbage`."""
    return _decode(line, Ready, "a ready message")


def decode_move(line: bytes, turn: int, *, has_list: bool) -> MoveAnswer:
    """Return the answer to the `turn` of this number, or raise `Garbage`."""
    answer = _decode(line, MoveAnswer, "a move message")
    if answer.turn != turn:
        raise Garbage(f"expected an answer to turn {turn}, got one to turn {_digits(answer.turn)}")
    if (answer.cells is msgspec.UNSET) == (answer.index is msgspec.UNSET):
        got = "neither" if answer.cells is msgspec.UNSET else "both"
        raise Garbage(f"expected exactly one of cells and index, got {got}")
    if answer.index is not msgspec.UNSET and not has_list:
        raise Garbage('expected cells: an index needs "legal" or "count" in the want of ready')
    return answer


def _decode(line: bytes, kind: type[_M], expected: str) -> _M:
    try:
        if not line.isascii():
            line.decode()
        try:
            message: _M = _decoders[kind].decode(line)
        except msgspec.ValidationError:
            # the typed decoder stops at the first of duplicate keys; the last one counts
            message = msgspec.convert(msgspec.json.decode(line), kind)
    except UnicodeDecodeError as error:
        raise Garbage(f"expected {expected}, got bytes that are not UTF-8 (at byte {error.start})") from None
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise Garbage(f"expected {expected}, got {shown(line)}: {reason}") from None
    return message


def shown(line: bytes) -> str:
    """Return a stranger's line for a message: one printable line, not too long."""
    text = line[:200].decode(errors="replace").rstrip("\r\n")
    text = "".join(mark if mark.isprintable() else repr(mark)[1:-1] for mark in text)
    return f'"{text[:80]}{"…" if len(text) > 80 or len(line) > 200 else ""}"' if text else "a blank line"


def _digits(number: int) -> str:
    return str(number) if abs(number) < 10**12 else "a giant number"


# ---- what the referee's lines are made of


def hello(game: Game, *, match: str, seat: int, seats: tuple[SeatInfo, ...], clock: ClockInfo, seed: int) -> Hello:
    """Return the first line of a game for one seat."""
    variant = game.variant
    return Hello(
        protocol=PROTOCOL_VERSION,
        match=match,
        variant=variant.name,
        board=BoardSize(variant.rows, variant.cols),
        colors=variant.colors,
        start=dict(zip(variant.colors, variant.starts, strict=True)),
        pieces={piece.name: piece.drawing for piece in game.placements.pieces},
        scoring=Bonuses(game.scoring.all_placed, game.scoring.monomino_last),
        seat=seat,
        seats=seats,
        turning_color=variant.turning_color,
        clock=clock,
        seed=seed,
    )


class Chronicle:
    """The events of a game as the protocol tells them; all seats share one."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._entries: list[Played] = []

    def since(self, told: int) -> list[Played]:
        """Return what has happened from event number `told` on."""
        entries = self._entries
        entries += [_played(event) for event in self._game.events(len(entries))]
        return entries[told:]


def _played(event: Event) -> Played:
    if isinstance(event, Placed):
        return Played(event.color, event.seat, event.move.piece, event.move.cells)
    return Played(event.color, event.seat, reason=event.reason)


_fragments: dict[Placements, dict[int, bytes]] = {}


def legal_list(placements: Placements, bits: Bits) -> list[LegalMove]:
    """Return a set of placements as `legal`, encoded already; each one is encoded once in a process's life."""
    fragments = _fragments.setdefault(placements, {})
    parts = []
    for number in numbers(bits):
        part = fragments.get(number)
        if part is None:
            move = placements.move(number)
            part = fragments[number] = _encoder.encode(LegalMove(move.piece, move.cells))
        parts.append(part)
    return cast(list[LegalMove], msgspec.Raw(b"[" + b",".join(parts) + b"]"))


def schema() -> dict[str, Any]:
    """Return the JSON Schema of every message."""
    kinds = (Hello, Turn, End, Ready, MoveAnswer)
    _, components = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    # what a type cannot say: exactly one of two ways
    components["Played"]["oneOf"] = [{"required": ["piece", "cells"]}, {"required": ["pass"]}]
    components["MoveAnswer"]["oneOf"] = [{"required": ["cells"]}, {"required": ["index"]}]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Blokus Arena bot protocol, version 1",
        "description": f"One JSON object a line, at most {LINE_BYTES} bytes from a bot.",
        "oneOf": [{"$ref": f"#/$defs/{kind.__name__}"} for kind in kinds],
        "$defs": components,
    }

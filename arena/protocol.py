"""The bot protocol, version 1: every message as a type, and as one line of JSON. docs/protocol.md tells it in words."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar, cast

import msgspec
from msgspec import Meta

from arena.limits import LINE_BYTES
from engine import VARIANTS, Event, Game, Placed
from engine.pieces import LARGEST
from engine.placements import Bits, Placements, numbers

PROTOCOL_VERSION: Final = 1
NOTE_CHARACTERS = 500
_REASON_CHARACTERS = 200

CellPair: TypeAlias = tuple[int, int]  # as a bot names it: any two whole numbers


# ---- referee → bot
#
# The bounds are for the schema; encoding does not check them. What a bot sends has none: the rules judge its numbers.

_SIDE = max(max(variant.rows, variant.cols) for variant in VARIANTS.values())

Count: TypeAlias = Annotated[int, Meta(ge=0)]
Rank: TypeAlias = Annotated[int, Meta(ge=1)]
Coordinate: TypeAlias = Annotated[int, Meta(ge=0, lt=_SIDE)]
BoardCell: TypeAlias = tuple[Coordinate, Coordinate]
PieceCells: TypeAlias = Annotated[tuple[BoardCell, ...], Meta(min_length=1, max_length=LARGEST)]
BoardRow: TypeAlias = Annotated[str, Meta(pattern="^[.A-Z]+$")]
FaultKind: TypeAlias = Literal["no-start", "timeout", "illegal", "garbage", "flood", "crash", "memory"]


class Message(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=False, tag_field="type"):
    """A line from the referee, which says its `type` first."""


class BoardSize(msgspec.Struct, frozen=True):
    """The number of rows and columns."""

    rows: Annotated[int, Meta(ge=1, le=_SIDE)]
    cols: Annotated[int, Meta(ge=1, le=_SIDE)]


class Bonuses(msgspec.Struct, frozen=True):
    """What a color gets for placing all its pieces, and on top for placing I1 last."""

    all_placed: Count
    monomino_last: Count


class SeatInfo(msgspec.Struct, frozen=True):
    """Who sits where with which colors."""

    name: str
    colors: tuple[str, ...]
    team: Count


class ClockInfo(msgspec.Struct, frozen=True):
    """The time control; all times in milliseconds."""

    kind: Literal["wall", "cpu"]
    start_ms: Count
    move_ms: Count
    bank_ms: Count
    increment_ms: Count
    margin_ms: Count


class Hello(Message, frozen=True, kw_only=True, tag="hello"):
    """The first line of a game; a bot answers with `ready`."""

    protocol: Literal[1]
    match: str
    variant: Annotated[str, Meta(examples=list(VARIANTS))]
    board: BoardSize
    colors: tuple[str, ...]
    start: dict[str, Annotated[tuple[BoardCell, ...], Meta(max_length=1)]]
    pieces: dict[str, PieceCells]
    scoring: Bonuses
    seat: Count
    seats: tuple[SeatInfo, ...]
    turning_color: str | None
    clock: ClockInfo
    seed: Annotated[int, Meta(ge=0, lt=2**53)]


class Played(msgspec.Struct, frozen=True):
    """A piece that was placed (`piece` and `cells`), or a color that has dropped out for good (`pass`)."""

    color: str
    seat: Count
    piece: str | msgspec.UnsetType = msgspec.UNSET
    cells: PieceCells | msgspec.UnsetType = msgspec.UNSET
    reason: Literal["blocked", "forfeit"] | msgspec.UnsetType = msgspec.field(default=msgspec.UNSET, name="pass")


class LegalMove(msgspec.Struct, frozen=True):
    """One legal placement."""

    piece: str
    cells: PieceCells


class TurnClock(msgspec.Struct, frozen=True):
    """What this move may use: its own time, and what is left in the bank."""

    move_ms: Count
    bank_ms: Count


class Turn(Message, frozen=True, kw_only=True, tag="turn"):
    """A color of this bot is to move; a bot answers with `move`."""

    turn: Count
    color: str
    played: list[Played]
    clock: TurnClock
    legal: list[LegalMove] | msgspec.UnsetType = msgspec.UNSET
    legal_count: Annotated[int, Meta(ge=1)] | msgspec.UnsetType = msgspec.UNSET
    board: list[BoardRow] | msgspec.UnsetType = msgspec.UNSET


class FaultInfo(msgspec.Struct, frozen=True):
    """Which seat broke the contract, how, and when."""

    seat: Count
    kind: FaultKind
    turn: Count


EndReason: TypeAlias = Literal["finished", "all-forfeited", "void"]


class End(Message, frozen=True, kw_only=True, tag="end"):
    """The game is over."""

    reason: EndReason
    played: list[Played]
    scores: dict[str, int]
    totals: list[int]
    ranks: list[Rank]
    faults: list[FaultInfo]


# ---- bot → referee


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A line from a bot. Its `type` is a field that must be there; a tag could be left out."""


class Ready(Answer, frozen=True, kw_only=True):
    """The answer to `hello`: who the bot is, and what it wants in every `turn`."""

    type: Literal["ready"]
    name: str | msgspec.UnsetType = msgspec.UNSET
    version: str | msgspec.UnsetType = msgspec.UNSET
    author: str | msgspec.UnsetType = msgspec.UNSET
    want: Annotated[list[str], Meta(description="any of legal, count, board; others are ignored")] = msgspec.field(
        default_factory=list
    )
    games: Literal["one", "many"] = "one"


class MoveAnswer(Answer, frozen=True, kw_only=True):
    """The answer to `turn`: the cells to cover, or an index into the legal list."""

    type: Literal["move"]
    turn: int
    cells: list[CellPair] | msgspec.UnsetType = msgspec.UNSET
    index: int | msgspec.UnsetType = msgspec.UNSET
    note: Annotated[str, Meta(description=f"cut at {NOTE_CHARACTERS} characters")] | msgspec.UnsetType = msgspec.UNSET
    eval: float | msgspec.UnsetType = msgspec.UNSET


class Garbage(Exception):
    """A line that is not the message asked for; the text says what was expected and what came."""


_A = TypeVar("_A", bound=Answer)
_encoder = msgspec.json.Encoder()
_decoders: dict[type[Answer], msgspec.json.Decoder[Any]] = {
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


def _decode(line: bytes, kind: type[_A], expected: str) -> _A:
    try:
        if not line.isascii():
            line.decode()
        try:
            message: _A = _decoders[kind].decode(line)
        except msgspec.ValidationError:
            # the typed decoder stops at the first of duplicate keys; the last one counts
            message = msgspec.convert(msgspec.json.decode(line), kind)
    except UnicodeDecodeError as error:
        raise Garbage(f"expected {expected}, got bytes that are not UTF-8 (at byte {error.start})") from None
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        # a decoder may quote a stranger's word at any length
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:_REASON_CHARACTERS]
        raise Garbage(f"expected {expected}, got {shown(line)}: {reason}") from None
    return message


def shown(line: bytes) -> str:
    """Return a stranger's line for a message: one printable line, not too long."""
    if not line.strip():
        return "a blank line"
    text = line[:200].decode(errors="replace").rstrip("\r\n")
    text = "".join(mark if mark.isprintable() else repr(mark)[1:-1] for mark in text)
    return f'"{text[:80]}{"…" if len(text) > 80 or len(line) > 200 else ""}"'


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
        "title": f"Blokus Arena bot protocol, version {PROTOCOL_VERSION}",
        "description": "One JSON object a line; unknown fields are ignored. The referee is stricter than a schema can "
        f"be: a bot's line holds at most {LINE_BYTES} bytes, and 4.0 is not a whole number.",
        "oneOf": [{"$ref": f"#/$defs/{kind.__name__}"} for kind in kinds],
        "$defs": components,
    }

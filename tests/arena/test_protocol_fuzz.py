"""Whatever a bot sends: nothing but a verdict comes of it, and it is the verdict of the contract."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any, NamedTuple, NoReturn, TypeAlias, cast

import msgspec
import pytest

from arena.bot_process import BotProcess, Log
from arena.briefing import Briefing
from arena.limits import LINE_BYTES, ResourceLimits
from arena.match import MatchSpec
from arena.player import Choice, Player, number_of_answer
from arena.protocol import Chronicle, Garbage, Ready, decode_move, decode_ready
from arena.record import Fault
from arena.sandbox import Confined, Exit
from engine import Game, Move, RulesError
from tests.arena.strange_lines import strange_lines

SEEDS = range(12)
LINES = 10_000  # for each seed

POSITIONS = {
    "classic": 41,
    "two": 30,
    "three": 27,  # the turning color's turn
    "duo": 0,
    "duo-late": 17,
    "solo-descending": 20,
    "solo-tetromino": 6,
    "solo-pentomino": 12,
}


# ---- the verdict by the contract, from the standard library's decoder and the list of legal moves

Verdict: TypeAlias = Move | str  # the move taken, or "garbage" or "illegal"

_EXTREME = re.compile(rb"\\u[dD][89a-fA-F]|[0-9]{300}|[eE][+-]?[0-9]{3}")


def is_extreme(line: bytes) -> bool:
    """Tell what one decoder takes and another does not: half a surrogate pair, numbers beyond all types, nesting."""
    return bool(_EXTREME.search(line)) or line.count(b"[") + line.count(b"{") > 100


class _Refused(Exception):
    pass


def _refuse(_: object) -> NoReturn:
    raise _Refused


def _fields(line: bytes, kind: str) -> dict[str, Any]:
    try:
        found = json.loads(line.decode(), parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise _Refused from None
    if not isinstance(found, dict) or found.get("type") != kind:
        raise _Refused
    return found


def _check(message: dict[str, Any], name: str, fits: bool) -> None:
    if name in message and not fits:
        raise _Refused


def _is_whole(value: object) -> bool:
    return type(value) is int


def _is_cells(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(cell, list) and len(cell) == 2 and all(map(_is_whole, cell)) for cell in value
    )


def _is_finite(value: object) -> bool:
    return type(value) is int or (type(value) is float and math.isfinite(value))


def expected_ready(line: bytes) -> dict[str, Any] | None:
    """Return the fields of a `ready`, or None for anything else."""
    try:
        message = _fields(line, "ready")
        for name in ("name", "version", "author"):
            _check(message, name, isinstance(message.get(name), str))
        want = message.get("want")
        _check(message, "want", isinstance(want, list) and all(isinstance(word, str) for word in want))
        _check(message, "games", message.get("games") in ("one", "many"))
    except _Refused:
        return None
    return {"want": [], "games": "one"} | message


def expected_move(line: bytes, turn: int, legal: list[Move], *, has_list: bool) -> Verdict:
    """Return what the contract says of an answer."""
    try:
        message = _fields(line, "move")
        if not _is_whole(message.get("turn")) or message["turn"] != turn:
            raise _Refused
        if ("cells" in message) == ("index" in message):
            raise _Refused
        _check(message, "note", isinstance(message.get("note"), str))
        _check(message, "eval", _is_finite(message.get("eval")))
        _check(message, "cells", _is_cells(message.get("cells")))
        _check(message, "index", _is_whole(message.get("index")) and has_list)
    except _Refused:
        return "garbage"
    if "index" in message:
        return legal[message["index"]] if 0 <= message["index"] < len(legal) else "illegal"
    cells = tuple(sorted(map(tuple, message["cells"])))
    return next((move for move in legal if move.cells == cells), "illegal")


# ---- the verdict of the arena


class _NoProcess(Confined):
    """A process that is not there."""

    pid = stdin = stdout = stderr = -1
    protections: dict[str, str] = {}  # noqa: RUF012

    def cpu_ns(self) -> int:
        return 0

    def freeze(self) -> None: ...

    def thaw(self) -> None: ...

    def close_stdin(self) -> None: ...

    def close_stderr(self) -> None: ...

    def has_ended(self) -> bool:
        return True

    def end(self) -> Exit:
        return Exit(0, None, 0, 0.0)


class _Pipe(BotProcess):
    """Stands in for a bot's process: answers what it is set to."""

    def __init__(self) -> None:
        self.line = b""
        self.elapsed_ns = 0
        self.limits = ResourceLimits()
        self.log = Log()
        self.confined = _NoProcess()

    def ask(self, line: bytes, budget_ns: int, more_ns: Callable[[int], int] | None = None) -> bytes:
        return self.line

    def check_silence(self) -> None:
        return

    def end(self, grace_ms: int = 0) -> Exit:
        return self.confined.end()


class Position(NamedTuple):
    """A position, and a player for a bot that has asked for a list, or not."""

    game: Game
    legal: list[Move]
    has_list: bool
    pipe: _Pipe
    player: Player


@cache
def positions() -> list[Position]:
    """Return positions in the middle of random games."""
    found = []
    for name, plies in POSITIONS.items():
        game = Game(name.removesuffix("-late"))
        rng = Random(7)
        while game.turn < plies:
            game.play_random(rng)
        assert not game.is_over
        for want in (["count"], []):
            spec = MatchSpec(variant=game.variant.name)
            briefing = Briefing(spec, "fuzz", game, Chronicle(game), game.seat or 0, ["bot"] * 4)
            briefing.note_ready(Ready(type="ready", want=want))
            pipe = _Pipe()
            player = Player(pipe, briefing, game.seat or 0, {}, freezes=False)
            found.append(Position(game, game.legal_moves(), bool(want), pipe, player))
    return found


def verdict_on(position: Position, line: bytes) -> Verdict:
    """Return what the decoder and the rules say of an answer, each step as the referee takes it."""
    game = position.game
    try:
        answer = decode_move(line, game.turn, has_list=position.has_list)
    except Garbage:
        return "garbage"
    try:
        number = number_of_answer(game, answer)
    except RulesError:
        return "illegal"
    return game.placements.move(number)


def players_verdict_on(position: Position, line: bytes) -> Verdict:
    """Return what the referee's player makes of an answer: a choice, or a fault that a record can hold."""
    position.pipe.line = line
    outcome = position.player.choose(position.game)
    if isinstance(outcome, Choice):
        assert len(outcome.note) <= 500
        assert outcome.eval is None or math.isfinite(outcome.eval)
        return position.game.placements.move(outcome.number)
    assert isinstance(outcome, Fault)
    assert outcome.turn == position.game.turn
    assert outcome.evidence.detail.isprintable()
    assert len(outcome.evidence.detail) < 600
    msgspec.json.decode(msgspec.json.encode(outcome), type=Fault)
    return outcome.kind


def ready_verdict_on(line: bytes) -> dict[str, Any] | None:
    """Return the fields of a `ready` as we decode it, or None if it is garbage."""
    try:
        ready = decode_ready(line)
    except Garbage:
        return None
    return cast(dict[str, Any], json.loads(msgspec.json.encode(ready)))


# ---- at random


@pytest.mark.parametrize("seed", SEEDS)
def test_strange_lines_get_the_verdict_of_the_contract(seed: int) -> None:
    rng = Random(seed)
    verdicts = Counter[str]()
    places = positions()
    for place in places:
        for line in strange_lines(place.game, rng, LINES // len(places)):
            verdict = _check_line(place, line)
            verdicts[verdict if isinstance(verdict, str) else "taken"] += 1
    assert verdicts.total() == LINES
    # of each kind enough to mean something
    assert min(verdicts["taken"], verdicts["illegal"], verdicts["garbage"]) > LINES // 50, verdicts


def _check_line(place: Position, line: bytes) -> Verdict:
    verdict = verdict_on(place, line)
    assert isinstance(verdict, str) or verdict in place.legal, line[:500]
    assert players_verdict_on(place, line) == verdict, line[:500]
    ready = ready_verdict_on(line)
    if not is_extreme(line):
        expected = expected_move(line, place.game.turn, place.legal, has_list=place.has_list)
        assert verdict == expected, line[:500]
        said = expected_ready(line)
        assert (ready is None) == (said is None), line[:500]
        assert ready is None or ready == {name: said[name] for name in ready if said}, line[:500]
    return verdict


def test_at_least_a_hundred_thousand_lines_are_tried() -> None:
    assert len(SEEDS) * (LINES // len(positions())) * len(positions()) >= 100_000


# ---- by hand

X = "[[8,9],[9,8],[9,9],[9,10],[10,9]]"
GIANT = "9" * 400


def _move(rest: str) -> bytes:
    return f'{{"type":"move","turn":0,{rest}}}'.encode()


CASES: list[tuple[bytes, str]] = [
    # taken
    (_move(f'"cells":{X}'), "X"),
    (_move('"cells":[[10,9],[9,10],[9,9],[9,8],[8,9]]'), "X"),
    (_move('"index":0'), "I1"),
    (_move('"index":-0'), "I1"),
    (f' \t{{ "turn" : 0 , "cells" : {X} , "type" : "move" }} \r'.encode(), "X"),
    (_move(f'"cells":{X},"weather":{{"rain":[null,1e5]}}'), "X"),
    (_move(f'"cells":{X},"note":"\\u00e9 \\ud83d\\ude00 \\u0000","eval":-1e3'), "X"),
    (_move(f'"cells":{X},"eval":7'), "X"),
    (_move(f'"cells":{X},"note":""'), "X"),
    (f'{{"t\\u0079pe":"move","turn":0,"cells":{X}}}'.encode(), "X"),
    # of duplicate keys the last counts
    (f'{{"type":"hello","turn":"x","turn":9,"cells":null,"type":"move","turn":0,"cells":{X}}}'.encode(), "X"),
    (_move(f'"cells":[[0,0]],"cells":{X}'), "X"),
    (_move(f'"cells":{X},"cells":null'), "garbage: Expected `array`, got `null`"),
    (_move(f'"cells":{X},"type":"ready"'), "garbage: Invalid enum value 'ready'"),
    (_move(f'"cells":{X},"turn":1'), "garbage: expected an answer to turn 0, got one to turn 1"),
    # null is not absent
    (_move(f'"cells":{X},"index":null'), "garbage: Expected `int`, got `null`"),
    (_move(f'"cells":{X},"note":null'), "garbage: Expected `str`, got `null`"),
    (_move(f'"cells":{X},"eval":null'), "garbage: Expected `float`, got `null`"),
    # not the message asked for
    (b"", "garbage: a blank line"),
    (b"\r", "garbage: a blank line"),
    (b" \t ", "garbage: a blank line"),
    (b"thinking...", 'garbage: got "thinking..."'),
    (b"\x1b[2J", 'garbage: got "\\x1b[2J"'),
    (b"null", "garbage: Expected `object`, got `null`"),
    (b"[]", "garbage: Expected `object`, got `array`"),
    (b"{}", "garbage: missing required field `type`"),
    (f'{{"turn":0,"cells":{X}}}'.encode(), "garbage: missing required field `type`"),
    (f'{{"type":"move","cells":{X}}}'.encode(), "garbage: missing required field `turn`"),
    (b'{"type":"ready"}', "garbage: Invalid enum value 'ready'"),
    (f'{{"type":"Move","turn":0,"cells":{X}}}'.encode(), "garbage: Invalid enum value 'Move'"),
    (f'{{"type":["move"],"turn":0,"cells":{X}}}'.encode(), "garbage: Expected `str`"),
    (_move('"index":0') * 2, "garbage: trailing characters"),
    (_move('"index":0') + b"," + _move('"index":0'), "garbage: trailing characters"),
    (_move('"index":0') + b"\x00", "garbage: trailing characters"),
    (_move('"index":0')[:-1], "garbage: truncated"),
    (_move('"index":0,'), "garbage: trailing comma"),
    (b"\xef\xbb\xbf" + _move('"index":0'), "garbage: \\ufeff"),
    (_move('"index":0').decode().encode("utf-16"), "garbage: not UTF-8 (at byte 0)"),
    (b'{"type":"move","turn":0,"index":0,"x":"\xff"}', "garbage: not UTF-8 (at byte 39)"),
    (b'{"type":"move","turn":0,"index":0,"note":"\xed\xa0\x80"}', "garbage: not UTF-8 (at byte 42)"),
    (_move('"index":0,"note":"\\ud800"'), "garbage: "),
    (_move('"index":0,"note":"\\udc00"'), "garbage: "),
    (_move('"index":0,"note":"a\tb"'), "garbage: invalid character"),
    (_move('"index":0,"note":"a\\qb"'), "garbage: invalid escape"),
    (b"{'type':'move','turn':0,'index':0}", "garbage: object keys must be strings"),
    # numbers
    (f'{{"type":"move","turn":0.0,"cells":{X}}}'.encode(), "garbage: Expected `int`, got `float`"),
    (f'{{"type":"move","turn":"0","cells":{X}}}'.encode(), "garbage: Expected `int`, got `str`"),
    (f'{{"type":"move","turn":false,"cells":{X}}}'.encode(), "garbage: Expected `int`, got `bool`"),
    (f'{{"type":"move","turn":-1,"cells":{X}}}'.encode(), "garbage: expected an answer to turn 0, got one to turn -1"),
    (f'{{"type":"move","turn":{GIANT},"cells":{X}}}'.encode(), "garbage: got one to turn a giant number"),
    (_move('"index":0.0'), "garbage: Expected `int`, got `float`"),
    (_move('"index":1e0'), "garbage: Expected `int`, got `float`"),
    (_move('"index":"0"'), "garbage: Expected `int`, got `str`"),
    (_move('"index":00'), "garbage: invalid number"),
    (_move('"index":+0'), "garbage: invalid character"),
    (_move('"index":0,"eval":NaN'), "garbage: invalid character"),
    (_move('"index":0,"eval":-Infinity'), "garbage: invalid character"),
    (_move('"index":0,"eval":1e999'), "garbage: Number out of range"),
    (_move(f'"index":0,"eval":{GIANT}'), "garbage: Number out of range"),
    (_move('"index":0,"eval":"0.5"'), "garbage: Expected `float`, got `str`"),
    (_move('"index":0,"eval":true'), "garbage: Expected `float`, got `bool`"),
    (_move('"cells":[[8.0,9]]'), "garbage: Expected `int`, got `float`"),
    (_move('"cells":[["8",9]]'), "garbage: Expected `int`, got `str`"),
    (_move('"cells":[[8]]'), "garbage: Expected `array` of length 2, got 1"),
    (_move('"cells":[[8,9,0]]'), "garbage: Expected `array` of length 2, got 3"),
    (_move('"cells":[8,9]'), "garbage: Expected `array`, got `int`"),
    (_move('"cells":"J9"'), "garbage: Expected `array`, got `str`"),
    (_move('"cells":{"row":8,"col":9}'), "garbage: Expected `array`, got `object`"),
    (_move('"index":0,"x":' + "[" * 30_000 + "]" * 30_000), "garbage: it is nested too deeply"),
    (_move('"cells":' + "[" * 60_000), "garbage: "),
    # one of two
    (b'{"type":"move","turn":0}', "garbage: exactly one of cells and index, got neither"),
    (_move(f'"cells":{X},"index":0'), "garbage: exactly one of cells and index, got both"),
    # against the rules
    (_move('"index":414'), "illegal: no legal move has index 414: there are 414, counted from 0"),
    (_move('"index":-1'), "illegal: no legal move has index -1"),
    (_move(f'"index":{GIANT}'), "illegal: no legal move has index"),
    (_move('"cells":[]'), "illegal: not a piece"),
    (_move('"cells":[[9,9],[9,9]]'), "illegal: not a piece: cell (9,9) is named twice"),
    (_move('"cells":[[9,9],[9,11]]'), "illegal: not a piece"),
    (_move('"cells":[[9,5],[9,6],[9,7],[9,8],[9,9],[9,10]]'), "illegal: not a piece: a piece covers at most 5 cells"),
    (_move('"cells":[[9,13],[9,14]]'), "illegal: off the board: (9,14)"),
    (_move('"cells":[[-1,0]]'), "illegal: off the board: (-1,0)"),
    (_move(f'"cells":[[{GIANT},0]]'), "illegal: off the board"),
    (_move('"cells":[[0,0]]'), "illegal: start square: the first piece of orange must cover (9,9)"),
]


@pytest.fixture(scope="module")
def second_seats_first_turn() -> Position:
    """Return a game of duo in which purple has forfeited, so that orange begins with turn 0."""
    game = Game("duo")
    game.retire(0)
    briefing = Briefing(MatchSpec(variant="duo"), "table", game, Chronicle(game), 1, ["a", "b"])
    briefing.note_ready(Ready(type="ready", want=["count"]))
    pipe = _Pipe()
    return Position(game, game.legal_moves(), True, pipe, Player(pipe, briefing, 1, {}, freezes=False))


@pytest.mark.parametrize(("line", "expected"), CASES, ids=lambda value: repr(value)[:70])
def test_an_answer_is_judged_as_the_table_says(line: bytes, expected: str, second_seats_first_turn: Position) -> None:
    place = second_seats_first_turn
    verdict = _check_line(place, line)
    place.pipe.line = line
    outcome = place.player.choose(place.game)
    if isinstance(outcome, Fault):
        kind, _, words = expected.partition(": ")
        assert outcome.kind == kind
        assert words in outcome.evidence.detail
    else:
        assert isinstance(verdict, Move)
        assert verdict.piece == expected


def test_an_index_without_a_list_is_garbage() -> None:
    with pytest.raises(Garbage, match='an index needs "legal" or "count" in the want of ready'):
        decode_move(_move('"index":0'), 0, has_list=False)


READY_CASES: list[tuple[bytes, str]] = [
    (b'{"type":"ready"}', ""),
    (b'{"type":"ready","want":[]}\r', ""),
    (b'{"type":"ready","want":["legal","legal","rain",""],"games":"many"}', ""),
    (b'{"type":"ready","name":"","version":"","author":"","protocol":2}', ""),
    (b'{"type":"ready","name":1,"name":"last"}', ""),
    (b'{"type":"move","type":"ready"}', ""),
    (b"{}", "missing required field `type`"),
    (b'{"type":"move","turn":0,"index":0}', "expected a ready message, got"),
    (b'{"type":"ready","name":"last","name":1}', "Expected `str`, got `int` - at `$.name`"),
    (b'{"type":"ready","name":null}', "Expected `str`, got `null` - at `$.name`"),
    (b'{"type":"ready","version":1.4}', "Expected `str`, got `float` - at `$.version`"),
    (b'{"type":"ready","want":null}', "Expected `array`, got `null` - at `$.want`"),
    (b'{"type":"ready","want":"legal"}', "Expected `array`, got `str` - at `$.want`"),
    (b'{"type":"ready","want":[null]}', "Expected `str`, got `null` - at `$.want[0]`"),
    (b'{"type":"ready","games":"two"}', "Invalid enum value 'two' - at `$.games`"),
    (b'{"type":"ready","games":2}', "Expected `str`, got `int` - at `$.games`"),
    (b'{"type":"' + b"a" * 60_000 + b'"}', "Invalid enum value 'aaa"),
    (b'{"type":"ready"}{"type":"ready"}', "trailing characters"),
    (b'\xef\xbb\xbf{"type":"ready"}', "invalid character (byte 0)"),
    (b"ready", 'expected a ready message, got "ready"'),
    (b"", "got a blank line"),
]


@pytest.mark.parametrize(("line", "words"), READY_CASES, ids=lambda value: repr(value)[:70])
def test_a_ready_is_judged_as_the_table_says(line: bytes, words: str) -> None:
    assert (ready_verdict_on(line) is None) == (expected_ready(line) is None) == bool(words)
    if words:
        with pytest.raises(Garbage) as caught:
            decode_ready(line)
        assert words in str(caught.value)
        assert len(str(caught.value)) < 600


def test_the_worst_that_fits_into_a_line_is_judged_like_any_other() -> None:
    for part in (b"[", b'{"a":', b"9", b'"\\ud83d\\ude00",', b"[[0,0]],", b'"turn":0,'):
        line = (b'{"type":"move","turn":0,"cells":[' + part * LINE_BYTES)[: LINE_BYTES - 1]
        with pytest.raises(Garbage) as caught:
            decode_move(line, 0, has_list=True)
        assert len(str(caught.value)) < 600

"""The contract: what the referee sends, byte for byte, and what it takes from a bot."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import msgspec
import pytest

from arena import protocol
from arena.limits import LINE_BYTES
from arena.protocol import End, Garbage, Hello, Message, MoveAnswer, Ready, Turn, decode_move, decode_ready
from arena.record import MatchRecord
from arena.replay import lines_for, verify
from engine import PIECES, VARIANTS, Game
from tests.arena import transcripts
from tests.arena.transcripts import GOLDEN, PLANS, Line, Transcript

DOCS = Path(__file__).parent.parent.parent / "docs"
SCHEMA_FILE = DOCS / "protocol.schema.json"


# ---- transcripts


@pytest.mark.parametrize("name", PLANS)
def test_the_referee_sends_the_recorded_bytes_again(name: str, tmp_path: Path, updates_golden: bool) -> None:
    file = GOLDEN / f"{name}.jsonl"
    if updates_golden:
        GOLDEN.mkdir(parents=True, exist_ok=True)
        file.write_text(transcripts.to_text(transcripts.record(PLANS[name], tmp_path)), encoding="utf-8")
    transcript = transcripts.read(file)
    result, lines = transcripts.play_again(transcript, tmp_path)
    assert [_without_id(line) for line in lines] == [_without_id(line) for line in transcript.lines]
    _check_rebuilding(result, lines)


def _without_id(line: Line) -> Line:
    return line._replace(text=transcripts.without_id(line.text))


def _check_rebuilding(result: MatchRecord, lines: list[Line]) -> None:
    """Check that the record holds up, and tells each bot's lines exactly."""
    assert verify(result) == []
    for seat in range(len(result.seats)):
        sent = [line.text + b"\n" for line in lines if line.seat == seat and line.sender == "referee"]
        assert [told.line for told in lines_for(result, seat)] == sent


def test_every_variant_has_a_transcript_and_every_file_is_played() -> None:
    assert {plan.spec.variant for plan in PLANS.values()} == set(VARIANTS)
    assert {file.stem for file in GOLDEN.glob("*")} == set(PLANS)
    assert sum(file.stat().st_size for file in GOLDEN.glob("*")) < 300_000


@cache
def _all_transcripts() -> list[Transcript]:
    return [transcripts.read(file) for file in sorted(GOLDEN.glob("*.jsonl"))]


def _referee_lines() -> list[bytes]:
    return [line.text for each in _all_transcripts() for line in each.lines if line.sender == "referee"]


def test_the_referees_lines_are_compact_with_type_first() -> None:
    for text in _referee_lines():
        message = json.loads(text)
        assert next(iter(message)) == "type"
        assert json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode() == text


def test_the_transcripts_show_every_field_of_the_referees_messages() -> None:
    kinds: dict[str, type[Message]] = {"hello": Hello, "turn": Turn, "end": End}
    seen: dict[str, set[str]] = {kind: set() for kind in kinds}
    for message in map(json.loads, _referee_lines()):
        seen[message["type"]] |= set(message)
    for kind, struct in kinds.items():
        assert seen[kind] == {"type", *struct.__struct_encode_fields__}


def test_the_transcripts_show_placements_and_both_kinds_of_passes() -> None:
    shapes = {(*event, event.get("pass")) for text in _referee_lines() for event in json.loads(text).get("played", [])}
    placed = ("color", "seat", "piece", "cells", None)
    assert shapes == {placed, ("color", "seat", "pass", "blocked"), ("color", "seat", "pass", "forfeit")}


def test_everybody_hears_everything_once_and_in_order() -> None:
    for transcript in _all_transcripts():
        heard: dict[int, list[Any]] = {}
        for line in transcript.lines:
            if line.sender == "referee":
                heard.setdefault(line.seat, []).extend(json.loads(line.text).get("played", []))
        longest = max(heard.values(), key=len)
        for events in heard.values():
            assert events == longest[: len(events)]


def test_turn_counts_the_pieces_placed() -> None:
    for transcript in _all_transcripts():
        placed = dict.fromkeys(range(len(transcript.bots)), 0)
        for line in transcript.lines:
            message = json.loads(line.text) if line.sender == "referee" else {}
            placed[line.seat] += len([event for event in message.get("played", []) if "piece" in event])
            if message.get("type") == "turn":
                assert message["turn"] == placed[line.seat]


# ---- what the lines hold


def _hellos() -> dict[str, dict[str, Any]]:
    """Return the first line to the last seat of every transcript."""
    return {
        name: json.loads(transcripts.read(GOLDEN / f"{name}.jsonl").lines[len(plan.bots) - 1].text)
        for name, plan in PLANS.items()
    }


def test_hello_tells_the_variant() -> None:
    for hello in _hellos().values():
        variant = VARIANTS[hello["variant"]]
        assert hello["board"] == {"rows": variant.rows, "cols": variant.cols}
        assert hello["colors"] == list(variant.colors)
        assert list(hello["start"]) == hello["colors"]
        assert [[tuple(cell) for cell in cells] for cells in hello["start"].values()] == [*map(list, variant.starts)]
        assert list(hello["pieces"]) == list(variant.pieces)
        assert [tuple(seat["colors"]) for seat in hello["seats"]] == list(variant.seats)
        assert hello["seat"] == len(variant.seats) - 1
        assert hello["seed"] < 2**53


@pytest.mark.parametrize(
    ("name", "teams", "turning_color", "scoring"),
    [
        ("classic", [0, 1, 2, 3], None, [15, 5]),
        ("teams", [0, 1, 0, 1], None, [15, 5]),
        ("two", [0, 1], None, [15, 5]),
        ("three", [0, 1, 2], "green", [15, 5]),
        ("three-open", [0, 1, 2], None, [15, 5]),
        ("solo", [0], None, [0, 0]),
        ("solo-tetromino", [0], None, [0, 0]),
    ],
)
def test_hello_tells_who_plays_for_what(
    name: str, teams: list[int], turning_color: str | None, scoring: list[int]
) -> None:
    hello = _hellos()[name]
    assert [seat["team"] for seat in hello["seats"]] == teams
    assert hello["turning_color"] == turning_color
    assert list(hello["scoring"].values()) == scoring


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("classic", ["random", "greedy", "random#2", "greedy#2"]),
        ("three-open", ["player 1", "player 2", "random#2"]),  # anonymous, but for one's own
    ],
)
def test_hello_tells_equal_names_apart(name: str, names: list[str]) -> None:
    assert [seat["name"] for seat in _hellos()[name]["seats"]] == names


def test_every_seat_has_a_seed_of_its_own() -> None:
    lines = transcripts.read(GOLDEN / "classic.jsonl").lines[:4]
    assert len({json.loads(line.text)["seed"] for line in lines}) == 4


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_legal_list_is_in_its_fixed_order(variant: str) -> None:
    game = Game(variant)
    rng = Random(1)
    for _ in range(9):
        legal = msgspec.json.decode(_raw_list(game), type=list[protocol.LegalMove])
        assert [(move.piece, move.cells) for move in legal] == game.legal_moves()
        keys = [(list(PIECES).index(move.piece), move.cells) for move in legal]
        assert keys == sorted(set(keys))
        assert all(list(move.cells) == sorted(set(move.cells)) for move in legal)
        game.play_random(rng)


def _raw_list(game: Game) -> bytes:
    return msgspec.json.encode(protocol.legal_list(game.placements, game.legal_bits()))


def test_list_count_and_board_agree_with_what_was_played() -> None:
    board = [["."] * 14 for _ in range(14)]
    for line in transcripts.read(GOLDEN / "every-want.jsonl").lines:
        message = json.loads(line.text) if (line.seat, line.sender) == (0, "referee") else {}
        for event in message.get("played", []):
            for row, col in event.get("cells", []):
                board[row][col] = event["color"][0].upper()
        if message.get("type") == "turn":
            assert message["board"] == ["".join(row) for row in board]
            assert message["legal_count"] == len(message["legal"])


# ---- the schema


def test_the_schema_in_the_docs_is_up_to_date(check_golden: Callable[[Path, str], None]) -> None:
    check_golden(SCHEMA_FILE, json.dumps(protocol.schema(), indent=2) + "\n")


@cache
def _validator(kind: str = "") -> Any:
    schema = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    if kind:
        schema = {"$defs": schema["$defs"], "$ref": f"#/$defs/{kind}"}
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


_TYPES = {"hello": "Hello", "turn": "Turn", "end": "End", "ready": "Ready", "move": "MoveAnswer"}


@pytest.mark.parametrize("name", PLANS)
def test_every_recorded_line_fits_the_schema(name: str) -> None:
    for line in transcripts.read(GOLDEN / f"{name}.jsonl").lines:
        if not line.text.startswith(b"{"):
            assert name in ("forfeits", "all-forfeited")  # the garbage itself
            continue
        message = json.loads(line.text)
        _validator(_TYPES[message["type"]]).validate(message)


def test_a_message_fits_its_own_schema_and_no_other() -> None:
    for name in ("duo", "every-want"):
        for line in transcripts.read(GOLDEN / f"{name}.jsonl").lines:
            message = json.loads(line.text)
            _validator().validate(message)
            fitting = [kind for kind in _TYPES.values() if _validator(kind).is_valid(message)]
            assert fitting == [_TYPES[message["type"]]]


@pytest.mark.parametrize(
    "message",
    [
        {"type": "move", "turn": 1},
        {"type": "move", "turn": 1, "index": 0, "cells": [[0, 0]]},
        {"type": "move", "turn": 1, "cells": [[0, 0, 0]]},
        {"type": "move", "turn": 1.5, "index": 0},
        {"type": "move", "turn": 1, "index": 0, "note": None},
        {"turn": 1, "index": 0},
        {"type": "ready", "want": "legal"},
        {"type": "ready", "games": "several"},
        {"type": "ready", "name": None},
        {"type": "end"},
        {"type": "bye"},
        [],
    ],
    ids=json.dumps,
)
def test_the_schema_refuses_what_the_referee_refuses(message: object) -> None:
    assert not _validator().is_valid(message)
    line = json.dumps(message).encode()
    with pytest.raises(Garbage):
        decode_ready(line)
    with pytest.raises(Garbage):
        decode_move(line, 1, has_list=True)


# ---- the examples of the contract

HELLO = """
{"type":"hello","protocol":1,"match":"6f1c09","variant":"duo","board":{"rows":14,"cols":14},
 "colors":["purple","orange"],"start":{"purple":[[4,4]],"orange":[[9,9]]},
 "pieces":{"I1":[[0,0]],"I2":[[0,0],[0,1]],"I3":[[0,0],[0,1],[0,2]]},
 "scoring":{"all_placed":15,"monomino_last":5},
 "seat":1,"seats":[{"name":"greedy","colors":["purple"],"team":0},{"name":"my-bot","colors":["orange"],"team":1}],
 "turning_color":null,
 "clock":{"kind":"wall","start_ms":10000,"move_ms":2000,"bank_ms":0,"increment_ms":0,"margin_ms":50},"seed":184467}
"""
TURN = """
{"type":"turn","turn":1,"color":"orange",
 "played":[{"color":"purple","seat":0,"piece":"X","cells":[[3,4],[4,3],[4,4],[4,5],[5,4]]}],
 "clock":{"move_ms":2000,"bank_ms":0},
 "legal":[{"piece":"X","cells":[[8,9],[9,8],[9,9],[9,10],[10,9]]}],"legal_count":414,"board":["..............","...."]}
"""
PASS = """
{"type":"turn","turn":40,"color":"blue","played":[{"color":"red","seat":2,"pass":"blocked"}],
 "clock":{"move_ms":2000,"bank_ms":0}}
"""
END = """
{"type":"end","reason":"finished","played":[],"scores":{"purple":-4,"orange":-9},"totals":[-4,-9],"ranks":[1,2],
 "faults":[{"seat":0,"kind":"timeout","turn":31}]}
"""
READY = (
    b'{"type":"ready","name":"my-bot","version":"1.4.0","author":"A. Nonymous","want":["legal","board"],"games":"one"}'
)
MOVE = (
    b'{"type":"move","turn":1,"cells":[[8,9],[9,8],[9,9],[9,10],[10,9]],"note":"free text for the replay","eval":0.31}'
)
MOVE_BY_INDEX = b'{"type":"move","turn":1,"index":0}'


@pytest.mark.parametrize(("kind", "example"), [(Hello, HELLO), (Turn, TURN), (Turn, PASS), (End, END)])
def test_the_contracts_examples_are_what_we_would_send(kind: type[Message], example: str) -> None:
    line = example.replace("\n ", "").strip().encode()
    assert protocol.encode(msgspec.json.decode(line, type=kind)) == line + b"\n"
    _validator().validate(json.loads(line))


def test_a_real_hello_has_the_examples_fields_in_its_order() -> None:
    real = next(
        json.loads(line.text) for each in _all_transcripts() if each.spec.variant == "duo" for line in each.lines[:1]
    )
    example = json.loads(HELLO)
    assert _fields(real) == _fields(example)
    for field in ("board", "colors", "start", "scoring", "turning_color"):
        assert real[field] == example[field]
    assert list(real["pieces"].items())[:3] == list(example["pieces"].items())


def _fields(message: dict[str, Any]) -> list[Any]:
    """Return the fields, and those of the objects in them (but for the pieces, which the example shortens)."""
    return [
        (name, _fields(value) if isinstance(value, dict) and name != "pieces" else None)
        for name, value in message.items()
    ]


def test_the_contracts_ready_is_taken() -> None:
    assert decode_ready(READY) == Ready(
        type="ready", name="my-bot", version="1.4.0", author="A. Nonymous", want=["legal", "board"], games="one"
    )
    _validator().validate(json.loads(READY))


def test_every_field_of_ready_but_its_type_is_optional() -> None:
    assert decode_ready(b'{"type":"ready"}') == Ready(type="ready", want=[], games="one")


def test_the_contracts_moves_are_taken() -> None:
    assert decode_move(MOVE, 1, has_list=False) == MoveAnswer(
        type="move",
        turn=1,
        cells=[(8, 9), (9, 8), (9, 9), (9, 10), (10, 9)],
        note="free text for the replay",
        eval=0.31,
    )
    assert decode_move(MOVE_BY_INDEX, 1, has_list=True) == MoveAnswer(type="move", turn=1, index=0)
    for line in (MOVE, MOVE_BY_INDEX):
        _validator().validate(json.loads(line))


# ---- sizes and cuts, through a real referee


def _play(answers: list[bytes], folder: Path, ready: bytes = b'{"type":"ready","want":["count"]}') -> MatchRecord:
    """Play the shortest variant with these answers, and then nothing more."""
    spec = PLANS["solo-tetromino"].spec
    lines = [Line(0, "bot", text) for text in (ready, *answers)]
    return transcripts.play_again(Transcript(spec, ["scripted"], lines), folder)[0]


def _padded(line: bytes, size: int) -> bytes:
    return line[:-1] + b" " * (size - len(line)) + line[-1:]


FIRST, SECOND = b'{"type":"move","turn":0,"index":0}', b'{"type":"move","turn":1,"index":0}'


def test_a_line_may_be_as_long_as_allowed_with_its_newline(tmp_path: Path) -> None:
    result = _play([_padded(FIRST, LINE_BYTES - 1), b""], tmp_path)
    assert [(fault.kind, fault.turn) for fault in result.faults] == [("garbage", 1)]


def test_a_longer_line_is_a_flood(tmp_path: Path) -> None:
    result = _play([_padded(FIRST, LINE_BYTES)], tmp_path)
    assert [(fault.kind, fault.turn) for fault in result.faults] == [("flood", 0)]


def test_a_carriage_return_may_come_before_the_newline(tmp_path: Path) -> None:
    result = _play([FIRST + b"\r", SECOND + b"\r", b"\r"], tmp_path, ready=b'{"type":"ready","want":["legal"]}\r')
    assert [(fault.kind, fault.turn) for fault in result.faults] == [("garbage", 2)]


def test_a_note_is_cut_and_an_eval_kept(tmp_path: Path) -> None:
    noted = b'{"type":"move","turn":0,"index":0,"note":"' + "é".encode() * 501 + b'","eval":-3}'
    result = _play([noted, SECOND, b""], tmp_path)
    assert [(ply.note, ply.eval) for ply in result.plies] == [("é" * 500, -3.0), ("", None)]


@pytest.mark.parametrize(
    ("ready", "accepted"),
    [
        (b'{"type":"ready"}', 0),
        (b'{"type":"ready","want":["board"]}', 0),
        (b'{"type":"ready","want":["list","Legal"]}', 0),
        (b'{"type":"ready","want":["count"]}', 1),
        (b'{"type":"ready","want":["legal"]}', 1),
    ],
)
def test_an_index_needs_a_list(ready: bytes, accepted: int, tmp_path: Path) -> None:
    result = _play([FIRST, b""], tmp_path, ready)
    assert len(result.plies) == accepted
    assert result.faults[0].kind == "garbage"

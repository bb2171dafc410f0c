"""Why a line is not the message asked for, as its author would put it. Pure."""

from __future__ import annotations

import json
import re
from typing import Any

from arena.check.report import Cause
from arena.protocol import shown

_STDERR = "Print nothing but messages to standard output: write logs and banners to standard error."
_DUMP = "Let a JSON library write the line (in Python json.dumps), one compact object a line."
_WANT = "`want` holds something that is no text, expected words"
_ECHO = "Copy `turn` from the message that you answer; it counts all pieces on the board, not your own moves."


def why_garbage(received: str, sent: str, detail: str) -> Cause:
    """Return why a line that came as the answer is none; `detail` is what the referee said of it."""
    asked = _asked(sent)
    if cause := _why_not_text(received):
        return cause
    if received.endswith(" bytes]"):  # it was cut, and cannot be read any more
        return Cause(f"the {asked} message is not right: {detail}", _DUMP)
    try:
        message = json.loads(received, parse_constant=_Constant)
    except ValueError as error:
        return _why_not_json(received, asked, error)
    except RecursionError:
        return Cause("the line is nested too deeply to be a message", _DUMP)
    if not isinstance(message, dict):
        return Cause(f"{_quoted(received)} is JSON, but no object: expected a {asked} message", _STDERR)
    return _why_wrong_field(message, asked, sent, detail)


def why_unasked(received: str) -> Cause:
    """Return why a bot spoke without being asked."""
    message = _decoded(received)
    if isinstance(message, dict) and message.get("type") in ("move", "ready"):
        what = f"sent a {message['type']} message without being asked: {_quoted(received)}"
        return Cause(what, "Send exactly one line for each `hello` and for each `turn`, and wait for the next.")
    return Cause(f"printed a line to standard output without being asked: {_quoted(received)}", _STDERR)


class _Constant:
    """A NaN or an infinity, which JSON does not have."""

    def __init__(self, name: str) -> None:
        self.name = name


def _asked(sent: str) -> str:
    return "move" if sent.startswith('{"type":"turn"') else "ready"


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _why_not_text(received: str) -> Cause | None:
    if received.startswith("\ufeff"):
        return Cause(
            "the line begins with a byte-order mark (BOM)",
            "Write plain UTF-8 without a BOM (in Python utf-8, not utf-8-sig; in C# new UTF8Encoding(false)).",
        )
    if "\0" in received:
        return Cause("the line holds NUL bytes: it looks like UTF-16", "Write UTF-8 to standard output.")
    if not received.strip():
        return Cause("sent a blank line", "Send one line for each message: no empty line before, between or after.")
    if "\ufffd" in received:
        return Cause("the line is not UTF-8", "Write UTF-8, or plain ASCII, to standard output.")
    return None


def _why_not_json(received: str, asked: str, error: ValueError) -> Cause:
    text = received.strip()
    if re.match(r"[{\[]\s*'", text) or (text.startswith("{") and re.search(r"'\w+'\s*:", text)):
        return Cause(f"the line has single quotes, a Python repr instead of JSON: {_quoted(received)}", _DUMP)
    if text in ("{", "[") or (text.startswith("{") and "Expecting property name" in str(error) and len(text) < 3):
        return Cause("the message is spread over several lines (pretty-printed JSON)", _DUMP)
    if "Extra data" in str(error) and text.startswith("{"):
        return Cause(f"there is something after the message in its line: {_quoted(received)}", _STDERR)
    if text.startswith("{"):
        return Cause(f"the line is broken JSON ({error}): {_quoted(received)}", _DUMP)
    what = "a banner or debug output" if asked == "ready" else "debug output"
    return Cause(
        f"printed a line that is no message ({what}) to standard output where {asked} was due: {_quoted(received)}",
        _STDERR,
    )


def _why_wrong_field(message: dict[str, Any], asked: str, sent: str, detail: str) -> Cause:
    if message.get("type") != asked:
        return _why_wrong_type(message, asked)
    for name, value in message.items():
        if isinstance(value, _Constant):
            return Cause(
                f"`{name}` is {value.name}, which JSON does not have",
                "Leave it out, or make it a finite number.",
            )
    if asked == "ready":
        return _why_wrong_ready(message, detail)
    return _why_wrong_move(message, sent, detail)


def _why_wrong_ready(message: dict[str, Any], detail: str) -> Cause:
    want = message.get("want", [])
    if not isinstance(want, list) or not all(isinstance(word, str) for word in want):
        what = f"`want` is {_kind(want)}, expected a list of words" if not isinstance(want, list) else _WANT
        return Cause(what, 'Write it as "want":["legal"], or leave it out.')
    for name in ("name", "version", "author"):
        if not isinstance(message.get(name, ""), str):
            return Cause(f"`{name}` is {_kind(message[name])}, expected text", "Put it in quotes, or leave it out.")
    if message.get("games", "one") not in ("one", "many"):
        got = _quoted(json.dumps(message["games"]))
        return Cause(f'`games` is {got}, expected "one" or "many"', 'Leave it out, which means "one".')
    return Cause(f"the ready message is not right: {detail}", "See `ready` in docs/protocol.md.")


def _kind(value: object) -> str:
    """Return what a value is, as an author of a bot would call it."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    kinds = {str: "text", int: "a whole number", float: "a float", list: "a list", dict: "an object"}
    return kinds.get(type(value), "something else")


def _why_wrong_type(message: dict[str, Any], asked: str) -> Cause:
    kind = message.get("type")
    if asked == "ready" and kind == "move":
        return Cause(
            "sent a move where ready was due", "Answer `hello` with ready, and only then each `turn` with a move."
        )
    if asked == "move" and kind == "ready":
        return Cause(
            "sent ready again where a move was due", "Answer each `hello` with one ready, each `turn` with a move."
        )
    if "type" not in message:
        return Cause(f'the message has no `type`: expected "type":"{asked}"', f'Add "type":"{asked}" to the object.')
    return Cause(
        f'the message has the type {json.dumps(kind)[:60]}, expected "{asked}"', f'Spell it exactly: "type":"{asked}".'
    )


def _why_wrong_move(message: dict[str, Any], sent: str, detail: str) -> Cause:
    turn = _turn_of(sent)
    if "turn" not in message:
        return Cause("the move has no `turn`", _ECHO)
    if isinstance(message["turn"], bool) or not isinstance(message["turn"], (int, float)):
        return Cause(f"`turn` is {_kind(message['turn'])}, expected the whole number {turn} as it was sent", _ECHO)
    if message["turn"] != turn:
        return Cause(f"`turn` is {message['turn']}, but turn {turn} was asked: {_why_wrong_turn(message, turn)}", _ECHO)
    if "index" in message and "index needs" in detail:
        return Cause(
            "answered with an `index` without having asked for a list",
            'Say "want":["count"] or "want":["legal"] in ready, or send `cells`.',
        )
    if "cells" not in message and "index" not in message:
        return Cause(
            f"the move has neither `cells` nor `index`, only {', '.join(message)}",
            'Send "cells":[[row,column],…], or "index" into the legal list. There is no pass: who is asked can move.',
        )
    if "cells" in message and "index" in message:
        return Cause("the move has both `cells` and `index`", "Send exactly one of them.")
    return _why_wrong_value(message, detail)


def _why_wrong_turn(message: dict[str, Any], turn: int) -> str:
    if message["turn"] == turn + 1:
        return "it is counted from 1, or counts the move being made"
    if message["turn"] < turn:
        return "it is the number of another turn, or the bot counts for itself"
    return "it must be echoed as it came"


def _why_wrong_value(message: dict[str, Any], detail: str) -> Cause:
    parts = message.get("cells")
    leaves = [part for cell in parts if isinstance(cell, list) for part in cell] if isinstance(parts, list) else []
    if any(isinstance(part, float) for part in leaves) or isinstance(message.get("index"), float):
        return Cause(
            f"a coordinate is a float: {_quoted(json.dumps(parts or message.get('index')))}",
            "Write whole numbers: 4, not 4.0 (int() in Python, integer division, a cast before writing).",
        )
    if "cells" in message and (wrong := _wrong_cells(parts)):
        return Cause(f"{wrong}: {_quoted(json.dumps(parts))}", "Write each cell as [row,column], two whole numbers.")
    if any(value is None for value in message.values()):
        names = ", ".join(name for name, value in message.items() if value is None)
        return Cause(f"{names} is null", "Leave an optional field out instead: null is not the same.")
    if isinstance(message["turn"], float):
        return Cause("`turn` is a float", _ECHO)
    for name, kind, expected in (("index", int, "a whole number"), ("note", str, "text"), ("eval", float, "a number")):
        value = message.get(name, kind())
        if isinstance(value, bool) or not isinstance(value, (int, float) if kind is float else kind):
            return Cause(f"`{name}` is {_kind(value)}, expected {expected}", "See `move` in docs/protocol.md.")
    return Cause(f"the move is not right: {detail}", "See `move` in docs/protocol.md.")


def _wrong_cells(cells: object) -> str:
    """Return what is wrong with the shape of a list of cells, if anything is."""
    if cells is None:
        return ""  # told as null
    if not isinstance(cells, list):
        return f"`cells` is {_kind(cells)}, expected a list of cells"
    for cell in cells:
        if not isinstance(cell, list):
            return f"a cell is {_kind(cell)}"
        if len(cell) != 2:
            return f"a cell has {len(cell)} number{'s' * (len(cell) != 1)} instead of two"
        if any(isinstance(part, str) for part in cell):
            return "a cell is text"
    return ""


def _turn_of(sent: str) -> int:
    found = re.match(r'\{"type":"turn","turn":(\d+)', sent)
    return int(found[1]) if found else -1


def _quoted(text: str) -> str:
    return shown(text.encode(errors="replace"))

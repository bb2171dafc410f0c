"""Lines that a bot might send: valid ones, nearly valid ones, damaged ones and noise, all drawn from a seed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from random import Random
from typing import TypeAlias

from engine import Game, Move
from tests.arena.test_protocol import END, HELLO, MOVE, READY, TURN

Fields: TypeAlias = list[tuple[bytes, bytes]]  # names and raw values; a name may occur twice

_WORDS = rb"""
    null true false NaN Infinity -Infinity {} [] "" "\"" [[]] [null]
    0 -0 -1 1 4.0 1e0 1E2 0.5 01 +1 .5 1. 1e 0x1 1_0 --1
    1e308 1e309 -1e999 1e-999 9999999999999999999 18446744073709551616
    "move" "ready" "hello" "Move" "one" "many" "several" ["legal"] ["count","count"] "1"
    [[0,0]] [[0,0],[0,0]] [[0]] [[0,0,0]] [0,0] [["0",0]] [[0.0,0]] [[true,0]] [[-1,0]] {"row":0}
    "\ud800" "\ud83d\ude00" "\udc00\ud800" "\u0000" "\x41" 'a' // /**/ undefined
"""
TOKENS = [
    *_WORDS.split(),
    *[b'"a\tb"', b'"a\x00b"', b'"\xc3\xa9"', b'"\xc3"', b'"\xff"', b'"\xed\xa0\x80"', b"\xef\xbb\xbf"],
    *[b"9" * 400, b"-" + b"9" * 5000],
    *[b"[" * 2000 + b"]" * 2000, b'{"a":' * 3000 + b"1" + b"}" * 3000, b"[" * 60_000],
]
NAMES = [b"type", b"turn", b"cells", b"index", b"note", b"eval", b"name", b"version", b"author", b"want", b"games"]
BYTES = [bytes([byte]) for byte in b'\x00\r\t "\\{}[],:0-.e\xff\xc3']
_NUMBER = re.compile(rb"-?[0-9]+")
_EXAMPLES = [READY, MOVE, *[text.replace("\n ", "").strip().encode() for text in (HELLO, TURN, END)]]


def strange_lines(game: Game, rng: Random, count: int) -> Iterator[bytes]:
    """Yield so many lines, as answers to the present turn of a game."""
    legal = game.legal_moves()
    makers: list[Callable[[], bytes]] = [
        lambda: _valid(game, legal, rng),
        *[lambda: _written(_altered(_near_miss(game, legal, rng), rng), rng)] * 8,
        *[lambda: _damaged(_valid(game, legal, rng), rng)] * 8,
        lambda: _damaged(rng.choice(_EXAMPLES), rng),
        lambda: _noise(rng),
    ]
    for _ in range(count):
        # a newline would end the line
        yield rng.choice(makers)().partition(b"\n")[0]


# ---- by fields


def _move_fields(game: Game, legal: list[Move], rng: Random) -> Fields:
    fields = [(b"type", b'"move"'), (b"turn", b"%d" % game.turn)]
    if rng.random() < 0.4:
        fields.append((b"index", b"%d" % rng.randrange(len(legal))))
    else:
        cells = list(rng.choice(legal).cells)
        rng.shuffle(cells)
        fields.append((b"cells", json.dumps(cells).encode()))
    if rng.random() < 0.2:
        fields += [(b"note", b'"hm"'), (b"eval", b"%.3f" % rng.random())]
    return fields


def _valid(game: Game, legal: list[Move], rng: Random) -> bytes:
    return _written(_move_fields(game, legal, rng), rng)


def _near_miss(game: Game, legal: list[Move], rng: Random) -> Fields:
    """Return the fields of a move, or of one a little beside it, or of a ready."""
    if rng.random() < 0.15:
        want = rng.sample(["legal", "count", "board", "x"], rng.randrange(4))
        return [(b"type", b'"ready"'), (b"name", b'"a"'), (b"want", json.dumps(want).encode()), (b"games", b'"many"')]
    fields = _move_fields(game, legal, rng)
    if rng.random() < 0.3:
        fields = [
            (name, _NUMBER.sub(lambda found: b"%d" % (int(found[0]) + rng.choice((0, 0, 0, 1, -1))), value))
            if name in (b"cells", b"index")
            else (name, value)
            for name, value in fields
        ]
    return fields


def _altered(fields: Fields, rng: Random) -> Fields:
    """Return fields of which a few are dropped, doubled, replaced, renamed, added or moved."""
    fields = fields.copy()
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        at = rng.randrange(len(fields)) if fields else 0
        what = rng.randrange(6)
        if what == 0 or not fields:
            fields.insert(at, (rng.choice([*NAMES, b"x", b"Turn", b""]), rng.choice(TOKENS)))
        elif what == 1:
            del fields[at]
        elif what == 2:
            fields.insert(rng.randrange(len(fields) + 1), fields[at])
        elif what == 3:
            fields[at] = (fields[at][0], rng.choice(TOKENS))
        elif what == 4:
            fields[at] = (rng.choice(NAMES), fields[at][1])
        else:
            rng.shuffle(fields)
    return fields


def _written(fields: Fields, rng: Random) -> bytes:
    comma, colon = rng.choice(((b",", b":"), (b", ", b": "), (b" ,\t", b" : ")))
    line = b"{" + comma.join([b'"' + name + b'"' + colon + value for name, value in fields]) + b"}"
    return line + rng.choice((b"", b"", b"\r", b" "))


# ---- by bytes


def _damaged(line: bytes, rng: Random) -> bytes:
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        line = rng.choice(_DAMAGES)(line, rng)
    return line


def _at(line: bytes, rng: Random) -> int:
    return rng.randrange(len(line) + 1)


def _flip(line: bytes, rng: Random) -> bytes:
    at = _at(line, rng)
    return line[:at] + bytes([byte ^ 1 << rng.randrange(8) for byte in line[at : at + 1]]) + line[at + 1 :]


def _put_in(line: bytes, rng: Random) -> bytes:
    at = _at(line, rng)
    return line[:at] + rng.choice(rng.choice((TOKENS, BYTES))) + line[at:]


def _cut_out(line: bytes, rng: Random) -> bytes:
    at = _at(line, rng)
    return line[:at] + line[at + rng.randrange(1, 6) :]


def _truncate(line: bytes, rng: Random) -> bytes:
    return line[: _at(line, rng)]


def _repeat(line: bytes, rng: Random) -> bytes:
    first, last = sorted((_at(line, rng), _at(line, rng)))
    return line[:last] + line[first:]


def _splice(line: bytes, rng: Random) -> bytes:
    other = rng.choice(_EXAMPLES)
    return line[: _at(line, rng)] + other[_at(other, rng) :]


def _append(line: bytes, rng: Random) -> bytes:
    return line + rng.choice((b"", b" ", b",")) + rng.choice((line, *_EXAMPLES))


def _change_number(line: bytes, rng: Random) -> bytes:
    found = list(_NUMBER.finditer(line))
    if not found:
        return line
    number = rng.choice(found)
    return line[: number.start()] + rng.choice(TOKENS[:50]) + line[number.end() :]


def _mark(line: bytes, rng: Random) -> bytes:
    return rng.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\x1b[2J", b">", b"\x00", b"\r")) + line


_DAMAGES = [_flip, _flip, _put_in, _cut_out, _truncate, _repeat, _splice, _append, _change_number, _mark]


def _noise(rng: Random) -> bytes:
    if rng.random() < 0.5:
        return rng.randbytes(rng.randrange(60))
    return b"".join(rng.choice((*TOKENS[:-5], *BYTES, *NAMES)) for _ in range(rng.randrange(20)))

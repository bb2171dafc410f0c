"""Matches as the lines between the referee and its bots: recorded from real ones, kept in files, played again.

A file of tests/golden/transcripts holds what was played in its first line, and then one line for each line that passed:

    {"spec":{"variant":"duo",…},"bots":["random","greedy"]}
    {"seat":0,"from":"referee","line":{"type":"hello",…}}
    {"seat":0,"from":"bot","line":{"type": "ready",…}}

A `line` that is a JSON object stands there as it is, byte for byte; any other is a string.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from arena.bots import Bot
from arena.limits import TimeControl
from arena.match import MatchSpec
from arena.record import Fault, MatchRecord
from arena.referee import Observer, play_match
from arena.replay import steps
from arena.resources import bundled_bots
from tests.arena.helpers import folder_bot

HERE = Path(__file__).parent
GOLDEN = HERE.parent / "golden" / "transcripts"
# so much for a move that no machine is too slow, and the bank grows by the increment alone
CLOCK = TimeControl(start_ms=60_000, move_ms=60_000, bank_ms=5_000, increment_ms=250)

Sender: TypeAlias = Literal["referee", "bot"]


class Line(NamedTuple):
    """One line that passed between the referee and a bot, without its newline."""

    seat: int
    sender: Sender
    text: bytes


class Transcript(NamedTuple):
    """What was played, by bots of these names, and all lines in order."""

    spec: MatchSpec
    bots: list[str]
    lines: list[Line]


# ---- what is recorded


class Plan(NamedTuple):
    """A match to record: bundled bots by name, others by the arguments of picker.py."""

    spec: MatchSpec
    bots: tuple[str | tuple[str, ...], ...]


def _plan(variant: str, *bots: str | tuple[str, ...], seed: int = 1, opening: int = 0, anonymous: bool = False) -> Plan:
    return Plan(MatchSpec(variant=variant, seed=seed, opening_plies=opening, anonymous=anonymous, time=CLOCK), bots)


_ALL_WORDS = '{"type":"ready","name":"all","want":["legal","count","board","weather"],"mood":[1,{"x":null}]}'
_COUNT = '{"type":"ready","want":["count"]}'
_LEGAL = '{"type":"ready","want":["legal"]}'

PLANS: dict[str, Plan] = {
    "classic": _plan("classic", "random", "greedy", "random", "greedy"),
    "teams": _plan("teams", "greedy", "random", "greedy", "random", opening=4),
    "two": _plan("two", "random", "random"),
    "three": _plan("three", "greedy", "random", "greedy"),
    "three-open": _plan("three-open", "random", "greedy", "random", anonymous=True),
    "duo": _plan("duo", "random", "greedy"),
    "solo": _plan("solo", "greedy"),
    "solo-descending": _plan("solo-descending", "random"),
    "solo-tetromino": _plan("solo-tetromino", "random"),
    "solo-pentomino": _plan("solo-pentomino", "random"),
    # the lists of the last moves are short
    "every-want": _plan("duo", (_ALL_WORDS,), (_LEGAL,), opening=20),
    # on the turning color's turn, which goes to the next seat; then a line that is no JSON
    "forfeits": _plan(
        "three", (_COUNT, "0", '{"type":"move","turn":3,"cells":[[0,0]]}'), "random", (_COUNT, "2", "ouch"), opening=2
    ),
    "all-forfeited": _plan("duo", (_COUNT, "0", ""), (_COUNT, "2", '{"type":"move","turn":-1,"index":0}')),
}


def record(plan: Plan, folder: Path) -> Transcript:
    """Return the lines of a match, really played."""
    bots = []
    for bot in plan.bots:
        name, *arguments = (bot,) if isinstance(bot, str) else ("picker", *bot)
        program = bundled_bots() / name / "bot.py" if isinstance(bot, str) else HERE / "picker.py"
        bots.append(_overheard(folder, program, *arguments, name=name))
    return Transcript(plan.spec, [bot.name for bot in bots], play(plan.spec, bots)[1])


def play_again(transcript: Transcript, folder: Path) -> tuple[MatchRecord, list[Line]]:
    """Return the record and the lines of a match in which bots give the answers of a transcript."""
    program = (HERE / "scripted.py").read_bytes()
    bots = []
    for seat, name in enumerate(transcript.bots):
        said = [line.text + b"\n" for line in transcript.lines if line.seat == seat and line.sender == "bot"]
        files = {"bot.py": program, "answers": b"".join(said)}
        bots.append(folder_bot(folder, sys.executable, "bot.py", name=name, files=files))
    return play(transcript.spec, bots)


def play_overheard(spec: MatchSpec, programs: Sequence[Path], folder: Path) -> tuple[MatchRecord, list[Line]]:
    """Return the record and the lines of a match between Python programs."""
    return play(spec, [_overheard(folder, program, name=program.stem) for program in programs])


def play(spec: MatchSpec, bots: Sequence[Bot]) -> tuple[MatchRecord, list[Line]]:
    """Play a match between bots that tell their logs every line that passes; return its record, and those lines."""
    ear = _Ear()
    result = play_match(spec, bots, ear)
    return result, _in_order(result, [_read_log(seat, ear.heard[seat]) for seat in range(len(bots))])


def without_id(text: bytes) -> bytes:
    """Return a line without the id of its match: it is a hash over everything, the bots' programs too."""
    return re.sub(rb'^(\{"type":"hello","protocol":1,"match":)"[0-9a-f]+"', rb'\1"-"', text)


class _Ear(Observer):
    """Takes in the logs of all bots."""

    def __init__(self) -> None:
        self.heard: defaultdict[int, bytes] = defaultdict(bytes)

    def on_stderr(self, seat: int, data: bytes) -> None:
        self.heard[seat] += data


def _overheard(folder: Path, program: Path, *arguments: str, name: str) -> Bot:
    files = {"overheard.py": (HERE / "overheard.py").read_bytes(), "bot.py": program.read_bytes()}
    return folder_bot(folder, sys.executable, "overheard.py", "bot.py", *arguments, name=name, files=files)


def _read_log(seat: int, log: bytes) -> list[Line]:
    lines = []
    for entry in log.removesuffix(b"\n").split(b"\n"):
        sender, _, text = entry.partition(b" ")
        assert sender in (b"referee", b"bot"), log.decode(errors="replace")
        lines.append(Line(seat, "bot" if sender == b"bot" else "referee", text))
    return lines


def _in_order(result: MatchRecord, logs: list[list[Line]]) -> list[Line]:
    """Return the lines of all seats in the order of the game; what goes on at the same time, by seat."""
    lines = [log.pop(0) for log in logs] + [log.pop(0) for log in logs]
    for step in steps(result):
        if isinstance(step, Fault) or not step.opening:
            lines += [logs[step.seat].pop(0), logs[step.seat].pop(0)]
    return lines + [line for log in logs for line in log]


# ---- as a file


class _Entry(msgspec.Struct, frozen=True):
    seat: int
    sender: Sender = msgspec.field(name="from")
    line: msgspec.Raw


class _Header(msgspec.Struct, frozen=True):
    spec: MatchSpec
    bots: list[str]


def to_text(transcript: Transcript) -> str:
    """Return a transcript as the text of its file."""
    header = _Header(transcript.spec, transcript.bots)
    entries = [_Entry(line.seat, line.sender, _embedded(line.text)) for line in transcript.lines]
    return "".join([msgspec.json.encode(item).decode() + "\n" for item in (header, *entries)])


def read(file: Path) -> Transcript:
    """Return the transcript in a file."""
    first, *rest = file.read_bytes().splitlines()
    header = msgspec.json.decode(first, type=_Header)
    entries = [msgspec.json.decode(line, type=_Entry) for line in rest]
    lines = [Line(entry.seat, entry.sender, _extracted(bytes(entry.line))) for entry in entries]
    return Transcript(header.spec, header.bots, lines)


def _embedded(text: bytes) -> msgspec.Raw:
    is_object = text.startswith(b"{")
    return msgspec.Raw(text if is_object else msgspec.json.encode(text.decode()))


def _extracted(raw: bytes) -> bytes:
    return raw if raw.startswith(b"{") else msgspec.json.decode(raw, type=str).encode()

"""docs/protocol.md is true: its bot plays, its games are real, its tables are complete, its numbers are the code's."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

from arena.bots import load_bot
from arena.limits import IDLE_BYTES, LEAVE_MS, LINE_BYTES, TimeControl
from arena.match import MatchSpec
from arena.protocol import (
    NOTE_CHARACTERS,
    PROTOCOL_VERSION,
    End,
    FaultKind,
    Hello,
    MoveAnswer,
    Ready,
    Turn,
    legal_list,
    schema,
)
from arena.referee import play_match
from arena.replay import verify
from arena.resources import bundled_bots
from engine import VARIANTS, Game
from tests.arena.test_protocol import DOCS
from tests.arena.transcripts import Line, play_overheard

FILE = DOCS / "protocol.md"
PAGE = FILE.read_text(encoding="utf-8")


def _bot(folder: Path) -> Path:
    """Return the bot of the page as a file."""
    found = re.search(r"<!-- bot: tiny -->\n```python\n(.*?)```", PAGE, re.DOTALL)
    assert found
    file = folder / "tiny.py"
    file.write_text(found[1], encoding="utf-8")
    return file


# ---- what runs


def test_every_block_of_python_is_run() -> None:
    assert PAGE.count("```python") == PAGE.count("<!-- bot: ") == 1


def test_the_bot_has_ten_lines(tmp_path: Path) -> None:
    assert len(_bot(tmp_path).read_text(encoding="utf-8").splitlines()) == 10


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_bot_plays_every_variant(variant: str, tmp_path: Path) -> None:
    bot = load_bot(str(_bot(tmp_path)))
    record = play_match(MatchSpec(variant=variant, seed=3), [bot] * len(VARIANTS[variant].seats))
    assert record.faults == ()
    assert verify(record) == []


# ---- what is shown


def _solo(folder: Path) -> list[str]:
    return _shown(play_overheard(MatchSpec(variant="solo-tetromino", seed=1), [_bot(folder)], folder)[1])


def _duo(folder: Path) -> list[str]:
    greedy = folder / "greedy.py"
    greedy.write_bytes((bundled_bots() / "greedy" / "bot.py").read_bytes())
    _, lines = play_overheard(MatchSpec(variant="duo", seed=1), [greedy, _bot(folder)], folder)
    shown = _shown([line for line in lines if line.seat == 1])
    return [*shown[:6], f"        … {len(shown) - 9} lines …", *shown[-3:]]


def _shown(lines: list[Line]) -> list[str]:
    return [f"{line.sender:7} {line.text.decode()}" for line in lines]


@pytest.mark.parametrize(("name", "play"), [("solo-tetromino", _solo), ("duo", _duo)])
def test_the_games_on_the_page_are_what_the_referee_sends(
    name: str, play: Callable[[Path], list[str]], tmp_path: Path, updates_golden: bool
) -> None:
    pattern = re.compile(rf"(<!-- transcript: {name} -->\n```\n)(.*?)```", re.DOTALL)
    real = "".join([line + "\n" for line in play(tmp_path)])
    if updates_golden:
        page = FILE.read_text(encoding="utf-8")
        FILE.write_text(pattern.sub(lambda found: f"{found[1]}{real}```", page), encoding="utf-8")
    told = pattern.search(FILE.read_text(encoding="utf-8"))
    assert told
    assert _without_id(told[2]) == _without_id(real)


def _without_id(text: str) -> str:
    """Return a game without the id of its match: it is a hash over everything, the bots' programs too."""
    return re.sub(r'"match":"[0-9a-f]+"', '"match":"-"', text)


# ---- what is listed

_TABLES = {"hello": Hello, "turn": Turn, "end": End, "ready": Ready, "move": MoveAnswer}


@pytest.mark.parametrize("name", _TABLES)
def test_every_field_is_in_its_table_in_order(name: str) -> None:
    found = re.search(rf"<!-- fields: {name} -->\n(.*?)\n\n", PAGE, re.DOTALL)
    assert found
    fields = [field for field in _TABLES[name].__struct_encode_fields__ if field != "type"]
    assert re.findall(r"^\| `(\w+)` \|", found[1], re.MULTILINE) == ["type", *fields]


def test_every_field_inside_a_field_is_named() -> None:
    for name, shape in schema()["$defs"].items():
        for field in shape["properties"]:
            assert f'"{field}":' in PAGE or f"`{field}`" in PAGE, f"{field} of {name}"


def test_every_fault_has_its_row() -> None:
    found = re.search(r"<!-- faults -->\n(.*?)\n\n", PAGE, re.DOTALL)
    assert found
    rows = [line.strip("|").split("|") for line in found[1].splitlines()[2:]]
    assert [row[0].strip(" `") for row in rows] == list(get_args(FaultKind))
    assert all(len(row) == 3 and all(cell.strip() for cell in row) for row in rows)


# ---- what is counted


def test_the_numbers_are_the_codes() -> None:
    assert f"version {PROTOCOL_VERSION}" in PAGE
    assert f"at most {LINE_BYTES:,} bytes".replace(",", " ") in PAGE
    assert f"more than {IDLE_BYTES // 1024} KiB without being asked" in PAGE
    assert f"cut at {NOTE_CHARACTERS} characters" in PAGE
    assert f"has {LEAVE_MS} ms to leave" in PAGE


def test_the_wall_cap_is_as_told() -> None:
    assert "4 times its time and a second" in PAGE.replace("\n  ", " ")
    assert TimeControl().wall_cap_ms(100) == 4 * 100 + 1000


def test_the_longest_lists_are_as_told() -> None:
    kilobytes = int(re.search(r"and (\d+) KB in a puzzle", PAGE)[1])  # type: ignore[index]
    game = Game("solo-pentomino")
    assert 0.95 * kilobytes < len(bytes(legal_list(game.placements, game.legal_bits()))) / 1000 < kilobytes  # type: ignore[arg-type]

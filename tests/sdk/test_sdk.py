"""Each SDK is the engine's equal: on recorded games of every variant it lists the same moves, scores and turns."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from engine import VARIANTS
from tests.arena.helpers import ROOT, require
from tests.sdk.games import ANYTHING, Recording, record_all

DRIVERS = Path(__file__).parent / "drivers"


class Language(NamedTuple):
    """How a driver is made and run; warnings are errors, since a bot's author sees them too."""

    driver: str
    sdk: str
    run: tuple[str, ...]
    build: tuple[str, ...] = ()


LANGUAGES = {
    "python": Language("driver.py", "blokus.py", (sys.executable, "-W", "error", "driver.py")),
    "javascript": Language("driver.js", "blokus.js", ("node", "driver.js")),
    "cpp": Language(
        "driver.cpp",
        "blokus.hpp",
        ("./driver",),
        ("c++", "-O1", "-std=c++17", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-o", "driver", "driver.cpp"),
    ),
    "rust": Language(
        "driver.rs", "blokus.rs", ("./driver",), ("rustc", "-O", "-D", "warnings", "-o", "driver", "driver.rs")
    ),
    "java": Language(
        "Driver.java", "Blokus.java", ("java", "-cp", ".", "Driver"), ("javac", "-Xlint:all", "-Werror", "Driver.java")
    ),
    "go": Language("driver.go", "blokus.go", ("./driver",), ("go", "build", "-o", "driver", "driver.go", "blokus.go")),
}


@pytest.fixture(scope="module")
def recordings() -> list[Recording]:
    return record_all()


@pytest.fixture(scope="module", params=LANGUAGES)
def driven(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Language, Path]:
    """Return a language with the folder in which its driver is built."""
    language = LANGUAGES[request.param]
    for program in (language.build[:1], language.run[:1]):
        if program and not program[0].startswith("./"):
            require(program[0])
    folder = tmp_path_factory.mktemp("driver")
    shutil.copy(DRIVERS / language.driver, folder)
    shutil.copy(ROOT / "bots" / "sdk" / language.sdk, folder)
    if language.build:
        built = subprocess.run(language.build, cwd=folder, capture_output=True, text=True, check=False)
        assert built.returncode == 0, built.stderr
    return language, folder


def drive(driven: tuple[Language, Path], lines: list[bytes]) -> tuple[list[str], list[object]]:
    """Return what a driver reports and what it answers to lines of the referee's."""
    language, folder = driven
    done = subprocess.run(language.run, cwd=folder, input=b"".join(lines), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:].decode()
    return done.stderr.decode().splitlines(), [msgspec.json.decode(line) for line in done.stdout.splitlines()]


def test_an_sdk_knows_what_the_engine_knows(driven: tuple[Language, Path], recordings: list[Recording]) -> None:
    reports, answers = drive(driven, [line for recording in recordings for line in recording.lines])
    expected = [report for recording in recordings for report in recording.reports]
    known = [told if right == ANYTHING else right for told, right in zip(reports, expected, strict=True)]
    assert reports == known
    ready = {"type": "ready", "games": "many"}
    assert answers == [answer for recording in recordings for answer in (ready, *recording.answers)]


def test_an_sdk_takes_any_json(driven: tuple[Language, Path], recordings: list[Recording]) -> None:
    """A referee may come to say more, with spaces, escapes and Windows' line ends."""
    recording = next(recording for recording in recordings if recording.variant == "three")
    more: dict[str, object] = {"later": [None, True, {}, [], {"x": [-1.5e3, "\U0001f600 \u00e9 \b\f\n\r\t / \\"]}]}
    messages = [msgspec.json.decode(line) | more for line in recording.lines]
    lines = [json.dumps(message, separators=(" , ", " : ")).encode() + b"\r\n" for message in messages]
    reports, answers = drive(driven, lines)
    assert reports == recording.reports
    assert answers[1:] == recording.answers


def test_the_recorded_games_hold_every_case(recordings: list[Recording]) -> None:
    assert {recording.variant for recording in recordings} == set(VARIANTS)
    lines = b"".join(line for recording in recordings for line in recording.lines)
    assert b'"pass":"blocked"' in lines
    assert b'"pass":"forfeit"' in lines
    assert any(_skips_a_seat(recording) for recording in recordings)
    reports = [report for recording in recordings for report in recording.reports]
    assert len(reports) > 50 * reports.count(ANYTHING)
    assert any(" - - 20," in report for report in reports)  # over, with every piece placed and the smallest last
    assert any(" - - 10," in report for report in reports)  # the other scoring, and the smallest first


def _skips_a_seat(recording: Recording) -> bool:
    """Tell whether a seat has lost its turn with the turning color by a fault that nobody was told of."""
    hello, *messages = [msgspec.json.decode(line) for line in recording.lines]
    told, due = set(), 0
    for event in (event for message in messages for event in message["played"]):
        if event.get("pass") == "forfeit":
            told.add(event["seat"])
        elif event["color"] == hello["turning_color"] and "piece" in event:
            if event["seat"] != due and due not in told:
                return True
            due = (event["seat"] + 1) % len(hello["seats"])
    return False

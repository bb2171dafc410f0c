"""The parts that pages are made of: outlines, words, numbers, plots, and the course of ratings."""

from __future__ import annotations

import random
import re
import shutil
import subprocess

import pytest
from msgspec.structs import replace

from arena.cli import cli
from arena.history import History
from arena.limits import ResourceLimits, TimeControl
from arena.match import MatchSpec
from arena.options import spec_of
from arena.outcome import Outcome
from arena.ratings import SkillTable
from arena.report import plots
from arena.report.drawing import outline, piece_outlines
from arena.report.facts import bucket_us, quantile
from arena.report.match_page import reproduce
from arena.report.pages import BotView, bot_view
from arena.report.wording import block, chance, duration, fixed, has_ink, plain, signed, thousands
from arena.standings import Standings
from arena.store import Division, Entry
from arena.table_view import _notes
from engine import PIECES
from tests.report.conftest import absent


def _area(path: str) -> float:
    """Return the area that the loops of a path enclose."""
    total = 0.0
    for loop in path.split("z")[:-1]:
        first, *steps = re.findall(r"[Mhv][^Mhv]+", loop)
        col, row = (int(number) for number in first[1:].split())
        corners = [(row, col)]
        for step in steps:
            row, col = (row, col + int(step[1:])) if step[0] == "h" else (row + int(step[1:]), col)
            corners.append((row, col))
        pairs = zip(corners, [*corners[1:], corners[0]], strict=True)
        total += abs(sum(a[0] * b[1] - a[1] * b[0] for a, b in pairs)) / 2
    return total


@pytest.mark.parametrize("name", PIECES)
def test_the_outline_of_a_piece_encloses_its_squares_in_one_loop(name: str) -> None:
    path, width, height, size = piece_outlines()[name]
    assert _area(path) == size == PIECES[name].size
    assert path.count("M") == 1
    assert width * height >= size


def test_squares_apart_get_loops_of_their_own() -> None:
    assert outline([]) == ""
    assert outline([(0, 0), (1, 1), (4, 4)]) == "M0 0h1v1h-1zM1 1h1v1h-1zM4 4h1v1h-1z"
    ring = [(row, col) for row in range(3) for col in range(3) if (row, col) != (1, 1)]
    assert outline(ring).count("M") == 2


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb\tc", "a b c"),
        ("\u202eevil", "evil"),
        ("nul\0 and \x1b[31m", "nul  and  [31m"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("x" * 300, "x" * 199 + "…"),
        ("Z" + "\u0351" * 50 + "e\u0301", "Z\u0351\u0351\u00e9"),
        ("a" + "\u0301\u0302\u200d" * 9 + "b", "\u00e1\u0302\u200d\u0301b"),
        ("1\ufe0f\u20e3", "1\ufe0f\u20e3"),
    ],
)
def test_what_strangers_write_becomes_one_visible_line(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_a_name_that_shows_nothing_is_known_as_such() -> None:
    assert not any(has_ink(name) for name in ("", " ", "\u200b\u200d", "\u3164", "\u2800\ufe0f", "\u0301"))
    assert all(has_ink(name) for name in ("x", "é", "名", "🙂", "-", "\u202ex"))


UNUSUAL = MatchSpec(
    variant="duo",
    scoring="10/5",
    seed=2**53 - 1,
    opening_plies=4,
    anonymous=True,
    ponder=True,
    pin=False,
    time=TimeControl(kind="cpu", start_ms=7, move_ms=1, bank_ms=60_001, increment_ms=250, margin_ms=0),
    limits=ResourceLimits(memory_mb=99),
)


def _entered(nth: int, name: str, version: str) -> BotView:
    return bot_view(Entry(nth, name, version, "", "", "a" * 64, f"bots/{nth}", "entered"))


@pytest.mark.parametrize("spec", [MatchSpec(seed=5), UNUSUAL])
def test_the_command_of_a_match_plays_the_same_match_with_the_same_bots(spec: MatchSpec) -> None:
    bash = shutil.which("bash")
    if bash is None:
        absent("bash is not installed")
    labels = ["random@1.0", "--help@1", "it's $HOME `id` \\n@1", "\u202e\u0301\u0301\u0301 🙂'\\@2"]
    bots = [_entered(nth, *label.rsplit("@", 1)) for nth, label in enumerate(labels)]
    command = reproduce(spec, bots)
    assert plain(command, len(command)) == command  # what is seen is all there is
    script = f'arena() {{ printf "%s\\0" "$@"; }}; {command}'
    done = subprocess.run([bash, "-c", script], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"})
    words = done.stdout.decode().split("\0")[:-1]
    assert words[:3] == ["match", "--league", "league"]
    match = cli.commands["match"]
    options = match.make_context("match", words[1:]).params
    assert options["bots"] == tuple(labels)
    assert spec_of(options) == spec


def test_one_match_is_not_many() -> None:
    empty = Standings(
        division=Division(1, "duo", "15/5", TimeControl()),
        lines=(),
        seats=(),
        beats=(),
        above=(),
        planned=1,
        matches=1,
        blocks=1,
        repeats=0,
        annulled=0,
        suspects=0,
        strained=0,
    )
    assert _notes(empty)[0] == "1 match in 1 block"
    assert _notes(replace(empty, matches=2, planned=2))[0] == "2 matches in 1 block"


def test_logs_keep_their_lines_and_lose_their_control_characters() -> None:
    assert block("one\r\ntwo\n\x1b[2Jthree") == "one\ntwo\n [2Jthree"
    assert len(block("x" * 9000)) == 4001


def test_numbers_read_well() -> None:
    assert [fixed(-3.14159, 2), fixed(-0.04), fixed(None), fixed(float("inf"))] == ["\u22123.14", "0.0", "–", "–"]
    assert [signed(1.0), signed(-1.0), signed(0.0)] == ["+1.0", "\u22121.0", "0.0"]
    assert thousands(1234567) == "1\u202f234\u202f567"
    assert [duration(0.25), duration(250), duration(2500)] == ["0.2\u202fms", "250\u202fms", "2.5\u202fs"]
    assert [chance(0.001), chance(0.999), chance(0.0), chance(1.0), chance(0.5)] == ["<1", ">99", "0", "100", "50"]


def test_buckets_of_times_are_a_few_percent_wide() -> None:
    from collections import Counter

    from arena.report.facts import _bucket

    for used in (1, 15, 16, 999, 12_345, 2_000_000, 10**9):
        assert bucket_us(_bucket(used)) == pytest.approx(used, rel=0.08)
    buckets = [_bucket(used) for used in range(1, 5000)]
    assert buckets == sorted(buckets)
    assert quantile(Counter({1: 5, 2: 5, 9: 1}), 0.5) == 2


def test_a_plot_takes_hostile_names_as_text_and_tells_equal_labels_apart() -> None:
    names = ["<script>alert(1)</script>", "x" * 300, "x" * 400, "\u202ename", "others"]
    rows = [{"name": name, "value": nth, "low": nth - 1, "high": nth + 1} for nth, name in enumerate(names)]
    drawn = plots.intervals(rows, "rating")
    assert "<script>" not in drawn
    assert "style=" not in drawn
    assert "(2)" in drawn
    assert "\u202e" not in drawn
    many = [f"bot {nth}" for nth in range(11)]
    lines = plots.lines([{"name": name, "x": x, "y": x + 1} for name in many for x in range(3)], many, "x", "y")
    assert ">others<" in lines
    assert plots.intervals(rows, "rating") == drawn


def test_the_course_of_ratings_is_the_same_however_the_matches_come_and_stays_short() -> None:
    rng = random.Random(3)
    outcomes = [
        Outcome(nth, (nth % 3, 3), (0, 1), (1, 2) if rng.random() < 0.7 else (2, 1), (0, 0)) for nth in range(1000)
    ]
    courses = []
    for size in (1, 7, 1000):
        skill, history = SkillTable(), History()
        for start in range(0, 1000, size):
            history.feed(skill, outcomes[start : start + size])
        courses.append(history.up_to(skill))
    assert courses[0] == courses[1] == courses[2]
    assert 32 <= len(courses[0]) <= 129
    assert courses[0][-1].matches == 1000
    assert courses[0][-1].mu[3] == pytest.approx(skill.ratings()[3].mu, abs=1e-3)

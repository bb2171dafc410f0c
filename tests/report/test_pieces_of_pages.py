"""The parts that pages are made of: outlines, words, numbers, plots, and the course of ratings."""

from __future__ import annotations

import random
import re

import pytest

from arena.history import History
from arena.outcome import Outcome
from arena.ratings import SkillTable
from arena.report import plots
from arena.report.drawing import outline, piece_outlines
from arena.report.facts import bucket_us, quantile
from arena.report.wording import block, chance, duration, fixed, plain, signed, thousands
from engine import PIECES


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
    ],
)
def test_what_strangers_write_becomes_one_visible_line(text: str, shown: str) -> None:
    assert plain(text) == shown


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

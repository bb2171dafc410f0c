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
from arena.league_cli import tournament
from arena.limits import ResourceLimits, TimeControl
from arena.match import MatchSpec
from arena.options import spec_of
from arena.outcome import Outcome
from arena.ratings import SkillTable
from arena.record import PlyRecord
from arena.report import plots
from arena.report.commands import match_command, tournament_command
from arena.report.drawing import outline, piece_outlines
from arena.report.facts import bucket_us, quantile
from arena.report.pages import BotView, bot_view
from arena.report.replays import replay_data
from arena.report.wording import block, chance, duration, fixed, has_ink, how_often, nth, plain, signed, thousands
from arena.schedule import Block, extend, full, gauntlet, most_balanced, seatings
from arena.store import Entry, StoredBlock
from arena.table_view import _notes
from arena.terminal import tell_ply
from arena.tournament import default_opening
from engine import PIECES, VARIANTS
from tests.report.conftest import absent
from tests.report.leagues import table_of


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
    command = match_command(spec, bots)
    assert plain(command, len(command)) == command  # what is seen is all there is
    script = f'arena() {{ printf "%s\\0" "$@"; }}; {command}'
    done = subprocess.run([bash, "-c", script], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"})
    words = done.stdout.decode().split("\0")[:-1]
    assert words[:3] == ["match", "--league", "league"]
    match = cli.commands["match"]
    options = match.make_context("match", words[1:]).params
    assert options["bots"] == tuple(labels)
    assert spec_of(options) == spec


def _stored(blocks: list[tuple[Block, int]], spec: MatchSpec) -> list[StoredBlock]:
    return [
        StoredBlock(nth, block.round, block.bots, replace(spec, seed=block.seed), games)
        for nth, (block, games) in enumerate(blocks, 1)
    ]


TABLE = MatchSpec(variant="classic", opening_plies=4, time=TimeControl(kind="cpu", move_ms=100))
FIVE = [1, 2, 3, 4, 5]
CLASSIC = VARIANTS["classic"]


@pytest.mark.parametrize(
    ("blocks", "told"),
    [
        ([(block, 4) for block in extend([], FIVE, CLASSIC, rounds=3, seed=7)], "--rounds 3"),
        (most_balanced([], FIVE, CLASSIC, games=10, seed=7), "--games 10"),
        ([(block, 4) for block in full([], [*FIVE, 6], CLASSIC, rounds=2, seed=7)], "--rounds 2 --full"),
        ([(block, 4) for block in gauntlet([], 2, [1, *FIVE[2:]], CLASSIC, rounds=1, seed=7)], "--gauntlet bot@2"),
    ],
)
def test_the_command_of_a_division_is_the_one_that_planned_it(blocks: list[tuple[Block, int]], told: str) -> None:
    bots = {nth: _entered(nth, "bot", str(nth)) for nth in (*FIVE, 6)}
    found = tournament_command(_stored(blocks, TABLE), 7, bots)
    assert found.is_same
    assert told in found.command
    assert found.command.startswith("arena tournament --variant classic ")
    assert found.command.endswith(" --clock cpu --move-time 100ms --seed 7")


def test_the_command_of_a_division_says_when_its_schedule_came_about_in_steps() -> None:
    bots = {nth: _entered(nth, "bot", str(nth)) for nth in FIVE}
    first = extend([], FIVE[:4], CLASSIC, rounds=2, seed=7)
    later = extend(first, FIVE, CLASSIC, rounds=2, seed=7)
    whole = [(block, 4) for block in [*first, *later]]
    assert not tournament_command(_stored(whole, TABLE), 7, bots).is_same
    assert not tournament_command(_stored(whole[: len(first)], TABLE), 8, bots).is_same  # another seed
    assert tournament_command(_stored(whole[: len(first)], TABLE), 7, bots).is_same
    mixed = [*_stored(whole[:1], replace(TABLE, ponder=True)), *_stored(whole[1 : len(first)], TABLE)]
    assert not tournament_command(mixed, 7, bots).is_same


@pytest.mark.parametrize("spec", [TABLE, replace(UNUSUAL, seed=7)])
def test_the_command_of_a_division_is_about_the_same_matches(spec: MatchSpec) -> None:
    variant = VARIANTS[spec.variant]
    blocks = extend([], FIVE, variant, rounds=2, seed=7)
    whole = [(block, len(seatings(range(len(variant.seats)), variant))) for block in blocks]
    found = tournament_command(_stored(whole, spec), 7, {})
    assert found.is_same
    options = tournament.make_context("tournament", found.command.split()[2:]).params
    if options["opening_plies"] is None:
        options["opening_plies"] = default_opening(spec.variant)
    assert spec_of(options) == replace(spec, seed=7)
    assert options["rounds"] == 2


def test_one_match_is_not_many() -> None:
    empty = table_of()
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
    assert [duration(0), duration(0.01), duration(2050, 2)] == ["0\u202fms", "<0.1\u202fms", "2.05\u202fs"]
    assert [nth(place) for place in (1, 2, 3, 4)] == ["1st", "2nd", "3rd", "4th"]


@pytest.mark.parametrize(
    ("share", "as_chance", "as_count"),
    [
        (0.0, "<1", "0"),  # a fit never means what its last digit says; a count does
        (0.001, "<1", "<1"),
        (0.5, "50", "50"),
        (0.999, ">99", ">99"),
        (1.0, ">99", "100"),
        (float("nan"), "–", "–"),
    ],
)
def test_only_what_was_counted_is_never_or_always(share: float, as_chance: str, as_count: str) -> None:
    assert (chance(share), how_often(share)) == (as_chance, as_count)
    assert chance(share, "%") == (as_chance if as_chance == "–" else f"{as_chance}\u202f%")


def test_an_evaluation_is_as_short_on_the_terminal_as_on_the_site() -> None:
    game = MatchSpec(variant="duo").new_game()
    move = game.legal_moves()[0]
    ply = PlyRecord(turn=0, color="purple", seat=0, piece=move.piece, cells=move.cells, eval=0.9241418199787566)
    assert tell_ply(game, ply, ["one", "two"]).endswith("eval 0.9241")
    assert replay_data(MatchSpec(variant="duo"), [], [ply])[0]["steps"][0]["e"] == 0.9241


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

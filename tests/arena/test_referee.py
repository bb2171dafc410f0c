"""Healthy games: every variant is played to its end, every bot is told the right things, our trouble is ours."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import arena.bot_process
from arena.bots import Bot, load_bot
from arena.errors import ArenaError, UsageError
from arena.limits import ResourceLimits, TimeControl
from arena.pool import BotPool
from arena.record import MatchRecord, PlyRecord
from arena.referee import Observer, play_match
from arena.replay import lines_for
from arena.sandbox import Command, Confined, start
from engine import VARIANTS, Game
from tests.arena.helpers import ROOT, c_bot, faulty_bot, messages, play, python_bot, spec_of, spy_bot, told
from tests.arena.leftovers import descendants

pytestmark = pytest.mark.usefixtures("nothing_is_left")

C_BOT = ROOT / "tests" / "arena" / "c_bot.c"
EAGER = ROOT / "tests" / "arena" / "eager.py"


def seats_of(variant: str) -> int:
    return len(VARIANTS[variant].seats)


# ---- every variant, by real programs


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("language", ["Python", "C", "both"])
def test_every_variant_is_played_to_its_end(variant: str, language: str) -> None:
    pythons = [load_bot("random"), load_bot("greedy")]
    bots = {"Python": pythons, "C": [], "both": [load_bot("random")]}[language]
    if language != "Python":
        bots = [c_bot(C_BOT), *bots]
    seats = seats_of(variant)
    for seed in range(3):
        record = play(*(bots * 5)[seed % 2 :][:seats], variant=variant, seed=seed)
        assert record.faults == ()
        assert record.reason == "finished"
        assert len(record.plies) >= 10
        assert {seat.language for seat in record.seats} <= {"Python", "C"}


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_seat_is_told_exactly_what_the_record_says(tmp_path: Path, variant: str) -> None:
    wants = ["count", "legal", "count board", "legal count board"]
    spies = [spy_bot(tmp_path, want) for want in wants[: seats_of(variant)]]
    record = play(*spies, variant=variant)
    assert record.faults == ()
    assert_told_as_recorded(spies, record)


def assert_told_as_recorded(spies: list[Bot], record: MatchRecord) -> None:
    """Check that spies got, byte for byte, the lines that are rebuilt from the record."""
    for seat, spy in enumerate(spies):
        if "SPY_LOG" in spy.command.env:
            rebuilt = [each.line for each in lines_for(record, seat)]
            assert told(spy).splitlines(keepends=True) == rebuilt


SETTINGS = {
    "an opening": {"opening_plies": 6},
    "names hidden": {"anonymous": True},
    "other bonuses": {"scoring": "10/5"},
    "bank and increment": {"time": TimeControl(start_ms=20_000, move_ms=1, bank_ms=9_000, increment_ms=7)},
    "no pinning": {"pin": False},
    "thinking on others' time": {"pin": False, "ponder": True},
}


@pytest.mark.parametrize("settings", [pytest.param(value, id=name) for name, value in SETTINGS.items()])
def test_the_lines_are_rebuilt_whatever_the_settings(tmp_path: Path, settings: dict[str, object]) -> None:
    spies = [spy_bot(tmp_path, want) for want in ["legal", "count"]]
    record = play(*spies, **settings)
    assert record.faults == ()
    assert_told_as_recorded(spies, record)


@pytest.mark.parametrize("variant", ["classic", "teams", "three"])
@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        ("start.py", ("exits", "1")),
        ("turn.py", ("exits", "1")),
        ("turn.py", ("exits", "1", "0")),
        ("turn.py", ("answers ahead",)),
        ("plays.py", ("[[[0,0],[7,7]]]",)),
    ],
)
def test_the_lines_are_rebuilt_with_faults_of_others(
    tmp_path: Path, variant: str, program: str, arguments: tuple[str, ...]
) -> None:
    bots = [spy_bot(tmp_path, "count"), faulty_bot(tmp_path, program, *arguments), spy_bot(tmp_path, "board count")]
    bots += [spy_bot(tmp_path, "legal")] * (seats_of(variant) - 3)
    record = play(*bots, variant=variant, opening_plies=2)
    assert [fault.seat for fault in record.faults] == [1]
    assert_told_as_recorded(bots, record)
    faults = [{"seat": 1, "kind": record.faults[0].kind, "turn": record.faults[0].turn}]
    assert messages(bots[0])[-1]["faults"] == faults


def test_a_bot_may_answer_before_it_has_read_a_long_line(tmp_path: Path) -> None:
    bot = python_bot(tmp_path, EAGER, "-1", env={"SPY_LOG": str(tmp_path / "log")})
    record = play(bot, variant="solo-tetromino")
    assert record.faults == ()
    lines = [each.line for each in lines_for(record, 0)]
    assert max(map(len, lines)) > 10_000  # several times what its pipe holds
    assert told(bot).splitlines(keepends=True) == lines


def test_a_bot_that_has_not_read_its_last_lines_is_let_go_all_the_same(tmp_path: Path) -> None:
    game = Game("solo-tetromino")
    while not game.is_over:
        game.play_number(game.legal_number(0))
    bot = python_bot(tmp_path, EAGER, str(game.turn - 1), env={"SPY_LOG": str(tmp_path / "log")})
    record = play(bot, variant="solo-tetromino")
    assert record.faults == ()
    lines = b"".join(each.line for each in lines_for(record, 0))
    assert lines.startswith(told(bot))
    assert len(told(bot)) < len(lines)


# ---- what a bot is told


def test_hello_tells_the_seats_of_two_colors(tmp_path: Path) -> None:
    spies = [spy_bot(tmp_path), spy_bot(tmp_path)]
    record = play(*spies, variant="two")
    hello = messages(spies[1])[0]
    assert hello["seat"] == 1
    assert hello["seats"] == [
        {"name": "spy", "colors": ["blue", "red"], "team": 0},
        {"name": "spy#2", "colors": ["yellow", "green"], "team": 1},
    ]
    assert hello["turning_color"] is None
    assert hello["match"] == record.id
    assert hello["start"] == {"blue": [[0, 0]], "yellow": [[0, 19]], "red": [[19, 19]], "green": [[19, 0]]}
    asked = [message["color"] for message in messages(spies[1]) if message["type"] == "turn"]
    assert asked == [ply.color for ply in record.plies if ply.seat == 1]
    assert asked[:6] == ["yellow", "green"] * 3


def test_hello_tells_partners(tmp_path: Path) -> None:
    spies = [spy_bot(tmp_path) for _ in range(4)]
    record = play(*spies, variant="teams")
    assert [seat["team"] for seat in messages(spies[3])[0]["seats"]] == [0, 1, 0, 1]
    assert record.totals[0] == record.totals[2] == record.scores["blue"] + record.scores["red"]
    assert record.ranks[1] == record.ranks[3]


def test_the_turning_color_goes_from_seat_to_seat(tmp_path: Path) -> None:
    spies = [spy_bot(tmp_path) for _ in range(3)]
    record = play(*spies, variant="three")
    hello = messages(spies[0])[0]
    assert hello["turning_color"] == "green"
    assert "green" not in [color for seat in hello["seats"] for color in seat["colors"]]
    turning = [ply.seat for ply in record.plies if ply.color == "green"]
    assert turning == [number % 3 for number in range(len(turning))]
    for seat, spy in enumerate(spies):
        asked = [message["turn"] for message in messages(spy) if message.get("color") == "green"]
        assert asked == [ply.turn for ply in record.plies if ply.color == "green" and ply.seat == seat]


def test_the_turn_of_a_faulty_seat_with_the_turning_color_goes_to_the_next(tmp_path: Path) -> None:
    spies = [faulty_bot(tmp_path, "turn.py", "exits", "1"), spy_bot(tmp_path), spy_bot(tmp_path)]
    record = play(*spies, variant="three")
    assert record.faults[0].turn == 3  # its second turn is the first one of green
    turning = [ply.seat for ply in record.plies if ply.color == "green"]
    assert turning == [1 + number % 2 for number in range(len(turning))]


def test_each_seat_has_a_seed_of_its_own_which_the_next_match_changes(tmp_path: Path) -> None:
    spies = [spy_bot(tmp_path), spy_bot(tmp_path)]
    for seed in (1, 2):
        play(*spies, seed=seed)
    seeds = [message["seed"] for spy in spies for message in messages(spy) if message["type"] == "hello"]
    assert len(set(seeds)) == 4
    assert all(0 <= seed < 2**53 for seed in seeds)


def test_a_wanted_word_that_is_unknown_is_ignored(tmp_path: Path) -> None:
    spies = [spy_bot(tmp_path, "count colour-of-the-sky"), spy_bot(tmp_path)]
    assert play(*spies).faults == ()


# ---- names


def test_equal_names_are_told_apart() -> None:
    record = play("random", "greedy", "random", "random", variant="classic")
    assert [seat.name for seat in record.seats] == ["random", "greedy", "random#2", "random#3"]


def test_anonymous_bots_know_their_own_name_only(tmp_path: Path) -> None:
    spies = [spy_bot(tmp_path, name="Anna"), spy_bot(tmp_path, name="Bert")]
    record = play(*spies, anonymous=True)
    assert [seat["name"] for seat in messages(spies[0])[0]["seats"]] == ["Anna", "player 2"]
    assert [seat["name"] for seat in messages(spies[1])[0]["seats"]] == ["player 1", "Bert"]
    assert [seat.name for seat in record.seats] == ["Anna", "Bert"]


def test_a_bot_without_a_manifest_may_name_itself(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    source = (ROOT / "bots" / "random" / "bot.py").read_text(encoding="utf-8")
    script.write_text(source.replace('"want"', '"name": "Deep\\nBlok", "version": "9", "author": "me", "want"'))
    record = play(load_bot(str(script)), "random")
    seat = record.seats[0]
    assert (seat.name, seat.told_name, seat.version, seat.author) == ("DeepBlok", "script", "9", "me")
    assert record.seats[1].version == "1.0"  # its manifest's


# ---- openings and seeds


def test_an_opening_is_drawn_from_the_seed_and_told(tmp_path: Path) -> None:
    spies = [spy_bot(tmp_path), spy_bot(tmp_path)]
    record = play(*spies, opening_plies=5)
    opening = record.plies[:5]
    assert [ply.opening for ply in record.plies] == [True] * 5 + [False] * (len(record.plies) - 5)
    assert all(ply.wall_us == 0 for ply in opening)
    first = messages(spies[1])[1]
    assert first["turn"] == 5
    assert [played["piece"] for played in first["played"]] == [ply.piece for ply in opening]
    others = play("random", "random", opening_plies=5)
    assert others.plies[:5] == opening
    assert play("random", "random", opening_plies=5, seed=8).plies[:5] != opening


def test_an_opening_longer_than_the_game_is_the_whole_game() -> None:
    record = play("random", "random", opening_plies=84)
    assert all(ply.opening for ply in record.plies)
    assert record.faults == ()


def test_the_same_seed_gives_the_same_game() -> None:
    first, again, other = [play("random", "greedy", c_bot(C_BOT), variant="three", seed=seed) for seed in (5, 5, 6)]
    assert [ply.cells for ply in first.plies] == [ply.cells for ply in again.plies]
    assert first.id == again.id
    assert [ply.cells for ply in first.plies] != [ply.cells for ply in other.plies]
    assert first.id != other.id


# ---- odd, but within the contract


@pytest.mark.parametrize("habit", ["CRLF", "split", "stays", "floods"])
def test_a_habit_that_is_no_fault(tmp_path: Path, habit: str) -> None:
    spy = spy_bot(tmp_path, habit=habit)
    record = play(spy, "random")
    assert record.faults == ()
    assert messages(spy)[-1]["type"] == "end"


def test_notes_are_cut_and_unknown_fields_ignored(tmp_path: Path) -> None:
    record = play(spy_bot(tmp_path, habit="talks"), "random")
    ply = record.plies[0]
    assert ply.note == "é" * 500
    assert ply.eval == -1.5
    assert record.plies[1].eval is None


# ---- trouble of our own


def test_trouble_at_the_start_makes_the_match_void(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spies = [spy_bot(tmp_path) for _ in range(4)]
    started: list[str] = []

    def start_two(command: Command, limits: ResourceLimits) -> Confined:
        started.append(command.cwd)
        if len(started) == 3:
            raise ArenaError("the sandbox could not be set up")
        return start(command, limits)

    monkeypatch.setattr(arena.bot_process, "start", start_two)
    with pytest.raises(ArenaError, match="could not be set up"):
        play(*spies, variant="classic")
    for spy in spies[:2]:
        assert [message["type"] for message in messages(spy)] == ["hello", "end"]
        assert messages(spy)[-1]["reason"] == "void"
    assert not Path(spies[3].command.env["SPY_LOG"]).exists()


class Interrupting(Observer):
    """Has trouble after some plies."""

    def __init__(self, trouble: BaseException) -> None:
        self._trouble = trouble

    def on_ply(self, game: Game, ply: PlyRecord) -> None:
        if ply.turn == 4:
            raise self._trouble


def play_until(trouble: BaseException, bots: list[Bot], pool: BotPool | None = None) -> None:
    with pytest.raises(type(trouble)):
        play_match(spec_of(), bots, Interrupting(trouble), pool)


def test_trouble_in_the_middle_makes_the_match_void(tmp_path: Path) -> None:
    spies = [spy_bot(tmp_path), spy_bot(tmp_path)]
    play_until(ArenaError("disk full"), spies)
    for spy in spies:
        end = messages(spy)[-1]
        assert (end["type"], end["reason"]) == ("end", "void")
    assert sum(message["type"] == "turn" for spy in spies for message in messages(spy)) == 5


@pytest.mark.parametrize("trouble", [KeyboardInterrupt(), RuntimeError("a defect"), SystemExit(143)])
def test_a_bot_that_was_not_told_of_the_end_is_not_used_again(tmp_path: Path, trouble: BaseException) -> None:
    spies = [spy_bot(tmp_path, games="many"), spy_bot(tmp_path, games="many")]
    with BotPool() as pool:
        play_until(trouble, spies, pool)
        assert descendants() == {}
        assert play_match(spec_of(), spies, pool=pool).faults == ()


@contextmanager
def descriptors_left(number: int) -> Iterator[None]:
    """Let us open only so many more files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(map(int, os.listdir("/proc/self/fd")))
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + number, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("number", range(24))
def test_running_out_of_descriptors_is_our_own_trouble(number: int) -> None:
    bots = [load_bot("random"), load_bot("random")]
    record = None
    with descriptors_left(number), suppress(ArenaError):
        record = play_match(spec_of(), bots)
    if record:
        assert record.faults == ()
    else:
        assert number < 20


def test_whoever_starts_the_arena_may_ignore_the_death_of_children() -> None:
    command = f"trap '' CHLD; exec {sys.executable} -m arena match random random --variant duo --sandbox none"
    subprocess.run(["sh", "-c", command], check=True, capture_output=True)


def test_the_number_of_bots_must_fit() -> None:
    with pytest.raises(UsageError, match="classic has 4 seats, got 2 bots"):
        play("random", "random", variant="classic")
    with pytest.raises(UsageError, match="--no-pin"):
        play("random", "random", ponder=True)


def test_a_match_keeps_to_one_core_and_gives_it_back() -> None:
    class Watching(Observer):
        def on_ply(self, game: Game, ply: PlyRecord) -> None:
            cores_seen.append(len(os.sched_getaffinity(0)))

    cores_seen: list[int] = []
    before = os.sched_getaffinity(0)
    for pin, cores in [(True, 1), (False, len(before))]:
        play_match(spec_of(pin=pin), [load_bot("random"), load_bot("random")], Watching())
        assert cores_seen[-1] == cores
        assert os.sched_getaffinity(0) == before

"""`arena check` passes good bots, and names the true cause of what is wrong with broken ones."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.bots import Bot, load_bot
from arena.check import Checkup, Report, Step, check, check_source, lines_of
from arena.check.lines import why_garbage
from arena.check.logs import end_of, last_line
from arena.check.long_lines import long_scene
from arena.errors import BotSetupError, SandboxError
from arena.limits import ResourceLimits, TimeControl
from arena.protocol import legal_list
from arena.sandbox.choose import strongest
from engine import VARIANTS
from engine.notation import parse_game
from tests.arena.helpers import PATIENT, PLAIN, ROOT, c_bot, folder_bot, require
from tests.arena.test_cli import arena

BROKEN_BOTS = ROOT / "tests" / "broken_bots"
HASTY = TimeControl(start_ms=2000, move_ms=1000)  # for bots that do not answer at all: what is left of it is waited for

pytestmark = pytest.mark.usefixtures("nothing_is_left")


def broken(home: Path, program: str, *arguments: str) -> Bot:
    """Return one of the broken bots, in a folder with what it needs."""
    folder = home / "bot"
    (folder / "tests" / "broken_bots").mkdir(parents=True)
    shutil.copy(BROKEN_BOTS / "base.py", folder / "tests" / "broken_bots")
    shutil.copy(BROKEN_BOTS / f"{program}.py", folder / "bot.py")
    run = ["python3", "bot.py", *arguments]
    manifest = f"name = {json.dumps(program)}\nrun = {json.dumps(run)}\n"
    (folder / "bot.toml").write_text(manifest, encoding="utf-8")
    return load_bot(str(folder), "none")


def run_check(
    bot: Bot, *variants: str, time: TimeControl = PATIENT, limits: ResourceLimits = PLAIN, quick: bool = False
) -> Report:
    """Check a bot: in classic, unless told otherwise."""
    settings = Checkup(variants=variants or ("classic",), time=time, limits=limits, patience_s=1.0, quick=quick)
    return check(bot, settings)


def failure(report: Report) -> Step:
    """Return the first step that failed."""
    failed = [step for step in report.steps if step.ok is False]
    assert failed, [f"{step.name}: {step.detail}" for step in report.steps]
    return failed[0]


class _Enough(Exception):
    """A check has shown what it was run for."""


def first_failure(bot: Bot, *variants: str, time: TimeControl = PATIENT, limits: ResourceLimits = PLAIN) -> Step:
    """Check a bot up to the first step that fails, and return that."""
    told: list[Step] = []

    def tell(step: Step) -> None:
        told.append(step)
        if step.ok is False:
            raise _Enough

    with pytest.raises(_Enough):
        check(bot, Checkup(variants=variants or ("classic",), time=time, limits=limits), tell)
    return told[-1]


def named(report: Report, name: str) -> Step:
    """Return the step of this name."""
    return next(step for step in report.steps if step.name == name)


@pytest.fixture(autouse=True, scope="module")
def _a_launcher_is_there() -> None:
    """Start what confines bots now: it stays, and is nothing that a test leaves behind."""
    with suppress(SandboxError):
        strongest()


# ---- good bots


def readme_bot(home: Path) -> Bot:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"<!-- bot -->\n```python\n(.*?)```", text, re.DOTALL)
    assert found
    (home / "my_bot.py").write_text(found[1], encoding="utf-8")
    return load_bot(str(home / "my_bot.py"))


@pytest.mark.parametrize("name", ["random", "greedy", "readme", "c", "good"])
def test_a_good_bot_passes_every_step(name: str, tmp_path: Path) -> None:
    bots = {
        "readme": lambda: readme_bot(tmp_path),
        "c": lambda: c_bot(ROOT / "tests" / "arena" / "c_bot.c"),
        "good": lambda: broken(tmp_path, "good"),
    }
    bot = bots[name]() if name in bots else load_bot(name)
    told: list[Step] = []
    report = check(bot, Checkup(time=PATIENT, limits=PLAIN), told.append)
    assert report.passed, report.verdict
    assert [step.number for step in report.steps] == list(range(1, 23))
    assert tuple(told) == report.steps
    assert report.verdict.startswith(f"{bot.name} passed")


@pytest.mark.parametrize(("program", "arguments"), [("wrong_line", ("move", "crlf")), ("in_pieces", ())])
def test_what_is_only_unusual_passes(program: str, arguments: tuple[str, ...], tmp_path: Path) -> None:
    assert run_check(broken(tmp_path, program, *arguments)).passed


def test_a_quick_check_is_short_and_whole(tmp_path: Path) -> None:
    report = run_check(broken(tmp_path, "good"), "duo", quick=True)
    assert [step.name for step in report.steps] == [
        "start", "handshake", "first move", "long lines", "variant duo", "end and clean exit",
    ]  # fmt: skip
    assert report.passed


@pytest.mark.parametrize("variant", ["duo", "solo-tetromino"])
def test_a_check_keeps_to_the_variants_it_is_given(variant: str, tmp_path: Path) -> None:
    report = run_check(broken(tmp_path, "good"), variant)
    assert report.passed, report.verdict
    assert {step.name for step in report.steps if step.name.startswith("variant")} == {f"variant {variant}"}


def test_a_bot_is_checked_in_what_it_claims(tmp_path: Path) -> None:
    bot = replace(broken(tmp_path, "good"), variants=("two", "solo"))
    for preferred, expected in ((None, ["two", "solo"]), ("solo", ["solo"]), ("duo", ["two"])):
        report = check(bot, Checkup(preferred=preferred, time=PATIENT, limits=PLAIN, quick=True))
        assert report.passed, report.verdict
        found = [step.name for step in report.steps if step.name.startswith("variant")]
        assert found == [f"variant {each}" for each in expected]


# ---- broken ones: what fails, and the words that must be said


@pytest.mark.parametrize(
    ("program", "step", "cause"),
    [
        ("off_by_one", "first move", "counted from 1"),
        ("swapped", "first move", "rows and columns are swapped"),
        ("upside_down", "first move", "row 0 is taken to be at the bottom"),
        ("mirrored", "first move", "column 0 is taken to be at the right"),
        ("wrong_cells", "first move", "not a piece"),
        ("own_corner", "first move", "start square of blue, but yellow starts on (0,19)"),
        ("answers_twice", "first move", "sent a move message without being asked"),
        ("forgets_own", "bookkeeping", "forgets its own moves"),
        ("forgets_opponents", "bookkeeping", "forgets the opponents' moves"),
        ("ignores_passes", "bookkeeping", "counts whose turn it is"),
        ("stops_at_pass", "bookkeeping", "does not see what was placed since"),
        ("chokes_on_pass", "bookkeeping", "told of a color dropping out"),
        ("leaves_early", "bookkeeping", "left by itself at its turn 6"),
        ("slow", "low limits", "too slow"),
        ("fears_the_clock", "low limits", "ValueError: no time to search"),
        ("stays_for_good", "end and clean exit", "still there 500 ms after its input was closed"),
        ("small_buffer", "long lines", "does not read whole lines: it failed at one of 70 KB that came in two parts"),
        ("own_words", "bookkeeping", "it crashed at its turn 2 (exit code 1): ValueError: syntax error in opening"),
        ("stale_list", "bookkeeping", "plays from the list of an earlier turn: the move was legal at turn 1"),
        ("any_corner", "bookkeeping", "illegal move, no corner contact"),
    ],
)
def test_the_cause_is_named(program: str, step: str, cause: str, tmp_path: Path) -> None:
    failed = first_failure(broken(tmp_path, program))
    assert failed.name == step
    assert cause in failed.detail
    assert failed.advice


@pytest.mark.parametrize(
    ("program", "variants", "step", "cause"),
    [
        ("wrong_color", ("two",), "bookkeeping", "confuses its colors"),
        ("wrong_color", ("classic", "three"), "variant three", "the turning color"),
        ("no_turning_color", ("classic", "three"), "variant three", "first asked for green, the turning color"),
        ("always_large", ("classic", "duo"), "variant duo", "assumes a board of 20 x 20"),
        ("own_corner", ("duo",), "first move", "assumes that it starts in a corner"),
        ("needs_rivals", ("classic", "solo"), "variant solo", "no opponent"),
        ("dies_when_blocked", ("classic", "duo"), "blocked early", "RuntimeError: no legal move"),
        ("keeps_state", ("classic", "duo"), "reuse", "keeps something from the game before"),
        ("plays_once", ("classic", "duo"), "reuse", "left after the first game"),
        ("says_goodbye", ("duo",), "reuse", "printed something after `end`"),
        ("index_from_1", ("duo",), "bookkeeping", "counted from 1"),
    ],
)
def test_the_cause_is_named_in_the_variant_that_shows_it(
    program: str, variants: tuple[str, ...], step: str, cause: str, tmp_path: Path
) -> None:
    failed = first_failure(broken(tmp_path, program), *variants)
    assert failed.name == step
    assert cause in f"{failed.detail} {failed.advice}"


@pytest.mark.parametrize(
    ("when", "how", "cause"),
    [
        ("ready", "banner", "a banner"),
        ("ready", "blank", "blank line"),
        ("ready", "bom", "byte-order mark"),
        ("ready", "repr", "single quotes"),
        ("ready", "pretty", "several lines"),
        ("ready", "type", 'type "Move", expected "ready"'),
        ("move", "banner", "debug output"),
        ("move", "debug after", "best value 0.31"),
        ("move", "repr", "single quotes"),
        ("move", "nan", "`eval` is NaN"),
        ("move", "float", "a coordinate is a float"),
        ("move", "text cells", "a cell is text"),
        ("move", "type", 'type "Move", expected "move"'),
        ("move", "no type", "no `type`"),
        ("move", "turn", "`turn` is 2, but turn 1 was asked"),
        ("move", "index", "without having asked for a list"),
        ("move", "null", "note is null"),
        ("move", "neither", "neither `cells` nor `index`"),
        ("move", "no cells", "the bot passes"),
        ("move", "long", "sent too much"),
        ("ready", "text want", "`want` is text, expected a list of words"),
        ("ready", "number name", "`name` is a whole number, expected text"),
        ("ready", "games", 'expected "one" or "many"'),
        ("move", "object cells", "a cell is an object"),
        ("move", "three numbers", "a cell has 3 numbers instead of two"),
        ("move", "no list", "`cells` is text, expected a list of cells"),
        ("move", "text turn", "`turn` is text, expected the whole number 1 as it was sent"),
    ],
)
def test_a_wrong_line_is_explained(when: str, how: str, cause: str, tmp_path: Path) -> None:
    failed = first_failure(broken(tmp_path, "wrong_line", when, how))
    assert failed.name == ("handshake" if when == "ready" else "first move")
    assert cause in failed.detail
    assert failed.sent


@pytest.mark.parametrize(
    ("program", "arguments", "step", "cause"),
    [
        ("never_flushes", ("ready", "move"), "handshake", "not flushed"),
        ("never_flushes", ("move",), "first move", "not flushed"),
        ("wrong_line", ("ready", "no newline"), "handshake", "no newline at the end"),
        ("wrong_line", ("move", "no newline"), "first move", "no newline at the end"),
        ("wrong_line", ("move", "half"), "first move", "stopped in the middle"),
        ("at_start", ("loop",), "handshake", "infinite loop"),
        ("at_start", ("wait",), "handshake", "waits for something"),
    ],
)
def test_silence_is_explained(program: str, arguments: tuple[str, ...], step: str, cause: str, tmp_path: Path) -> None:
    failed = first_failure(broken(tmp_path, program, *arguments), time=HASTY)
    assert failed.name == step
    assert cause in failed.detail


@pytest.mark.parametrize(("program", "how"), [("reads_chunks", "crash"), ("reads_chunks", "swallow")])
def test_a_bot_that_takes_parts_for_lines_is_told_so(program: str, how: str, tmp_path: Path) -> None:
    time = HASTY if how == "swallow" else PATIENT
    failed = first_failure(broken(tmp_path, program, how), time=time)
    assert failed.name == "long lines"
    assert "does not read whole lines" in failed.detail
    assert "Node.js: readline; Go: bufio.Reader" in failed.advice


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_longest_line_is_tried_in_every_variant(variant: str) -> None:
    scene = long_scene((variant,))
    game = parse_game(scene.opening)
    assert (game.variant.name, game.seat) == (variant, scene.seat)
    if variant not in ("duo", "three-open", "solo-tetromino", "solo-descending"):
        assert len(bytes(legal_list(game.placements, game.legal_bits()))) > 1 << 16  # type: ignore[arg-type]


def test_the_longest_of_all_is_tried_where_it_is_claimed() -> None:
    assert long_scene(("classic", "duo", "solo-pentomino")).variant == "solo-pentomino"
    assert long_scene(("three", "duo", "classic")).variant == "classic"


@pytest.mark.parametrize(
    ("file", "needs", "step", "cause"),
    [
        ("never_asks.js", "node", "first move", "it reads `legal`, which it did not ask for"),
        ("parses_nothing.js", "node", "bookkeeping", "it crashed at its turn 2 (exit code 1): SyntaxError: Unexpected"),
        ("reads_chunks.js", "node", "long lines", "does not read whole lines"),
        ("small_buffer.go", "go", "long lines", "does not read whole lines"),
    ],
)
def test_the_cause_is_named_in_other_languages(file: str, needs: str, step: str, cause: str) -> None:
    require(needs)
    failed = first_failure(load_bot(str(BROKEN_BOTS / file), "none"))
    assert failed.name == step
    assert cause in failed.detail


@pytest.mark.parametrize("how", ["crash", "misspelt", "swallow"])
def test_a_bot_that_forgets_to_ask_for_the_list_is_told_so(how: str, tmp_path: Path) -> None:
    report = run_check(broken(tmp_path, "never_asks", how), time=HASTY if how == "swallow" else PATIENT)
    failed = failure(report)
    assert failed.name == "first move"
    assert 'it reads `legal`, which it did not ask for: "want":["legal"] in ready' in failed.detail
    handshake = named(report, "handshake").detail
    assert ("wants Legal, which nobody knows (expected any of legal, count, board)" in handshake) == (how == "misspelt")


def test_a_bot_that_takes_milliseconds_for_seconds_is_told_the_unit(tmp_path: Path) -> None:
    failed = first_failure(broken(tmp_path, "takes_seconds"), time=HASTY)
    assert "far beyond its time" in failed.detail
    assert "the clock is in milliseconds" in failed.advice


@pytest.mark.parametrize(
    ("program", "variant", "cause"),
    [
        ("forgets_own", "solo-tetromino", "forgets its own moves"),
        ("stale_list", "solo-pentomino", "plays from the list of an earlier turn: the move was legal at turn 0"),
        ("any_corner", "solo-tetromino", "illegal move, no corner contact"),
        ("upside_down", "solo-tetromino", "row 0 is taken to be at the bottom"),
        ("off_by_one", "solo-pentomino", "counted from 1"),
        ("swapped", "solo-pentomino", "rows and columns are swapped"),
        ("swapped", "solo", "rows and columns are swapped"),
    ],
)
def test_what_fits_by_chance_is_not_taken_for_the_cause(program: str, variant: str, cause: str, tmp_path: Path) -> None:
    assert cause in first_failure(broken(tmp_path, program), variant).detail


def test_a_corner_of_another_color_is_not_taken_for_another_color(tmp_path: Path) -> None:
    report = run_check(broken(tmp_path, "any_corner"), "duo", "solo-tetromino")
    assert {step.detail.split(": ")[1] for step in report.steps if step.ok is False} == {
        "illegal move, no corner contact"
    }


def test_a_flood_of_stderr_is_told_but_no_fault(tmp_path: Path) -> None:
    report = run_check(broken(tmp_path, "talkative"))
    assert report.passed
    assert "floods standard error" in named(report, "stderr").detail


# ---- bots that do not even start


@pytest.mark.parametrize(
    ("file", "data", "cause"),
    [
        ("bot", b"#!/usr/bin/pythn3\nprint(1)\n", "an interpreter that is not there"),
        ("bot.xyz", b"#!/usr/bin/env pythn3\nprint(1)\n", "names pythn3, an interpreter that is not installed"),
        ("bot.py", b"print('hello'\n", "syntax error (SyntaxError"),
        ("bot.py", b"import torch_of_mine\n", "a library that is not there: torch_of_mine"),
        ("bot", b"just text\n", "not executable"),
        ("bot.py", b"import sys\nsys.exit(3)\n", "exit code 3"),
        ("bot.py", b"input()\nraise ValueError('my own')\n", "ValueError: my own"),
        ("bot.py", b"open('weights.json')\n", "it reads a file that is not there: weights.json"),
        ("bot.sh", b"if then fi\n", "the program has a syntax error"),
    ],
)
def test_a_file_that_does_not_start_is_explained(file: str, data: bytes, cause: str, tmp_path: Path) -> None:
    (tmp_path / file).write_bytes(data)
    failed = failure(check_source(str(tmp_path / file), Checkup(time=PATIENT, limits=PLAIN)))
    assert (failed.number, failed.name) == (1, "start")
    assert cause in failed.detail


@pytest.mark.parametrize(
    ("run", "mode", "data", "cause"),
    [
        ("./bot", 0o755, b"#!/usr/bin/python3\r\nprint(1)\r\n", "Windows line ends"),
        ("./bot", 0o755, b"#!/usr/bin/env python3\r\nprint(1)\r\n", "Windows line ends"),
        ("./bot", 0o644, b"#!/usr/bin/python3\nprint(1)\n", "bot is not executable"),
        (
            "./bot",
            0o755,
            b"#!/opt/gone/python3\nprint(1)\n",
            "names /opt/gone/python3, an interpreter that is not there",
        ),
        ("./bot", 0o755, b"print(1)\n", "neither a program for this machine nor a script"),
        ("./other", 0o755, b"", "names ./other, which is not there"),
        ("no-such-runtime bot", 0o755, b"", "no-such-runtime, which is not installed"),
        ("python3 gone.py", 0o755, b"", "names a file that is not there"),
        ("bot", 0o755, b"#!/bin/sh\n", "`run` names bot without a path"),
        ("cd src; python3 bot.py", 0o755, b"", "`run` is one command, not a shell line"),
        ("DEBUG=1 ./bot", 0o755, b"", "`run` is one command, not a shell line"),
    ],
)
def test_a_folder_that_does_not_start_is_explained(
    run: str, mode: int, data: bytes, cause: str, tmp_path: Path
) -> None:
    (tmp_path / "bot").write_bytes(data)
    (tmp_path / "bot").chmod(mode)
    (tmp_path / "bot.toml").write_text(f'name = "b"\nrun = "{run}"\n', encoding="utf-8")
    failed = failure(check_source(str(tmp_path), Checkup(time=PATIENT, limits=PLAIN)))
    assert failed.name == "start"
    assert cause in failed.detail


def test_a_script_named_without_its_interpreter_is_told_what_to_write(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("print(1)\n", encoding="utf-8")
    (tmp_path / "bot.toml").write_text('name = "b"\nrun = "bot.py"\n', encoding="utf-8")
    failed = failure(check_source(str(tmp_path), Checkup(limits=PLAIN)))
    assert failed.advice == 'Write run = "python3 bot.py" in bot.toml.'


def test_a_bot_that_does_not_start_is_not_told_to_play_again(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("import sys\nsys.exit(3)\n", encoding="utf-8")
    failed = failure(check_source(str(tmp_path / "bot.py"), Checkup(time=PATIENT, limits=PLAIN)))
    assert failed.advice == "Run it by itself until it starts, and answers the line that it was sent."


@pytest.mark.parametrize(
    ("variant", "rivals"), [("classic", " greedy greedy greedy"), ("duo", " greedy"), ("solo", "")]
)
def test_a_crash_can_be_seen_again(variant: str, rivals: str, tmp_path: Path) -> None:
    bot = broken(tmp_path, "own_words")
    failed = first_failure(bot, variant)
    match = f"arena match {bot.source}{rivals} --variant {variant} --record m.json"
    assert f"`{match}`, then `arena rerun m.json --seat 0`" in failed.advice
    assert arena(*match.split()[1:], cwd=tmp_path).returncode == 0
    done = arena("rerun", "m.json", "--seat", "0", cwd=tmp_path)
    assert "opening book" in done.stdout + done.stderr


def test_a_build_without_what_it_builds_is_no_compile_error(tmp_path: Path) -> None:
    require("make")
    (tmp_path / "bot.toml").write_text('name = "b"\nrun = "./b"\nbuild = "make"\n', encoding="utf-8")
    failed = failure(check_source(str(tmp_path), Checkup(limits=PLAIN)))
    assert failed.detail.startswith("the build failed: make: ")
    assert failed.advice == "Build it by itself in its folder first: make"


def test_a_compile_error_is_shown(tmp_path: Path) -> None:
    require("cc")
    (tmp_path / "bot.c").write_text("int main(void) { return missing; }\n", encoding="utf-8")
    failed = failure(check_source(str(tmp_path / "bot.c"), Checkup(time=PATIENT, limits=PLAIN)))
    assert failed.name == "start"
    assert "a compile error" in failed.detail
    assert "missing" in failed.detail


def test_a_compiler_that_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('name = "b"\nrun = "./b"\nbuild = "no-such-compiler b.x"\n', encoding="utf-8")
    failed = failure(check_source(str(tmp_path), Checkup(time=PATIENT, limits=PLAIN)))
    assert "no-such-compiler, which is not installed" in failed.detail


def test_a_bad_manifest_fails_the_first_step(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('name = "b"\n', encoding="utf-8")
    assert "`run`" in failure(check_source(str(tmp_path), Checkup())).detail


def test_nothing_to_check_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(BotSetupError, match="no bot at"):
        check_source(str(tmp_path / "nothing"), Checkup())


# ---- what only a sandbox shows


@pytest.fixture
def confined() -> ResourceLimits:
    """Limits with the strongest sandbox there is."""
    try:
        strongest()
    except SandboxError as error:
        if os.environ.get("ARENA_REQUIRE_ALL") == "1":
            pytest.fail(str(error))
        pytest.skip(str(error))
    return ResourceLimits()


@pytest.mark.parametrize(
    ("way", "cause"),
    [
        ("memory", "ran out of memory"),
        ("network", "needs the network"),
        ("writes", "writes to its own folder"),
        ("terminal", "/dev/games.log, which is not its own"),
        ("module", "a library that is not there: tensorflow_for_bots"),
    ],
)
def test_what_a_sandbox_forbids_is_named(way: str, cause: str, confined: ResourceLimits, tmp_path: Path) -> None:
    failed = first_failure(broken(tmp_path, "at_start", way), limits=confined)
    assert failed.name == "start"
    assert cause in failed.detail


def test_a_child_process_needs_to_be_asked_for(confined: ResourceLimits, tmp_path: Path) -> None:
    files = {"bot.py": b"import subprocess\nsubprocess.run(['true'])\n"}
    bot = folder_bot(tmp_path, "python3", "bot.py", files=files)
    failed = first_failure(bot, limits=confined)
    assert "starts another process" in failed.detail
    assert "processes = true" in failed.advice


def test_a_good_bot_passes_confined(confined: ResourceLimits) -> None:
    report = run_check(load_bot("random"), "duo", limits=confined)
    assert report.passed, report.verdict
    assert "MB of 512 MB" in named(report, "memory").detail


# ---- how it reads


def test_a_failed_step_shows_the_lines_and_the_board(tmp_path: Path) -> None:
    failed = first_failure(broken(tmp_path, "own_corner"))
    assert failed.sent.startswith('{"type":"turn","turn":1,"color":"yellow"')
    assert failed.received.startswith('{"type": "move"')
    top = failed.board.splitlines()[0].split()
    assert (top[0], top[1], top[-1]) == ("20", "x", "+")
    assert len(failed.board.splitlines()) == 21
    text = "\n".join(lines_of(failed))
    assert "FAILED" in text
    assert "advice" in text
    assert failed.board.splitlines()[-1] in text


def test_the_log_of_a_bot_is_shown(tmp_path: Path) -> None:
    failed = first_failure(broken(tmp_path, "own_words"))
    lines = failed.log.splitlines()
    assert len(lines) <= 8
    assert lines[-1].startswith("ValueError: syntax error in opening book")
    assert any('bot.py", line' in line for line in lines)
    shown = list(lines_of(failed))
    assert shown[shown.index(f"    log       {lines[0]}") + 1] == f"              {lines[1]}"


def test_a_bot_that_waits_is_told_what_it_logged_last(tmp_path: Path) -> None:
    program = "import sys\ninput()\nprint('no book', file=sys.stderr, flush=True)\ninput()\ninput()\n"
    (tmp_path / "bot.py").write_text(program, encoding="utf-8")
    failed = failure(check_source(str(tmp_path / "bot.py"), Checkup(time=HASTY, limits=PLAIN)))
    assert failed.detail.endswith("its log ends in: no book")


def test_the_lines_around_an_error_are_shown() -> None:
    error, frame = ["bot.js:4", "  x.y", "    ^", "TypeError: no y"], "    at z (bot.js)"
    log = "\n".join([*9 * ["debug"], "", *error, *9 * [frame], "Node.js v20", ""])
    assert end_of(log).splitlines() == ["debug", *error, frame, frame, frame]
    assert end_of("Error: old\n" + "x\n" * 30) == "\n".join(8 * ["x"])
    assert end_of("") == ""


def test_a_message_that_a_runtime_quotes_is_no_error() -> None:
    assert last_line('Error: bad input\n{"type":"turn","note":"Error: mine"}\n') == "Error: bad input"


def test_a_mistake_is_told_once(tmp_path: Path) -> None:
    report = run_check(broken(tmp_path, "plays_one_move"), "classic", "duo")
    failed = [step for step in report.steps if step.ok is False]
    assert [step.name for step in failed] == ["bookkeeping", "variant classic", "variant duo"]
    first, *others = failed
    assert first.same_as is None
    for step in others:
        assert step.same_as == first.number
        assert "left by itself" in step.detail
        assert step.board
        (line,) = lines_of(step)
        assert line.endswith(f"FAILED  the same as in step {first.number}")


def test_a_strangers_words_cannot_move_the_cursor(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("import sys\nsys.exit('\\x1b[2JError: \\x1b[31mred')\n", encoding="utf-8")
    report = check_source(str(tmp_path / "bot.py"), Checkup(time=PATIENT, limits=PLAIN))
    assert "red" in failure(report).detail
    assert "\x1b" not in "\n".join(line for step in report.steps for line in lines_of(step))


def test_other_moves_from_the_same_seed_are_told_but_no_fault(tmp_path: Path) -> None:
    report = run_check(readme_bot(tmp_path))
    assert report.passed
    assert "other moves from the same seed" in named(report, "reproducible").detail


def test_the_arenas_own_python_is_used(tmp_path: Path) -> None:
    assert sys.executable in named(run_check(broken(tmp_path, "good"), "duo", quick=True), "start").detail


def test_a_line_too_long_to_be_kept_whole_is_not_called_broken() -> None:
    cause = why_garbage('{"type":"move","note":"xxx… [9000 bytes]', '{"type":"turn","turn":4,', "expected cells")
    assert "expected cells" in cause.what
    assert "broken" not in cause.what


# ---- the command


def test_the_command_tells_the_steps_and_a_verdict(tmp_path: Path) -> None:
    done = arena("check", "random", "--variant", "duo", "--sandbox", "none", "--move-time", "10")
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1].startswith("random passed")
    assert re.search(r"^ 3  first move +ok ", done.stdout, re.MULTILINE)


def test_the_command_fails_with_a_bot_that_fails(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("print('hello')\ninput()\n", encoding="utf-8")
    done = arena("check", str(tmp_path / "bot.py"), "--sandbox", "none")
    assert done.returncode == 1
    assert "FAILED  printed a line that is no message" in done.stdout
    assert done.stderr == ""


def test_the_command_speaks_json(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("print('hello')\ninput()\n", encoding="utf-8")
    done = arena("check", str(tmp_path / "bot.py"), "--sandbox", "none", "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["passed"]) == (1, False)
    assert [(step["number"], step["ok"]) for step in report["steps"]] == [(1, True), (2, False)]
    assert report["steps"][1]["received"] == "hello"
    assert report["steps"][1]["sent"].startswith('{"type":"hello"')
    assert set(report["steps"][1]) == {
        "number", "name", "ok", "detail", "advice", "sent", "received", "log", "board", "same_as",
    }  # fmt: skip


def test_the_command_refuses_what_is_not_there(tmp_path: Path) -> None:
    done = arena("check", str(tmp_path / "gone.py"))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1

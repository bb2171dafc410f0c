"""The command line as a user meets it: real processes, every line it prints."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ARENA = [sys.executable, "-m", "arena"]


def arena(*arguments: str | Path, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return subprocess.run(
        [*ARENA, *map(str, arguments)],
        cwd=cwd,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture(scope="module")
def record_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("record") / "match.json"
    done = arena("match", "random", "greedy", "--variant", "duo", "--seed", "4", "--record", file)
    assert done.returncode == 0, done.stderr
    return file


def test_a_match_ends_with_board_table_and_id() -> None:
    done = arena("match", "random", "greedy", "--variant", "duo", "--seed", "4")
    assert done.returncode == 0
    assert re.search(r"^14 (\S ){14}$", done.stdout, re.MULTILINE)
    assert re.search(r"^ +1 +[01] +(random|greedy)", done.stdout, re.MULTILINE)
    assert "duo, seed 4, match " in done.stdout
    assert "\x1b[" not in done.stdout  # no colors into a pipe


def test_json_prints_the_record_and_nothing_else() -> None:
    done = arena("match", "random", "--variant", "solo-tetromino", "--seed", "1", "--json", "--watch")
    record = json.loads(done.stdout)
    assert record["format"] == 1
    assert record["seed"] == 1
    assert done.stderr == ""


def test_the_same_seed_gives_the_same_game() -> None:
    first, second = [
        json.loads(arena("match", "random", "greedy", "--variant", "duo", "--seed", "9", "--json").stdout)
        for _ in range(2)
    ]
    assert [ply["cells"] for ply in first["plies"]] == [ply["cells"] for ply in second["plies"]]
    assert first["id"] == second["id"]


def test_watch_prints_every_position_where_there_is_no_terminal() -> None:
    done = arena("match", "random", "--variant", "solo-tetromino", "--seed", "1", "--watch")
    assert done.stdout.count("   a b c d e f g h i j\n") >= 8


def test_verify_says_what_stands(record_file: Path) -> None:
    done = arena("verify", record_file)
    assert done.returncode == 0
    assert "stands" in done.stdout


def test_verify_says_what_does_not_stand(record_file: Path, tmp_path: Path) -> None:
    record = json.loads(record_file.read_text())
    record["ranks"] = [1, 1]
    tampered = tmp_path / "tampered.json"
    tampered.write_text(json.dumps(record))
    done = arena("verify", record_file, tampered)
    assert done.returncode == 1
    assert "the rank of seat" in done.stderr
    assert "stands" in done.stdout


def test_verify_reads_one_record_a_line(record_file: Path, tmp_path: Path) -> None:
    lines = tmp_path / "many.jsonl"
    lines.write_text(record_file.read_text() * 3)
    assert arena("verify", lines).stdout.count("stands") == 3


def test_replay_prints_a_position(record_file: Path) -> None:
    done = arena("replay", record_file, "--ply", "1")
    assert done.returncode == 0
    assert "turn 0  purple (random)" in done.stdout


def test_rerun_gets_through_a_clean_game(record_file: Path) -> None:
    done = arena("rerun", record_file, "--seat", "1")
    assert done.returncode == 0, done.stdout
    assert "hello: ready" in done.stdout
    assert "(in the record" not in done.stdout
    assert done.stdout.endswith("end of the game\n")


def test_convert_there_and_back(record_file: Path, tmp_path: Path) -> None:
    assert arena("convert", record_file, tmp_path / "game.blksgf").returncode == 0
    assert (tmp_path / "game.blksgf").read_text().startswith("(;GM[Blokus Duo]")
    assert arena("convert", tmp_path / "game.blksgf", tmp_path / "back.json").returncode == 0
    assert arena("verify", tmp_path / "back.json").returncode == 0


BAD_USAGE: list[tuple[list[str], str]] = [
    (["match"], "classic needs 4 bots, got 0"),
    (["match", "random", "--variant", "duo"], "duo needs 2 bots, got 1"),
    (["match", "nobody", "random", "--variant", "duo"], "no bot at nobody"),
    (["match", "--variant", "chess"], "'chess' is not one of"),
    (["match", "random", "--variant", "solo", "--move-time", "soon"], "expected a time such as"),
    (["match", "random", "--variant", "solo", "--move-time", "-1"], "from 0 to 1440m"),
    (["match", "random", "--variant", "solo", "--seed", "-1"], "--seed"),
    (["match", "random", "--variant", "solo", "--ponder"], "--no-pin"),
    (["match", "random", "--variant", "solo", "--memory", "1"], "--memory"),
    (["verify", "nowhere.json"], "cannot read nowhere.json"),
    (["replay", "nowhere.json"], "cannot read nowhere.json"),
    (["convert", "a.txt", "b.txt"], "expected a .json and a .blksgf file"),
    (["convert", "a.blksgf", "b.json"], "cannot read a.blksgf"),
    (["dance"], "No such command 'dance'"),
    (["match", "--dance"], "No such option"),
]


@pytest.mark.parametrize(
    ("arguments", "words"), BAD_USAGE, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_wrong_usage_is_one_clear_line_and_exit_code_2(arguments: list[str], words: str, tmp_path: Path) -> None:
    done = arena(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"format": 99}', '{"format": 1}', "\x00", "[" * 100_000])
def test_what_is_no_record_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_text(text)
    done = arena("replay", file)
    assert done.returncode == 2
    assert "bad.json" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_bot_that_loses_by_a_fault_is_told_in_a_sentence(tmp_path: Path) -> None:
    bot = tmp_path / "crasher.py"
    bot.write_text(
        'import sys\nsys.stdin.readline()\nprint(\'{"type":"ready"}\', flush=True)\nsys.stdin.readline()\n1 / 0\n'
    )
    done = arena("match", bot, "greedy", "--variant", "duo", "--seed", "1")
    assert done.returncode == 0
    assert "crasher (seat 0) crashed at turn 0" in done.stdout
    assert "exit code 1" in done.stdout
    assert "ZeroDivisionError" in done.stdout


def test_an_illegal_move_is_drawn_on_the_board(tmp_path: Path) -> None:
    bot = tmp_path / "cheat.py"
    bot.write_text(
        "import sys, json\n"
        "for line in sys.stdin:\n"
        "    m = json.loads(line)\n"
        "    if m['type'] == 'hello': print('{\"type\":\"ready\"}', flush=True)\n"
        "    if m['type'] == 'turn': print(json.dumps({'type':'move','turn':m['turn'],'cells':[[0,0]]}), flush=True)\n"
    )
    done = arena("match", bot, "greedy", "--variant", "duo", "--seed", "1")
    assert "start square: the first piece of purple must cover (4,4)" in done.stdout
    assert "14 x" in done.stdout


def test_logs_are_shown_with_their_seat(tmp_path: Path) -> None:
    bot = tmp_path / "talker.py"
    bot.write_text("import sys\nprint('hello \\x1b[31mworld', file=sys.stderr, flush=True)\nsys.stdin.readline()\n")
    done = arena("match", bot, "greedy", "--variant", "duo", "--seed", "1", "--stderr")
    assert "[seat 0] hello  [31mworld" in done.stderr


def test_a_record_that_cannot_be_written_is_our_trouble(tmp_path: Path) -> None:
    done = arena("match", "random", "--variant", "solo-tetromino", "--record", tmp_path / "no" / "such" / "folder.json")
    assert done.returncode == 3
    assert "cannot write" in done.stderr


def test_watching_on_a_terminal_draws_in_color() -> None:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*ARENA, "match", "random", "--variant", "solo-tetromino", "--seed", "1", "--watch", "--delay", "0"],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=os.environ | {"TERM": "xterm-256color"},
    )
    os.close(slave)
    output = b""
    while True:
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        output += data
    os.close(master)
    assert process.wait(timeout=60) == 0
    assert b"\x1b[" in output
    assert b"solo-tetromino, seed 1" in output


def _running(name: str) -> list[str]:
    """Return the processes that run a program of this name."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if name.encode() in (folder / "cmdline").read_bytes() and b"match" not in (folder / "cmdline").read_bytes():
                found.append(folder.name)
        except OSError:
            continue
    return found


@pytest.mark.parametrize("sandbox", ["auto", "none"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupting_ends_the_bots(number: signal.Signals, code: int, sandbox: str, tmp_path: Path) -> None:
    bot = tmp_path / f"sleeper_{os.getpid()}_{code}_{sandbox}.py"
    bot.write_text("import time\ntime.sleep(600)\n")
    options = ["--variant", "solo", "--start-time", "10m", "--sandbox", sandbox]
    process = subprocess.Popen([*ARENA, "match", str(bot), *options], stderr=subprocess.PIPE)
    while not _running(bot.name):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == code
    assert b"Traceback" not in errors
    assert not _running(bot.name)


def test_help_needs_no_arguments() -> None:
    done = arena()
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: ")
    assert arena("--version").stdout.startswith("arena, version ")

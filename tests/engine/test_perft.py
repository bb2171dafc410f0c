"""The yardstick: known numbers of placement sequences, through the command that prints them."""

import subprocess
import sys

import pytest

from engine import BadRequest, Game
from engine.perft import divide, perft


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "engine", "perft", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize(
    ("variant", "depth", "count"),
    [
        ("classic", 0, 1),
        ("classic", 1, 58),
        ("classic", 2, 3364),
        ("classic", 3, 195112),
        ("classic", 4, 11316496),
        ("duo", 1, 414),
        ("duo", 2, 171396),
        ("duo", 3, 89204762),
    ],
)
def test_perft_prints_the_known_number(variant: str, depth: int, count: int) -> None:
    done = run(variant, str(depth))
    assert (done.returncode, done.stdout) == (0, f"{count}\n")


def test_divide_splits_the_count_by_the_first_placement() -> None:
    lines = run("duo", "2", "--divide").stdout.splitlines()
    assert lines[0] == "I1@e10 414"
    assert len(lines) == 415
    assert sum(int(line.split()[1]) for line in lines[:-1]) == int(lines[-1]) == 171396


def test_the_game_is_left_as_it_was() -> None:
    game = Game("solo-tetromino")
    before = game.legal_moves()
    assert sum(count for _, count in divide(game, 2)) == perft(game, 2)
    assert game.legal_moves() == before
    assert game.turn == 0


def test_a_finished_game_has_no_further_sequences() -> None:
    game = Game("duo")
    game.retire(0)
    game.retire(1)
    assert perft(game, 1) == perft(game, 3) == 0


@pytest.mark.parametrize(
    "arguments",
    [("chess", "1"), ("duo", "-1"), ("duo", "x"), ("duo",), (), ("duo", "0", "--divide"), ("duo", "1", "2")],
)
def test_wrong_usage_is_one_line_and_exit_code_2(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_a_negative_depth_is_refused() -> None:
    with pytest.raises(BadRequest, match="depth must be 0 or more"):
        perft(Game(), -1)

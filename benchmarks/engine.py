"""The engine's speed, as ratios against a naive reference measured in the same run: `python -m benchmarks.engine`."""

from __future__ import annotations

import random
import resource
import statistics
import subprocess
import sys
from time import perf_counter

from benchmarks.naive import legal_moves
from benchmarks.timing import Goals, median_us, pin
from engine import Game
from engine.placements import numbers

MIDDLE = 28  # plies: seven pieces of each color

FIRST_LIST = """
from time import perf_counter
begun = perf_counter()
from engine import Game
Game().legal_moves()
print((perf_counter() - begun) * 1000)
"""


def middle_games(count: int) -> list[Game]:
    """Return random classic games after `MIDDLE` plies."""
    rng = random.Random(1)
    games: list[Game] = []
    while len(games) < count:
        game = Game()
        while not game.is_over and game.turn < MIDDLE:
            game.play_random(rng)
        if all(game.has_move(color) for color in game.variant.colors):
            games.append(game)
    return games


def naive_us(games: list[Game]) -> float:
    """Return the time of one naive list; the lists are checked on the way."""
    times = []
    for game in games:
        assert game.color
        begun = perf_counter()
        found = legal_moves(game, game.color)
        times.append((perf_counter() - begun) * 1e6)
        assert sorted(found) == sorted((move.piece, move.cells) for move in game.legal_moves())
    return statistics.median(times)


def update_us(games: list[Game]) -> float:
    """Return the time to play a move and know exactly which colors can still move."""
    colors = games[0].variant.colors
    played = [(game.copy(), numbers(game.legal_bits())) for game in games]
    rng = random.Random(2)
    chosen = [(game, rng.choice(found)) for game, found in played]

    def play_all() -> None:
        for game, number in chosen:
            game.play_number(number)
            for color in colors:
                game.has_move(color)
            game.undo()

    return median_us(play_all, 20) / len(chosen)


def list_us(games: list[Game]) -> float:
    """Return the time of one full legal list, made from scratch."""
    fresh = [game.copy() for game in games]

    def list_all() -> None:
        for game in fresh:
            game.legal_moves()

    return median_us(list_all, 20) / len(fresh)


def random_games_per_s(seconds: float = 2.0) -> tuple[float, float]:
    """Return uniform random classic games a second, and the mean number of plies."""
    rng = random.Random(3)
    games = plies = 0
    begun = perf_counter()
    while perf_counter() - begun < seconds:
        for _ in range(50):
            game = Game()
            while not game.is_over:
                game.play_random(rng)
            games += 1
            plies += game.turn
    return games / (perf_counter() - begun), plies / games


def main() -> int:
    """Print every figure beside its goal; return how many were missed."""
    pin()
    goals = Goals()
    games = middle_games(40)
    naive = naive_us(games[:10])
    update = update_us(games)
    moves = statistics.mean(game.legal_count() for game in games)
    print(f"middle game: after {MIDDLE} plies, {moves:.0f} legal moves on average; naive list {naive / 1000:.1f} ms\n")
    goals.at_least("naive list / (update + exact who can move, 4 colors)", naive / update, 1000, "x")
    print(f"{'  update + who can move':58} {update:10.1f} µs")
    goals.at_most("legal list without numpy", list_us(games), 40, "µs")
    print(f"{'  memory of this process so far':58} {_memory_mb():10.1f} MB")
    per_s, plies = random_games_per_s()
    goals.at_least(f"uniform random classic games ({plies:.1f} plies)", per_s, 1500, "1/s")
    goals.at_most("memory of this process, all of the above", _memory_mb(), 60, "MB")
    firsts = [float(_fresh_process()) for _ in range(7)]
    goals.at_most("import engine + first legal_moves() of a new process", statistics.median(firsts), 60, "ms")
    import numpy  # noqa: F401 - from here on the engine uses it

    goals.at_most("legal list with numpy", list_us(games), 15, "µs")
    return goals.missed


def _memory_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _fresh_process() -> str:
    """Return what a new interpreter says, which finds no compiled files and may write none, as in a sandbox."""
    command = [sys.executable, "-B", "-c", FIRST_LIST]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    sys.exit(1 if main() else 0)

"""What a ply costs beyond the bots' own time, in raw pipe round trips of the same run: `python -m benchmarks.referee`.

Needs a C compiler; python-chess (`pip install chess`) for the comparison, which is left out without it.
"""

from __future__ import annotations

import asyncio
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from arena.bots import Bot
from arena.builds import environment
from arena.limits import ResourceLimits
from arena.match import MatchSpec
from arena.pool import BotPool
from arena.referee import play_match
from arena.sandbox.base import Command
from benchmarks.timing import Goals, pin
from engine import Game

HERE = Path(__file__).parent
MATCHES = 40
LIMITS = ResourceLimits(sandbox="none")  # what the sandbox costs has a benchmark of its own


def build(name: str, folder: Path) -> str:
    """Return the program of a C file beside this one."""
    program = folder / name
    subprocess.run(["cc", "-O2", "-o", program, HERE / f"{name}.c"], check=True)
    return str(program)


def raw_pipe_us(program: str) -> float:
    """Return the time of one round trip between two C processes."""
    return float(subprocess.run([program], capture_output=True, text=True, check=True).stdout)


def scripted_bots(program: str, folder: Path) -> list[Bot]:
    """Return four bots that play one game from a list of answers: large pieces first, as bots do."""
    rng = random.Random(1)
    game = Game()
    lines = []
    while not game.is_over:
        moves = game.legal_moves()
        largest = max(len(move.cells) for move in moves)
        move = rng.choice([move for move in moves if len(move.cells) == largest])
        cells = [list(cell) for cell in move.cells]
        lines.append(f'{{"type":"move","turn":{game.turn},"cells":{cells}}}\n'.replace(" ", ""))
        game.play(move)
    script = folder / "answers"
    script.write_text("".join(lines))
    command = Command((program, str(script)), str(folder), environment())
    bot = Bot(name="instant", version="", author="", language="C", source="", digest="", command=command, is_named=True)
    return [bot] * 4


def referee_us(bots: list[Bot], spec: MatchSpec) -> float:
    """Return the time of one ply: whole matches, from the first hello to the record, by their plies."""
    with BotPool() as pool:
        play_match(spec, bots, pool=pool)
        times = []
        for _ in range(MATCHES):
            begun = perf_counter()
            record = play_match(spec, bots, pool=pool)
            times.append((perf_counter() - begun) / len(record.plies) * 1e6)
            assert not record.faults
    return statistics.median(times)


async def _chess_us(program: str) -> float:
    import chess
    import chess.engine

    _, engine = await chess.engine.popen_uci(program)
    times = []
    for _ in range(10):
        board = chess.Board()
        begun = perf_counter()
        for _ in range(60):
            result = await engine.play(board, chess.engine.Limit(time=1))
            assert result.move
            board.push(result.move)
        times.append((perf_counter() - begun) / 60 * 1e6)
    await engine.quit()
    return statistics.median(times)


def main() -> int:
    """Print every figure beside its goal; return how many were missed."""
    if not shutil.which("cc"):
        print("needs a C compiler")
        return 0
    pin()
    goals = Goals()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        pipe = build("pipe", folder)
        bots = scripted_bots(build("instant_bot", folder), folder)
        raw, running, stopped = [], [], []
        for _ in range(5):  # in turns, so that a slow moment of the machine hits all of them
            raw.append(raw_pipe_us(pipe))
            running.append(referee_us(bots, MatchSpec(ponder=True, pin=False, limits=LIMITS)))
            stopped.append(referee_us(bots, MatchSpec(pin=False, limits=LIMITS)))
        floor = statistics.median(raw)
        free, frozen = statistics.median(running), statistics.median(stopped)
        print(f"raw pipe {floor:.1f} µs, a ply {free:.1f} µs, with bots stopped off turn {frozen:.1f} µs\n")
        goals.at_most("a ply / raw pipe, bots left running", free / floor, 6, "x")
        goals.at_most("a ply / raw pipe, bots stopped off turn", frozen / floor, 9, "x")
        try:
            chess_us = asyncio.run(_chess_us(build("instant_uci", folder)))
        except ImportError:
            print("python-chess is not installed: no comparison")
        else:
            goals.at_most(f"a ply / python-chess's {chess_us:.0f} µs", free / chess_us, 0.3, "x")
    return goals.missed


if __name__ == "__main__":
    sys.exit(1 if main() else 0)

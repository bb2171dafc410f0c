"""What a tournament costs beyond its bots, and what a large league costs: `python -m benchmarks.tournament [MATCHES]`.

Compared in the same run with psyleague (skipped where it is not installed) and with a bare loop of `trueskill`.
"""

from __future__ import annotations

import contextlib
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from time import perf_counter, thread_time
from typing import NamedTuple

import msgspec
import trueskill

from arena.config import LeagueConfig
from arena.league import open_league
from arena.limits import ResourceLimits, TimeControl
from arena.match import MatchSpec
from arena.outcome import Outcome
from arena.schedule import Block
from arena.standings import standings
from arena.store import Played, Store, Summary
from arena.tournament import Wanted, Watcher, hold
from benchmarks.timing import Goals

BOTS = 20
GAMES = 600
RECORD_BYTES = 3000  # of a match of classic, as it is stored
AT_ONCE = 1000  # matches in one transaction
LATER = 40  # matches after which the standings are asked for again
SMALLER = 5  # times, the league that the large one is compared with
BOT = """\
import json, sys, time

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "want": ["count"], "games": "many"}), flush=True)
    elif message["type"] == "turn":
        index = message["legal_count"] * NUMBER // 7
        until = time.thread_time() + THINKS
        while time.thread_time() < until:
            pass
        print(json.dumps({"type": "move", "turn": message["turn"], "index": index}), flush=True)
"""
PLAY = 'import json; print(json.dumps({"ranks": [1, 2], "errors": [0, 0], "test_data": {}, "player_data": [{}, {}]}))'


def main(matches: int) -> int:
    """Print every figure beside its goal; return how many were missed."""
    goals = Goals()
    with tempfile.TemporaryDirectory() as scratch:
        measure_overhead(goals, Path(scratch))
    with tempfile.TemporaryDirectory() as scratch:
        measure_large(goals, Path(scratch), matches)
    return goals.missed


# ---- playing


def tournament_s(folder: Path, bots: list[str], jobs: int) -> tuple[float, float]:
    """Return the seconds that a tournament of duo took, and those of them that the bots used."""
    spec = MatchSpec(variant="duo", seed=1, opening_plies=2, time=TimeControl(), limits=ResourceLimits())
    with open_league(folder) as league:
        entries = [league.resolve(bot) for bot in bots]
        hold(league, entries, Wanted(spec=spec, games=2 * jobs, jobs=jobs), Watcher(), confirm=lambda _: True)
        begun = perf_counter()
        wanted = Wanted(spec=spec, games=GAMES + 2 * jobs, jobs=jobs)
        division = hold(league, entries, wanted, Watcher(), confirm=lambda _: True)
        took = perf_counter() - begun
        used_us = sum(sum(match.summary.used_us) for match in league.store.counted(division))
    return took, used_us / 1e6


def bots_that_think(scratch: Path, seconds: float) -> list[str]:
    """Write four bots that compute for so long before each answer."""
    bots = []
    for number in range(4):
        file = scratch / f"bot{number}-{seconds}.py"
        text = BOT.replace("NUMBER", str(number + 1)).replace("THINKS", str(seconds))
        file.write_text(text, encoding="utf-8")
        bots.append(str(file))
    return bots


def measure_overhead(goals: Goals, scratch: Path) -> None:
    """Play the same matches with one worker and with two: bots that answer at once, and that think for a while."""
    bots = bots_that_think(scratch, 0.0)
    alone, used = tournament_s(scratch / "one", bots, 1)
    overhead_ms = (alone - used) / GAMES * 1000
    print(
        f"{alone / GAMES * 1000:.1f} ms a match with one worker, {overhead_ms:.1f} ms of it beyond the bots' own time\n"
    )
    if len(os.sched_getaffinity(0)) > 1:
        both, _ = tournament_s(scratch / "two", bots, 2)
        print(f"two workers / one, bots that answer at once: {alone / both:.2f} x")
        bots = bots_that_think(scratch, 0.001)
        alone, both = (tournament_s(scratch / f"thinking-{jobs}", bots, jobs)[0] for jobs in (1, 2))
        goals.at_least("two workers / one, a millisecond a move", alone / both, 1.8, "x")
    peer_ms = psyleague_ms(scratch)
    if peer_ms is not None:
        print(f"psyleague: {peer_ms:.0f} ms a match that takes no time itself")
        goals.at_most("overhead a match / psyleague's", overhead_ms / peer_ms, 0.1, "x")
    else:
        print("psyleague is not installed: not compared")


def psyleague_ms(scratch: Path) -> float | None:
    """Return psyleague's time for a match whose bots answer at once, a Python's start for the referee left out."""
    program = shutil.which("psyleague") or shutil.which("psyleague", path=os.path.dirname(sys.executable))
    if program is None:
        return None
    folder = scratch / "psyleague"
    (folder / "bots").mkdir(parents=True)
    (folder / "play.py").write_text(PLAY, encoding="utf-8")

    def psyleague(*words: str) -> None:
        subprocess.run([program, *words], cwd=folder, check=True, capture_output=True)

    psyleague("config")
    text = (folder / "psyleague.cfg").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith(("cmd_play_game", "n_workers", "cmd_bot_setup"))]
    lines += [f'cmd_play_game = "{sys.executable} -I -S play.py"', "n_workers = 1", 'cmd_bot_setup = "true"']
    (folder / "psyleague.cfg").write_text("\n".join(lines), encoding="utf-8")
    for name in ("ann", "bob"):
        (folder / f"{name}.cpp").write_text("", encoding="utf-8")
        psyleague("bot", "add", name, "-s", f"{name}.cpp")
    games = 30
    begun = perf_counter()
    psyleague("run", "--games", str(games))
    took = perf_counter() - begun
    begun = perf_counter()
    for _ in range(games):
        subprocess.run([sys.executable, "-I", "-S", "play.py"], cwd=folder, check=True, capture_output=True)
    return (took - (perf_counter() - begun)) / games * 1000


# ---- a large league


def outcomes(count: int) -> Iterator[Outcome]:
    """Yield results of simulated bots, four at a table."""
    rng = random.Random(1)
    for number in range(count):
        bots = tuple(rng.sample(range(1, BOTS + 1), 4))
        points = [rng.gauss(bot, 10) for bot in bots]
        ranks = tuple(1 + sum(other > mine for other in points) for mine in points)
        yield Outcome(number // 4 + 1, bots, (0, 1, 2, 3), ranks, tuple(round(each) for each in points))


def bare_loop_s(found: list[Outcome]) -> float:
    """Return the CPU time of the `trueskill` package alone."""
    environment = trueskill.TrueSkill(tau=0, draw_probability=0.03)
    ratings = {bot: environment.create_rating() for bot in range(1, BOTS + 1)}
    begun = thread_time()
    for outcome in found:
        groups = environment.rate([(ratings[bot],) for bot in outcome.bots], outcome.ranks)
        for bot, (rating,) in zip(outcome.bots, groups, strict=True):
            ratings[bot] = rating
    return thread_time() - begun


def fill(store: Store, found: list[Outcome], first: int = 0) -> None:
    """Store matches that were never played."""
    spec = MatchSpec(variant="classic", time=TimeControl(move_ms=200))
    division = store.division_of(spec)
    blocks = [outcome for at, outcome in enumerate(found) if at % 4 == 0]
    store.add_blocks(division, [(Block(1, outcome.bots, outcome.block), 4) for outcome in blocks], spec)
    matches = zip(store.open_tasks(division), as_played(found, first), strict=True)
    while portion := list(islice(matches, AT_ONCE)):
        store.add_matches(portion)


def as_played(found: list[Outcome], first: int) -> Iterator[Played]:
    """Yield results as they are stored; their records are of the usual size, and nothing can read them."""
    rng = random.Random(first)
    for number, outcome in enumerate(found, first):
        name = f"{number:012x}"
        summary = msgspec.msgpack.encode(Summary(outcome, (20,) * 4, (10**6,) * 4, ()))
        yield Played(name, name.encode(), False, summary, 100, b"", rng.randbytes(RECORD_BYTES))


class Times(NamedTuple):
    """What the standings of a league take, in CPU time: other work on the machine is not in it."""

    bare_s: float  # the package's loop alone
    first_s: float
    first_mb: float
    later_s: float  # again, a few matches later


def measure_large(goals: Goals, scratch: Path, matches: int) -> None:
    """Time the standings of a large league against the package's bare loop, and against those of a smaller league."""
    small, large = (league_times(scratch / str(count), count) for count in (matches // SMALLER, matches))
    memory = f"{large.first_mb:+.0f} MB for the standings ({small.first_mb:+.0f} MB for a {SMALLER}th of them, before)"
    print(f"\n{matches} stored matches: bare loop {large.bare_s:.2f} s, {memory}\n")
    goals.at_most("standings, the first time / the bare loop", large.first_s / large.bare_s, 1.1, "x")
    print(f"{LATER} matches later: {large.later_s:.3f} s; with {matches // SMALLER} matches {small.later_s:.3f} s")
    goals.at_most(f"the same, {SMALLER} times as many matches / so many", large.later_s / small.later_s, 2, "x")


def league_times(folder: Path, matches: int) -> Times:
    """Return what the standings of a league of so many matches take."""
    folder.mkdir()
    found = list(outcomes(matches))
    with Store(folder, now="", writes=True) as store:
        for number in range(BOTS):
            store.add_bot(f"bot{number}", "1", "", "", f"{number}", "")
        fill(store, found)
        bare_s = bare_loop_s(found)
        first_s, first_mb = timed_standings(store, keeps=True)
        fill(store, list(outcomes(LATER)), matches)
        later_s = min(timed_standings(store, keeps=False)[0] for _ in range(5))
    return Times(bare_s, first_s, first_mb, later_s)


def timed_standings(store: Store, *, keeps: bool) -> tuple[float, float]:
    """Return the seconds of CPU time and the further megabytes that the standings take."""
    (division,) = store.divisions()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = thread_time()
    standings(store, division, LeagueConfig(), keeps=keeps)
    took = thread_time() - begun
    return took, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        sys.exit(1 if main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000) else 0)

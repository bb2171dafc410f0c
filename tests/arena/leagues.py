"""Small leagues of small bots for tests: quick ones that play by index and stay up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from arena.league import League, open_league
from arena.limits import ResourceLimits, TimeControl
from arena.match import MatchSpec
from arena.store import Entry
from arena.tournament import Wanted, Watcher, hold

ROOT = Path(__file__).parent.parent.parent
PATIENT = TimeControl(start_ms=60_000, move_ms=60_000)  # nothing runs out of time, on however loaded a machine

_BOT = """\
import json, random, sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        rng = random.Random(message["seed"])
        print(json.dumps({{"type": "ready", "want": ["count"], "games": "many"}}), flush=True)
    elif message["type"] == "turn":
        count = message["legal_count"]
        print(json.dumps({{"type": "move", "turn": message["turn"], "index": {index}}}), flush=True)
"""
INDEX = {  # what each of them plays; later indices are larger pieces
    "dice": "rng.randrange(count)",
    "small": "0",
    "large": "count - 1",
    "middle": "count // 2",
    "largish": "count - 1 - rng.randrange(min(count, 20))",
}


def write_bot(folder: Path, name: str, *, extra: str = "") -> Path:
    """Write one of the quick bots; return its file."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.py"
    file.write_text(extra + _BOT.format(index=INDEX[name]), encoding="utf-8")
    return file


def write_bots(folder: Path, *names: str) -> list[str]:
    """Write some of the quick bots; return their files."""
    return [str(write_bot(folder, name)) for name in names]


def wanted(**settings: Any) -> Wanted:
    """Return what to play: by default one round of duo, without a sandbox and without a hurry."""
    about = {name: settings.pop(name) for name in list(settings) if name not in MatchSpec.__struct_fields__}
    usual: dict[str, Any] = {
        "variant": "duo",
        "seed": 1,
        "opening_plies": 2,
        "time": PATIENT,
        "limits": ResourceLimits(sandbox="none"),
    }
    return Wanted(spec=MatchSpec(**(usual | settings)), **({"jobs": 2} | about))


def run(league: League, entrants: list[Entry], watcher: Watcher | None = None, **settings: Any) -> Any:
    """Hold a tournament; return its division."""
    return hold(league, entrants, wanted(**settings), watcher or Watcher(), confirm=lambda _: True)


def played(folder: Path) -> dict[tuple[int, int], Any]:
    """Return the matches that stand, by their place in the schedule: all but times."""
    found = {}
    with open_league(folder) as league:
        for division in league.store.divisions():
            for match in league.store.counted(division):
                record = league.store.record(match.match)
                plies = [(ply.color, ply.seat, ply.cells, ply.note, ply.eval) for ply in record.plies]
                found[match.block, match.nth] = (match.match, match.summary.outcome, plies)
    return found


COMMAND = [sys.executable, "-m", "arena"]
QUIET = ["--variant", "duo", "--sandbox", "none", "--move-time", "60", "--start-time", "60"]


def arena(*arguments: str | Path, cwd: Path, check: bool = True, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run an arena command to its end."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)], cwd=cwd, env=env, capture_output=True, text=True, check=False, **more
    )
    assert not check or done.returncode == 0, done.stderr
    return done


def events(text: str) -> list[dict[str, Any]]:
    """Return what a command said as JSON lines."""
    return [json.loads(line) for line in text.splitlines()]

"""What the site of a large league costs: `python -m benchmarks.site [MATCHES]`."""

from __future__ import annotations

import resource
import sys
import tempfile
from pathlib import Path
from time import process_time

from arena.report import SiteSummary, write_site
from benchmarks.timing import Goals
from tests.report.leagues import Plan, build

BOTS = 20


def main(matches: int) -> int:
    """Print every figure beside its goal; return how many were missed."""
    goals = Goals()
    with tempfile.TemporaryDirectory() as scratch:
        small = build(Path(scratch, "small"), Plan(bots=BOTS, matches=360))
        large = build(Path(scratch, "large"), Plan(bots=BOTS, matches=matches))
        written(small)
        memory = peak_mb()
        first, summary = written(large)
        goals.at_most(f"{summary.matches} matches, first time", first, 60, "s CPU")
        goals.at_most("memory / that for 360 matches", peak_mb() / memory, 1.5, "x")
        again, summary = written(large)
        goals.at_most("files written with nothing new", summary.written, 0, "files")
        print(f"with nothing new: {again:.1f} s")
        goals.at_most("the index", (large / "site" / "index.html").stat().st_size / 1024, 300, "KiB")
    return goals.missed


def written(league: Path) -> tuple[float, SiteSummary]:
    """Return the CPU time that the site takes, and what was written."""
    begun = process_time()
    summary = write_site(league, league / "site")
    return process_time() - begun, summary


def peak_mb() -> float:
    """Return the most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    sys.exit(1 if main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000) else 0)

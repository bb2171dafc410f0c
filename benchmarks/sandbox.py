"""What a sandbox costs beyond a plain process of the same run: `python -m benchmarks.sandbox`. Needs a C compiler."""

from __future__ import annotations

import os
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from arena.limits import ResourceLimits
from arena.sandbox.base import Command, Confined
from arena.sandbox.choose import BACKENDS, why_not
from benchmarks.timing import Goals, median_us, pin

STARTS = 60
LINES = 2000
GOALS_MS = {"namespaces": 5.0, "bwrap": 10.0, "landlock": 2.5}
ECHO = """
#include <unistd.h>
int main(void) {
    char line[64];
    long count;
    if (write(1, "ready\\n", 6) < 0) return 1;
    while ((count = read(0, line, sizeof line)) > 0)
        if (write(1, line, count) < 0) return 1;
    return 0;
}
"""


def start(backend: str, folder: Path) -> Confined:
    """Start the echo program, and wait for its first line."""
    process = BACKENDS[backend](Command(("./echo",), str(folder), {"PATH": os.defpath}), ResourceLimits())
    hear(process)
    return process


def hear(process: Confined) -> None:
    """Wait for a line."""
    poll = select.poll()
    poll.register(process.stdout, select.POLLIN)
    poll.poll()
    os.read(process.stdout, 64)


def start_ms(backend: str, folder: Path) -> tuple[float, float]:
    """Return the time from a start to the first line, and that of the end."""
    begun = perf_counter()
    process = start(backend, folder)
    ready = perf_counter()
    process.end()
    return (ready - begun) * 1e3, (perf_counter() - ready) * 1e3


def line_us(process: Confined) -> float:
    """Return the time of a line there and back."""
    poll = select.poll()
    poll.register(process.stdout, select.POLLIN)

    def there_and_back() -> None:
        os.write(process.stdin, b"line\n")
        poll.poll()
        os.read(process.stdout, 64)

    return median_us(there_and_back, LINES, repeats=3)


def main() -> int:
    """Print every figure beside its goal; return how many were missed."""
    if not shutil.which("cc"):
        print("needs a C compiler")
        return 0
    pin()
    goals = Goals()
    boxes = [name for name in GOALS_MS if why_not(name) is None]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        folder.chmod(0o755)
        (folder / "echo.c").write_text(ECHO)
        subprocess.run(["cc", "-O2", "-o", folder / "echo", folder / "echo.c"], check=True)
        measure_starts(goals, boxes, folder)
        measure_lines(goals, boxes, folder)
    return goals.missed


def measure_starts(goals: Goals, boxes: list[str], folder: Path) -> None:
    """Start each kind in turns, so that a slow moment of the machine hits all of them."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in ("none", *boxes)}
    for _ in range(STARTS):
        for name, found in times.items():
            found.append(start_ms(name, folder))
    medians = {
        name: [statistics.median(column) for column in zip(*found, strict=True)] for name, found in times.items()
    }
    plain, plain_end = medians["none"]
    print(f"plain: {plain:.2f} ms to the first line, {plain_end:.2f} ms to end\n")
    for name in boxes:
        begin, end = medians[name]
        goals.at_most(f"{name}: to the first line, beyond plain", begin - plain, GOALS_MS[name], "ms")
        print(f"{name}: {begin:.2f} ms to the first line, {end:.2f} ms to end")


def measure_lines(goals: Goals, boxes: list[str], folder: Path) -> None:
    """Send lines to one process of each kind, in turns."""
    processes = {name: start(name, folder) for name in ("none", *boxes)}
    try:
        times: dict[str, list[float]] = {name: [] for name in processes}
        for _ in range(7):
            for name, process in processes.items():
                times[name].append(line_us(process))
        plain = statistics.median(times["none"])
        print(f"\nplain: {plain:.2f} µs for a line there and back\n")
        for name in boxes:
            goals.at_most(f"{name}: a line there and back / plain", statistics.median(times[name]) / plain, 1.25, "x")
            goals.at_most(f"{name}: reading the CPU time", median_us(processes[name].cpu_ns, 20_000), 2, "µs")
    finally:
        for process in processes.values():
            process.end()


if __name__ == "__main__":
    sys.exit(1 if main() else 0)

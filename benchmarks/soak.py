"""Many matches in a row, hostile bots among them, and what is left of them: `python -m benchmarks.soak [MATCHES]`.

Needs a C compiler. Compares the processes, mounts, control groups, files, descriptors and memory of the referee and of
its launcher after a tenth of the matches with those after all of them.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

from arena.bots import Bot, load_bot
from arena.jail.cgroup import Groups
from arena.limits import ResourceLimits, TimeControl
from arena.match import MatchSpec
from arena.referee import play_match
from arena.sandbox.choose import strongest

HABITS = ["crash", "leave", "flood", "log", "memory", "threads", "children", "daemon"]  # see soak_bot.c
HABITS += ["stop", "close", "files", "shared", "silent"]
MATCHES = 1000
SOURCE = Path(__file__).parent / "soak_bot.c"
HASTY = TimeControl(start_ms=20_000, move_ms=100)
PLACES = ("/tmp", "/dev/shm", "/var/tmp")


def make_bots(folder: Path) -> dict[str, Bot]:
    """Return a bot for each habit, with and without children, and one that has none."""
    found = {}
    for habit in ("good", *HABITS):
        for family in ("alone", "family"):
            home = folder / f"{habit}-{family}"
            home.mkdir()
            shutil.copy(SOURCE, home)
            run = "./bot" if habit == "good" else f"./bot {habit}"
            allows = "true" if family == "family" else "false"
            lines = [f"name = '{home.name}'", f"run = '{run}'", f"processes = {allows}"]
            lines.append("build = 'cc -O1 -pthread -o bot soak_bot.c'")
            (home / "bot.toml").write_text("\n".join(lines))
            found[home.name] = load_bot(str(home))
    return found


def play(bots: dict[str, Bot], matches: int, sandbox: str, first: int = 0) -> Counter[str]:
    """Play matches of a good bot against each other one in turn; return how they ended."""
    names = list(bots)
    ends: Counter[str] = Counter()
    for number in range(first, first + matches):
        name = names[number % len(names)]
        pair = [bots["good-alone"], bots[name]]
        limits = ResourceLimits(memory_mb=64, sandbox=sandbox)
        record = play_match(MatchSpec(variant="duo", seed=number, time=HASTY, limits=limits), pair)
        ends.update([f"{name}: {fault.kind}" for fault in record.faults] or [f"{name}: played"])
    return ends


def things() -> dict[str, object]:
    """Return all that matches could leave behind."""
    groups = Groups()
    places = {*groups._limiting.values(), *groups._counting.values()}
    launcher = launcher_of_this_process()
    return {
        "processes": sorted(_below(os.getpid())),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "descriptors of the launcher": len(os.listdir(f"/proc/{launcher}/fd")),
        "mounts": Path("/proc/self/mountinfo").read_text(),
        "mounts of the launcher": Path(f"/proc/{launcher}/mountinfo").read_text(),
        "control groups": [str(group) for place in places for group in Path(place).glob(f"blokus-arena-{launcher}-*")],
        "files": [name for place in PLACES for name in os.listdir(place) if name.startswith("arena-soak")],
        "shared memory": [line for line in Path("/proc/sysvipc/shm").read_text().splitlines() if "1095978827" in line],
    }


def settled(before: dict[str, object]) -> dict[str, object]:
    """Return the same again, once the launcher has tidied up after the last bots."""
    deadline = monotonic() + 5
    while (now := things()) != before and monotonic() < deadline:
        sleep(0.05)
    return now


def launcher_of_this_process() -> int:
    """Return the number of the process that starts our bots."""
    for pid in _below(os.getpid()):
        if b"arena.jail.launcher" in Path(f"/proc/{pid}/cmdline").read_bytes():
            return pid
    raise LookupError("there is no launcher")


def _below(pid: int) -> list[int]:
    children = [
        int(child)
        for task in os.listdir(f"/proc/{pid}/task")
        for child in Path(f"/proc/{pid}/task/{task}/children").read_text().split()
    ]
    return children + [below for child in children for below in _below(child)]


def resident_mb(pid: int | str) -> float:
    """Return how much memory a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


@contextmanager
def soaked_bots() -> Iterator[dict[str, Bot]]:
    """Give the bots, built in a cache of their own."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        os.environ["XDG_CACHE_HOME"] = f"{folder}/cache"
        yield make_bots(Path(folder))


def main() -> int:
    """Play, and print what changed; return how many kinds of things were left."""
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else MATCHES
    if not shutil.which("cc"):
        print("needs a C compiler")
        return 0
    sandbox = strongest()
    with soaked_bots() as bots:
        warm_up = max(matches // 10, len(bots))
        ends = play(bots, warm_up, sandbox)
        sleep(0.5)
        before, held = things(), [resident_mb(pid) for pid in ("self", launcher_of_this_process())]
        begun = monotonic()
        ends += play(bots, matches - warm_up, sandbox, warm_up)
        took_s = monotonic() - begun
        after, holds = settled(before), [resident_mb(pid) for pid in ("self", launcher_of_this_process())]
    for end, count in sorted(ends.items()):
        print(f"{count:6} {end}")
    print(f"\n{matches} matches in {sandbox}, {took_s / max(1, matches - warm_up) * 1e3:.0f} ms each")
    for who, was, now in zip(("referee", "launcher"), held, holds, strict=True):
        print(f"memory of the {who}: {was:.1f} MB after {warm_up} matches, {now:.1f} MB after {matches}")
    left = [name for name in before if before[name] != after[name]]
    for name in left:
        print(f"LEFT: {name}: {before[name]} → {after[name]}")
    grown = [now - was > 2 for was, now in zip(held, holds, strict=True)]
    print("nothing is left" if not left and not any(grown) else "SOMETHING IS LEFT")
    return len(left) + sum(grown)


if __name__ == "__main__":
    sys.exit(1 if main() else 0)

"""What a match may have left behind: processes and descriptors, as the kernel sees them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def descendants(root: int | None = None) -> dict[int, str]:
    """Return all processes below one (by default this one), zombies too, each with its name and state.

    The sandbox's launcher, which stays up for the next match, does not count; what it has started does.
    """
    family: dict[int, list[int]] = {}
    shown: dict[int, str] = {}
    for pid in _pids():
        with suppress(OSError):
            name, _, rest = Path(f"/proc/{pid}/stat").read_text().partition("(")[2].rpartition(")")
            state, parent = rest.split()[:2]
            family.setdefault(int(parent), []).append(pid)
            shown[pid] = f"{name} ({state})"
    found: dict[int, str] = {}
    todo = [os.getpid() if root is None else root]
    while todo:
        children = family.get(todo.pop(), [])
        found |= {pid: shown[pid] for pid in children}
        todo += children
    return {pid: what for pid, what in found.items() if pid not in family.get(os.getpid(), []) or not _is_launcher(pid)}


def _is_launcher(pid: int) -> bool:
    with suppress(OSError):
        return b"arena.jail.launcher" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def processes_in(folder: Path) -> dict[int, str]:
    """Return all processes that run in a folder, whoever their parent is: a bot runs in its own."""
    found = {}
    for pid in _pids():
        with suppress(OSError):
            place = Path(f"/proc/{pid}/cwd").readlink()
            if place.is_relative_to(folder):
                found[pid] = f"in {place}"
    return found


def open_descriptors() -> dict[int, str]:
    """Return our open descriptors and what they lead to."""
    found = {}
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            found[int(name)] = os.readlink(f"/proc/self/fd/{name}")
    return found


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]

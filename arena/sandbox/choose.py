"""Which sandbox there is here, found out by trying it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cache
from time import monotonic, sleep
from typing import TypeAlias

from arena.errors import ArenaError, SandboxError
from arena.limits import ResourceLimits
from arena.sandbox.base import Command, Confined, StartFailed
from arena.sandbox.jailed import JailedProcess
from arena.sandbox.plain import start_plain
from arena.sandbox.seatbelt import start_seatbelt

_PROBE_S = 10.0

Backend: TypeAlias = Callable[[Command, ResourceLimits], Confined]


def _jailed(backend: str) -> Backend:
    return lambda command, limits: JailedProcess(command, limits, backend)


# strongest first
BACKENDS: dict[str, Backend] = {name: _jailed(name) for name in ("namespaces", "bwrap", "landlock")}
BACKENDS |= {"seatbelt": start_seatbelt, "none": start_plain}
CHOICES = ("auto", *BACKENDS)


def start(command: Command, limits: ResourceLimits) -> Confined:
    """Start a command in the sandbox that the limits name.

    Raises `StartFailed` if the command itself cannot be executed, `ArenaError` if we cannot start anything.
    """
    name = strongest() if limits.sandbox == "auto" else limits.sandbox
    return BACKENDS[name](command, limits)


def of_this_system() -> list[str]:
    """Return the sandboxes that could work on a system of this kind, strongest first."""
    return [name for name in BACKENDS if _system_of(name) == sys.platform]


def _system_of(name: str) -> str:
    return {"seatbelt": "darwin", "none": sys.platform}.get(name, "linux")


@cache
def strongest() -> str:
    """Return the strongest sandbox that works here; raises `SandboxError` if none does."""
    reasons = []
    for name in of_this_system():
        if name != "none":
            reason = why_not(name)
            if reason is None:
                return name
            reasons.append(f"{name}: {reason}")
    why = "; ".join(reasons) or f"there is none for {sys.platform}"
    raise SandboxError(f"no sandbox works here ({why}); --sandbox none runs bots unconfined")


@cache
def why_not(name: str) -> str | None:
    """Return why a sandbox does not work here, or None: tried from end to end, with a program that does nothing."""
    if name not in of_this_system():
        return f"needs {'macOS' if _system_of(name) == 'darwin' else 'Linux'}"
    try:
        process = BACKENDS[name](Command(("true",), os.path.dirname(__file__), {"PATH": os.defpath}), ResourceLimits())
    except (ArenaError, StartFailed, OSError) as error:
        return str(error)
    deadline = monotonic() + _PROBE_S
    while not process.has_ended() and monotonic() < deadline:
        sleep(0.001)
    end = process.end()
    return None if end.code == 0 else f"a program that does nothing ended with {end}"

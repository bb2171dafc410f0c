"""The backend for macOS: an ordinary process under the system's own `sandbox-exec`, with a profile for each command.

It is weaker than those for Linux: nothing limits memory, no namespace hides that other processes and files exist, and
it dies with the referee only where that ends in order. `arena doctor` tries on the spot what holds.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from arena.errors import SandboxError
from arena.limits import ResourceLimits
from arena.sandbox.base import Command, Confined, StartFailed
from arena.sandbox.plain import start_plain
from arena.sandbox.programs import shown_folders

_PROGRAM = "/usr/bin/sandbox-exec"
# where users keep what is theirs; the rest of the system may be read
_HIDDEN = ("/Users", "/Volumes", "/private/tmp", "/private/var/folders", "/private/var/root", "/private/var/tmp")


def start_seatbelt(command: Command, limits: ResourceLimits) -> Confined:
    """Start a command under its profile; raises `StartFailed` if it cannot be executed."""
    if not os.access(_PROGRAM, os.X_OK):
        raise SandboxError(f"there is no {_PROGRAM}")
    name = command.argv[0]
    program = os.path.join(command.cwd, name) if "/" in name else shutil.which(name, path=command.env.get("PATH", ""))
    if program is None or not os.access(program, os.X_OK):
        raise StartFailed(f"{name}: no such program, or not executable")
    if command.scratch:
        command = replace(command, env=command.env | {"TMPDIR": command.scratch, "HOME": command.scratch})
    return start_plain(replace(command, argv=(_PROGRAM, "-p", profile(command), *command.argv)), limits)


def profile(command: Command) -> str:
    """Return the rules for a command; where several match, the last one counts."""
    own = [os.path.realpath(command.cwd)]
    written = [*own, os.path.realpath(command.scratch)] if command.scratch else []
    shown = [*own, *written, *[path for each in shown_folders(command) for path in (each, os.path.realpath(each))]]
    rules = [
        "(version 1)",
        "(allow default)",
        "(deny network*)",
        "(deny signal) (allow signal (target self))",
        "(deny process-info*) (allow process-info* (target self))",
        "(deny ipc-posix-shm*) (deny ipc-sysv*)",
        "(deny file-write*)",
        f"(allow file-write* {_all('literal', ['/dev/null'])} {_all('subpath', written)})",
        f"(deny file-read* {_all('subpath', _HIDDEN)})",
        f"(allow file-read-metadata {_all('literal', dict.fromkeys(_above(shown)))})",  # to find one's way there
        f"(allow file-read* {_all('subpath', dict.fromkeys(shown))})",
    ]
    if not command.processes:
        rules.append("(deny process-fork)")
    return "\n".join(rules)


def _all(kind: str, paths: Iterable[str]) -> str:
    return " ".join(f"({kind} {_quoted(path)})" for path in paths)


def _quoted(path: str) -> str:
    marked = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{marked}"'


def _above(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        while (path := os.path.dirname(path)) != "/":
            yield path

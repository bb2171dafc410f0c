"""Runs the arena as if on macOS: nothing that only Linux has is there. Of the system itself it is no picture."""

from __future__ import annotations

import importlib
import os
import resource
import select
import signal
import sys
from typing import Any

_NOT_OURS = ("click", "jinja2", "msgspec", "numpy", "pandas", "rich.live", "rich.progress", "trueskill")
_LINUX_ONLY = {
    os: ("sched_", "SCHED_", "pidfd_", "waitid", "WNOWAIT", "memfd_", "eventfd", "setns", "unshare", "O_PATH"),
    select: ("epoll", "EPOLL"),
    signal: ("pidfd_",),
    resource: ("prlimit", "RLIMIT_NICE", "RLIMIT_RT"),
}


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """Let no file of Linux's own be opened."""
    if event in ("open", "os.listdir", "os.scandir") and str(arguments[0]).startswith(("/proc", "/sys")):
        raise FileNotFoundError(2, "No such file or directory", str(arguments[0]))
    if event == "ctypes.dlsym" and arguments[1] in ("prctl", "syscall", "unshare"):
        raise AttributeError(arguments[1])


def main() -> None:
    """Take away what macOS has not, and run the command."""
    for package in _NOT_OURS:  # these are what they are here
        importlib.import_module(package)
    sys.platform = "darwin"
    for module, beginnings in _LINUX_ONLY.items():
        for name in dir(module):
            if name.startswith(beginnings):
                delattr(module, name)
    sys.addaudithook(_refuse)
    from arena.cli import main as run

    run()


main()

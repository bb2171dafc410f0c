"""What machine this is, in a line: results of bots that think against the clock depend on it."""

from __future__ import annotations

import os
import platform
from contextlib import suppress


def describe_machine() -> str:
    """Return processor, cores, system and Python; nothing that names the machine or its owner."""
    cores = os.cpu_count() or 1
    system = f"{platform.system()} {platform.release().partition('-')[0]}"
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{_processor()}, {cores} core{'s' * (cores != 1)}, {system}, {python}"


def _processor() -> str:
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("model name"):
                return " ".join(line.partition(":")[2].split())
    return platform.processor() or platform.machine() or "unknown processor"

"""What a bot's log tells: the line with the error, and the lines around it. Pure."""

from __future__ import annotations

import re

from arena.check.report import cut

_ERROR_LINE = re.compile(r"^\S*(Error|Exception|Exit|panicked)\b.*|.*\b(error|exception|panic|fatal):.*", re.IGNORECASE)
_MESSAGE = ('{"', "[{", "[[")  # how lines begin that a runtime quotes: they are no errors, whatever is in them
_SHOWN = 8
_SHOWN_AFTER = 3  # lines after the error: some languages tell there where it was
_LATE = 20  # an error that is further from the end is an old one
_LINE_SHOWN = 160


def last_line(log: str) -> str:
    """Return the line of a log that tells the error: the last that looks so, or the last of all."""
    lines = [line.strip() for line in log.splitlines() if line.strip() and not line.startswith(_MESSAGE)]
    errors = [line for line in lines if _ERROR_LINE.match(line)]
    return (errors or lines or [""])[-1][:200]


def end_of(log: str) -> str:
    """Return the last lines of a log, or those around its error, each cut."""
    lines = [line.rstrip() for line in log.splitlines() if line.strip()]
    errors = [at for at, line in enumerate(lines) if _ERROR_LINE.match(line.strip()) and not line.startswith(_MESSAGE)]
    is_late = bool(errors) and errors[-1] >= len(lines) - _LATE
    end = min(len(lines), errors[-1] + 1 + _SHOWN_AFTER) if is_late else len(lines)
    return "\n".join(cut(line, _LINE_SHOWN) for line in lines[max(0, end - _SHOWN) : end])

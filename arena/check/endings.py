"""Why a bot has ended, or could not even begin: read from its command, its files and its log."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

from arena.bots import Bot
from arena.check.rehearsal import Take
from arena.check.report import Cause
from arena.limits import ResourceLimits

_ERROR_LINE = re.compile(r"^\S*(Error|Exception|Exit|panicked)\b.*|.*\b(error|exception|panic|fatal):.*", re.IGNORECASE)

# what a log says, what that means (with the groups of the pattern), and what to do
_PATTERNS: tuple[tuple[str, str, str], ...] = (
    (
        r"SyntaxError|IndentationError|TabError|syntax error",
        "the program has a syntax error",
        "Run it by itself, without the arena, until it starts.",
    ),
    (
        r"(?:ModuleNotFoundError: No module named|Cannot find module|ImportError: No module named) '?([^'\n]+)",
        "it needs a library that is not there: {0}",
        "A bot sees its own folder and its interpreter's library, nothing else. A bot of several files is a folder "
        "with bot.toml; put libraries in there too.",
    ),
    (
        r"can't open file|Could not find or load main class|can't load|No such script|cannot open",
        "its command names a file that is not there",
        "Check `run` in bot.toml: paths are relative to the bot's folder.",
    ),
    (
        r"MemoryError|bad_alloc|OutOfMemoryError|heap out of memory|[Cc]annot allocate memory|memory allocation of",
        "it ran out of memory: more than the {memory} MB allowed",
        "Keep tables small, or have the league's limit raised (`arena match --memory`).",
    ),
    (
        r"_fork_exec|posix_spawn|spawn \S+ EPERM|[Cc]annot fork|\bfork\b.*(?:not permitted|unavailable)",
        "it starts another process, which its sandbox does not allow",
        "Do all in one process (threads are fine), or say `processes = true` in bot.toml.",
    ),
    (
        r"urlopen|getaddrinfo|socket\.|syscall: 'connect'|EAI_AGAIN|ENETUNREACH|ECONNREFUSED|[Nn]etwork is unreachable"
        r"|name resolution|Name or service not known|[Cc]onnection refused|Socket operation",
        "it needs the network, and there is none for bots",
        "Put everything that the bot needs into its folder.",
    ),
    (
        r"Read-only file system:? ?'?([^'\n]*)|EROFS:?[^'\n]*'?([^'\n]*)",
        "it writes to its own folder, which is read-only: {0}",
        "Keep state in memory, and log to standard error. $TMPDIR or /tmp is there for scratch files.",
    ),
    (
        r"PermissionError: \[Errno 13\] Permission denied: '?([^'\n]*)|EACCES: permission denied, open '?([^'\n]*)",
        "it writes to (or reads from) a place that is not its own: {0}",
        "A bot can read its own folder but not change it, and sees no other. Log to standard error.",
    ),
)


# ---- a command that cannot be executed


def why_not_started(bot: Bot, problem: str) -> Cause:
    """Return why a bot's command could not be executed; `problem` is what the system said."""
    program = bot.command.argv[0]
    path = Path(bot.command.cwd, program) if "/" in program else None
    if path is None or not path.exists():
        return _why_no_program(bot, program)
    if "Exec format" in problem:
        return Cause(
            f"{program} is neither a program for this machine nor a script with a #! line",
            "Begin a script with a #! line (#!/usr/bin/env python3), or name its interpreter in `run`.",
        )
    if not os.access(path, os.X_OK) or "Permission denied" in problem:
        return Cause(f"{program} is not executable", f"chmod +x {path.name}, or name its interpreter in `run`.")
    return _why_bad_shebang(path, problem)


def _why_no_program(bot: Bot, program: str) -> Cause:
    first = _first_line(Path(bot.source)) if Path(bot.source).is_file() else b""
    if first.startswith(b"#!"):
        what = f"its #! line names {program}, an interpreter that is not there"
        return Cause(what, f"Correct the first line, for example #!/usr/bin/env {Path(program).name}, or install it.")
    if "/" in program:
        what = f"its command names {program}, which is not there"
        return Cause(what, "Check `run` (and `build`) in bot.toml: paths are relative to the bot's folder.")
    return Cause(
        f"it needs {program}, which is not installed here", f"Install {program}, or check `run` in bot.toml and PATH."
    )


def _why_bad_shebang(path: Path, problem: str) -> Cause:
    line = _first_line(path)
    words = line[2:].decode(errors="replace").split()
    if line.startswith(b"#!") and line.endswith(b"\r\n"):
        return Cause(
            f"the #! line of {path.name} ends in CR LF (Windows line ends): the system looks for '{words[-1]}\\r'",
            f"Save the file with Unix line ends: sed -i 's/\\r$//' {path.name}",
        )
    if line.startswith(b"#!") and words and shutil.which(words[0]) is None:
        what = f"the #! line of {path.name} names {words[0]}, an interpreter that is not there"
        return Cause(what, f"Correct it, for example #!/usr/bin/env {Path(words[0]).name}, or install the interpreter.")
    return Cause(f"{problem}", "Run the command by itself in the bot's folder.")


def _first_line(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.readline(256)


def why_not_built(problem: str) -> Cause:
    """Return why a bot's files are not in order; `problem` is what loading it said."""
    head, _, output = problem.partition("\n")
    if "build failed" in head:
        error = next((line for line in output.splitlines() if re.search(r"\berror\b", line)), last_line(output))
        return Cause(f"the build failed, a compile error: {error.strip()}", f"Build it by itself first. {head}")
    if "building needs" in head:
        return Cause(head, "Install that compiler, or submit a language that is installed.")
    if "an executable, got none" in head:
        return Cause(
            f"the file is not executable, and has neither a #! line nor a known suffix: {head}",
            "chmod +x it, begin it with a #! line, or give it its language's suffix.",
        )
    return Cause(head, "See docs/bots.md for what a bot can be.")


# ---- a program that ended


def why_ended(take: Take, limits: ResourceLimits) -> Cause:
    """Return why a bot ended in the middle of a scene."""
    assert take.fault is not None
    evidence = take.fault.evidence
    exit_status = evidence.exit or ""
    if cause := _why_env(evidence.stderr):
        return cause
    if cause := _by_log(evidence.stderr, limits):
        return cause
    if take.fault.kind == "memory":
        what = f"it ran out of memory: {evidence.peak_mb:.0f} MB of the {limits.memory_mb} MB allowed ({exit_status})"
        return Cause(what, "Keep tables small, or have the league's limit raised (`arena match --memory`).")
    when = _occasion(take)
    if exit_status == "exit code 0":
        return Cause(f"it left by itself {when} (exit code 0)", "Read lines until the input ends, and only then leave.")
    said = last_line(evidence.stderr)
    what = f"it crashed {when} ({exit_status})" + (f": {said}" if said else ", and said nothing on standard error")
    return Cause(what, _advice_for(exit_status, take))


def _why_env(log: str) -> Cause | None:
    """Return why `env` did not find an interpreter."""
    found = re.search(r"env: \W?([\w./+-]+)(\\r)?\W?: No such file or directory", log)
    if not found:
        return None
    if found[2]:
        return Cause(
            f"the #! line ends in CR LF (Windows line ends): env looks for '{found[1]}\\r'",
            "Save the file with Unix line ends: sed -i 's/\\r$//' FILE",
        )
    return Cause(
        f"its #! line names {found[1]}, an interpreter that is not installed", f"Install {found[1]}, or correct it."
    )


def _by_log(log: str, limits: ResourceLimits) -> Cause | None:
    for pattern, what, advice in _PATTERNS:
        if found := re.search(pattern, log):
            groups = [group for group in found.groups() if group] or [""]
            meaning = what.format(*groups, memory=limits.memory_mb).rstrip(": ")
            return Cause(f"{meaning} ({last_line(log)})", advice)
    return None


def _occasion(take: Take) -> str:
    """Return when a bot ended, by what was new in the last line it was told."""
    messages = [json.loads(line) for line in take.lines]
    last, before = messages[-1], messages[:-1]
    if last["type"] == "hello":
        return "instead of answering hello"
    if last["type"] == "end":
        return "when it was told of the end of the game"
    if _dropped(last) and not any(_dropped(message) for message in before):
        own = set(_dropped(last)) & set(take.game.variant.seats[take.scene.seat])
        whose = f"its own color {min(own)}" if own else "a color"
        return f"on the first turn that told of {whose} dropping out (an entry with `pass` has no `cells`)"
    turns = [message for message in before if message["type"] == "turn"]
    if not turns:
        return "on its first turn"
    color = last["color"]
    if color not in {message["color"] for message in turns}:
        kind = "the turning color" if color == take.game.variant.turning_color else "another of its colors"
        return f"when it was first asked for {color}, {kind}"
    return f"at its turn {len(turns) + 1}"


def _dropped(message: dict[str, list[dict[str, str]]]) -> list[str]:
    return [entry["color"] for entry in message.get("played", ()) if "pass" in entry]


def _advice_for(exit_status: str, take: Take) -> str:
    if "SIGSEGV" in exit_status or "SIGABRT" in exit_status:
        return "A memory error of the program: build it with -g -fsanitize=address, and try again."
    if "SIGSYS" in exit_status:
        return "It called something that the sandbox forbids: see docs/sandbox.md."
    if len(take.game.variant.seats) == 1:
        return "In solo variants there is one seat with all four colors, and no opponent: do not expect one."
    return "Catch errors, log them to standard error, and play any legal move instead. `arena rerun` repeats the game."


def last_line(log: str) -> str:
    """Return the line of a log that tells the error: the last that looks so, or the last of all."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if _ERROR_LINE.match(line)]
    return (errors or lines or [""])[-1][:200]

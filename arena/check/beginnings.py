"""Why a bot could not even begin: read from its manifest, its command and its files."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from arena.bots import LANGUAGES, Bot
from arena.check.logs import last_line
from arena.check.report import Cause

_PATHS = "paths are relative to the bot's folder"
_OF_SHELLS = frozenset((".", "cd", "eval", "exec", "exit", "export", "for", "if", "set", "source", "ulimit", "while"))
_SHELL_MARKS = re.compile(r"[;|&<>]")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_COMPILE_ERROR = re.compile(r"\berror(\[\w+\])?:|^\S+:\d+:\d+: |\berror TS\d+")


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
    if cause := _why_shell_line(bot.command.argv):
        return cause
    if "/" in program:
        return Cause(f"its command names {program}, which is not there", f"Check `run` (and `build`): {_PATHS}.")
    if Path(bot.command.cwd, program).exists():
        what = f"`run` names {program} without a path, and looks for it where programs are installed"
        return Cause(what, f'Write run = "{_run_of(program)}" in bot.toml.')
    return Cause(
        f"it needs {program}, which is not installed here", f"Install {program}, or check `run` in bot.toml and PATH."
    )


def _why_shell_line(words: tuple[str, ...]) -> Cause | None:
    """Return why a command is none if it is written as for a shell."""
    is_shell_line = words[0] in _OF_SHELLS or _ASSIGNMENT.match(words[0]) or _SHELL_MARKS.search(words[0])
    if not is_shell_line:
        return None
    what = f"`run` is one command, not a shell line: there is no program {words[0]}"
    return Cause(
        what, 'Name one program and its arguments, or write run = ["sh", "-c", "cd src; exec python3 bot.py"].'
    )


def _run_of(file: str) -> str:
    """Return a command that runs a file of the bot's folder."""
    language = LANGUAGES.get(Path(file).suffix)
    if language is None or language.build:
        return f"./{file}"
    words = [word.replace("{file}", file) for word in language.run]
    return " ".join(["python3", *words[1:]] if Path(file).suffix == ".py" else words)


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


# ---- files that are not in order


def why_not_built(problem: str) -> Cause:
    """Return why a bot's files are not in order; `problem` is what loading it said."""
    head, _, output = problem.partition("\n")
    if "build failed" in head:
        return _why_build_failed(head, output)
    if "building needs" in head:
        return Cause(head, "Install that compiler, or submit a language that is installed.")
    if "an executable, got none" in head:
        return Cause(
            f"the file is not executable, and has neither a #! line nor a known suffix: {head}",
            "chmod +x it, begin it with a #! line, or give it its language's suffix.",
        )
    return Cause(head, "See docs/bots.md for what a bot can be.")


def _why_build_failed(head: str, output: str) -> Cause:
    found = re.search(r"build failed \((.*)\):?$", head)
    advice = "Build it by itself in its folder first" + (f": {found[1]}" if found else ".")
    errors = [line.strip() for line in output.splitlines() if _COMPILE_ERROR.search(line)]
    if errors:
        return Cause(f"the build failed, a compile error: {errors[0]}", advice)
    return Cause(f"the build failed: {last_line(output) or 'it said nothing'}", advice)

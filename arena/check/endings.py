"""Why a bot has ended in the middle of a scene: read from its log, and from when it happened."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

from arena.bots import Bot
from arena.check.logs import last_line
from arena.check.rehearsal import Take
from arena.check.report import Cause
from arena.jail.order import HOME
from arena.limits import ResourceLimits

# what a program says in its own words when it gives up: they may hold anything
_OWN_WORDS = re.compile(r"(\w+\.)*(ValueError|RuntimeError|AssertionError|Exception)\b(?! in thread)")
_LESS_MEMORY = "Keep tables small, or have the league's limit raised (`arena match --memory`)."
_FOLDER = (
    "A bot sees its own folder and its interpreter's library, nothing else. A bot of several files is a folder with "
    "bot.toml"
)


class _Sign(NamedTuple):
    """What a log says, what that means (with the groups of the pattern), and what to do."""

    pattern: str
    what: str
    advice: str
    is_anywhere: bool = False  # not only in the line that tells the error
    only_before_ready: bool = False


_SIGNS = (
    _Sign(
        r"^(?:SyntaxError|IndentationError|TabError)\b(?!.*JSON)|^(?:\S.*: )?[Ss]yntax error\b(?!.*JSON)",
        "the program has a syntax error",
        "Run it by itself, without the arena, until it starts.",
        is_anywhere=True,
        only_before_ready=True,
    ),
    _Sign(
        r"(?:ModuleNotFoundError: No module named|Cannot find module|ImportError: No module named) '?([^'\n]+)",
        "it needs a library that is not there: {0}",
        f"{_FOLDER}; put libraries in there too.",
    ),
    _Sign(
        r"[Cc]an't open (?:file|perl script)|Could not find or load main class|can't load|No such script|cannot open",
        "its command names a file that is not there",
        "Check `run` in bot.toml: paths are relative to the bot's folder.",
        only_before_ready=True,
    ),
    _Sign(
        r"FileNotFoundError: [^:]*: '([^'\n]+)|ENOENT: no such file or directory, open '([^'\n]+)",
        "it reads a file that is not there: {0}",
        f"{_FOLDER}: put the file in there, and name it relative to the folder.",
    ),
    _Sign(
        r"MemoryError|bad_alloc|OutOfMemoryError|heap out of memory|[Cc]annot allocate memory|memory allocation of",
        "it ran out of memory: more than the {memory} MB allowed",
        _LESS_MEMORY,
    ),
    _Sign(
        r"\b_fork_exec\b|\bposix_spawn\b|spawn \S+ EPERM|[Cc]annot fork|\bfork\b.*(?:not permitted|unavailable)",
        "it starts another process, which its sandbox does not allow",
        "Do all in one process (threads are fine), or say `processes = true` in bot.toml.",
        is_anywhere=True,  # the call is in the traceback, not in the error
    ),
    _Sign(
        r"urlopen|getaddrinfo|connect E[A-Z]+|EAI_AGAIN|ENETUNREACH|ECONNREFUSED|[Nn]etwork is unreachable"
        r"|name resolution|Name or service not known|[Cc]onnection refused|Socket operation",
        "it needs the network, and there is none for bots",
        "Put everything that the bot needs into its folder.",
    ),
    _Sign(
        r"(?:Read-only file system|PermissionError: \[Errno 13\] Permission denied):? ?'?([^'\n]*)"
        r"|(?:EROFS|EACCES):?[^'\n]*'?([^'\n]*)",
        "it {uses}",
        "Keep state in memory, and log to standard error. A bot can read its own folder but not change it, and sees no "
        "other; $TMPDIR or /tmp is there for scratch files.",
    ),
)

# what only a bot that has asked for it gets in a turn: the field, and the word for it in `want`
FIELDS = {"legal": "legal", "legal_count": "count", "board": "board"}


def why_ended(bot: Bot, take: Take, limits: ResourceLimits) -> Cause:
    """Return why a bot ended in the middle of a scene."""
    assert take.fault is not None
    evidence = take.fault.evidence
    exit_status = evidence.exit or ""
    if cause := _why_env(take) or why_not_wanted(take) or _by_log(bot, take, limits):
        return cause
    if take.fault.kind == "memory":
        what = f"it ran out of memory: {evidence.peak_mb:.0f} MB of the {limits.memory_mb} MB allowed ({exit_status})"
        return Cause(what, _LESS_MEMORY, key="memory")
    when = _occasion(take)
    if exit_status == "exit code 0":
        what = f"it left by itself {when} (exit code 0)"
        return Cause(what, "Read lines until the input ends, and only then leave.", key="left by itself")
    said = last_line(evidence.stderr)
    what = f"it crashed {when} ({exit_status})" + (f": {said}" if said else ", and said nothing on standard error")
    return Cause(what, _advice_for(exit_status, bot, take), key=f"crashed: {exit_status}: {said}")


# ---- what its log tells


def _why_env(take: Take) -> Cause | None:
    """Return why `env` did not find an interpreter."""
    assert take.fault is not None
    found = re.search(
        r"^\S*env: \W?([\w./+-]+)(\\r)?\W?: No such file or directory", take.fault.evidence.stderr, re.MULTILINE
    )
    if not found or take.ready is not None:
        return None
    if found[2]:
        return Cause(
            f"the #! line ends in CR LF (Windows line ends): env looks for '{found[1]}\\r'",
            "Save the file with Unix line ends: sed -i 's/\\r$//' FILE",
        )
    return Cause(
        f"its #! line names {found[1]}, an interpreter that is not installed", f"Install {found[1]}, or correct it."
    )


def why_not_wanted(take: Take) -> Cause | None:
    """Return what a bot looks for in its first turn without having asked for it, if its log tells so."""
    if take.fault is None or take.ready is None or len(take.lines) != 2:  # hello and one turn
        return None
    log = take.fault.evidence.stderr
    for field, word in FIELDS.items():
        if word not in take.ready.want and _reads(field, log):
            what = f'it reads `{field}`, which it did not ask for: "want":["{word}"] in ready'
            return Cause(what, f'Send "want":["{word}"] in ready; what nobody asks for is not in `turn`.')
    return None


def _reads(field: str, log: str) -> bool:
    """Tell whether a log complains of a field of a message: KeyError: 'legal', or undefined in m.legal[0]."""
    said = last_line(log)
    if re.search(rf"""["'`]{field}["'`]|\s:{field}\b""", said):
        return True
    # many a bot has a board of its own
    dotted = rf"|\b(?!self|this)\w+\.{field}\b(?! *\()" if field != "board" else ""
    is_missed = re.search(r"undefined|NoneType|\bnil\b|\bnull\b", said)
    return bool(is_missed and re.search(rf"""\[["']{field}["']\]{dotted}""", log))


def _by_log(bot: Bot, take: Take, limits: ResourceLimits) -> Cause | None:
    assert take.fault is not None
    log = take.fault.evidence.stderr
    said = last_line(log)
    if _OWN_WORDS.match(said):
        return None
    for sign in _SIGNS:
        if sign.only_before_ready and take.ready is not None:
            continue
        if found := re.search(sign.pattern, log if sign.is_anywhere else said, re.MULTILINE):
            group = next((group for group in found.groups() if group), "")
            what = sign.what.format(group, memory=limits.memory_mb, uses=_use(bot, group))
            return Cause(f"{what} ({said})", sign.advice)
    return None


def _use(bot: Bot, path: str) -> str:
    """Return in words what a bot does with a file that it may not use so."""
    if not path:
        return "writes to a place that is read-only"
    homes = (HOME, bot.command.cwd)  # in most sandboxes its folder has another name
    if not Path(path).is_absolute() or any(Path(path).is_relative_to(home) for home in homes):
        return f"writes to its own folder, which is read-only: {path}"
    return f"writes to (or reads from) {path}, which is not its own"


# ---- when it happened


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


def _advice_for(exit_status: str, bot: Bot, take: Take) -> str:
    if "SIGSEGV" in exit_status or "SIGABRT" in exit_status:
        return "A memory error of the program: build it with -g -fsanitize=address, and try again."
    if "SIGSYS" in exit_status:
        return "It called something that the sandbox forbids: see docs/sandbox.md."
    is_solo = len(take.game.variant.seats) == 1
    solo = " In solo variants there is one seat with all four colors, and no opponent: do not expect one."
    if take.ready is None:
        return f"Run it by itself until it starts, and answers the line that it was sent.{solo * is_solo}"
    rivals = " greedy" * (len(take.game.variant.seats) - 1)
    return (
        f"To see it again: `arena match {bot.source}{rivals} --variant {take.scene.variant} --record m.json`, then "
        f"`arena rerun m.json --seat 0`.{solo * (is_solo and len(take.lines) == 2)}"
    )

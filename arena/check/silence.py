"""Why a bot does not answer in time: told the same lines again, and then that no more will come."""

from __future__ import annotations

import json
from time import monotonic_ns

import msgspec

from arena.bot_process import BotProcess, Trouble, wait_for_any
from arena.bots import Bot
from arena.check.endings import why_not_wanted
from arena.check.logs import last_line
from arena.check.rehearsal import Take, on_stage, wait_for_silence
from arena.check.report import Cause
from arena.limits import ResourceLimits

_MS = 1_000_000
_SOON_MS = 2000  # after which the input is closed
_MORE_MS = 1000  # how much longer than its time to wait for a late answer
_WATCHED_MS = 300
BUSY_SHARE = 0.05  # of the time: a bot that waits uses none, and one that computes may get little on a loaded machine


class _Echo(msgspec.Struct, frozen=True):
    """What a bot said when it was told the same again."""

    late_ms: int | None = None  # until its answer came after all
    came_at_close: bool = False
    lacks_newline: bool = False
    is_busy: bool = False


def why_silent(bot: Bot, take: Take, limits: ResourceLimits) -> Cause:
    """Return why a bot did not answer the last line of a take."""
    assert take.fault is not None
    evidence = take.fault.evidence
    if evidence.received and not _is_whole(evidence.received):
        return Cause(
            f"its line stopped in the middle: {evidence.received[:80]}",
            "Send the whole line, its newline included, and flush.",
        )
    if cause := why_not_wanted(take):
        return cause
    echo = _ask_again(bot, take, limits)
    budget_ms = evidence.limit_us // 1000
    asked = "hello" if take.ready is None else "turn"
    if echo.lacks_newline:
        return Cause(
            "there is no newline at the end of its answer: the line is never complete",
            "End every message with \\n (in Python print does it; sys.stdout.write and C's printf do not).",
        )
    if echo.came_at_close:
        return Cause(
            f"its answer to {asked} came only when its input was closed: the output is not flushed",
            "Flush standard output after every line (Python: print(…, flush=True); C: fflush(stdout); C++: std::endl), "
            "and read line by line, not to the end of the input.",
        )
    if echo.late_ms is not None and echo.late_ms > budget_ms // 2:
        return Cause(
            f"too slow: it took {echo.late_ms} ms for its answer to {asked}, and had {budget_ms} ms",
            "Load what is slow before ready, within start_ms."
            if asked == "hello"
            else "Plan each move by the `clock` of its turn (move_ms + bank_ms), with something in hand.",
        )
    if echo.late_ms is not None:
        return Cause(
            f"did not answer {asked} within {budget_ms} ms, but did when it was tried again: it hangs now and then",
            "Look for a race, a lock, or a search without an end.",
        )
    if echo.is_busy:
        return _why_busy(asked, budget_ms)
    said = last_line(evidence.stderr)
    what = f"waits for something that does not come instead of answering {asked}: nothing came in {budget_ms} ms"
    return Cause(
        f"{what}; its log ends in: {said}" if said else what,
        "Read one line, answer it, and flush. It may wait for a second message, or for input from elsewhere.",
    )


def _why_busy(asked: str, budget_ms: int) -> Cause:
    what = f"computes without an end (an infinite loop) instead of answering {asked}: nothing came in {budget_ms} ms"
    if asked == "hello":
        return Cause(what, "Answer hello at once; long preparations must fit into start_ms.")
    return Cause(
        what.replace("loop)", "loop), or far beyond its time,"),
        "Let every loop end, and check the time in it: the clock is in milliseconds.",
    )


def _is_whole(line: str) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _ask_again(bot: Bot, take: Take, limits: ResourceLimits) -> _Echo:
    """Tell a new process of the bot the same lines, and close its input before its time is up."""
    budget_ms = _budget_ms(take)
    with on_stage(bot, limits) as process:
        for line in take.lines[:-1]:
            if isinstance(process.ask(line, budget_ms * _MS), Trouble):
                return _Echo()
        answer = process.ask(take.lines[-1], min(budget_ms // 2, _SOON_MS) * _MS)
        if isinstance(answer, bytes):
            return _Echo(late_ms=process.elapsed_ns // _MS)
        if answer.line:
            return _Echo(lacks_newline=True)
        # it stayed silent for all of its time before: if it answers within that now, then because of this
        process.close_input()
        came_ms = _wait_for_message(process, budget_ms + _MORE_MS)
        if came_ms is not None:
            return _Echo(late_ms=came_ms, came_at_close=came_ms < budget_ms)
        return _Echo(is_busy=_is_busy(process))


def _wait_for_message(process: BotProcess, patience_ms: int) -> int | None:
    """Return how long after the last line a message came, or None if none does."""
    deadline = monotonic_ns() + patience_ms * _MS
    while (answer := process.answer()) is None and (left := deadline - monotonic_ns()) > 0:
        wait_for_any([process], left // _MS + 1)
    line = answer.line if isinstance(answer, Trouble) else answer or b""
    return process.elapsed_ns // _MS if line.startswith(b"{") else None


def _is_busy(process: BotProcess) -> bool:
    used_ns = process.cpu_ns()
    wait_for_silence(process, _WATCHED_MS)
    return process.cpu_ns() - used_ns > BUSY_SHARE * _WATCHED_MS * _MS


def _budget_ms(take: Take) -> int:
    time = take.time
    return time.start_ms if take.ready is None else time.move_ms + time.bank_ms

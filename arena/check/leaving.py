"""How a bot takes the end of a game, and whether it leaves or stays as it should."""

from __future__ import annotations

from arena.bot_process import BotProcess, wait_for_exit
from arena.check.logs import last_line
from arena.check.rehearsal import wait_until_at_rest
from arena.check.report import Cause
from arena.check.silence import BUSY_SHARE
from arena.limits import LEAVE_MS


def why_crashed_at_end(process: BotProcess) -> Cause | None:
    """Return what is wrong with a bot that ends badly when it is told of the end of the game."""
    wait_until_at_rest(process)
    if not process.confined.has_ended():
        return None
    end = process.end()
    if end.code == 0:
        return None
    said = last_line(process.log.text())
    return Cause(
        f"it crashed when it was told of the end of the game ({end}): {said}",
        "`end` tells the scores, and in `played` what happened last, passes of your own color included.",
        key=f"crashed: {end}: {said}",
    )


def why_it_stays(process: BotProcess) -> Cause | None:
    """Return what is wrong with a bot that does not leave when its input is closed."""
    process.close_input()
    used_ns = process.cpu_ns()
    wait_for_exit([process], LEAVE_MS)
    if process.confined.has_ended():
        return None
    is_busy = process.cpu_ns() - used_ns > BUSY_SHARE * LEAVE_MS * 1_000_000
    does = "computes on, maybe reading nothing for ever" if is_busy else "waits for something"
    what = f"still there {LEAVE_MS} ms after its input was closed: it {does}"
    return Cause(what, "Leave when the input ends (readline gives '' or null, getline fails).")


def how_it_left(process: BotProcess) -> str:
    """Return how a bot left when its input was closed."""
    end = process.end()
    if end.code == 0:
        return "left by itself when its input was closed"
    return f"left when its input was closed; with {end}, which does no harm: {last_line(process.log.text())}"


def why_not_at_rest(process: BotProcess) -> Cause | None:
    """Return what is wrong with a bot that said it would play another game, and is not ready for one."""
    if process.confined.has_ended():
        what = f'it left after the first game ({process.end()}), though it said "games":"many"'
        what += f": {said}" if (said := last_line(process.log.text())) else ""
        return Cause(what, 'Wait for another `hello` after `end`, or leave "games" out of ready.')
    if not process.is_at_rest:
        return Cause("it printed something after `end`", "Say nothing between `end` and the next `hello`.")
    return None

"""Why a scene went wrong: the true cause, beyond the kind of fault."""

from __future__ import annotations

from collections.abc import Iterator

from arena.bots import Bot
from arena.check.endings import why_ended
from arena.check.lines import why_garbage, why_unasked
from arena.check.moves import why_illegal
from arena.check.rehearsal import Answer, Scene, Take, on_stage, rehearse
from arena.check.report import Cause
from arena.check.silence import why_silent
from arena.limits import ResourceLimits
from engine import VARIANTS, Game
from engine.diagram import draw
from engine.grid import Cell


def why(bot: Bot, take: Take, limits: ResourceLimits) -> Cause:
    """Return why a take ended in a fault; the bot may be started again to find out."""
    fault = take.fault
    assert fault is not None
    evidence = fault.evidence
    if fault.kind == "illegal":
        return why_illegal(take, lambda: _first_moves(bot, take, limits))
    if fault.kind == "garbage" and not evidence.wall_us:
        return why_unasked(evidence.received)
    if fault.kind == "garbage":
        return why_garbage(evidence.received, evidence.sent, evidence.detail)
    if fault.kind == "flood":
        return Cause(
            f"it sent too much: {evidence.detail}",
            "Send one short line for each message; write logs to standard error.",
        )
    if fault.kind == "timeout" or (fault.kind == "no-start" and evidence.exit == "still running"):
        return why_silent(bot, take, limits)
    return why_ended(bot, take, limits)


def _first_moves(bot: Bot, take: Take, limits: ResourceLimits) -> Iterator[Answer]:
    """Give the first answer of a bot at other seats: where a start square is tells one mistake from another."""
    for variant in dict.fromkeys((take.scene.variant, "duo")):
        for seat in range(len(VARIANTS[variant].seats)):
            with on_stage(bot, limits) as process:
                yield from rehearse(process, Scene(variant=variant, seat=seat, answers=1), take.time).answers


def picture(take: Take) -> str:
    """Return the board as it was at the end of a take, with what the bot named marked by x."""
    named = take.fault.evidence.named if take.fault else ()
    return _marked(take.game, [cell for cell in named if cell in take.game.placements.grid])


def _marked(game: Game, cells: list[Cell]) -> str:
    lines = [list(line) for line in draw(game).splitlines()]
    left = len(str(game.variant.rows)) + 1
    for row, col in cells:
        lines[row][left + 2 * col] = "x"
    return "\n".join("".join(line) for line in lines)

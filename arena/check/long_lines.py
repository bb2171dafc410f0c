"""Whether a bot reads whole lines: a long one, which comes in parts."""

from __future__ import annotations

import json

from arena.bots import Bot
from arena.check.rehearsal import Scene, Take, Taped, on_stage, rehearse, wait_until_at_rest
from arena.check.report import Cause
from arena.check.silence import BUSY_SHARE
from arena.limits import ResourceLimits
from engine.notation import parse_game

_ROOMY = (
    "Yb@a20 Pg@t20 Pf@s3 Na@b2 Wb@d18 Fe@r17 Ya@o4 L5c@e6 Nb@g15 Ya@o20 "
    "Nc@n2 Zc@f9 Zd@k13 Ng@t14 Ud@i3 Fd@b7 X@o11 Zd@m19 Ff@g6 Ph@b11"
)
# openings after which the list of legal moves is about as long as it gets; the longest first
_OPENINGS = {
    "solo-pentomino": "",
    **dict.fromkeys(("classic", "teams", "two", "three", "solo"), _ROOMY),
    "duo": "X@e10 Zb@j5 T5a@f7 Nc@m2 Wc@k10 Pg@n6",
    "solo-tetromino": "",
    "solo-descending": _ROOMY,
    "three-open": "",
}
_SHORT = 20  # entries of a list that fits into any buffer


def long_scene(variants: tuple[str, ...]) -> Scene:
    """Return the scene with the longest line that a bot of these variants can be told, as its first turn."""
    variant = next(name for name in _OPENINGS if name in variants)
    game = parse_game(f"{variant} {_OPENINGS[variant]}")
    assert game.seat is not None
    return Scene(variant=variant, seat=game.seat, opening=f"{variant} {_OPENINGS[variant]}", answers=1)


class InParts(Taped):
    """A bot's process that gets every line in two parts, the second when it has had time to read the first."""

    def say(self, line: bytes) -> None:
        """Write a line in two parts, and keep it."""
        half = len(line) // 2
        super().say(line[:half])
        wait_until_at_rest(self)
        super().say(line[half:])
        self.lines[-2:] = [line]


class _Cut(Taped):
    """A bot's process that is told of a few legal moves only."""

    def say(self, line: bytes) -> None:
        message = json.loads(line)
        if "legal" in message:
            message["legal"] = message["legal"][:_SHORT]
        if "legal_count" in message:
            message["legal_count"] = min(message["legal_count"], _SHORT)
        super().say(json.dumps(message, separators=(",", ":")).encode() + b"\n")


def why_not_whole(bot: Bot, take: Take, limits: ResourceLimits) -> Cause | None:
    """Return what is wrong with a bot that failed in parts, if it does not with a short line that comes as one."""
    assert take.fault is not None
    evidence = take.fault.evidence
    is_late = take.fault.kind in ("timeout", "no-start") and evidence.exit == "still running"
    is_slow = is_late and evidence.cpu_us > BUSY_SHARE * evidence.limit_us
    if is_slow or take.fault.kind in ("illegal", "memory", "flood"):
        return None
    with on_stage(bot, limits, _Cut) as process:
        if rehearse(process, take.scene, take.time).fault:
            return None
    what = f"it does not read whole lines: it failed at one of {size_of(take)} that came in two parts"
    return Cause(
        what,
        "Read to the newline, however long the line is and in however many parts it comes (Node.js: readline; Go: "
        "bufio.Reader, or Scanner.Buffer; C: getline).",
    )


def size_of(take: Take) -> str:
    """Return how long the last line of a take was."""
    size = len(take.lines[-1])
    return f"{size // 1000} KB" if size >= 1000 else f"{size} bytes"

"""`arena watch`: follows a match on the terminal while it is played."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from time import sleep

from rich.console import RenderableType

from arena.errors import RecordError, UsageError
from arena.live import FOLDER, LiveMatch, read_live, running
from arena.record import Fault, PlyRecord
from arena.replay import take
from arena.terminal import draw_move
from engine import Game, RulesError

_LOOK_S = 0.2


def find_running(league: Path, wanted: str | None) -> LiveMatch:
    """Return the match that is meant: by its id or the beginning of it, by its worker, or any; raises `UsageError`."""
    matches = running(league)
    if not matches:
        raise UsageError(f"no match is being played in {league} now")
    fitting = [each for each in matches if wanted in (None, each.worker) or each.head.match.startswith(str(wanted))]
    if not fitting:
        known = ", ".join(each.head.match for each in matches)
        raise UsageError(f"match {wanted} is not being played in {league} now: expected one of {known}")
    if wanted is not None and len(fitting) > 1:
        known = ", ".join(each.head.match for each in fitting)
        raise UsageError(f"{wanted} means more than one match: {known}")
    return fitting[0]


def follow(
    league: Path, match: LiveMatch, wait: Callable[[float], None] = sleep
) -> Iterator[tuple[Game, PlyRecord | Fault | None]]:
    """Yield the game before its first step, and after each one as it happens, until the match is over."""
    path = league / FOLDER / f"{match.worker}.jsonl"
    game, done = match.head.spec.new_game(), 0
    yield game, None
    while True:
        now = read_live(path)
        if now is None or now.head != match.head:  # the worker is at another match, or gone
            return
        for step in now.steps[done:]:
            try:
                take(game, step)
            except RulesError as error:
                raise RecordError(f"match {match.head.match}, turn {step.turn}: {error}") from error
            done += 1
            yield game, step
        if now.is_over or not any(each.head == match.head for each in running(league)):
            return
        wait(_LOOK_S)


def watch(league: Path, wanted: str | None, show: Callable[[RenderableType], object]) -> LiveMatch:
    """Show a match as it is played, step by step, and return it when it is over; raises `UsageError`."""
    match = find_running(league, wanted)
    for game, step in follow(league, match):
        show(draw_move(game, match.head.names, step))
    return match

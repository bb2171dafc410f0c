"""Options that several commands share."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console

from arena.errors import NobodyListens
from arena.limits import ResourceLimits, TimeControl
from arena.match import MatchSpec
from arena.sandbox.choose import CHOICES
from engine import SCORINGS, VARIANTS

_F = TypeVar("_F", bound=Callable[..., Any])
_UNITS = {"ms": 1, "s": 1000, "m": 60_000, "": 1000}


class _Duration(click.ParamType):  # type: ignore[type-arg]
    """A time: seconds, or with a unit, as milliseconds."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        number = value.rstrip("ms")
        try:
            milliseconds = float(number) * _UNITS[value[len(number) :]]
        except (ValueError, KeyError):
            self.fail(f"expected a time such as 2, 0.5, 300ms or 1m, got {value!r}", param, ctx)
        if not 0 <= milliseconds <= 86_400_000:
            self.fail(f"expected a time from 0 to 1440m, got {value!r}", param, ctx)
        return round(milliseconds)


DURATION = _Duration()


def all_of(*options: Callable[[_F], _F]) -> Callable[[_F], _F]:
    """Return a decorator that adds several options, in their order."""

    def decorate(command: _F) -> _F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def clock_options(move_time: str, shown: str) -> Callable[[_F], _F]:
    """Return the options of the clock, with this time for a move as the usual one."""
    return all_of(
        click.option("--move-time", type=DURATION, default=move_time, show_default=shown, help="Time for each move."),
        click.option("--bank", type=DURATION, default="0", show_default="0", help="Time for all moves beyond that."),
        click.option(
            "--increment", type=DURATION, default="0", show_default="0", help="Added to the bank after a move."
        ),
        click.option(
            "--start-time", type=DURATION, default="10", show_default="10 s", help="Time until a bot is ready."
        ),
        click.option(
            "--margin", type=DURATION, default="50ms", show_default="50 ms", help="An overrun that is forgiven."
        ),
        click.option(
            "--clock", type=click.Choice(["wall", "cpu"]), default="wall", show_default=True, help="Time charged."
        ),
    )


game_options = all_of(
    click.option(
        "--variant", default="classic", show_default=True, type=click.Choice(list(VARIANTS)), help="What to play."
    ),
    click.option(
        "--scoring", default="15/5", show_default=True, type=click.Choice(list(SCORINGS)), help="The bonuses."
    ),
)


def _announce(_: click.Context, __: click.Parameter, sandbox: str) -> str:
    """Say aloud that nothing confines the bots, or little."""
    if sandbox == "none":
        click.echo("arena: --sandbox none: bots run unconfined, with all your rights: only those you trust!", err=True)
    elif sys.platform == "darwin":
        click.echo("arena: the sandbox of macOS is a weak one (arena doctor): only bots you trust!", err=True)
    return sandbox


box_options = all_of(
    click.option(
        "--sandbox",
        type=click.Choice(CHOICES),
        default="auto",
        show_default=True,
        callback=_announce,
        help="What confines bots.",
    ),
    click.option("--memory", type=click.IntRange(16), default=512, show_default=True, help="MB for each bot."),
    click.option("--anonymous", is_flag=True, help="Hide the bots' names from each other."),
    click.option("--ponder", is_flag=True, help="Let bots think on the others' time; needs --no-pin."),
    click.option("--no-pin", is_flag=True, help="Do not keep a match to one core."),
)

league_option = click.option(
    "--league",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("league"),
    show_default=True,
    help="The folder of the league.",
)


def spec_of(options: dict[str, Any]) -> MatchSpec:
    """Return what to play, from the options above; a seed that is not given is drawn.

    Raises `UsageError` for what does not go together.
    """
    control = TimeControl(
        kind=options["clock"],
        start_ms=options["start_time"],
        move_ms=options["move_time"],
        bank_ms=options["bank"],
        increment_ms=options["increment"],
        margin_ms=options["margin"],
    )
    spec = MatchSpec(
        variant=options["variant"],
        scoring=options["scoring"],
        seed=secrets.randbits(32) if options["seed"] is None else options["seed"],
        opening_plies=options["opening_plies"],
        anonymous=options["anonymous"],
        ponder=options["ponder"],
        pin=not options["no_pin"],
        time=control,
        limits=ResourceLimits(memory_mb=options["memory"], sandbox=options["sandbox"]),
    )
    spec.check()
    return spec


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise NobodyListens  # rich itself would leave with an error


def new_console() -> Console:
    """Return a console for what a command says; a pipe wraps nothing."""
    console = _Console(highlight=False)
    return console if console.is_terminal else _Console(highlight=False, width=200)

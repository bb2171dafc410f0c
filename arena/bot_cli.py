"""The commands for those who write bots: a beginning, and a check."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import msgspec

from arena.check import Checkup, check_source, lines_of
from arena.limits import ResourceLimits, TimeControl
from arena.options import DURATION
from arena.sandbox.choose import CHOICES
from arena.starters import STARTERS, new_bot
from engine import VARIANTS


@click.command("new")
@click.argument("name")
@click.option(
    "--lang",
    default="python",
    show_default=True,
    metavar="LANG",
    help=f"In which language: {', '.join(starter.folder for starter in STARTERS)}.",
)
@click.option("--sdk", is_flag=True, help="With the SDK of the language next to it: board, legal moves, search.")
def new(name: str, lang: str, sdk: bool) -> None:
    """Make a folder NAME with a small bot that plays at once."""
    click.echo("\n".join(new_bot(name, lang, Path(), sdk=sdk)))


@click.command("check")
@click.argument("bot")
@click.option(
    "--variant",
    "variants",
    multiple=True,
    type=click.Choice(list(VARIANTS)),
    help="May be given several times; usually all that it claims.",
)
@click.option("--sandbox", type=click.Choice(CHOICES), default="auto", show_default=True, help="What confines it.")
@click.option("--memory", type=click.IntRange(16), default=512, show_default=True, help="MB that it may use.")
@click.option("--move-time", type=DURATION, default="2", show_default="2 s", help="Time for each move.")
@click.option("--json", "as_json", is_flag=True, help="Print all steps as JSON.")
def check(bot: str, variants: tuple[str, ...], sandbox: str, memory: int, move_time: int, as_json: bool) -> None:
    """Check a bot against the protocol and the rules, step by step, and say what is wrong and why."""
    checkup = Checkup(
        variants=variants,
        time=TimeControl(move_ms=move_time),
        limits=ResourceLimits(memory_mb=memory, sandbox=sandbox),
    )
    if as_json:
        report = check_source(bot, checkup)
        found = {"bot": report.bot, "passed": report.passed, "verdict": report.verdict, "steps": report.steps}
        sys.stdout.buffer.write(msgspec.json.encode(found) + b"\n")
    else:
        report = check_source(bot, checkup, lambda step: click.echo("\n".join(lines_of(step))))
        click.echo(report.verdict)
    if not report.passed:
        raise SystemExit(1)


COMMANDS = (new, check)

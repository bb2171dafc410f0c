"""The `arena` command: a few lines a command; the work is done elsewhere."""

from __future__ import annotations

import io
import os
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click
import msgspec
from rich.console import Console
from rich.live import Live

from arena import convert as conversion
from arena.bots import Bot, bundled_names, load_bot
from arena.doctor import advice, examine, missing
from arena.errors import ArenaError, NobodyListens, SandboxError, UsageError
from arena.options import DURATION, box_options, clock_options, game_options, new_console, spec_of
from arena.record import Fault, MatchRecord, PlyRecord, from_json, read_record, to_json, write_file
from arena.referee import Observer, play_match
from arena.replay import positions, verify
from arena.rerun import rerun as rerun_seat
from arena.sandbox import StartFailed
from arena.sandbox.choose import CHOICES, strongest
from arena.terminal import draw_move, draw_protections, draw_result
from arena.text import plain
from arena.version import VERSION
from engine import VARIANTS, Game, RulesError

_ELSEWHERE = {
    "arena.bot_cli": ("new", "check"),
    "arena.league_cli": (
        "tournament",
        "standings",
        "compare",
        "submit",
        "bots",
        "withdraw",
        "annul",
        "export",
        "import",
    ),
    "arena.site_cli": ("report", "serve", "watch"),
}


class _Commands(click.Group):
    """Loads the commands of other modules, and the libraries that they need, only when one of them is wanted."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *(name for names in _ELSEWHERE.values() for name in names)])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        for module, names in _ELSEWHERE.items():
            if cmd_name in names:
                commands: tuple[click.Command, ...] = import_module(module).COMMANDS
                return next(command for command in commands if command.name == cmd_name)
        return super().get_command(ctx, cmd_name)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]}, invoke_without_command=True)
@click.version_option(VERSION, prog_name="arena")
@click.pass_context
def cli(context: click.Context) -> None:
    """Blokus Arena: bots play Blokus against each other.

    Exit codes: 0 fine (bots may have lost by a fault), 1 a check failed, 2 wrong usage, 3 trouble of the
    arena's own, 130 interrupted (143 by SIGTERM).
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@cli.command()
@click.argument("bots", nargs=-1, metavar="BOT...")
@game_options
@click.option("--seed", type=click.IntRange(0, 2**53 - 1), help="Makes a match reproducible; drawn if not given.")
@click.option("--opening-plies", type=click.IntRange(0, 84), default=0, help="Placements drawn from the seed.")
@clock_options("2", "2 s")
@box_options
@click.option(
    "--record", "record_file", type=click.Path(path_type=Path, dir_okay=False), help="Write the record there."
)
@click.option("--json", "as_json", is_flag=True, help="Print the record as JSON, and nothing else.")
@click.option("--watch", is_flag=True, help="Show the game as it is played.")
@click.option("--delay", type=DURATION, default="100ms", show_default="100 ms", help="After each move, with --watch.")
@click.option("--stderr", "shows_stderr", is_flag=True, help="Show the bots' logs as they come, marked by seat.")
@click.option(
    "--league", type=click.Path(path_type=Path, file_okay=False), help="Bots may also be NAME or NAME@VERSION of it."
)
def match(bots: tuple[str, ...], league: Path | None, **options: Any) -> None:
    """Play one match between bots.

    BOT is a script, an executable, a folder with bot.toml, or the name of a bundled bot.
    """
    spec = spec_of(options)
    seats = len(VARIANTS[spec.variant].seats)
    if len(bots) != seats:
        expected = f"{seats} bot{'s' * (seats != 1)}"
        raise UsageError(f"{spec.variant} needs {expected}, got {len(bots)}; bundled: {', '.join(bundled_names())}")
    console = new_console()
    watcher = _Watcher(console, options)
    with watcher:
        record = play_match(spec, _programs(bots, league, spec.limits.sandbox), watcher)
    if options["record_file"]:
        write_file(options["record_file"], to_json(record))
    if options["as_json"]:
        sys.stdout.buffer.write(to_json(record))
        return
    *_, (game, _) = positions(record)
    console.print(draw_result(record, game))
    console.print(f"{spec.variant}, seed {spec.seed}, match {record.id}", style="dim")


def _programs(names: Sequence[str], folder: Path | None, sandbox: str) -> list[Bot]:
    """Return the bots that the user names, as they are or as they are in a league."""
    if folder is None:
        return [load_bot(name, sandbox) for name in names]
    from arena.league import read_league

    with read_league(folder) as league:
        league.sandbox = sandbox
        known = {label for entry in league.store.bots() for label in (entry.name, entry.label)}
        return [league.load(league.find(name)) if name in known else load_bot(name, sandbox) for name in names]


class _Watcher(Observer):
    """Shows a match while it runs, as far as the user asked for it."""

    def __init__(self, console: Console, options: dict[str, Any]) -> None:
        self._watches = options["watch"] and not options["as_json"]
        self._shows_stderr = options["shows_stderr"]
        self._delay_s = options["delay"] / 1000
        self._names: Sequence[str] = ()
        self._unfinished: dict[int, bytes] = {}
        self._console = console
        self._live = Live(console=console, auto_refresh=False, transient=True) if self._watches else None

    def __enter__(self) -> None:
        if self._live and self._console.is_terminal:
            self._live.start()

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._live.stop()
        for seat in list(self._unfinished):
            self.on_stderr(seat, b"\n" if self._unfinished[seat] else b"")

    def on_start(self, game: Game, names: Sequence[str]) -> None:
        self._names = names
        self._show(game, None)

    def on_ply(self, game: Game, ply: PlyRecord) -> None:
        self._show(game, ply)

    def on_fault(self, game: Game, fault: Fault) -> None:
        self._show(game, fault)

    def on_stderr(self, seat: int, data: bytes) -> None:
        if not self._shows_stderr:
            return
        *lines, self._unfinished[seat] = (self._unfinished.get(seat, b"") + data).split(b"\n")
        for line in lines:
            click.echo(f"[seat {seat}] {plain(line.decode(errors='replace'))}", err=True)

    def _show(self, game: Game, step: PlyRecord | Fault | None) -> None:
        if not self._live or not self._names:
            return
        picture = draw_move(game, self._names, step)
        if self._console.is_terminal:
            self._live.update(picture, refresh=True)
            time.sleep(self._delay_s)
        else:
            self._console.print(picture)


_RECORD = click.argument("file", type=click.Path(path_type=Path, dir_okay=False))


@cli.command()
@_RECORD
@click.option("--ply", type=click.IntRange(0), help="Print the board after this many steps, and leave.")
def replay(file: Path, ply: int | None) -> None:
    """Step through a record on the terminal."""
    record = read_record(file)
    console = new_console()
    names = [seat.name for seat in record.seats]
    pictures = [draw_move(game, names, step) for game, step in positions(record)]
    *_, (game, _) = positions(record)
    pictures[-1] = draw_result(record, game)
    if ply is not None or not (console.is_terminal and sys.stdin.isatty()):
        console.print(pictures[min(ply if ply is not None else len(pictures), len(pictures) - 1)])
        return
    at = 0
    while True:
        console.clear()
        console.print(pictures[at])
        console.print(f"{at}/{len(pictures) - 1}   space, → next · b, ← back · g first · G last · q quit", style="dim")
        key = click.getchar()
        if key in ("q", "\x1b", "\x03", "\x04"):
            return
        at = {"b": at - 1, "\x1b[D": at - 1, "g": 0, "G": len(pictures) - 1}.get(key, at + 1)
        at = max(0, min(at, len(pictures) - 1))


@cli.command("verify")
@click.argument("places", nargs=-1, type=click.Path(path_type=Path), metavar="[LEAGUE|FILE]...")
def verify_all(places: tuple[Path, ...]) -> None:
    """Judge records anew: every ply, pass, score and rank; of a league also all hashes and ratings.

    A file may hold one record a line. Without a name it is the league in ./league.
    """
    results = [_verify(place) for place in places or (Path("league"),)]
    if not all(results):
        raise SystemExit(1)


def _verify(place: Path) -> bool:
    if place.is_dir() or not (place.exists() or place.suffix):
        from arena.league_cli import verify_league

        return verify_league(place)
    results = [_verify_record(where, record) for where, record in _records(place)]
    return all(results)


def _verify_record(where: str, record: MatchRecord) -> bool:
    problems = verify(record)
    for problem in problems:
        click.echo(f"{where}: {problem}", err=True)
    if not problems:
        click.echo(f"{where}: match {record.id} stands: {len(record.plies)} plies, ranks {list(record.ranks)}")
    return not problems


def _records(file: Path) -> list[tuple[str, MatchRecord]]:
    try:
        lines = [line for line in file.read_bytes().splitlines() if line.strip()]
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error
    if len(lines) == 1:
        return [(str(file), from_json(lines[0], str(file)))]
    try:
        return [(str(file), from_json(b"\n".join(lines), str(file)))]  # one record, spread over lines
    except ArenaError:
        places = [f"{file}:{number}" for number in range(1, len(lines) + 1)]
        return [(place, from_json(line, place)) for place, line in zip(places, lines, strict=True)]


@cli.command()
@_RECORD
@click.option("--seat", type=click.IntRange(0), required=True, help="Whose lines to feed.")
@click.option("--bot", help="The program to feed, if it is not where it was.")
@click.option("--no-limit", is_flag=True, help="Wait for every answer as long as it takes: for a debugger.")
def rerun(file: Path, seat: int, bot: str | None, no_limit: bool) -> None:
    """Feed a bot exactly the lines it got in a record, up to the point where it failed."""
    if not rerun_seat(read_record(file), seat, bot, no_limit=no_limit, tell=click.echo):
        raise SystemExit(1)


@cli.command("doctor")
@click.option("--sandbox", type=click.Choice(CHOICES), default="auto", show_default=True, help="Which one to examine.")
@click.option("--json", "as_json", is_flag=True, help="Print the table as JSON.")
def examine_sandbox(sandbox: str, as_json: bool) -> None:
    """Attack the sandbox from inside, and say what holds and what does not; exit code 1 if not all does."""
    try:
        name = strongest() if sandbox == "auto" else sandbox
        rows = examine(name)
    except (SandboxError, StartFailed) as error:
        raise SystemExit(_fail(f"arena: {error}", 1)) from None
    if as_json:
        table = {"sandbox": name, "protections": rows, "not_working": missing(), "advice": advice(name, rows)}
        sys.stdout.buffer.write(msgspec.json.encode(table) + b"\n")
    else:
        console = new_console()
        console.print(draw_protections(name, rows))
        for other, reason in missing().items():
            console.print(f"The sandbox {other} does not work here: {reason}", style="dim")
        for line in advice(name, rows):
            console.print(line)
    if not all(row.holds for row in rows):
        raise SystemExit(1)


@cli.command()
@click.argument("source", type=click.Path(path_type=Path, dir_okay=False), metavar="IN")
@click.argument("target", type=click.Path(path_type=Path, dir_okay=False), metavar="OUT")
def convert(source: Path, target: Path) -> None:
    """Convert between our records (.json) and Pentobi's game files (.blksgf)."""
    conversion.convert(source, target)


def main() -> NoReturn:
    """Run the command line; every error is one clear line and a documented exit code."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that bots are ended on the way out
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's threads would take cores from bots, to no use
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    try:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")  # a table in a locale without its marks is better than none
        code = cli.main(standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as leaving:
        code = leaving.exit_code
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "arena"
        code = _fail(f"{command}: {error.format_message()} (see {command} --help)", 2)
    except click.ClickException as error:
        code = _fail(f"arena: {error.format_message()}", 2)
    except (KeyboardInterrupt, click.Abort):
        code = _fail("arena: interrupted", 130)
    except NobodyListens:
        code = _be_silent()
    except ArenaError as error:
        code = _fail(f"arena: {error}", error.exit_code)
    except RulesError as error:
        code = _fail(f"arena: {error}", 2)
    except BrokenPipeError:
        code = _be_silent()
    except OSError as error:
        code = _fail(f"arena: {error}", 3)
    except Exception as error:
        if os.environ.get("ARENA_DEBUG"):
            traceback.print_exc()
        code = _fail(f"arena: a defect of the arena: {error!r} (ARENA_DEBUG=1 shows where)", 3)
    sys.exit(code if isinstance(code, int) else 0)


def _be_silent() -> int:
    """Say nothing more: whoever read us has gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _fail(message: str, code: int) -> int:
    click.echo(message, err=True)
    return code

"""The commands about leagues: tournament, standings, compare, bots and what is done with matches."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console

from arena.audit import audit
from arena.bots import find_bot, load_bot
from arena.check import Checkup, check_source, lines_of
from arena.errors import ArenaError, NobodyListens, UsageError
from arena.exchange import export as export_matches
from arena.exchange import import_records
from arena.league import League, check_apart, checked_name, open_league, read_league, rehearse
from arena.limits import ResourceLimits
from arena.match import MatchSpec
from arena.options import all_of, box_options, clock_options, game_options, league_option, new_console, spec_of
from arena.progress import duration, watcher_for
from arena.sandbox.choose import CHOICES
from arena.sequential import Comparison
from arena.standings import Standings, figures_of, keep_all_figures, standings
from arena.store import FILE_NAME, Division, Entry
from arena.table_view import as_rows, by_opponent_rows, by_seat_rows, draw_standings, tell_sureness
from arena.tables import to_csv
from arena.tournament import Plan, Wanted, check_jobs, default_opening, hold
from arena.versus import Contest, compare_versions
from engine import VARIANTS

_draw_options = all_of(
    click.option("--seed", type=click.IntRange(0, 2**53 - 1), help="Of the schedule; usually the league's."),
    click.option(
        "--opening-plies",
        type=click.IntRange(0, 84),
        help="Placements drawn from each block's seed; usually one a color, none in puzzles.",
    ),
)
_core_options = all_of(
    click.option("--jobs", type=click.IntRange(1), help="Matches at the same time; usually one a core."),
    click.option("--oversubscribe", is_flag=True, help="Allow more jobs than there are cores."),
)


@click.command()
@click.argument("bots", nargs=-1, metavar="[BOT]...")
@league_option
@game_options
@click.option("--rounds", type=click.IntRange(1), help="Rounds in all; usually 1 (with --until-sure, at most 100).")
@click.option("--games", type=click.IntRange(1), help="Instead of rounds: so many matches in all.")
@click.option("--full", "is_full", is_flag=True, help="Every set of bots, once a round.")
@click.option("--gauntlet", metavar="BOT", help="This bot against all others.")
@click.option("--until-sure", type=click.FloatRange(0.5, 0.9999), help="Go on until the order of the top is certain.")
@click.option("--top", type=click.IntRange(1), help="Whose order --until-sure is about; usually the league's setting.")
@_draw_options
@clock_options("200ms", "0.2 s")
@box_options
@_core_options
@click.option("--dry-run", is_flag=True, help="Say what would be played, and play nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line for all that happens.")
def tournament(bots: tuple[str, ...], folder: Path, **options: Any) -> None:
    """Play a tournament, and go on where the last one stopped.

    BOT is a file, a folder with bot.toml, a bot of the league or a bundled bot. Without any, the league's bots play;
    in an empty league the bundled ones.
    """
    _check_options(options)
    opened = rehearse(folder) if options["dry_run"] else open_league(folder)
    with opened as league:
        league.sandbox = options["sandbox"]
        console = new_console()
        says = _sayer(console, as_json=options["as_json"])
        entrants = _entrants(league, bots, options["gauntlet"], options["variant"], says)
        if options["gauntlet"] is not None:
            options["gauntlet"] = _hero(entrants, options["gauntlet"]).label
        wanted = _wanted(league, options)
        watcher = watcher_for(console, league.config.draw_probability, as_json=options["as_json"])
        try:
            division = hold(
                league, entrants, wanted, watcher, confirm=lambda plan: _confirm(plan, wanted, options, says)
            )
        except NobodyListens:
            raise ArenaError("stopped, as nobody reads what is told; what was finished is kept") from None
        finally:
            watcher.close()
        if options["dry_run"]:
            return
        found = standings(league.store, division, league.config, keeps=True)
        _show(found, console, as_json=options["as_json"])
        _write_site(league.folder, says)


def _check_options(options: dict[str, Any]) -> None:
    """Refuse what does not go together, before anything is made."""
    if sum(bool(options[name]) for name in ("games", "is_full", "gauntlet")) > 1:
        raise UsageError("expected one of --games, --full and --gauntlet, got more")
    if options["games"] and (options["rounds"] or options["until_sure"]):
        raise UsageError("--games says how much is played in all: expected no --rounds and no --until-sure with it")
    if options["until_sure"] and options["variant"].startswith("solo"):
        raise UsageError("--until-sure is about the order of bots that play each other: expected no puzzle with it")
    check_jobs(options["jobs"], oversubscribes=options["oversubscribe"])
    spec_of(options | {"seed": 0, "opening_plies": 0})


def _sayer(console: Console, *, as_json: bool) -> Any:
    """Return who tells what happens in words: nobody, where it is told as JSON."""
    return (lambda _: None) if as_json else lambda text: console.print(text, markup=False, soft_wrap=True)


def _entrants(league: League, words: tuple[str, ...], hero: str | None, variant: str, says: Any) -> list[Entry]:
    if words:
        entries = _named(league, words)
    elif entered := league.entrants():
        entries = _willing(league, entered, variant, says)
    elif any(entry.status in ("superseded", "withdrawn", "elsewhere") for entry in league.store.bots()):
        raise UsageError(f"no bot of {league.folder} plays any more: expected the names of some that should")
    else:
        entries, reasons = league.enter_bundled()
        for reason in reasons:
            says(f"left out: {reason}")
    if hero is not None and all(hero not in (entry.name, entry.label) for entry in entries):
        found = league.resolve(hero)
        entries = [*(entry for entry in entries if entry.id != found.id), found]
    _check_willing(league, entries, variant)
    return entries


def _willing(league: League, entries: list[Entry], variant: str, says: Any) -> list[Entry]:
    """Return the bots that play a variant; tell of the others."""
    found = [entry for entry in entries if league.plays(entry, variant)]
    if not found:
        raise UsageError(f"no bot of {league.folder} plays {variant}: expected one that claims it in its bot.toml")
    for entry in entries:
        if entry not in found:
            says(f"left out: {entry.label} does not play {variant}")
    return found


def _check_willing(league: League, entries: list[Entry], variant: str) -> None:
    for entry in entries:
        if not league.plays(entry, variant):
            raise UsageError(f"{entry.label} does not play {variant}: its bot.toml claims other variants only")


def _hero(entrants: list[Entry], word: str) -> Entry:
    """Return the one who plays against all others: named, or the one that came last."""
    return next((entry for entry in entrants if word in (entry.name, entry.label)), entrants[-1])


def _named(league: League, words: tuple[str, ...]) -> list[Entry]:
    """Return the bots that the user names, each once; two of one name would be versions of one bot."""
    sources: dict[str, str] = {}
    for path in dict.fromkeys(word for word in words if Path(word).exists()):
        name = load_bot(path, league.sandbox).name
        other = sources.setdefault(name, path)
        if Path(other).resolve() != Path(path).resolve():
            raise UsageError(f"{other} and {path} are both called {name}: arena submit --name tells them apart")
    return list({entry.id: entry for entry in map(league.resolve, words)}.values())


def _wanted(league: League, options: dict[str, Any]) -> Wanted:
    if options["opening_plies"] is None:
        options["opening_plies"] = default_opening(options["variant"])
    if options["seed"] is None:
        options["seed"] = league.config.seed
    return Wanted(
        spec=spec_of(options),
        rounds=options["rounds"] or (100 if options["until_sure"] else 1),
        games=options["games"],
        is_full=options["is_full"],
        gauntlet=options["gauntlet"],
        jobs=check_jobs(options["jobs"], oversubscribes=options["oversubscribe"]),
        until_sure=options["until_sure"],
        top=options["top"] or league.config.top,
    )


def _confirm(plan: Plan, wanted: Wanted, options: dict[str, Any], says: Any) -> bool:
    """Say what is about to be played; return whether to play it."""
    if plan.fillers:
        names = ", ".join(entry.name for entry in plan.fillers)
        says(f"too few bots for a table: filled up with {names} (bundled, not ranked)")
    names = ", ".join(entry.label for entry in plan.entrants)
    if plan.tasks:
        time = f"about {duration(plan.seconds)}{' (a guess)' * plan.is_guess} with {wanted.jobs} at a time"
        says(f"{plan.division}: {len(plan.tasks)} of {plan.matches} matches to play, {time}: {names}")
    else:
        says(f"{plan.division}: nothing to play, of {plan.matches} matches that are scheduled: {names}")
    if options["dry_run"]:
        says(_tell_spread(plan))
    return not options["dry_run"]


def _tell_spread(plan: Plan) -> str:
    spread = plan.spread
    bots, pairs = spread.blocks_per_bot, spread.blocks_per_pair
    return (
        f"{spread.blocks} blocks, {spread.matches} matches in all: {_range(*bots)} blocks a bot, {_range(*pairs)} a"
        f" pair; seats differ by {spread.seats}"
    )


def _range(least: int, most: int) -> str:
    return str(least) if least == most else f"{least} to {most}"


def _write_site(folder: Path, says: Any) -> None:
    from arena.report import write_site  # jinja2 and all that is only needed now

    write_site(folder, folder / "site")
    says(f"site: {folder / 'site' / 'index.html'}")


# ---- looking at it


def _division(league: League, variant: str | None) -> Division:
    """Return the division to show: the one played last, or the newest of a variant."""
    found = [each for each in league.store.played_divisions() if variant in (None, each.variant)]
    if not found:
        raise UsageError(f"no {variant or ''} matches in {league.folder} yet".replace("  ", " "))
    return found[-1]


@click.command("standings")
@league_option
@click.option("--variant", help="Which one, if there are several; usually the newest. ALL shows all.")
@click.option(
    "--by", type=click.Choice(["seat", "opponent"]), help="Results by seat, or against each opponent, as CSV."
)
@click.option("--json", "style", flag_value="json", help="Print JSON.")
@click.option("--csv", "style", flag_value="csv", help="Print CSV.")
def show_standings(folder: Path, variant: str | None, by: str | None, style: str | None) -> None:
    """Show the table of a league."""
    with read_league(folder) as league:
        console = new_console()
        divisions = league.store.played_divisions() if variant == "ALL" else [_division(league, variant)]
        if by:
            _show_by(league, divisions, by, as_json=style == "json")
            return
        found = (standings(league.store, division, league.config) for division in divisions)
        if style == "csv":
            click.echo(to_csv([row for each in found for row in as_rows(each)]), nl=False)
            return
        for each in found:
            _show(each, console, as_json=style == "json")


def _show(found: Standings, console: Console, *, as_json: bool) -> None:
    if as_json:
        shown = {"event": "standings", **msgspec.to_builtins(found), "division": found.division.as_object()}
        sys.stdout.buffer.write(msgspec.json.encode(shown) + b"\n")
    else:
        console.print(draw_standings(found, console.width))
        console.print(tell_sureness(found), markup=False, style="dim")


def _show_by(league: League, divisions: list[Division], by: str, *, as_json: bool) -> None:
    names = {entry.id: entry.label for entry in league.store.bots()}
    lines: list[dict[str, Any]] = []
    for division in divisions:
        totals = figures_of(league.store, division, league.config, keeps=False).totals
        rows = by_seat_rows(totals, names) if by == "seat" else by_opponent_rows(totals, names)
        lines += [{"division": str(division), **row} for row in rows]
        if as_json:
            shown = {"division": division.as_object(), "rows": rows}
            sys.stdout.buffer.write(msgspec.json.encode(shown) + b"\n")
    if not as_json:
        click.echo(to_csv(lines), nl=False)


@click.command("bots")
@league_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_bots(folder: Path, as_json: bool) -> None:
    """List the bots of a league, all versions."""
    with read_league(folder) as league:
        for entry in league.store.bots():
            if as_json:
                click.echo(msgspec.json.encode(entry._asdict()).decode())
            else:
                click.echo(f"{entry.label:30} {entry.status:11} {entry.language:12} {entry.author}")


# ---- changing it


@click.command()
@click.argument("path", metavar="PATH")
@league_option
@click.option("--name", help="Under which it plays; usually its own.")
@click.option("--variant", type=click.Choice(list(VARIANTS)), help="What it is tried in; usually what is played there.")
@click.option("--no-check", is_flag=True, help="Do not try it first.")
@click.option("--sandbox", type=click.Choice(CHOICES), default="auto", show_default=True, help="What confines it.")
def submit(path: str, folder: Path, name: str | None, variant: str | None, no_check: bool, sandbox: str) -> None:
    """Enter a bot: copied, built without network, tried, and registered by name and version."""
    check_apart(find_bot(path), folder)
    if name is not None:
        checked_name(name)
    if not no_check:
        usual = Checkup(preferred=_usual_variant(folder)) if variant is None else Checkup(variants=(variant,))
        _try(path, msgspec.structs.replace(usual, limits=ResourceLimits(sandbox=sandbox), quick=True))
    with open_league(folder) as league:
        league.sandbox = sandbox
        before = {entry.id: entry.status for entry in league.store.bots()}
        entry = league.enter(path, name)
        was = before.get(entry.id)
        said = "is entered" if was in (None, "trial") else "was there already" if was == "entered" else "plays again"
        click.echo(f"{entry.label} {said} in {folder} ({entry.language}, {entry.digest[:12]})")


def _usual_variant(folder: Path) -> str:
    if not (folder / FILE_NAME).exists():
        return "classic"
    with read_league(folder) as league:
        divisions = league.store.played_divisions()
        return divisions[-1].variant if divisions else "classic"


def _try(path: str, checkup: Checkup) -> None:
    """Play a game with a bot; one that fails is refused with the reason, and exit code 1."""
    report = check_source(path, checkup)
    if not report.passed:
        for step in report.steps:
            if step.ok is False:
                click.echo("\n".join(lines_of(step)), err=True)
        click.echo(f"{path} is refused, and nothing was entered; arena check {path} says more", err=True)
        raise SystemExit(1)


@click.command()
@click.argument("bot")
@league_option
@click.option("--reason", default="", help="Why.")
def withdraw(bot: str, folder: Path, reason: str) -> None:
    """Retire a bot: it plays no more, and its games stay."""
    with open_league(folder, makes=False) as league:
        entry = league.find(bot)
        league.store.withdraw(entry, reason)
        click.echo(f"{entry.label} is withdrawn; its games stay")


@click.command()
@click.argument("what", metavar="MATCH|BOT")
@league_option
@click.option("--reason", required=True, help="Why; shown in the tables.")
def annul(what: str, folder: Path, reason: str) -> None:
    """Take a match, or all matches of a bot, out of the tables; nothing is deleted. Such a bot plays no more."""
    if not reason.strip():
        raise UsageError("expected a reason, got an empty one: it is shown in the tables")
    with open_league(folder, makes=False) as league:
        if any(what in (entry.name, entry.label) for entry in league.store.bots()):
            entry = league.find(what)
            league.store.annul(bot=entry, reason=reason)
            league.store.withdraw(entry, reason)
            click.echo(f"all matches of {entry.label} are annulled, and it plays no more: {reason}")
        else:
            match = league.store.record(what).id
            league.store.annul(match=match, reason=reason)
            click.echo(f"match {match} is annulled: {reason}")
        keep_all_figures(league.store, league.config)


@click.command()
@click.argument("old")
@click.argument("new")
@league_option
@game_options
@click.option("--field", multiple=True, metavar="BOT", help="An opponent; usually all other bots of the league.")
@click.option("--pairs", type=click.IntRange(1), default=200, show_default=True, help="Pairs of blocks at most.")
@click.option(
    "--error",
    type=click.FloatRange(0.0001, 0.5),
    default=0.05,
    show_default=True,
    help="The chance of a wrong verdict.",
)
@_draw_options
@clock_options("200ms", "0.2 s")
@box_options
@_core_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line for all that happens.")
def compare(old: str, new: str, folder: Path, **options: Any) -> None:
    """Find out whether NEW is better than OLD, against the same field on the same seeds.

    It stops as soon as that is sure; at any moment the chance of a wrong verdict is at most --error.
    """
    with open_league(folder) as league:
        league.sandbox = options["sandbox"]
        console = new_console()
        options |= {"rounds": None, "games": None, "is_full": False, "gauntlet": None, "until_sure": None, "top": None}
        wanted = _wanted(league, options)
        contest = _contest(league, old, new, options["field"], wanted.spec)
        says = _sayer(console, as_json=options["as_json"])
        _announce(contest, league.store.division_of(wanted.spec), says)
        tell = partial(_tell_comparison, contest, says, as_json=options["as_json"])
        watcher = watcher_for(console, league.config.draw_probability, as_json=options["as_json"])
        try:
            found = compare_versions(
                league, contest, wanted, watcher, tell, pairs=options["pairs"], error=options["error"]
            )
        finally:
            watcher.close()
        tell(found)


def _contest(league: League, old: str, new: str, words: tuple[str, ...], spec: MatchSpec) -> Contest:
    """Return who is compared, against whom; nobody is entered in the league for it."""
    first, second = (league.resolve(word, is_trial=True) for word in (old, new))
    if first.id == second.id:
        raise UsageError(f"{old} and {new} are the same bot: {first.label}")
    field = _field(league, words, first, second, spec)
    _check_willing(league, [first, second, *field], spec.variant)
    missing = len(spec.new_game().variant.seats) - 1 - len(field)
    fillers = league.fill(missing, [first, second, *field], is_trial=True) if missing > 0 else []
    return Contest(first, second, tuple(field), tuple(fillers))


def _field(league: League, words: tuple[str, ...], old: Entry, new: Entry, spec: MatchSpec) -> list[Entry]:
    """Return the opponents: those that the user names, or all other bots of the league that play the variant."""
    if not words:
        usual = (entry for entry in league.entrants() if league.plays(entry, spec.variant))
        return [entry for entry in usual if entry.id != old.id and entry.name != new.name]
    found = {entry.id: entry for entry in (league.resolve(word, is_trial=True) for word in words)}
    for entry in (old, new):
        if entry.id in found:
            raise UsageError(f"{entry.label} is compared itself: expected other bots as its --field")
    return list(found.values())


def _announce(contest: Contest, division: Division, says: Any) -> None:
    names = ", ".join(entry.label for entry in contest.opponents)
    says(f"{division}: {contest.new.label} against {contest.old.label}, in games with {names}")
    if contest.fillers:
        fillers = ", ".join(entry.name for entry in contest.fillers)
        says(f"too few bots for a table: filled up with {fillers} (bundled)")


def _tell_comparison(contest: Contest, says: Any, found: Comparison, *, as_json: bool) -> None:
    if as_json:
        lists = {name: [entry.label for entry in getattr(contest, name)] for name in ("field", "fillers")}
        bots = {"old": contest.old.label, "new": contest.new.label, **lists}
        click.echo(msgspec.json.encode({"event": "comparison", **bots, **msgspec.to_builtins(found)}).decode())
    elif found.blocks or found.repeats:
        says(f"{contest.new.label} against {contest.old.label}: {_verdict(found)}")


def _verdict(found: Comparison) -> str:
    value, low, high = found.difference
    left = f", about {found.blocks_left} more pairs needed" if found.blocks_left else ""
    again = f"; {found.repeats} more were the same games again, move by move, and do not count" if found.repeats else ""
    end = "; nothing else comes any more: --opening-plies makes games differ" if found.is_exhausted else ""
    return (
        f"{found.verdict} after {found.blocks} pair{'s' * (found.blocks != 1)} of blocks: of a hundred opponents it"
        f" beats {100 * value:+.1f} more ({100 * low:+.1f} to {100 * high:+.1f}){left}{again}{end}"
    )


@click.command("export")
@click.argument("target", type=click.Path(path_type=Path), metavar="OUT")
@league_option
def export(target: Path, folder: Path) -> None:
    """Write all matches: OUT.jsonl (records), OUT.csv, OUT.parquet (a row a seat), or a folder of blksgf files."""
    with read_league(folder) as league:
        found = export_matches(league, target)
        left_out = f"; {found.annulled} annulled one{'s' * (found.annulled != 1)} left out" if found.annulled else ""
        click.echo(f"{found.written} match{'es' * (found.written != 1)} written to {target}{left_out}")


@click.command("import")
@click.argument("source", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE.jsonl")
@league_option
def import_(source: Path, folder: Path) -> None:
    """Take in the matches of another league, each judged anew; those that are there already are left alone."""
    if not source.is_file():
        raise UsageError(f"cannot read {source}: expected a file with a record a line")
    with open_league(folder) as league:
        count = import_records(league, source)
        click.echo(f"taken in: {count.added}; there already: {count.known}")


def verify_league(folder: Path) -> bool:
    """Check a whole league and say what is wrong; return whether it stands."""
    with read_league(folder) as league, league.store.snapshot():
        problems = 0
        for problem in audit(league):
            click.echo(problem, err=True)
            problems += 1
        if not problems:
            click.echo(f"{folder}: {league.store.count_matches()} matches stand, and so do all ratings")
        return not problems


COMMANDS = (tournament, show_standings, compare, submit, list_bots, withdraw, annul, export, import_)

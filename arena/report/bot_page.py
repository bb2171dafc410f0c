"""What a bot's page shows: results by opponent and seat, best and worst games, faults with their evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from arena.report.facts import Extreme, Facts
from arena.report.match_page import evidence
from arena.report.pages import BotView, DivisionView, SiteView, shown_rows
from arena.standings import Line, Standings
from engine import VARIANTS


def context(
    site: SiteView, bot: BotView, played: Sequence[tuple[DivisionView, Standings, Facts]], kept: set[str]
) -> dict[str, Any]:
    """Return all that the template of a bot wants."""
    parts = [
        _part(site, bot, view, table, line, facts, kept)
        for view, table, facts in played
        for line in table.lines
        if line.bot == bot.id
    ]
    colors = [color for view, _, _ in played for color in view.colors]
    return {
        "root": "../",
        "here": "",
        "bot": bot,
        "parts_of": parts,
        "others": [other for other in site.bots.values() if other.name == bot.name and other.id != bot.id],
        "colors": list(dict.fromkeys(colors)),
    }


def _part(
    site: SiteView, bot: BotView, view: DivisionView, table: Standings, line: Line, facts: Facts, kept: set[str]
) -> dict[str, Any]:
    return {
        "division": view,
        "line": line,
        "is_solo": line.left is not None,
        "opponents": list(_opponents(site, bot, table, facts)),
        "seats": list(_seats(bot, table, facts)),
        "best": shown_rows(_in_order(facts.best.get(bot.id, [])), site, kept),
        "worst": shown_rows(_in_order(facts.worst.get(bot.id, [])), site, kept),
        "faults": [evidence(shown.record, shown.fault, bot) for shown in reversed(facts.faults.get(bot.id, []))],
    }


def _in_order(heap: list[Extreme]) -> list[Any]:
    return [found.row for found in sorted(heap, reverse=True)]


def _opponents(site: SiteView, bot: BotView, table: Standings, facts: Facts) -> Iterator[dict[str, Any]]:
    met = facts.totals.by_opponent().to_dict("index")
    places = {line.bot: place for place, line in enumerate(table.lines)}
    for line in table.lines:
        found = met.get((bot.id, line.bot))
        if found is None:
            continue
        yield {
            "entry": site.bots[line.bot],
            "games": int(found["games"]),
            "above": int(found["above"]),
            "tied": int(found["tied"]),
            "share": found["share"],
            "expected": table.beats[places[bot.id]][places[line.bot]] if table.beats else None,
            "certain": table.above[places[bot.id]][places[line.bot]] if table.above else None,
        }


def _seats(bot: BotView, table: Standings, facts: Facts) -> Iterator[dict[str, Any]]:
    colors = VARIANTS[table.division.variant].seats
    if len(colors) == 1:
        return
    rows = facts.totals.by_seat().to_dict("index")
    for seat in range(len(colors)):
        found = rows.get((bot.id, seat))
        if found is not None:
            yield {"number": seat, "colors": colors[seat], **{str(name): value for name, value in found.items()}}

"""What a division's page shows: the table, who beats whom, seats, distributions, times, faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from markupsafe import Markup

from arena.report import plots
from arena.report.facts import Facts, bucket_us, quantile
from arena.report.pages import BotView, DivisionView, SiteView
from arena.report.wording import chance
from arena.standings import Interval, Line, Standings
from engine import VARIANTS

_MATRIX = 40  # bots in a crosstable: more would neither fit nor be read
_SPAN = 100  # the width of an interval in the table


def context(site: SiteView, view: DivisionView, table: Standings, facts: Facts, period: str) -> dict[str, Any]:
    """Return all that the template of a division wants."""
    return {
        "here": view.slug,
        "division": view,
        "table": _table(site, view, table, period),
        "crosstable": _crosstable(site, table, facts),
        "seats": _seats(table, facts),
        "faults": _faults(site, table, facts),
        "plots": _plots(site, table, facts),
    }


def is_solo(table: Standings) -> bool:
    """Tell whether everybody plays alone."""
    return len(VARIANTS[table.division.variant].seats) == 1


# ---- the table


def _table(site: SiteView, view: DivisionView, table: Standings, period: str) -> dict[str, Any]:
    intervals = [found for line in table.lines if (found := line.rating or line.left)]
    scale = _scale(intervals)
    lines = [_line(site, line, order, scale) for order, line in enumerate(table.lines, 1)]
    return {
        "lines": lines,
        "is_solo": is_solo(table),
        "has_unranked": any(line.rank is None for line in table.lines),
        "matches": table.matches,
        "annulled": table.annulled,
        "planned": table.planned,
        "is_running": table.matches + table.repeats + table.annulled < table.planned,
        "period": period,
        "oddities": list(_oddities(table)),
        "sureness": _sureness(site, table),
        "csv": f"data/{view.slug}-standings.csv",
    }


def _line(site: SiteView, line: Line, order: int, scale: Callable[[float], float]) -> dict[str, Any]:
    interval = line.rating or line.left
    width = interval.high - interval.low if interval and interval.low is not None and interval.high is not None else 0
    is_span = line.rank_low is not None and line.rank_low != line.rank_high
    return {
        "entry": site.bots[line.bot],
        "order": order,
        "rank_span": f"{line.rank_low}–{line.rank_high}" if is_span else "",
        "span": _span(interval, scale) if interval else "",
        "width": round(width, 3),
        **{name: getattr(line, name) for name in Line.__struct_fields__},
    }


def _oddities(table: Standings) -> Iterator[str]:
    if table.repeats:
        yield f"{table.repeats} repeated game{'s' * (table.repeats != 1)} not counted twice"
    if table.annulled:
        yield f"{table.annulled} annulled"
    if table.suspects:
        yield f"{table.suspects} with a fault that a busy machine may have caused"


def _scale(intervals: Sequence[Interval]) -> Callable[[float], float]:
    ends = [end for each in intervals for end in (each.value, each.low, each.high) if end is not None]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    wide = (high - low) or 1.0
    return lambda value: round(5 + (value - low) / wide * (_SPAN - 10), 1)


def _span(interval: Interval, scale: Callable[[float], float]) -> Markup:
    """Draw an interval on the scale of the whole table; made of nothing but numbers."""
    line = ""
    if interval.low is not None and interval.high is not None:
        line = f'<line x1="{scale(interval.low)}" x2="{scale(interval.high)}" y1="8" y2="8"/>'
    dot = f'<circle cx="{scale(interval.value)}" cy="8" r="3.5"/>'
    axis = f'<line class="axis" x1="0" x2="{_SPAN}" y1="8" y2="8"/>'
    return Markup(f'<svg class="span" viewBox="0 0 {_SPAN} 16" aria-hidden="true">{axis}{line}{dot}</svg>')  # noqa: S704


def _sureness(site: SiteView, table: Standings) -> list[str | BotView]:
    """Say in a sentence or two how sure the order is."""
    ranked = [place for place, line in enumerate(table.lines) if line.rank is not None]
    if is_solo(table):
        return _solo_sureness(site, table)
    if len(ranked) < 2:
        return ["One bot is ranked so far: there is no order to be sure of." if ranked else "Nobody is ranked yet."]
    first, second = (table.lines[place] for place in ranked[:2])
    leader, next_one = site.bots[first.bot], site.bots[second.bot]
    certainty = table.above[ranked[0]][ranked[1]]
    if table.blocks < 2 or first.rank_high is None or certainty != certainty:
        return [leader, " leads, but there are too few matches to say how surely."]
    settled = sum(table.lines[place].rank_low == table.lines[place].rank_high for place in ranked)
    rest = f" {_settled(settled, len(ranked))}" if len(ranked) > 2 else ""
    if first.rank_high == 1:
        return [leader, f" is first, with 95 % certainty.{rest}"]
    open_lead = f" leads, but it is not settled: its true rank is 1 to {first.rank_high} with 95 % certainty."
    return [leader, f"{open_lead} That it is stronger than ", next_one, f", the next, is {_sure(certainty)}.{rest}"]


def _sure(certainty: float) -> str:
    return "more than 99 % certain" if certainty > 0.995 else f"{certainty * 100:.0f} % certain"


def _settled(settled: int, bots: int) -> str:
    if settled == bots:
        return "So are all the ranks below."
    return f"{settled or 'None'} of the {bots} ranks {'is' if settled <= 1 else 'are'} settled so far."


def _solo_sureness(site: SiteView, table: Standings) -> list[str | BotView]:
    if len(table.lines) < 2:
        return ["One bot has played so far." if table.lines else "Nobody is ranked yet."]
    first, second = table.lines[:2]
    assert first.left is not None
    assert second.left is not None
    names = [site.bots[line.bot] for line in (first, second)]
    if first.left.high is None or second.left.low is None:
        return [names[0], " leads, but there are too few games to say how surely."]
    if first.left.high < second.left.low:
        return [
            names[0],
            " leaves the fewest squares over, with 95 % certainty.",
        ]
    return [names[0], " leaves the fewest squares over so far, but its interval overlaps that of ", names[1], "."]


# ---- who beats whom


def _crosstable(site: SiteView, table: Standings, facts: Facts) -> dict[str, Any]:
    lines = table.lines[:_MATRIX]
    bots = [site.bots[line.bot] for line in lines]
    if is_solo(table) or len(bots) < 2:
        return {"rows": []}
    met = facts.totals.by_opponent().to_dict("index")

    def row(entry: BotView) -> list[dict[str, Any] | None]:
        cells = []
        for other in bots:
            found = met.get((entry.id, other.id))
            cells.append(
                None if found is None else {**_heat(found["share"]), "id": other.id, "games": int(found["games"])}
            )
        return cells

    return {
        "columns": bots,
        "left_out": len(table.lines) - len(lines),
        "rows": [{"entry": entry, "cells": row(entry)} for entry in bots],
        "expected": list(_matrix(bots, table.beats)),
        "certain": list(_matrix(bots, table.above)),
    }


def _matrix(bots: Sequence[BotView], shares: Sequence[Sequence[float]]) -> Iterator[dict[str, Any]]:
    for i, entry in enumerate(bots):
        yield {"entry": entry, "cells": [None if i == j else _heat(shares[i][j]) for j in range(len(bots))]}


def _heat(share: float) -> dict[str, int | str]:
    heat = 5 if share != share else min(10, max(0, round(share * 10)))
    return {"heat": heat, "percent": chance(share)}


# ---- seats, faults


def _seats(table: Standings, facts: Facts) -> list[dict[str, Any]]:
    if is_solo(table) or not table.seats or not facts.stored:
        return []
    rows = facts.totals.of_seats().to_dict("index")
    colors = VARIANTS[table.division.variant].seats
    return [
        {
            "number": seat + 1,
            "colors": colors[seat],
            "worth": table.seats[seat],
            "wins": row["wins"] / row["games"],
            "shared": row["shared"] / row["games"],
            "score": row["score"],
            "place": row["place"],
        }
        for seat in range(len(colors))
        if (row := rows.get(seat))
    ]


def _faults(site: SiteView, table: Standings, facts: Facts) -> dict[str, Any]:
    if not any(line.faults for line in table.lines):
        return {"kinds": [], "rows": []}
    counts = facts.totals.fault_kinds()
    kinds = [str(kind) for kind in counts.columns]
    found = counts.to_dict("index")
    rows = [
        {"entry": site.bots[line.bot], "counts": [int(found[line.bot][kind]) for kind in kinds]}
        for line in table.lines
        if line.bot in found
    ]
    return {"kinds": kinds, "rows": rows}


# ---- plots


def _plots(site: SiteView, table: Standings, facts: Facts) -> dict[str, Any]:
    lines = table.lines[:_MATRIX]
    labels = {line.bot: _told_apart(site.bots[line.bot], site) for line in table.lines}
    names = [labels[line.bot] for line in lines]
    rated = [(labels[line.bot], found) for line in lines if (found := line.rating or line.left)]
    rows = [{"name": name, **_ends(found)} for name, found in rated]
    title = "squares left" if is_solo(table) else "rating"
    return {
        "ratings": plots.intervals(rows, title) if rows else "",
        "history": _history_plot(table, labels, names),
        "seats": _seat_plot(table),
        "scores": _score_plot(labels, facts, lines),
        "times": _time_plot(labels, facts, lines),
        "faults": _fault_plot(site, table, facts),
    }


def _ends(found: Interval) -> dict[str, float]:
    """Return a value with ends: its own where they are not known."""
    low = found.value if found.low is None else found.low
    return {"value": found.value, "low": low, "high": found.value if found.high is None else found.high}


def _told_apart(bot: BotView, site: SiteView) -> str:
    """Return a bot's name, with its version where the name alone is not enough."""
    same = [other for other in site.bots.values() if other.name == bot.name]
    return bot.label if len(same) > 1 else bot.name


def _history_plot(table: Standings, labels: dict[int, str], names: Sequence[str]) -> Markup | str:
    if len(table.history) < 2:
        return ""
    rows = [
        {"name": labels[bot], "x": moment.matches, "y": round(mu, 2)}
        for moment in table.history
        for bot, mu in moment.mu.items()
        if bot in labels
    ]
    return plots.lines(rows, names, "matches", "TrueSkill μ")


def _seat_plot(table: Standings) -> Markup | str:
    if is_solo(table) or not table.seats:
        return ""
    colors = VARIANTS[table.division.variant].seats
    rows = [
        {"name": f"seat {seat}, {' and '.join(colors[seat - 1])}", **_ends(each)}
        for seat, each in enumerate(table.seats, 1)
    ]
    return plots.intervals(rows, "worth")


def _score_plot(labels: dict[int, str], facts: Facts, lines: Sequence[Line]) -> Markup | str:
    shares = {"p5": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95}
    rows = [
        {"name": labels[line.bot], **{name: quantile(facts.scores[line.bot], share) for name, share in shares.items()}}
        for line in lines
        if line.bot in facts.scores
    ]
    return plots.boxes(rows, "points") if rows else ""


def _time_plot(labels: dict[int, str], facts: Facts, lines: Sequence[Line]) -> Markup | str:
    shown = {line.bot for line in lines}
    rows = [
        {"name": labels[bot], "x": move, "y": max(bucket_us(quantile(counts, 0.5)), 1) / 1000}
        for (bot, move), counts in sorted(facts.times.items())
        if bot in shown
    ]
    names = [labels[line.bot] for line in lines]
    return plots.lines(rows, names, "number of the move", "median time", is_log=True) if rows else ""


def _fault_plot(site: SiteView, table: Standings, facts: Facts) -> Markup | str:
    found = _faults(site, table, facts)
    rows = [
        {"name": _told_apart(row["entry"], site), "kind": kind, "count": count, "nth": nth}
        for row in found["rows"][:_MATRIX]
        for nth, (kind, count) in enumerate(zip(found["kinds"], row["counts"], strict=True))
        if count
    ]
    return plots.stacks(rows, found["kinds"], "faults") if rows else ""

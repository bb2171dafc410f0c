"""What a division's page shows: the table, who beats whom, seats, distributions, times, faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from markupsafe import Markup

from arena.report import plots
from arena.report.facts import Facts, bucket_us, quantile
from arena.report.pages import BotView, DivisionView, SiteView
from arena.report.wording import THIN, chance, how_often
from arena.standings import Interval, Line, Standings
from arena.sureness import tell_order
from arena.tables import rows_of
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
        "is_even": _is_even(table, facts),
        "has_intervals": _has_intervals(table),
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
    """Say how sure the order is, with the bots' names to be shown as such; a line never ends before a %."""
    pieces = tell_order(table)
    return [piece.replace(" %", f"{THIN}%") if isinstance(piece, str) else site.bots[piece.bot] for piece in pieces]


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
                None
                if found is None
                else {**_heat(found["share"], how_often), "id": other.id, "games": int(found["games"])}
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
        yield {"entry": entry, "cells": [None if i == j else _heat(shares[i][j], chance) for j in range(len(bots))]}


def _heat(share: float, told: Callable[[float], str]) -> dict[str, int | str]:
    heat = 5 if share != share else min(10, max(0, round(share * 10)))
    return {"heat": heat, "percent": told(share)}


# ---- seats, faults


def _seats(table: Standings, facts: Facts) -> list[dict[str, Any]]:
    if is_solo(table) or not table.seats or not facts.stored:
        return []
    rows = facts.totals.of_seats().to_dict("index")
    colors = VARIANTS[table.division.variant].seats
    return [
        {
            "number": seat,  # from 0 on, as in the protocol
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


def _is_even(table: Standings, facts: Facts) -> bool:
    """Tell whether every bot sat in every seat equally often, in the matches that count."""
    counts: dict[int, list[int]] = {}
    for row in rows_of(facts.totals.by_seat()):
        counts.setdefault(row["bot"], []).append(row["games"])
    seats = len(VARIANTS[table.division.variant].seats)
    return all(len(games) == seats and len(set(games)) == 1 for games in counts.values())


def _has_intervals(table: Standings) -> bool:
    """Tell whether there are matches enough for intervals."""
    return any(found.low is not None for line in table.lines if (found := line.rating or line.left))


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
    labels = {line.bot: site.bots[line.bot].shown for line in table.lines}
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
        {"name": f"seat {seat}, {' and '.join(colors[seat])}", **_ends(each)} for seat, each in enumerate(table.seats)
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
        {"name": row["entry"].shown, "kind": kind, "count": count, "nth": nth}
        for row in found["rows"][:_MATRIX]
        for nth, (kind, count) in enumerate(zip(found["kinds"], row["counts"], strict=True))
        if count
    ]
    return plots.stacks(rows, found["kinds"], "faults") if rows else ""

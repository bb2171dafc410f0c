"""Standings for the eye and for other programs: a table, rows for CSV, a sentence about how sure it is."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from arena.standings import Interval, Line, Standings
from arena.tables import Totals, rows_of


def draw_standings(found: Standings) -> RenderableType:
    """Return the table, and a line for everything a reader should know about it."""
    table = Table(title=str(found.division), title_justify="left", box=None, header_style="dim", pad_edge=False)
    is_solo = bool(found.lines) and found.lines[0].left is not None
    measure = ["left over (95 %)", "solved"] if is_solo else ["rating (95 %)", "TrueSkill", "μ − 3σ"]
    results = [] if is_solo else ["wins", "score", "place"]
    for title in ("", "bot", *measure, "games", *results, "faults", "ms a move"):
        table.add_column(title, justify="left" if title == "bot" else "right", no_wrap=True)
    for line in found.lines:
        style = "" if line.rank else "dim"
        table.add_row(*_cells(line, is_solo=is_solo), style=style)
    return Group(table, *(Text(note, style="dim") for note in _notes(found)))


def _cells(line: Line, *, is_solo: bool) -> list[Text | str]:
    rank = "" if line.rank is None else _rank(line)
    if is_solo:
        assert line.left
        measure = [_shown(line.left, 1), str(line.solved)]
    else:
        assert line.rating
        measure = [_shown(line.rating, 1), f"{line.mu:.1f} ± {line.sigma:.1f}", f"{line.cautious:.1f}"]
    wins = f"{line.wins}" + (f" + {line.shared} shared" if line.shared else "")
    results = [] if is_solo else [wins, f"{line.score:.1f}", f"{line.place:.2f}"]
    time = "" if line.move_ms is None else f"{line.move_ms:.0f}" if line.move_ms >= 10 else f"{line.move_ms:.1f}"
    name = Text(line.name)
    name.append(f" {line.version}", "dim")
    if line.status != "entered":
        name.append(f" ({line.status})", "dim")
    faults = Text(str(line.faults) if line.faults else "", "yellow")
    return [rank, name, *measure, str(line.games), *results, faults, time]


def _rank(line: Line) -> str:
    if line.rank_low in (None, line.rank_high):
        return str(line.rank)
    return f"{line.rank} ({line.rank_low}–{line.rank_high})"


def _shown(interval: Interval, digits: int) -> str:
    if interval.low is None or interval.high is None:
        return f"{interval.value:.{digits}f} (?)"
    return f"{interval.value:.{digits}f} ({interval.low:.{digits}f} to {interval.high:.{digits}f})"


def _notes(found: Standings) -> list[str]:
    notes = [f"{found.matches} matches in {found.blocks} blocks"]
    if found.planned > found.matches + found.repeats + found.annulled:
        notes[0] += f" of {found.planned} planned"
    if found.seats:
        worth = ", ".join(f"seat {number} {_shown_change(seat)}" for number, seat in enumerate(found.seats))
        notes.append(f"what a seat is worth, taken out of the ratings: {worth}")
    for count, text in (
        (found.repeats, "had been played before, move by move: counted once"),
        (found.annulled, "annulled: not counted"),
        (found.suspects, "with a fault that the machine may have caused"),
        (found.strained, "at the limit of what TrueSkill can compute"),
    ):
        if count:
            notes.append(f"{count} match{'es' * (count != 1)} {text}")
    return notes


def _shown_change(interval: Interval) -> str:
    if interval.low is None or interval.high is None:
        return f"{interval.value:+.1f}"
    return f"{interval.value:+.1f} ({interval.low:+.1f} to {interval.high:+.1f})"


def tell_sureness(found: Standings) -> str:
    """Return one line that says how sure the order is."""
    ranked = [at for at, line in enumerate(found.lines) if line.rank is not None]
    if not found.above or len(ranked) < 2:
        return ""
    pairs = list(pairwise(ranked))
    sure = [pair for pair in pairs if found.above[pair[0]][pair[1]] >= 0.95]
    if len(sure) == len(pairs):
        return "The whole order is sure: each bot is above the next one with 95 % certainty or more."
    first, second = min(pairs, key=lambda pair: found.above[pair[0]][pair[1]])
    return (
        f"{len(sure)} of {len(pairs)} neighbours are in a sure order (95 %); least sure: {found.lines[first].name}"
        f" above {found.lines[second].name}, {100 * found.above[first][second]:.0f} %."
    )


# ---- for other programs


def as_rows(found: Standings) -> list[dict[str, Any]]:
    """Return a flat row a bot."""
    rows = []
    for line in found.lines:
        row: dict[str, Any] = {}
        for name in Line.__struct_fields__:
            value = getattr(line, name)
            if isinstance(value, Interval) or name in ("rating", "clean_rating", "left"):
                ends = (None, None, None) if value is None else (value.value, value.low, value.high)
                row |= dict(zip((name, f"{name}_low", f"{name}_high"), ends, strict=True))
            else:
                row[name] = value
        rows.append({"division": str(found.division), **row})
    return rows


def by_seat_rows(totals: Totals, names: Mapping[int, str]) -> list[dict[str, Any]]:
    """Return a row for each bot in each seat, and for each seat with all bots together."""
    rows = [
        {"bot": names[row["bot"]], **{key: value for key, value in row.items() if key != "bot"}}
        for row in rows_of(totals.by_seat())
    ]
    return rows + [{"bot": "(all)", **row} for row in rows_of(totals.of_seats())]


def by_opponent_rows(totals: Totals, names: Mapping[int, str]) -> list[dict[str, Any]]:
    """Return a row for each pair of bots that met."""
    return [
        {**row, "bot": names[row["bot"]], "opponent": names[row["opponent"]]} for row in rows_of(totals.by_opponent())
    ]

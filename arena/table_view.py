"""Standings for the eye and for other programs: a table, rows for CSV, a sentence about how sure it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from arena.standings import Interval, Line, Standings
from arena.sureness import tell_order
from arena.tables import Totals, rows_of

_WIDE = 105  # columns of a terminal that has room for everything
_GAP = 2
_NAME = 20  # columns of a name that are shown whatever else has to go
# what is left out, in this order, until the rest has room: a number is whole, or not there
_LESS = ("place", "score", "ms", "ties", "games", "wins", "TrueSkill", "95 %", "faults", "μ − 3σ", "solved")


def draw_standings(found: Standings, width: int = _WIDE) -> RenderableType:
    """Return the table, as much of it as has room, and a line for everything a reader should know about it."""
    title = str(found.division)
    padding = (0, _GAP, 0, 0)
    table = Table(title=title, title_justify="left", box=None, header_style="dim", pad_edge=False, padding=padding)
    is_solo = bool(found.lines) and found.lines[0].left is not None
    lines = [_solo_cells(line) if is_solo else _cells(line) for line in found.lines]
    titles = _titles(lines, width)
    for name in titles:  # a name that is too long is cut in its own way
        is_name = name == "bot"
        table.add_column(name.strip(), justify="left" if is_name else "right", no_wrap=not is_name)
    for line, cells in zip(found.lines, lines, strict=True):
        table.add_row(*(cells[name] for name in titles), style="" if line.rank else "dim")
    return Group(table, *(Text(note, style="dim") for note in _notes(found)))


def _titles(lines: list[dict[str, Text | str]], width: int) -> list[str]:
    """Return the columns that have room."""
    if not lines:
        return []
    widths = {
        title: max(cell_len(str(text)) for text in (title, *(line[title] for line in lines))) for title in lines[0]
    }
    widths["bot"] = min(widths["bot"], _NAME)
    for title in _LESS:
        if sum(widths.values()) + _GAP * len(widths) <= width:
            break
        widths.pop(title, None)
    return list(widths)


def _cells(line: Line) -> dict[str, Text | str]:
    assert line.rating
    return {
        " ": "" if line.rank is None else _rank(line),
        "bot": _name(line),
        "rating": f"{line.rating.value:.1f}",
        "95 %": _ends(line.rating),
        "TrueSkill": f"{line.mu:.1f} ± {line.sigma:.1f}",
        "μ − 3σ": f"{line.cautious:.1f}",
        "games": str(line.games),
        "wins": str(line.wins),
        "ties": str(line.shared) if line.shared else "",
        "score": f"{line.score:.1f}",
        "place": f"{line.place:.2f}",
        "faults": Text(str(line.faults) if line.faults else "", "yellow"),
        "ms": _time(line),
    }


def _solo_cells(line: Line) -> dict[str, Text | str]:
    assert line.left
    return {
        " ": "" if line.rank is None else _rank(line),
        "bot": _name(line),
        "left over": f"{line.left.value:.1f}",
        "95 %": _ends(line.left),
        "solved": str(line.solved),
        "games": str(line.games),
        "faults": Text(str(line.faults) if line.faults else "", "yellow"),
        "ms": _time(line),
    }


def _name(line: Line) -> Text:
    name = Text(line.name, overflow="ellipsis", no_wrap=True)
    name.append(f" {line.version}", "dim")
    if line.status != "entered":
        name.append(f" ({line.status})", "dim")
    return name


def _ends(interval: Interval) -> str:
    return "?" if interval.low is None or interval.high is None else f"{interval.low:.1f} to {interval.high:.1f}"


def _time(line: Line) -> str:
    return "" if line.move_ms is None else f"{line.move_ms:.0f}" if line.move_ms >= 10 else f"{line.move_ms:.1f}"


def _rank(line: Line) -> str:
    if line.rank_low in (None, line.rank_high):
        return str(line.rank)
    return f"{line.rank} ({line.rank_low}–{line.rank_high})"


def _notes(found: Standings) -> list[str]:
    notes = [f"{found.matches} match{'es' * (found.matches != 1)} in {found.blocks} block{'s' * (found.blocks != 1)}"]
    if found.planned > found.matches + found.repeats + found.annulled:
        notes[0] += f" of {found.planned} planned"
    if found.seats:
        worth = ", ".join(f"seat {number} {_shown_change(seat)}" for number, seat in enumerate(found.seats))
        notes.append(f"what a seat is worth, taken out of the ratings: {worth}")
    for count, text in (
        (found.repeats, "had been played before, move by move: counted once"),
        (found.annulled, f"annulled, not counted: {'; '.join(found.annulled_why)}"),
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
    """Return a sentence or two that say how sure the order is."""
    return "".join(piece if isinstance(piece, str) else _told_apart(piece, found) for piece in tell_order(found))


def _told_apart(line: Line, found: Standings) -> str:
    """Return a bot's name, with its version where the name alone is not enough."""
    is_alone = sum(other.name == line.name for other in found.lines) == 1
    return line.name if is_alone else f"{line.name} {line.version}"


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

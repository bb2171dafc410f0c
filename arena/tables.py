"""Tables about bots, with pandas: running totals by bot, seat and opponent; exports. The only module that knows pandas.

How it works: matches are taken in by the chunk and added to totals, so that what is kept does not grow with the league,
and can be put away (`save`) and taken up again (`restore`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from arena.errors import UsageError
from arena.store import Summary

_CHUNK = 4096
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_SUMS = ["games", "wins", "shared", "points", "places", "faults", "moves", "used_us"]
_MET = ["games", "above", "tied"]


class Totals:
    """What any number of matches add up to."""

    def __init__(self) -> None:
        self._by_seat = _empty(["bot", "seat"], _SUMS)
        self._by_opponent = _empty(["bot", "opponent"], _MET)
        self._kinds = _empty(["bot", "kind"], ["faults"])

    def feed(self, summaries: Iterable[Summary]) -> None:
        """Take in matches."""
        source = iter(summaries)
        while chunk := list(islice(source, _CHUNK)):
            self._by_seat = self._by_seat.add(_seat_sums(chunk), fill_value=0).astype("int64")
            self._by_opponent = self._by_opponent.add(_meetings(chunk), fill_value=0).astype("int64")
            kinds = [(found.outcome.bots[seat], kind, 1) for found in chunk for seat, kind in found.faults]
            if kinds:
                added = pd.DataFrame(kinds, columns=["bot", "kind", "faults"]).groupby(["bot", "kind"]).sum()
                self._kinds = self._kinds.add(added, fill_value=0).astype("int64")

    def save(self) -> dict[str, Any]:
        """Return the totals as plain lists."""
        tables = {"by_seat": self._by_seat, "by_opponent": self._by_opponent, "kinds": self._kinds}
        return {name: table.reset_index().to_dict("list") for name, table in tables.items()}

    @classmethod
    def restore(cls, state: Mapping[str, Any]) -> Totals:
        """Return the totals that were saved."""
        totals = cls()
        totals._by_seat = pd.DataFrame(state["by_seat"]).set_index(["bot", "seat"]).astype("int64")
        totals._by_opponent = pd.DataFrame(state["by_opponent"]).set_index(["bot", "opponent"]).astype("int64")
        totals._kinds = pd.DataFrame(state["kinds"]).set_index(["bot", "kind"]).astype("int64")
        return totals

    def by_bot(self) -> pd.DataFrame:
        """Return a line a bot: games, wins, shared wins, mean points and place, faults, mean milliseconds a move."""
        return _means(self._by_seat.groupby("bot").sum())

    def line_of_bot(self) -> dict[int, dict[str, Any]]:
        """Return the lines of `by_bot` by the numbers of the bots."""
        found: dict[Any, dict[Any, Any]] = self.by_bot().to_dict("index")
        return found

    def by_seat(self) -> pd.DataFrame:
        """Return a line for each bot in each seat."""
        return _means(self._by_seat)

    def of_seats(self) -> pd.DataFrame:
        """Return a line a seat, all bots together."""
        return _means(self._by_seat.groupby("seat").sum())

    def by_opponent(self) -> pd.DataFrame:
        """Return a line for each pair: games, how often the bot ended above the other, tied with it, and its share."""
        table = self._by_opponent.copy()
        table["share"] = (table["above"] + table["tied"] / 2) / table["games"]
        return table

    def faults(self) -> int:
        """Return how many faults there were."""
        return int(self._by_seat["faults"].sum())

    def fault_kinds(self) -> pd.DataFrame:
        """Return how often each bot committed each kind of fault, a column a kind."""
        return self._kinds["faults"].unstack(fill_value=0)


def _empty(index: Sequence[str], columns: Sequence[str]) -> pd.DataFrame:
    return pd.DataFrame(columns=[*index, *columns], dtype="int64").set_index(list(index))


def _seat_sums(chunk: Sequence[Summary]) -> pd.DataFrame:
    seats = len(chunk[0].outcome.bots)
    ranks = np.array([found.outcome.ranks for found in chunk])
    faulty = np.zeros(ranks.shape, dtype=np.int64)
    for row, found in enumerate(chunk):
        for seat, _ in found.faults:
            faulty[row, seat] += 1
    firsts = ranks == 1
    teams = np.array([found.outcome.teams for found in chunk])
    winners = np.array([len(set(row[first])) for row, first in zip(teams, firsts, strict=True)])[:, None]
    columns = {
        "bot": np.array([found.outcome.bots for found in chunk]),
        "seat": np.broadcast_to(np.arange(seats), ranks.shape),
        "games": np.ones(ranks.shape, dtype=np.int64),
        "wins": firsts & (winners == 1),
        "shared": firsts & (winners > 1),
        "points": np.array([found.outcome.totals for found in chunk]),
        "places": ranks,
        "faults": faulty,
        "moves": np.array([found.moves for found in chunk]),
        "used_us": np.array([found.used_us for found in chunk]),
    }
    table = pd.DataFrame({name: values.astype(np.int64).ravel() for name, values in columns.items()})
    return table.groupby(["bot", "seat"]).sum()


def _meetings(chunk: Sequence[Summary]) -> pd.DataFrame:
    bots = np.array([found.outcome.bots for found in chunk])
    ranks = np.array([found.outcome.ranks for found in chunk])
    teams = np.array([found.outcome.teams for found in chunk])
    against = teams[:, :, None] != teams[:, None, :]
    columns = {
        "bot": np.broadcast_to(bots[:, :, None], against.shape),
        "opponent": np.broadcast_to(bots[:, None, :], against.shape),
        "games": np.ones(against.shape, dtype=np.int64),
        "above": ranks[:, :, None] < ranks[:, None, :],
        "tied": ranks[:, :, None] == ranks[:, None, :],
    }
    table = pd.DataFrame({name: values[against].astype(np.int64) for name, values in columns.items()})
    return table.groupby(["bot", "opponent"]).sum()


def _means(table: pd.DataFrame) -> pd.DataFrame:
    found = table[["games", "wins", "shared", "faults", "moves"]].copy()
    found["score"] = table["points"] / table["games"]
    found["place"] = table["places"] / table["games"]
    found["move_ms"] = (table["used_us"] / 1000 / table["moves"].where(table["moves"] > 0)).round(3)
    return found


# ---- files


def write_table(rows: Iterable[Mapping[str, Any]], target: Path, per: str) -> int:
    """Write rows as CSV or, by the suffix .parquet, as Parquet; return how many different ones of `per` there were.

    CSV is written by the chunk; a table that becomes Parquet is in memory as a whole.
    """
    seen: set[Any] = set()
    if target.suffix == ".parquet":
        return _write_parquet(pd.DataFrame(list(rows)), target, per)
    target.write_text("", encoding="utf-8")
    for chunk in _chunks(rows):
        table = pd.DataFrame(chunk)
        _as_text(table).to_csv(target, index=False, mode="a", header=not seen)
        seen.update(table[per])
    return len(seen)


def _write_parquet(table: pd.DataFrame, target: Path, per: str) -> int:
    try:
        table.to_parquet(target, index=False)
    except ImportError:
        raise UsageError("Parquet needs pyarrow, which is not here: pip install 'blokus-arena[parquet]'") from None
    return int(table[per].nunique()) if len(table) else 0


def rows_of(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a table as rows, its index included."""
    found: list[Any] = table.reset_index().to_dict("records")
    return found


def to_csv(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as CSV."""
    text: str = _as_text(pd.DataFrame(list(rows))).to_csv(index=False)
    return text


def _as_text(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table in which no text is a formula to a spreadsheet: an apostrophe goes before what begins like one.

    A stranger chooses the names of bots; numbers are left alone.
    """
    found = table.copy()
    for name in found.select_dtypes(["object", "string"]):
        found[name] = found[name].map(_no_formula)
    return found


def _no_formula(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def _chunks(rows: Iterable[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    source = iter(rows)
    while chunk := list(islice(source, _CHUNK)):
        yield chunk

"""What the pages say of a division, gathered in two passes over its matches; what is kept does not grow with them.

The first pass reads only the summaries, and decides which matches get a page. The second reads the records.
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from arena.record import Fault, MatchRecord
from arena.store import Counted, Division, Summary
from arena.tables import Totals

_EXTREMES = 5  # best and worst games that a bot's page shows
_FAULTS = 10  # the newest faults that a bot's page shows with their evidence
_CHUNK = 4096


class GameRow(NamedTuple):
    """A match in a list: who sat where, and what came of it."""

    match: str
    bots: tuple[int, ...]
    totals: tuple[int, ...]
    ranks: tuple[int, ...]
    faulty: tuple[int, ...]
    flags: str  # a: annulled, r: a repeat, s: suspect


class Extreme(NamedTuple):
    """A game that a bot won or lost by much."""

    margin: int  # ahead of the best of the others; alone: its points
    order: tuple[int, int]
    row: GameRow


def game_row(found: Counted) -> GameRow:
    """Return a match as a line of a list."""
    outcome = found.summary.outcome
    flags = "a" * found.is_annulled + "r" * found.is_repeat + "s" * found.is_suspect
    return GameRow(found.match, outcome.bots, outcome.totals, outcome.ranks, outcome.faulty, flags)


class ShownFault(NamedTuple):
    """A fault with the match that it happened in."""

    record: MatchRecord
    fault: Fault


@dataclass
class Facts:
    """All that is gathered of one division."""

    division: Division
    listed: int  # games that a bot's list holds at most
    totals: Totals = field(default_factory=Totals)
    games: dict[int, deque[GameRow]] = field(default_factory=dict)  # by bot, the newest
    scores: dict[int, Counter[int]] = field(default_factory=dict)  # by bot: how often each total
    best: dict[int, list[Extreme]] = field(default_factory=dict)  # heaps
    worst: dict[int, list[Extreme]] = field(default_factory=dict)
    faulty: dict[int, deque[str]] = field(default_factory=dict)  # by bot: the newest matches with a fault of its own
    faults: dict[int, list[ShownFault]] = field(default_factory=dict)
    times: dict[tuple[int, int], Counter[int]] = field(
        default_factory=dict
    )  # by bot and move: how often each tenth of log2 us
    newest: deque[GameRow] = field(default_factory=lambda: deque(maxlen=100))
    stored: int = 0  # all that is listed, annulled ones too
    replays: int = 0  # of them with a page of their own
    damaged: list[str] = field(default_factory=list)
    arenas: Counter[str] = field(default_factory=Counter)
    sandboxes: Counter[tuple[tuple[str, str], ...]] = field(default_factory=Counter)

    def read_summaries(self, matches: Iterable[Counted]) -> Iterator[Counted]:
        """Take in all matches that stand, and yield them again."""
        source = iter(matches)
        while chunk := list(islice(source, _CHUNK)):
            counted = [found.summary for found in chunk if not found.is_annulled and not found.is_repeat]
            self.totals.feed(counted)
            for found in chunk:
                self._list(found)
                yield found

    def _list(self, found: Counted) -> None:
        row = game_row(found)
        self.stored += 1
        self.newest.append(row)
        for bot in set(row.bots):
            self.games.setdefault(bot, deque(maxlen=self.listed)).append(row)
        for bot in {row.bots[seat] for seat in row.faulty}:
            self.faulty.setdefault(bot, deque(maxlen=_FAULTS)).append(row.match)
        if not row.flags:
            self._measure(found, row)

    def _measure(self, found: Counted, row: GameRow) -> None:
        for seat, bot in enumerate(row.bots):
            self.scores.setdefault(bot, Counter())[row.totals[seat]] += 1
            if seat not in row.faulty:
                margin = _margin(found.summary, seat)
                order = (found.block, found.nth)
                _push(self.best.setdefault(bot, []), Extreme(margin, order, row))
                _push(self.worst.setdefault(bot, []), Extreme(-margin, order, row))

    def pointed_at(self) -> set[str]:
        """Return the matches that bots' pages point at, so that they must have a page."""
        extremes = {each.row.match for heaps in (self.best, self.worst) for heap in heaps.values() for each in heap}
        return extremes | {match for matches in self.faulty.values() for match in matches}

    def read_record(self, found: Counted, record: MatchRecord) -> None:
        """Take in what only the record tells."""
        self.arenas[record.arena] += 1
        self.sandboxes[tuple(sorted(record.sandbox.items()))] += 1
        bots = found.summary.outcome.bots
        for fault in record.faults:
            if found.match in self.faulty.get(bots[fault.seat], ()):
                self.faults.setdefault(bots[fault.seat], []).append(ShownFault(record, fault))
        if not found.is_annulled and not found.is_repeat:
            self._clock(bots, record)

    def _clock(self, bots: tuple[int, ...], record: MatchRecord) -> None:
        is_cpu = record.time.kind == "cpu"
        moves = [0] * len(bots)
        times = self.times
        for ply in record.plies:
            seat = ply.seat
            moves[seat] += 1
            if not ply.opening:
                key = (bots[seat], moves[seat])
                if key not in times:
                    times[key] = Counter()
                used = ply.cpu_us if is_cpu else ply.wall_us
                times[key][_bucket(used)] += 1


def _margin(summary: Summary, seat: int) -> int:
    outcome = summary.outcome
    others = [total for total, team in zip(outcome.totals, outcome.teams, strict=True) if team != outcome.teams[seat]]
    return outcome.totals[seat] - max(others, default=0)


def _push(heap: list[Extreme], found: Extreme) -> None:
    if len(heap) < _EXTREMES:
        heapq.heappush(heap, found)
    else:
        heapq.heappushpop(heap, found)


# ---- times in buckets: their width, 7 %, is far below what differs between two runs

_FINE = 10


def _bucket(used_us: int) -> int:
    """Return a tenth of an octave: exact for short numbers, and no logarithm for each of a million moves."""
    octave = used_us.bit_length()
    if octave <= 4:
        return used_us
    return 16 + (octave - 5) * _FINE + ((used_us >> (octave - 5)) - 16) * _FINE // 16


def bucket_us(bucket: int) -> float:
    """Return the middle of a bucket."""
    if bucket < 16:
        return float(bucket)
    octave, fine = divmod(bucket - 16, _FINE)
    return float(2 ** (octave + 4) * (1 + (fine + 0.5) / _FINE))


def quantile(counts: Counter[int], share: float) -> int:
    """Return the key below which this share of the counts lies."""
    wanted = share * counts.total()
    seen = 0
    for key in sorted(counts):
        seen += counts[key]
        if seen >= wanted:
            return key
    raise ValueError("expected some counts, got none")

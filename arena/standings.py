"""Standings of a division: TrueSkill, the order-free fit and the totals, from what is stored.

How it works: matches are taken in the order of the schedule, whoever finished first, so that the same results give the
same numbers to the byte. What was computed of the finished beginning of the schedule is kept as a checkpoint; the rest
is computed from there, so that the time it takes does not grow with the league. The beginning is finished where nothing
of it is still expected: a block that waits for a bot that plays no more is passed over, and noted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from math import isfinite
from typing import Any

import msgspec

from arena.config import LeagueConfig
from arena.fit import Estimate, Fit, SoloStanding, Tally, solo_standings
from arena.history import History, Moment
from arena.ratings import Rating, SkillTable
from arena.store import BEGINNING, Counted, Division, Entry, OpenBlock, Store, Summary
from arena.tables import Totals
from arena.version import VERSION

_PURPOSE = "standings"
_FORMAT = 2  # of what is kept
_CHUNK = 4096


class Interval(msgspec.Struct, frozen=True):
    """A number with its 95 % interval; no ends where too little is known."""

    value: float
    low: float | None = None
    high: float | None = None


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One bot in the table."""

    bot: int
    name: str
    version: str
    author: str
    language: str
    status: str  # entered, filler, superseded, withdrawn
    rank: int | None  # none for those who are not ranked
    rank_low: int | None
    rank_high: int | None
    mu: float | None  # TrueSkill; none in solo variants
    sigma: float | None
    cautious: float | None  # mu - 3 sigma
    rating: Interval | None  # the order-free fit, on the same scale
    clean_rating: Interval | None  # the same without games in which somebody committed a fault
    left: Interval | None  # solo variants: squares left over
    solved: int | None
    games: int
    wins: int
    shared: int  # first places shared with others
    score: float
    place: float
    faults: int
    move_ms: float | None


class Standings(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of a division."""

    division: Division
    lines: tuple[Line, ...]  # best first; those who are not ranked are in their place too
    seats: tuple[Interval, ...]  # what each seat is worth, on the scale of the ratings
    beats: tuple[tuple[float, ...], ...]  # [i][j]: the share of games in which line i ends above line j, seats even
    above: tuple[tuple[float, ...], ...]  # [i][j]: how certain it is that line i is stronger than line j
    matches: int  # that count
    planned: int  # matches of the schedule
    blocks: int
    repeats: int  # games that had been played before, move by move: counted once
    annulled: int
    suspects: int  # matches with a fault that the machine may have caused, played again already
    strained: int  # matches at the limit of what TrueSkill can compute
    history: tuple[Moment, ...] = ()  # TrueSkill on the way, for a plot
    annulled_why: tuple[str, ...] = ()  # the reasons of all annulments of the league


class Figures:
    """Everything that is computed of matches, one after the other."""

    def __init__(self, draw_probability: float, *, is_solo: bool) -> None:
        self._is_solo = is_solo
        self.skill = SkillTable(draw_probability)
        self.history = History()
        self.tally = Tally()
        self.totals = Totals()
        self.solo: list[Summary] = []
        self.passed: list[OpenBlock] = []  # blocks of which not all has been played
        self.repeats = self.annulled = self.suspects = self.matches = 0

    @property
    def standing(self) -> int:
        """Return how many matches stand, whether they count or not."""
        return self.matches + self.repeats + self.annulled

    def feed(self, found: Iterator[Counted]) -> None:
        """Take in matches in the order of the schedule."""
        while chunk := list(islice(found, _CHUNK)):
            self.repeats += sum(match.is_repeat and not match.is_annulled for match in chunk)
            self.annulled += sum(match.is_annulled for match in chunk)
            self.suspects += sum(match.is_suspect for match in chunk)
            self._count([match.summary for match in chunk if not match.is_annulled and not match.is_repeat])

    def _count(self, summaries: list[Summary]) -> None:
        self.matches += len(summaries)
        self.totals.feed(summaries)
        if self._is_solo:
            self.solo += summaries
            return
        outcomes = [summary.outcome for summary in summaries]
        self.history.feed(self.skill, outcomes)
        self.tally.feed(outcomes)

    def save(self) -> bytes:
        """Return all of it as bytes."""
        counts = [self.repeats, self.annulled, self.suspects, self.matches]
        history = (self.history.moments, self.history.every)
        tables = (self.skill.save(), history, self.tally.save(), self.totals.save())
        state = (counts, *tables, self.solo, self.passed)
        return msgspec.msgpack.encode(state)

    @classmethod
    def restore(cls, data: bytes, *, is_solo: bool) -> Figures:
        """Return what was saved."""
        counts, skill, history, tally, totals, solo, passed = msgspec.msgpack.decode(data, type=_State)
        figures = cls.__new__(cls)
        figures._is_solo = is_solo
        figures.repeats, figures.annulled, figures.suspects, figures.matches = counts
        figures.skill = SkillTable.restore(skill)
        figures.history = History(*history)
        figures.tally = Tally.restore(tally)
        figures.totals = Totals.restore(totals)
        figures.solo = solo
        figures.passed = passed
        return figures


_State = tuple[
    list[int],
    dict[str, Any],
    tuple[list[Moment], int],
    bytes,
    dict[str, Any],
    list[Summary],
    list[OpenBlock],
]


def figures_of(store: Store, division: Division, config: LeagueConfig, *, keeps: bool, anew: bool = False) -> Figures:
    """Return the figures of all matches that stand; `keeps` a checkpoint; `anew`: uses none."""
    figures, upto = _of_beginning(store, division, config, keeps=keeps, anew=anew)
    figures.feed(store.counted(division, upto))
    figures.passed += store.open_blocks(division, upto[0])
    return figures


def keep_figures(store: Store, division: Division, config: LeagueConfig, expected: Collection[int] = ()) -> None:
    """Keep the figures of the finished beginning of a schedule; bots that are `expected` play, whatever they are."""
    _of_beginning(store, division, config, keeps=True, expected=expected)


def keep_all_figures(store: Store, config: LeagueConfig) -> None:
    """Keep the figures of all divisions, as far as they can be: after what may have dropped some."""
    for division in store.divisions():
        keep_figures(store, division, config)


def _of_beginning(
    store: Store,
    division: Division,
    config: LeagueConfig,
    *,
    keeps: bool,
    anew: bool = False,
    expected: Collection[int] = (),
) -> tuple[Figures, tuple[int, int]]:
    """Return the figures of the finished beginning of a schedule, and the last place in it."""
    is_solo = division.variant.startswith("solo")
    key = _key(store, division, config)
    upto, figures = BEGINNING, Figures(config.draw_probability, is_solo=is_solo)
    if not anew and (found := store.checkpoint(division, _PURPOSE, key)) is not None:
        upto, figures = found[0], Figures.restore(found[1], is_solo=is_solo)
    unfinished = store.open_blocks(division, upto[0])
    playing = store.playing(division).union(expected)
    first = next((block.id for block in unfinished if playing.issuperset(block.bots)), None)
    end = store.last_place(division, before=first)
    if end > upto:
        figures.feed(store.counted(division, upto, end))
        figures.passed += [block for block in unfinished if block.id <= end[0]]
        if keeps:
            store.save_checkpoint(division, _PURPOSE, key, end, figures.save())
    return figures, max(upto, end)


def _key(store: Store, division: Division, config: LeagueConfig) -> str:
    """Return what a checkpoint depends on besides the matches."""
    depends = (VERSION, _FORMAT, config.draw_probability, store.annulled_in(division))
    return hashlib.sha256(repr(depends).encode()).hexdigest()


def planned_matches(standing: int, unfinished: Iterable[OpenBlock], playing: set[int]) -> int:
    """Return how many matches there are once all that can be expected have been played."""
    return standing + sum(block.missing for block in unfinished if playing.issuperset(block.bots))


def standings(
    store: Store, division: Division, config: LeagueConfig, *, keeps: bool = False, anew: bool = False
) -> Standings:
    """Return the table of a division."""
    figures = figures_of(store, division, config, keeps=keeps, anew=anew)
    entries = {entry.id: entry for entry in store.bots()}
    counts: dict[str, Any] = {
        "matches": figures.matches,
        "planned": planned_matches(figures.standing, figures.passed, store.playing(division)),
        "repeats": figures.repeats,
        "annulled": figures.annulled,
        "annulled_why": tuple(dict.fromkeys(reason for _, _, reason, _ in store.annulments())),
        "suspects": figures.suspects,
    }
    if division.variant.startswith("solo"):
        return _solo(figures, division, entries, counts)
    ranked = [entry.id for entry in entries.values() if entry.is_ranked]
    fit = figures.tally.fit(ranked=ranked)
    clean = figures.tally.fit(with_faulty=False, ranked=ranked) if figures.totals.faults() else fit
    return Standings(
        division=division,
        lines=tuple(_lines(figures, fit, clean, entries)),
        seats=tuple(_interval(seat) for seat in fit.seats),
        beats=fit.beats,
        above=fit.above,
        blocks=fit.blocks,
        strained=figures.skill.strained,
        history=figures.history.up_to(figures.skill),
        **counts,
    )


def _lines(figures: Figures, fit: Fit, clean: Fit, entries: dict[int, Entry]) -> Iterator[Line]:
    skills = figures.skill.ratings()
    without = {strength.bot: strength.rating for strength in clean.strengths}
    totals = figures.totals.line_of_bot()
    for strength in fit.strengths:
        entry = entries[strength.bot]
        is_ranked = entry.is_ranked
        skill: Rating = skills[strength.bot]
        yield _line(
            entry,
            totals[strength.bot],
            rank=strength.rank if is_ranked else None,
            rank_low=strength.rank_low if is_ranked else None,
            rank_high=strength.rank_high if is_ranked else None,
            mu=skill.mu,
            sigma=skill.sigma,
            cautious=skill.cautious,
            rating=_interval(strength.rating),
            clean_rating=_interval(without[strength.bot]) if strength.bot in without else None,
            left=None,
            solved=None,
        )


def _line(entry: Entry, totals: dict[str, Any], **measured: Any) -> Line:
    move_ms = totals["move_ms"]
    return Line(
        bot=entry.id,
        name=entry.name,
        version=entry.version,
        author=entry.author,
        language=entry.language,
        status=entry.status,
        games=int(totals["games"]),
        wins=int(totals["wins"]),
        shared=int(totals["shared"]),
        score=totals["score"],
        place=totals["place"],
        faults=int(totals["faults"]),
        move_ms=move_ms if isfinite(move_ms) else None,
        **measured,
    )


def _solo(figures: Figures, division: Division, entries: dict[int, Entry], counts: dict[str, Any]) -> Standings:
    found = solo_standings(summary.outcome for summary in figures.solo)
    totals = figures.totals.line_of_bot()
    return Standings(
        division=division,
        lines=tuple(_solo_lines(found, entries, totals)),
        seats=(),
        beats=(),
        above=(),
        blocks=len({summary.outcome.block for summary in figures.solo}),
        strained=0,
        **counts,
    )


def _solo_lines(
    found: Sequence[SoloStanding], entries: dict[int, Entry], totals: dict[int, dict[str, Any]]
) -> Iterator[Line]:
    """Yield the bots, best first; those who do not play any more are not ranked."""
    ranked = [each.rank for each in found if entries[each.bot].is_ranked]
    for each in found:
        is_ranked = entries[each.bot].is_ranked
        rank = 1 + sum(other < each.rank for other in ranked) if is_ranked else None
        yield _solo_line(entries[each.bot], totals[each.bot], each, rank)


def _solo_line(entry: Entry, totals: dict[str, Any], found: SoloStanding, rank: int | None) -> Line:
    return _line(
        entry,
        totals,
        rank=rank,
        rank_low=None,
        rank_high=None,
        mu=None,
        sigma=None,
        cautious=None,
        rating=None,
        clean_rating=None,
        left=_not_below_zero(_interval(found.left)),
        solved=found.solved,
    )


def _interval(estimate: Estimate) -> Interval:
    low, high = (end if isfinite(end) else None for end in (estimate.low, estimate.high))
    return Interval(estimate.value, low, high)


def _not_below_zero(interval: Interval) -> Interval:
    return Interval(interval.value, None if interval.low is None else max(0.0, interval.low), interval.high)

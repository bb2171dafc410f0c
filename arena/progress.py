"""How a tournament goes: a live picture on a terminal, plain lines elsewhere, JSON for machines."""

from __future__ import annotations

import sys
from collections import Counter
from time import monotonic
from typing import Any

import msgspec
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.table import Table
from rich.text import Text

from arena.errors import NobodyListens
from arena.ratings import SkillTable
from arena.runner import FaultSeen, Finished, Void
from arena.sequential import Sureness
from arena.store import Entry, Summary
from arena.tournament import Plan, Watcher

_FAULTS_SHOWN = 5
_LINES_SHOWN = 12
_PLAIN_S = 5.0  # between two lines of progress, where there is no terminal
_REFRESH_S = 0.2


class Pace:
    """How fast it goes, and how long it will take."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = 0
        self._begun = monotonic()

    @property
    def rate(self) -> float:
        """Matches a second."""
        return self.done / max(monotonic() - self._begun, 0.001)

    @property
    def left_s(self) -> float | None:
        """The seconds that are left, if that can be told."""
        return (self.total - self.done) / self.rate if self.done else None


class Provisional:
    """Ratings in the order of finishing: for the eye, while it goes on."""

    def __init__(self, plan: Plan, draw_probability: float) -> None:
        self._entries = {entry.id: entry for entry in (*plan.entrants, *plan.fillers)}
        self._is_solo = plan.division.variant.startswith("solo")
        self._table = SkillTable(draw_probability)
        self._points: Counter[int] = Counter()
        self.games: Counter[int] = Counter()
        self.wins: Counter[int] = Counter()
        self.faults: Counter[int] = Counter()

    def feed(self, finished: Finished) -> None:
        """Take in a match."""
        outcome = msgspec.msgpack.decode(finished.played.summary, type=Summary).outcome
        for bot, rank, points in zip(outcome.bots, outcome.ranks, outcome.totals, strict=True):
            self.games[bot] += 1
            self.wins[bot] += rank == 1 and outcome.ranks.count(1) == outcome.teams.count(outcome.teams[0])
            self._points[bot] += points
        for fault in finished.faults:
            self.faults[fault.bot] += 1
        if not self._is_solo:
            self._table.feed([outcome])

    def knows(self, plan: Plan) -> bool:
        """Return whether a plan is about the same bots."""
        return all(entry.id in self._entries for entry in (*plan.entrants, *plan.fillers))

    def name(self, bot: int) -> str:
        """Return a bot's name."""
        return self._entries[bot].name

    def lines(self) -> list[tuple[Entry, str]]:
        """Return the bots, best first, each with what it is ranked by."""
        if self._is_solo:
            means = {bot: self._points[bot] / self.games[bot] for bot in self.games}
            return [(self._entries[bot], f"{means[bot]:.1f}") for bot in sorted(means, key=lambda bot: -means[bot])]
        found = self._table.ratings()
        order = sorted(found, key=lambda bot: -found[bot].mu)
        return [(self._entries[bot], f"{found[bot].mu:5.2f} ± {found[bot].sigma:.2f}") for bot in order]


def watcher_for(console: Console, draw_probability: float, *, as_json: bool) -> _Shown:
    """Return who shows a tournament on this console."""
    if as_json:
        return _JsonLines(console, draw_probability)
    return _Picture(console, draw_probability) if console.is_terminal else _PlainLines(console, draw_probability)


class _Shown(Watcher):
    """What all ways of showing a tournament share."""

    def __init__(self, console: Console, draw_probability: float) -> None:
        self._console = console
        self._draw_probability = draw_probability
        self.pace = Pace(0)
        self.provisional: Provisional | None = None

    def on_plan(self, plan: Plan) -> None:
        self.pace = Pace(len(plan.tasks))
        if self.provisional is None or not self.provisional.knows(plan):  # there may be a plan for every round
            self.provisional = Provisional(plan, self._draw_probability)

    def on_finished(self, finished: Finished) -> None:
        assert self.provisional
        self.pace.done += 1
        self.pace.total = max(self.pace.total, self.pace.done)
        self.provisional.feed(finished)

    def close(self) -> None:
        """Leave the screen as it is."""


class _PlainLines(_Shown):
    """A line from time to time."""

    def __init__(self, console: Console, draw_probability: float) -> None:
        super().__init__(console, draw_probability)
        self._told = monotonic()

    def on_finished(self, finished: Finished) -> None:
        super().on_finished(finished)
        for fault in finished.faults:
            self._console.print(_fault_line(self._name(fault.bot), finished, fault), markup=False)
        if finished.played.is_suspect:
            self._console.print(_suspect_line(finished), markup=False)
        if monotonic() - self._told >= _PLAIN_S or self.pace.done == self.pace.total:
            self._told = monotonic()
            self._console.print(_pace_line(self.pace), markup=False)

    def _name(self, bot: int) -> str:
        assert self.provisional
        return self.provisional.name(bot)

    def on_void(self, void: Void) -> None:
        self._console.print(f"void: {void.reason}; the match is played again", markup=False)

    def on_draining(self) -> None:
        self._console.print("stopping: what is being played is still finished (Ctrl-C again stops at once)")

    def on_look(self, sureness: Sureness, rounds: int) -> None:
        self._console.print(f"after round {rounds}: {_tell_sureness(sureness)}", markup=False)


class _JsonLines(_Shown):
    """One JSON object a line for everything that happens."""

    def _tell(self, event: str, **values: Any) -> None:
        try:
            sys.stdout.buffer.write(msgspec.json.encode({"event": event, **values}) + b"\n")
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise NobodyListens from None

    def on_plan(self, plan: Plan) -> None:
        super().on_plan(plan)
        self._tell(
            "plan",
            division=plan.division.as_object(),
            bots=[entry.label for entry in plan.entrants],
            fillers=[entry.label for entry in plan.fillers],
            matches=len(plan.tasks),
            scheduled=plan.matches,
            spread=plan.spread._asdict(),
            estimate_s=round(plan.seconds, 1),
        )

    def on_finished(self, finished: Finished) -> None:
        super().on_finished(finished)
        assert self.provisional
        outcome = msgspec.msgpack.decode(finished.played.summary, type=Summary).outcome
        self._tell(
            "match",
            match=finished.played.match,
            bots=[self.provisional.name(bot) for bot in outcome.bots],
            ranks=outcome.ranks,
            totals=outcome.totals,
            suspect=finished.played.is_suspect,
            faults=[
                {"bot": self.provisional.name(fault.bot), "kind": fault.kind, "detail": fault.detail}
                for fault in finished.faults
            ],
            done=self.pace.done,
            total=self.pace.total,
        )

    def on_void(self, void: Void) -> None:
        self._tell("void", reason=void.reason)

    def on_draining(self) -> None:
        self._tell("stopping")

    def on_look(self, sureness: Sureness, rounds: int) -> None:
        self._tell("look", rounds=rounds, sure=sureness.is_sure, certainty=sureness.certainty, needed=sureness.needed)


class _Picture(_Shown):
    """A bar, the standings so far and the last faults, redrawn in place."""

    def __init__(self, console: Console, draw_probability: float) -> None:
        super().__init__(console, draw_probability)
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._bar = Progress(
            BarColumn(bar_width=30), MofNCompleteColumn(), TextColumn("{task.fields[pace]}"), console=console
        )
        self._task: TaskID | None = None
        self._faults: list[str] = []
        self._notice = ""
        self._drawn = 0.0

    def on_plan(self, plan: Plan) -> None:
        super().on_plan(plan)
        if self._task is None and plan.tasks:
            self._live.start()
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._task = self._bar.add_task("", total=max(1, len(plan.tasks)), pace="")

    def on_finished(self, finished: Finished) -> None:
        super().on_finished(finished)
        assert self.provisional
        for fault in finished.faults:
            self._faults.append(_fault_line(self.provisional.name(fault.bot), finished, fault))
        if finished.played.is_suspect:
            self._faults.append(_suspect_line(finished))
        del self._faults[:-_FAULTS_SHOWN]
        self.on_tick()

    def on_void(self, void: Void) -> None:
        self._faults.append(f"void: {void.reason}; the match is played again")

    def on_draining(self) -> None:
        self._notice = "Stopping: what is being played is still finished. Ctrl-C again stops at once."

    def on_look(self, sureness: Sureness, rounds: int) -> None:
        self._notice = f"After round {rounds}: {_tell_sureness(sureness)}."

    def on_tick(self) -> None:
        if monotonic() - self._drawn >= _REFRESH_S and self._live.is_started:
            self._drawn = monotonic()
            self._live.update(self._draw(), refresh=True)

    def _draw(self) -> RenderableType:
        assert self._task is not None
        self._bar.update(
            self._task, completed=self.pace.done, total=max(1, self.pace.total), pace=_pace_line(self.pace, short=True)
        )
        parts: list[RenderableType] = [self._bar, self._standings()]
        parts += [Text(line, style="yellow", overflow="ellipsis", no_wrap=True) for line in self._faults]
        if self._notice:
            parts.append(Text(self._notice, style="bold"))
        return Group(*parts)

    def _standings(self) -> Table:
        assert self.provisional
        table = Table(box=None, pad_edge=False, header_style="dim")
        for title, justify in (("so far", "left"), ("rating", "right"), ("games", "right"), ("wins", "right")):
            table.add_column(title, justify=justify)  # type: ignore[arg-type]
        table.add_column("faults", justify="right")
        for entry, rating in self.provisional.lines()[:_LINES_SHOWN]:
            faults = self.provisional.faults[entry.id]
            table.add_row(
                Text(entry.name),
                rating,
                str(self.provisional.games[entry.id]),
                str(self.provisional.wins[entry.id]),
                Text(str(faults or ""), style="yellow"),
            )
        return table

    def close(self) -> None:
        if self._live.is_started:
            self._live.stop()


def _fault_line(name: str, finished: Finished, fault: FaultSeen) -> str:
    return f"fault in {finished.played.match}: {name}: {fault.kind}: {fault.detail}"


def _suspect_line(finished: Finished) -> str:
    again = "is played again" if finished.task.attempt == 0 else "stands"
    return f"suspect: {finished.played.match}: a fault that the machine may have caused; the match {again}"


def _pace_line(pace: Pace, *, short: bool = False) -> str:
    left = f", {duration(pace.left_s)} left" if pace.left_s else ""
    rate = f"{pace.rate:.1f} matches a second" if pace.rate >= 1 else f"{60 * pace.rate:.1f} matches a minute"
    return f"{rate}{left}" if short else f"{pace.done} of {pace.total} matches, {rate}{left}"


def _tell_sureness(sureness: Sureness) -> str:
    verdict = "which is enough" if sureness.is_sure else f"{sureness.needed:.4g} is needed at this look"
    return f"the order is certain at {sureness.certainty:.3f}, {verdict}"


def duration(seconds: float) -> str:
    """Return a time in words."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 86400:.0f} days"

"""One tournament: who meets whom, played on all cores, kept match by match; goes on where it stopped."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import NamedTuple

import msgspec

from arena.doctor import protections
from arena.errors import ArenaError, UsageError
from arena.league import League
from arena.live import clear_live
from arena.logs import LOGGER, log_to
from arena.machine import describe_machine
from arena.match import MatchSpec
from arena.runner import Finished, Job, Runner, Void, usable_cores
from arena.sandbox.choose import strongest
from arena.schedule import Block, Spread, block_size, extend, full, gauntlet, most_balanced, spread
from arena.sequential import Sureness, top_order
from arena.standings import figures_of, keep_figures, planned_matches
from arena.store import Division, Entry, StoredBlock, Task
from engine import VARIANTS

_VOIDS_A_MATCH, _VOIDS_A_RUN = 3, 20
_KEEP_EVERY = 4000  # matches: so that whoever looks at a long tournament need not compute all of it


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What the user asks for."""

    spec: MatchSpec  # its seed is the schedule's
    rounds: int = 1  # in all, what has been played before included
    games: int | None = None  # instead of rounds: that many matches in all, as balanced as can be
    is_full: bool = False  # every set of bots, once a round
    gauntlet: str | None = None  # this one against all others
    jobs: int = 1
    until_sure: float | None = None
    top: int = 3


class Plan(NamedTuple):
    """What is to be played, and in what division."""

    division: Division
    entrants: list[Entry]
    fillers: list[Entry]
    tasks: list[Task]
    spread: Spread  # of all blocks between these bots, those that were played before included
    matches: int  # of the whole schedule of the division, but for those that nobody is left to play
    seconds: float  # that it may take
    is_guess: bool  # no match has been played yet to tell from


class Watcher:
    """Told how a tournament goes; does nothing unless overridden."""

    def on_plan(self, plan: Plan) -> None:
        """Hear what is going to be played."""

    def on_finished(self, finished: Finished) -> None:
        """Hear that a match was played and kept."""

    def on_void(self, void: Void) -> None:
        """Hear that a match came to nothing, and is played again."""

    def on_tick(self) -> None:
        """Hear that time passes."""

    def on_draining(self) -> None:
        """Hear that only what is being played is still finished."""

    def on_look(self, sureness: Sureness, rounds: int) -> None:
        """Hear how sure the order is after so many rounds."""


class Interrupted(ArenaError):
    """The user stopped a tournament; all that was finished is kept."""

    exit_code = 130


# ---- the plan


def default_opening(variant: str) -> int:
    """Return how many first placements are drawn: one a color; none in a puzzle, which they might spoil."""
    return 0 if len(VARIANTS[variant].seats) == 1 else len(VARIANTS[variant].colors)


def make_plan(league: League, entrants: Sequence[Entry], wanted: Wanted) -> Plan:
    """Return what is to be played, the schedule extended by what is missing; asks the store to keep it."""
    variant = VARIANTS[wanted.spec.variant]
    fillers = _fillers(league, list(entrants), len(variant.seats))
    bots = [entry.id for entry in (*entrants, *fillers)]
    division = league.store.division_of(wanted.spec)
    added = _missing_blocks(league, division, bots, wanted)
    if added:
        league.store.add_blocks(division, added, wanted.spec)
    blocks = league.store.blocks(division)
    tasks = [in_box_of(task, wanted.spec) for task in _tasks(league, division, bots, wanted)]
    known_ms = league.store.mean_duration_ms(division)
    match_s = known_ms / 1000 if known_ms else _guess_s(wanted.spec)
    return Plan(
        division=division,
        entrants=list(entrants),
        fillers=fillers,
        tasks=tasks,
        spread=spread_of([block.as_block() for block in blocks], [*entrants, *fillers], wanted.spec),
        matches=_scheduled(league, division, bots),
        seconds=match_s * len(tasks) / wanted.jobs,
        is_guess=not known_ms,
    )


def _scheduled(league: League, division: Division, bots: list[int]) -> int:
    store = league.store
    playing = store.playing(division).union(bots)
    return planned_matches(store.count_matches_of(division), store.open_blocks(division), playing)


def spread_of(blocks: list[Block], entries: Sequence[Entry], spec: MatchSpec) -> Spread:
    """Return how even these blocks are between these bots, whoever else sits at their tables."""
    variant, bots = VARIANTS[spec.variant], [entry.id for entry in entries]
    least = min(2, len(variant.seats))
    return spread([block for block in blocks if len({*bots}.intersection(block.bots)) >= least], bots, variant)


def _fillers(league: League, entrants: list[Entry], seats: int) -> list[Entry]:
    missing = seats - len(entrants)
    return league.fill(missing, entrants) if missing > 0 else []


def _missing_blocks(league: League, division: Division, bots: list[int], wanted: Wanted) -> list[tuple[Block, int]]:
    variant = VARIANTS[wanted.spec.variant]
    stored = _playable(league, division, bots)
    existing = [block.as_block() for block in stored]
    seed = wanted.spec.seed
    whole = block_size(variant)
    if wanted.games is not None:
        return _balanced(league, division, stored, bots, wanted)
    for block in _cut_short(stored, bots, whole):  # what `--games` left unfinished belongs to the rounds as well
        league.store.allow_games(block, whole)
    if wanted.gauntlet is not None:
        hero = league.find(wanted.gauntlet).id
        field = [bot for bot in bots if bot != hero]
        added = gauntlet(existing, hero, field, variant, rounds=wanted.rounds, seed=seed)
    elif wanted.is_full:
        added = full(existing, bots, variant, rounds=wanted.rounds, seed=seed)
    else:
        added = extend(existing, bots, variant, rounds=wanted.rounds, seed=seed)
    return [(block, whole) for block in added]


def _playable(league: League, division: Division, bots: list[int]) -> list[StoredBlock]:
    """Return the blocks that were played, or will be: not those that wait for a bot that plays no more."""
    unfinished = {task.block for task in league.store.open_tasks(division)}
    blocks = league.store.blocks(division)
    return [block for block in blocks if block.id not in unfinished or set(block.bots) <= set(bots)]


def _cut_short(stored: list[StoredBlock], bots: list[int], whole: int) -> list[StoredBlock]:
    """Return the blocks that `--games` did not allow to be played to their end, and that these bots can go on with."""
    return [block for block in stored if block.games < whole and set(block.bots) <= set(bots)]


def _balanced(
    league: League, division: Division, stored: list[StoredBlock], bots: list[int], wanted: Wanted
) -> list[tuple[Block, int]]:
    """Return the blocks of `--games`; a block that an earlier run left unfinished is finished first."""
    assert wanted.games is not None
    variant = VARIANTS[wanted.spec.variant]
    whole = block_size(variant)
    waiting = [task for task in _open_to(league, division, bots) if not task.attempt]
    left = wanted.games - league.store.count_matches_of(division) - len(waiting)
    for block in _cut_short(stored, bots, whole):
        more = max(0, min(left, whole - block.games))
        league.store.allow_games(block, block.games + more)
        left -= more
    existing = [block.as_block() for block in stored]
    if left <= 0:
        return []
    return most_balanced(existing, bots, variant, games=len(existing) * whole + left, seed=wanted.spec.seed)


def _tasks(league: League, division: Division, bots: list[int], wanted: Wanted) -> list[Task]:
    tasks = _open_to(league, division, bots)
    if wanted.games is not None:
        done = league.store.count_matches_of(division)
        again = [task for task in tasks if task.attempt]
        return [task for task in tasks if not task.attempt][: max(0, wanted.games - done)] + again
    return tasks


def _open_to(league: League, division: Division, bots: list[int]) -> list[Task]:
    return [task for task in league.store.open_tasks(division) if set(task.bots) <= set(bots)]


def in_box_of(task: Task, spec: MatchSpec) -> Task:
    """Return a task under the conditions of this run, whatever they were when the match was planned."""
    return task._replace(spec=task.spec.under(spec))


def _guess_s(spec: MatchSpec) -> float:
    """Return how long a match may take if the bots use half of their time."""
    variant = VARIANTS[spec.variant]
    moves = len(variant.colors) * len(variant.pieces) * 0.9
    banks = spec.time.bank_ms * len(variant.seats)
    return (moves * (spec.time.move_ms + spec.time.increment_ms) + banks) / 1000 / 2


# ---- playing


def check_jobs(jobs: int | None, *, oversubscribes: bool) -> int:
    """Return how many matches are played at the same time; raises `UsageError` for more than there are cores."""
    cores = len(usable_cores())
    if jobs is None:
        return cores
    if jobs > cores and not oversubscribes:
        raise UsageError(
            f"expected at most {cores} jobs, one a core, got {jobs}: more would slow each other down"
            " (--oversubscribe allows it)"
        )
    return jobs


def play(league: League, plan: Plan, wanted: Wanted, watcher: Watcher) -> None:
    """Play all that is planned, each match kept as soon as it is finished.

    Raises `Interrupted` if the user stops it, `ArenaError` if the arena has too much trouble of its own.
    """
    if not plan.tasks:
        return
    _look_at_sandbox(wanted.spec)
    programs = {entry.id: league.load(entry) for entry in (*plan.entrants, *plan.fillers)}
    jobs = [Job(task, tuple(programs[bot] for bot in task.bots)) for task in plan.tasks]
    league.store.note_machine(describe_machine())
    with log_to(league.folder / "logs" / "arena.log"):
        LOGGER.info("%s: %d matches", plan.division, len(jobs))
        workers = min(wanted.jobs, len(jobs))
        keeper = _Keeper(league, plan)
        try:
            with Runner(workers, pins=wanted.spec.pin, folder=league.folder, forget=league.forget) as runner:
                _play(league, runner, jobs, watcher, keeper)
        finally:
            clear_live(league.folder)
            keeper.keep()


def _look_at_sandbox(spec: MatchSpec) -> None:
    """Find out what the sandbox is worth here, once, so that the workers know it already."""
    protections(strongest() if spec.limits.sandbox == "auto" else spec.limits.sandbox)


class _Keeper:
    """Keeps what can be computed of a tournament's matches, now and then, so that standings are quick at any time."""

    def __init__(self, league: League, plan: Plan) -> None:
        self._league = league
        self._division = plan.division
        self._bots = [entry.id for entry in (*plan.entrants, *plan.fillers)]
        self._new = 0

    def count(self, finished: int) -> None:
        """Hear that matches were kept."""
        self._new += finished
        if self._new >= _KEEP_EVERY:
            self.keep()

    def keep(self) -> None:
        """Keep the figures of the schedule as far as it has been played."""
        if self._new:
            keep_figures(self._league.store, self._division, self._league.config, self._bots)
        self._new = 0


def _play(league: League, runner: Runner, jobs: list[Job], watcher: Watcher, keeper: _Keeper) -> None:
    voids: Counter[tuple[int, int]] = Counter()
    queue = _Queue(jobs)
    is_draining = False
    with _interruptible() as interruption:
        for reports in runner.run(queue):
            finished = [report for report in reports if isinstance(report, Finished)]
            if finished:
                league.store.add_matches([(report.task, report.played) for report in finished])
                keeper.count(len(finished))
            for report in finished:
                LOGGER.info("match %s, bots %s: %s", report.played.match, report.task.bots, report.outcome)
                watcher.on_finished(report)
                if report.played.is_suspect and report.task.attempt == 0:
                    queue.add(report.task._replace(attempt=1))
            for void in (report for report in reports if isinstance(report, Void)):
                league.store.add_void(void.task, void.reason)
                watcher.on_void(void)
                voids[void.task.block, void.task.nth] += 1
                _check_voids(voids, void)
                queue.add(void.task)
            watcher.on_tick()
            if interruption.count > 1:
                break
            if interruption.count and not is_draining:
                is_draining = True
                runner.drain()
                watcher.on_draining()
    if interruption.count:
        how = "stopped at once" if interruption.count > 1 else "stopped"
        kept = "what was finished is kept (arena standings shows it)"
        raise Interrupted(f"{how}; {kept}, and the same command goes on from here")


class _Queue(Iterator[Job]):
    """The matches to be played; those that have to be played again come last."""

    def __init__(self, jobs: list[Job]) -> None:
        self._programs = {(job.task.block, job.task.nth): job.bots for job in jobs}
        self._jobs = list(reversed(jobs))

    def __next__(self) -> Job:
        if not self._jobs:
            raise StopIteration
        return self._jobs.pop()

    def add(self, task: Task) -> None:
        self._jobs.insert(0, Job(task, self._programs[task.block, task.nth]))


def _check_voids(voids: Counter[tuple[int, int]], last: Void) -> None:
    if voids[last.task.block, last.task.nth] >= _VOIDS_A_MATCH or voids.total() >= _VOIDS_A_RUN:
        raise ArenaError(
            f"{voids.total()} matches came to nothing, the last one because {last.reason}; results are kept"
        )


class _Interruption:
    count = 0


@contextmanager
def _interruptible() -> Iterator[_Interruption]:
    """Count the first two Ctrl-C, which are heeded when nothing is half done; a third one strikes at once."""
    interruption = _Interruption()

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        interruption.count += 1
        if interruption.count > 2:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield interruption
    finally:
        signal.signal(signal.SIGINT, before)


# ---- the whole of it


def hold(
    league: League, entrants: Sequence[Entry], wanted: Wanted, watcher: Watcher, *, confirm: Callable[[Plan], bool]
) -> Division:
    """Plan and play a tournament, in rounds until the order is sure if that is wanted; return its division."""
    if wanted.until_sure is None:
        plan = make_plan(league, entrants, wanted)
        watcher.on_plan(plan)
        if confirm(plan):
            play(league, plan, wanted, watcher)
        return plan.division
    for rounds in range(1, wanted.rounds + 1):
        plan = make_plan(league, entrants, msgspec.structs.replace(wanted, rounds=rounds))
        watcher.on_plan(plan)
        if not confirm(plan):
            break
        play(league, plan, wanted, watcher)
        figures = figures_of(league.store, plan.division, league.config, keeps=True)
        fit = figures.tally.fit(ranked=[entry.id for entry in entrants])
        sureness = top_order(fit, wanted.top, wanted.until_sure, look=rounds)
        watcher.on_look(sureness, rounds)
        if sureness.is_sure:
            break
    return plan.division

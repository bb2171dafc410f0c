"""Plays many matches on many cores, and yields them as they finish.

How it works: one worker process a core, forked, each with its own pipe to us, its own sandbox launcher and its own bots
at rest. A worker always has the next match at hand, so that it never waits for us. If it dies, whatever the reason, the
match it was playing is void, the next one goes back into the queue, and another worker takes its place. Workers die
with us.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import monotonic
from typing import NamedTuple, NoReturn, TypeAlias

from arena.bots import Bot
from arena.errors import ArenaError, UsageError
from arena.jail import kernel
from arena.live import LiveHead, LiveWriter
from arena.load import LoadWatch
from arena.logs import LOGGER, WorkerLog
from arena.pool import BotPool
from arena.record import to_json
from arena.referee import play_match
from arena.store import Played, Task, prepare

_AT_HAND = 2  # matches that a worker has: the one it plays, and the next
_TICK_S = 0.25
_LEAVE_S = 5.0
_fork = multiprocessing.get_context("fork")  # a worker starts at once, and its log finds its way


class Job(NamedTuple):
    """A match to be played, with its bots by seat."""

    task: Task
    bots: tuple[Bot, ...]


class FaultSeen(NamedTuple):
    """A fault, for those who watch."""

    bot: int
    kind: str
    detail: str


class Finished(NamedTuple):
    """A match that was played to its end."""

    task: Task
    played: Played
    outcome: str  # in short, for the log
    faults: tuple[FaultSeen, ...]


class Void(NamedTuple):
    """A match that came to nothing through trouble of the arena's own."""

    task: Task
    reason: str


class Dropped(NamedTuple):
    """A match that was taken back before it began."""

    task: Task


Report: TypeAlias = Finished | Void


def usable_cores() -> list[int]:
    """Return the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


class Runner:
    """A number of workers, and what they are at."""

    def __init__(self, workers: int, *, pins: bool, folder: Path, forget: Callable[[], None] = lambda: None) -> None:
        """Start so many workers, each on a core of its own if it `pins`.

        Each calls `forget` first, to let go of what only we may hold, and lets others read along in `folder`.
        """
        self._folder = folder
        self._cores = usable_cores()
        self._pins = pins
        self._forget = forget
        self._workers: list[_Worker] = []
        for number in range(workers):
            self._workers.append(self._start(number))
        self._waiting: deque[Job] = deque()
        self._is_draining = False

    def _start(self, number: int) -> _Worker:
        cores = {self._cores[number % len(self._cores)]} if self._pins else set(self._cores)
        seat = _Place(number, cores, self._folder, os.getpid())
        return _Worker(seat, self._forget, [worker.link for worker in self._workers])

    def run(self, jobs: Iterable[Job]) -> Iterator[list[Report]]:
        """Yield what has ended since the last time; at times nothing, so that the caller can do other things."""
        source = iter(jobs)
        while True:
            self._hand_out(source)
            if not any(worker.jobs for worker in self._workers):
                return
            ready = wait([worker.link for worker in self._workers if worker.jobs], _TICK_S)
            heard = [self._hear(number, worker) for number, worker in enumerate(self._workers) if worker.link in ready]
            yield [report for report in heard if report is not None]

    def _hand_out(self, source: Iterator[Job]) -> None:
        for depth in range(1, _AT_HAND + 1):  # first everybody gets a match, then everybody the next one
            for number, worker in enumerate(self._workers):
                if self._is_draining or len(worker.jobs) >= depth:
                    continue
                job = self._waiting.popleft() if self._waiting else next(source, None)
                if job is None:
                    return
                if not worker.give(job):
                    self._waiting.appendleft(job)
                    self._replace(number, worker)

    def _hear(self, number: int, worker: _Worker) -> Report | None:
        try:
            report = worker.hear()
        except (EOFError, OSError):
            void = worker.jobs[0]
            self._replace(number, worker)
            return Void(void.task, "its worker was killed")
        if isinstance(report, Exception):
            raise report
        return None if isinstance(report, Dropped) else report

    def _replace(self, number: int, worker: _Worker) -> None:
        """Put a new worker in the place of one that has died; what it had not begun is played by others."""
        self._waiting.extend(worker.jobs[1:])
        worker.close(was_killed=True)
        LOGGER.warning("worker %d was killed; another takes its place", number)
        self._workers[number] = self._start(number)

    def drain(self) -> None:
        """Hand out no more matches: `run` ends when those that are being played have ended."""
        self._is_draining = True
        self._waiting.clear()
        for worker in self._workers:
            worker.take_back()

    def close(self) -> None:
        """End all workers, and with them whatever they are playing."""
        for worker in self._workers:
            worker.close()

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Place(NamedTuple):
    """What a worker is given once."""

    number: int
    cores: set[int]
    folder: Path
    parent: int

    @property
    def name(self) -> str:
        return f"worker-{self.number}"


class _Worker:
    """A worker as we see it."""

    def __init__(self, place: _Place, forget: Callable[[], None], others: Sequence[Connection]) -> None:
        self.jobs: list[Job] = []
        self.link, theirs = _fork.Pipe()
        self._log = WorkerLog(place.name)
        arguments = (theirs, self._log, place, forget, [*others, self.link])
        self._process = _fork.Process(target=_be_worker, args=arguments, name=place.name, daemon=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # about threads: ours only write the log
            self._process.start()
        theirs.close()

    def give(self, job: Job) -> bool:
        """Send the worker a match; tell whether it could take it."""
        try:
            self.link.send(job)
        except OSError:
            return False
        self.jobs.append(job)
        return True

    def hear(self) -> Report | Dropped | Exception:
        """Return what the worker says; raises `EOFError` if it has died."""
        report: Report | Dropped | Exception = self.link.recv()
        self.jobs.pop(0)
        return report

    def take_back(self) -> None:
        """Tell the worker to begin nothing new; it says what it drops."""
        with suppress(OSError):
            self.link.send(None)

    def close(self, *, was_killed: bool = False) -> None:
        """End the worker, by force if need be."""
        self.link.close()
        if self.jobs or was_killed:
            self._process.terminate()
        self._process.join(_LEAVE_S)
        is_stuck = self._process.is_alive()
        if is_stuck:
            self._process.kill()
            self._process.join()
        self._process.close()
        self._log.close(was_killed=was_killed or is_stuck)


# ---- inside a worker


def _be_worker(
    link: Connection, log: WorkerLog, place: _Place, forget: Callable[[], None], ours: Sequence[Connection]
) -> NoReturn:
    """Play what comes, until the pipe closes; leaves without any of the parent's cleaning up."""
    code = 1
    try:
        _settle(place)
        for connection in ours:
            connection.close()
        forget()
        log.use()
        with BotPool() as pool:
            try:
                _serve(link, place, pool)
            finally:
                signal.signal(signal.SIGTERM, signal.SIG_IGN)  # nothing may interrupt the ending of bots
    except (EOFError, OSError):
        code = 0  # nothing more comes
    except SystemExit:
        code = 143
    finally:
        with suppress(BaseException):
            log.flush()
        os._exit(code)


def _settle(place: _Place) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interruption means
    signal.signal(signal.SIGTERM, _leave)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, place.cores)
    if sys.platform == "linux":
        kernel.call("prctl", kernel.PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != place.parent:
            os._exit(1)


def _leave(*_: object) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(143)


def _serve(link: Connection, place: _Place, pool: BotPool) -> NoReturn:
    waiting: deque[Job] = deque()
    while True:
        while not waiting or link.poll():
            job = link.recv()
            if job is not None:
                waiting.append(job)
                continue
            while waiting:
                link.send(Dropped(waiting.popleft().task))
        link.send(_play(waiting.popleft(), place, pool))


def _play(job: Job, place: _Place, pool: BotPool) -> Report | Exception:
    task = job.task
    names = ", ".join(bot.name for bot in job.bots)
    watch, begun = LoadWatch(), monotonic()
    try:
        with LiveWriter(place.folder, place.name, _head(job)) as writer:
            record = play_match(task.spec, job.bots, writer, pool)
    except UsageError as error:
        return error  # it would fail again: the run cannot go on
    except ArenaError as error:
        LOGGER.error("block %d match %d (%s) is void: %s", task.block, task.nth, names, error)
        return Void(task, str(error))
    except Exception as error:
        LOGGER.exception("block %d match %d (%s) is void", task.block, task.nth, names)
        return Void(task, f"of {type(error).__name__}: {error}")
    data = to_json(record)
    is_suspect = watch.suspects(record)
    for fault in record.faults:
        detail = fault.evidence.detail
        LOGGER.warning("match %s: %s: %s: %s", record.id, record.seats[fault.seat].name, fault.kind, detail)
    played = prepare(record, data, task.block, task.bots, round((monotonic() - begun) * 1000), is_suspect=is_suspect)
    faults = tuple(FaultSeen(task.bots[fault.seat], fault.kind, fault.evidence.detail) for fault in record.faults)
    return Finished(task, played, f"ranks {list(record.ranks)}", faults)


def _head(job: Job) -> LiveHead:
    return LiveHead(
        match=job.task.spec.match_id([bot.digest for bot in job.bots]),
        spec=job.task.spec,
        names=tuple(bot.name for bot in job.bots),
        bots=job.task.bots,
        pid=os.getpid(),
    )

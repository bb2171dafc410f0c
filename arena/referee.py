"""Plays one match between running programs, and returns the record of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic_ns

from msgspec.structs import asdict

from arena.bot_process import BotProcess, wait_for_any, wait_for_exit
from arena.bots import Bot
from arena.briefing import Briefing
from arena.doctor import protections
from arena.errors import ArenaError, UsageError
from arena.limits import LEAVE_MS
from arena.match import MatchSpec, seat_names
from arena.player import Choice, Player, never_started
from arena.pool import BotPool
from arena.protocol import Chronicle, EndReason, Ready
from arena.record import FORMAT, Fault, MatchRecord, PlyRecord, SeatRecord
from arena.replay import opening_numbers, passes_of
from arena.sandbox import StartFailed
from arena.sandbox.choose import strongest
from arena.text import as_name
from arena.version import VERSION
from engine import Game, Result

# how memory and CPU time are accounted for; where seats differ, a match notes the weakest
_WEAKNESS = ("exact", "cgroup", "rlimit, watchdog", "rlimit", "approximate", "none")


class Observer:
    """Told what happens while a match runs; does nothing unless overridden."""

    def on_start(self, game: Game, names: Sequence[str]) -> None:
        """Hear that all bots have had their chance to start."""

    def on_ply(self, game: Game, ply: PlyRecord) -> None:
        """Hear that a piece was placed."""

    def on_fault(self, game: Game, fault: Fault) -> None:
        """Hear that a seat has forfeited."""

    def on_stderr(self, seat: int, data: bytes) -> None:
        """Hear what a bot wrote to its log."""


def play_match(
    spec: MatchSpec, bots: Sequence[Bot], observer: Observer | None = None, pool: BotPool | None = None
) -> MatchRecord:
    """Play a match to its end; whatever a bot does ends in the record.

    Raises `ArenaError` for trouble of our own: the match is then void. Bots that allow it stay up in `pool`, if given.
    """
    game = spec.new_game()
    seats = len(game.variant.seats)
    if len(bots) != seats:
        raise UsageError(f"{spec.variant} has {seats} seat{'s' * (seats != 1)}, got {len(bots)} bots")
    spec.check()
    with _pinned(spec.pin):
        return _Match(spec, bots, game, observer or Observer(), pool or BotPool(keeps=0)).play()


class _Match:
    """One match under way."""

    def __init__(self, spec: MatchSpec, bots: Sequence[Bot], game: Game, observer: Observer, pool: BotPool) -> None:
        self._spec = spec
        self._bots = bots
        self._game = game
        self._observer = observer
        self._pool = pool
        self._id = spec.match_id([bot.digest for bot in bots])
        self._told_names = seat_names([bot.name for bot in bots])
        self._chronicle = Chronicle(game)
        self._players: dict[int, Player] = {}  # by seat; a faulty one is removed
        self._ready: dict[int, Ready] = {}
        self._sandbox: dict[str, str] = {}
        self._plies: list[PlyRecord] = []
        self._faults: list[Fault] = []
        self._is_told = False  # that the game is over

    def play(self) -> MatchRecord:
        try:
            try:
                self._start()
                self._observer.on_start(self._game, self._told_names)
                self._play_opening()
                while not self._game.is_over:
                    self._play_turn()
            except ArenaError:
                self._say_end("void", self._game.result())
                raise
            reason, result = self._reason(), self._game.result()
            self._say_end(reason, result)
            return self._record(reason, result)
        finally:
            self._dismiss()

    # ---- start

    def _start(self) -> None:
        wanted = self._spec.limits.sandbox
        self._sandbox = dict(protections(strongest() if wanted == "auto" else wanted))
        seats = range(len(self._bots))
        # one after the other, each at rest before the next one runs: on one core they would slow each other down
        for group in [list(seats)] if self._spec.ponder else [[seat] for seat in seats]:
            self._welcome(group)

    def _welcome(self, seats: Sequence[int]) -> None:
        for seat in seats:
            self._seat(seat, reuse=True)
        # what a bot sent between two games came with our hello; a new process has nothing to say about those
        for seat in self._hear_ready(seats):
            self._seat(seat, reuse=False)
        self._hear_ready([seat for seat in seats if seat not in self._ready])

    def _seat(self, seat: int, *, reuse: bool) -> None:
        """Start a bot and greet it."""
        try:
            process = self._pool.take(self._bots[seat], self._spec.limits, reuse=reuse)
        except StartFailed as problem:
            self._note_fault(never_started(seat, str(problem)))
            return
        process.on_stderr = lambda data: self._observer.on_stderr(seat, data)
        for key, by in process.confined.protections.items():
            known = self._sandbox.get(key, by)
            self._sandbox[key] = max(known, by, key=_WEAKNESS.index) if by in _WEAKNESS else by
        briefing = Briefing(self._spec, self._id, self._game, self._chronicle, seat, self._told_names)
        self._players[seat] = Player(process, briefing, seat, self._players, freezes=not self._spec.ponder)
        self._players[seat].say_hello()

    def _hear_ready(self, seats: Iterable[int]) -> list[int]:
        """Wait for some bots at the same time; return the seats of those that stayed up, but are not fit to go on."""
        deadline = monotonic_ns() + self._spec.time.start_ms * 1_000_000
        waiting = {seat: self._players[seat] for seat in seats if seat in self._players}
        unfit = []
        while waiting:
            left_ms = (deadline - monotonic_ns()) // 1_000_000 + 1
            for seat, player in list(waiting.items()):
                heard = player.hear_ready(is_late=left_ms <= 0)
                if heard is not None:
                    del waiting[seat]
                if isinstance(heard, Ready):
                    self._ready[seat] = heard
                elif heard and player.process.is_reused and left_ms > 0:
                    unfit.append(seat)
                elif heard:
                    self._note_fault(heard)
            if waiting and left_ms > 0:
                wait_for_any([player.process for player in waiting.values()], left_ms)
        return unfit

    def _play_opening(self) -> None:
        for number in opening_numbers(self._spec, self._game):
            self._note_ply(Choice(number, 0, 0, 0, "", None), opening=True)

    # ---- turns

    def _play_turn(self) -> None:
        game = self._game
        assert game.seat is not None
        choice = self._players[game.seat].choose(game)
        if isinstance(choice, Fault):
            self._note_fault(choice)
        else:
            self._note_ply(choice)

    def _note_ply(self, choice: Choice, *, opening: bool = False) -> None:
        game = self._game
        move = game.placements.move(choice.number)
        assert game.color is not None
        assert game.seat is not None
        ply = PlyRecord(
            turn=game.turn,
            color=game.color,
            seat=game.seat,
            piece=move.piece,
            cells=move.cells,
            wall_us=choice.wall_us,
            cpu_us=choice.cpu_us,
            bank_ms=choice.bank_ms,
            note=choice.note,
            eval=choice.eval,
            opening=opening,
        )
        game.place(choice.number)
        self._plies.append(ply)
        self._observer.on_ply(game, ply)

    def _note_fault(self, fault: Fault) -> None:
        self._players.pop(fault.seat, None)
        self._game.retire(fault.seat)
        self._faults.append(fault)
        self._observer.on_fault(self._game, fault)

    # ---- end

    def _reason(self) -> EndReason:
        return "all-forfeited" if len(self._faults) == len(self._bots) else "finished"

    def _say_end(self, reason: EndReason, result: Result) -> None:
        for player in self._players.values():
            if not player.is_convicted:
                player.say_end(player.briefing.end(reason, result, self._faults))
        self._is_told = True

    def _dismiss(self) -> None:
        """Keep the bots that may stay, and let the others go, by force if need be."""
        leaving: list[BotProcess] = []
        for seat, player in self._players.items():
            if player.is_convicted:
                continue
            ready = self._ready.get(seat)
            may_stay = self._is_told and ready and ready.games == "many"
            if not (may_stay and self._pool.keep(self._bots[seat], player.process)):
                leaving.append(player.process)
        try:
            for process in leaving:
                process.thaw()
                process.close_input()
            wait_for_exit(leaving, LEAVE_MS)
        finally:
            for process in leaving:
                process.end()

    def _record(self, reason: EndReason, result: Result) -> MatchRecord:
        assert reason != "void"
        return MatchRecord(
            format=FORMAT,
            arena=VERSION,
            id=self._id,
            **asdict(self._spec),
            sandbox=self._sandbox,
            seats=tuple(self._seat_records()),
            plies=tuple(self._plies),
            passes=tuple(passes_of(self._game)),
            faults=tuple(self._faults),
            reason=reason,
            scores=result.scores,
            totals=tuple(result.totals),
            ranks=tuple(result.ranks),
        )

    def _seat_records(self) -> Iterator[SeatRecord]:
        names = seat_names([_final_name(bot, self._ready.get(seat)) for seat, bot in enumerate(self._bots)])
        for seat, bot in enumerate(self._bots):
            ready = self._ready.get(seat)
            yield SeatRecord(
                name=names[seat],
                told_name=self._told_names[seat],
                version=bot.version or _said(ready.version if ready else None),
                author=bot.author or _said(ready.author if ready else None),
                language=bot.language,
                source=bot.source,
                digest=bot.digest,
                ready=ready,
            )


def _final_name(bot: Bot, ready: Ready | None) -> str:
    return bot.name if bot.is_named else _said(ready.name if ready else None) or bot.name


def _said(text: object) -> str:
    """Return what a bot says of itself as one printable line."""
    return as_name(text.strip()) if isinstance(text, str) else ""


@contextmanager
def _pinned(pin: bool) -> Iterator[None]:
    """Keep this process, and the bots it starts, to one core."""
    if not pin or not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    if len(before) == 1:
        yield
        return
    core = sorted(before)[os.getpid() % len(before)]
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)

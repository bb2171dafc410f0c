"""A record played again: step by step, judged anew, or as the lines that one bot was told. Pure."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from arena.briefing import Briefing
from arena.clock import Clock
from arena.errors import RecordError
from arena.match import MatchSpec
from arena.protocol import Chronicle
from arena.record import Fault, MatchRecord, PassRecord, PlyRecord
from engine import BadRequest, Game, IllegalMove, Move, Passed


def steps(record: MatchRecord) -> Iterator[PlyRecord | Fault]:
    """Yield placements and faults as they happened: the faults of a turn come before its placement."""
    faults = sorted(record.faults, key=lambda fault: fault.turn)  # stable: those of one turn keep their order
    for number, ply in enumerate(record.plies):
        while faults and faults[0].turn <= number:
            yield faults.pop(0)
        yield ply
    yield from faults


def take(game: Game, step: PlyRecord | Fault) -> None:
    """Do to a game what a step did; raises `IllegalMove`."""
    if isinstance(step, Fault):
        game.retire(step.seat)
    else:
        game.play(Move(step.piece, step.cells))


def positions(record: MatchRecord) -> Iterator[tuple[Game, PlyRecord | Fault | None]]:
    """Yield the game before its first step, and after each one; it is one game, which goes on."""
    game = record.spec.new_game()
    yield game, None
    for step in steps(record):
        try:
            take(game, step)
        except (IllegalMove, BadRequest) as error:
            raise RecordError(f"match {record.id}, turn {step.turn}: {error}") from error
        yield game, step


def opening_numbers(spec: MatchSpec, game: Game) -> Iterator[int]:
    """Yield the placements of the opening, as the seed draws them; the caller plays each before the next is drawn."""
    rng = random.Random(spec.opening_seed())  # noqa: S311
    for _ in range(spec.opening_plies):
        if game.is_over:
            return
        yield game.legal_number(int(rng.random() * game.legal_count()))


def passes_of(game: Game) -> list[PassRecord]:
    """Return the passes of a game, each with the number of pieces placed before it."""
    found = []
    turn = 0
    for event in game.events():
        if isinstance(event, Passed):
            found.append(PassRecord(turn=turn, color=event.color, seat=event.seat, reason=event.reason))
        else:
            turn += 1
    return found


# ---- the lines of one seat


class Told(NamedTuple):
    """One line to a bot, the game as it stood then, and what the record says came of it."""

    line: bytes
    game: Game
    bank_ms: int
    outcome: PlyRecord | Fault | None  # None for the first and the last line


def lines_for(record: MatchRecord, seat: int) -> Iterator[Told]:
    """Yield exactly the lines that a seat got in a match, up to the point where it failed."""
    if not 0 <= seat < len(record.seats):
        raise RecordError(f"match {record.id} has seats 0 to {len(record.seats) - 1}, got {seat}")
    game = record.spec.new_game()
    names = [each.told_name for each in record.seats]
    briefing = Briefing(record.spec, record.id, game, Chronicle(game), seat, names)
    yield Told(briefing.hello(), game.copy(), 0, None)
    ready = record.seats[seat].ready
    if ready is None:
        return  # it never got another
    briefing.note_ready(ready)
    for step in steps(record):
        is_asked = step.seat == seat and not (isinstance(step, PlyRecord) and step.opening)
        if is_asked and isinstance(step, Fault) and not step.evidence.wall_us:
            return  # it spoke without being asked, and was not asked any more
        if is_asked:
            yield Told(briefing.turn(), game.copy(), briefing.clock.bank_ms, step)
        if isinstance(step, Fault) and is_asked:
            return
        if isinstance(step, PlyRecord) and is_asked:
            briefing.clock.charge(_charged(record.spec, step))
        take(game, step)
    yield Told(briefing.end(record.reason, game.result(), record.faults), game, 0, None)


def _charged(spec: MatchSpec, ply: PlyRecord) -> int:
    return ply.cpu_us if spec.time.kind == "cpu" else ply.wall_us


# ---- judged anew


def verify(record: MatchRecord) -> list[str]:
    """Return everything in a record that the rules do not bear out, in words; nothing if it stands."""
    try:
        game = record.spec.new_game()
    except Exception as error:  # an unknown variant is one more thing that does not stand
        return [str(error)]
    if len(record.seats) != len(game.variant.seats):
        return [f"{record.spec.variant} has {len(game.variant.seats)} seats, the record {len(record.seats)}"]
    verdict = _Verdict(record, game)
    verdict.check_steps()
    if not verdict.is_broken:
        verdict.check_end()
    return verdict.problems


class _Verdict:
    """The judging of one record."""

    def __init__(self, record: MatchRecord, game: Game) -> None:
        self.problems: list[str] = []
        self.is_broken = False  # what follows cannot be judged
        self._record = record
        self._game = game
        self._clocks = [Clock(record.spec.time) for _ in record.seats]

    def check_steps(self) -> None:
        for step in steps(self._record):
            before = len(self.problems)
            if isinstance(step, Fault):
                self._check_fault(step)
            else:
                self._check_ply(step)
            if self.is_broken:
                return
            if len(self.problems) > before + 10:
                self.problems.append("and so on")
                return

    def check_end(self) -> None:
        record, game = self._record, self._game
        self._check_opening()
        if not game.is_over:
            self._complain(f"the game is not over: {game.color} can still move")
        result = game.result()
        self._compare("the passes", record.passes, tuple(passes_of(game)))
        for color in result.scores:
            self._compare(f"the score of {color}", record.scores.get(color), result.scores[color])
        self._compare("the scored colors", sorted(record.scores), sorted(result.scores))
        for seat, (total, rank) in enumerate(zip(result.totals, result.ranks, strict=True)):
            self._compare(f"the total of seat {seat}", _at(record.totals, seat), total)
            self._compare(f"the rank of seat {seat}", _at(record.ranks, seat), rank)
        self._compare("the number of totals", len(record.totals), len(result.totals))
        self._compare("the number of ranks", len(record.ranks), len(result.ranks))
        faulty = len({fault.seat for fault in record.faults})
        self._compare("the reason", record.reason, "all-forfeited" if faulty == len(record.seats) else "finished")
        self._compare("the id", record.id, record.spec.match_id([seat.digest for seat in record.seats]))

    def _check_ply(self, ply: PlyRecord) -> None:
        game = self._game
        where = f"turn {ply.turn}"
        if game.is_over:
            self._break(f"{where}: the game was over by then")
            return
        self._compare("the number of a turn", ply.turn, game.turn)
        self._compare(f"{where}: the color", ply.color, game.color)
        self._compare(f"{where}: the seat", ply.seat, game.seat)
        assert game.seat is not None
        if not ply.opening:
            clock = self._clocks[game.seat]
            self._compare(f"{where}: the bank told", ply.bank_ms, clock.bank_ms)
            if not clock.charge(_charged(self._record.spec, ply)):
                self._complain(f"{where}: took longer than allowed, but was not a fault")
        try:
            game.play(Move(ply.piece, ply.cells))
        except IllegalMove as error:
            self._break(f"{where}: {ply.color} may not play {ply.piece}: {error}")

    def _check_fault(self, fault: Fault) -> None:
        game = self._game
        where = f"turn {fault.turn}: the fault of seat {fault.seat}"
        if not 0 <= fault.seat < len(self._record.seats):
            self._break(f"{where}: there is no such seat")
            return
        self._compare(f"{where}: the turn", fault.turn, game.turn)
        has_started = self._record.seats[fault.seat].ready is not None
        if has_started and fault.seat != game.seat:
            self._complain(f"{where}: it was the turn of seat {game.seat}")
        if not game.retire(fault.seat):
            self._complain(f"{where}: it had nothing left to play")

    def _check_opening(self) -> None:
        record = self._record
        game = record.spec.new_game()
        for fault in record.faults:
            if record.seats[fault.seat].ready is None:
                game.retire(fault.seat)
        drawn = []
        for number in opening_numbers(record.spec, game):
            drawn.append(game.placements.move(number))
            game.play_number(number)
        self._compare("the opening", [Move(ply.piece, ply.cells) for ply in record.plies if ply.opening], drawn)

    def _compare(self, what: str, recorded: object, judged: object) -> None:
        if recorded != judged:
            self._complain(f"{what}: the record says {recorded}, the rules {judged}")

    def _complain(self, problem: str) -> None:
        self.problems.append(problem)

    def _break(self, problem: str) -> None:
        self.problems.append(problem)
        self.is_broken = True


def _at(values: tuple[int, ...], index: int) -> int | None:
    return values[index] if index < len(values) else None

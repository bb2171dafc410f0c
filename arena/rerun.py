"""Feeds a bot the lines that it got in a recorded match, to reproduce what it did there."""

from __future__ import annotations

from collections.abc import Callable

from arena import protocol
from arena.bot_process import BotProcess, wait_for_any
from arena.bots import load_bot
from arena.limits import TimeControl
from arena.player import FAULTS, number_of_answer
from arena.protocol import Garbage, shown
from arena.record import MatchRecord, PlyRecord
from arena.replay import Told, lines_for
from arena.sandbox import StartFailed
from engine import Game, Move, RulesError
from engine.notation import format_move

_DAY_MS = 24 * 3600 * 1000
_GRACE_MS = 250


def rerun(record: MatchRecord, seat: int, source: str | None, *, no_limit: bool, tell: Callable[[str], None]) -> bool:
    """Feed a seat's lines to its bot and tell what comes; return whether it got through without a fault."""
    lines = list(lines_for(record, seat))
    bot = load_bot(source or record.seats[seat].source, record.limits.sandbox)
    if bot.digest != record.seats[seat].digest:
        tell(f"note: {bot.source} is not the program of the record: its content differs")
    try:
        process = BotProcess(bot.command, record.limits, lambda data: _tell_log(data, tell))
    except StartFailed as problem:
        tell(f"no-start: {problem}")
        return False
    try:
        got_through = all(_Feed(process, told, record.time, no_limit, tell).do() for told in lines)
        return got_through and _keeps_silent(record, seat, process, tell)
    finally:
        process.end()


def _keeps_silent(record: MatchRecord, seat: int, process: BotProcess, tell: Callable[[str], None]) -> bool:
    """Tell whether a bot that spoke without being asked does so again after the same lines."""
    for fault in record.faults:
        if fault.seat == seat and record.seats[seat].ready is not None and not fault.evidence.wall_us:
            wait_for_any([process], _GRACE_MS)
            trouble = process.check_silence()
            if trouble:
                tell(f"turn {fault.turn}: {FAULTS[trouble.kind]}: {trouble.detail}: {shown(trouble.line)}")
                return False
            tell(f"turn {fault.turn}: said nothing (in the record {fault.kind}: {fault.evidence.detail})")
    return True


class _Feed:
    """One line fed to a bot, and its answer."""

    def __init__(
        self, process: BotProcess, told: Told, time: TimeControl, no_limit: bool, tell: Callable[[str], None]
    ) -> None:
        self._process = process
        self._told = told
        self._time = time
        self._no_limit = no_limit
        self._tell = tell

    def do(self) -> bool:
        """Return whether the bot did as it should."""
        try:
            if self._told.line.startswith(b'{"type":"hello"'):
                return self._hello()
            if self._told.outcome is None:
                self._process.tell(self._told.line, 10**8)
                self._tell("end of the game")
                return True
            return self._turn(self._told.game)
        except Garbage as problem:
            self._tell(f"turn {self._told.game.turn}: garbage: {problem}")
        except RulesError as problem:
            self._tell(f"turn {self._told.game.turn}: illegal: {problem}")
        return False

    def _hello(self) -> bool:
        answer = self._ask(self._time.start_ms)
        if answer is None:
            return False
        protocol.decode_ready(answer)
        self._tell(f"hello: ready in {self._process.elapsed_ns / 1e9:.3f} s")
        return True

    def _turn(self, game: Game) -> bool:
        answer = self._ask(self._time.move_ms + self._told.bank_ms + self._time.margin_ms)
        if answer is None:
            return False
        has_list = b'"legal' in self._told.line
        number = number_of_answer(game, protocol.decode_move(answer, game.turn, has_list=has_list))
        said = format_move(game.placements.move(number), game.variant)
        self._tell(f"turn {game.turn}: {game.color} {said} in {self._process.elapsed_ns / 1e9:.3f} s{self._then(said)}")
        return True

    def _then(self, said: str) -> str:
        """Return how the answer differs from the recorded one."""
        outcome = self._told.outcome
        if isinstance(outcome, PlyRecord):
            before = format_move(Move(outcome.piece, outcome.cells), self._told.game.variant)
            return "" if said == before else f" (in the record {before})"
        return f" (in the record {outcome.kind}: {outcome.evidence.detail})" if outcome else ""

    def _ask(self, budget_ms: int) -> bytes | None:
        budget_ms = _DAY_MS if self._no_limit else budget_ms
        answer = self._process.ask(self._told.line, budget_ms * 1_000_000)
        if isinstance(answer, bytes):
            return answer
        end = self._process.end(_GRACE_MS)
        unfinished = f", unfinished line {shown(answer.line)}" if answer.line else ""
        self._tell(f"turn {self._told.game.turn}: {FAULTS[answer.kind]}: {answer.detail} ({end}{unfinished})")
        return None


def _tell_log(data: bytes, tell: Callable[[str], None]) -> None:
    for line in data.decode(errors="replace").splitlines():
        tell(f"    stderr: {line}")

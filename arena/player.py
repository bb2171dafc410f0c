"""Asks one bot for its moves over the protocol: a `Choice`, or the `Fault` that it committed instead."""

from __future__ import annotations

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from arena import protocol
from arena.bot_process import BotProcess, Trouble
from arena.briefing import Briefing
from arena.protocol import NOTE_CHARACTERS, Garbage, MoveAnswer, Ready
from arena.record import Evidence, Fault, FaultKind
from engine import BadRequest, Game, IllegalMove

_EVIDENCE_CHARACTERS = 2000
_GRACE_MS = 250  # for a bot that closed its pipes to end by itself, so that its own exit code is seen
_MEMORY_SHARE = 0.95
_END_NS = 100_000_000  # for a bot to take in its last line
_CELLS_SHOWN = 30
# what each kind of trouble is called when it comes after `ready`
FAULTS: dict[str, FaultKind] = {"timeout": "timeout", "flood": "flood", "ended": "crash", "unasked": "garbage"}


class Choice(msgspec.Struct, frozen=True):
    """A legal placement by its number, and what it took to find it."""

    number: int
    wall_us: int
    cpu_us: int
    bank_ms: int  # as the bot was told
    note: str
    eval: float | None


class Player:
    """One bot at one seat for one game."""

    def __init__(self, process: BotProcess, briefing: Briefing, seat: int, *, freezes: bool) -> None:
        self.process = process
        self.briefing = briefing
        self.seat = seat
        self.ready: Ready | None = None
        self._freezes = freezes
        self._cpu_ns = 0
        self._sent = b""

    # ---- the handshake

    def say_hello(self) -> None:
        """Send the first line; the answer is looked for by `hear_ready`."""
        self._sent = self.briefing.hello()
        self.process.thaw()  # one that stayed up from another game
        self.process.say(self._sent)

    def hear_ready(self, *, is_late: bool) -> Ready | Fault | None:
        """Return the bot's `ready`, the fault it committed instead, or None if there is nothing yet."""
        answer = self.process.answer()
        if answer is None:
            if not is_late:
                return None
            expected = f"a ready message within {self.briefing.clock.control.start_ms} ms"
            return self._fault("no-start", 0, Evidence(detail=f"expected {expected}, got nothing"))
        if isinstance(answer, Trouble):
            if answer.kind == "ended":
                detail = "ended instead of sending a ready message"
                return self._fault("no-start", 0, Evidence(detail=detail, received=_cut(answer.line)))
            return self._fault(FAULTS[answer.kind], 0, Evidence(detail=answer.detail, received=_cut(answer.line)))
        try:
            self.ready = protocol.decode_ready(answer)
        except Garbage as problem:
            return self._fault("garbage", 0, Evidence(detail=str(problem), received=_cut(answer)))
        self.briefing.note_ready(self.ready)
        self._rest()
        return self.ready

    # ---- a move

    def choose(self, game: Game) -> Choice | Fault:
        """Ask for a move, and judge the answer."""
        process, clock = self.process, self.briefing.clock
        self._sent = self.briefing.turn()
        trouble = process.check_silence()
        if trouble:
            evidence = Evidence(detail=trouble.detail, color=game.color, received=_cut(trouble.line))
            return self._fault(FAULTS[trouble.kind], game.turn, evidence)
        if self._freezes:
            process.thaw()
        else:
            self._cpu_ns = process.cpu_ns()
        budget_us, bank_ms = clock.budget_us, clock.bank_ms
        charges_cpu = clock.control.kind == "cpu"
        patience_ns = (budget_us + clock.control.margin_ms * 1000) * 1000
        answer = process.ask(self._sent, patience_ns, self._cpu_left_ns if charges_cpu else None)
        cpu_us = self._rest()
        wall_us = process.elapsed_ns // 1000
        in_time = clock.charge(cpu_us if charges_cpu else wall_us)
        if in_time and isinstance(answer, bytes):
            return self._judge(game, answer, wall_us, cpu_us, bank_ms)
        kind: FaultKind = "timeout"
        detail = f"expected a move within {budget_us / 1e6:.3f} s, got none in {wall_us / 1e6:.3f} s"
        if charges_cpu:
            detail += f" ({cpu_us / 1e6:.3f} s of CPU time)"
        line = answer.line if isinstance(answer, Trouble) else answer
        if isinstance(answer, Trouble) and answer.kind != "timeout":
            kind, detail = FAULTS[answer.kind], answer.detail
        return self._fault(
            kind,
            game.turn,
            Evidence(
                detail=detail,
                color=game.color,
                received=_cut(line),
                wall_us=wall_us,
                cpu_us=cpu_us,
                limit_us=budget_us,
            ),
        )

    def _judge(self, game: Game, line: bytes, wall_us: int, cpu_us: int, bank_ms: int) -> Choice | Fault:
        answer: MoveAnswer | None = None
        try:
            answer = protocol.decode_move(line, game.turn, has_list=self.briefing.has_list)
            number = number_of_answer(game, answer)
        except (Garbage, IllegalMove, BadRequest) as problem:
            evidence = Evidence(
                detail=str(problem), color=game.color, received=_cut(line), wall_us=wall_us, cpu_us=cpu_us
            )
            if isinstance(problem, Garbage):
                return self._fault("garbage", game.turn, evidence)
            if isinstance(problem, IllegalMove) and answer:
                named = _small(answer.cells)
                evidence = replace(evidence, rule=problem.rule, cells=problem.cells, named=named)
            else:
                evidence = replace(evidence, rule="index out of range")
            return self._fault("illegal", game.turn, evidence)
        note = "" if answer.note is UNSET else answer.note[:NOTE_CHARACTERS]
        return Choice(number, wall_us, cpu_us, bank_ms, note, None if answer.eval is UNSET else answer.eval)

    def _cpu_left_ns(self, wall_ns: int) -> int:
        """Return how much longer to wait for a bot that is charged for CPU time."""
        clock = self.briefing.clock
        patience_ns = (clock.budget_us + clock.control.margin_ms * 1000) * 1000
        used_ns = self.process.cpu_ns() - self._cpu_ns
        cap_ns = clock.control.wall_cap_ms(clock.budget_us // 1000) * 1_000_000
        return min(patience_ns - used_ns, cap_ns - wall_ns)

    def _rest(self) -> int:
        """Stop the bot until its next turn; return the CPU time it used since the last reading, in microseconds."""
        now = self.process.cpu_ns()
        if self._freezes:
            self.process.freeze()
        used, self._cpu_ns = now - self._cpu_ns, now
        return max(0, used) // 1000

    # ---- the end

    def say_end(self, line: bytes) -> None:
        """Send the last line."""
        self.process.thaw()
        self.process.tell(line, _END_NS)

    def _fault(self, kind: FaultKind, turn: int, evidence: Evidence) -> Fault:
        """End the bot, and return what it did with all that proves it."""
        process = self.process
        if kind in ("crash", "no-start"):
            process.thaw()
            end = process.end(_GRACE_MS)
        else:
            end = process.end()
        detail = evidence.detail
        if kind == "crash" or (kind == "no-start" and "ended" in detail):
            if end.peak_mb >= _MEMORY_SHARE * process.limits.memory_mb:
                kind = "memory"
                detail = f"ended at {end.peak_mb} MB of the {process.limits.memory_mb} MB allowed"
            detail = f"{detail} ({end})"
        evidence = replace(
            evidence,
            detail=detail,
            sent=_cut(self._sent),
            exit=str(end),
            stderr=process.log.text(),
            peak_mb=end.peak_mb,
        )
        return Fault(seat=self.seat, kind=kind, turn=turn, evidence=evidence)


def number_of_answer(game: Game, answer: MoveAnswer) -> int:
    """Return the placement that an answer names, if it is legal."""
    if answer.cells is not UNSET:
        return game.judge_cells(answer.cells)
    assert answer.index is not UNSET
    return game.legal_number(answer.index)


def _small(cells: object) -> tuple[protocol.CellPair, ...]:
    """Return the cells that a bot named, as far as they could be on a board: giants do not fit into a record."""
    if not isinstance(cells, list):
        return ()
    return tuple([cell for cell in cells[:_CELLS_SHOWN] if all(-1000 < part < 1000 for part in cell)])


def never_started(seat: int, detail: str) -> Fault:
    """Return the fault of a bot whose command could not even be executed."""
    return Fault(seat=seat, kind="no-start", turn=0, evidence=Evidence(detail=detail))


def _cut(line: bytes) -> str:
    text = line[: 4 * _EVIDENCE_CHARACTERS].decode(errors="replace").rstrip("\r\n")
    return text if len(text) <= _EVIDENCE_CHARACTERS else f"{text[:_EVIDENCE_CHARACTERS]}… [{len(line)} bytes]"

"""Asks one bot for its moves over the protocol: a `Choice`, or the `Fault` that it committed instead."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from arena import protocol
from arena.bot_process import BotProcess, Trouble, wait_for_exit
from arena.briefing import Briefing
from arena.protocol import NOTE_CHARACTERS, FaultKind, Garbage, MoveAnswer, Ready
from arena.record import Evidence, Fault
from engine import BadRequest, Game, IllegalMove

_EVIDENCE_CHARACTERS = 2000
_GRACE_MS = 250  # for a bot that closed its pipes to end by itself, so that its own exit code is seen
_MEMORY_SHARE = 0.95
_STOPPED_US = 5_000  # of CPU time while a bot is stopped: less is the end of what the kernel was doing for it
_STOLEN_NS = 200_000_000  # more than any honest system call takes
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


class _Spent(msgspec.Struct, frozen=True):
    """The time that a bot used for a move, and had."""

    wall_us: int
    cpu_us: int
    limit_us: int
    bank_ms: int


class Player:
    """One bot at one seat for one game."""

    def __init__(
        self, process: BotProcess, briefing: Briefing, seat: int, table: Mapping[int, Player], *, freezes: bool
    ) -> None:
        """Sit down at a table, at which others may be."""
        self._table = table
        self.process = process
        self.briefing = briefing
        self.seat = seat
        self.ready: Ready | None = None
        self._freezes = freezes
        self._cpu_ns = 0
        self._patience_ns = 0
        self._taken_by_ended_ns = 0
        self._crime = ""
        self._sent = b""
        # children that nobody waits for are in no account, where there is no control group
        is_vague = process.confined.protections.get("cpu") == "approximate" and process.limits.sandbox != "none"
        self._is_cpu_known = not is_vague
        control = briefing.clock.control
        self._is_charged_cpu = control.kind == "cpu"
        self._move_us, self._margin_us = control.move_ms * 1000, control.margin_ms * 1000
        self._time_left = self._cpu_left_ns if self._is_charged_cpu and self._is_cpu_known else self._wall_left_ns

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
            answer = self.process.give_up()
        if isinstance(answer, Trouble):
            return self._no_start(answer)
        try:
            self.ready = protocol.decode_ready(answer)
        except Garbage as problem:
            return self._fault("garbage", 0, replace(self._start_evidence(answer), detail=str(problem)))
        self.briefing.note_ready(self.ready)
        self._rest()
        return self.ready

    def _no_start(self, trouble: Trouble) -> Fault:
        evidence = self._start_evidence(trouble.line)
        if trouble.kind == "ended":
            detail = "ended, or closed its input or output, instead of sending a ready message"
            return self._fault("no-start", 0, replace(evidence, detail=detail), has_ended=True)
        if trouble.kind == "timeout":
            expected = f"a ready message within {self.briefing.clock.control.start_ms} ms"
            got = protocol.shown(trouble.line) if trouble.line else "nothing"
            return self._fault("no-start", 0, replace(evidence, detail=f"expected {expected}, got {got}"))
        return self._fault(FAULTS[trouble.kind], 0, replace(evidence, detail=trouble.detail))

    def _start_evidence(self, line: bytes) -> Evidence:
        return Evidence(
            detail="",
            received=_cut(line),
            wall_us=self.process.elapsed_ns // 1000,
            cpu_us=self.process.cpu_ns() // 1000,
            limit_us=self.briefing.clock.control.start_ms * 1000,
        )

    # ---- a move

    def choose(self, game: Game) -> Choice | Fault:
        """Ask for a move, and judge the answer."""
        process, clock = self.process, self.briefing.clock
        if self._crime:
            return self._fault("timeout", game.turn, Evidence(detail=self._crime, color=game.color))
        line = self.briefing.turn()
        trouble = process.check_silence()
        if trouble:
            evidence = Evidence(detail=trouble.detail, color=game.color, received=_cut(trouble.line))
            return self._fault(FAULTS[trouble.kind], game.turn, evidence)
        answer, spent = self._ask(line)
        in_time = clock.charge(spent.cpu_us if self._is_charged_cpu else spent.wall_us)
        if isinstance(answer, Trouble):
            return self._no_move(game, answer, spent)
        if not in_time:
            return self._no_move(game, Trouble("timeout", "answered too late", answer), spent)
        return self._judge(game, answer, spent)

    def _ask(self, line: bytes) -> tuple[bytes | Trouble, _Spent]:
        """Return the bot's answer, and the time that it is charged for."""
        process, clock = self.process, self.briefing.clock
        before_ns = process.cpu_ns()
        stopped_us = 0
        if self._freezes:
            stopped_us = (before_ns - self._cpu_ns) // 1000
            process.thaw()
        self._sent, self._cpu_ns, self._taken_by_ended_ns = line, before_ns, 0
        budget_us, bank_ms = clock.budget_us, clock.bank_ms
        self._patience_ns = (budget_us + self._margin_us) * 1000
        answer = process.ask(line, self._patience_ns, self._time_left)
        cpu_us, wall_us = self._rest(), process.elapsed_ns // 1000
        if wall_us > self._move_us:
            wall_us = max(0, wall_us - self._taken_by_others_ns() // 1000)
        if stopped_us > _STOPPED_US:  # whoever finds a way to run while it is stopped pays for it
            cpu_us, wall_us = cpu_us + stopped_us, wall_us + stopped_us
        if not self._is_cpu_known:
            cpu_us = max(cpu_us, wall_us)
        return answer, _Spent(wall_us, cpu_us, budget_us, bank_ms)

    def _no_move(self, game: Game, trouble: Trouble, spent: _Spent) -> Fault:
        evidence = self._turn_evidence(game, trouble.line, spent, trouble.detail)
        if trouble.kind == "timeout":
            detail = f"expected a move within {spent.limit_us / 1e6:.3f} s, got none in {spent.wall_us / 1e6:.3f} s"
            if self.briefing.clock.control.kind == "cpu":
                detail += f" ({spent.cpu_us / 1e6:.3f} s of CPU time)"
            evidence = replace(evidence, detail=detail)
        return self._fault(FAULTS[trouble.kind], game.turn, evidence, has_ended=trouble.kind == "ended")

    def _judge(self, game: Game, line: bytes, spent: _Spent) -> Choice | Fault:
        answer: MoveAnswer | None = None
        try:
            answer = protocol.decode_move(line, game.turn, has_list=self.briefing.has_list)
            number = number_of_answer(game, answer)
        except (Garbage, IllegalMove, BadRequest) as problem:
            evidence = self._turn_evidence(game, line, spent, str(problem))
            if isinstance(problem, Garbage):
                return self._fault("garbage", game.turn, evidence)
            if isinstance(problem, IllegalMove) and answer:
                named = _small(answer.cells)
                evidence = replace(evidence, rule=problem.rule, cells=problem.cells, named=named)
            else:
                evidence = replace(evidence, rule="index out of range")
            return self._fault("illegal", game.turn, evidence)
        note = "" if answer.note is UNSET else answer.note[:NOTE_CHARACTERS]
        value = None if answer.eval is UNSET else answer.eval
        return Choice(number, spent.wall_us, spent.cpu_us, spent.bank_ms, note, value)

    def _turn_evidence(self, game: Game, line: bytes, spent: _Spent, detail: str) -> Evidence:
        return Evidence(
            detail=detail,
            color=game.color,
            received=_cut(line),
            wall_us=spent.wall_us,
            cpu_us=spent.cpu_us,
            limit_us=spent.limit_us,
        )

    def _cpu_left_ns(self, wall_ns: int) -> int:
        """Return how much longer to wait for a bot that is charged for CPU time."""
        clock = self.briefing.clock
        used_ns = self.process.cpu_ns() - self._cpu_ns
        cap_ns = clock.control.wall_cap_ms(clock.budget_us // 1000) * 1_000_000
        return min(self._patience_ns - used_ns, cap_ns + self._taken_by_others_ns() - wall_ns)

    def _wall_left_ns(self, wall_ns: int) -> int:
        """Return how much longer to wait for a bot whose time is up: as long as others have run in the meantime."""
        return self._patience_ns + self._taken_by_others_ns() - wall_ns

    def _taken_by_others_ns(self) -> int:
        """Return the CPU time that others used while they were stopped; those that used much of it are ended.

        A signal does not stop a thread inside a long system call.
        """
        running_ns = 0
        for other in self._table.values():
            if self._freezes and other is not self and not other.is_convicted:
                used_ns = other.process.cpu_ns() - other._cpu_ns
                if used_ns > _STOLEN_NS:
                    other.convict(used_ns)
                    self._taken_by_ended_ns += used_ns
                else:
                    running_ns += max(0, used_ns)
        return running_ns + self._taken_by_ended_ns

    def convict(self, used_ns: int) -> None:
        """End the bot, which ran while others had their turn; its fault is noted when its own comes."""
        self._crime = f"used {used_ns / 1e9:.3f} s of CPU time while it was stopped, and was ended"
        self.process.end()

    @property
    def is_convicted(self) -> bool:
        """Whether the bot was ended while others played."""
        return bool(self._crime)

    def _rest(self) -> int:
        """Stop the bot until its next turn; return the CPU time it used since the last reading, in microseconds."""
        if self._freezes:
            self.process.freeze()
        now = self.process.cpu_ns()
        used, self._cpu_ns = now - self._cpu_ns, now
        return max(0, used) // 1000

    # ---- the end

    def say_end(self, line: bytes) -> None:
        """Send the last line."""
        self.process.thaw()
        self.process.tell(line, _END_NS)

    def _fault(self, kind: FaultKind, turn: int, evidence: Evidence, *, has_ended: bool = False) -> Fault:
        """End the bot, and return what it did with all that proves it; `has_ended` is what it did, or seems to do."""
        process = self.process
        if has_ended:
            process.thaw()
            wait_for_exit([process], _GRACE_MS)
        status = "still running" if not process.confined.has_ended() else ""
        end = process.end()
        status = status or str(end)
        detail = evidence.detail
        if has_ended:
            if end.peak_mb >= _MEMORY_SHARE * process.limits.memory_mb:
                kind = "memory"
                detail = f"ended at {end.peak_mb} MB of the {process.limits.memory_mb} MB allowed"
            detail = f"{detail} ({status})"
        evidence = replace(
            evidence,
            detail=detail,
            sent=_cut(self._sent),
            exit=status,
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

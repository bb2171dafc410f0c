"""The exact lines that one seat is told. Pure: the referee sends them, a rerun rebuilds them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET

from arena import protocol
from arena.clock import Clock
from arena.match import MatchSpec
from arena.protocol import Chronicle, ClockInfo, End, EndReason, FaultInfo, Played, Ready, SeatInfo, Turn, TurnClock
from arena.record import Fault
from engine import Game, Result
from engine.diagram import board_rows


class Briefing:
    """Tells one seat about a game, and remembers what it has told."""

    def __init__(
        self, spec: MatchSpec, match: str, game: Game, chronicle: Chronicle, seat: int, names: Sequence[str]
    ) -> None:
        self._spec = spec
        self._match = match
        self._game = game
        self._chronicle = chronicle
        self._seat = seat
        self._names = names
        self._told = 0  # events
        self._want: frozenset[str] = frozenset()
        self.clock = Clock(spec.time)

    def hello(self) -> bytes:
        """Return the first line of the game."""
        variant, time = self._game.variant, self._spec.time
        seats = tuple(
            SeatInfo(self._shown_name(seat), colors, team)
            for seat, (colors, team) in enumerate(zip(variant.seats, variant.teams, strict=True))
        )
        clock = ClockInfo(time.kind, time.start_ms, time.move_ms, time.bank_ms, time.increment_ms, time.margin_ms)
        message = protocol.hello(
            self._game,
            match=self._match,
            seat=self._seat,
            seats=seats,
            clock=clock,
            seed=self._spec.seed_of(self._seat),
        )
        return protocol.encode(message)

    def note_ready(self, ready: Ready) -> None:
        """Remember what the bot wants in every `turn`."""
        self._want = frozenset(ready.want)

    @property
    def has_list(self) -> bool:
        """Whether the bot has been given something to index."""
        return "legal" in self._want or "count" in self._want

    def turn(self) -> bytes:
        """Return the line that asks for a move now."""
        game = self._game
        want = self._want
        message = Turn(
            turn=game.turn,
            color=game.color or "",
            played=self._news(),
            clock=TurnClock(self._spec.time.move_ms, self.clock.bank_ms),
            legal=protocol.legal_list(game.placements, game.legal_bits()) if "legal" in want else UNSET,
            legal_count=game.legal_count() if "count" in want else UNSET,
            board=board_rows(game) if "board" in want else UNSET,
        )
        return protocol.encode(message)

    def end(self, reason: EndReason, result: Result, faults: Sequence[Fault]) -> bytes:
        """Return the last line of the game."""
        message = End(
            reason=reason,
            played=self._news(),
            scores=result.scores,
            totals=result.totals,
            ranks=result.ranks,
            faults=[FaultInfo(fault.seat, fault.kind, fault.turn) for fault in faults],
        )
        return protocol.encode(message)

    def _news(self) -> list[Played]:
        news = self._chronicle.since(self._told)
        self._told += len(news)
        return news

    def _shown_name(self, seat: int) -> str:
        if self._spec.anonymous and seat != self._seat:
            return f"player {seat + 1}"
        return self._names[seat]

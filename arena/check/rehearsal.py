"""One bot alone on a stage: the engine plays all others, so that every situation can be arranged."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic_ns
from typing import Literal, NamedTuple

import msgspec

from arena.bot_process import BotProcess, wait_for_any
from arena.bots import Bot
from arena.briefing import Briefing
from arena.limits import ResourceLimits, TimeControl
from arena.match import MatchSpec
from arena.player import FAULTS, Choice, Player
from arena.protocol import Chronicle, EndReason, Ready
from arena.record import Evidence, Fault
from engine import Game
from engine.grid import Cell
from engine.notation import parse_game
from engine.placements import numbers

_MS = 1_000_000
_CLUMSY_TRIES = 16
_REST_MS = 100
_REST_TRIES = 20
_SHOWN = 2000


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """A situation to put a bot into."""

    variant: str = "classic"
    seat: int = 0
    seed: int = 1
    opening: str = ""  # placements that everybody is told of as played, as a game's notation
    rivals: Literal["random", "clumsy"] = "random"  # clumsy ones block themselves early
    forfeits: tuple[tuple[int, int], ...] = ()  # from which turn on which seat forfeits
    answers: int | None = None  # how many to ask for; None: all, to the end of the game
    patience_s: float = 10.0  # a game of a bot that thinks for longer, all in all, is broken off
    listens: bool = False  # after each answer, for what was not asked for


class Answer(NamedTuple):
    """What a bot named, and the game as it stood."""

    game: Game
    cells: tuple[Cell, ...]


class Take(msgspec.Struct, kw_only=True):
    """How a scene went."""

    scene: Scene
    game: Game
    time: TimeControl
    fault: Fault | None = None
    ready: Ready | None = None
    ready_us: int = 0
    answers: list[Answer] = msgspec.field(default_factory=list)
    lines: list[bytes] = msgspec.field(default_factory=list)  # all that the bot was told
    slowest_us: int = 0
    is_broken_off: bool = False  # the bot thinks for long, and the rest would tell little

    @property
    def where(self) -> str:
        """The scene and the turn, for a message."""
        asked = self.fault.evidence.color if self.fault else None
        seat = f"seat {self.scene.seat} of {self.scene.variant}"
        return f"{asked} ({seat}), turn {self.game.turn}" if asked else seat


class Taped(BotProcess):
    """A bot's process that keeps what it was told."""

    def __init__(self, bot: Bot, limits: ResourceLimits) -> None:
        """Start the bot; raises `StartFailed`."""
        self.lines: list[bytes] = []
        super().__init__(bot.command, limits)

    def say(self, line: bytes) -> None:
        """Begin to write a line, and keep it."""
        self.lines.append(line)
        super().say(line)


@contextmanager
def on_stage(bot: Bot, limits: ResourceLimits, kind: type[Taped] = Taped) -> Iterator[Taped]:
    """Give a new process of a bot, which is ended afterwards; raises `StartFailed`."""
    process = kind(bot, limits)
    try:
        yield process
    finally:
        process.end()


def rehearse(process: Taped, scene: Scene, time: TimeControl) -> Take:
    """Play a scene with a bot that runs, and return how it went; the bot is told of the end, but may stay."""
    return _Rehearsal(process, scene, time).play()


class _Rehearsal:
    """A scene under way."""

    def __init__(self, process: Taped, scene: Scene, time: TimeControl) -> None:
        spec = MatchSpec(variant=scene.variant, seed=scene.seed, time=time, limits=process.limits)
        self._process = process
        self._scene = scene
        self._rng = random.Random(scene.seed)  # noqa: S311
        self._game = game = parse_game(scene.opening) if scene.opening else spec.new_game()
        names = ["you" if seat == scene.seat else f"rival-{seat}" for seat in range(len(game.variant.seats))]
        briefing = Briefing(spec, "check", game, Chronicle(game), scene.seat, names)
        self._player = Player(process, briefing, scene.seat, {}, freezes=False)
        self._forfeits = list(scene.forfeits)
        self._faults: list[Fault] = []
        self._thought_us = 0
        process.lines = []
        self._take = Take(scene=scene, game=game, time=time, lines=process.lines)

    def play(self) -> Take:
        self._take.fault = self._fault = self._shake_hands()
        while self._fault is None and not self._is_done():
            self._play_turn()
        if self._fault is None and (self._game.is_over or self._take.is_broken_off):
            reason: EndReason = "void" if self._take.is_broken_off else "finished"
            self._player.say_end(self._player.briefing.end(reason, self._game.result(), self._faults))
        self._take.fault = self._fault
        return self._take

    def _is_done(self) -> bool:
        take, wanted = self._take, self._scene.answers
        take.is_broken_off = self._thought_us > self._scene.patience_s * 1e6
        return self._game.is_over or take.is_broken_off or (wanted is not None and len(take.answers) >= wanted)

    def _shake_hands(self) -> Fault | None:
        player = self._player
        begun = monotonic_ns()
        deadline = begun + self._take.time.start_ms * _MS
        player.say_hello()
        while True:
            left_ms = (deadline - monotonic_ns()) // _MS + 1
            heard = player.hear_ready(is_late=left_ms <= 0)
            if isinstance(heard, Fault):
                return heard
            if heard is not None:
                self._take.ready, self._take.ready_us = heard, (monotonic_ns() - begun) // 1000
                return self._settle()
            wait_for_any([self._process], left_ms)

    def _play_turn(self) -> None:
        game = self._game
        if self._forfeits and game.turn >= self._forfeits[0][0]:
            self._forfeit(self._forfeits.pop(0)[1])
        elif game.seat == self._scene.seat:
            self._ask()
        elif self._scene.rivals == "clumsy":
            game.place(_clumsy_number(game, self._rng))
        else:
            game.play_random(self._rng)

    def _forfeit(self, seat: int) -> None:
        if self._game.retire(seat):
            evidence = Evidence(detail="arranged by the check")
            self._faults.append(Fault(seat=seat, kind="timeout", turn=self._game.turn, evidence=evidence))

    def _ask(self) -> None:
        before = self._game.copy()
        choice = self._player.choose(self._game)
        if isinstance(choice, Choice):
            self._take.slowest_us = max(self._take.slowest_us, choice.wall_us)
            self._thought_us += choice.wall_us
            self._take.answers.append(Answer(before, self._game.placements.move(choice.number).cells))
            self._game.place(choice.number)
            self._fault = self._settle()
        else:
            self._fault = choice
            if choice.evidence.named:
                self._take.answers.append(Answer(before, choice.evidence.named))

    def _settle(self) -> Fault | None:
        """Listen for a while; return what the bot did wrong if it spoke."""
        if not self._scene.listens:
            return None
        wait_until_at_rest(self._process)
        trouble = self._process.check_silence()
        if trouble is None:
            return None
        evidence = Evidence(
            detail=trouble.detail,
            color=self._game.color,
            sent=shown(self._process.lines[-1]),
            received=shown(trouble.line),
            stderr=self._process.log.text(),
        )
        return Fault(seat=self._scene.seat, kind=FAULTS[trouble.kind], turn=self._game.turn, evidence=evidence)


def wait_for_silence(process: BotProcess, patience_ms: int) -> None:
    """Take in whatever a bot says within some time."""
    deadline = monotonic_ns() + patience_ms * _MS
    while (left := deadline - monotonic_ns()) > 0 and not process.confined.has_ended():
        wait_for_any([process], min(5, left // _MS + 1))


def wait_until_at_rest(process: BotProcess) -> None:
    """Take in whatever a bot says until it has ended, or waits for its next line; on a loaded machine that may take."""
    wait_for_silence(process, _REST_MS)
    for _ in range(_REST_TRIES):
        if process.confined.has_ended() or _is_asleep(process.confined.pid):
            return
        wait_for_silence(process, _REST_MS)


def _is_asleep(pid: int) -> bool:
    """Tell whether a process waits for something; where that cannot be seen, it is taken to."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] in (b"S", b"D")
    except OSError:
        return True


def shown(line: bytes) -> str:
    """Return a line as text, cut."""
    return line[:_SHOWN].decode(errors="replace").rstrip("\r\n")


def _clumsy_number(game: Game, rng: random.Random) -> int:
    """Return the one of some placements after which its color has the fewest left."""
    color = game.color
    found = list(numbers(game.legal_bits()))
    tries = rng.sample(found, min(_CLUMSY_TRIES, len(found)))

    def left_after(number: int) -> int:
        twin = game.copy()
        twin.place(number)
        return twin.legal_count(color)

    return min(tries, key=left_after)

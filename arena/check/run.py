"""The steps of a check, in order; each is told as soon as it is done."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from arena.bots import Bot, load_bot
from arena.check.beginnings import why_not_built, why_not_started
from arena.check.diagnosis import picture, why
from arena.check.endings import FIELDS
from arena.check.leaving import how_it_left, why_crashed_at_end, why_it_stays, why_not_at_rest
from arena.check.logs import end_of
from arena.check.long_lines import InParts, long_scene, size_of, why_not_whole
from arena.check.rehearsal import Scene, Take, Taped, on_stage, rehearse, wait_until_at_rest
from arena.check.report import Cause, Report, Step, cut
from arena.errors import BotSetupError
from arena.limits import ResourceLimits, TimeControl
from arena.protocol import Ready
from arena.sandbox import StartFailed
from engine import VARIANTS

_LOW_MS = 250  # a short time for a move, that every bot should be able to keep to
_LOW_TRIES = 3  # a loaded machine can be late
_LOW_ANSWERS = 3
_LEAVE_TRIES = 2
# for whole games, so that a bot that uses all its time does not take minutes; one that cannot keep to it plays again
_BRISK_MS = 60
_BRISK_BANK_MS = 1_000
_LONG_LOG = 1_000_000  # bytes in one game
_MUCH_MEMORY = 0.8
_SOME_ANSWERS = 6
_WORDS, _WORD = 8, 40  # of a bot's `want` that are shown: how many, and characters of each
# purple has one placement left, and is out after it
_SMOTHERED = "duo I5a@a10 Pd@j5 Ye@f14 Nf@h9 Nb@a13 Fa@f10"
_SPECIAL = {"two": " (two colors of one seat)", "three": " (the turning color)"}


class Checkup(msgspec.Struct, frozen=True, kw_only=True):
    """What to check a bot for."""

    variants: tuple[str, ...] = ()  # none: those that it claims
    preferred: str | None = None  # of those that it claims only this one, or else its first
    time: TimeControl = TimeControl()
    limits: ResourceLimits = ResourceLimits()
    patience_s: float = 10.0  # a game of a bot that thinks for longer, all in all, is broken off
    quick: bool = False  # start, handshake, first move, long lines, a game of each variant, clean exit; nothing more

    @property
    def home(self) -> str:
        """The variant for all that is not about variants."""
        return "classic" if "classic" in self.variants else self.variants[0]


def _ignore(step: Step) -> None:
    """Do nothing."""


def check_source(source: str, checkup: Checkup, tell: Callable[[Step], None] = _ignore) -> Report:
    """Check the bot of a path or name, as `check` does; one that cannot be loaded or built fails the first step.

    Raises `BotSetupError` if there is nothing of that name.
    """
    try:
        bot = load_bot(source, checkup.limits.sandbox)
    except BotSetupError as problem:
        if not Path(source).exists():
            raise
        cause = why_not_built(str(problem))
        step = Step(number=1, name="start", ok=False, detail=cause.what, advice=cause.advice)
        tell(step)
        return Report(bot=Path(source).stem, source=source, steps=(step,))
    return check(bot, checkup, tell)


def check(bot: Bot, checkup: Checkup, tell: Callable[[Step], None] = _ignore) -> Report:
    """Check a bot, tell each step as it is done, and return them all."""
    return _Check(bot, replace(checkup, variants=checkup.variants or _claims(bot, checkup.preferred)), tell).run()


def _claims(bot: Bot, preferred: str | None) -> tuple[str, ...]:
    if preferred is None:
        return bot.variants
    return (preferred,) if preferred in bot.variants else bot.variants[:1]


def _wants(ready: Ready) -> str:
    """Return in words what a bot asked for, and what of that nobody knows."""
    known = list(FIELDS.values())
    told = " and ".join(word for word in ready.want if word in known)
    unknown = ", ".join(cut(word, _WORD) for word in ready.want[:_WORDS] if word not in known)
    if unknown:
        told = f"{told}{' and ' * bool(told)}{unknown}, which nobody knows (expected any of {', '.join(known)})"
    return told or "nothing"


class _Stop(Exception):
    """The rest of a check makes no sense."""


class _Check:
    """A check under way."""

    def __init__(self, bot: Bot, checkup: Checkup, tell: Callable[[Step], None]) -> None:
        self._bot = bot
        self._checkup = checkup
        self._tell = tell
        self._steps: list[Step] = []
        self._causes: list[tuple[int, Cause]] = []  # each with the first step that failed for it
        self._time = checkup.time
        self._take: Take | None = None  # the first one
        self._peak_mb = 0.0
        self._longest_log = 0

    def run(self) -> Report:
        try:
            self._begin()
            if not self._checkup.quick:
                self._check_low_limits()
                self._check_bookkeeping()
                self._check_blocked()
            self._check_long_lines()
            for variant in dict.fromkeys(self._checkup.variants):
                self._check_variant(variant)
            self._check_exit()
            if not self._checkup.quick:
                self._check_spending()
                self._check_repeats()
                self._check_reuse()
        except _Stop:
            pass
        return Report(bot=self._bot.name, source=self._bot.source, steps=tuple(self._steps))

    # ---- the beginning: without these nothing else can be seen

    def _begin(self) -> None:
        scene = self._scene(variant=self._checkup.home, seat=self._usual_seat(), answers=1, listens=True)
        try:
            take = self._take = self._rehearse(scene, self._checkup.time)
        except StartFailed as problem:
            self._fail("start", why_not_started(self._bot, str(problem)))
            raise _Stop from None
        fault = take.fault
        if fault and fault.kind in ("no-start", "memory") and fault.evidence.exit != "still running":
            self._fail_take("start", take)
            raise _Stop
        self._pass("start", f"it runs: {' '.join(self._bot.command.argv)}")
        if take.ready is None or (fault and not take.answers and not fault.evidence.wall_us):
            self._fail_take("handshake", take)
            raise _Stop
        games = "many games" if take.ready.games == "many" else "one game"
        wants = _wants(take.ready)
        self._pass("handshake", f"ready after {take.ready_us / 1e6:.2f} s; wants {wants}; plays {games} a process")
        if fault:
            self._fail_take("first move", take)
            raise _Stop
        self._pass("first move", f"{take.where}: legal, after {take.slowest_us / 1e6:.3f} s")

    def _usual_seat(self) -> int:
        """Return the second seat, if there is one: yellow's corner tells rows from columns."""
        return min(1, len(VARIANTS[self._checkup.home].seats) - 1)

    def _check_low_limits(self) -> None:
        low_ms = min(_LOW_MS, self._checkup.time.move_ms)
        low = replace(self._checkup.time, move_ms=low_ms, bank_ms=0, increment_ms=0)
        scene = self._scene(variant=self._checkup.home, seat=self._usual_seat(), answers=_LOW_ANSWERS)
        for _ in range(_LOW_TRIES):
            take = self._rehearse(scene, low)
            if take.fault is None or take.fault.kind != "timeout":
                break
        if take.fault and (take.fault.kind == "timeout" or self._rehearse(scene, self._checkup.time).fault is None):
            self._fail_take("low limits", take)
            return
        if take.fault:
            self._note("low limits", "left out: it fails with more time too, see the next steps")
            return
        self._pass("low limits", f"answers within {low_ms} ms; the slowest took {take.slowest_us / 1e6:.3f} s")
        brisk_ms = min(_BRISK_MS, self._checkup.time.move_ms)
        self._time = replace(self._checkup.time, move_ms=brisk_ms, bank_ms=_BRISK_BANK_MS, increment_ms=0)

    # ---- whole games

    def _check_bookkeeping(self) -> None:
        seat, seats = self._usual_seat(), len(VARIANTS[self._checkup.home].seats)
        forfeits = ((6, (seat + 1) % seats),) if seats > 1 else ()
        scene = self._scene(variant=self._checkup.home, seat=seat, seed=2, rivals="clumsy", forfeits=forfeits)
        self._check_game("bookkeeping", scene, "kept the board through moves, passes and a forfeit")

    def _check_blocked(self) -> None:
        if "duo" not in self._checkup.variants:
            self._note("blocked early", "left out: it is arranged in duo")
            return
        name, scene = "blocked early", self._short_game()
        with on_stage(self._bot, self._checkup.limits) as process:
            take = rehearse(process, scene, self._checkup.time)
            crash = None if take.fault else why_crashed_at_end(process)
        self._ended(process)
        if take.fault:
            self._fail_take(name, take)
        elif crash:
            self._fail(name, crash, take, process.log.text())
        else:
            self._pass(name, f"after an opening, {self._answers(take)}, then blocked while the others played on")

    def _check_long_lines(self) -> None:
        scene = long_scene(self._checkup.variants)
        take = self._rehearse(scene, self._checkup.time, InParts)
        if take.fault is None:
            self._pass("long lines", f"read a line of {size_of(take)} that came in two parts")
        elif cause := why_not_whole(self._bot, take, self._checkup.limits):
            self._fail("long lines", cause, take)
        else:
            self._fail_take("long lines", take)

    def _check_variant(self, variant: str) -> None:
        seat = len(VARIANTS[variant].seats) - 1
        scene = self._scene(variant=variant, seat=seat, seed=3)
        colors = ", ".join(VARIANTS[variant].seats[seat])
        self._check_game(f"variant {variant}", scene, f"a game as {colors}{_SPECIAL.get(variant, '')}")

    def _check_game(self, name: str, scene: Scene, praise: str) -> None:
        take = self._rehearse(scene, self._time)
        if take.fault and take.fault.kind == "timeout" and self._time != self._checkup.time:
            take = self._rehearse(scene, self._checkup.time)  # with all the time that it was promised
        if take.fault:
            self._fail_take(name, take)
            return
        broken_off = "; broken off, because it thinks for long" if take.is_broken_off else ""
        self._pass(name, f"{praise}: {self._answers(take)}{broken_off}")

    # ---- the end

    def _check_exit(self) -> None:
        name = "end and clean exit"
        cause: Cause | None = None
        for _ in range(_LEAVE_TRIES):
            with on_stage(self._bot, self._checkup.limits) as process:
                take = rehearse(process, self._short_game(), self._checkup.time)
                if take.fault:
                    self._note(name, "left out: no game came to its end")
                    return
                cause = why_crashed_at_end(process) or why_it_stays(process)
                self._ended(process)
                if cause is None:
                    self._pass(name, how_it_left(process))
                    return
        assert cause is not None
        self._fail(name, cause, take, process.log.text())

    def _short_game(self) -> Scene:
        if "duo" in self._checkup.variants:
            return self._scene(variant="duo", opening=_SMOTHERED)
        return self._scene(variant=self._checkup.home)

    def _ended(self, process: Taped) -> None:
        """End a bot, and note what it used."""
        self._peak_mb = max(self._peak_mb, process.end().peak_mb)

    # ---- what it spends, and reuse

    def _check_spending(self) -> None:
        if self._longest_log > _LONG_LOG:
            what = f"it floods standard error: {self._longest_log / 1e6:.1f} MB in one game"
            self._note("stderr", what, "Only its beginning and end are kept; writing it costs thinking time.")
        else:
            self._note("stderr", f"at most {self._longest_log} bytes in one game")
        allowed = self._checkup.limits.memory_mb
        used = (
            f"{self._peak_mb:.0f} MB of {allowed} MB at most"
            if self._peak_mb
            else "so little that it is not known here"
        )
        if self._peak_mb > _MUCH_MEMORY * allowed:
            self._note("memory", used, "Close to the limit: a longer game may go beyond it.")
        else:
            self._pass("memory", used)

    def _check_repeats(self) -> None:
        scene = self._scene(variant=self._checkup.home, seat=self._usual_seat(), answers=_SOME_ANSWERS)
        one, two = (self._rehearse(scene, self._time) for _ in range(2))
        same = [answer.cells for answer in one.answers] == [answer.cells for answer in two.answers]
        if one.fault or two.fault:
            self._note("reproducible", "left out: see the steps before")
        elif same:
            self._note("reproducible", f"the same {len(one.answers)} moves from the same seed")
        else:
            self._note(
                "reproducible",
                "other moves from the same seed; a search that the clock cuts short does that",
                "Draw your random numbers from `seed` of hello.",
            )

    def _check_reuse(self) -> None:
        assert self._take is not None
        assert self._take.ready is not None
        if self._take.ready.games != "many":
            self._note("reuse", 'left out: it plays one game a process ("games":"one")')
            return
        first = self._short_game()
        second = self._scene(variant=self._checkup.home, seat=self._usual_seat(), seed=4, answers=_SOME_ANSWERS)
        with on_stage(self._bot, self._checkup.limits) as process:
            if rehearse(process, first, self._checkup.time).fault:
                self._note("reuse", "left out: the first game failed already")
                return
            wait_until_at_rest(process)
            if cause := why_not_at_rest(process):
                self._fail("reuse", cause, log=process.log.text())
                return
            take = rehearse(process, second, self._checkup.time)
        if take.fault is None:
            self._pass("reuse", f"a second game in the same process: {self._answers(take)}")
        elif self._rehearse(second, self._checkup.time).fault is None:
            cause = why(self._bot, take, self._checkup.limits)
            what = f"keeps something from the game before: the same game goes well in a new process. {cause.what}"
            self._fail("reuse", Cause(what, 'Forget all at `hello`, or leave "games" out.'), take)
        else:
            self._fail_take("reuse", take)

    # ---- steps

    def _scene(self, **settings: Any) -> Scene:
        return Scene(patience_s=self._checkup.patience_s, **settings)

    def _rehearse(self, scene: Scene, time: TimeControl, kind: type[Taped] = Taped) -> Take:
        with on_stage(self._bot, self._checkup.limits, kind) as process:
            take = rehearse(process, scene, time)
            self._longest_log = max(self._longest_log, process.log.size)
            self._ended(process)
        return take

    def _answers(self, take: Take) -> str:
        count = len(take.answers)
        return f"{count} move{'s' * (count != 1)}, the slowest took {take.slowest_us / 1e6:.3f} s"

    def _fail_take(self, name: str, take: Take) -> None:
        assert take.fault is not None
        self._fail(name, why(self._bot, take, self._checkup.limits), take)

    def _fail(self, name: str, cause: Cause, take: Take | None = None, log: str = "") -> None:
        evidence = take.fault.evidence if take and take.fault else None
        detail = f"{take.where}: {cause.what}" if take and name not in ("start", "handshake") else cause.what
        same_as = next((number for number, known in self._causes if cause.is_like(known)), None)
        if same_as is None:
            self._causes.append((len(self._steps) + 1, cause))
        step = Step(
            number=0,
            name=name,
            ok=False,
            detail=detail,
            advice=cause.advice,
            sent=evidence.sent if evidence else "",
            received=evidence.received if evidence else "",
            log=end_of(evidence.stderr if evidence else log),
            board=picture(take) if take and take.ready else "",
            same_as=same_as,
        )
        self._add(step)

    def _pass(self, name: str, detail: str) -> None:
        self._add(Step(number=0, name=name, ok=True, detail=detail))

    def _note(self, name: str, detail: str, advice: str = "") -> None:
        self._add(Step(number=0, name=name, ok=None, detail=detail, advice=advice))

    def _add(self, step: Step) -> None:
        step = replace(step, number=len(self._steps) + 1)
        self._steps.append(step)
        self._tell(step)

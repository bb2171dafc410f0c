"""Nobody loses by what others do while it is not their turn: they start one by one, and pay for what they take."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bot_process import BotProcess, Log, Trouble
from arena.bots import Bot
from arena.briefing import Briefing
from arena.limits import ResourceLimits, TimeControl
from arena.player import Choice, Player
from arena.pool import BotPool
from arena.protocol import Chronicle, Ready
from arena.record import Fault
from arena.referee import play_match
from arena.sandbox import Confined, Exit
from engine import Game
from tests.arena.helpers import ROOT, c_bot, folder_bot, play, spec_of

_MS = 1_000_000
_POPULATE_READ = 22


# ---- what is charged, with clocks that are set by hand


class _Box(Confined):
    """A process that is not there, with a clock of CPU time to set."""

    pid = stdin = stdout = stderr = -1

    def __init__(self, accounts: str) -> None:
        self.protections = {"cpu": accounts}
        self.used_ns = 0
        self.is_ended = False

    def cpu_ns(self) -> int:
        return self.used_ns

    def freeze(self) -> None: ...

    def thaw(self) -> None: ...

    def has_ended(self) -> bool:
        return self.is_ended

    def end(self) -> Exit:
        self.is_ended = True
        return Exit(0, None, 0, 0.0)


class _Thinker(BotProcess):
    """Stands in for a bot that needs so long for its move, while other things happen."""

    def __init__(self, *, takes_ms: int = 0, accounts: str = "exact", sandbox: str = "auto") -> None:
        self.box = _Box(accounts)
        self.confined = self.box
        self.limits = ResourceLimits(sandbox=sandbox)
        self.log = Log()
        self.elapsed_ns = 0
        self.takes_ns = takes_ms * _MS
        self.meanwhile: Callable[[], None] = lambda: None

    def ask(self, line: bytes, budget_ns: int, more_ns: Callable[[int], int] | None = None) -> bytes | Trouble:
        self.meanwhile()
        waited = budget_ns
        while waited < self.takes_ns and more_ns and (more := more_ns(waited)) > 0:
            waited += more
        self.elapsed_ns = min(waited, self.takes_ns)
        if waited < self.takes_ns:
            return Trouble("timeout", "did not answer in time")
        return b'{"type":"move","turn":0,"index":0}'

    def check_silence(self) -> None:
        return

    def end(self, grace_ms: int = 0) -> Exit:
        return self.box.end()


def table(*processes: _Thinker, kind: str = "wall", freezes: bool = True) -> list[Player]:
    game = Game("duo")
    control = TimeControl(kind="cpu" if kind == "cpu" else "wall", move_ms=100, margin_ms=10)
    seats: dict[int, Player] = {}
    for seat, process in enumerate(processes):
        briefing = Briefing(spec_of(time=control), "here", game, Chronicle(game), seat, ["one", "other"])
        briefing.note_ready(Ready(type="ready", want=["count"]))
        seats[seat] = Player(process, briefing, seat, seats, freezes=freezes)
    return list(seats.values())


def choose(player: Player) -> Choice | Fault:
    return player.choose(Game("duo"))


def burn(process: _Thinker, milliseconds: int) -> Callable[[], None]:
    def work() -> None:
        process.box.used_ns += milliseconds * _MS

    return work


@pytest.mark.parametrize(("stolen_ms", "is_late"), [(0, True), (50, True), (120, False), (150, False)])
def test_time_that_others_took_is_not_charged(stolen_ms: int, is_late: bool) -> None:
    mover, other = _Thinker(takes_ms=220), _Thinker()
    mover.meanwhile = burn(other, stolen_ms)
    answer = choose(table(mover, other)[0])
    assert isinstance(answer, Fault) == is_late
    assert not other.box.is_ended
    if isinstance(answer, Choice):
        assert answer.wall_us == (220 - stolen_ms) * 1000


def test_whoever_runs_on_for_long_is_ended_and_it_is_his_fault() -> None:
    mover, other = _Thinker(takes_ms=900), _Thinker()
    mover.meanwhile = burn(other, 820)
    players = table(mover, other)
    answer = choose(players[0])
    assert isinstance(answer, Choice)
    assert answer.wall_us == 80_000
    assert other.box.is_ended
    mover.meanwhile, mover.takes_ns = lambda: None, 200 * _MS
    assert isinstance(choose(players[0]), Fault)  # whoever has been ended takes nothing more
    fault = choose(players[1])
    assert isinstance(fault, Fault)
    assert fault.kind == "timeout"
    assert fault.evidence.detail == "used 0.820 s of CPU time while it was stopped, and was ended"


@pytest.mark.parametrize("kind", ["wall", "cpu"])
def test_what_a_bot_uses_while_it_is_stopped_is_charged_to_its_next_move(kind: str) -> None:
    mover, other = _Thinker(takes_ms=10), _Thinker(takes_ms=10)
    players = table(mover, other, kind=kind)
    mover.meanwhile = burn(other, 90)
    other.meanwhile = burn(other, 30)
    assert isinstance(choose(players[0]), Choice)
    answer = choose(players[1])
    assert isinstance(answer, Fault) == (kind == "cpu")  # 90 + 30 of CPU time, but 90 + 10 on the wall
    if isinstance(answer, Choice):
        assert answer.wall_us == 100_000


def test_whoever_may_think_on_the_others_time_pays_nothing() -> None:
    mover, other = _Thinker(takes_ms=220), _Thinker(takes_ms=10)
    mover.meanwhile = burn(other, 500)
    players = table(mover, other, freezes=False)
    assert isinstance(choose(players[0]), Fault)
    answer = choose(players[1])
    assert isinstance(answer, Choice)
    assert answer.wall_us == 10_000


@pytest.mark.parametrize(
    ("accounts", "sandbox", "is_late"),
    [("exact", "auto", False), ("approximate", "auto", True), ("approximate", "none", False)],
)
def test_where_the_time_of_children_is_not_known_waiting_counts_too(accounts: str, sandbox: str, is_late: bool) -> None:
    mover = _Thinker(takes_ms=200, accounts=accounts, sandbox=sandbox)
    answer = choose(table(mover, _Thinker(), kind="cpu")[0])
    assert isinstance(answer, Fault) == is_late


# ---- with real programs


def _can_populate() -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    pages = mmap.mmap(-1, 1 << 16)
    address = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    return bool(libc.madvise(ctypes.c_void_p(address), ctypes.c_size_t(1 << 16), _POPULATE_READ) == 0)


@pytest.mark.usefixtures("nothing_is_left")
def test_a_bot_that_no_signal_stops_is_ended_when_another_runs_out_of_time(tmp_path: Path) -> None:
    if not _can_populate():
        pytest.skip("needs Linux 5.14: here every system call can be stopped")
    restless = c_bot(ROOT / "tests" / "arena" / "restless.c")
    worker = folder_bot(tmp_path, "python3", "worker.py", name="worker", files={"worker.py": _WORKER})
    record = play(restless, worker, time=TimeControl(start_ms=20_000, move_ms=1_500))
    fault = next(fault for fault in record.faults if fault.seat == 0)
    assert fault.kind == "timeout"
    assert "while it was stopped, and was ended" in fault.evidence.detail


_WORKER = b"""\
import json, sys, time

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "want": ["count"]}), flush=True)
    elif message["type"] == "turn":
        until = time.process_time() + (1.2 if message["turn"] < 2 else 0)
        while time.process_time() < until:
            pass
        print(json.dumps({"type": "move", "turn": message["turn"], "index": 0}), flush=True)
"""


def test_bots_start_one_after_the_other(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    files = {"bot.py": _NOTER}
    bots = [folder_bot(tmp_path, "python3", "bot.py", files=files, env={"NOTES": str(notes)}) for _ in range(2)]
    play(*bots)
    assert notes.read_text(encoding="ascii") == "started ready started ready "


_NOTER = b"""\
import json, os, sys, time

def note(text):
    with open(os.environ["NOTES"], "a") as file:
        file.write(text + " ")

note("started")
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        time.sleep(0.2)
        note("ready")
        print(json.dumps({"type": "ready", "want": ["count"]}), flush=True)
    elif message["type"] == "turn":
        print(json.dumps({"type": "move", "turn": message["turn"], "index": 0}), flush=True)
"""


def test_a_match_notes_the_weakest_account_of_its_seats() -> None:
    class Pool(BotPool):
        accounts = iter(["approximate", "exact"])

        def take(self, bot: Bot, limits: ResourceLimits, *, reuse: bool = True) -> BotProcess:
            process = super().take(bot, limits, reuse=reuse)
            process.confined.protections["cpu"] = next(self.accounts)
            return process

    spec = spec_of()
    record = play_match(spec, [c_bot(ROOT / "tests" / "arena" / "c_bot.c")] * 2, pool=Pool(keeps=0))
    assert record.sandbox["cpu"] == "approximate"

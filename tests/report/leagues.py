"""Leagues for tests, of any size and as hostile as can be, without starting a single bot.

How it works: a few games are played at random in this process. A match of the schedule takes the one among them that
ends most like what its bots' strengths and some luck would make of it, with the bots' own names, times and notes.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

from msgspec.structs import asdict
from msgspec.structs import replace as with_fields

from arena.limits import TimeControl
from arena.match import MatchSpec, seat_names
from arena.protocol import Ready
from arena.record import FORMAT, Evidence, Fault, MatchRecord, PlyRecord, SeatRecord, to_json
from arena.replay import passes_of
from arena.schedule import Block, seatings
from arena.standings import Line, Standings
from arena.store import Division, Entry, Played, Store, Task, prepare
from engine import VARIANTS, Game, IllegalMove, Move

NOW = "2026-03-01T12:00:00Z"
NAMES = (
    "mcts",
    "lookahead",
    "mobility",
    "corners",
    "greedy",
    "random",
    "tetris-fan",
    "my-first-bot",
    "ursa",
    "polymath",
)
LANGUAGES = ("Python", "C++", "Rust", "Java", "JavaScript", "Go")
HOSTILE_NAMES = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "\u202eevil\u202c\u200f right to left",
    "W" * 500,
    "🤖🧩👩‍💻 emoji",
    "'; DROP TABLE bots; --",
    "{{ 7 * 7 }} </textarea></title>",
    "javascript:alert(3)",
    "Z" + "\u0351\u033b\u0489" * 40 + "algo",
)
HOSTILE_NOTES = (
    "</script><script>alert(4)</script>",
    "<!-- <script> ]]>",
    "\u202e\u2066 backwards \u0000\u001b[31m",
    "x" * 500,
    "&lt;b&gt; &amp; ${7*7} {{ 7*7 }} 🙂",
)
PROTECTIONS = {
    "backend": "landlock",
    "read_file": "landlock",
    "use_network": "seccomp",
    "see_file": "none",
    "memory": "rlimit, watchdog",
    "cpu": "exact",
}


@dataclass(frozen=True)
class Plan:
    """What a league is to be like."""

    bots: int = 6
    matches: int = 60  # at most, of each variant
    variants: tuple[str, ...] = ("classic",)
    is_hostile: bool = False
    faulty: float = 0.05  # the share of games with a fault
    seed: int = 1
    site_matches: int = 2000
    is_odd: bool = False  # withdrawn, superseded and filling bots, annulled and suspect matches
    time: TimeControl = field(default_factory=TimeControl)


@dataclass(frozen=True)
class _Sketch:
    """A game without names and times."""

    plies: tuple[tuple[int, str, int, Move], ...]  # turn, color, seat, move
    faults: tuple[Fault, ...]
    game: Game


def build(folder: Path, plan: Plan | None = None) -> Path:
    """Make a league in a folder, and return the folder."""
    plan = plan or Plan()
    folder.mkdir(parents=True, exist_ok=True)
    title = '"A <b>hostile</b> league"' if plan.is_hostile else '"The winter cup"'
    text = f"title = '''{title[1:-1]}'''\nsite_matches = {plan.site_matches}\n"
    (folder / "league.toml").write_text(text, encoding="utf-8")
    with Store(folder, now=NOW, writes=True) as store:
        entries = _enter(store, plan)
        if plan.is_odd:
            _play_suspect(store, entries, plan)
        for variant in plan.variants:
            play_variant(store, entries, plan, variant)
        if plan.is_odd:
            _make_odd(store, entries)
    return folder


def _play_suspect(store: Store, entries: Sequence[Entry], plan: Plan) -> None:
    """Let a time-out that the machine may have caused stand in for the first match, until it is played again."""
    play_variant(store, entries, replace(plan, matches=1), plan.variants[0], is_suspect=True)


def _make_odd(store: Store, entries: Sequence[Entry]) -> None:
    """Withdraw a bot, replace one by a new version, annul a match and all matches of a bot."""
    division = store.divisions()[0]
    matches = [found.match for found in store.counted(division)]
    store.note_machine("Test processor, 4 cores, Linux 6.1, CPython 3.11.2")
    store.annul(match=matches[3], reason="the <i>power</i> failed")
    store.withdraw(entries[-1], "by its author")
    second = entries[1]
    store.add_bot(second.name, "2.0", second.author, second.language, "f" * 64, "bots/new")
    store.annul(bot=entries[-2], reason="it read its opponents' files")


def _enter(store: Store, plan: Plan) -> list[Entry]:
    names = (HOSTILE_NAMES if plan.is_hostile else ()) + NAMES
    for nth in range(plan.bots):
        name = names[nth % len(names)] + (f"-{nth}" if nth >= len(names) else "")
        author = HOSTILE_NAMES[nth % 4] if plan.is_hostile else ("Ada", "Grace", "", "Edsger")[nth % 4]
        digest = hashlib.sha256(f"{plan.seed}/{nth}".encode()).hexdigest()
        is_filler = plan.is_odd and nth == 2
        language = LANGUAGES[nth % len(LANGUAGES)]
        store.add_bot(name, f"1.{nth}", author, language, digest, f"bots/{nth}", is_filler=is_filler)
    return store.bots()


def play_variant(store: Store, entries: Sequence[Entry], plan: Plan, variant: str, *, is_suspect: bool = False) -> None:
    """Add blocks of a variant to the schedule, and play them."""
    spec = MatchSpec(variant=variant, seed=plan.seed, time=plan.time)
    division = store.division_of(spec)
    seats = len(VARIANTS[variant].seats)
    number = len(store.blocks(division))
    rng = random.Random(f"{plan.seed}/{variant}/{number}")
    groups = list(combinations([entry.id for entry in entries], seats))
    rng.shuffle(groups)
    blocks, left = [], plan.matches
    while left > 0:
        bots = groups[number % len(groups)]
        games = min(left, len(seatings(bots, VARIANTS[variant])))
        blocks.append((Block(1 + number // len(groups), bots, rng.randrange(2**40)), games))
        left -= games
        number += 1
    store.add_blocks(division, blocks, spec)
    if is_suspect:
        (task,) = store.open_tasks(division)
        known = {entry.id: entry for entry in entries}
        store.add_matches([(task, _played(task, known, plan, is_suspect=True))])
    play_open(store, division, plan)


def play_open(store: Store, division: Division, plan: Plan, most: int = 10**9) -> int:
    """Play what is still to be played; return how many matches that were."""
    tasks = store.open_tasks(division)[:most]
    entries = {entry.id: entry for entry in store.bots()}
    for start in range(0, len(tasks), 500):
        chunk = tasks[start : start + 500]
        store.add_matches([(task, _played(task, entries, plan)) for task in chunk])
    return len(tasks)


def _played(task: Task, entries: dict[int, Entry], plan: Plan, *, is_suspect: bool = False) -> Played:
    record = record_of(task, [entries[bot] for bot in task.bots], plan)
    duration_ms = sum(ply.wall_us for ply in record.plies) // 1000
    return prepare(record, to_json(record), task.block, task.bots, duration_ms, is_suspect=is_suspect)


def record_of(task: Task, bots: Sequence[Entry], plan: Plan) -> MatchRecord:
    """Return the record of a match between these bots."""
    rng = random.Random(f"{task.spec.seed}/{task.nth}/{task.attempt}")
    luck = [rng.gauss(-bot.id, 2.5) for bot in bots]
    sketch = _likely(task.spec.variant, luck, rng, plan.faulty)
    result = sketch.game.result()
    spec = task.spec
    return MatchRecord(
        format=FORMAT,
        arena="0.1.0",
        id=spec.match_id([bot.digest for bot in bots]),
        **asdict(spec),
        sandbox=PROTECTIONS,
        seats=tuple(_seats(bots)),
        plies=tuple(_plies(sketch, rng, plan)),
        passes=tuple(passes_of(sketch.game)),
        faults=sketch.faults if not plan.is_hostile else tuple(_vandalize(fault) for fault in sketch.faults),
        reason="all-forfeited" if len(sketch.faults) == len(bots) else "finished",
        scores=result.scores,
        totals=tuple(result.totals),
        ranks=tuple(result.ranks),
    )


def _seats(bots: Sequence[Entry]) -> list[SeatRecord]:
    names = seat_names([bot.name for bot in bots])
    return [
        SeatRecord(
            name=name,
            told_name=name,
            version=bot.version,
            author=bot.author,
            language=bot.language,
            source=bot.path,
            digest=bot.digest,
            ready=Ready(type="ready", name=bot.name),
        )
        for name, bot in zip(names, bots, strict=True)
    ]


def _plies(sketch: _Sketch, rng: random.Random, plan: Plan) -> list[PlyRecord]:
    found = []
    for turn, color, seat, move in sketch.plies:
        wall_us = int(rng.lognormvariate(9 + seat, 0.6))
        note = ""
        if rng.random() < 0.4:
            note = (
                rng.choice(HOSTILE_NOTES) if plan.is_hostile else f"depth {1 + turn % 5}, {rng.randrange(9000)} nodes"
            )
        evaluation = round(rng.gauss(0, 1), 3) if rng.random() < 0.5 else None
        found.append(
            PlyRecord(
                turn=turn,
                color=color,
                seat=seat,
                piece=move.piece,
                cells=move.cells,
                wall_us=wall_us,
                cpu_us=wall_us * 9 // 10,
                note=note,
                eval=evaluation,
            )
        )
    return found


def _vandalize(fault: Fault) -> Fault:
    dirty = "\n".join(HOSTILE_NOTES)
    evidence = with_fields(
        fault.evidence, stderr=dirty, received=dirty, sent=dirty, detail=fault.evidence.detail + dirty
    )
    return with_fields(fault, evidence=evidence)


# ---- games


def _likely(variant: str, luck: Sequence[float], rng: random.Random, faulty: float) -> _Sketch:
    """Return one of the known games whose result is most like the order of the bots' luck."""
    wants_fault = rng.random() < faulty
    games = _faulty_games(variant) if wants_fault else _games(variant)
    some = rng.sample(games, min(12, len(games)))
    return max(some, key=lambda sketch: _agreement(sketch.game.ranks(), luck))


def _agreement(ranks: Sequence[int], luck: Sequence[float]) -> int:
    pairs = combinations(range(len(ranks)), 2)
    return sum((ranks[a] < ranks[b]) == (luck[a] > luck[b]) for a, b in pairs)


@cache
def _games(variant: str) -> list[_Sketch]:
    return [_sketch(variant, seed, None) for seed in range(40)]


@cache
def _faulty_games(variant: str) -> list[_Sketch]:
    kinds = ("timeout", "illegal", "garbage", "crash", "memory", "flood", "no-start", "illegal")
    return [_sketch(variant, 1000 + nth, kind) for nth, kind in enumerate(kinds)]


def _sketch(variant: str, seed: int, fault: str | None) -> _Sketch:
    game, rng = Game(variant), random.Random(seed)
    seats = len(game.variant.seats)
    bad_seat, bad_turn = seed % seats, 0 if fault == "no-start" else rng.randrange(2, 20)
    plies: list[tuple[int, str, int, Move]] = []
    faults: list[Fault] = []
    while not game.is_over:
        assert game.color is not None
        assert game.seat is not None
        if fault and not faults and game.turn >= bad_turn and game.seat == bad_seat:
            faults.append(_fault(game, bad_seat, fault, rng))
            game.retire(bad_seat)
            continue
        turn, color, seat = game.turn, game.color, game.seat
        number = game.play_random(rng)
        plies.append((turn, color, seat, game.placements.move(number)))
    return _Sketch(tuple(plies), tuple(faults), game)


def _fault(game: Game, seat: int, kind: str, rng: random.Random) -> Fault:
    evidence = Evidence(
        detail=f"expected a move within 2.00 s, got a {kind} of some kind",
        color=game.color,
        sent=f'{{"type":"turn","turn":{game.turn}}}',
        received="nothing that we know",
        stderr='Traceback (most recent call last):\n  File "bot.py", line 12\nValueError: no idea what to play\n',
        wall_us=2_050_000,
        cpu_us=1_990_000,
        limit_us=2_000_000,
        peak_mb=34.5,
    )
    if kind == "illegal":
        evidence = _illegal(game, evidence, rng)
    elif kind == "crash":
        evidence = with_fields(evidence, detail="ended with exit code 1 instead of a move", exit="exit code 1")
    return Fault(seat=seat, kind=kind, turn=game.turn, evidence=evidence)  # type: ignore[arg-type]


def _illegal(game: Game, evidence: Evidence, rng: random.Random) -> Evidence:
    for number in sorted(rng.sample(range(2000), 200)):
        move = game.placements.move(number) if game.placements.exists(number) else None
        problem = game.why_illegal(move) if move else None
        if move and isinstance(problem, IllegalMove):
            return with_fields(
                evidence, detail=str(problem), rule=problem.rule, cells=tuple(problem.cells), named=move.cells
            )
    return evidence


def table_of(*lines: Line, **more: Any) -> Standings:
    """Return the table of a division of duo: of one match, unless more is said."""
    usual: dict[str, Any] = {"seats": (), "beats": (), "above": (), "planned": 1, "matches": 1, "blocks": 1}
    usual |= {"repeats": 0, "annulled": 0, "suspects": 0, "strained": 0}
    return Standings(division=Division(1, "duo", "15/5", TimeControl()), lines=lines, **(usual | more))

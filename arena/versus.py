"""Two versions of a bot against the same field on the same seeds, until it is sure which is the better one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from itertools import count
from typing import NamedTuple

import msgspec

from arena.errors import UsageError
from arena.league import League
from arena.match import MatchSpec
from arena.schedule import Block, block_size, gauntlet
from arena.sequential import Comparison, block_score, compare
from arena.store import Counted, Entry, StoredBlock
from arena.tournament import Plan, Wanted, Watcher, in_box_of, play, spread_of
from engine import VARIANTS

_PAIRS_AT_ONCE = 4  # blocks of each of the two between two looks


class Contest(NamedTuple):
    """Two versions of a bot, and whom they meet."""

    old: Entry
    new: Entry
    field: tuple[Entry, ...]
    fillers: tuple[Entry, ...] = ()  # bundled bots that belong to the field because there are too few others

    @property
    def opponents(self) -> list[Entry]:
        """All whom the two versions meet."""
        return [*self.field, *self.fillers]

    def purpose(self, spec: MatchSpec) -> str:
        """Return what its matches are kept as: something else wherever other matches would be played."""
        limits = msgspec.structs.replace(spec.limits, sandbox="")  # which is that of the run, as the core is
        played = msgspec.structs.replace(spec, limits=limits, pin=True)
        about = msgspec.json.encode((sorted(entry.id for entry in self.opponents), played))
        return f"compare:{self.old.id}:{self.new.id}:{hashlib.sha256(about).hexdigest()[:16]}"


def compare_versions(
    league: League,
    contest: Contest,
    wanted: Wanted,
    watcher: Watcher,
    tell: Callable[[Comparison], None],
    *,
    pairs: int,
    error: float,
) -> Comparison:
    """Play until it is decided, or so many pairs of blocks have been played; goes on where it stopped.

    Tells what is known whenever that is not enough. Ends early if nothing but the same games comes any more.
    """
    if len(VARIANTS[wanted.spec.variant].seats) == 1:
        raise UsageError("a puzzle has no opponents to compare against; arena standings compares squares left over")
    series = _Series(league, contest, wanted.spec)
    while True:
        results = series.results()
        found = _found(results, error)
        if found.verdict != "not yet" or len(results) >= pairs:
            return found
        if series.is_exhausted(results):
            return msgspec.structs.replace(found, blocks_left=None, is_exhausted=True)
        tell(found)
        plan = series.plan(min(pairs, len(results) + _PAIRS_AT_ONCE))
        watcher.on_plan(plan)
        play(league, plan, wanted, watcher)


class _Result(NamedTuple):
    """What came of a pair of blocks."""

    difference: float  # what the new version scored more than the old one
    is_annulled: bool  # something in it was
    is_repeat: bool  # all of its games had been played before, move by move


def _found(results: Sequence[_Result], error: float) -> Comparison:
    """Return what is known; a pair in which something was annulled does not count, nor does one that says nothing new.

    Of a pair with a single new game all games count: what a version always does, it would do again.
    """
    valid = [result for result in results if not result.is_annulled]
    found = compare([result.difference for result in valid if not result.is_repeat], error=error)
    return msgspec.structs.replace(found, repeats=sum(result.is_repeat for result in valid))


class _Series:
    """Pairs of blocks: the same opponents on the same seed, once with the old version and once with the new."""

    def __init__(self, league: League, contest: Contest, spec: MatchSpec) -> None:
        self._store = league.store
        self._contest = contest
        self._spec = spec
        self._division = league.store.division_of(spec)
        self._purpose = contest.purpose(spec)

    def _pairs(self) -> list[tuple[StoredBlock, StoredBlock]]:
        blocks = self._store.blocks(self._division, self._purpose)
        return list(zip(blocks[::2], blocks[1::2], strict=True))

    def results(self) -> list[_Result]:
        """Return what came of the pairs that were played, up to the first one that is not finished."""
        matches: dict[int, list[Counted]] = {}
        for match in self._store.counted(self._division, purpose=self._purpose):
            matches.setdefault(match.block, []).append(match)
        unfinished = {task.block for task in self._store.open_tasks(self._division, self._purpose)}
        found = []
        for first, second in self._pairs():
            if not unfinished.isdisjoint((first.id, second.id)):
                break
            found.append(self._result(matches[first.id], matches[second.id]))
        return found

    def _result(self, first: list[Counted], second: list[Counted]) -> _Result:
        old, new = (
            block_score([match.summary.outcome for match in block], version.id)
            for block, version in ((first, self._contest.old), (second, self._contest.new))
        )
        both = [*first, *second]
        return _Result(new - old, any(match.is_annulled for match in both), all(match.is_repeat for match in both))

    def is_exhausted(self, results: Sequence[_Result]) -> bool:
        """Return whether the last pairs, a whole round at least, were nothing but repeats."""
        pairs = self._pairs()
        round_size = sum(first.round == pairs[-1][0].round for first, _ in pairs) if pairs else 0
        last = results[-max(_PAIRS_AT_ONCE, round_size) :]
        return len(last) >= max(_PAIRS_AT_ONCE, round_size) and all(result.is_repeat for result in last)

    def plan(self, pairs: int) -> Plan:
        """Return what is to be played until there are so many pairs; the schedule grows by whole rounds."""
        self._extend(pairs)
        blocks = [block for pair in self._pairs()[:pairs] for block in pair]
        chosen = {block.id for block in blocks}
        tasks = self._store.open_tasks(self._division, self._purpose)
        entrants = [self._contest.old, self._contest.new, *self._contest.field]
        fillers = list(self._contest.fillers)
        return Plan(
            division=self._division,
            entrants=entrants,
            fillers=fillers,
            tasks=[in_box_of(task, self._spec) for task in tasks if task.block in chosen],
            spread=spread_of([block.as_block() for block in blocks], [*entrants, *fillers], self._spec),
            matches=sum(block.games for block in blocks),
            seconds=0.0,
            is_guess=True,
        )

    def _extend(self, pairs: int) -> None:
        old = [first.as_block() for first, _ in self._pairs()]
        for number in count(old[-1].round + 1 if old else 1):
            if len(old) >= pairs:
                break
            added = self._round(old, number)
            games = block_size(VARIANTS[self._spec.variant])
            both = [(block, games) for first in added for block in (first, self._with_new(first))]
            self._store.add_blocks(self._division, both, self._spec, self._purpose)
            old += added

    def _round(self, existing: list[Block], number: int) -> list[Block]:
        """Return the blocks in which the old version meets all opponents once more."""
        # a seed of its own, so that no match is also one of the league's or of another comparison
        seed = int.from_bytes(hashlib.sha256(f"{self._spec.seed}/{self._purpose}".encode()).digest()[:8], "big") >> 11
        opponents = [entry.id for entry in self._contest.opponents]
        variant = VARIANTS[self._spec.variant]
        return gauntlet(existing, self._contest.old.id, opponents, variant, rounds=number, seed=seed)

    def _with_new(self, block: Block) -> Block:
        old, new = self._contest.old.id, self._contest.new.id
        return block._replace(bots=tuple(new if bot == old else bot for bot in block.bots))

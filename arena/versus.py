"""Two versions of a bot against the same field on the same seeds, until it is sure which is the better one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arena.errors import UsageError
from arena.league import League
from arena.match import MatchSpec
from arena.outcome import Outcome
from arena.schedule import Block, gauntlet, seatings
from arena.sequential import Comparison, block_score, compare
from arena.store import Division, Entry, StoredBlock
from arena.tournament import Plan, Wanted, Watcher, in_box_of, play, spread_of
from engine import VARIANTS

_PAIRS_AT_ONCE = 4  # blocks of each of the two between two looks


def compare_versions(
    league: League,
    old: Entry,
    new: Entry,
    field: Sequence[Entry],
    wanted: Wanted,
    watcher: Watcher,
    tell: Callable[[Comparison], None],
    *,
    pairs: int,
    error: float,
) -> Comparison:
    """Play until it is decided, or so many pairs of blocks have been played; goes on where it stopped."""
    if len(VARIANTS[wanted.spec.variant].seats) == 1:
        raise UsageError("a puzzle has no opponents to compare against; arena standings compares squares left over")
    division = league.store.division_of(wanted.spec)
    purpose = f"compare:{old.id}:{new.id}"
    while True:
        differences, seen = _differences(league, division, purpose, old, new)
        found = compare(differences, error=error)
        tell(found)
        if found.verdict != "not yet" or seen >= pairs:
            return found
        _extend(league, division, purpose, old, new, field, wanted.spec, min(pairs, seen + _PAIRS_AT_ONCE))
        tasks = [in_box_of(task, wanted.spec) for task in league.store.open_tasks(division, purpose)]
        blocks = [block.as_block() for block in league.store.blocks(division, purpose)]
        entries = _players(league, [task.bots for task in tasks])
        plan = Plan(division, entries, [], tasks, spread_of(blocks, entries, wanted.spec), len(tasks), 0.0, True)
        watcher.on_plan(plan)
        play(league, plan, wanted, watcher)


def _players(league: League, tables: Sequence[Sequence[int]]) -> list[Entry]:
    """Return all who sit at some tables: the field may have been another one when they were planned."""
    needed = {bot for table in tables for bot in table}
    return [entry for entry in league.store.bots() if entry.id in needed]


def _extend(
    league: League,
    division: Division,
    purpose: str,
    old: Entry,
    new: Entry,
    field: Sequence[Entry],
    spec: MatchSpec,
    pairs: int,
) -> None:
    """Add pairs of blocks: the same opponents on the same seed, once with the old version and once with the new."""
    variant = VARIANTS[spec.variant]
    stored = league.store.blocks(division, purpose)
    missing = pairs - len(stored) // 2
    opponents = [entry.id for entry in field]
    rounds = 1
    planned: list[Block] = []
    while len(planned) < pairs:
        planned = gauntlet([], old.id, opponents, variant, rounds=rounds, seed=spec.seed)
        rounds += 1
    games = len(seatings(tuple(range(len(variant.seats))), variant))
    added = []
    for block in planned[pairs - missing : pairs]:
        other = block._replace(bots=tuple(new.id if bot == old.id else bot for bot in block.bots))
        added += [(block, games), (other, games)]
    league.store.add_blocks(division, added, spec, purpose)


def _differences(league: League, division: Division, purpose: str, old: Entry, new: Entry) -> tuple[list[float], int]:
    """Return what the new version scored more than the old one, block by block, and how many pairs were played.

    A pair of blocks in which something was annulled does not count.
    """
    annulled = set()
    outcomes: dict[int, list[Outcome]] = {}
    for match in league.store.counted(division, purpose=purpose):
        outcomes.setdefault(match.block, []).append(match.summary.outcome)
        if match.is_annulled:
            annulled.add(match.block)
    blocks = league.store.blocks(division, purpose)
    differences: list[float] = []
    seen = 0
    for first, second in zip(blocks[::2], blocks[1::2], strict=True):
        if not (_is_complete(first, outcomes) and _is_complete(second, outcomes)):
            break
        seen += 1
        if annulled.isdisjoint((first.id, second.id)):
            differences.append(block_score(outcomes[second.id], new.id) - block_score(outcomes[first.id], old.id))
    return differences, seen


def _is_complete(block: StoredBlock, outcomes: dict[int, list[Outcome]]) -> bool:
    return len(outcomes.get(block.id, [])) == block.games

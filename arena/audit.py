"""Checks a whole league: every record judged anew, every hash, every number that is derived."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from arena.bots import digest_of
from arena.errors import ArenaError
from arena.league import League
from arena.record import from_json
from arena.replay import verify
from arena.standings import standings
from arena.store import Store, game_key, summarize


def audit(league: League) -> Iterator[str]:
    """Yield what is wrong with a league; nothing if all of it stands."""
    damage = league.store.damage()
    yield from damage
    if damage:  # whatever else such a file says means nothing
        return
    yield from _schedule(league.store)
    yield from _records(league.store)
    yield from _programs(league)
    yield from _ratings(league)


def _schedule(store: Store) -> Iterator[str]:
    for division in store.divisions():
        for block in store.blocks(division):
            if (block.spec.variant, block.spec.scoring, block.spec.time) != division[1:]:
                yield f"block {block.id}: it counts in {division}, but belongs to another division"
    for match in store.unfounded_attempts():
        yield f"match {match}: it was played again although nothing was wrong with the attempt before"


def _records(store: Store) -> Iterator[str]:
    digests = {entry.id: entry.digest for entry in store.bots()}
    for stored in store.stored_matches():
        where = f"match {stored.match}"
        if hashlib.sha256(stored.data).digest() != stored.sha256:
            yield f"{where}: the record has been changed since it was kept: its hash is another one"
            continue
        try:
            record = from_json(stored.data, where)
        except ArenaError as error:
            yield str(error)
            continue
        for problem in verify(record):
            yield f"{where}: {problem}"
        if record.spec.under(stored.spec) != stored.spec or record.id != stored.match:
            yield f"{where}: the schedule and the record do not say the same about what was to be played"
        if [seat.digest for seat in record.seats] != [digests.get(bot) for bot in stored.bots]:
            yield f"{where}: the schedule and the record do not name the same bots"
        elif stored.summary is None or summarize(record, stored.block, stored.bots) != stored.summary:
            yield f"{where}: the result that counts is not the one in the record"
        elif game_key(record, stored.bots) != stored.game:
            yield f"{where}: whether it repeats an earlier one is told by another game than the one in the record"


def _programs(league: League) -> Iterator[str]:
    for entry in league.store.bots():
        path = league.folder / entry.path
        if entry.path and not path.exists():
            yield f"bot {entry.label}: its program is missing: expected it at {path}"
        elif entry.path and (found := digest_of(path)) != entry.digest:
            yield f"bot {entry.label}: its program has been changed: expected {entry.digest[:12]}, got {found[:12]}"


def _ratings(league: League) -> Iterator[str]:
    for division in league.store.divisions():
        kept = standings(league.store, division, league.config)
        anew = standings(league.store, division, league.config, anew=True)
        if kept != anew:
            yield f"{division}: the ratings that were kept are not those of the matches"

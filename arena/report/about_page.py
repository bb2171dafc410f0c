"""What the page about the league shows: what was played, under which limits, and how to check all of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.config import LeagueConfig
from arena.doctor import names
from arena.report.commands import tournament_command
from arena.report.facts import Facts
from arena.report.pages import BotView, DivisionView, SiteView, bot_views
from arena.standings import Standings
from arena.store import Store
from engine import SCORINGS, VARIANTS

_WHOLE = ("backend", "memory", "cpu", "examined")  # what a record notes of the whole sandbox
_NOTHING = ("", "none", "no", "nothing")
_ENFORCERS = {"cgroup": "a control group", "rlimit": "a limit of each process", "watchdog": "a watchdog"}


def context(
    store: Store,
    config: LeagueConfig,
    played: Sequence[tuple[DivisionView, Standings, Facts]],
    files: Sequence[tuple[str, int]],
    kept: int,
) -> dict[str, Any]:
    """Return all that the template wants; `files` are the data files with their sizes."""
    bots = bot_views(store.bots())
    return {
        "root": "",
        "here": "about",
        "config": config,
        "machines": store.machines(),
        "parts_of": [_part(store, view, facts, config.seed, bots) for view, _, facts in played],
        "sandboxes": _sandboxes(played),
        "voids": len(store.voids()),
        "files": files,
        "stored": sum(facts.stored for _, _, facts in played),
        "kept": kept,
        "example": next((path for path, _ in files if path.endswith(".jsonl.gz")), None),
    }


def annulments(site: SiteView, store: Store, homes: Mapping[str, DivisionView]) -> list[dict[str, Any]]:
    """Return what was annulled; `homes` are the divisions of single matches."""
    return [
        {
            "match": match,
            "home": homes.get(match or ""),
            "entry": site.bots.get(bot) if bot is not None else None,
            "reason": reason,
            "at": at[:10],
        }
        for match, bot, reason, at in store.annulments()
    ]


def sandbox(noted: Mapping[str, str]) -> dict[str, Any]:
    """Return what a record notes of its sandbox: sentences on the whole, and what keeps each promise."""
    known = names()
    backend = noted.get("backend", "")
    rows = [(name, noted[attack]) for attack, name in known.items() if attack in noted]
    rows += [(name, by) for name, by in noted.items() if name not in known and name not in _WHOLE]
    return {
        "rows": [{"name": name, "by": by, "is_open": by in _NOTHING} for name, by in rows],
        "is_none": backend in ("", "none") and all(by in _NOTHING for _, by in rows),
        "open": sum(by in _NOTHING for _, by in rows),
        "backend": backend,
        "was_examined": "examined" not in noted,
        "sentences": [*_memory(noted.get("memory")), *_cpu(noted.get("cpu"))],
    }


def _memory(by: str | None) -> Iterator[str]:
    if by in _NOTHING:
        yield "Nothing limited their memory."
    elif by is not None:
        enforcers = [_ENFORCERS.get(each, each) for each in by.split(", ")]
        yield f"Their memory was limited by {' and '.join(enforcers)}."


def _cpu(how: str | None) -> Iterator[str]:
    if how == "exact":
        yield "CPU time was measured exactly."
    elif how is not None:
        yield "CPU time was measured approximately: what child processes use is told in ticks."


def _sandboxes(played: Sequence[tuple[DivisionView, Standings, Facts]]) -> list[dict[str, Any]]:
    """Return every sandbox that bots ran in, once, the usual one first, with where it was and how often."""
    counts = sum((facts.sandboxes for _, _, facts in played), Counter[tuple[tuple[str, str], ...]]())
    return [
        {
            **sandbox(dict(noted)),
            "matches": matches,
            "where": [view.label for view, _, facts in played if noted in facts.sandboxes],
        }
        for noted, matches in counts.most_common()
    ]


def _part(store: Store, view: DivisionView, facts: Facts, seed: int, bots: dict[int, BotView]) -> dict[str, Any]:
    variant = VARIANTS[view.division.variant]
    blocks = store.blocks(view.division)
    found = [block.spec for block in blocks]
    specs = dict.fromkeys((spec.opening_plies, spec.anonymous, spec.ponder, spec.pin, spec.limits) for spec in found)
    return {
        "division": view,
        "variant": variant,
        "scoring": SCORINGS[view.division.scoring],
        "time": view.division.time,
        "settings": [
            {"opening_plies": opening, "anonymous": anonymous, "ponder": ponder, "pin": pin, "limits": limits}
            for opening, anonymous, ponder, pin, limits in specs
        ],
        "rounds": max((block.round for block in blocks), default=0),
        "arenas": sorted(facts.arenas.items()),
        "again": tournament_command(blocks, seed, bots) if blocks else None,
        "damaged": facts.damaged,
    }

"""What the page about the league shows: what was played, under which limits, and how to check all of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.config import LeagueConfig
from arena.report.facts import Facts
from arena.report.pages import DivisionView, SiteView
from arena.standings import Standings
from arena.store import Store
from engine import SCORINGS, VARIANTS


def context(
    site: SiteView,
    store: Store,
    config: LeagueConfig,
    played: Sequence[tuple[DivisionView, Standings, Facts]],
    files: Sequence[tuple[str, int]],
    kept: int,
) -> dict[str, Any]:
    """Return all that the template wants; `files` are the data files with their sizes."""
    return {
        "root": "",
        "here": "about",
        "config": config,
        "machines": store.machines(),
        "parts_of": [_part(store, view, facts) for view, _, facts in played],
        "annulments": [
            {"match": match, "entry": site.bots.get(bot) if bot is not None else None, "reason": reason, "at": at[:10]}
            for match, bot, reason, at in store.annulments()
        ],
        "voids": len(store.voids()),
        "files": files,
        "stored": sum(facts.stored for _, _, facts in played),
        "kept": kept,
        "example": next((path for path, _ in files if path.endswith(".jsonl.gz")), None),
    }


def _part(store: Store, view: DivisionView, facts: Facts) -> dict[str, Any]:
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
        "sandboxes": [{"rows": rows, "matches": count} for rows, count in facts.sandboxes.most_common()],
        "damaged": facts.damaged,
    }

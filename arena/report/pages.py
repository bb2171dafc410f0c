"""Templates, and what every page knows: title, divisions, bots. The only module that knows jinja2."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

from arena.report.facts import GameRow
from arena.report.wording import FILTERS, has_ink
from arena.resources import bundled_templates
from arena.store import Division, Entry
from engine import VARIANTS

_SLUG = re.compile(r"[^a-z0-9]+")
FLAGS = {"a": "annulled", "r": "played before", "s": "busy machine"}


@dataclass(frozen=True)
class BotView:
    """A bot as pages show it."""

    id: int
    name: str  # never empty to the eye
    shown: str  # the name, with the version where another bot of the league has the same name
    version: str
    author: str
    language: str
    status: str
    label: str
    command_label: str  # name and version as they are, for `arena` commands
    digest: str
    href: str


@dataclass(frozen=True)
class DivisionView:
    """A division as pages show it."""

    division: Division
    slug: str
    label: str
    text: str
    href: str
    games_href: str
    colors: tuple[str, ...]


@dataclass(frozen=True)
class SiteView:
    """What every page knows."""

    title: str
    arena: str
    divisions: tuple[DivisionView, ...]
    bots: dict[int, BotView]
    is_live: bool

    @property
    def key(self) -> str:
        """What the frame of a page depends on."""
        frame = [self.title, self.arena, self.is_live, [(each.slug, each.label, each.href) for each in self.divisions]]
        return hashlib.sha256(repr(frame).encode()).hexdigest()


def bot_views(entries: Sequence[Entry]) -> dict[int, BotView]:
    """Return the bots of a league by their numbers, told apart where they have one name.

    Those on trial are left out: none of their matches is in the league.
    """
    known = [entry for entry in entries if entry.status != "trial"]
    names = Counter(entry.name for entry in known)
    return {entry.id: bot_view(entry, is_alone=names[entry.name] == 1) for entry in known}


def bot_view(entry: Entry, *, is_alone: bool = True) -> BotView:
    """Return a bot with its page's address, which holds nothing but letters, digits and dashes."""
    slug = _SLUG.sub("-", entry.name.lower()).strip("-")[:40].strip("-")
    href = f"bots/{entry.id}-{slug}.html" if slug else f"bots/{entry.id}.html"
    name = entry.name if has_ink(entry.name) else f"(no name, bot {entry.id})"
    return BotView(
        id=entry.id,
        name=name,
        shown=name if is_alone else f"{name}@{entry.version}",
        version=entry.version,
        author=entry.author,
        language=entry.language,
        status=entry.status,
        label=f"{name}@{entry.version}",
        command_label=entry.label,
        digest=entry.digest,
        href=href,
    )


def division_views(divisions: Sequence[Division]) -> tuple[DivisionView, ...]:
    """Return the divisions with addresses that stay theirs when others come: the first of a variant has its name."""
    found = []
    seen: set[str] = set()
    several = {each.variant for each in divisions if sum(other.variant == each.variant for other in divisions) > 1}
    for division in divisions:
        slug = division.variant if division.variant not in seen else f"{division.variant}-{division.id}"
        seen.add(division.variant)
        name = division.variant.capitalize()
        label = f"{name} ({str(division).partition(', ')[2]})" if division.variant in several else name
        text = str(division)
        found.append(
            DivisionView(
                division=division,
                slug=slug,
                label=label,
                text=text[:1].upper() + text[1:],
                href=f"{slug}.html",
                games_href=f"games-{slug}.html",
                colors=VARIANTS[division.variant].colors,
            )
        )
    return tuple(found)


def match_href(match: str) -> str:
    """Return the address of a match's page."""
    return f"matches/{match}.html"


def shown_rows(rows: Iterable[GameRow], site: SiteView, kept: set[str]) -> list[dict[str, Any]]:
    """Return games as lines of a list, the best of each first."""
    return [
        {
            "match": row.match,
            "href": match_href(row.match) if row.match in kept else None,
            "flags": [FLAGS[flag] for flag in row.flags],
            "seats": sorted(
                [
                    {
                        "entry": site.bots[bot],
                        "rank": rank,
                        "total": total,
                        "is_faulty": seat in row.faulty,
                        "seat": seat,
                    }
                    for seat, (bot, rank, total) in enumerate(zip(row.bots, row.ranks, row.totals, strict=True))
                ],
                key=lambda seat: seat["rank"],
            ),
        }
        for row in rows
    ]


class Pages:
    """The templates, ready to render."""

    def __init__(self) -> None:
        self._folder = bundled_templates()
        self._templates = jinja2.Environment(
            loader=jinja2.FileSystemLoader(self._folder),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        self._templates.filters |= FILTERS

    def render(self, template: str, site: SiteView, **context: Any) -> str:
        """Return a page; `root` leads from it to the top of the site."""
        return self._templates.get_template(f"{template}.html.j2").render(site=site, **context)

    def assets(self) -> list[tuple[str, bytes]]:
        """Return the files that pages load, with their addresses."""
        return [(f"assets/{path.name}", path.read_bytes()) for path in sorted((self._folder / "assets").iterdir())]

    def fingerprint(self) -> str:
        """Return a hash of the templates and of our code: what a page depends on besides its facts."""
        digest = hashlib.sha256()
        code = Path(__file__).parent
        for path in sorted([*self._folder.rglob("*.j2"), *code.glob("*.py")]):
            digest.update(path.name.encode() + path.read_bytes())
        return digest.hexdigest()

"""Writes the whole site of a league: reads its facts in two passes, renders the pages, keeps the folder up to date."""

from __future__ import annotations

import gzip
import hashlib
import heapq
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from arena.config import LeagueConfig, read_config
from arena.errors import RecordError
from arena.record import MatchRecord, from_json
from arena.report import about_page, bot_page, leaderboard, match_page
from arena.report.facts import Facts, GameRow, game_row
from arena.report.output import SiteFolder
from arena.report.pages import DivisionView, Pages, SiteView, bot_views, division_views, match_href, shown_rows
from arena.report.wording import plain
from arena.standings import Standings, standings
from arena.store import Counted, Store
from arena.tables import to_csv
from arena.version import VERSION

_RECORDS = 1000  # in one file to download


class SiteSummary(NamedTuple):
    """What came of it."""

    first_page: Path
    pages: int  # files of the site
    written: int  # of them new or changed
    matches: int
    replays: int  # matches with a page of their own


def write_site(league: Path, out: Path, *, is_live: bool = False) -> SiteSummary:
    """Write the site of a league into a folder, or bring it up to date; raises `UsageError`.

    The same facts give the same bytes, and files that need not change are not touched. `is_live`: for `arena serve`,
    with what a page needs to follow the tournament.
    """
    config = read_config(league)
    with Store(league) as store, store.snapshot():
        return _Site(store, config, out, is_live=is_live).write()


class _Part(NamedTuple):
    """One division on its way to the pages."""

    view: DivisionView
    table: Standings
    facts: Facts


class _Site:
    """One writing of the site."""

    def __init__(self, store: Store, config: LeagueConfig, out: Path, *, is_live: bool) -> None:
        self._store = store
        self._config = config
        self._pages = Pages()
        self._folder = SiteFolder(out, self._pages.fingerprint())
        self._out = out
        self._site = SiteView(
            title=config.title,
            arena=VERSION,
            divisions=division_views(store.scheduled_divisions()),
            bots=bot_views(store.bots()),
            is_live=is_live,
        )
        self._annulled: dict[str, list[str]] = {}
        for match, bot, reason, _ in store.annulments():
            self._annulled.setdefault(match or str(bot), []).append(reason)
        self._homes: dict[str, DivisionView] = {}  # the divisions of matches that were annulled one by one
        self._files: list[tuple[str, int]] = []

    def write(self) -> SiteSummary:
        for name, data in self._pages.assets():
            if self._site.is_live or not name.endswith("/live.js"):
                self._folder.put(name, data)
        self._folder.put("assets/pieces.js", match_page.pieces_script())
        parts = [self._measure(view) for view in self._site.divisions]
        kept = self._choose(parts)
        for part in parts:
            self._write_records(part, kept)
        self._write_bots(parts, kept)
        for part in parts:
            self._write_games(part, kept)
        pages = [self._write_division(part) for part in parts]
        self._write_about(parts, kept)
        self._write_index(parts, pages)
        self._folder.finish()
        stored = sum(part.facts.stored for part in parts)
        return SiteSummary(self._out / "index.html", self._folder.files, self._folder.written, stored, len(kept))

    # ---- the two passes

    def _measure(self, view: DivisionView) -> _Part:
        facts = Facts(view.division, max(self._config.site_matches, 1))
        table = standings(self._store, view.division, self._config)
        for found in facts.read_summaries(self._store.counted(view.division)):
            if found.match in self._annulled:
                self._homes[found.match] = view
        return _Part(view, table, facts)

    def _choose(self, parts: list[_Part]) -> set[str]:
        """Return the matches that get a page: the newest, and those that bots' pages point at."""
        newest = heapq.nlargest(self._config.site_matches, self._keys(parts))
        kept = {match for *_, match in newest}
        if self._config.site_matches:
            kept |= {match for part in parts for match in part.facts.pointed_at()}
        return kept

    def _keys(self, parts: list[_Part]) -> Iterator[tuple[int, int, str]]:
        for part in parts:
            for found in self._store.counted(part.view.division):
                yield found.block, found.nth, found.match

    def _write_records(self, part: _Part, kept: set[str]) -> None:
        chunk: list[tuple[bytes, bytes]] = []
        number = 1
        for found, sha256, data in self._store.counted_records(part.view.division):
            try:
                record = from_json(data, f"match {found.match}")
            except RecordError:
                part.facts.damaged.append(found.match)
                kept.discard(found.match)
                continue
            part.facts.read_record(found, record)
            if found.match in kept:
                part.facts.replays += 1
                self._write_match(part.view, found, sha256, data, record)
            chunk.append((sha256, data))
            if len(chunk) == _RECORDS:
                self._write_chunk(part.view, number, chunk)
                chunk, number = [], number + 1
        if chunk:
            self._write_chunk(part.view, number, chunk)

    def _write_chunk(self, view: DivisionView, number: int, chunk: list[tuple[bytes, bytes]]) -> None:
        key = hashlib.sha256(b"".join(sha256 for sha256, _ in chunk)).hexdigest()
        name = f"data/{view.slug}-records-{number:03}.jsonl.gz"
        self._folder.put_once(name, key, lambda: _packed([data for _, data in chunk]))
        self._files.append((name, (self._out / name).stat().st_size))

    def _write_match(self, view: DivisionView, found: Counted, sha256: bytes, data: bytes, record: MatchRecord) -> None:
        row = game_row(found)
        reasons = [*self._annulled.get(row.match, [])]
        for bot in row.bots:
            reasons += self._annulled.get(str(bot), [])
        names = [self._site.bots[bot].shown for bot in row.bots]
        key = f"{sha256.hex()}/{row.flags}/{reasons}/{names}/{self._site.key}"
        page = match_href(row.match)
        stem = page.removesuffix(".html")
        files = (page, f"{stem}.json", f"{stem}.blksgf")
        if all(self._folder.has(name, key) for name in files):
            return
        context, game = match_page.context(self._site, view, row, record, reasons)
        seats = [seat.name for seat in record.seats]
        self._folder.put(files[0], self._pages.render("match", self._site, **context), key)
        self._folder.put(files[1], data, key)
        self._folder.put(files[2], match_page.game_file(game, seats), key)

    # ---- pages

    def _write_bots(self, parts: list[_Part], kept: set[str]) -> None:
        for bot in self._site.bots.values():
            context = bot_page.context(self._site, bot, parts, kept)
            self._folder.put(bot.href, self._pages.render("bot", self._site, **context))

    def _write_games(self, part: _Part, kept: set[str]) -> None:
        for bot, rows in sorted(part.facts.games.items()):
            text = ",\n".join(_listed(row, kept) for row in reversed(rows))
            self._folder.put(f"data/{part.view.slug}-games-{bot}.js", f"arenaGames({bot},[\n{text}\n]);\n")
        bots = {bot: [plain(view.shown), view.href] for bot, view in self._site.bots.items() if bot in part.facts.games}
        ranked = [line.bot for line in part.table.lines]
        newest = shown_rows(reversed(part.facts.newest), self._site, kept)
        longest = max((len(rows) for rows in part.facts.games.values()), default=0)
        context: dict[str, Any] = {
            "root": "",
            "here": part.view.slug,
            "division": part.view,
            "newest": newest,
            "bots": [self._site.bots[bot] for bot in dict.fromkeys([*ranked, *sorted(part.facts.games)])],
            "data": match_page.embedded({"bots": bots, "files": f"data/{part.view.slug}-games-"}),
            "stored": part.facts.stored,
            "is_cut": longest >= self._config.site_matches and part.facts.stored > longest,
            "limit": self._config.site_matches,
            "has_all": part.facts.replays == part.facts.stored,
        }
        self._folder.put(part.view.games_href, self._pages.render("games", self._site, **context))

    def _write_division(self, part: _Part) -> str:
        rows = [_flat(line) for line in part.table.lines]
        name = f"data/{part.view.slug}-standings.csv"
        data = to_csv(rows).encode() if rows else b""
        self._folder.put(name, data)
        self._files.append((name, len(data)))
        period = _period(self._store.period(part.view.division))
        context = leaderboard.context(self._site, part.view, part.table, part.facts, period)
        page = self._pages.render("division", self._site, root="", **context)
        self._folder.put(part.view.href, page)
        return page

    def _write_about(self, parts: list[_Part], kept: set[str]) -> None:
        files = sorted(self._files)
        context = about_page.context(self._store, self._config, parts, files, len(kept))
        context["annulments"] = about_page.annulments(self._site, self._store, self._homes)
        self._folder.put("about.html", self._pages.render("about", self._site, **context))
        if self._site.is_live:
            self._folder.put("live.html", self._pages.render("live", self._site, root="", here="live"))

    def _write_index(self, parts: list[_Part], pages: list[str]) -> None:
        """Let the first page be that of the division with the most matches."""
        if parts:
            most = max(part.facts.stored for part in parts)
            page = next(page for page, part in zip(pages, parts, strict=True) if part.facts.stored == most)
        else:
            page = self._pages.render("empty", self._site, root="", here="")
        self._folder.put("index.html", page)


def _packed(records: list[bytes]) -> bytes:
    return gzip.compress(b"".join(records), 6, mtime=0)


def _listed(row: GameRow, kept: set[str]) -> str:
    """Return a game as a line of a bot's list."""
    fields = [row.match, int(row.match in kept), row.bots, row.totals, row.ranks, row.faulty, row.flags]
    return msgspec.json.encode(fields).decode()


def _flat(line: Any) -> dict[str, Any]:
    """Return a line of the table with its intervals as columns of their own."""
    found: dict[str, Any] = {}
    for name, value in msgspec.to_builtins(line).items():
        if isinstance(value, dict):
            found |= {name: value["value"], f"{name}_low": value["low"], f"{name}_high": value["high"]}
        else:
            found[name] = value
    return found


def _period(found: tuple[str, str] | None) -> str:
    if found is None:
        return ""
    first, last = found[0][:10], found[1][:10]
    return first if first == last else f"{first} to {last}"

"""What is written: the same bytes for the same facts, nothing missing, nothing stale, nothing that runs."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from arena.errors import UsageError
from arena.record import from_json
from arena.replay import verify
from arena.report import write_site
from arena.store import Store
from engine import blksgf
from tests.report.leagues import NOW, Plan, build, play_open, play_variant


def _files(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path.relative_to(folder)): (hashlib.sha256(path.read_bytes()).digest(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_writing_again_touches_no_file(league: Path, site: Path) -> None:
    before = _files(site)
    summary = write_site(league, site)
    assert summary.written == 0
    assert _files(site) == before


def test_another_folder_gets_the_same_bytes(league: Path, site: Path, tmp_path: Path) -> None:
    write_site(league, tmp_path / "other")
    contents = [{name: data for name, (data, _) in _files(folder).items()} for folder in (site, tmp_path / "other")]
    assert contents[0] == contents[1]


def test_new_matches_change_pages_but_not_those_of_old_matches(tmp_path: Path) -> None:
    plan = Plan(bots=5, matches=12, variants=("duo",))
    league = build(tmp_path / "league", plan)
    write_site(league, tmp_path / "site")
    before = _files(tmp_path / "site")
    with Store(league, now=NOW, writes=True) as store:
        play_variant(store, store.bots(), plan, "duo")
    summary = write_site(league, tmp_path / "site")
    after = _files(tmp_path / "site")
    assert summary.matches == 24
    assert {name: after[name] for name in before if name.startswith("matches/")}.items() <= before.items()
    assert after["index.html"] != before["index.html"]


def test_what_belongs_to_the_site_no_longer_is_removed_and_nothing_else(tmp_path: Path) -> None:
    league = build(tmp_path / "league", Plan(bots=4, matches=12, variants=("duo",)))
    write_site(league, tmp_path / "site")
    (tmp_path / "site" / "CNAME").write_text("league.example", encoding="utf-8")
    (league / "league.toml").write_text("site_matches = 0\n", encoding="utf-8")
    write_site(league, tmp_path / "site")
    assert not (tmp_path / "site" / "matches").exists()
    assert (tmp_path / "site" / "CNAME").exists()


def test_a_folder_with_other_things_is_refused(league: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious", encoding="utf-8")
    with pytest.raises(UsageError, match=r"holds other things"):
        write_site(league, tmp_path)


def test_a_site_that_was_cut_short_can_be_written(tmp_path: Path) -> None:
    league = build(tmp_path / "league", Plan(bots=3, matches=6, variants=("duo",)))
    write_site(league, tmp_path / "site")
    (tmp_path / "site" / "index.html").unlink()
    (tmp_path / "site" / "about.html").write_text("half a pa", encoding="utf-8")
    assert write_site(league, tmp_path / "site").written == 2
    assert "</html>" in (tmp_path / "site" / "about.html").read_text(encoding="utf-8")


def test_older_replays_are_left_out_and_the_pages_say_so(tmp_path: Path) -> None:
    league = build(tmp_path / "league", Plan(bots=4, matches=60, faulty=0, variants=("duo",), site_matches=5))
    summary = write_site(league, tmp_path / "site")
    pages = {path.stem for path in (tmp_path / "site" / "matches").glob("*.html")}
    with Store(league) as store:
        newest = [found.match for found in store.counted(store.divisions()[0])][-5:]
    assert set(newest) <= pages
    assert len(pages) == summary.replays < 60
    assert "The newest 5 of the league have a replay" in (tmp_path / "site" / "games-duo.html").read_text("utf-8")
    assert "60 matches" in (tmp_path / "site" / "about.html").read_text("utf-8")
    assert _broken_links(tmp_path / "site") == []


def test_a_league_without_a_match_has_a_site(tmp_path: Path) -> None:
    with Store(tmp_path, now=NOW, writes=True):
        pass
    write_site(tmp_path, tmp_path / "site")
    assert "No match has been played yet" in (tmp_path / "site" / "index.html").read_text("utf-8")


def test_a_division_of_annulled_matches_says_so_and_leads_to_them(annulled_site: Path) -> None:
    page = (annulled_site / "duo.html").read_text("utf-8")
    assert "No match counts: 2 are annulled." in page
    assert "No match has been played yet" not in page
    assert 'href="games-duo.html"' in page
    games = (annulled_site / "games-duo.html").read_text("utf-8")
    assert games.count('<span class="tag">annulled</span>') == 2
    assert games.count('<option value="1">mcts@1.0</option>') == 2
    assert "No match counts: 1 is annulled." in (annulled_site / "solo.html").read_text("utf-8")


def test_an_annulled_match_leads_to_the_games_of_its_own_division(annulled_site: Path) -> None:
    about = (annulled_site / "about.html").read_text("utf-8")
    for slug in ("duo", "solo"):
        listed = set(re.findall(r"\b[0-9a-f]{12}\b", (annulled_site / f"games-{slug}.html").read_text("utf-8")))
        linked = set(re.findall(rf'<a href="games-{slug}.html">([0-9a-f]{{12}})</a>', about))
        assert linked
        assert linked == listed


def test_a_bot_whose_name_shows_nothing_gets_one_that_does(tmp_path: Path) -> None:
    with Store(tmp_path, now=NOW, writes=True) as store:
        store.add_bot("\u3164\u200b\u0301 ", "1.0", "", "", "a" * 64, "bots/1")
    write_site(tmp_path, tmp_path / "site")
    page = (tmp_path / "site" / "bots" / "1.html").read_text("utf-8")
    assert "<h1><bdi>(no name, bot 1)</bdi>" in page


def test_seats_are_counted_from_0_as_in_the_protocol(site: Path) -> None:
    page = (site / "duo.html").read_text("utf-8")
    table = page[page.index('<section id="seats">') :]
    assert re.findall(r'<tr><th scope="row" class="left">(\d)</th>', table) == ["0", "1"]
    assert "seat 0, purple" in table
    bot = (site / "bots" / "1-mcts.html").read_text("utf-8")
    assert '<th scope="row" class="left">0 <svg class="swatch"' in bot


def test_seats_are_called_even_only_where_they_are(tmp_path: Path) -> None:
    for matches, is_even in ((12, True), (11, False), (1, False)):
        out = tmp_path / str(matches)
        write_site(build(out / "league", Plan(bots=4, matches=matches, faulty=0, variants=("duo",))), out / "site")
        page = (out / "site" / "index.html").read_text("utf-8")
        assert ("sat in every seat equally often, so" in page) == is_even
        assert ("Not every bot has sat in every seat" in page) != is_even


def test_a_plot_without_intervals_does_not_promise_them(tmp_path: Path) -> None:
    league = build(tmp_path / "league", Plan(bots=2, matches=1, faulty=0, variants=("duo",)))
    write_site(league, tmp_path / "site")
    captions = re.findall("<figcaption>(.*?)</figcaption>", (tmp_path / "site" / "duo.html").read_text("utf-8"))
    assert "Ratings; there are too few matches for intervals." in captions
    assert not any("with 95" in caption for caption in captions)


def test_two_versions_of_a_bot_are_told_apart_wherever_they_are_named(site: Path) -> None:
    page = (site / "classic.html").read_text("utf-8")
    assert "<bdi>lookahead@1.1</bdi>" in page[page.index('id="crosstable"') :]
    assert "<bdi>lookahead</bdi>" in page[: page.index('id="crosstable"')]  # the table has a version beside each name
    assert "<bdi>mcts</bdi>" in page[page.index('id="crosstable"') :]
    games = (site / "games-classic.html").read_text("utf-8")
    assert "<bdi>lookahead@1.1</bdi>" in games
    assert '["lookahead@1.1","bots/2-lookahead.html"]' in games


def test_a_second_version_renames_the_first_one_on_old_pages(tmp_path: Path) -> None:
    league = build(tmp_path / "league", Plan(bots=2, matches=2, variants=("duo",)))
    write_site(league, tmp_path / "site")
    (path, *_) = sorted((tmp_path / "site" / "matches").glob("*.html"))
    assert "<bdi>mcts</bdi>" in path.read_text("utf-8")
    with Store(league, now=NOW, writes=True) as store:
        store.add_bot("mcts", "2.0", "Ada", "Python", "f" * 64, "bots/new")
    write_site(league, tmp_path / "site")
    assert "<bdi>mcts@1.0</bdi>" in path.read_text("utf-8")


def test_a_puzzle_has_no_places(site: Path) -> None:
    games = (site / "games-solo.html").read_text("utf-8")
    assert '<span class="nums">1.</span>' not in games
    assert '<span class="nums">1.</span>' in (site / "games-duo.html").read_text("utf-8")


def test_an_overrun_is_seen_in_the_evidence_of_a_fault(site: Path) -> None:
    pages = [path.read_text("utf-8") for path in (site / "bots").glob("*.html")]
    assert any("2.05\u202fs of 2.00\u202fs, 1.99\u202fs of it computing" in page for page in pages)


def test_a_league_with_one_match_has_a_site(tmp_path: Path) -> None:
    league = build(tmp_path / "league", Plan(bots=2, matches=1, faulty=0, variants=("duo", "solo")))
    write_site(league, tmp_path / "site")
    assert "too few" in (tmp_path / "site" / "duo.html").read_text("utf-8")


def test_a_damaged_record_is_named_and_the_rest_is_shown(tmp_path: Path) -> None:
    import sqlite3

    league = build(tmp_path / "league", Plan(bots=4, matches=8, variants=("duo",)))
    with sqlite3.connect(league / "league.sqlite") as store:
        store.execute("UPDATE matches SET record = x'00' WHERE id = 3")
    store.close()
    summary = write_site(league, tmp_path / "site")
    assert (summary.matches, summary.replays) == (8, 7)
    assert "1 damaged record" in (tmp_path / "site" / "about.html").read_text("utf-8")
    assert _broken_links(tmp_path / "site") == []


class _Page(HTMLParser):
    """All addresses of a page, and everything that could run."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.scripts: list[str] = []
        self.handlers: list[str] = []
        self.policy = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.links += [value for name in ("href", "src") if (value := found.get(name))]
        self.handlers += [name for name in found if name.startswith("on") or name == "style"]
        if identity := found.get("id"):
            self.ids.add(identity)
        if tag in ("script", "iframe", "object", "embed", "form", "base"):
            self.scripts.append(f"{tag} {found.get('src') or found.get('type')}")
        if found.get("http-equiv") == "Content-Security-Policy":
            self.policy = found.get("content") or ""


def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def _broken_links(site: Path) -> list[str]:
    pages = {path: _read(path) for path in site.rglob("*.html")}
    broken = []
    for path, page in pages.items():
        for link in page.links:
            found = urlsplit(link)
            target = path.parent / unquote(found.path) if found.path else path
            if (
                found.scheme
                or found.netloc
                or not target.resolve().is_file()
                or (found.fragment and "=" not in found.fragment and found.fragment not in pages[target.resolve()].ids)
            ):
                broken.append(f"{path.name}: {link}")
    return broken


def test_every_link_is_relative_and_leads_somewhere(site: Path, hostile_site: Path) -> None:
    assert _broken_links(site.resolve()) == []
    assert _broken_links(hostile_site.resolve()) == []


def test_nothing_in_a_page_can_run_but_our_own_files(site: Path, hostile_site: Path) -> None:
    for path in [*site.rglob("*.html"), *hostile_site.rglob("*.html")]:
        page = _read(path)
        assert page.handlers == [], path
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in page.policy
        assert "unsafe" not in page.policy
        for script in page.scripts:
            assert re.fullmatch(r"script (?:\.\./)?assets/\w+\.js|script application/json", script), path


def test_every_record_can_be_downloaded_and_stands(league: Path, site: Path) -> None:
    with Store(league) as store:
        stored = sum(1 for division in store.divisions() for _ in store.counted(division))
    lines = [
        line
        for path in sorted((site / "data").glob("*.jsonl.gz"))
        for line in gzip.decompress(path.read_bytes()).splitlines()
    ]
    assert len(lines) == stored
    for line in lines:
        assert verify(from_json(line, "a line")) == []


def test_the_files_of_a_match_are_its_record_and_its_game(site: Path) -> None:
    for path in sorted((site / "matches").glob("*.json"))[:20]:
        record = from_json(path.read_bytes(), path.name)
        assert record.id == path.stem
        game = blksgf.load(path.with_suffix(".blksgf").read_text(encoding="utf-8")).game
        assert tuple(game.result().totals) == record.totals


def test_the_table_is_there_as_csv(league: Path, site: Path) -> None:
    import csv

    with (site / "data" / "classic-standings.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    page = (site / "classic.html").read_text(encoding="utf-8")
    assert rows
    for row in rows:
        assert f">{row['name']}</bdi>" in page
        low, high = row["rating_low"], row["rating_high"]
        assert not low or float(low) <= float(row["rating"]) <= float(high)


def test_the_replay_of_a_match_says_what_the_engine_says(site: Path) -> None:
    path = next(iter(sorted((site / "matches").glob("*.html"))))
    found = re.search(r'id="data">(.*?)</script>', path.read_text(encoding="utf-8"))
    assert found
    data = json.loads(found[1])
    record = from_json(path.with_suffix(".json").read_bytes(), path.name)
    game = record.spec.new_game()
    for step in data["steps"]:
        if "p" not in step:
            game.retire(step["s"])
            continue
        assert step["n"] == game.legal_count()
        ply = record.plies[game.turn]
        color = game.color
        game.play_number(game.judge_cells(ply.cells))
        assert color is not None
        assert step["v"] == game.scores()[color]
    assert game.is_over


def test_annulled_and_suspect_matches_and_other_bots_are_marked(site: Path) -> None:
    page = (site / "classic.html").read_text(encoding="utf-8")
    for word in ("withdrawn", "superseded", "filler", "annulled"):
        assert word in page
    about = (site / "about.html").read_text(encoding="utf-8")
    assert "the &lt;i&gt;power&lt;/i&gt; failed" in about
    assert "Test processor, 4 cores" in about


def test_a_tournament_that_goes_on_says_how_far_it_is(tmp_path: Path) -> None:
    plan = Plan(bots=5, matches=4, variants=("duo",))
    league = build(tmp_path / "league", plan)
    with Store(league, now=NOW, writes=True) as store:
        (division,) = store.divisions()
        blocks = [(block.as_block(), block.games) for block in store.blocks(division)]
        store.add_blocks(division, blocks, store.blocks(division)[0].spec)
        play_open(store, division, plan, most=1)
    write_site(league, tmp_path / "site")
    assert "of <b>8</b> planned" in (tmp_path / "site" / "index.html").read_text("utf-8")


def test_nothing_is_kept_that_grows_with_the_matches(tmp_path: Path) -> None:
    from arena.report.facts import Facts

    sizes = []
    for matches in (300, 900):
        plan = Plan(bots=4, matches=matches, faulty=0.5, variants=("duo",), site_matches=20)
        league = build(tmp_path / str(matches), plan)
        with Store(league) as store:
            (division,) = store.divisions()
            facts = Facts(division, 20)
            for _ in facts.read_summaries(store.counted(division)):
                pass
            for found, _, data in store.counted_records(division):
                facts.read_record(found, from_json(data, "a record"))
        kept: list[Any] = [facts.games, facts.best, facts.worst, facts.faulty, facts.faults]
        sizes.append([sum(len(rows) for rows in table.values()) for table in kept])
        assert facts.stored == matches
    assert sizes[0] == sizes[1]


def test_a_big_league_keeps_its_first_page_small(tmp_path: Path) -> None:
    league = build(tmp_path / "league", Plan(bots=20, matches=800, faulty=0.3, site_matches=20))
    summary = write_site(league, tmp_path / "site")
    assert summary.matches == 800
    assert (tmp_path / "site" / "index.html").stat().st_size <= 300_000

"""The page about the league: what was played and how to play it again, and what kept the bots in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.match import MatchSpec
from arena.report import write_site
from arena.schedule import extend
from arena.store import Store
from engine import VARIANTS
from tests.report import leagues
from tests.report.leagues import NOW, Plan, build, play_open


def test_the_page_about_the_league_says_what_kept_bots_in(site: Path) -> None:
    about = (site / "about.html").read_text("utf-8")
    assert "ran in the sandbox <code>landlock</code>. Their memory was limited by a limit of each process and" in about
    assert '<th scope="row" class="text">files outside cannot be read</th><td class="text">landlock</td>' in about
    assert 'files outside cannot be seen</th><td class="text bad">nothing stops it</td>' in about
    assert '<span class="bad">2 of 3</span>' in about
    for raw in ("read_file", "use_network", ">backend<", ">cpu<"):
        assert raw not in about


def test_what_kept_bots_in_is_told_once_and_closed_if_all_of_it_holds(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (site / "about.html").read_text("utf-8").count("Protections in force") == 1  # in four divisions
    monkeypatch.setattr(leagues, "PROTECTIONS", {"backend": "namespaces", "read_file": "namespaces", "cpu": "exact"})
    write_site(build(tmp_path / "league", Plan(bots=2, matches=2, variants=("duo", "solo"))), tmp_path / "site")
    about = (tmp_path / "site" / "about.html").read_text("utf-8")
    assert re.findall("<details[^>]*><summary>Protections in force: [^<]*", about) == [
        "<details><summary>Protections in force: all 1"
    ]


def test_the_page_about_the_league_says_how_to_play_it_again(tmp_path: Path) -> None:
    plan = Plan(bots=4, matches=12, variants=("duo",))
    league = build(tmp_path / "league", plan)
    with Store(league, now=NOW, writes=True) as store:
        spec = MatchSpec(variant="solo")
        division = store.division_of(spec)
        blocks = extend([], [entry.id for entry in store.bots()], VARIANTS["solo"], rounds=3, seed=1)
        store.add_blocks(division, [(block, 1) for block in blocks], spec)
        play_open(store, division, plan)
    write_site(league, tmp_path / "site")
    about = (tmp_path / "site" / "about.html").read_text("utf-8")
    duo, solo = about.split('<section id="solo">')
    assert "arena tournament --variant solo --rounds 3 --move-time 2000ms --seed 1</pre>" in solo
    assert "who meets whom may differ" not in solo
    assert "who meets whom may differ" in duo  # the blocks of this league are drawn, not planned


def test_a_league_without_a_sandbox_is_seen_to_be_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = {"backend": "none", "read_file": "none", "use_network": "none", "memory": "none", "cpu": "approximate"}
    monkeypatch.setattr(leagues, "PROTECTIONS", bare)
    write_site(build(tmp_path / "league", Plan(bots=2, matches=2, variants=("duo",))), tmp_path / "site")
    about = (tmp_path / "site" / "about.html").read_text("utf-8")
    assert '<p class="bad"><b>The bots ran without a sandbox:</b>' in about
    assert "Nothing limited their memory." in about
    assert '<span class="bad">0 of 2</span>' in about

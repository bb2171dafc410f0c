"""`arena serve`: the site and nothing but the site, up to date while matches finish."""

from __future__ import annotations

import http.client
import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.errors import UsageError
from arena.live import LiveHead, LiveWriter
from arena.report import serve
from arena.report.serve import SiteServer
from arena.store import Store
from tests.report.conftest import barriers
from tests.report.leagues import NOW, Plan, build, play_variant

PLAN = Plan(bots=8, matches=12, faulty=0, variants=("duo",))


@pytest.fixture
def league(tmp_path: Path) -> Path:
    return build(tmp_path / "league", PLAN)


@pytest.fixture
def server(league: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SiteServer]:
    monkeypatch.setattr(serve, "_LOOK_S", 0.1)
    monkeypatch.setattr(serve, "_REST", 0)
    with SiteServer(league, port=0) as found:
        thread = threading.Thread(target=found.run, daemon=True)
        thread.start()
        yield found
        found.shutdown()
        thread.join()


def _get(server: SiteServer, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    host, port = server.address.removeprefix("http://").strip("/").split(":")
    link = http.client.HTTPConnection(host, int(port), timeout=20)
    link.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        link.putheader(name, value)
    link.endheaders()
    answer = link.getresponse()
    found = (answer.status, dict(answer.getheaders()), answer.read())
    link.close()
    return found


def test_pages_are_served_with_their_kind(server: SiteServer) -> None:
    for path, kind in (("/", "text/html"), ("/assets/site.css", "text/css"), ("/assets/live.js", "text/javascript")):
        status, headers, body = _get(server, path)
        assert (status, headers["Content-Type"].partition(";")[0]) == (200, kind)
        assert int(headers["Content-Length"]) == len(body) > 0
        assert headers["X-Content-Type-Options"] == "nosniff"
    assert _get(server, "/", "HEAD")[2] == b""
    assert _get(server, "/index.html?x=1#y")[0] == 200


@pytest.mark.parametrize(
    "path",
    [
        "/../league.toml",
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/assets/../../league.sqlite",
        "/assets",
        "/site.json",
        "/live/../../x",
        "/live/%00.json",
        "/index.html/",
        "/" + "a" * 3000,
    ],
)
def test_no_path_leads_out_of_the_site(server: SiteServer, path: str) -> None:
    assert _get(server, path)[0] == 404


def test_only_reading_is_answered(server: SiteServer) -> None:
    for method in ("POST", "PUT", "DELETE"):
        assert _get(server, "/", method)[0] == 501


def test_another_name_for_this_machine_is_refused(server: SiteServer) -> None:
    assert _get(server, "/", Host="evil.example:80")[0] == 421
    assert _get(server, "/", Host="localhost")[0] == 200
    assert not server.is_public


def test_a_port_that_is_taken_is_told_by_number(server: SiteServer, league: Path) -> None:
    port = int(server.address.rstrip("/").rpartition(":")[2])
    with pytest.raises(UsageError, match=f"cannot listen on 127.0.0.1, port {port}"):
        SiteServer(league, port=port)


def test_a_league_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no league at"):
        SiteServer(tmp_path / "nowhere", port=0)


def _play_more(league: Path) -> None:
    with Store(league, now=NOW, writes=True) as store:
        play_variant(store, store.bots(), PLAN, "duo")


def _until(condition: Callable[[], bool]) -> None:
    wait = threading.Event()
    for _ in range(600):
        if condition():
            return
        wait.wait(0.05)
    raise AssertionError("it never came")


def test_new_matches_come_up(server: SiteServer, league: Path) -> None:
    assert b"<b>12</b> matches" in _get(server, "/")[2]
    before = json.loads(_get(server, "/live/state.json")[2])["version"]
    _play_more(league)
    _until(lambda: b"<b>24</b> matches" in _get(server, "/")[2])
    _until(lambda: json.loads(_get(server, "/live/state.json")[2])["version"] > before)  # told once all is written


@pytest.mark.parametrize(
    "trouble", [OSError(28, "No space left on device"), sqlite3.OperationalError("disk I/O error")]
)
def test_trouble_of_any_kind_is_told_and_the_site_keeps_up_afterwards(
    server: SiteServer,
    league: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    trouble: Exception,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise trouble

    with monkeypatch.context() as patched:
        patched.setattr(serve, "write_site", fail)
        _play_more(league)
        _until(lambda: f"could not be brought up to date: {type(trouble).__name__}: {trouble}" in caplog.text)
    _until(lambda: b"<b>24</b> matches" in _get(server, "/")[2])


def test_a_request_that_meets_trouble_is_answered_without_its_details(
    server: SiteServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Path) -> None:
        raise OSError(5, "Input/output error", "/home/ada/league/live")

    monkeypatch.setattr(serve, "running", fail)
    status, _, body = _get(server, "/live/state.json")
    assert (status, body) == (503, b"trouble of the arena's own\n")


def _running(league: Path) -> tuple[LiveWriter, Any]:
    with Store(league) as store:
        match = next(found.match for found in store.counted(store.divisions()[0]))
        record = store.record(match)
    names = tuple(seat.name for seat in record.seats)
    head = LiveHead(match=match, spec=record.spec, names=names, bots=(1, 2), pid=os.getpid())
    return LiveWriter(league, "worker-0", head), record


def test_a_running_match_is_told_step_by_step(server: SiteServer, league: Path) -> None:
    writer, record = _running(league)
    for ply in record.plies[:5]:
        writer.on_ply(None, ply)  # type: ignore[arg-type]
    (found,) = json.loads(_get(server, "/live/state.json")[2])["running"]
    assert (found["worker"], found["match"], found["steps"]) == ("worker-0", record.id, 5)
    shown = json.loads(_get(server, "/live/worker-0.json")[2])
    assert [step["p"] for step in shown["data"]["steps"]] == [ply.piece for ply in record.plies[:5]]
    assert not shown["data"]["over"]
    writer.close()
    assert _get(server, "/live/worker-0.json")[0] == 404


def test_the_standings_in_the_browser_change_as_matches_finish(
    server: SiteServer, league: Path, visit: Callable[..., Any]
) -> None:
    page = visit(server.address, server.address.rstrip("/")).page
    page.get_by_role("searchbox").fill("mobility")
    page.get_by_role("button", name="Games", exact=True).click()
    assert "12 matches" in page.locator(".facts").first.inner_text()
    _play_more(league)
    for _ in range(300):
        if "24 matches" in page.locator(".facts").first.inner_text():
            break
        page.wait_for_timeout(100)
    assert "24 matches" in page.locator(".facts").first.inner_text()
    assert page.get_by_role("searchbox").input_value() == "mobility"
    assert page.locator("#leaderboard tbody tr:visible").count() == 1
    assert page.locator("#leaderboard th[aria-sort=descending]").inner_text().startswith("Games")


def test_the_browser_follows_a_running_match(server: SiteServer, league: Path, visit: Callable[..., Any]) -> None:
    writer, record = _running(league)
    page = visit(f"{server.address}live.html", server.address.rstrip("/")).page
    for plies in (3, 6):
        for ply in record.plies[plies - 3 : plies]:
            writer.on_ply(None, ply)  # type: ignore[arg-type]
        page.get_by_text(f"ply {plies} of {plies}").wait_for()
        assert page.locator("#board .piece").count() == plies
    writer.close()
    page.get_by_text("Nothing is being played at the moment.").wait_for()


def test_the_page_of_running_matches_has_no_barrier(
    server: SiteServer, league: Path, visit: Callable[..., Any], axe: str
) -> None:
    base = server.address.rstrip("/")
    page = visit(f"{server.address}live.html", base).page
    page.get_by_text("Nothing is being played at the moment.").wait_for()
    assert barriers(page, axe) == []
    writer, record = _running(league)
    for ply in record.plies[:5]:
        writer.on_ply(None, ply)  # type: ignore[arg-type]
    page.get_by_text("ply 5 of 5").wait_for()
    assert barriers(page, axe) == []
    writer.close()

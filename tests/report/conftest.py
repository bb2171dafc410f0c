"""Sites to look at, and a browser to look at them with."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from arena.report import write_site
from arena.store import Store
from tests.report.leagues import NOW, Plan, build, play_variant

AXE = "axe-core@4"


def absent(what: str) -> NoReturn:
    """Skip the test for want of something; where everything must be tested, fail it."""
    if os.environ.get("ARENA_REQUIRE_ALL") == "1":
        pytest.fail(f"{what}, and ARENA_REQUIRE_ALL=1")
    pytest.skip(what)


@pytest.fixture(scope="session")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a small league with everything in it that a site has to show."""
    plan = Plan(bots=8, matches=48, faulty=0.2, is_odd=True, variants=("classic", "duo", "solo", "three"))
    return build(tmp_path_factory.mktemp("league"), plan)


@pytest.fixture(scope="session")
def site(league: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return its site."""
    out = tmp_path_factory.mktemp("site") / "league"
    write_site(league, out)
    return out


@pytest.fixture(scope="session")
def hostile_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the site of a league whose bots mean ill."""
    folder = tmp_path_factory.mktemp("hostile")
    plan = Plan(bots=10, matches=24, faulty=0.4, is_hostile=True, variants=("classic", "duo"))
    write_site(build(folder / "league", plan), folder / "site")
    return folder / "site"


@pytest.fixture(scope="session")
def annulled_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the site of a league in which no match counts."""
    folder = tmp_path_factory.mktemp("annulled")
    league = build(folder / "league", Plan(bots=2, matches=2, faulty=0, variants=("duo",)))
    with Store(league, now=NOW, writes=True) as store:
        play_variant(store, store.bots(), Plan(bots=2, matches=1, faulty=0), "solo")
        for division in store.divisions():
            for found in list(store.counted(division)):
                store.annul(match=found.match, reason="the power failed")
    write_site(league, folder / "site")
    return folder / "site"


@pytest.fixture(scope="session")
def empty_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the site of a league without a match."""
    folder = tmp_path_factory.mktemp("empty")
    write_site(build(folder / "league", Plan(bots=2, variants=())), folder / "site")
    return folder / "site"


@pytest.fixture(scope="session")
def rare_pages(annulled_site: Path, empty_site: Path) -> dict[str, Path]:
    """Return pages of kinds that most leagues do not have."""
    return {
        "nothing counts": annulled_site / "duo.html",
        "annulled games": annulled_site / "games-duo.html",
        "no puzzle counts": annulled_site / "solo.html",
        "nothing played": empty_site / "index.html",
        "about nothing": empty_site / "about.html",
        "bot without a match": empty_site / "bots" / "1-mcts.html",
    }


def barriers(page: Any, axe: str) -> list[tuple[str, ...]]:
    """Return what keeps somebody from reading an open page, by day or by night."""
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    page.evaluate(axe)
    found: list[tuple[str, ...]] = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        said = page.evaluate("axe.run(document, {preload: false})")  # it may not load our style sheet again
        found += [(scheme, *_barrier(each)) for each in said["violations"]]
        assert len(said["passes"]) > 10
    return found


def _barrier(found: Any) -> tuple[str, str, str]:
    node = found["nodes"][0]
    return found["id"], node["html"][:200], node["failureSummary"]


def kinds_of_pages(site: Path) -> dict[str, Path]:
    """Return a page of every kind; of a match and a bot, those with a fault drawn on the board."""
    with_board = '<path class="named"'
    return {
        "first": site / "index.html",
        "division": site / "duo.html",
        "solo": site / "solo.html" if (site / "solo.html").exists() else site / "classic.html",
        "bot": _holding(site / "bots", with_board),
        "match": _holding(site / "matches", 'id="data"', "Faults</h2>"),
        "faulty match": _holding(site / "matches", "Faults</h2>"),
        "games": site / "games-classic.html",
        "about": site / "about.html",
    }


def _holding(folder: Path, text: str, without: str = "\0") -> Path:
    for path in sorted(folder.glob("*.html")):
        page = path.read_text(encoding="utf-8")
        if text in page and without not in page:
            return path
    raise AssertionError(f"no page in {folder} has {text!r}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Return the system's Chromium, without a window."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        absent("playwright is not installed")
    program = next(
        (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
    )
    if program is None:
        absent("Chromium is not installed")
    with sync_playwright() as playwright:
        try:
            started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        except Error as error:
            absent(f"Chromium does not start: {error}")
        yield started
        started.close()


class Visit:
    """A page that is open in the browser, and all it complained about."""

    def __init__(self, page: Any, base: str) -> None:
        self.page = page
        self._base = base
        self.complaints: list[str] = []
        page.on("console", lambda said: self.complaints.append(f"{said.type}: {said.text}"))
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("requestfailed", lambda request: self.complaints.append(f"failed: {request.url}"))
        page.on("dialog", self._on_dialog)
        page.on("request", self._on_request)

    def _on_dialog(self, dialog: Any) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _on_request(self, request: Any) -> None:
        if not request.url.startswith(self._base):
            self.complaints.append(f"beyond the site: {request.url}")


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Visit]]:
    """Open a page; at the end, nothing may have been said on the console, and nothing asked for beyond the site."""
    visits: list[Visit] = []

    def open_page(path: Path | str, site: Path | str, anchor: str = "", **options: Any) -> Visit:
        base = site if isinstance(site, str) else site.as_uri()
        address = path if isinstance(path, str) else path.as_uri()
        page = browser.new_page(**{"viewport": {"width": 1280, "height": 900}, **options})
        found = Visit(page, base)
        visits.append(found)
        page.goto(address + anchor, wait_until="load")
        return found

    yield open_page
    complaints = [complaint for found in visits for complaint in found.complaints]
    for found in visits:
        found.page.close()  # which breaks off what is still on its way
    assert complaints == []


@pytest.fixture(scope="session")
def axe(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the program that looks for barriers; it comes from npm, once, into pytest's cache."""
    cache = getattr(request.config, "cache", None)
    home = Path(str(cache.mkdir("axe"))) if cache else tmp_path_factory.mktemp("axe")
    script = home / "node_modules" / "axe-core" / "axe.min.js"
    if not script.exists():
        npm = shutil.which("npm")
        if npm is None:
            absent("npm is not installed")
        command = [npm, "install", "--no-save", "--no-audit", "--no-fund", "--prefix", str(home), AXE]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        if done.returncode or not script.exists():
            absent(f"axe-core cannot be installed: {done.stderr[-200:]}")
    return script.read_text(encoding="utf-8")

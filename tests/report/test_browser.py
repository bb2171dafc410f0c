"""The site in a real browser: from files, over HTTP below a path, by mouse and keys, on a phone, in the dark."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from arena.limits import TimeControl
from arena.record import MatchRecord, from_json
from arena.report import write_site
from tests.report.conftest import barriers, kinds_of_pages
from tests.report.leagues import Plan, build

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True}
KINDS = ["first", "division", "solo", "bot", "match", "faulty match", "games", "about"]
RARE = [
    "nothing counts",
    "annulled games",
    "no puzzle counts",
    "nothing played",
    "about nothing",
    "bot without a match",
]
Visits = Callable[..., Any]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def hosted(site: Path) -> Iterator[str]:
    """Serve the site as a plain host does, below a path."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site.parent)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/{site.name}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_opens_from_a_file_without_a_word_on_the_console(visit: Visits, site: Path, kind: str) -> None:
    found = visit(kinds_of_pages(site)[kind], site)
    assert found.page.locator("h1").count() == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_opens_below_a_path_and_asks_nobody_else(visit: Visits, site: Path, hosted: str, kind: str) -> None:
    name = kinds_of_pages(site)[kind].relative_to(site)
    found = visit(f"{hosted}/{name}", hosted)
    assert found.page.locator("h1").count() == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_phone_never_scrolls_sideways(visit: Visits, site: Path, hostile_site: Path, kind: str) -> None:
    for folder in (site, hostile_site):
        page = visit(kinds_of_pages(folder)[kind], folder, **PHONE).page
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, folder
        assert page.evaluate("document.body.scrollWidth") <= 360, folder


@pytest.mark.parametrize("kind", KINDS)
def test_strange_names_and_notes_stay_text(visit: Visits, hostile_site: Path, kind: str) -> None:
    page = visit(kinds_of_pages(hostile_site)[kind], hostile_site).page
    assert page.locator("main img, main script[src], main i, main b script").count() == 0
    assert "49" not in page.title()


def _names(page: Any) -> list[str]:
    return page.locator("#leaderboard tbody tr:visible th a").all_inner_texts()  # type: ignore[no-any-return]


def test_a_click_on_a_heading_sorts(visit: Visits, site: Path) -> None:
    page = visit(site / "classic.html", site).page
    before = _names(page)
    page.get_by_role("button", name="Bot", exact=True).click()
    assert _names(page) == sorted(before, key=str.lower)
    page.get_by_role("button", name="Bot", exact=True).click()
    assert _names(page) == sorted(before, key=str.lower, reverse=True)
    page.get_by_role("button", name="Rank", exact=True).click()
    assert _names(page) == before
    page.get_by_role("button", name="Games", exact=True).click()
    games = [int(text) for text in page.locator("#leaderboard tbody tr td:nth-of-type(8)").all_inner_texts()]
    assert games == sorted(games, reverse=True)
    assert page.locator("th[aria-sort=descending]").inner_text().startswith("Games")


def test_a_word_filters(visit: Visits, site: Path) -> None:
    page = visit(site / "classic.html", site).page
    everybody = _names(page)
    page.get_by_role("searchbox").fill("GREEDY")
    assert _names(page) == ["greedy"]
    assert page.locator("[data-count]").inner_text() == f"1 of {len(everybody)}"
    page.get_by_role("searchbox").fill("")
    page.get_by_label("Ranked bots only").check()
    assert 0 < len(_names(page)) < len(everybody)


def test_a_cell_of_the_crosstable_leads_to_the_games_of_the_two(visit: Visits, site: Path) -> None:
    page = visit(site / "classic.html", site).page
    cell = page.locator("#crosstable-table tbody td a").first
    games = int(re.findall(r"\d+", cell.get_attribute("title"))[0])
    row = page.locator("#crosstable-table tbody tr").first.locator("th").inner_text()
    cell.click()
    page.wait_for_selector("#games tbody tr")
    _wait(page, "document.getElementById('count').textContent.endsWith('games')")
    lines = page.locator("#games tbody tr").all_inner_texts()
    counted = [line for line in lines if not re.search("annulled|played before", line)]
    assert len(counted) == games
    assert all(row in line for line in lines)


def test_a_game_is_one_click_away(visit: Visits, site: Path) -> None:
    page = visit(site / "games-duo.html", site, "#bot=1").page
    page.locator("#games tbody tr td a").first.click()
    page.wait_for_selector("#replay .board .piece")
    assert page.locator("#where").inner_text().startswith("ply ")


def test_the_list_of_games_says_why_it_cannot_be_filtered_yet(visit: Visits, site: Path) -> None:
    page = visit(site / "games-duo.html", site).page
    assert page.locator("#faulty").is_disabled()
    assert page.locator("#count").inner_text().endswith("choose a bot to filter")
    page.locator("#bot").select_option(index=1)
    _wait(page, "document.getElementById('count').textContent.endsWith('games')")
    assert page.locator("#faulty").is_enabled()


def _wait(page: Any, condition: str) -> None:
    """Wait until something is so; from outside, since the page may not evaluate text."""
    for _ in range(200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never came true: {condition}")


# ---- the replayer


def _record(path: Path) -> MatchRecord:
    return from_json(path.with_suffix(".json").read_bytes(), path.name)


def _cells_shown(page: Any) -> dict[tuple[int, int], str]:
    """Return what the browser draws at the middle of every square, by hit testing the paths."""
    found = page.evaluate(
        """() => {
        const board = document.querySelector('#board svg'), data = window.arenaReplay.data, cells = [];
        const pieces = [...board.querySelectorAll('path.piece')].filter(p => p.getBoundingClientRect().width);
        for (let row = 0; row < data.rows; row += 1) for (let col = 0; col < data.cols; col += 1) {
          const point = new DOMPoint(col + 0.5, row + 0.5);
          for (const piece of pieces) if (piece.isPointInFill(point)) cells.push([row, col, piece.classList[1]]);
        }
        return cells; }"""
    )
    return {(row, col): color for row, col, color in found}


def _cells_after(record: MatchRecord, plies: int) -> dict[tuple[int, int], str]:
    return {tuple(cell): ply.color for ply in record.plies[:plies] for cell in ply.cells}  # type: ignore[misc]


@pytest.mark.parametrize("kind", ["match", "faulty match"])
def test_the_final_board_is_that_of_the_record(visit: Visits, site: Path, kind: str) -> None:
    path = kinds_of_pages(site)[kind]
    record, page = _record(path), visit(path, site).page
    assert _cells_shown(page) == _cells_after(record, len(record.plies))
    totals = page.locator("#seats .total").all_inner_texts()
    assert [int(total.replace("\u2212", "-")) for total in totals] == list(record.totals)


def test_without_scripts_the_final_board_and_the_result_are_there(browser: Any, site: Path) -> None:
    path = kinds_of_pages(site)["match"]
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    paths = [piece.get_attribute("d") for piece in page.locator("#board .piece").all()]
    assert sum(path_data.count("M") for path_data in paths) == len(_record(path).plies)
    assert page.locator("#seats li").count() == len(_record(path).seats)
    page.goto((site / "index.html").as_uri())
    assert page.locator("#leaderboard tbody tr").count() > 3
    context.close()


def test_the_mouse_steps_and_jumps(visit: Visits, site: Path) -> None:
    path = kinds_of_pages(site)["match"]
    record, page = _record(path), visit(path, site).page
    page.get_by_label("To the start").click()
    assert _cells_shown(page) == {}
    page.get_by_label("One step on").click()
    page.get_by_label("One step on").click()
    assert _cells_shown(page) == _cells_after(record, 2)
    page.get_by_label("One step back").click()
    assert page.locator("#where").inner_text() == f"ply 1 of {len(record.plies)}"
    page.locator("#move-rows a", has_text=re.compile("^9$")).click()
    _wait(page, "window.arenaReplay.at === 9")
    assert _cells_shown(page) == _cells_after(record, 9)
    page.get_by_label("To the end").click()
    assert _cells_shown(page) == _cells_after(record, len(record.plies))


def test_keys_step_jump_and_play(visit: Visits, site: Path) -> None:
    path = kinds_of_pages(site)["match"]
    record, page = _record(path), visit(path, site).page
    page.keyboard.press("Home")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("window.arenaReplay.at") == 2
    assert page.url.endswith("#ply=2")
    page.locator("#speed").select_option("150")
    page.locator("h1").click()
    page.keyboard.press("Space")
    _wait(page, "window.arenaReplay.at >= 4")
    page.keyboard.press("Space")
    stopped = page.evaluate("window.arenaReplay.at")
    page.wait_for_timeout(400)
    assert page.evaluate("window.arenaReplay.at") == stopped
    page.keyboard.press("End")
    assert _cells_shown(page) == _cells_after(record, len(record.plies))


def test_the_space_bar_plays_after_a_click_and_on_the_slider(visit: Visits, site: Path) -> None:
    page = visit(kinds_of_pages(site)["match"], site, "#ply=3").page
    page.locator("#speed").select_option("150")
    page.get_by_label("One step on").click()
    page.locator("#scrub").focus()
    for focus in ("#scrub", None):
        if focus is None:  # the mouse leaves the focus where it is
            page.evaluate("document.activeElement.blur()")
            page.get_by_label("One step back").click()
        page.keyboard.press("Space")
        assert page.get_by_role("button", name="Pause").count() == 1
        page.keyboard.press("Space")
        assert page.get_by_role("button", name="Play").count() == 1
    at = page.evaluate("window.arenaReplay.at")
    page.locator("[data-go=on]").focus()
    page.keyboard.press("Space")  # who comes by the Tab key presses the button
    assert page.evaluate("window.arenaReplay.at") == at + 1


def test_places_are_told_when_the_game_is_over(visit: Visits, site: Path) -> None:
    path = kinds_of_pages(site)["match"]
    record, page = _record(path), visit(path, site).page
    places = page.locator("#seats .place")
    assert [int(text[0]) for text in places.all_inner_texts()] == list(record.ranks)
    assert "The game is over." in page.locator("#now p").inner_text()
    assert page.locator("#now dt", has_text=re.compile("^$")).count() == 0
    page.keyboard.press("ArrowLeft")
    assert set(places.all_inner_texts()) == {""}
    page.goto(next(iter(_solo_matches(site))).as_uri())
    assert set(page.locator("#seats .place").all_inner_texts()) == {""}


def _solo_matches(site: Path) -> Iterator[Path]:
    for path in sorted((site / "matches").glob("*.json")):
        if from_json(path.read_bytes(), path.name).variant == "solo":
            yield path.with_suffix(".html")


def test_an_address_leads_to_a_ply(visit: Visits, site: Path) -> None:
    path = kinds_of_pages(site)["match"]
    page = visit(path, site, "#ply=12").page
    assert _cells_shown(page) == _cells_after(_record(path), 12)
    page.evaluate("location.hash = 'ply=3'")
    _wait(page, "window.arenaReplay.at === 3")


def test_a_step_tells_move_legal_moves_time_note_and_eval(visit: Visits, site: Path) -> None:
    path = kinds_of_pages(site)["match"]
    record = _record(path)
    ply = next(ply for ply in record.plies if ply.note and ply.eval is not None)
    page = visit(path, site, f"#ply={ply.turn + 1}").page
    card = page.locator("#now").inner_text()
    step = json.loads(page.evaluate("JSON.stringify(window.arenaReplay.data.steps)"))[ply.turn]
    assert ply.note in card
    assert step["m"] in card
    assert f"{step['n']} legal" in card
    assert str(ply.eval).replace("-", "\u2212") in card
    hands = page.locator("#seats .hand svg:visible").count()
    game = record.spec.new_game()
    for done in record.plies[: ply.turn + 1]:
        game.play_number(game.judge_cells(done.cells))
    assert hands == sum(len(game.hand(color)) for color in game.variant.colors)


def _seconds(text: str) -> float:
    number, unit = re.findall(r"([\d.]+)\u202f(ms|s)", text)[0]
    return float(number) / (1000 if unit == "ms" else 1)


def test_where_cpu_time_is_charged_it_is_shown(visit: Visits, tmp_path: Path) -> None:
    plan = Plan(bots=2, matches=1, faulty=0, variants=("duo",), time=TimeControl(kind="cpu"))
    write_site(build(tmp_path / "league", plan), tmp_path / "site")
    (path,) = (tmp_path / "site" / "matches").glob("*.html")
    record, page = _record(path), visit(path, tmp_path / "site", "#ply=1").page
    ply = record.plies[0]
    assert ply.cpu_us != ply.wall_us
    for shown in (page.locator("#now"), page.locator("#move-rows tr").first, page.locator("#seats .sub").first):
        assert _seconds(shown.inner_text()) == pytest.approx(ply.cpu_us / 1e6, rel=0.02)
    page.keyboard.press("End")
    for seat, shown in enumerate(page.locator("#seats .sub").all()):
        used_us = sum(ply.cpu_us for ply in record.plies if ply.seat == seat)
        assert "of CPU time used" in shown.inner_text()
        assert _seconds(shown.inner_text()) == pytest.approx(used_us / 1e6, rel=0.02)


def test_a_fault_is_a_step_of_its_own_and_an_illegal_move_is_drawn(visit: Visits, site: Path) -> None:
    for path in sorted((site / "matches").glob("*.json")):
        record = from_json(path.read_bytes(), path.name)
        if any(fault.kind == "illegal" and fault.evidence.named for fault in record.faults):
            break
    page = visit(path.with_suffix(".html"), site, f"#ply={record.faults[0].turn}f").page
    assert "illegal move" in page.locator("#now").inner_text()
    assert page.locator("#board .cross:visible").count() == 1
    page.keyboard.press("ArrowLeft")
    assert page.locator("#board .cross:visible").count() == 0


# ---- light and dark


def _paper(page: Any) -> str:
    return str(page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))


def test_the_system_decides_between_light_and_dark_until_the_reader_does(visit: Visits, hosted: str) -> None:
    dark = visit(f"{hosted}/index.html", hosted, color_scheme="dark").page
    light = visit(f"{hosted}/index.html", hosted, color_scheme="light").page
    night, day = _paper(dark), _paper(light)
    assert night != day
    light.get_by_role("button", name="Switch between light and dark").click()
    assert _paper(light) == night
    light.reload()
    assert _paper(light) == night


def test_paper_is_white_and_plots_are_drawn_in_colors_of_the_page(visit: Visits, site: Path) -> None:
    page = visit(site / "index.html", site, color_scheme="dark").page
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.querySelector('.plot text')).fill") == "rgb(92, 89, 81)"
    page.emulate_media(media="screen")
    assert page.evaluate("getComputedStyle(document.querySelector('.plot text')).fill") == "rgb(169, 166, 159)"


# ---- barriers


@pytest.mark.parametrize("kind", KINDS)
def test_no_barrier_is_found_by_day_or_by_night(visit: Visits, site: Path, axe: str, kind: str) -> None:
    assert barriers(visit(kinds_of_pages(site)[kind], site).page, axe) == []


@pytest.mark.parametrize("kind", KINDS)
def test_no_barrier_is_made_by_strange_names(visit: Visits, hostile_site: Path, axe: str, kind: str) -> None:
    assert barriers(visit(kinds_of_pages(hostile_site)[kind], hostile_site).page, axe) == []


@pytest.mark.parametrize("kind", RARE)
def test_a_rare_page_has_no_barrier_and_fits_a_phone(
    visit: Visits, rare_pages: dict[str, Path], axe: str, kind: str
) -> None:
    path = rare_pages[kind]
    site = next(folder for folder in path.parents if (folder / "assets").exists())
    page = visit(path, site, **PHONE).page
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert barriers(page, axe) == []

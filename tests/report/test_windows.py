"""The site in windows of every size: what matters is in view, nothing is cut off, headings are above their numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.report.conftest import kinds_of_pages

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True}
Visits = Callable[..., Any]


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1280, 900), (1920, 1080)])
def test_the_board_and_what_moves_it_are_in_view(visit: Visits, site: Path, width: int, height: int) -> None:
    page = visit(kinds_of_pages(site)["match"], site, viewport={"width": width, "height": height}).page
    for selector in ("#board .board", "#controls", "#now"):
        box = page.locator(selector).bounding_box()
        assert box["y"] + box["height"] <= height, selector
    assert page.locator("#board .board").bounding_box()["height"] >= 0.65 * min(height, 900)


def test_a_phone_on_its_side_shows_the_whole_board_beside_what_moves_it(visit: Visits, site: Path) -> None:
    page = visit(kinds_of_pages(site)["match"], site, viewport={"width": 844, "height": 390}).page
    page.evaluate("document.getElementById('replay').scrollIntoView({behavior: 'instant'})")
    board, controls = (page.locator(selector).bounding_box() for selector in ("#board .board", "#controls"))
    assert board["y"] >= 0
    assert board["y"] + board["height"] <= 390
    assert controls["x"] >= board["x"] + board["width"]
    assert controls["y"] + controls["height"] <= 390


def test_a_phone_shows_the_ratings_at_once_and_whole_plots(visit: Visits, site: Path) -> None:
    page = visit(site / "classic.html", site, **PHONE).page
    for cell in page.locator("#leaderboard tbody tr td:nth-of-type(4)").all():
        box = cell.bounding_box()
        assert box["x"] + box["width"] <= 360 - 20
    assert page.locator("#leaderboard .more:visible").count() == 0
    for plot in page.locator("figure .plot").all():
        box = plot.bounding_box()
        assert box["x"] + box["width"] <= 360
    sizes = page.evaluate(
        """[...document.querySelectorAll('figure .plot')].map(plot =>
        parseFloat(getComputedStyle(plot.querySelector('text')).fontSize)
        * plot.getBoundingClientRect().width / plot.viewBox.baseVal.width)"""
    )
    assert min(sizes) >= 9


def test_a_row_of_moves_is_one_line_high_on_a_phone(visit: Visits, site: Path) -> None:
    page = visit(kinds_of_pages(site)["match"], site, **PHONE).page
    assert max(row.bounding_box()["height"] for row in page.locator("#move-rows tr").all()) < 36


def test_the_whole_table_fits_a_window_of_1280(visit: Visits, site: Path) -> None:
    page = visit(site / "classic.html", site).page
    assert page.locator("#leaderboard .tag").count() >= 2
    scroll = page.locator("[aria-label=Leaderboard]")
    assert scroll.evaluate("box => box.scrollWidth - box.clientWidth") <= 0


def test_headings_stand_above_their_numbers(visit: Visits, site: Path) -> None:
    page = visit(site / "classic.html", site).page
    apart = page.evaluate(
        """(() => {
        const table = document.getElementById('leaderboard'), end = node => {
          const range = document.createRange();
          range.selectNodeContents(node);
          return range.getBoundingClientRect().right; };
        const row = table.tBodies[0].rows[0].cells;
        return [...table.tHead.rows[0].cells].map((head, nth) => head.classList.contains('left') ? 0
          : Math.abs(end(head.querySelector('button')) - end(row[nth]))); })()"""
    )
    assert max(apart) < 2
    columns = page.evaluate(
        """[...document.querySelectorAll('#crosstable-table thead th')].map(head => {
        const box = head.getBoundingClientRect(), name = head.firstElementChild.getBoundingClientRect();
        return Math.abs(box.left + box.right - name.left - name.right) / 2; })"""
    )
    assert max(columns) < 2

"""Makes the pictures of the README from a league: `python docs/make_pictures.py LEAGUE`.

Needs playwright, pillow and the system's Chromium.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from arena.report import write_site

_PAGE = 1320  # the width of a page in a picture: the whole table fits
_WINDOW = {"width": _PAGE, "height": 860}  # the height is that of the largest board


def take_pictures(league: Path, folder: Path) -> None:
    """Take pictures of a league's table, and of its longest game two thirds on."""
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory() as scratch, sync_playwright() as playwright:
        site = Path(scratch) / "site"
        write_site(league, site)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport=_WINDOW, device_scale_factor=1.5, color_scheme="light")
        first = site / "classic.html"
        page.goto((first if first.exists() else site / "index.html").as_uri())
        _shoot(page, folder / "leaderboard.png", "[aria-label=Leaderboard] + p")
        longest = max((site / "matches").glob("*.json"), key=lambda path: path.stat().st_size)
        page.goto(longest.with_suffix(".html").as_uri() + "#ply=0")
        plies = int(page.locator("#scrub").get_attribute("max") or 0)
        page.locator("#scrub").fill(str(plies * 2 // 3))
        page.locator("h1").click()
        _shoot(page, folder / "replayer.png", "#replay")
        browser.close()


def _shoot(page: Any, target: Path, last: str) -> None:
    """Save a picture of a page down to an element, with the 256 colors that are nearest to its own: a third in size."""
    from PIL import Image

    box = page.locator(last).bounding_box()
    clip = {"x": 0, "y": 0, "width": _PAGE, "height": int(box["y"] + box["height"]) + 16}
    page.screenshot(path=target, full_page=True, clip=clip)
    # small patches keep colors of their own; without k-means every large one would be tinted
    few = (
        Image.open(target).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=2, dither=Image.Dither.NONE)
    )
    few.save(target, optimize=True)


if __name__ == "__main__":
    take_pictures(Path(sys.argv[1]), Path(__file__).parent)

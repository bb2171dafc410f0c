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


def take_pictures(league: Path, folder: Path) -> None:
    """Take pictures of a league's first page, and of its longest game two thirds on."""
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory() as scratch, sync_playwright() as playwright:
        site = Path(scratch) / "site"
        write_site(league, site)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": _PAGE, "height": 760}, device_scale_factor=1.5, color_scheme="light")
        page.goto((site / "index.html").as_uri())
        _shoot(page, folder / "leaderboard.png", _PAGE, _bottom_of(page, "#leaderboard") + 30)
        longest = max((site / "matches").glob("*.json"), key=lambda path: path.stat().st_size)
        page.goto(longest.with_suffix(".html").as_uri() + "#ply=0")
        plies = int(page.locator("#scrub").get_attribute("max") or 0)
        page.locator("#scrub").fill(str(plies * 2 // 3))
        page.locator("h1").click()
        _shoot(page, folder / "replayer.png", _PAGE, _bottom_of(page, "#controls > p") + 16)
        browser.close()


def _bottom_of(page: Any, selector: str) -> int:
    box = page.locator(selector).bounding_box()
    return int(box["y"] + box["height"])


def _shoot(page: Any, target: Path, width: int, height: int) -> None:
    """Save a picture with 256 colors, chosen so that small patches keep theirs: the file shrinks to a third."""
    from PIL import Image

    page.set_viewport_size({"width": width, "height": height})
    page.screenshot(path=target)
    few = Image.open(target).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(target, optimize=True)


if __name__ == "__main__":
    take_pictures(Path(sys.argv[1]), Path(__file__).parent)

"""Makes the pictures of the README.

`python docs/make_pictures.py` draws match.svg from a real match. With a league as argument it takes leaderboard.png and
replayer.png of its site instead; that needs playwright, pillow and the system's Chromium.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from arena.bots import load_bot
from arena.match import MatchSpec
from arena.record import MatchRecord
from arena.referee import play_match
from arena.replay import positions
from arena.report import write_site
from engine import Game

SIZE = 22
_PAGE = 1320  # the width of a page in a picture: the whole table fits
COLORS = {"blue": "#1f5fbf", "yellow": "#e8c020", "red": "#c0392b", "green": "#3fa650"}


def _box(row: int, col: int, width: int, height: int, fill: str) -> str:
    corner = f'x="{col * SIZE + 1}" y="{row * SIZE + 1}"'
    return f'<rect {corner} width="{width}" height="{height}" rx="3" fill="{fill}"/>'


def _piece(cells: set[tuple[int, int]], fill: str) -> list[str]:
    """Return a piece: its squares, and boxes over the gaps between those that hang together."""
    boxes = []
    for row, col in sorted(cells):
        right, below = (row, col + 1) in cells, (row + 1, col) in cells
        boxes.append(_box(row, col, SIZE - 2, SIZE - 2, fill))
        if right:
            boxes.append(_box(row, col, 2 * SIZE - 2, SIZE - 2, fill))
        if below:
            boxes.append(_box(row, col, SIZE - 2, 2 * SIZE - 2, fill))
        if right and below and (row + 1, col + 1) in cells:
            boxes.append(_box(row, col, 2 * SIZE - 2, 2 * SIZE - 2, fill))
    return boxes


def draw(record: MatchRecord, game: Game) -> str:
    """Return the final board and the result as an SVG."""
    rows, cols = game.variant.rows, game.variant.cols
    board, width = cols * SIZE, cols * SIZE + 310
    parts = [f'<rect width="{width}" height="{board}" rx="6" fill="#fff"/>']
    parts.append(f'<rect width="{board}" height="{board}" rx="6" fill="#f3efe6"/>')
    parts += [_box(row, col, SIZE - 2, SIZE - 2, "#e4ddcd") for row in range(rows) for col in range(cols)]
    for ply in record.plies:
        parts += _piece(set(ply.cells), COLORS[ply.color])
    left = board + 30
    for line, seat in enumerate(sorted(range(len(record.seats)), key=lambda seat: record.ranks[seat])):
        (color,) = game.variant.seats[seat]
        y = 60 + 56 * line
        name = f"{record.ranks[seat]}. {record.seats[seat].name}"
        parts.append(f'<rect x="{left}" y="{y - 22}" width="30" height="30" rx="5" fill="{COLORS[color]}"/>')
        parts.append(f'<text x="{left + 44}" y="{y}" font-size="20">{name}</text>')
        parts.append(f'<text x="{left + 260}" y="{y}" font-size="20" text-anchor="end">{record.totals[seat]}</text>')
    note = f"classic, seed {record.spec.seed}: {len(record.plies)} pieces placed"
    parts.append(f'<text x="{left}" y="{board - 14}" font-size="14" fill="#666">{note}</text>')
    size = f'width="{width}" height="{board}" viewBox="0 0 {width} {board}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="system-ui, sans-serif" fill="#333">'
    return "\n".join([head, *parts, "</svg>\n"])


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


def main() -> None:
    """Play the match and write the picture, or take those of a league."""
    if len(sys.argv) > 1:
        take_pictures(Path(sys.argv[1]), Path(__file__).parent)
        return
    bots = [load_bot(name) for name in ("greedy", "random", "greedy", "random")]
    record = play_match(MatchSpec(seed=7), bots)
    *_, (game, _) = positions(record)
    Path(__file__).with_name("match.svg").write_text(draw(record, game), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Draws the picture of the README from a real match: `python docs/make_pictures.py`."""

from __future__ import annotations

from pathlib import Path

from arena.bots import load_bot
from arena.match import MatchSpec
from arena.record import MatchRecord
from arena.referee import play_match
from arena.replay import positions
from engine import Game

SIZE = 22
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


def main() -> None:
    """Play the match and write the picture."""
    bots = [load_bot(name) for name in ("greedy", "random", "greedy", "random")]
    record = play_match(MatchSpec(seed=7), bots)
    *_, (game, _) = positions(record)
    Path(__file__).with_name("match.svg").write_text(draw(record, game), encoding="utf-8")


if __name__ == "__main__":
    main()

"""docs/rules.md says what the engine does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine import PIECES, SCORINGS, VARIANTS, Game, Move, Variant
from engine.scoring import points

PAGE = (Path(__file__).parent.parent / "docs" / "rules.md").read_text(encoding="utf-8")

_MINUS, _TIMES = "\N{MINUS SIGN}", "\N{MULTIPLICATION SIGN}"


def _after(mark: str, pattern: str) -> str:
    found = re.search(rf"<!-- {mark} -->\n{pattern}", PAGE, re.DOTALL)
    assert found, f"docs/rules.md has no part marked {mark}"
    return found[1]


def _block(mark: str) -> str:
    return _after(mark, r"```\n(.*?)```")


def _rows(mark: str) -> list[list[str]]:
    """Return the cells of a table, without its head."""
    lines = _after(mark, r"(.*?)\n\n").splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def _cells(text: str) -> list[tuple[int, int]]:
    return [(int(row), int(col)) for row, col in re.findall(r"\[(\d+),(\d+)\]", text)]


def _numbers(text: str) -> list[int]:
    return [int(number.replace(_MINUS, "-")) for number in re.findall(rf"[+{_MINUS}]?\d+", text)]


# ---- pieces


def _drawings() -> dict[str, list[tuple[int, int]]]:
    lines = _block("pieces").splitlines()
    drawn = {}
    for top, line in enumerate(lines):
        for found in re.finditer(r"([A-Z]\d?) ([.#]+)", line):
            first, last = found.span(2)
            block = [row[first:last] for row in lines[top:]]
            height = next((at for at, row in enumerate(block) if not row.strip()), len(block))
            drawn[found[1]] = [(r, c) for r in range(height) for c, mark in enumerate(block[r]) if mark == "#"]
    return drawn


def test_the_drawings_are_the_pieces_in_their_order() -> None:
    assert {name: tuple(cells) for name, cells in _drawings().items()} == {
        name: piece.drawing for name, piece in PIECES.items()
    }
    assert list(_drawings()) == list(PIECES)


def test_the_numbers_of_pieces_are_right() -> None:
    sizes = [piece.size for piece in PIECES.values()]
    assert f"same {len(PIECES)} pieces" in PAGE
    assert " + ".join(str(sizes.count(size)) for size in range(1, 6)) + f" pieces with {sum(sizes)}\nsquares" in PAGE
    assert f"four colors make {4 * len(PIECES)} pieces" in PAGE
    assert f"gives {sum(len(piece.orientations) for piece in PIECES.values())} different ways" in PAGE


# ---- placing


def test_the_example_is_judged_as_it_says() -> None:
    board = [line.split("  ")[0].split() for line in _block("example").splitlines() if line.startswith(". ")]
    marks = {
        mark: [(r, c) for r, row in enumerate(board) for c, found in enumerate(row) if found == mark] for mark in "Blen"
    }
    game = Game(Variant("alone", 20, 20, ("blue",), ((),), (("blue",),), (0,)))
    own = _cells(re.search(r"blue has L3 on `(.*?)`", PAGE)[1])  # type: ignore[index]
    assert own == marks["B"]
    game.play(Move.from_cells(own))
    verdicts = re.findall(r"I2 on (\S+ \S+) +([a-z ]+)", _block("example"))
    assert [_cells(cells) for cells, _ in verdicts] == [marks["l"], marks["e"], marks["n"]]
    for cells, verdict in verdicts:
        problem = game.why_illegal(Move.from_cells(_cells(cells)))
        assert (problem.rule if problem else "legal") == verdict


def test_the_start_squares_are_the_engines() -> None:
    told = {}
    for boards, squares in _rows("starts"):
        for board in boards.split(", "):
            told[board] = {color: tuple(_cells(cell)) for color, cell in re.findall(r"(\w+) `(\S+?)`", squares)}
    assert set(told) == {_size(variant) for variant in VARIANTS.values()}
    for variant in VARIANTS.values():
        for color, start in zip(variant.colors, variant.starts, strict=True):
            assert told[_size(variant)].get(color, ()) == start


def _size(variant: Variant) -> str:
    return f"{variant.rows} {_TIMES} {variant.cols}"


# ---- score


def test_the_scorings_are_the_engines() -> None:
    told = {row[0].split("`")[1]: [_numbers(cell)[0] for cell in row[1:]] for row in _rows("scoring")}
    assert told == {
        name: [scoring.all_placed, scoring.monomino_last, scoring.all_placed + scoring.monomino_last]
        for name, scoring in SCORINGS.items()
    }


@pytest.mark.parametrize("row", _rows("scores"), ids=lambda row: row[0])
def test_the_scores_of_the_example_are_right(row: list[str]) -> None:
    left = [word for word in row[1].split() if word in PIECES and "nothing" not in row[1]]
    assert points(left, "I1", SCORINGS["15/5"]) == _numbers(row[2])[0]


# ---- variants


def test_the_table_of_variants_is_the_engines() -> None:
    told = [(row[0].strip("`"), int(row[1]), row[2], tuple(row[3].split(", "))) for row in _rows("variants")]
    assert told == [(each.name, len(each.seats), _size(each), each.colors) for each in VARIANTS.values()]


def test_who_plays_together_is_the_engines() -> None:
    for name, *_, text in _rows("variants"):
        variant = VARIANTS[name.strip("`")]
        assert ("turning color" in text) == (variant.turning_color is not None)
        sides: dict[int, list[str]] = {}
        for colors, team in zip(variant.seats, variant.teams, strict=True):
            sides.setdefault(team, []).extend(colors)
        shared = [" and ".join(colors) for colors in sides.values() if len(colors) == 2]
        assert re.findall(r"(\w+ and \w+) against (\w+ and \w+)", text) == ([tuple(shared)] if shared else [])


def test_the_pieces_of_the_puzzles_fill_their_boards() -> None:
    fours, fives = VARIANTS["solo-tetromino"], VARIANTS["solo-pentomino"]
    for variant in (fours, fives):
        assert 4 * sum(PIECES[piece].size for piece in variant.pieces) == variant.rows * variant.cols
    assert f"its {len(fours.pieces)} pieces of four squares, or its {len(fives.pieces)} of five" in PAGE
    assert f"the {4 * len(fours.pieces)} pieces of four squares" in PAGE
    assert f"the {4 * len(fives.pieces)} pieces of five squares" in PAGE

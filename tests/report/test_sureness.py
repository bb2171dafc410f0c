"""How sure the order is: the terminal and the site say the same, and never more than the ranks."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.config import LeagueConfig
from arena.standings import Interval, Line, Standings, standings
from arena.store import Store
from arena.table_view import tell_sureness
from tests.report.leagues import table_of

Range = tuple[int, int]


def _line(nth: int, ends: Range | None, left: Interval | None = None) -> Line:
    return Line(
        bot=nth,
        name=f"bot-{nth}",
        version="1.0",
        author="",
        language="",
        status="entered" if ends else "withdrawn",
        rank=nth if ends else None,
        rank_low=ends[0] if ends else None,
        rank_high=ends[1] if ends else None,
        mu=25.0,
        sigma=1.0,
        cautious=22.0,
        rating=None if left else Interval(25.0, 24.0, 26.0),
        clean_rating=None,
        left=left,
        solved=None,
        games=8,
        wins=4,
        shared=0,
        score=0.0,
        place=1.5,
        faults=0,
        move_ms=None,
    )


def _table(lines: list[Line], certainty: float = 0.99, blocks: int = 10) -> Standings:
    above = tuple(tuple(0.5 if i == j else certainty for j in range(len(lines))) for i in range(len(lines)))
    return table_of(*lines, beats=above, above=above, planned=8, matches=8, blocks=blocks)


@pytest.mark.parametrize(
    ("ends", "certainty", "told"),
    [
        ([(1, 1), (2, 2), (3, 3)], 0.99, "bot-1 is first, and the order is sure: every rank is settled with 95 %"),
        # every neighbour is above the next with more than 95 %, but ranks are about all pairs at once
        ([(1, 1), (2, 3), (2, 3)], 0.98, "bot-1 is first, with 95 % certainty. 1 of the 3 ranks is settled so far."),
        ([(1, 2), (1, 2), (3, 3)], 0.97, "its true rank is 1 to 2 with 95 % certainty. 1 of the 3 ranks is settled"),
        ([(1, 3), (1, 3), (1, 3)], 0.6, "stronger than bot-2, the next, is 60 % certain. None of the 3 ranks"),
        ([(1, 2), (1, 2)], 0.6, "That it is stronger than bot-2, the next, is 60 % certain."),
        ([(1, 1), None], 0.99, "One bot is ranked so far"),
        ([None], 0.99, "Nobody is ranked yet."),
    ],
)
def test_the_order_is_sure_only_if_no_rank_has_a_range(ends: list[Range | None], certainty: float, told: str) -> None:
    lines = [_line(nth, each) for nth, each in enumerate(ends, 1)]
    found = tell_sureness(_table(lines, certainty))
    assert told in found
    assert ("order is sure" in found) == (ends == [(1, 1), (2, 2), (3, 3)])


def test_one_block_says_nothing_of_the_order() -> None:
    lines = [_line(1, (1, 1)), _line(2, (2, 2))]
    assert "too few matches" in tell_sureness(_table(lines, blocks=1))


def test_versions_of_one_bot_are_told_apart() -> None:
    lines = [_line(1, (1, 1)), replace(_line(2, None), name="bot-1", version="0.9"), _line(3, (2, 2))]
    assert tell_sureness(_table(lines)).startswith("bot-1 1.0 is first")


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (
            Interval(2.0, 1.0, 3.0),
            Interval(9.0, 8.0, 10.0),
            "bot-1 leaves the fewest squares over, with 95 % certainty.",
        ),
        (Interval(2.0, 0.0, 9.0), Interval(9.0, 8.0, 10.0), "its interval overlaps that of bot-2."),
        (Interval(2.0), Interval(9.0), "too few games"),
    ],
)
def test_a_puzzle_is_told_by_its_intervals(first: Interval, second: Interval, told: str) -> None:
    assert told in tell_sureness(_table([_line(1, (1, 1), first), _line(2, (2, 2), second)]))


def test_the_site_and_the_terminal_say_the_same(league: Path, site: Path) -> None:
    with Store(league) as store:
        for division in store.divisions():
            told = tell_sureness(standings(store, division, LeagueConfig()))
            page = (site / f"{division.variant}.html").read_text(encoding="utf-8")
            lead = re.search(r'<p class="lead">(.*?)</p>', page)
            assert lead
            text = unescape(re.sub("<[^>]+>", "", lead[1])).replace("\u202f%", " %")
            assert text.replace("@", " ") == told

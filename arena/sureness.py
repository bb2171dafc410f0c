"""How sure the order of a table is, in words that the terminal and the site share. Pure."""

from __future__ import annotations

from arena.standings import Line, Standings

Pieces = list[str | Line]  # of a sentence: its text, and the bots that it names


def tell_order(found: Standings) -> Pieces:
    """Return a sentence or two, in pieces, on how sure the order is: sure if no rank has a range."""
    if found.lines and found.lines[0].left is not None:
        return _tell_solo(found)
    ranked = [place for place, line in enumerate(found.lines) if line.rank is not None]
    if len(ranked) < 2:
        return ["One bot is ranked so far: there is no order to be sure of." if ranked else "Nobody is ranked yet."]
    lines = [found.lines[place] for place in ranked]
    certainty = found.above[ranked[0]][ranked[1]]
    if found.blocks < 2 or lines[0].rank_high is None or certainty != certainty:
        return [lines[0], " leads, but there are too few matches to say how surely."]
    settled = sum(line.rank_low == line.rank_high for line in lines)
    if settled == len(lines):
        return [lines[0], " is first, and the order is sure: every rank is settled with 95 % certainty."]
    return [*_tell_lead(lines, certainty), *_tell_settled(settled, len(lines))]


def _tell_lead(lines: list[Line], certainty: float) -> Pieces:
    first, second = lines[:2]
    if first.rank_high == 1:
        return [first, " is first, with 95 % certainty."]
    open_lead = f" leads, but it is not settled: its true rank is 1 to {first.rank_high} with 95 % certainty."
    if certainty >= 0.95:  # the pair alone would say more than a rank, which is about all pairs at once
        return [first, open_lead]
    return [first, f"{open_lead} That it is stronger than ", second, f", the next, is {certainty * 100:.0f} % certain."]


def _tell_settled(settled: int, bots: int) -> Pieces:
    if bots == 2:
        return []
    return [f" {settled or 'None'} of the {bots} ranks {'is' if settled <= 1 else 'are'} settled so far."]


def _tell_solo(found: Standings) -> Pieces:
    ranked = [line for line in found.lines if line.rank is not None]
    if len(ranked) < 2:
        return ["One bot is ranked so far: there is no order to be sure of." if ranked else "Nobody is ranked yet."]
    first, second = ranked[:2]
    assert first.left is not None
    assert second.left is not None
    if first.left.high is None or second.left.low is None:
        return [first, " leads, but there are too few games to say how surely."]
    if first.left.high < second.left.low:
        return [first, " leaves the fewest squares over, with 95 % certainty."]
    return [first, " leaves the fewest squares over so far, but its interval overlaps that of ", second, "."]

"""Numbers and names as the pages show them: the filters of the templates. Pure."""

from __future__ import annotations

import unicodedata
from math import isfinite
from typing import Any, Protocol

NONE = "–"
_MINUS = "\N{MINUS SIGN}"
THIN = "\N{NARROW NO-BREAK SPACE}"
_CUT = 200
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
_JOINER = "\N{ZERO WIDTH JOINER}"  # holds emoji together
_MARKS = 2  # accents and the like that a character may carry: a pile of them paints over the rows above and below
_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
_BLANKS = "\u115f\u1160\u2800\u3164\uffa0"  # letters and symbols by their category, but nothing is to be seen


class HasInterval(Protocol):
    """A number with its ends, where they are known."""

    @property
    def low(self) -> float | None:
        """The lower end."""

    @property
    def high(self) -> float | None:
        """The upper end."""


def plain(text: str, longest: int = _CUT) -> str:
    """Return a stranger's text as one line of visible characters, cut to length.

    Marks that turn text around are dropped too: `<bdi>` keeps them in, but a browser's tab or a plot knows no `<bdi>`.
    """
    line = _clean(text).strip()
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def block(text: str, longest: int = 4000) -> str:
    """Return a stranger's lines with their breaks, but without control characters."""
    clean = _clean(text.replace("\r\n", "\n"), kept="\n\t")
    return clean if len(clean) <= longest else f"{clean[:longest]}…"


def has_ink(text: str) -> bool:
    """Tell whether there is anything to see in a stranger's text."""
    return any(unicodedata.category(mark)[0] not in "MZC" for mark in _clean(text))


def _clean(text: str, kept: str = "") -> str:
    """Return a text with spaces for what cannot be seen, and without piles of marks."""
    if text.isascii() and text.isprintable():
        return text
    found, marks = [], 0
    for each in unicodedata.normalize("NFC", text):  # as HTML wants it
        category = unicodedata.category(each)
        if category in ("Mn", "Me"):
            marks += 1
        elif each != _JOINER:  # what follows a joiner still sits on the same character
            marks = 0
        if marks <= _MARKS:
            is_shown = each in kept or each == _JOINER or (category not in _UNSEEN and each not in _BLANKS)
            found.append(each if is_shown else " ")
    return "".join(found)


def fixed(value: float | None, digits: int = 1) -> str:
    """Return a number with so many digits after the point."""
    if value is None or not isfinite(value):
        return NONE
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", _MINUS)


def signed(value: float | None, digits: int = 1) -> str:
    """Return a number with its sign."""
    text = fixed(value, digits)
    return f"+{text}" if value is not None and value > 0 and text != NONE else text


def whole(value: int) -> str:
    """Return a whole number with a proper minus."""
    return str(value).replace("-", _MINUS)


def thousands(value: int | None) -> str:
    """Return a whole number in groups of three."""
    return NONE if value is None else f"{value:,}".replace(",", THIN).replace("-", _MINUS)


def percent(share: float | None) -> str:
    """Return a share in percent."""
    return NONE if share is None or not isfinite(share) else f"{share * 100:.0f}{THIN}%"


def chance(share: float | None, unit: str = "") -> str:
    """Return a probability in percent; nothing is certain, so it is never 0 or 100."""
    if share is None or not isfinite(share):
        return NONE
    rounded = round(share * 100)
    return f"{'<1' if rounded <= 0 else '>99' if rounded >= 100 else rounded}{unit and THIN}{unit}"


def how_often(share: float | None) -> str:
    """Return a share of games in percent; 0 and 100 mean never and always."""
    if share in (0, 1):
        return f"{share * 100:.0f}"
    return chance(share)


def nth(number: int) -> str:
    """Return a place: 1st, 2nd."""
    return f"{number}{_ENDINGS.get(number, 'th')}"


def between(found: HasInterval, digits: int = 1) -> str:
    """Return the ends of an interval."""
    if found.low is None or found.high is None:
        return NONE
    return f"{fixed(found.low, digits)} … {fixed(found.high, digits)}"


def duration(ms: float | None, digits: int = 1) -> str:
    """Return a time in milliseconds in a unit that suits it; seconds with so many digits after the point."""
    if ms is None or not isfinite(ms):
        return NONE
    if ms < 0.05:
        return f"{'<0.1' if ms else '0'}{THIN}ms"
    if ms < 10:
        return f"{ms:.1f}{THIN}ms"
    return f"{ms:.0f}{THIN}ms" if ms < 1000 else f"{ms / 1000:.{digits}f}{THIN}s"


def size(count: int) -> str:
    """Return a number of bytes in a unit that suits it."""
    return f"{count / 1000:.0f}{THIN}kB" if count < 1_000_000 else f"{count / 1_000_000:.1f}{THIN}MB"


FILTERS: dict[str, Any] = {
    each.__name__: each
    for each in (plain, block, fixed, signed, whole, thousands, percent, chance, nth, between, duration, size)
}

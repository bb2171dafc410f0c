"""Strangers' texts as they can be shown: on one line, not too long, without anything that moves the cursor."""

from __future__ import annotations

from collections.abc import Callable

NAME_CHARACTERS = 60


def plain(text: str) -> str:
    """Return a text with a space for everything that cannot be printed."""
    return "".join(mark if mark.isprintable() else " " for mark in text)


def as_name(text: str) -> str:
    """Return as much of a text as there is room for a name, without what cannot be printed."""
    return "".join(mark for mark in text if mark.isprintable())[:NAME_CHARACTERS]


def quoted(text: str, quote: Callable[[str], str] = repr) -> str:
    """Return a text in quotes; the beginning of one that is long, and how long it is."""
    return quote(text) if len(text) <= NAME_CHARACTERS else f"{quote(text[:NAME_CHARACTERS])}… ({len(text)} characters)"

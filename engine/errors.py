"""What can be wrong with a move, a notation or a request, as typed errors."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

Rule: TypeAlias = Literal[
    "overlap",
    "edge contact",
    "no corner contact",
    "start square",
    "off the board",
    "not a piece",
    "piece already used",
    "not this colour's turn",
    "size order",
    "game over",
]


def shown(item: object) -> str:
    """Return anything for a message: a stranger's object can have a repr of any length, or one that raises."""
    try:
        text = repr(item)
    except Exception:
        return f"an unprintable {type(item).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."


class RulesError(ValueError):
    """Base of everything the engine refuses."""


class BadRequest(RulesError):
    """An unknown variant, scoring, color or seat, or nothing left to undo."""


class IllegalMove(RulesError):
    """A placement that the rules forbid: which rule, at which cells, and why in words.

    `cells` are the cells concerned as they were given, so for input that is no list of
    cells they may be anything; they are there to be shown, not computed with.
    """

    def __init__(self, rule: Rule, cells: tuple[Any, ...], detail: str) -> None:
        super().__init__(rule, cells, detail)
        self.rule: Rule = rule
        self.cells = cells
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.rule}: {self.detail}"


class BadNotation(RulesError):
    """Text that is not what its format says; `offset` counts characters from 0."""

    def __init__(self, text: str, offset: int, detail: str) -> None:
        super().__init__(text, offset, detail)
        self.offset = offset
        self.line = text.count("\n", 0, offset) + 1
        self.column = offset - (text.rfind("\n", 0, offset) + 1) + 1
        self.detail = detail

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.detail}"

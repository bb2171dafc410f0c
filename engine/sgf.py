"""The Smart Game Format's syntax: the main line of a file as nodes with properties, and text in values.

A file is a tree, `(` nodes and variations `)`; a node is `;` and properties, each a name and values in brackets. Nested
trees are counted, not called into, so that no depth is too deep; every character is looked at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from engine.errors import BadNotation
from engine.notation import shown_at

_BOM = "\ufeff"
_BLANKS = re.compile(r"\s*")
_NAME = re.compile(r"[A-Za-z0-9]+")  # digits are not in the standard, but Pentobi names colors by them
_CLOSING = re.compile(r"[\]\\]")
_NOT_PLAIN = re.compile(r"\\(?:\r\n|\n\r|\r|\n)|\\(.)|\r\n|\n\r|[\t\n\v\f\r]", re.DOTALL)

_IN_NODE = "();"  # and names of properties
_EXPECTED = {
    "(": "'(' and a game tree",
    ";": "';' and a node after '('",
    "()": "another variation or ')' after a variation",
    _IN_NODE: "a property, ';', '(' or ')'",
}


class Value(NamedTuple):
    """What stands between two brackets, as it is written, and where it begins."""

    raw: str
    offset: int


class Property(NamedTuple):
    """A property's name without lower-case letters, where it stands, and its values: one or more."""

    name: str
    offset: int
    values: list[Value]


class Node(NamedTuple):
    """A node: where it begins, and its properties in the order of the file."""

    offset: int
    properties: list[Property]

    def find(self, name: str) -> Property | None:
        """Return the first property of this name."""
        return next((found for found in self.properties if found.name == name), None)


def main_line(text: str) -> Iterator[Node]:
    """Yield the nodes of the first game tree, taking the first variation everywhere; there is at least one.

    The rest of the tree is checked for its form only, and what comes after it is ignored. Raises `BadNotation`.
    """
    at, depth, expected = len(_BOM) if text.startswith(_BOM) else 0, 0, "("
    node: Node | None = None  # the one being read, on the main line
    leaving = False  # the main line ends with the first tree that closes
    while not (leaving and depth == 0):
        at = skip_blanks(text, at)
        mark = text[at : at + 1]
        if expected == _IN_NODE and _NAME.match(mark):
            found, at = _read_property(text, at)
            if node is not None:
                node.properties.append(found)
            continue
        if not mark or mark not in expected:
            raise BadNotation(text, at, f"expected {_EXPECTED[expected]}, got {shown_at(text, at)}")
        if node is not None:
            yield node
            node = None
        if mark == ";" and not leaving:
            node = Node(at, [])
        leaving = leaving or mark == ")"
        depth += {"(": 1, ")": -1}.get(mark, 0)
        expected = {"(": ";", ";": _IN_NODE, ")": "()"}[mark]
        at += 1


def plain_text(raw: str) -> str:
    """Return a value as one line of text: escapes resolved, line breaks and tabs as blanks."""
    return _NOT_PLAIN.sub(_plain, raw)


def escape(text: str) -> str:
    """Return one line of text as it stands in a value; what would break a line becomes a blank."""
    return re.sub(r"[\\\]]", r"\\\g<0>", re.sub(r"[\t\n\v\f\r\0]", " ", text))


def skip_blanks(text: str, at: int) -> int:
    """Return the first place from here on that is not blank."""
    found = _BLANKS.match(text, at)
    return len(text) if found is None else found.end()


def _plain(found: re.Match[str]) -> str:
    if found[1] is not None:
        return " " if found[1] in "\t\v\f" else found[1]
    return "" if found[0].startswith("\\") else " "


def _read_property(text: str, at: int) -> tuple[Property, int]:
    name = _NAME.match(text, at)
    assert name is not None
    values = []
    end = skip_blanks(text, name.end())
    if text[end : end + 1] != "[":
        raise BadNotation(text, end, f"expected '[' and the value of {_short(name[0])}, got {shown_at(text, end)}")
    while text[end : end + 1] == "[":
        close = _closing_bracket(text, end + 1)
        values.append(Value(text[end + 1 : close], end + 1))
        end = skip_blanks(text, close + 1)
    return Property(re.sub("[a-z]", "", name[0]), at, values), end


def _closing_bracket(text: str, start: int) -> int:
    at = start
    while found := _CLOSING.search(text, at):
        if found[0] == "]":
            return found.start()
        at = found.end() + 1  # a backslash takes the next character with it
    raise BadNotation(text, start - 1, "expected ']' after this '[', got the end of the text")


def _short(name: str) -> str:
    return name if len(name) <= 12 else name[:12] + "..."

"""The tables of docs/sandbox.md are those of the code; `pytest --update-golden` writes them anew."""

from __future__ import annotations

from pathlib import Path

from arena.doctor import promises
from tests.hostile.box import BOXES
from tests.hostile.test_attacks import ATTACKS, OPEN

PAGE = Path(__file__).parent.parent.parent / "docs" / "sandbox.md"


def _table(titles: list[str], rows: list[list[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _protections() -> str:
    boxes = [*BOXES, "seatbelt"]
    return _table(["protection", *boxes], [[name, *[by[box] for box in boxes]] for name, by in promises()])


def _open() -> str:
    tries = {attack.name: attack.tries for attack in ATTACKS}
    reasons: dict[tuple[str, str], list[str]] = {}
    for (attack, box), reason in OPEN.items():
        reasons.setdefault((tries[attack], reason), []).append(f"`{box}`")
    return _table(["attack", "in", "why"], [[what, ", ".join(boxes), why] for (what, why), boxes in reasons.items()])


def _with(text: str, name: str, table: str) -> str:
    """Return a page with a table put between its marks."""
    before, begin, rest = text.partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition(f"<!-- /{name} -->")
    assert end, f"there is no place for the table {name}"
    return f"{before}{begin}{table}\n{end}{after}"


def test_the_tables_of_the_page_are_current(updates_golden: bool) -> None:
    text = PAGE.read_text(encoding="utf-8")
    wanted = _with(_with(text, "protections", _protections()), "open", _open())
    if updates_golden:
        PAGE.write_text(wanted, encoding="utf-8")
        text = wanted
    assert text == wanted, "docs/sandbox.md is not up to date: see pytest --update-golden"

"""What a check found: numbered steps, each with its reason and advice, and how they read."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from arena.text import plain

_SHOWN = 300
_NAME_WIDTH = 24


class Cause(msgspec.Struct, frozen=True):
    """Why something went wrong, in plain words, and what to do about it."""

    what: str
    advice: str = ""
    key: str = ""  # what tells it from other causes, where `what` tells more than that

    def is_like(self, other: Cause) -> bool:
        """Whether it is the same mistake, maybe with other numbers."""
        return _without_numbers(self.key or self.what) == _without_numbers(other.key or other.what)


def _without_numbers(text: str) -> str:
    return re.sub(r"\d+", "", text)


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a check. `ok` is None for one that only informs, or had to be left out."""

    number: int
    name: str
    ok: bool | None
    detail: str
    advice: str = ""
    sent: str = ""  # the last line to the bot
    received: str = ""  # the last line from the bot
    log: str = ""  # the last lines that the bot wrote to standard error
    board: str = ""  # as it was then; x marks what the bot named
    same_as: int | None = None  # the number of the first step that failed for the same cause


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """All steps of a check, as far as it got."""

    bot: str
    source: str
    steps: tuple[Step, ...]

    @property
    def passed(self) -> bool:
        """Whether no step failed."""
        return all(step.ok is not False for step in self.steps)

    @property
    def verdict(self) -> str:
        """The outcome in a sentence."""
        failed = [step for step in self.steps if step.ok is False]
        if not failed:
            return f"{self.bot} passed: {sum(step.ok is True for step in self.steps)} steps, none failed."
        names = ", ".join(f"{step.number} ({step.name})" for step in failed)
        return f"{self.bot} failed step{'s' * (len(failed) > 1)} {names}. Begin with the first one."


def lines_of(step: Step) -> Iterator[str]:
    """Give a step as lines for a terminal."""
    mark = {True: "ok", False: "FAILED", None: "note"}[step.ok]
    detail = f"the same as in step {step.same_as}" if step.same_as else plain(step.detail)
    yield f"{step.number:2}  {step.name:<{_NAME_WIDTH}}  {mark:<6}  {detail}"
    if step.same_as:
        return
    for title, text in (("advice", step.advice), ("sent", step.sent), ("received", step.received)):
        if text:
            yield f"    {title:<8}  {plain(cut(text))}"
    for at, line in enumerate(step.log.splitlines()):
        yield f"    {'' if at else 'log':<8}  {plain(line)}".rstrip()
    for line in step.board.splitlines():
        yield f"    {line}"


def cut(text: str, shown: int = _SHOWN) -> str:
    """Return the beginning of a text that may be long."""
    return text if len(text) <= shown else f"{text[:shown]}… [{len(text)} characters]"

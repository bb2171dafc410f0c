"""The workflow in docs/publish.md uses commands and options that exist."""

from __future__ import annotations

import re
from pathlib import Path

from arena.cli import cli

PAGE = (Path(__file__).parent.parent.parent / "docs" / "publish.md").read_text(encoding="utf-8")


def test_the_commands_of_the_page_exist() -> None:
    block = re.search(r"<!-- workflow -->\n```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert block
    lines = re.findall(r"\barena ([a-z]+)([^;\n`]*)", block[1]) + re.findall(
        r"^    arena ([a-z]+)(.*)$", PAGE, re.MULTILINE
    )
    assert {name for name, _ in lines} >= {"submit", "tournament", "report", "serve"}
    context = cli.make_context("arena", ["--version"], resilient_parsing=True)
    for name, rest in lines:
        command = cli.get_command(context, name)
        assert command is not None, name
        known = {word for option in command.params for word in option.opts}
        assert set(re.findall(r"--[a-z-]+", rest)) <= known, name

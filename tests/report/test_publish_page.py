"""The workflow in docs/publish.md uses commands and options that exist, and a bad bot does not stop it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from arena.cli import cli
from tests.report.conftest import absent

PAGE = (Path(__file__).parent.parent.parent / "docs" / "publish.md").read_text(encoding="utf-8")


def _workflow() -> str:
    block = re.search(r"<!-- workflow -->\n```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert block
    return block[1]


def test_the_commands_of_the_page_exist() -> None:
    lines = re.findall(r"\barena ([a-z]+)([^;|\n`]*)", _script()) + re.findall(
        r"^    arena ([a-z]+)(.*)$", PAGE, re.MULTILINE
    )
    assert {name for name, _ in lines} >= {"submit", "tournament", "report", "serve"}
    context = cli.make_context("arena", ["--version"], resilient_parsing=True)
    for name, rest in lines:
        command = cli.get_command(context, name)
        assert command is not None, name
        known = {word for option in command.params for word in option.opts}
        assert set(re.findall(r"--[a-z-]+", rest)) <= known, name


def _script() -> str:
    """Return the lines of the step that plays."""
    found = re.search(r"      - run: \|\n((?:          .*\n)+)", _workflow())
    assert found
    return re.sub(r"^ {10}", "", found[1], flags=re.MULTILINE)


def test_a_bot_that_is_refused_does_not_stop_the_league(tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        absent("bash is not installed")
    for name in ("bad", "good"):
        (tmp_path / "bots" / name).mkdir(parents=True)
    stub = 'arena() { echo "arena $*"; [ "$2" != bots/bad/ ]; }\n'
    # as GitHub runs a step
    done = subprocess.run(
        [bash, "-e", "-c", stub + _script()], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    said = done.stdout.splitlines()
    assert "::warning::bots/bad/ was refused" in said
    assert "::warning::bots/good/ was refused" not in said
    assert [line.split()[1] for line in said if line.startswith("arena ")][-2:] == ["tournament", "report"]


def test_nothing_is_installed_by_a_name_that_is_not_ours() -> None:
    assert re.findall(r"pip install (\S+)", _workflow()) == [".", '"git+https://github.com/OWNER/REPO@TAG"']

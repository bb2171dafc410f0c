"""What the README and the docs say is true."""

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from arena.bots import LANGUAGES, load_bot
from arena.cli import cli
from arena.match import MatchSpec
from arena.referee import play_match

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


def _block(mark: str) -> str:
    found = re.search(rf"<!-- {mark} -->\n```\w*\n(.*?)```", README, re.DOTALL)
    assert found, f"README has no block marked {mark}"
    return found[1]


def test_the_bot_in_the_readme_plays(tmp_path: Path) -> None:
    (tmp_path / "my_bot.py").write_text(_block("bot"), encoding="utf-8")
    bots = [load_bot(str(tmp_path / "my_bot.py")), load_bot("greedy")]
    record = play_match(MatchSpec(variant="duo", seed=1), bots)
    assert record.faults == ()


def test_the_engine_example_in_the_readme_runs() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _block("engine")], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert "purple" in done.stdout


def _arena(command: str, folder: Path) -> str:
    words = [sys.executable, "-m", "arena", *command.partition("arena ")[2].partition("#")[0].split()]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=folder, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_commands_of_the_readme_work_as_written(tmp_path: Path) -> None:
    (tmp_path / "my_bot.py").write_text(_block("bot"), encoding="utf-8")
    tournament = _block("run").rpartition("&& ")[2].strip()
    assert tournament == ".venv/bin/arena tournament"
    for number, command in enumerate([tournament, *_block("own").splitlines()]):
        quickly = f"--clock cpu --move-time 40ms --games {1 + 2 * number}" if " tournament" in command else ""
        said = _arena(f"{command.partition('#')[0]} {quickly}", tmp_path)
    assert "my_bot" in said
    assert (tmp_path / "league" / "site" / "index.html").is_file()
    for command in _block("match").splitlines():
        _arena(command, tmp_path)
    assert (tmp_path / "match.blksgf").is_file()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def _commands() -> list[tuple[str, click.Command]]:
    context = click.Context(cli)
    found = [(name, cli.get_command(context, name)) for name in cli.list_commands(context)]
    return [(name, command) for name, command in found if command is not None]


@pytest.mark.parametrize(("name", "command"), _commands())
def test_every_command_and_option_is_documented(name: str, command: click.Command) -> None:
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert re.search(rf"`arena {name}[ `]", text)
    for option in command.params:
        for word in option.opts:
            if word.startswith("--"):
                assert re.search(rf"{word}\b", text), f"{word} of arena {name}"


def test_every_suffix_is_documented() -> None:
    text = (ROOT / "docs" / "bots.md").read_text(encoding="utf-8")
    for suffix in LANGUAGES:
        assert re.search(rf"{re.escape(suffix)}\b", text), suffix


def test_every_manifest_key_is_documented() -> None:
    from arena.bots import Manifest

    text = (ROOT / "docs" / "bots.md").read_text(encoding="utf-8")
    for key in Manifest.__struct_fields__:
        assert re.search(rf"^(?:{key} =|\[{key}\])", text, re.MULTILINE), key

"""Bots, limits and matches for tests."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.bots import Bot, load_bot
from arena.limits import ResourceLimits, TimeControl
from arena.match import MatchSpec
from arena.record import MatchRecord, from_json, to_json
from arena.referee import play_match
from arena.replay import verify

ROOT = Path(__file__).parent.parent.parent
FAULTY_BOTS = ROOT / "tests" / "faulty_bots"

PATIENT = TimeControl(start_ms=20_000, move_ms=10_000)  # where no time is to run out, on however loaded a machine
HASTY = msgspec.structs.replace(PATIENT, move_ms=250)
PLAIN = ResourceLimits(sandbox="none")  # without a sandbox, so that bots can write down what they see

_folders = count()


def folder_bot(
    home: Path,
    *run: str | Path,
    name: str = "folder",
    env: Mapping[str, str] | None = None,
    files: Mapping[str, bytes] | None = None,
    **manifest: str | bool,
) -> Bot:
    """Return the bot of a new folder below `home`, with a bot.toml and some files."""
    folder = home / f"bot-{next(_folders)}"
    folder.mkdir(parents=True)
    for file, data in (files or {}).items():
        (folder / file).write_bytes(data)
        (folder / file).chmod(0o755)
    lines = [f"{key} = {_toml(value)}" for key, value in {"name": name, **manifest}.items()]
    lines.append(f"run = [{', '.join(_toml(str(word)) for word in run)}]")
    lines += ["[env]", *[f"{key} = {_toml(value)}" for key, value in (env or {}).items()]]
    (folder / "bot.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return load_bot(str(folder))


def _toml(value: str | bool) -> str:
    return msgspec.json.encode(value).decode()  # a string or truth value of TOML is one of JSON


def python_bot(home: Path, program: Path, *arguments: str, **more: Any) -> Bot:
    """Return a bot that runs one of the tests' own Python programs."""
    env = {"PYTHONPATH": str(ROOT), **more.pop("env", {})}
    return folder_bot(home, sys.executable, program, *arguments, env=env, **more)


def faulty_bot(home: Path, program: str, *arguments: str, **more: Any) -> Bot:
    """Return a bot that breaks the contract."""
    return python_bot(home, FAULTY_BOTS / program, *arguments, name="faulty", **more)


def c_bot(source: Path) -> Bot:
    """Return a bot in C, built by the arena."""
    require("cc")
    return load_bot(str(source))


def require(program: str) -> None:
    """Skip the test if a program is not installed; where everything must be tested, fail it."""
    if shutil.which(program) is None:
        if os.environ.get("ARENA_REQUIRE_ALL") == "1":
            pytest.fail(f"{program} is not installed, and ARENA_REQUIRE_ALL=1")
        pytest.skip(f"{program} is not installed")


def spec_of(**settings: Any) -> MatchSpec:
    """Return what to play: by default duo, with all the time in the world."""
    usual: dict[str, Any] = {"variant": "duo", "seed": 7, "time": PATIENT, "limits": PLAIN}
    return MatchSpec(**(usual | settings))


def play(*bots: Bot | str, **settings: Any) -> MatchRecord:
    """Play a match and return its record, which stands up to verification and survives its JSON."""
    loaded = [load_bot(bot) if isinstance(bot, str) else bot for bot in bots]
    record = play_match(spec_of(**settings), loaded)
    assert verify(record) == []
    assert to_json(from_json(to_json(record), "here")) == to_json(record)
    return record


def spy_bot(home: Path, want: str = "count", habit: str = "", games: str = "one", name: str = "spy") -> Bot:
    """Return a bot that plays well and writes down all it is told; see spy.py."""
    env = {"SPY_LOG": str(home / f"spy-{next(_folders)}.log")}
    env |= {"SPY_WANT": want, "SPY_HABIT": habit, "SPY_GAMES": games}
    return python_bot(home, ROOT / "tests" / "arena" / "spy.py", name=name, env=env)


def told(spy: Bot) -> bytes:
    """Return all that a spy was told."""
    return Path(spy.command.env["SPY_LOG"]).read_bytes()


def messages(spy: Bot) -> list[dict[str, Any]]:
    """Return all that a spy was told, line by line."""
    return [msgspec.json.decode(line) for line in told(spy).splitlines()]

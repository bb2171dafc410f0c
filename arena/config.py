"""league.toml: what the owner of a league decides once. Checked when it is read."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec

from arena.errors import UsageError
from arena.record import write_file

FILE_NAME = "league.toml"


class LeagueConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of league.toml."""

    title: str = "Blokus league"
    seed: int = 1  # of the schedule: who meets whom, and on which openings
    draw_probability: float = 0.04  # TrueSkill's; measured, see docs/ratings.md
    top: int = 3  # whose order `--until-sure` is about
    site_matches: int = 2_000  # the newest matches keep their replays on the site


_TEMPLATE = """\
# A Blokus league. Every key may be left out; these are the usual values.
title = "Blokus league"
seed = 1                  # of the schedule: who meets whom, and on which openings
draw_probability = 0.04   # TrueSkill's; measured, see docs/ratings.md
top = 3                   # whose order `arena tournament --until-sure` is about
site_matches = 2000       # the newest matches keep their replays on the site
"""


def create_config(folder: Path) -> None:
    """Write league.toml with the usual values, unless it is there."""
    if not (folder / FILE_NAME).exists():
        write_file(folder / FILE_NAME, _TEMPLATE.encode())


def read_config(folder: Path) -> LeagueConfig:
    """Return the settings of a league; raises `UsageError`, which names the key."""
    path = folder / FILE_NAME
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
        config = msgspec.convert(found, LeagueConfig)
    except FileNotFoundError:
        return LeagueConfig()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise UsageError(f"{path}: {error}") from error
    _check(config, path)
    return config


def _check(config: LeagueConfig, path: Path) -> None:
    for key, is_good, expected in (
        ("seed", 0 <= config.seed < 2**53, "a whole number from 0 to 2^53 - 1"),
        ("draw_probability", 0.001 <= config.draw_probability <= 0.9, "a number from 0.001 to 0.9"),
        ("top", config.top >= 1, "a whole number from 1"),
        ("site_matches", config.site_matches >= 0, "a whole number from 0"),
    ):
        if not is_good:
            raise UsageError(f"{path}: expected {key} to be {expected}, got {getattr(config, key)}")

"""The version of the arena."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def _find() -> str:
    try:
        return version("blokus-arena")
    except PackageNotFoundError:  # run from a checkout that is not installed
        return "0+unknown"


VERSION = _find()

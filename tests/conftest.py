"""Options and fixtures for all tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the files that tests compare with anew")


@pytest.fixture
def updates_golden(request: pytest.FixtureRequest) -> bool:
    """Whether to write what was compared with, instead of comparing."""
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture
def check_golden(updates_golden: bool) -> Callable[[Path, str], None]:
    """Compares a text with a file; with --update-golden, writes it there."""

    def check(file: Path, text: str) -> None:
        if updates_golden:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        assert file.read_text(encoding="utf-8") == text, f"{file.name} is not up to date: see pytest --update-golden"

    return check

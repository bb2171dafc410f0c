"""Where the bundled bots and templates are: inside an installed package, or in the checkout beside it."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def bundled_bots() -> Path:
    """Return the folder of the bundled bots."""
    inside = _PACKAGE / "bundled" / "bots"
    return inside if inside.is_dir() else _PACKAGE.parent / "bots"


def bundled_templates() -> Path:
    """Return the folder of the site's templates."""
    inside = _PACKAGE / "bundled" / "templates"
    return inside if inside.is_dir() else _PACKAGE.parent / "reports" / "templates"

"""Imports go one way only, as the module map in docs/architecture.md has it."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAP = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def _order(package: str) -> list[str]:
    """Return a package's modules in the order of the module map."""
    block = re.search(rf"^{package}/ .*?(?=^\w+/|^```)", MAP, re.MULTILINE | re.DOTALL)
    assert block, f"docs/architecture.md has no block for {package}/"
    return re.findall(r"^  (\w+)(?:\.py|/)", block[0], re.MULTILINE)


def _module(path: Path) -> str:
    return path.relative_to(ROOT).parts[1].removesuffix(".py")


def _imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return found


def _sources(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


@pytest.mark.parametrize("package", ["engine", "arena"])
def test_the_module_map_lists_every_module(package: str) -> None:
    modules = {_module(path) for path in _sources(package)} - {"__init__", "__main__"}
    assert modules == set(_order(package)) - {"__main__"}


@pytest.mark.parametrize("package", ["engine", "arena"])
def test_a_module_imports_only_from_lines_above_its_own(package: str) -> None:
    order = _order(package)
    for path in _sources(package):
        own = _module(path)
        if own in ("__init__", "__main__"):
            continue
        for name in _imports(path):
            parts = name.split(".")
            if parts[0] == package and len(parts) > 1 and parts[1] != own:
                assert order.index(parts[1]) < order.index(own), f"{path.name} imports {name}"


def test_the_engine_knows_nothing_of_the_arena() -> None:
    for path in _sources("engine"):
        assert not {name for name in _imports(path) if name.split(".")[0] in ("arena", "bots", "tests")}, path


def test_the_engine_needs_only_the_standard_library() -> None:
    import sys

    for path in _sources("engine"):
        outside = {name.split(".")[0] for name in _imports(path)} - set(sys.stdlib_module_names) - {"engine"}
        assert outside <= {"numpy"}, path


def test_no_rule_asks_for_the_name_of_a_variant() -> None:
    from engine import VARIANTS

    for path in _sources("engine"):
        if _module(path) in ("variants", "blksgf"):  # the data itself, and a foreign format's names for it
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare | ast.Match):
                words = {leaf.value for leaf in ast.walk(node) if isinstance(leaf, ast.Constant)}
                assert not words & set(VARIANTS), f"{path.name}:{node.lineno}"

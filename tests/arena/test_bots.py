"""A bot is a script, an executable, or a folder with bot.toml; what needs building is built once."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from arena import builds
from arena.bots import load_bot
from arena.errors import BotSetupError
from tests.arena.helpers import ROOT, play, require

pytestmark = pytest.mark.usefixtures("nothing_is_left")

C_SOURCE = ROOT / "tests" / "arena" / "c_bot.c"
PYTHON_SOURCE = ROOT / "bots" / "random" / "bot.py"


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def write_folder(folder: Path, manifest: str, **files: str) -> str:
    folder.mkdir(exist_ok=True)
    (folder / "bot.toml").write_text(manifest, encoding="utf-8")
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return str(folder)


# ---- files


def test_a_script_by_its_suffix(tmp_path: Path) -> None:
    script = shutil.copy(PYTHON_SOURCE, tmp_path / "my-bot.py")
    bot = load_bot(str(script))
    assert (bot.name, bot.language) == ("my-bot", "Python")
    assert [path.name for path in Path(bot.command.cwd).iterdir()] == ["my-bot.py"]  # and nothing that lay beside it
    assert play(bot, "random").faults == ()


def test_a_script_by_its_first_line_need_not_be_executable(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(f"#!{sys.executable} -u\n{PYTHON_SOURCE.read_text(encoding='utf-8')}", encoding="utf-8")
    bot = load_bot(str(script))
    assert bot.command.argv == (sys.executable, "-u", "script")
    assert play(bot, "random").faults == ()


def test_an_executable(tmp_path: Path) -> None:
    require("cc")
    program = tmp_path / "program"
    shutil.copy(Path(load_bot(str(C_SOURCE)).command.cwd) / "c_bot", program)
    assert program.stat().st_mode & stat.S_IXUSR
    assert play(load_bot(str(program)), "random").faults == ()


def test_a_source_file_in_c_is_built(tmp_path: Path) -> None:
    require("cc")
    bot = load_bot(str(C_SOURCE))
    assert bot.language == "C"
    assert bot.command.cwd.startswith(str(tmp_path / "cache"))
    assert play(bot, "random").faults == ()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("notes.txt", "hello", "expected a known suffix"),
        ("empty", "#!\n", "expected a program after #!"),
    ],
)
def test_a_file_that_is_no_program(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(BotSetupError, match=message):
        load_bot(str(tmp_path / name))


def test_no_bot_at_all() -> None:
    with pytest.raises(BotSetupError, match=r"no bot at nowhere: expected .* corners, greedy, .* random"):
        load_bot("nowhere")


# ---- folders


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ("run = 'x'", r"expected the key `name` \(name = \"…\"\), got none"),
        ("name = 'x'", "expected the key `run`"),
        ("name = 'x'\nrun = 3", "expected run to be text or a list, got a whole number"),
        ("name = 'x'\nrun = 'y'\nvariants = 'duo'", "expected variants to be a list, got text"),
        ("name = 3\nrun = 'x'", "expected name to be text, got a whole number"),
        ("name = ''\nrun = 'x'", "1 to 60 printable characters"),
        ("name = 'a\\u001b[2J'\nrun = 'x'".replace("'", '"'), "1 to 60 printable characters"),
        ("name = 'x'\nrun = ''", "run is empty"),
        ("name = 'x'\nrun = []", "run is empty"),
        ("name = 'x'\nrun = 'y'\ncolour = 'blue'", "expected keys out of name, run, .*, env, got 'colour'"),
        ("name = 'x'\nrun = 'y'\nenv = { A = 1 }", "expected each entry of env to be text, got a whole"),
        ("name = ", "bot.toml"),
        ("name = 'a@b'\nrun = 'x'", "name must be without @, got 'a@b'"),
        ('name = "\\u3164"\nrun = "x"', r"name must have a letter or a digit, got '\\u3164'"),
        ('name = "\\u2800"\nrun = "x"', r"name must have a letter or a digit, got '\\u2800'"),
        ("name = 'x'\nrun = 'y'\nversion = '1@2'", "version must be without @"),
        ('name = "x"\nrun = "y"\nversion = "1\\n2"', r"version must be 0 to 60 printable characters, got '1\\n2'"),
        (f"name = 'x'\nrun = 'y'\nauthor = '{'a' * 61}'", r"author must be 0 to 60 .* \(61 characters\)"),
        ('name = "x"\nrun = "y"\nlanguage = "\\u001b"', "language must be 0 to 60 printable characters"),
        ('name = "x"\nrun = "y\\u0000"', "run must be without the character NUL"),
        ('name = "x"\nrun = "y"\nbuild = ["y\\u0000"]', "build must be without the character NUL"),
        ('name = "x"\nrun = "y"\nenv = { "A" = "\\u0000" }', "env must be without the character NUL"),
        ('name = "x"\nrun = "y"\nenv = { "A=B" = "" }', "expected names without = in env, got 'A=B'"),
        ("name = 'x'\nrun = 'y'\nenv = { '' = '' }", "expected names without = in env, got ''"),
        ("name = 'x'\nrun = ['']", "run is empty"),
        (f"name = 'x'\nrun = 'y'\n# {'.' * 70_000}", "expected at most 64 kB, got more"),
        (f"name = {'[' * 5000}", "too deep in each other"),
        ("name = 'x'\nrun = 'y'\nvariants = ['duo', 'blokus']", "expected variants out of classic, .*, got 'blokus'"),
        ("name = 'x'\nrun = 'y'\nvariants = []", "expected variants out of classic, .*, got none"),
    ],
    ids=range(29),
)
def test_a_bad_manifest_is_told_in_words(tmp_path: Path, manifest: str, message: str) -> None:
    with pytest.raises(BotSetupError, match=message) as caught:
        load_bot(write_folder(tmp_path / "bot", manifest))
    assert "bot.toml" in str(caught.value)


@pytest.mark.parametrize("target", ["/dev/zero", "elsewhere", "/"])
def test_a_manifest_that_is_a_link_is_not_opened(tmp_path: Path, target: str) -> None:
    (tmp_path / "elsewhere").write_text("name = 'x'\nrun = 'y'")
    (tmp_path / "bot.toml").symlink_to(target)
    with pytest.raises(BotSetupError, match=r"bot\.toml: expected an ordinary file, got a link"):
        load_bot(str(tmp_path))


def test_a_manifest_that_is_a_named_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "bot.toml")
    with pytest.raises(BotSetupError, match=r"bot\.toml: expected an ordinary file"):
        load_bot(str(tmp_path))


def test_a_name_is_without_the_spaces_around_it(tmp_path: Path) -> None:
    assert load_bot(write_folder(tmp_path / "bot", "name = ' x '\nrun = 'true'")).name == "x"


def test_folders_in_folders_have_an_end(tmp_path: Path) -> None:
    source = write_folder(tmp_path / "bot", "name = 'x'\nrun = 'true'")
    (tmp_path / "bot" / "/".join("d" * builds.MOST_DEEP)).mkdir(parents=True)
    assert load_bot(source).name == "x"
    here = os.open(source, os.O_RDONLY)
    for _ in range(1200):
        _make_folder(here)
        here, above = os.open("d", os.O_RDONLY, dir_fd=here), here
        os.close(above)
    os.close(here)
    try:
        with pytest.raises(BotSetupError, match="bot: expected at most 64 folders in each other, got more"):
            load_bot(source)
    finally:
        subprocess.run(["rm", "-rf", source], check=True)  # too deep for what tidies up after tests


def test_paths_have_an_end(tmp_path: Path) -> None:
    source = write_folder(tmp_path / "bot", "name = 'x'\nrun = 'true'")
    deep = tmp_path / "bot" / "/".join(["d" * 240] * 4)
    deep.mkdir(parents=True)
    rest = builds.MOST_BYTES_OF_PATH - len(str(deep.relative_to(source))) - 1
    (deep / ("f" * rest)).touch()
    assert load_bot(source).name == "x"
    (deep / ("f" * (rest + 1))).touch()
    with pytest.raises(BotSetupError) as caught:
        load_bot(source)
    shown = f"'{'d' * 60}'… (1025 characters)"
    assert str(caught.value) == f"bot: expected paths of at most 1024 bytes, got {shown}"


def _make_folder(place: int) -> None:
    with suppress(FileExistsError):
        os.mkdir("d", dir_fd=place)


def test_a_folder_has_so_many_files_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builds, "MOST_FILES", 3)
    source = write_folder(tmp_path / "bot", "name = 'x'\nrun = 'true'", a="", b="")
    assert load_bot(source).name == "x"
    (tmp_path / "bot" / "c").mkdir()
    with pytest.raises(BotSetupError, match="bot: expected at most 3 files and folders, got more"):
        load_bot(source)


def test_a_bot_has_so_many_bytes_and_no_more(tmp_path: Path) -> None:
    source = write_folder(tmp_path / "bot", "name = 'x'\nrun = 'true'")
    os.truncate(shutil.copy(PYTHON_SOURCE, tmp_path / "bot" / "big.py"), (1 << 30) + 1)
    with pytest.raises(BotSetupError, match="bot: expected at most 1024 MB in all, got more"):
        load_bot(source)
    with pytest.raises(BotSetupError, match=r"big\.py: expected at most 1024 MB, got more"):
        load_bot(f"{source}/big.py")


def test_a_folder_made_harmless_gives_nobody_more_rights(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    for name, mode in (("program", 0o6755), ("notes", 0o666)):
        (tmp_path / "bot" / name).touch()
        (tmp_path / "bot" / name).chmod(mode)
    (tmp_path / "bot").chmod(0o2777)
    builds.make_harmless(tmp_path / "bot")
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "bot", *(tmp_path / "bot").iterdir())}
    assert {name: oct(mode) for name, mode in modes.items()} == {"bot": "0o755", "program": "0o755", "notes": "0o644"}


def test_a_folder_without_a_manifest(tmp_path: Path) -> None:
    with pytest.raises(BotSetupError, match=r"a folder without bot\.toml"):
        load_bot(str(tmp_path))


def test_a_manifest_gives_environment_and_nothing_else_leaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "token")
    bot = load_bot(write_folder(tmp_path / "bot", "name = 'x'\nrun = 'python3 bot.py'\nenv = { LEVEL = '3' }"))
    assert bot.command.env["LEVEL"] == "3"
    assert "SECRET" not in bot.command.env


# ---- building

MANIFEST = "name = 'built'\nversion = '2'\nbuild = 'sh build.sh'\nrun = './program'"


def build_script(log: Path) -> str:
    return f"echo built >> {log}\ncc -O2 -o program program.c\n"


def test_a_folder_is_built_once_for_each_content(tmp_path: Path) -> None:
    require("cc")
    log = tmp_path / "log"
    folder = tmp_path / "bot"
    source = C_SOURCE.read_text(encoding="utf-8")
    name = write_folder(folder, MANIFEST, build_sh=build_script(log), program_c=source)
    bots = [load_bot(name, "none") for _ in range(3)]  # unconfined, so that it can write down that it ran
    assert len(log.read_text().splitlines()) == 1
    assert len({bot.digest for bot in bots}) == 1
    record = play(*bots[:2])
    assert record.faults == ()
    assert record.seats[0].digest == bots[0].digest
    write_folder(folder, MANIFEST, program_c=source + "/* changed */\n")
    changed = load_bot(name, "none")
    assert len(log.read_text().splitlines()) == 2
    assert changed.digest != bots[0].digest
    assert changed.command.cwd != bots[0].command.cwd
    assert not (folder / "program").exists()  # a bot's own folder stays as it is


def test_the_same_folder_elsewhere_needs_no_other_build(tmp_path: Path) -> None:
    log = tmp_path / "log"
    manifest = MANIFEST.replace("./program", "true")
    for place in ("here", "there"):
        load_bot(write_folder(tmp_path / place, manifest, build_sh=f"echo built >> {log}\n"), "none")
    assert len(log.read_text().splitlines()) == 1


def test_a_build_that_fails_shows_what_the_compiler_says(tmp_path: Path) -> None:
    require("cc")
    folder = write_folder(tmp_path / "bot", "name = 'x'\nbuild = 'cc -o x x.c'\nrun = './x'", x_c="int main( {")
    for _ in range(2):  # a failure is not cached
        with pytest.raises(BotSetupError, match=r"(?s)x: the build failed \(cc -o x x\.c\):\n.*error") as caught:
            load_bot(folder)
    assert "x.c:1" in str(caught.value)
    assert list((tmp_path / "cache").rglob("making-*")) == []


@pytest.mark.parametrize(
    ("build", "message"),
    [
        ("'no-such-compiler x.c'", "building needs no-such-compiler, which is not installed"),
        ("['./bot.toml']", "cannot run ./bot.toml: Permission denied"),
        ("''", "build is empty"),
    ],
)
def test_a_build_that_cannot_be_run(tmp_path: Path, build: str, message: str) -> None:
    with pytest.raises(BotSetupError, match=message):
        load_bot(write_folder(tmp_path / "bot", f"name = 'x'\nrun = './x'\nbuild = {build}"))


def test_a_missing_compiler_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BotSetupError, match="building needs cc, which is not installed"):
        load_bot(str(C_SOURCE))

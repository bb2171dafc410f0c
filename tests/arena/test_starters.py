"""A new bot plays legal games at once, in every language that `arena new` knows."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from arena.bots import bundled_names, load_bot
from arena.errors import UsageError
from arena.limits import ResourceLimits
from arena.resources import bundled_bots
from arena.starters import STARTERS, Starter, create, find_starter, missing, new_bot
from tests.arena.helpers import ROOT, play, require

BY_NAME = {starter.folder: starter for starter in STARTERS}
CASES = [(name, False) for name in BY_NAME] + [(name, True) for name, starter in BY_NAME.items() if starter.sdk]


@pytest.mark.parametrize(("language", "sdk"), CASES, ids=[name + " sdk" * sdk for name, sdk in CASES])
def test_a_new_bot_plays_legal_games_at_once(tmp_path: Path, language: str, sdk: bool) -> None:
    for program in BY_NAME[language].needs:
        require(program)
    bot = load_bot(str(create("my-bot", language, tmp_path, sdk=sdk)))
    assert (bot.name, bot.language, bot.is_named) == ("my-bot", BY_NAME[language].name, True)
    for variant, others in (("duo", ["random"]), ("three", ["random", "random"]), ("solo-tetromino", [])):
        record = play(*others, bot, variant=variant, limits=ResourceLimits())
        assert record.faults == ()
        assert any(ply.seat == len(others) for ply in record.plies)


@pytest.mark.parametrize(("language", "sdk"), CASES, ids=[name + " sdk" * sdk for name, sdk in CASES])
def test_a_starter_is_small(tmp_path: Path, language: str, sdk: bool) -> None:
    folder = create("my-bot", language, tmp_path, sdk=sdk)
    (source,) = [path for path in folder.iterdir() if path.name not in ("bot.toml", BY_NAME[language].sdk)]
    lines = source.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 120


@pytest.mark.parametrize("language", BY_NAME)
def test_a_starter_plays_from_the_list_of_legal_moves(tmp_path: Path, language: str) -> None:
    (source,) = [path for path in create("my-bot", language, tmp_path).iterdir() if path.name != "bot.toml"]
    words = set(re.findall(r"\b(legal|count|board)\b(?=\\?[\"'])", source.read_text(encoding="utf-8")))
    assert words & {"legal", "count"} == ({"count"} if language == "shell" else {"legal"})


def test_the_page_on_writing_bots_uses_what_it_has_made() -> None:
    page = (ROOT / "docs" / "write-a-bot.md").read_text(encoding="utf-8")
    made: set[str] = set()
    for block in re.findall(r"```sh\n(.*?)```", page, re.DOTALL):
        for words in (line.partition("#")[0].split() for line in block.splitlines()):
            if words[:2] == ["arena", "new"]:
                made.add(f"./{words[2]}")
            elif words[1] in ("match", "check", "submit"):
                assert words[2] in made, words
    assert made == {"./my-bot", "./my-sdk-bot"}


def test_the_sdk_lies_next_to_a_bot_that_asks_for_it(tmp_path: Path) -> None:
    plain = create("plain", "cpp", tmp_path)
    based = create("based", "cpp", tmp_path, sdk=True)
    assert {path.name for path in plain.iterdir()} == {"bot.toml", "bot.cpp"}
    assert {path.name for path in based.iterdir()} == {"bot.toml", "bot.cpp", "blokus.hpp"}
    assert '#include "blokus.hpp"' in (based / "bot.cpp").read_text(encoding="utf-8")
    assert (based / "blokus.hpp").read_bytes() == (ROOT / "bots" / "sdk" / "blokus.hpp").read_bytes()


@pytest.mark.parametrize("name", ["a", "my-bot", "Bot_2.1", "007", "x" * 60])
def test_a_bot_is_called_what_its_folder_is_called(tmp_path: Path, name: str) -> None:
    folder = create(name, "python", tmp_path)
    assert folder == tmp_path / name
    assert tomllib.loads((folder / "bot.toml").read_text(encoding="utf-8"))["name"] == name


@pytest.mark.parametrize("name", ["", ".", "..", ".hidden", "-x", "a/b", "/tmp/x", "a b", 'a"b', "é", "x" * 61, "a\n"])
def test_a_bad_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"a bot cannot be called .*: expected 1 to 60 letters"):
        create(name, "python", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_exists_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(UsageError, match="taken exists already: expected a name that is free"):
        create("taken", "python", tmp_path)
    assert (tmp_path / "taken").read_text() == "mine"


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot make .*my-bot: No such file or directory"):
        create("my-bot", "python", tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("word", "language"),
    [("py", "Python"), ("JS", "JavaScript"), ("ts", "TypeScript"), ("C++", "C++"), ("c", "C"), ("sh", "shell")],
)
def test_a_language_has_more_than_one_name(word: str, language: str) -> None:
    assert find_starter(word).name == language


def test_no_word_means_two_languages() -> None:
    words = [word for starter in STARTERS for word in (starter.folder, *starter.aliases)]
    assert len(words) == len(set(words))


def test_an_unknown_language_is_told_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no starter in 'cobol': expected one of python, javascript, .*, shell"):
        create("my-bot", "cobol", tmp_path)


def test_a_language_without_an_sdk_is_told_those_with_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no SDK for Perl: expected one of python, javascript, cpp, rust, java, go"):
        create("my-bot", "perl", tmp_path, sdk=True)


@pytest.mark.parametrize("starter", [starter for starter in STARTERS if starter.needs], ids=lambda it: it.folder)
def test_a_missing_toolchain_is_named_with_what_to_install(
    starter: Starter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    lines = new_bot("my-bot", starter.folder, tmp_path)
    (line,) = [line for line in lines if "apt install" in line]
    assert f"{starter.name} needs {' and '.join(starter.needs)}, not installed here" in line
    assert line.endswith(f"apt install {starter.packages}")
    assert (tmp_path / "my-bot" / "bot.toml").is_file()  # it is made all the same


def test_python_needs_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert missing(find_starter("python")) is None


def test_the_next_three_commands_are_told(tmp_path: Path) -> None:
    first, *commands = new_bot("my-bot", "python", tmp_path, sdk=True)
    assert first == "my-bot: a bot in Python (blokus.py, bot.py, bot.toml). Next:"
    assert [command.split()[:3] for command in commands] == [
        ["arena", "match", "./my-bot"],
        ["arena", "check", "./my-bot"],
        ["arena", "submit", "./my-bot"],
    ]


def test_starters_and_sdks_are_no_bundled_bots() -> None:
    assert (bundled_bots() / "starters").is_dir()
    assert (bundled_bots() / "sdk").is_dir()
    assert not {"starters", "sdk"} & set(bundled_names())
    folders = {path.name for path in (bundled_bots() / "starters").iterdir()}
    assert folders == set(BY_NAME)

"""The bundled bots play whole games of every variant at low limits, and each plays better than the one before."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import median

import msgspec
import pytest

from arena.bots import Bot, bundled_names, load_bot
from arena.errors import SandboxError
from arena.limits import ResourceLimits, TimeControl
from arena.pool import BotPool
from arena.record import MatchRecord
from arena.referee import play_match
from arena.resources import bundled_bots
from arena.sandbox.choose import strongest
from engine import VARIANTS, Game
from tests.arena.helpers import PATIENT, play, require, spec_of
from tests.arena.transcripts import GOLDEN, read

BOTS = ["random", "greedy", "corners", "mobility", "lookahead", "mcts"]  # from the weakest to the strongest
QUICK = BOTS[:4]  # they choose by the seed alone, if they are given the time
PROGRAMS = {"corners": "node", "mcts": "c++"}
MOVE_MS = 50
# as low a limit as a bot must cope with; on a crowded machine even CPU time is noisy, hence the margin
LOW = TimeControl(kind="cpu", start_ms=20_000, move_ms=MOVE_MS, margin_ms=1_000)


@cache
def bundled(name: str) -> Bot:
    if name in PROGRAMS:
        require(PROGRAMS[name])
    return load_bot(name)


@cache
def play_low(name: str, variant: str) -> MatchRecord:
    """Play a game in which one seat has the bot, and the others are quick."""
    seats = len(VARIANTS[variant].seats)
    return play(bundled(name), *["greedy"] * (seats - 1), variant=variant, time=LOW)


def test_all_bundled_bots_are_tested() -> None:
    assert sorted(BOTS) == bundled_names()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", BOTS)
def test_a_bot_plays_every_variant_in_little_time(name: str, variant: str) -> None:
    record = play_low(name, variant)
    assert record.faults == ()
    assert median(ply.cpu_us for ply in record.plies if ply.seat == 0) <= MOVE_MS * 1000


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", BOTS[2:])
def test_a_bot_tells_what_it_thinks(name: str, variant: str) -> None:
    plies = [ply for ply in play_low(name, variant).plies if ply.seat == 0]
    assert all(ply.note for ply in plies)
    assert all(ply.eval is not None and 0 <= ply.eval <= 1 for ply in plies)


@pytest.mark.parametrize("variant", ["duo", "three"])
@pytest.mark.parametrize("name", QUICK)
def test_the_same_seed_gives_the_same_moves_and_another_one_others(name: str, variant: str) -> None:
    def moves(seed: int) -> list[object]:
        bots = [bundled(name)] * len(VARIANTS[variant].seats)
        return [ply.cells for ply in play(*bots, variant=variant, seed=seed, opening_plies=2).plies]

    assert moves(1) == moves(1)
    assert moves(1) != moves(2)


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_stays_up_for_games_of_other_variants(name: str) -> None:
    with BotPool() as pool:
        for variant, seats in [("solo-tetromino", 1), ("duo", 2)]:
            bots = [bundled(name), *[load_bot("random")] * (seats - 1)]
            record = play_match(spec_of(variant=variant, time=LOW), bots, pool=pool)
            assert record.faults == ()
            ready = record.seats[0].ready
            assert ready
            assert ready.games == "many"


@pytest.mark.parametrize("name", BOTS[2:])
def test_a_bot_plays_confined(name: str) -> None:
    try:
        strongest()
    except SandboxError as error:
        if os.environ.get("ARENA_REQUIRE_ALL") == "1":
            pytest.fail(str(error))
        pytest.skip(str(error))
    record = play(bundled(name), "greedy", time=LOW, limits=ResourceLimits())
    assert record.faults == ()


@pytest.mark.parametrize(("weaker", "stronger"), list(pairwise(QUICK)))
def test_each_quick_bot_beats_the_one_before(weaker: str, stronger: str) -> None:
    better, worse = bundled(stronger), bundled(weaker)
    points = 0.0
    with BotPool() as pool:
        for game in range(16):
            bots = [better, worse] if game % 2 else [worse, better]
            record = play_match(spec_of(seed=game // 2, opening_plies=2, time=PATIENT), bots, pool=pool)
            first, second = record.totals if game % 2 else record.totals[::-1]
            points += (first > second) + (first == second) / 2
    assert points >= 10  # the same in every run: these bots choose by their seeds alone


@pytest.fixture(scope="module")
def mcts_moves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a program that tells how many moves the mcts bot finds."""
    require("c++")
    program = tmp_path_factory.mktemp("mcts") / "moves"
    source = Path(__file__).with_name("mcts_moves.cpp")
    subprocess.run(["c++", "-std=c++17", "-O1", "-I", bundled_bots() / "mcts", "-o", program, source], check=True)
    return program


@pytest.mark.parametrize("variant", VARIANTS)
def test_mcts_finds_the_moves_that_the_engine_finds(variant: str, mcts_moves: Path) -> None:
    hello = next(line.text for line in read(GOLDEN / f"{variant}.jsonl").lines if line.sender == "referee")
    game, rng = Game(variant), Random(variant)
    counts, played = [], []
    while not game.is_over:
        counts.append(game.legal_count())
        event = {"color": game.color, "cells": game.placements.move(game.play_random(rng)).cells}
        played.append(msgspec.json.encode(event))
    done = subprocess.run([mcts_moves], input=b"\n".join([hello, *played]), capture_output=True, check=True)
    assert [int(line) for line in done.stdout.split()] == counts


def test_mcts_places_every_piece_alone() -> None:
    bot = bundled("mcts")
    record = play(bot, variant="solo", time=TimeControl(kind="cpu", start_ms=20_000, move_ms=200, margin_ms=5_000))
    assert record.totals == (0,)

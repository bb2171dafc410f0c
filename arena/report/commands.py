"""Commands that play a match or a division again, as lines for a shell."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from math import comb
from string import ascii_letters, digits
from typing import NamedTuple

from msgspec.structs import replace

from arena.match import MatchSpec
from arena.report.pages import BotView
from arena.report.wording import plain
from arena.schedule import Block, block_size, extend, full, gauntlet, most_balanced
from arena.store import StoredBlock
from arena.tournament import default_opening
from engine import VARIANTS

_WORD = frozenset(f"{ascii_letters}{digits}-_.@")
_PLANNED = 5000  # blocks that are planned again to compare: they take a second


class Repeat(NamedTuple):
    """A command, and whether it is known to make the same schedule."""

    command: str
    is_same: bool


def match_command(spec: MatchSpec, bots: Sequence[BotView]) -> str:
    """Return the command that plays a match again, beside the league's folder."""
    words = ["arena", "match", "--league", "league", "--seed", str(spec.seed), *_options(spec, MatchSpec()), "--"]
    return " ".join([*words, *[shell_word(bot.command_label) for bot in bots]])


def tournament_command(blocks: Sequence[StoredBlock], seed: int, bots: dict[int, BotView]) -> Repeat:
    """Return the command that plays a division again with the same bots; `seed` is that of the league's schedule."""
    specs = list(dict.fromkeys(_common(block.spec) for block in blocks))
    spec = specs[-1]
    how = _how(blocks, seed, bots) if len(specs) == 1 else None
    amount = ["--rounds", str(max(block.round for block in blocks))] if how is None else how
    usual = MatchSpec(opening_plies=default_opening(spec.variant))
    clock = replace(usual, time=replace(usual.time, move_ms=-1))  # the time of a move is always told
    options = [*amount, *_options(replace(spec, variant=usual.variant), clock)]
    words = ["arena", "tournament", "--variant", spec.variant, *options, "--seed", str(seed)]
    return Repeat(" ".join(words), how is not None)


def _common(spec: MatchSpec) -> MatchSpec:
    """Return what a command says of all matches: not their seeds, nor what confined the bots."""
    return replace(spec, seed=0, limits=replace(spec.limits, sandbox="auto"))


def _how(blocks: Sequence[StoredBlock], seed: int, bots: dict[int, BotView]) -> list[str] | None:
    """Return the options that plan these blocks in an empty league; None if no options do."""
    rounds, games = max(block.round for block in blocks), sum(block.games for block in blocks)
    variant = VARIANTS[blocks[0].spec.variant]
    entered = sorted({bot for block in blocks for bot in block.bots})
    whole = block_size(variant)
    found = [(block.as_block(), block.games) for block in blocks]
    if len(blocks) > _PLANNED or rounds > len(blocks) or len(entered) < len(variant.seats):
        return None

    def is_planned_by(planned: Sequence[Block]) -> bool:
        return found == [(block, whole) for block in planned]

    if is_planned_by(extend([], entered, variant, rounds=rounds, seed=seed)):
        return ["--rounds", str(rounds)]
    if found == most_balanced([], entered, variant, games=games, seed=seed):
        return ["--games", str(games)]
    every = comb(len(entered), len(variant.seats))
    if every * rounds == len(blocks) and is_planned_by(full([], entered, variant, rounds=rounds, seed=seed)):
        return ["--rounds", str(rounds), "--full"]
    for hero in (bot for bot in entered if all(bot in block.bots for block in blocks)):
        field = [bot for bot in entered if bot != hero]
        if is_planned_by(gauntlet([], hero, field, variant, rounds=rounds, seed=seed)):
            return ["--rounds", str(rounds), "--gauntlet", shell_word(bots[hero].command_label)]
    return None


def _options(spec: MatchSpec, usual: MatchSpec) -> Iterator[str]:
    """Yield what differs from the usual match, but for the seed; the sandbox is whatever there is."""
    time = spec.time
    for option, value, default in (
        ("--variant", spec.variant, usual.variant),
        ("--scoring", spec.scoring, usual.scoring),
        ("--opening-plies", spec.opening_plies, usual.opening_plies),
        ("--clock", time.kind, usual.time.kind),
        ("--memory", spec.limits.memory_mb, usual.limits.memory_mb),
    ):
        if value != default:
            yield from (option, str(value))
    for option, value_ms, default_ms in (
        ("--move-time", time.move_ms, usual.time.move_ms),
        ("--bank", time.bank_ms, usual.time.bank_ms),
        ("--increment", time.increment_ms, usual.time.increment_ms),
        ("--start-time", time.start_ms, usual.time.start_ms),
        ("--margin", time.margin_ms, usual.time.margin_ms),
    ):
        if value_ms != default_ms:
            yield from (option, f"{value_ms}ms")
    flags = (("--anonymous", spec.anonymous), ("--ponder", spec.ponder), ("--no-pin", not spec.pin))
    yield from (option for option, is_set in flags if is_set)


def shell_word(text: str) -> str:
    """Return a stranger's text as one word for bash or zsh; what a page would not show is spelled out."""
    if plain(text, len(text)) == text:
        return shlex.quote(text)
    return "$'" + "".join(each if each in _WORD else f"\\U{ord(each):08x}" for each in text) + "'"

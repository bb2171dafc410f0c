"""Who met whom, in which places and how often: all that a fit of pairs needs of any number of matches. Pure.

How it works: a match is taken apart into meetings of two sides. A row counts the meetings of the same two sides in
the same two places within a bundle of blocks; its key is one integer, and the table is sorted by it. A bundle is one
block, until there are more rows than `_ROWS`: then every two bundles whose numbers differ in the highest bit become
one. So the table stays small, and depends on what was counted only, not on when or in which portions.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from itertools import chain, combinations
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.outcome import Outcome, sides_of

Ints: TypeAlias = NDArray[np.int64]

_FORMAT = 1
_BUNDLES = 1024  # powers of two, so that bundles can be merged
_FEWEST_BUNDLES = 64
_ROWS = 400_000
_BOT_BITS = 31  # two bots make one number for a team
_SIDE_BITS, _PLACE_BITS = 20, 3  # a key, from its lowest bit: places, second side, first side, faulty or not, bundle
_SIDE_MASK, _PLACE_MASK = (1 << _SIDE_BITS) - 1, (1 << _PLACE_BITS) - 1
_SECOND_SHIFT = 2 * _PLACE_BITS
_FIRST_SHIFT = _SECOND_SHIFT + _SIDE_BITS
_MEETING_BITS = _FIRST_SHIFT + _SIDE_BITS


class Meetings(NamedTuple):
    """Rows of the table: how often two sides met, and the half points that the first won."""

    bundle: Ints
    first: Ints
    second: Ints
    first_place: Ints
    second_place: Ints
    games: Ints
    halves: Ints  # 2 for a win, 1 for a tie


class PairTable:
    """Meetings counted, of matches with the same seats and teams."""

    def __init__(self, most_rows: int = _ROWS) -> None:
        self._most_rows = most_rows
        self.teams: tuple[int, ...] = ()
        self.matches = 0
        self._numbers: dict[int, int] = {}  # of the sides
        self._bundles = _BUNDLES
        self._keys: Ints = np.zeros(0, np.int64)
        self._counts: Ints = np.zeros((0, 2), np.int64)
        self._new: list[tuple[Ints, Ints]] = []

    def add(self, outcomes: Sequence[Outcome]) -> None:
        """Count matches; raises `ValueError` for a bot that sits twice."""
        if not outcomes:
            return
        self.teams = self.teams or outcomes[0].teams
        bots = _table(outcomes, "bots", len(self.teams))
        crowded = np.sort(bots, axis=1)
        if (crowded[:, 1:] == crowded[:, :-1]).any():
            raise ValueError("expected every bot once in a match, got one that sits twice")
        self._new.append(self._rows(outcomes, bots, _table(outcomes, "ranks", len(self.teams))))
        self.matches += len(outcomes)
        if sum(len(keys) for keys, _ in self._new) > len(self._keys) + self._most_rows:
            self._settle()

    def _rows(self, outcomes: Sequence[Outcome], bots: Ints, ranks: Ints) -> tuple[Ints, Ints]:
        blocks = np.fromiter((outcome.block for outcome in outcomes), np.int64, len(outcomes))
        faulty = np.fromiter((outcome.is_faulty for outcome in outcomes), np.int64, len(outcomes))
        high = ((blocks % self._bundles) << 1 | faulty) << _MEETING_BITS
        sides = sides_of(self.teams)
        numbers = [self._number(_codes(bots[:, side])) for side in sides]
        keys, halves = [], []
        for a, b in combinations(range(len(sides)), 2):
            rank, other = ranks[:, sides[a][0]], ranks[:, sides[b][0]]
            keys.append(high | _meeting(numbers[a], numbers[b], a, b))
            halves.append(np.where(rank < other, 2, np.where(rank == other, 1, 0)))
        games = np.ones(len(outcomes) * len(keys), np.int64)
        return _summed(np.concatenate(keys), np.stack([games, np.concatenate(halves)], axis=1))

    def _number(self, codes: Ints) -> Ints:
        """Return the numbers of sides; newcomers get the next ones."""
        found, inverse = np.unique(codes, return_inverse=True)
        numbers = [self._numbers.setdefault(code, len(self._numbers)) for code in found.tolist()]
        return np.array(numbers, np.int64)[inverse]

    def _settle(self) -> None:
        """Bring what is new into the table, and the table to its size."""
        keys = np.concatenate([self._keys, *(keys for keys, _ in self._new)])
        counts = np.concatenate([self._counts, *(counts for _, counts in self._new)])
        self._new = []
        self._keys, self._counts = _summed(self._renumbered(_bundled(keys, self._bundles)), counts)
        while len(self._keys) > self._most_rows and self._bundles > _FEWEST_BUNDLES:
            self._bundles //= 2
            self._keys, self._counts = _summed(_bundled(self._keys, self._bundles), self._counts)

    def _renumbered(self, keys: Ints) -> Ints:
        """Return keys with sides numbered in the order of their bots, which does not depend on who came first."""
        rank = np.argsort(np.argsort(np.fromiter(self._numbers, np.int64, len(self._numbers))))
        self._numbers = {code: number for number, code in enumerate(sorted(self._numbers))}
        first, second = rank[keys >> _FIRST_SHIFT & _SIDE_MASK], rank[keys >> _SECOND_SHIFT & _SIDE_MASK]
        rest = keys & ~(_SIDE_MASK << _FIRST_SHIFT | _SIDE_MASK << _SECOND_SHIFT)
        renumbered: Ints = rest | first << _FIRST_SHIFT | second << _SECOND_SHIFT
        return renumbered

    def members(self) -> Ints:
        """Return the bots of each side, a row a side."""
        codes = np.array(sorted(self._numbers), np.int64)
        if len(sides_of(self.teams)[0]) == 1:
            return codes[:, None]
        return np.stack([codes >> _BOT_BITS, codes & ((1 << _BOT_BITS) - 1)], axis=1)

    def meetings(self, *, with_faulty: bool, bundles: int) -> Meetings:
        """Return the rows, sorted, with so many bundles at most: a power of two. Sides are rows of `members`."""
        self._settle()
        chosen = slice(None) if with_faulty else (self._keys >> _MEETING_BITS & 1) == 0
        keys, counts = self._keys[chosen], self._counts[chosen]
        unmarked = keys & ~(1 << _MEETING_BITS)
        return _unpacked(*_summed(_bundled(unmarked, min(self._bundles, bundles)), counts))

    def save(self) -> bytes:
        """Return the table as bytes: the same for the same matches."""
        self._settle()
        file = io.BytesIO()
        np.savez_compressed(
            file,
            head=np.array([_FORMAT, self.matches, self._bundles], np.int64),
            teams=np.array(self.teams, np.int64),
            sides=np.array(sorted(self._numbers), np.int64),
            keys=np.diff(self._keys, prepend=0),  # differences are small, and are packed well
            counts=self._counts,
        )
        return file.getvalue()

    @classmethod
    def restore(cls, state: bytes) -> PairTable:
        """Return the table that was saved; raises `ValueError` for anything else."""
        try:
            with np.load(io.BytesIO(state), allow_pickle=False) as found:
                arrays = {name: found[name] for name in ("head", "teams", "sides", "keys", "counts")}
        except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile) as error:
            raise ValueError(f"expected a saved tally, got {len(state)} bytes of something else: {error}") from error
        version, matches, bundles = arrays["head"].tolist()
        if version != _FORMAT:
            raise ValueError(f"expected a saved tally of format {_FORMAT}, got {version}")
        table = cls()
        table.teams, table.matches, table._bundles = tuple(arrays["teams"].tolist()), matches, bundles
        table._numbers = {code: number for number, code in enumerate(arrays["sides"].tolist())}
        table._keys, table._counts = np.cumsum(arrays["keys"]), arrays["counts"]
        return table


def _table(outcomes: Sequence[Outcome], field: str, seats: int) -> Ints:
    values = chain.from_iterable([getattr(outcome, field) for outcome in outcomes])
    return np.fromiter(values, np.int64, len(outcomes) * seats).reshape(-1, seats)


def _codes(bots: Ints) -> Ints:
    """Return a number for each side: of its bot, or of both of a team, whoever sits first."""
    if bots.shape[1] == 1:
        return bots[:, 0]
    pair: Ints = bots.min(axis=1) << _BOT_BITS | bots.max(axis=1)
    return pair


def _meeting(first: Ints, second: Ints, first_place: int, second_place: int) -> Ints:
    key: Ints = first << _FIRST_SHIFT | second << _SECOND_SHIFT | first_place << _PLACE_BITS | second_place
    return key


def _unpacked(keys: Ints, counts: Ints) -> Meetings:
    return Meetings(
        bundle=keys >> (_MEETING_BITS + 1),
        first=keys >> _FIRST_SHIFT & _SIDE_MASK,
        second=keys >> _SECOND_SHIFT & _SIDE_MASK,
        first_place=keys >> _PLACE_BITS & _PLACE_MASK,
        second_place=keys & _PLACE_MASK,
        games=counts[:, 0],
        halves=counts[:, 1],
    )


def _bundled(keys: Ints, bundles: int) -> Ints:
    """Return keys of bundles whose number is below `bundles`."""
    return keys & ((bundles << (_MEETING_BITS + 1)) - 1)


def _summed(keys: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Return each key once, in order, with the sum of its counts."""
    if not len(keys):
        return keys, counts
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order]
    starts = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1))
    return keys[starts], np.add.reduceat(counts, starts, axis=0)

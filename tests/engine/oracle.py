"""The rule book once more, slow and obvious, with plain sets: what the engine is tested against.

Nothing here comes from `engine/`. A piece is a drawing, a placement is a set of cells, and every rule is one line
that can be read next to the rules page. `legal_moves` also serves benchmarks as the naive generator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeAlias

Cell: TypeAlias = tuple[int, int]  # row, column; row 0 at the top
Cells: TypeAlias = frozenset[Cell]
Move: TypeAlias = tuple[str, tuple[Cell, ...]]  # a piece, and its cells sorted by row, then column
Placed: TypeAlias = dict[str, dict[str, Cells]]  # color -> piece -> cells, in the order they were placed
Event: TypeAlias = tuple[str, int | None, Move | str]  # color, seat, and its move or why it passed

# ---- pieces

DRAWINGS: dict[str, list[str]] = {
    "I1": ["#"],
    "I2": ["##"],
    "I3": ["###"],
    "L3": ["##", "#."],
    "I4": ["####"],
    "O4": ["##", "##"],
    "T4": [".#.", "###"],
    "L4": ["#.", "#.", "##"],
    "S4": ["##.", ".##"],
    "F": [".##", "##.", ".#."],
    "I5": ["#####"],
    "L5": ["#.", "#.", "#.", "##"],
    "N": [".#", ".#", "##", "#."],
    "P": ["##", "##", "#."],
    "T5": ["###", ".#.", ".#."],
    "U": ["#.#", "###"],
    "V": ["#..", "#..", "###"],
    "W": ["#..", "##.", ".##"],
    "X": [".#.", "###", ".#."],
    "Y": [".#", "##", ".#", ".#"],
    "Z": ["##.", ".#.", ".##"],
}
NAMES = tuple(DRAWINGS)


def cells_of(drawing: list[str]) -> Cells:
    return frozenset((r, c) for r, line in enumerate(drawing) for c, mark in enumerate(line) if mark == "#")


def shifted(cells: Iterable[Cell], down: int, right: int) -> Cells:
    return frozenset((row + down, col + right) for row, col in cells)


def in_corner(cells: Iterable[Cell]) -> Cells:
    """Return the same shape, pushed into the top left corner."""
    cells = list(cells)
    return shifted(cells, -min(row for row, _ in cells), -min(col for _, col in cells))


def turned(cells: Iterable[Cell]) -> Cells:
    return in_corner((col, -row) for row, col in cells)


def flipped(cells: Iterable[Cell]) -> Cells:
    return in_corner((row, -col) for row, col in cells)


def orientations(cells: Cells) -> set[Cells]:
    """Return every way to turn and flip a shape; a symmetric one has fewer than eight."""
    found = set()
    for start in (in_corner(cells), flipped(cells)):
        shape = start
        for _ in range(4):
            found.add(shape)
            shape = turned(shape)
    return found


SIZES: dict[str, int] = {name: len(cells_of(drawing)) for name, drawing in DRAWINGS.items()}
ORIENTATIONS: dict[str, set[Cells]] = {name: orientations(cells_of(drawing)) for name, drawing in DRAWINGS.items()}


def piece_of(cells: Iterable[Cell]) -> str | None:
    """Return the name of the piece that has this shape."""
    shape = in_corner(cells)
    return next((name for name in NAMES if shape in ORIENTATIONS[name]), None)


def sorted_move(name: str, cells: Iterable[Cell]) -> Move:
    return name, tuple(sorted(cells))


# ---- variants


@dataclass(frozen=True)
class Rules:
    """One line of the table of variants."""

    rows: int
    cols: int
    colors: tuple[str, ...]
    starts: dict[str, Cell]  # a color without one begins anywhere
    seats: tuple[tuple[str, ...], ...]
    teams: tuple[int, ...]
    turning: str | None = None
    pieces: tuple[str, ...] = NAMES
    descending: bool = False
    bonus: bool = True


FOUR = ("blue", "yellow", "red", "green")
CORNERS = {"blue": (0, 0), "yellow": (0, 19), "red": (19, 19), "green": (19, 0)}
_CLASSIC = Rules(20, 20, FOUR, CORNERS, (("blue",), ("yellow",), ("red",), ("green",)), (0, 1, 2, 3))
_THREE = replace(_CLASSIC, seats=(("blue",), ("yellow",), ("red",)), teams=(0, 1, 2))
_DUO_STARTS = {"purple": (4, 4), "orange": (9, 9)}
_SOLO = replace(_CLASSIC, seats=(FOUR,), teams=(0,), bonus=False)
_TETROMINOES = tuple(name for name in NAMES if SIZES[name] == 4)
_PENTOMINOES = tuple(name for name in NAMES if SIZES[name] == 5)

RULES: dict[str, Rules] = {
    "classic": _CLASSIC,
    "teams": replace(_CLASSIC, teams=(0, 1, 0, 1)),
    "two": replace(_CLASSIC, seats=(("blue", "red"), ("yellow", "green")), teams=(0, 1)),
    "three": replace(_THREE, turning="green"),
    "three-open": replace(_THREE, colors=("blue", "yellow", "red")),
    "duo": Rules(14, 14, ("purple", "orange"), _DUO_STARTS, (("purple",), ("orange",)), (0, 1)),
    "solo": _SOLO,
    "solo-descending": replace(_SOLO, descending=True),
    "solo-tetromino": replace(_SOLO, rows=8, cols=10, starts={}, pieces=_TETROMINOES),
    "solo-pentomino": replace(_SOLO, rows=15, cols=16, starts={}, pieces=_PENTOMINOES),
}

BONUSES = {"15/5": (15, 20), "10/5": (10, 15)}  # all placed; all placed with the monomino last


# ---- placing


def beside(cells: Iterable[Cell]) -> set[Cell]:
    """Return the cells that share an edge with one of these."""
    return {near for r, c in cells for near in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1))}


def at_corners(cells: Iterable[Cell]) -> set[Cell]:
    """Return the cells that touch one of these diagonally."""
    return {near for r, c in cells for near in ((r - 1, c - 1), (r - 1, c + 1), (r + 1, c - 1), (r + 1, c + 1))}


def whole_board(rows: int, cols: int) -> set[Cell]:
    return {(row, col) for row in range(rows) for col in range(cols)}


def placements(rows: int, cols: int, name: str) -> list[Cells]:
    """Return every way to lay a piece on an empty board: each orientation, at each cell."""
    board = whole_board(rows, cols)
    return [cells for shape in ORIENTATIONS[name] for cell in board if (cells := shifted(shape, *cell)) <= board]


kept_placements = cache(placements)


def legal_moves(
    rules: Rules,
    placed: Placed,
    color: str,
    lay: Callable[[int, int, str], list[Cells]] = placements,
) -> list[Move]:
    """Return every legal placement of a color, ordered by piece, then by cells."""
    own = {cell for cells in placed[color].values() for cell in cells}
    occupied = {cell for pieces in placed.values() for cells in pieces.values() for cell in cells}
    forbidden = occupied | beside(own)
    if own:
        wanted = at_corners(own)
    elif color in rules.starts:
        wanted = {rules.starts[color]}
    else:
        wanted = whole_board(rules.rows, rules.cols)
    moves = []
    for name in playable_pieces(rules, placed, color):
        fitting = [
            cells
            for cells in lay(rules.rows, rules.cols, name)
            if not cells.isdisjoint(wanted) and cells.isdisjoint(forbidden)
        ]
        moves += sorted([sorted_move(name, cells) for cells in fitting])
    return moves


def hand(rules: Rules, placed: Placed, color: str) -> list[str]:
    return [name for name in rules.pieces if name not in placed[color]]


def playable_pieces(rules: Rules, placed: Placed, color: str) -> list[str]:
    held = hand(rules, placed, color)
    if rules.descending:
        return [name for name in held if SIZES[name] == max(SIZES[other] for other in held)]
    return held


# ---- scoring


def score(rules: Rules, placed: Placed, color: str, scoring: str) -> int:
    left = sum(SIZES[name] for name in hand(rules, placed, color))
    if left > 0 or not rules.bonus:
        return -left
    all_placed, monomino_last = BONUSES[scoring]
    return monomino_last if list(placed[color])[-1] == "I1" else all_placed


# ---- a whole game


class OracleGame:
    """Whose turn it is, what was placed and passed, who forfeited, and the result."""

    def __init__(self, rules: Rules, scoring: str = "15/5") -> None:
        self.rules = rules
        self.scoring = scoring
        self.placed: Placed = {color: {} for color in rules.colors}
        self.events: list[Event] = []
        self.faults: dict[int, int] = {}  # seat -> turn
        self.waiting = list(rules.colors)  # those not out, from the one to move on
        self.turning_seats = list(range(len(rules.seats)))  # not retired, from the next to play the turning color on
        self._listed: dict[str, list[Move]] = {}  # lists of this position, so that each is made once
        self._pass_over()

    @property
    def turn(self) -> int:
        return sum(len(pieces) for pieces in self.placed.values())

    @property
    def color(self) -> str | None:
        return self.waiting[0] if self.waiting else None

    @property
    def seat(self) -> int | None:
        return self.player_of(self.waiting[0]) if self.waiting else None

    def player_of(self, color: str) -> int | None:
        """Return the seat that plays a color now; None if everybody has left the turning color."""
        if color == self.rules.turning:
            return self.turning_seats[0] if self.turning_seats else None
        return next(seat for seat, colors in enumerate(self.rules.seats) if color in colors)

    def is_abandoned(self, color: str) -> bool:
        player = self.player_of(color)
        return player is None or player in self.faults

    def legal_moves(self, color: str) -> list[Move]:
        if self.is_abandoned(color):
            return []
        if color not in self._listed:
            self._listed[color] = legal_moves(self.rules, self.placed, color, kept_placements)
        return self._listed[color]

    def play(self, move: Move) -> None:
        name, cells = move
        color = self.waiting.pop(0)
        self.events.append((color, self.player_of(color), move))
        self.placed[color][name] = frozenset(cells)
        self._listed.clear()
        self.waiting.append(color)
        if color == self.rules.turning:
            self.turning_seats.append(self.turning_seats.pop(0))
        self._pass_over()

    def can_play(self, seat: int) -> bool:
        if seat in self.faults:
            return False
        own = [*self.rules.seats[seat], *([self.rules.turning] if self.rules.turning else [])]
        return any(self.legal_moves(color) for color in own)

    def retire(self, seat: int) -> bool:
        if not self.can_play(seat):
            return False
        self.faults[seat] = self.turn
        self.turning_seats.remove(seat)
        self._pass_over()
        return True

    def _pass_over(self) -> None:
        """Let the colors that cannot or may not place anything drop out, up to the first that can."""
        while self.waiting:
            color = self.waiting[0]
            if self.is_abandoned(color):
                reason = "forfeit"
            elif not self.legal_moves(color):
                reason = "blocked"
            else:
                return
            self.events.append((color, self.player_of(color), reason))
            self.waiting.pop(0)

    def scores(self) -> dict[str, int]:
        return {color: score(self.rules, self.placed, color, self.scoring) for color in self.rules.colors}

    def totals(self) -> list[int]:
        return [sum(self._seat_total(mate) for mate in self._mates(seat)) for seat in range(len(self.rules.seats))]

    def ranks(self) -> list[int]:
        """Return 1 + the number of sides that did better, for each seat."""
        sides = {team: self._merit(seat) for seat, team in enumerate(self.rules.teams)}
        return [1 + sum(other > sides[team] for other in sides.values()) for team in self.rules.teams]

    def _merit(self, seat: int) -> tuple[str, int]:
        mates = self._mates(seat)
        if all(mate in self.faults for mate in mates):
            return "a forfeiter", max(self.faults[mate] for mate in mates)
        return "finished", self.totals()[seat]  # and "finished" > "a forfeiter"

    def _mates(self, seat: int) -> list[int]:
        return [other for other, team in enumerate(self.rules.teams) if team == self.rules.teams[seat]]

    def _seat_total(self, seat: int) -> int:
        return sum(self.scores()[color] for color in self.rules.seats[seat])

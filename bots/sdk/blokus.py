"""Blokus for a bot in Python: keeps the board, lists legal moves, talks to the arena.

Put it next to your bot:

    from blokus import Game, Move, run

    def choose(game: Game) -> Move:
        return max(game.legal(), key=lambda move: len(move.cells))

    run(choose)

How it works. A set of cells is an integer with a bit a cell; rows are four bits longer than the board, so that a piece
which sticks out on one side never comes in on the other. Shifting the free cells by each cell of a shape, and keeping
what all of them have in common, gives every place where the shape fits, at once.
"""

from __future__ import annotations

import copy
import json
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

Cell: TypeAlias = tuple[int, int]  # row, column
Shape: TypeAlias = tuple[Cell, ...]  # sorted cells, relative to the first of them

_PAD = 4  # a piece has at most five cells in a row
_TURNS = 8  # orientations of a piece, at most
_OVER = -1


class Move(NamedTuple):
    """A piece, and the cells it covers, sorted."""

    piece: str
    cells: Shape


class Seat(NamedTuple):
    """Who sits there, with which colors, in which team."""

    name: str
    colors: list[str]
    team: int


class Game:
    """A game as the bot at seat `me` knows it.

    `color` and `seat` are next to move (None when the game is over): colors that are blocked are passed over by
    themselves. What `run` gives you is a copy: play on it as far as you like.
    """

    def __init__(self, hello: dict[str, Any]) -> None:
        """Begin a game with the referee's first message."""
        self.variant: str = hello["variant"]
        self.rows: int = hello["board"]["rows"]
        self.cols: int = hello["board"]["cols"]
        self.colors: list[str] = hello["colors"]  # in turn order
        self.pieces: dict[str, int] = {name: len(cells) for name, cells in hello["pieces"].items()}  # sizes, in order
        self.seats = [Seat(seat["name"], seat["colors"], seat["team"]) for seat in hello["seats"]]
        self.me: int = hello["seat"]
        self.turning_color: str | None = hello["turning_color"]
        self.scoring: dict[str, int] = hello["scoring"]
        self.clock: dict[str, Any] = hello["clock"]  # move_ms and bank_ms are brought up to date at every turn
        self.seed: int = hello["seed"]
        self.turn = 0  # pieces placed so far
        self.note: str | None = None  # set these two in `choose`, and they are kept with the move
        self.eval: float | None = None
        self._table = _Table(hello)
        self._deadline = time.monotonic()
        self._owner = [next((s for s, seat in enumerate(self.seats) if c in seat.colors), None) for c in self.colors]
        self._own = [0] * len(self.colors)
        self._hand = [(1 << len(self.pieces)) - 1] * len(self.colors)
        self._last = [""] * len(self.colors)  # the piece that each color placed last
        self._out: frozenset[int] = frozenset()  # colors that have dropped out
        self._retired: frozenset[int] = frozenset()  # seats that have forfeited
        self._rotation = 0  # the seat whose turn with the turning color is next
        self._past: list[tuple[Any, ...]] = []
        self._color = self._seat = _OVER
        self._find_turn(0)

    # ---- looking

    @property
    def color(self) -> str | None:
        """The color to move; None when the game is over."""
        return None if self._color == _OVER else self.colors[self._color]

    @property
    def seat(self) -> int | None:
        """The seat to move, with the turning color too; None when the game is over."""
        return None if self._color == _OVER else self._seat

    @property
    def is_over(self) -> bool:
        """Whether no color can place a piece any more."""
        return self._color == _OVER

    def legal(self, color: str | None = None) -> list[Move]:
        """Return every legal move of a color (by default the one to move), in the protocol's order."""
        found: list[Move] = []
        for piece, masks in self._fits(self._number(color)):
            keys = []
            for turned, mask in enumerate(masks):
                while mask:
                    cell = mask.bit_length() - 1
                    keys.append(cell * _TURNS + turned)
                    mask ^= 1 << cell
            moves = self._table.moves[piece]
            found += [moves[key] for key in sorted(keys)]
        return found

    def has_move(self, color: str | None = None) -> bool:
        """Tell whether a color could place a piece if it were its turn."""
        return any(any(masks) for _, masks in self._fits(self._number(color)))

    def corners(self, color: str | None = None) -> list[Cell]:
        """Return the free cells of which a color's next piece must cover one."""
        _, corners = self._free_and_corners(self._number(color))
        found = []
        while corners:
            place = corners.bit_length() - 1
            found.append(divmod(place, self._table.stride))
            corners ^= 1 << place
        return found[::-1]

    def hand(self, color: str | None = None) -> list[str]:
        """Return the pieces that a color has not placed."""
        hand = self._hand[self._number(color)]
        return [name for place, name in enumerate(self.pieces) if hand >> place & 1]

    def color_at(self, row: int, col: int) -> str | None:
        """Return the color on a cell; None if it is free."""
        cell = self._table.mask(((row, col),))
        return next((color for color, own in zip(self.colors, self._own, strict=True) if own & cell), None)

    def board(self) -> list[str]:
        """Return the board as one string a row: `.` where it is free, else the color's first letter, upper case."""
        marks = "".join((self.color_at(*cell) or ".")[0].upper() for cell in self._cells())
        return [marks[start : start + self.cols] for start in range(0, len(marks), self.cols)]

    def scores(self) -> dict[str, int]:
        """Return the score of each color as it stands."""
        return {color: self._score(number) for number, color in enumerate(self.colors)}

    def totals(self) -> list[int]:
        """Return the total of each seat: of its colors, or of its team's."""
        scores, totals = self.scores(), dict.fromkeys([seat.team for seat in self.seats], 0)
        for seat in self.seats:
            totals[seat.team] += sum(scores[color] for color in seat.colors)
        return [totals[seat.team] for seat in self.seats]

    def time_left_ms(self) -> int:
        """Return what is left for this move, bank included, by the clock on the wall."""
        return round((self._deadline - time.monotonic()) * 1000)

    # ---- playing

    def play(self, move: Move) -> None:
        """Place a piece for the color to move; the move is taken to be legal."""
        color = self._color
        if color == _OVER:
            raise ValueError("the game is over")
        was = (color, self._seat, self._own[color], self._hand[color], self._last[color], self._out, self._rotation)
        self._past.append(was)
        self._own[color] |= self._table.mask(move.cells)
        self._hand[color] &= ~self._table.place[move.piece]
        self._last[color] = move.piece
        self.turn += 1
        if self._owner[color] is None:
            self._rotation = (self._seat + 1) % len(self.seats)
        self._find_turn(color + 1)

    def undo(self) -> None:
        """Take back the last `play`."""
        color, seat, own, hand, last, out, rotation = self._past.pop()
        self._own[color], self._hand[color], self._last[color] = own, hand, last
        self._color, self._seat, self._out, self._rotation = color, seat, out, rotation
        self.turn -= 1

    def copy(self) -> Game:
        """Return an independent game in the same position."""
        twin = copy.copy(self)
        twin._own, twin._hand, twin._last = self._own.copy(), self._hand.copy(), self._last.copy()
        twin._past = self._past.copy()
        return twin

    # ---- listening

    def hear(self, message: dict[str, Any]) -> None:
        """Take in a `turn`: what was played since the last one, and what this move may use."""
        self.clock = self.clock | message["clock"]
        self._deadline = time.monotonic() + (self.clock["move_ms"] + self.clock["bank_ms"]) / 1000
        for event in message["played"]:
            color = self.colors.index(event["color"])
            if "piece" in event:
                self._give_turn(color, event["seat"])
                self.play(Move(event["piece"], tuple((row, col) for row, col in event["cells"])))
            elif event["pass"] == "forfeit":
                self._retire(event["seat"])
                self._find_turn(color)
        self._give_turn(self.colors.index(message["color"]), self.me)

    def _give_turn(self, color: int, seat: int) -> None:
        """Follow the referee: whom the turning color has skipped must have forfeited."""
        if self._owner[color] is None:
            while self._rotation != seat:
                self._retire(self._rotation)
                self._rotation = (self._rotation + 1) % len(self.seats)
        self._color, self._seat = color, seat

    def _retire(self, seat: int) -> None:
        self._retired |= {seat}
        self._out |= {color for color, owner in enumerate(self._owner) if owner == seat}

    # ---- inside

    def _number(self, color: str | None) -> int:
        return self._color if color is None else self.colors.index(color)

    def _cells(self) -> Iterator[Cell]:
        return ((row, col) for row in range(self.rows) for col in range(self.cols))

    def _find_turn(self, first: int) -> None:
        """Give the turn to the next color that can move, from `first` on; those that cannot drop out."""
        for step in range(len(self.colors)):
            color = (first + step) % len(self.colors)
            owner = self._owner[color]
            seat = self._next_in_rotation() if owner is None else owner
            if color not in self._out and (seat in self._retired or not self.has_move(self.colors[color])):
                self._out |= {color}
            if color not in self._out:
                self._color, self._seat = color, seat
                return
        self._color = _OVER

    def _next_in_rotation(self) -> int:
        seats = [(self._rotation + step) % len(self.seats) for step in range(len(self.seats))]
        return next((seat for seat in seats if seat not in self._retired), self._rotation)

    def _score(self, color: int) -> int:
        squares = sum(self.pieces[piece] for piece in self.hand(self.colors[color]))
        if squares:
            return -squares
        return self.scoring["all_placed"] + self.scoring["monomino_last"] * (self._last[color] == "I1")

    def _free_and_corners(self, color: int) -> tuple[int, int]:
        """Return the cells that a color's next piece may cover, and those of which it must cover one."""
        if color == _OVER or color in self._out:
            return 0, 0
        table, own = self._table, self._own[color]
        step = table.stride
        beside = own << 1 | own >> 1
        free = table.full & ~(sum(self._own) | beside | own << step | own >> step)
        corners = beside << step | beside >> step if own else table.starts[color]
        return free, free & corners

    def _fits(self, color: int) -> Iterator[tuple[int, list[int]]]:
        """Give each piece that a color may place: for each orientation, where its first cell may go."""
        free, corners = self._free_and_corners(color)
        if not corners:
            return
        table = self._table
        free_at = {offset: free >> offset for offset in table.offsets}
        corners_at = {offset: corners >> offset for offset in table.offsets}
        for piece in self._playable(color):
            masks = []
            for shape in table.shapes[piece]:
                fits, touches = free, 0
                for offset in shape:
                    fits &= free_at[offset]
                    touches |= corners_at[offset]
                masks.append(fits & touches)
            yield piece, masks

    def _playable(self, color: int) -> list[int]:
        sizes = list(self.pieces.values())
        hand = [piece for piece in range(len(sizes)) if self._hand[color] >> piece & 1]
        if self.variant != "solo-descending":
            return hand
        return [piece for piece in hand if sizes[piece] == max(sizes[other] for other in hand)]


class _Moves(dict[int, Move]):
    """The moves of one piece by first cell and orientation, made when first asked for."""

    def __init__(self, name: str, shapes: list[Shape], stride: int) -> None:
        super().__init__()
        self._name, self._shapes, self._stride = name, shapes, stride

    def __missing__(self, key: int) -> Move:
        row, col = divmod(key // _TURNS, self._stride)
        move = Move(self._name, tuple([(row + r, col + c) for r, c in self._shapes[key % _TURNS]]))
        self[key] = move
        return move


class _Table:
    """What never changes during a game; all copies share it."""

    def __init__(self, hello: dict[str, Any]) -> None:
        rows, cols = hello["board"]["rows"], hello["board"]["cols"]
        self.stride = cols + _PAD
        self.full = self.mask(tuple((row, col) for row in range(rows) for col in range(cols)))
        self.starts = [self.mask(hello["start"][color]) or self.full for color in hello["colors"]]
        self.place = {name: 1 << place for place, name in enumerate(hello["pieces"])}
        turned = [_orientations(cells) for cells in hello["pieces"].values()]
        self.shapes = [[[row * self.stride + col for row, col in shape] for shape in shapes] for shapes in turned]
        self.offsets = {offset for shapes in self.shapes for shape in shapes for offset in shape}
        self.moves = [_Moves(name, shapes, self.stride) for name, shapes in zip(self.place, turned, strict=True)]

    def mask(self, cells: Shape) -> int:
        """Return cells as an integer."""
        return sum(1 << row * self.stride + col for row, col in cells)


def _orientations(cells: list[Cell]) -> list[Shape]:
    """Return every way to turn and flip a piece, in the protocol's order."""
    shapes = set()
    for _ in range(4):
        cells = [(col, -row) for row, col in cells]
        for side in (cells, [(row, -col) for row, col in cells]):
            row0, col0 = min(side)
            shapes.add(tuple(sorted([(row - row0, col - col0) for row, col in side])))
    return sorted(shapes)


def run(choose: Callable[[Game], Move], **about: str) -> None:
    """Play games until the arena ends them; `about` may give a name, a version and an author."""
    out, sys.stdout = sys.stdout, sys.stderr  # what a bot prints goes to its log, not between its answers
    game: Game | None = None
    for line in sys.stdin:
        message = json.loads(line)
        answer: dict[str, Any] = {}
        if message["type"] == "hello":
            game = Game(message)
            answer = {"type": "ready", "games": "many", **about}
        elif message["type"] == "turn" and game:
            game.hear(message)
            view = game.copy()
            move = choose(view)
            notes = {"note": view.note, "eval": view.eval}
            answer = {"type": "move", "turn": message["turn"], "cells": move.cells}
            answer |= {key: value for key, value in notes.items() if value is not None}
        if answer:
            print(json.dumps(answer), file=out, flush=True)

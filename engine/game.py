"""A game: whose turn it is, what was played and passed, who has forfeited, and the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from engine.board import Board
from engine.errors import BadRequest, IllegalMove, shown
from engine.explain import explain, number_of, number_of_cells
from engine.grid import Mask
from engine.move import Move
from engine.placements import Bits, Placements, placements_of
from engine.scoring import points, shared_ranks
from engine.variants import DEFAULT_SCORING, Scoring, Variant, find_scoring, find_variant

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from random import Random


class Placed(NamedTuple):
    """A color placed a piece."""

    color: str
    seat: int
    move: Move


class Passed(NamedTuple):
    """A color dropped out for good when its turn came."""

    color: str
    seat: int
    reason: Literal["blocked", "forfeit"]


class Result(NamedTuple):
    """How a game stands: the score of each color, the total and the rank of each seat."""

    scores: dict[str, int]
    totals: list[int]
    ranks: list[int]


Event: TypeAlias = Placed | Passed

_OVER = -1
_BLOCKED, _FORFEIT = -1, -2  # in the log, in place of a placement's number


class Game:
    """A game of any variant, from its first move to its result.

    Colors that cannot place anything are passed over by themselves: `color` is always one that
    can move, or None when the game is over.
    """

    __slots__ = (
        "_board",
        "_color",
        "_log",
        "_out",
        "_owners",
        "_past",
        "_retired",
        "_rotation",
        "_seat",
        "_turn",
        "scoring",
        "variant",
    )

    def __init__(self, variant: str | Variant = "classic", scoring: str = DEFAULT_SCORING) -> None:
        """Start a game; raises `BadRequest` for an unknown variant or scoring."""
        self.variant: Variant = find_variant(variant)
        self.scoring: Scoring = find_scoring(self.variant, scoring)
        table = placements_of(self.variant)
        starts = [table.grid.mask(cells) for cells in self.variant.starts]
        self._board = Board(table, starts, self.variant.largest_first)
        self._owners = [self.variant.seat_of(color) for color in self.variant.colors]
        self._log: list[tuple[int, int, int]] = []  # color, seat, placement number or why it passed
        self._turn = 0
        self._out = 0  # the colors that have dropped out, as a mask
        self._retired: tuple[int | None, ...] = (None,) * len(self.variant.seats)  # the turn of each forfeit
        self._rotation = 0  # the seat whose turn with the turning color is next
        self._past: list[tuple[int, int, int, int, int, int, tuple[int | None, ...]]] = []
        self._color = _OVER
        self._seat = _OVER
        self._find_turn(0)

    @classmethod
    def from_position(
        cls, variant: str | Variant, placed: Mapping[str, Iterable[Move]], scoring: str = DEFAULT_SCORING
    ) -> Game:
        """Return a game that begins with these pieces of each color on the board and no forfeits.

        Whose turn it is follows from how many there are. Nothing before is known: it cannot be undone, and a
        monomino already on the board earns no bonus for coming last. Raises `IllegalMove` for pieces that the rules do
        not allow together, `BadRequest` for numbers of them that taking turns cannot lead to.
        """
        from engine.position import color_to_move, lay_out  # here, because most programs never need it

        game = cls(variant, scoring)
        board, colors = game._board, game.variant.colors
        for name, moves in placed.items():
            lay_out(board, game.variant, game._color_number(name), moves)
        counts = [len(game.variant.pieces) - len(board.hand(color)) for color in range(len(colors))]
        # a color can always place its first piece, so one without any has not dropped out
        game._out = sum(1 << color for color, count in enumerate(counts) if count and not board.has_move(color))
        game._turn = sum(counts)
        if game.variant.turning_color is not None:
            game._rotation = counts[colors.index(game.variant.turning_color)] % len(game.variant.seats)
        game._find_turn(color_to_move(game.variant, counts, game._out))
        return game

    # ---- whose turn, and what may be played

    @property
    def color(self) -> str | None:
        """The color to move; None when the game is over."""
        return None if self._color == _OVER else self.variant.colors[self._color]

    @property
    def seat(self) -> int | None:
        """The seat to move, with the turning color too; None when the game is over."""
        return None if self._color == _OVER else self._seat

    @property
    def is_over(self) -> bool:
        """Whether no color can place a piece any more."""
        return self._color == _OVER

    @property
    def turn(self) -> int:
        """The number of pieces placed so far."""
        return self._turn

    def legal_moves(self, color: str | None = None) -> list[Move]:
        """Return every legal placement of a color (by default the one to move), in the protocol's order."""
        return self.placements.moves(self.legal_bits(color))

    def legal_count(self, color: str | None = None) -> int:
        """Return how many legal placements a color has."""
        return self.legal_bits(color).bit_count()

    def has_move(self, color: str | None = None) -> bool:
        """Tell whether a color could place a piece if it were its turn."""
        if color is None:
            return self._color != _OVER
        number = self._color_number(color)
        return not self._is_forfeited(number) and self._board.has_move(number)

    def why_illegal(self, move: Move, color: str | None = None) -> IllegalMove | None:
        """Return what is wrong with a move of the color to move, or None; `color` is who claims to move."""
        try:
            self.judge(move, color)
        except IllegalMove as problem:
            return problem
        return None

    def judge(self, move: Move, color: str | None = None) -> int:
        """Return the number of a move that the color to move may play, or raise `IllegalMove`.

        `color`, if given, is who claims to move.
        """
        self._check_turn(color)
        return self._check_legal(number_of(move, self.placements))

    def judge_cells(self, cells: Iterable[Sequence[int]]) -> int:
        """Return the number of the placement over these cells, as `judge` does."""
        self._check_turn(None)
        return self._check_legal(number_of_cells(cells, self.placements))

    # ---- changing the game

    def play(self, move: Move, color: str | None = None) -> None:
        """Place a piece for the color to move, and pass over the colors that are blocked after it.

        Raises `IllegalMove` and leaves the game as it was. `color`, if given, must be the one to move.
        """
        self.place(self.judge(move, color))

    def undo(self) -> None:
        """Take back the last `play` or `retire`, with the passes that followed it."""
        if not self._past:
            raise BadRequest("nothing to undo: the game has not begun")
        color, seat, turn, out, rotation, logged, retired = self._past.pop()
        if turn != self._turn:
            self._board.take_back()
        self._color, self._seat, self._turn = color, seat, turn
        self._out, self._rotation, self._retired = out, rotation, retired
        del self._log[logged:]

    def retire(self, seat: int) -> bool:
        """Let a seat forfeit: its colors place nothing more, its pieces stay.

        Returns False, and changes nothing, if the seat has nothing left to play or has retired before.
        """
        if not self.can_play(seat):
            return False
        self._remember()
        self._retired = tuple([self._turn if s == seat else t for s, t in enumerate(self._retired)])
        if seat == self._seat:
            self._find_turn(self._color)
        return True

    def copy(self) -> Game:
        """Return an independent game in the same position, with the same history."""
        twin = Game.__new__(Game)
        for name in Game.__slots__:
            setattr(twin, name, getattr(self, name))
        twin._board = self._board.copy()
        twin._log = self._log.copy()
        twin._past = self._past.copy()
        return twin

    # ---- what happened, and how it stands

    def events(self, since: int = 0) -> list[Event]:
        """Return placements and passes in order, from number `since` on."""
        return [self._event(*entry) for entry in self._log[since:]]

    def moves(self) -> list[Move]:
        """Return the placements in order, without the passes."""
        return [self.placements.move(number) for _, _, number in self._log if number >= 0]

    def hand(self, color: str) -> list[str]:
        """Return the pieces that a color has not placed, in the usual order."""
        pieces = self.placements.pieces
        return [pieces[piece].name for piece in self._board.hand(self._color_number(color))]

    def cells(self, color: str) -> Mask:
        """Return the cells that a color's pieces cover, as a mask."""
        return self._board.own[self._color_number(color)]

    def can_play(self, seat: int) -> bool:
        """Tell whether a seat can still place a piece, with its own colors or the turning one."""
        self._check_seat(seat)
        if self._retired[seat] is not None:
            return False
        colors = [number for number, owner in enumerate(self._owners) if owner in (seat, None)]
        return any(self._board.has_move(number) for number in colors)

    def retired(self) -> dict[int, int]:
        """Return the seats that have forfeited, each with the turn at which it did."""
        return {seat: turn for seat, turn in enumerate(self._retired) if turn is not None}

    def forfeits(self) -> list[tuple[int, int]]:
        """Return the forfeits in the order in which they happened: each seat, with the turn at which it did."""
        found: dict[int, int] = {}
        for retired in [*[past[-1] for past in self._past], self._retired]:
            found.update({seat: turn for seat, turn in enumerate(retired) if turn is not None})
        return list(found.items())

    def result(self) -> Result:
        """Return scores, totals and ranks as they stand."""
        scores = self._scores()
        totals = self._totals(scores)
        return Result(scores, totals, self._ranks(totals))

    def scores(self) -> dict[str, int]:
        """Return the score of each color as it stands."""
        return self.result().scores

    def totals(self) -> list[int]:
        """Return the total of each seat: its colors', or its team's."""
        return self.result().totals

    def ranks(self) -> list[int]:
        """Return the rank of each seat; equals share one, partners carry their team's.

        Whoever forfeited ranks below all who did not, the earlier the lower; a team only if both did.
        """
        return self.result().ranks

    # ---- by number: for search, where a `Move` for every placement would cost too much

    @property
    def placements(self) -> Placements:
        """The numbered placements of this game's board."""
        return self._board.placements

    def legal_bits(self, color: str | None = None) -> Bits:
        """Return the legal placements of a color (by default the one to move) as a set of numbers."""
        number = self._color if color is None else self._color_number(color)
        if number == _OVER or (color is not None and self._is_forfeited(number)):
            return 0
        return self._board.legal(number)

    def legal_number(self, index: int) -> int:
        """Return the number of the legal placement at `index` of the list; raises `BadRequest` beyond it."""
        bits = self.legal_bits()
        if type(index) is int and index >= 0:
            number = self.placements.nth(bits, index)
            if number >= 0:
                return number
        raise BadRequest(f"no legal move has index {shown(index)}: there are {bits.bit_count()}, counted from 0")

    def play_random(self, rng: Random) -> int:
        """Play one of the legal placements, each as likely as the other, and return its number."""
        if self._color == _OVER:
            raise BadRequest("no legal move: the game is over")
        number = self.placements.any_of(self._board.legal(self._color), rng.random)
        self.place(number)
        return number

    def play_number(self, number: int) -> None:
        """Place a piece by its number, as `play` does."""
        if not self.placements.exists(number):
            raise BadRequest(f"no placement has the number {shown(number)}")
        if self._color == _OVER or not self._board.is_legal(self._color, number):
            self.judge(self.placements.move(number))
        self.place(number)

    def place(self, number: int) -> None:
        """Place a piece by a number that is known to be legal now, as one from `judge` or `legal_bits` is."""
        color, seat = self._color, self._seat
        self._remember()
        self._board.place(color, number)
        self._log.append((color, seat, number))
        self._turn += 1
        if self._owners[color] is None:
            self._rotation = (seat + 1) % len(self._retired)
        self._find_turn(color + 1)

    # ---- inside

    def _check_turn(self, color: str | None) -> None:
        if self._color == _OVER:
            raise IllegalMove("game over", (), "no color can place a piece any more")
        if color is not None and not (isinstance(color, str) and color == self.color):
            raise IllegalMove("not this colour's turn", (), f"it is the turn of {self.color}, not of {shown(color)}")

    def _check_legal(self, number: int) -> int:
        if not self._board.is_legal(self._color, number):
            raise explain(self._board, self.variant, self._color, number)
        return number

    def _scores(self) -> dict[str, int]:
        last = {color: number for color, _, number in self._log if number >= 0}
        pieces = self.placements.pieces
        scores = {}
        for color, name in enumerate(self.variant.colors):
            ended_with = pieces[self.placements.piece(last[color])].name if color in last else None
            left = [pieces[piece].name for piece in self._board.hand(color)]
            scores[name] = points(left, ended_with, self.scoring)
        return scores

    def _totals(self, scores: dict[str, int]) -> list[int]:
        teams = self.variant.teams
        totals = dict.fromkeys(teams, 0)
        for team, colors in zip(teams, self.variant.seats, strict=True):
            totals[team] += sum(scores[color] for color in colors)
        return [totals[team] for team in teams]

    def _ranks(self, totals: list[int]) -> list[int]:
        teams = self.variant.teams
        merits: dict[int, tuple[int, int]] = {}
        for team, total in zip(teams, totals, strict=True):
            turns = [turn for turn, other in zip(self._retired, teams, strict=True) if other == team]
            faults = [turn for turn in turns if turn is not None]
            merits[team] = (1, total) if len(faults) < len(turns) else (0, max(faults))
        ranks = dict(zip(merits, shared_ranks(list(merits.values())), strict=True))
        return [ranks[team] for team in teams]

    def _remember(self) -> None:
        self._past.append(
            (self._color, self._seat, self._turn, self._out, self._rotation, len(self._log), self._retired)
        )

    def _find_turn(self, first: int) -> None:
        """Give the turn to the next color that can move, from `first` on; those that cannot drop out."""
        colors = len(self._owners)
        for step in range(colors):
            color = (first + step) % colors
            if self._out >> color & 1:
                continue
            seat = self._owners[color]
            if seat is None:
                seat = self._next_in_rotation()
            if self._retired[seat] is not None:
                self._drop(color, seat, _FORFEIT)
            elif not self._board.has_move(color):
                self._drop(color, seat, _BLOCKED)
            else:
                self._color, self._seat = color, seat
                return
        self._color = self._seat = _OVER

    def _drop(self, color: int, seat: int, why: int) -> None:
        self._out |= 1 << color
        self._log.append((color, seat, why))

    def _next_in_rotation(self) -> int:
        """Return the seat that plays the turning color now; a retired one only if all are."""
        seats = len(self._retired)
        for step in range(seats):
            seat = (self._rotation + step) % seats
            if self._retired[seat] is None:
                return seat
        return self._rotation

    def _is_forfeited(self, color: int) -> bool:
        owner = self._owners[color]
        if owner is None:
            return None not in self._retired
        return self._retired[owner] is not None

    def _event(self, color: int, seat: int, number: int) -> Event:
        name = self.variant.colors[color]
        if number >= 0:
            return Placed(name, seat, self.placements.move(number))
        return Passed(name, seat, "blocked" if number == _BLOCKED else "forfeit")

    def _color_number(self, color: str) -> int:
        if not isinstance(color, str) or color not in self.variant.colors:
            known = ", ".join(self.variant.colors)
            raise BadRequest(f"unknown color {shown(color)}: {self.variant.name} has {known}")
        return self.variant.colors.index(color)

    def _check_seat(self, seat: int) -> None:
        if isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < len(self._retired):
            raise BadRequest(f"unknown seat {shown(seat)}: {self.variant.name} has seats 0 to {len(self._retired) - 1}")

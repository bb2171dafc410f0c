"""The ten variants as data: all that differs between games, for rules code that never asks a name."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from engine.errors import BadRequest, shown
from engine.grid import Cell
from engine.pieces import PIECES

_T = TypeVar("_T")


class Scoring(NamedTuple):
    """The bonuses of a color that has placed all its pieces."""

    name: str
    all_placed: int
    monomino_last: int  # on top of `all_placed`


SCORINGS: dict[str, Scoring] = {scoring.name: scoring for scoring in (Scoring("15/5", 15, 5), Scoring("10/5", 10, 5))}
DEFAULT_SCORING = "15/5"


class Variant(NamedTuple):
    """All that differs between games."""

    name: str
    rows: int
    cols: int
    colors: tuple[str, ...]  # in turn order
    starts: tuple[tuple[Cell, ...], ...]  # a color's start square; none: its first piece goes anywhere
    seats: tuple[tuple[str, ...], ...]  # the colors that each seat plays
    teams: tuple[int, ...]  # the team of each seat
    turning_color: str | None = None  # played by the seats in rotation, counted for nobody
    pieces: tuple[str, ...] = tuple(PIECES)  # what each color starts with
    largest_first: bool = False  # only pieces of the largest size still in hand
    has_bonus: bool = True

    def seat_of(self, color: str) -> int | None:
        """Return the seat that owns a color; None for the turning color."""
        for seat, colors in enumerate(self.seats):
            if color in colors:
                return seat
        return None


_COLORS = ("blue", "yellow", "red", "green")
_CORNERS = (((0, 0),), ((0, 19),), ((19, 19),), ((19, 0),))
_ALONE = (0, 1, 2, 3)
_ANYWHERE: tuple[tuple[Cell, ...], ...] = ((), (), (), ())

_CLASSIC = Variant("classic", 20, 20, _COLORS, _CORNERS, (("blue",), ("yellow",), ("red",), ("green",)), _ALONE)
_THREE_SEATS = (("blue",), ("yellow",), ("red",))
_SOLO = _CLASSIC._replace(name="solo", seats=(_COLORS,), teams=(0,), has_bonus=False)


def _pieces_of(size: int) -> tuple[str, ...]:
    return tuple([piece.name for piece in PIECES.values() if piece.size == size])


VARIANTS: dict[str, Variant] = {
    variant.name: variant
    for variant in (
        _CLASSIC,
        _CLASSIC._replace(name="teams", teams=(0, 1, 0, 1)),
        _CLASSIC._replace(name="two", seats=(("blue", "red"), ("yellow", "green")), teams=(0, 1)),
        _CLASSIC._replace(name="three", seats=_THREE_SEATS, teams=(0, 1, 2), turning_color="green"),
        _CLASSIC._replace(
            name="three-open", colors=_COLORS[:3], starts=_CORNERS[:3], seats=_THREE_SEATS, teams=(0, 1, 2)
        ),
        Variant("duo", 14, 14, ("purple", "orange"), (((4, 4),), ((9, 9),)), (("purple",), ("orange",)), (0, 1)),
        _SOLO,
        _SOLO._replace(name="solo-descending", largest_first=True),
        _SOLO._replace(name="solo-tetromino", rows=8, cols=10, starts=_ANYWHERE, pieces=_pieces_of(4)),
        _SOLO._replace(name="solo-pentomino", rows=15, cols=16, starts=_ANYWHERE, pieces=_pieces_of(5)),
    )
}


def find_variant(variant: str | Variant) -> Variant:
    """Return the variant of this name (a `Variant` is returned as it is)."""
    if isinstance(variant, Variant):
        return variant
    return _look_up(VARIANTS, variant, "variant")


def find_scoring(variant: Variant, name: str) -> Scoring:
    """Return the bonuses that count in this variant under the scoring of this name."""
    scoring = _look_up(SCORINGS, name, "scoring")
    return scoring if variant.has_bonus else Scoring(name, 0, 0)


def _look_up(table: dict[str, _T], name: object, what: str) -> _T:
    if isinstance(name, str) and name in table:
        return table[name]
    raise BadRequest(f"unknown {what} {shown(name)}: expected one of {', '.join(table)}")

"""The pieces on the board, and what each color may still place.

How it works. The truth is three masks of needs (see `placements`): what is `occupied`, and for each color
what is `blocked` (the cells along its own edges, the pieces it has used) and its `anchors` (the cells at its
own corners; before its first piece the start square). A placement is legal when none of its needs is occupied
or blocked and one of them is an anchor.

Lists come from sets of placements, each the union of `covers` over one of those masks: `taken`, `dead` and
`reach`. Masks only ever grow, so a union is brought up to date by adding what is new, and only when somebody asks
for a list. Whether a color can move at all is mostly told by a free corner and the piece of one cell in hand, or by
one placement remembered from the last time.
"""

from __future__ import annotations

from collections import deque
from typing import TypeAlias

from engine.grid import Mask
from engine.placements import Bits, Placements

_Union: TypeAlias = tuple[Mask, Bits]  # the needs, and the union of their covers
_EMPTY: _Union = (0, 0)
_KEPT = 12  # how many plies back unions are kept: 14 KB a ply, which a random game would spend its time allocating

# in place of a remembered placement
_NONE = -1
_LISTED = -2  # lists are wanted: the next one may as well be made as soon as `has_move` asks


class Board:
    """Masks for each color, numbered in turn order; places and takes back placements by number."""

    __slots__ = (
        "_anchors",
        "_blocked",
        "_dead",
        "_largest_first",
        "_legal",
        "_one_cell",
        "_past",
        "_past_unions",
        "_reach",
        "_taken",
        "_witness",
        "occupied",
        "own",
        "placements",
    )

    def __init__(self, placements: Placements, starts: list[Mask], largest_first: bool) -> None:
        """Make an empty board; a color whose mask in `starts` is empty begins anywhere."""
        colors = len(starts)
        self.placements = placements
        self._largest_first = largest_first
        self._one_cell: Mask = 0 if largest_first else _need_of_one_cell(placements)
        self.occupied: Mask = 0
        self.own: list[Mask] = [0] * colors
        self._blocked: list[Mask] = [0] * colors
        self._anchors: list[Mask] = [start or placements.grid.full for start in starts]
        self._taken = _EMPTY
        self._dead = [_EMPTY] * colors
        self._reach = [_EMPTY if start else (placements.grid.full, placements.every) for start in starts]
        self._legal: list[Bits | None] = [None] * colors
        self._witness: list[int] = [_NONE] * colors
        self._past: list[tuple[int, Mask, Mask, Mask]] = []
        self._past_unions: deque[tuple[_Union, _Union, _Union]] = deque(maxlen=_KEPT)

    def copy(self) -> Board:
        """Return an independent board in the same position."""
        twin = Board.__new__(Board)
        twin.placements = self.placements
        twin._largest_first = self._largest_first
        twin._one_cell = self._one_cell
        twin.occupied = self.occupied
        twin.own = self.own.copy()
        twin._blocked = self._blocked.copy()
        twin._anchors = self._anchors.copy()
        twin._taken = self._taken
        twin._dead = self._dead.copy()
        twin._reach = self._reach.copy()
        twin._legal = self._legal.copy()
        twin._witness = self._witness.copy()
        twin._past = self._past.copy()
        twin._past_unions = self._past_unions.copy()
        return twin

    def place(self, color: int, number: int) -> None:
        """Put a placement on the board; it is taken to be legal."""
        grid = self.placements.grid
        needs = self.placements.needs(number)
        cells = needs & grid.full
        own = self.own[color]
        blocked = self._blocked[color]
        anchors = self._anchors[color]
        self._past.append((color, self.occupied, blocked, anchors))
        self._past_unions.append((self._taken, self._dead[color], self._reach[color]))
        if not own:  # from now on the color's own corners count, not the start
            anchors = 0
            self._reach[color] = _EMPTY
        self.occupied |= cells
        self.own[color] = own | cells
        edges, corners = grid.around(cells)
        self._blocked[color] = blocked | needs ^ cells | edges
        self._anchors[color] = anchors | corners
        self._legal = [None] * len(self.own)

    def take_back(self) -> None:
        """Undo the last `place`."""
        color, occupied, blocked, anchors = self._past.pop()
        self.own[color] &= occupied
        self.occupied = occupied
        self._blocked[color] = blocked
        self._anchors[color] = anchors
        # further back than they are kept, the unions are made anew
        unions = self._past_unions.pop() if self._past_unions else (_EMPTY, _EMPTY, _EMPTY)
        self._taken, self._dead[color], self._reach[color] = unions
        self._legal = [None] * len(self.own)

    def is_legal(self, color: int, number: int) -> bool:
        """Tell whether a placement fits a color now."""
        needs = self.placements.needs(number)
        if needs & (self.occupied | self._blocked[color]):
            return False
        if not needs & self._anchors[color]:
            return False
        return not self._largest_first or bool(1 << number & self._largest(color))

    def legal(self, color: int) -> Bits:
        """Return all placements that fit a color now."""
        bits = self._legal[color]
        if bits is None:
            bits = self._legal[color] = self._find_legal(color)
        self._witness[color] = _LISTED
        return bits

    def has_move(self, color: int) -> bool:
        """Tell whether any placement fits a color now."""
        bits = self._legal[color]
        if bits is None:
            witness = self._witness[color]
            blocked = self._blocked[color]
            if witness == _LISTED:
                return self.legal(color) != 0
            if not self._anchors[color] & ~(self.occupied | blocked):
                return False
            if self._one_cell and not blocked & self._one_cell:
                return True  # a piece of one cell fits wherever a corner is free
            if witness != _NONE and self.is_legal(color, witness):
                return True
            bits = self._legal[color] = self._find_legal(color)
            self._witness[color] = (bits & -bits).bit_length() - 1  # small pieces last longest; _NONE if there is none
        return bits != 0

    def hand(self, color: int) -> list[int]:
        """Return the pieces that a color has not placed, as places in `placements.pieces`."""
        grid = self.placements.grid
        used = self._blocked[color] >> grid.rows * grid.cols
        return [piece for piece in range(len(self.placements.pieces)) if not used >> piece & 1]

    def touched(self, color: int) -> Mask:
        """Return the cells that share an edge with a piece of the color."""
        return self._blocked[color] & self.placements.grid.full

    def anchors(self, color: int) -> Mask:
        """Return the cells of which a color's next piece must cover one: free, and not along its own edges."""
        return self._anchors[color] & ~(self.occupied | self._blocked[color])

    def _find_legal(self, color: int) -> Bits:
        occupied = self.occupied
        closed = occupied | self._blocked[color]
        taken = self._taken = self._grown(self._taken, occupied)
        dead = self._dead[color] = self._grown(self._dead[color], closed ^ occupied)
        reach = self._reach[color] = self._grown(self._reach[color], self._anchors[color] & ~closed)
        bits = reach[1]
        bits ^= bits & (taken[1] | dead[1])
        return bits & self._largest(color) if self._largest_first else bits

    def _grown(self, union: _Union, mask: Mask) -> _Union:
        """Return a union of covers that takes in all of `mask`."""
        done, bits = union
        new = mask & ~done
        if not new:
            return union
        done |= new
        covers = self.placements.covers
        while new:  # `set_bits` written out, from the top: a random game spends most of its time here
            need = new.bit_length() - 1
            bits |= covers[need]
            new ^= 1 << need
        return done, bits

    def _largest(self, color: int) -> Bits:
        """Return the placements of the largest pieces that a color still holds."""
        pieces = self.placements.pieces
        hand = self.hand(color)
        largest = max([pieces[piece].size for piece in hand], default=0)
        covers = self.placements.covers
        cells = self.placements.grid.rows * self.placements.grid.cols
        return sum(covers[cells + piece] for piece in hand if pieces[piece].size == largest)


def _need_of_one_cell(placements: Placements) -> Mask:
    """Return the need that is the piece of one cell; 0 where it is not played."""
    for place, piece in enumerate(placements.pieces):
        if piece.size == 1:
            return 1 << placements.grid.rows * placements.grid.cols + place
    return 0

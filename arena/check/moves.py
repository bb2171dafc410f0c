"""Why a bot's move is illegal: what it must have had in mind, found by trying.

How it works. A move that the rules forbid is turned and shifted as a mistaken reading of coordinates would do it, or
tried on the board that a bot would have in mind that forgets something. An idea explains the bot if it makes all of
its answers legal, not the last one alone: chance does that once, but not again and again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

from arena.check.rehearsal import Answer, Take
from arena.check.report import Cause
from engine import Game, IllegalMove, Passed, Placed
from engine.board import Board
from engine.explain import number_of_cells
from engine.grid import Cell
from engine.move import cell_list

Samples: TypeAlias = Callable[[], Iterable[Answer]]

_ENOUGH = 3  # answers that one idea explains by chance only if it is nearly right
_PLAYED = "Take every piece from `played`, your own included, in the color that it names, before you choose a move."
_PAIRS = "A cell is [row, column], both counted from 0, row 0 at the top."


def why_illegal(take: Take, more: Samples) -> Cause:
    """Return why the last answer of a take is illegal; `more` gets further first moves of the bot, if needed."""
    fault = take.fault
    assert fault is not None
    evidence = fault.evidence
    if evidence.rule == "index out of range":
        return _why_out_of_range(take, evidence.received)
    if not evidence.named or evidence.rule == "not a piece":
        return _why_no_piece(take)
    return (
        _why_stale(take)
        or _why_read_wrongly(take, more)
        or _why_wrong_start(take)
        or _why_wrong_color(take, more)
        or _why_wrong_board(take)
        or _by_rule(take, evidence.named)
    )


# ---- an index


def _why_out_of_range(take: Take, received: str) -> Cause:
    index = _message(received).get("index")
    count = take.game.legal_count()
    if index == count:
        return Cause(
            f"index {index} is one beyond the list of {count}: it is counted from 1",
            f"Count from 0: the last index is legal_count - 1, here {count - 1}.",
        )
    if isinstance(index, int) and index < 0:
        return Cause(f"index {index} is negative", "Count from 0; -1 usually means that nothing was found.")
    before = [answer.game.legal_count() for answer in take.answers]
    stale = (
        "; it would fit the list of an earlier turn"
        if isinstance(index, int) and index < max(before, default=0)
        else ""
    )
    return Cause(
        f"index {str(index)[:20]} is out of range: the list has {count} entries{stale}",
        "Use the `legal` or `legal_count` of the very turn that you answer.",
    )


def _message(received: str) -> dict[str, Any]:
    """Return a message that has been understood before; an empty one if it was cut."""
    try:
        return dict(json.loads(received))
    except ValueError:
        return {}


def _why_stale(take: Take) -> Cause | None:
    """Return what is wrong with a bot that gets the list of legal moves, and plays from one that it got before."""
    if take.ready is None or "legal" not in take.ready.want:
        return None
    *earlier, last = take.answers
    for answer in reversed(earlier):
        if _number(last.cells, answer.game) is not None:
            what = (
                f"plays from the list of an earlier turn: the move was legal at turn {answer.game.turn}, and is not now"
            )
            return Cause(what, "Use the `legal` of the very turn that you answer.")
    return None


# ---- no piece at all


def _why_no_piece(take: Take) -> Cause:
    assert take.fault is not None
    if _message(take.fault.evidence.received).get("cells") == []:
        return _why_wrong_board(take, finds_none=True) or Cause(
            "the move has no cells: the bot passes, or finds no move",
            "Never pass: whoever is asked has a legal move, and the referee passes for others. Compare with `legal`.",
        )
    detail = take.fault.evidence.detail.partition(": ")[2]
    if "not used in this variant" in detail:
        return Cause(f"wrong cells: {detail}", "Play only the pieces that `hello` lists in `pieces`.")
    return Cause(
        f"wrong cells, not a piece: {detail}",
        "Name all cells of one piece, each once, turned or flipped as you like. `pieces` in hello draws every piece.",
    )


# ---- coordinates read wrongly


class _Reading(NamedTuple):
    """A mistaken reading of coordinates; undone in the order of the fields."""

    what: str
    advice: str
    swaps: bool = False
    flips_rows: bool = False
    flips_cols: bool = False
    shift: Cell = (0, 0)

    def undo(self, cell: Cell, game: Game) -> Cell:
        """Return the cell that was meant."""
        row, col = reversed(cell) if self.swaps else cell
        row = game.variant.rows - 1 - row if self.flips_rows else row
        col = game.variant.cols - 1 - col if self.flips_cols else col
        return row - self.shift[0], col - self.shift[1]


_BOTTOM = "the board is mirrored top to bottom: row 0 is taken to be at the bottom"
_RIGHT = "the board is mirrored left to right: column 0 is taken to be at the right"
_SWAPPED = "rows and columns are swapped (the board is mirrored): cells are sent as [column, row]"
_TURNED = "the board is turned upside down: cells are counted from the last row and column"

_READINGS = (
    _Reading("rows and columns are counted from 1 (off by one)", _PAIRS, shift=(1, 1)),
    _Reading("rows and columns are one too small (off by one)", f"{_PAIRS} Mind a border of your own.", shift=(-1, -1)),
    _Reading(_SWAPPED, f"{_PAIRS} With x and y, send [y, x].", swaps=True),
    _Reading(_BOTTOM, _PAIRS, flips_rows=True),
    _Reading(_RIGHT, _PAIRS, flips_cols=True),
    _Reading(_TURNED, _PAIRS, flips_rows=True, flips_cols=True),
    _Reading("rows are counted from 1 (off by one)", _PAIRS, shift=(1, 0)),
    _Reading("columns are counted from 1 (off by one)", _PAIRS, shift=(0, 1)),
)


def _why_read_wrongly(take: Take, more: Samples) -> Cause | None:
    likely = [reading for reading in _READINGS if all(_fits(reading, answer) for answer in take.answers)]
    if likely:
        likely = _borne_out(likely, take, list(more()))
    if not likely:
        return None
    right = [likely[0].undo(cell, take.game) for cell in take.answers[-1].cells]
    what = f"{likely[0].what}: {cell_list(sorted(right))} would be legal, not {cell_list(take.answers[-1].cells)}"
    return Cause(what, likely[0].advice)


def _borne_out(likely: list[_Reading], take: Take, others: list[Answer]) -> list[_Reading]:
    """Return the readings that explain first moves as well: without start squares a few answers fit by chance."""
    likely = [reading for reading in likely if all(_fits(reading, answer) for answer in others)]
    if not _all_of_color(None, others):
        return likely
    # a bot that finds all start squares can at most swap, which is right by symmetry on many boards
    is_sure = len(take.answers) >= _ENOUGH or _has_starts(take.game)
    return [reading for reading in likely if reading.swaps and is_sure]


def _has_starts(game: Game) -> bool:
    return any(game.variant.starts)


def _fits(reading: _Reading, answer: Answer) -> bool:
    return _number([reading.undo(cell, answer.game) for cell in answer.cells], answer.game) is not None


def _number(cells: Iterable[Cell], game: Game, color: str | None = None) -> int | None:
    """Return the placement over some cells if it is legal for a color (by default the one to move), or None."""
    try:
        number = number_of_cells(list(cells), game.placements)
    except IllegalMove:
        return None
    return number if game.legal_bits(color) >> number & 1 else None


# ---- start squares and colors


def _why_wrong_start(take: Take) -> Cause | None:
    game, cells = take.game, take.answers[-1].cells
    color = game.color
    assert color is not None
    own = dict(zip(game.variant.colors, game.variant.starts, strict=True))
    if game.cells(color) or not own[color] or set(own[color]) <= set(cells):
        return None
    advice = "The first piece of each color covers the square that `hello` gives in start[color]."
    must = f"{color} starts on {cell_list(own[color])}"
    for other, squares in own.items():
        if set(squares) <= set(cells):
            return Cause(f"the first piece covers the start square of {other}, but {must}", advice)
    if corner := set(cells) & _corners(20, 20) | set(cells) & _corners(game.variant.rows, game.variant.cols):
        what = f"the bot assumes that it starts in a corner, {cell_list(sorted(corner))}, but {must}"
        return Cause(what, advice)
    return None


def _corners(rows: int, cols: int) -> set[Cell]:
    return {(row, col) for row in (0, rows - 1) for col in (0, cols - 1)}


def _why_wrong_color(take: Take, more: Samples) -> Cause | None:
    game, variant = take.game, take.game.variant
    own = variant.seats[take.scene.seat]
    # where a first piece may lie anywhere, one answer fits many colors
    answers = take.answers[-1:] if _has_starts(game) else take.answers
    for other in sorted(variant.colors, key=lambda color: color not in own):
        if other == game.color or not _all_of_color(other, answers):
            continue
        if game.color == variant.turning_color:
            what = f"plays its own color {other}, but the turn asks for {game.color}, the turning color"
            return Cause(
                what, "In `three` every seat plays the turning color in rotation: place for the turn's `color`."
            )
        if other in own:
            what = f"confuses its colors: the move is one of {other}, but the turn asks for {game.color}"
            return Cause(what, f"A seat can have several colors ({', '.join(own)}): place for the `color` of the turn.")
        if game.cells(other) and _all_of_color(other, take.answers) and not _all_of_color(None, more()):
            what = f"plays another's color: the move is one of {other}, but the turn asks for {game.color}"
            return Cause(what, "Place for the `color` of the turn; your colors are in seats[seat] of hello.")
    return None


def _all_of_color(color: str | None, answers: Iterable[Answer]) -> bool:
    """Tell whether all answers are legal for a color, or each for the one that was asked for."""
    return all(_number(answer.cells, answer.game, color) is not None for answer in answers)


# ---- a board that is not the true one


class _Event(NamedTuple):
    """A placement as a bot was told of it."""

    number: int
    color: str
    seat: int
    is_own: bool
    by_turns: str  # whose piece it is for a bot that counts turns, and does not see passes
    after_pass: bool
    is_opening: bool
    is_last_told: bool  # the last entry of its message


_Belief: TypeAlias = Callable[[_Event], str | None]  # the color of the piece in a bot's mind; None: not there

_LOST = "loses track once a color has dropped out (`pass`)"

# the more special first: what is there to be forgotten only late in a game does not explain an early mistake
_BELIEFS: tuple[tuple[str, str, _Belief], ...] = (
    (
        f"{_LOST}: it counts whose turn it is, and takes pieces for the wrong color's",
        f"{_PLAYED} An entry with `pass` drops its color out for good, and turns skip it.",
        lambda event: event.by_turns,
    ),
    (
        f"{_LOST}: it does not see what was placed since then",
        f"{_PLAYED} An entry with `pass` has no cells: skip it, and read on.",
        lambda event: None if event.after_pass else event.color,
    ),
    (
        "forgets its own moves: the move would be legal if its own pieces were not on the board",
        f"{_PLAYED} Mark your own pieces as used as well.",
        lambda event: None if event.is_own else event.color,
    ),
    (
        "does not know the opening: the move would be legal without the pieces that were placed for it",
        f"{_PLAYED} A game may begin with an opening that you did not choose.",
        lambda event: None if event.is_opening else event.color,
    ),
    (
        "forgets the opponents' moves: the move would be legal if only its own pieces were on the board",
        _PLAYED,
        lambda event: event.color if event.is_own else None,
    ),
    (
        "reads only the last entry of each `played`: the move would be legal on that board",
        f"{_PLAYED} There can be several entries in one message.",
        lambda event: event.color if event.is_last_told else None,
    ),
)


def _why_wrong_board(take: Take, *, finds_none: bool = False) -> Cause | None:
    """Return what a bot forgets; `finds_none` is one that sees no legal move where there is one."""
    assert take.fault is not None
    if take.fault.evidence.rule == "no corner contact" and not _has_starts(take.game):
        return None  # a first piece may lie anywhere: to forget its own would explain whatever a bot does
    for what, advice, belief in _BELIEFS:
        if finds_none and _mind(take.game, take, belief).has_move(_color(take.game)):
            continue
        if all(_is_legal_in_mind(answer, take, belief) for answer in take.answers):
            return Cause(what, advice)
    return None


def _is_legal_in_mind(answer: Answer, take: Take, belief: _Belief) -> bool:
    game = answer.game
    try:
        number = number_of_cells(list(answer.cells), game.placements)
    except IllegalMove:
        return False
    return _mind(game, take, belief).is_legal(_color(game), number)


def _mind(game: Game, take: Take, belief: _Belief) -> Board:
    """Return the board that a bot of this belief would have in mind."""
    grid, variant = game.placements.grid, game.variant
    board = Board(game.placements, [grid.mask(cells) for cells in variant.starts], variant.largest_first)
    for event in _events(game, take):
        color = belief(event)
        if color is not None:
            board.place(variant.colors.index(color), event.number)
    return board


def _color(game: Game) -> int:
    assert game.color is not None
    return game.variant.colors.index(game.color)


def _events(game: Game, take: Take) -> list[_Event]:
    """Return the placements of a game as the bot of a take was told of them."""
    seat = take.scene.seat
    colors = game.variant.colors
    events = game.events()
    opening = len(take.scene.opening.split()[1:])
    found: list[_Event] = []
    placed, has_passed = 0, False
    for at, event in enumerate(events):
        if isinstance(event, Passed):
            has_passed = True
            continue
        follower = next((later for later in events[at + 1 :] if isinstance(later, Placed)), None)
        is_last_told = follower is None or follower.seat == seat
        number = number_of_cells(event.move.cells, game.placements)
        is_own = event.seat == seat
        by_turns = colors[placed % len(colors)]
        placed += 1
        entry = _Event(number, event.color, event.seat, is_own, by_turns, has_passed, placed <= opening, is_last_told)
        found.append(entry)
    return found


# ---- nothing explains it: the rule itself


_RULES = {
    "overlap": "Squares that any color has covered are taken: check against all colors' pieces.",
    "edge contact": "A piece must not share an edge with one of its own color: check all four neighbours of each cell.",
    "no corner contact": "After its first piece, each piece of a color must touch another of that color at a corner.",
    "start square": "The first piece of each color covers the square that `hello` gives in start[color].",
    "piece already used": "Each color places each piece once: strike it off when it comes back in `played`.",
    "size order": "In solo-descending only pieces of the largest size still in hand may be placed.",
    "off the board": "Take the size from `board` in hello: it is not 20 x 20 in every variant.",
}


def _by_rule(take: Take, named: Sequence[Cell]) -> Cause:
    assert take.fault is not None
    evidence = take.fault.evidence
    rule, detail = evidence.rule or "illegal", evidence.detail.partition(": ")[2]
    rows, cols = take.game.variant.rows, take.game.variant.cols
    if rule == "off the board" and (rows, cols) != (20, 20) and all(0 <= part < 20 for cell in named for part in cell):
        what = f"assumes a board of 20 x 20, but this one has {rows} rows and {cols} columns: {detail}"
        return Cause(what, _RULES[rule])
    advice = _RULES.get(rule, "Compare your moves with `legal`.")
    return Cause(f"illegal move, {rule}: {detail}", advice, key=f"illegal move, {rule}")

"""Game records in Pentobi's format, both ways.

The format is SGF with points such as `e10` and the colors `B W`, or `1` to `4`. What it cannot say stands in
properties of our own, which other programs skip: `XV` the variant where the game's name leaves it open, `XS` the
scoring if it is not the usual one, and in any node `XF` the seats (from 0) that forfeited after its move, in order.
SGF leaves names for private use free, and neither it nor Pentobi has any that begin with X.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from engine.errors import BadNotation, BadRequest, IllegalMove
from engine.game import Game, Placed
from engine.move import Move
from engine.notation import cell_name, read_cell, shown_at
from engine.position import pieces_on
from engine.sgf import Node, Property, Value, escape, main_line, plain_text, skip_blanks
from engine.variants import DEFAULT_SCORING, SCORINGS, VARIANTS, Variant, find_variant

# Pentobi's name for each variant's game, and the variant that a name means by itself
_GAMES = {
    "classic": "Blokus",
    "two": "Blokus Two-Player",
    "three": "Blokus Three-Player",
    "duo": "Blokus Duo",
    "teams": "Blokus",
    "three-open": "Blokus Three-Player",
    "solo": "Blokus",
    "solo-descending": "Blokus",
}
_MEANT = {_GAMES[variant]: variant for variant in ("classic", "two", "three", "duo")}
_OLD_NAMES = ("BLUE", "YELLOW", "RED", "GREEN")
_MOVES = {"B", "W", "1", "2", "3", "4", *_OLD_NAMES}
_SETUP = {"AB", "AW", "A1", "A2", "A3", "A4", "AE", "PL"}


class Record(NamedTuple):
    """A game with what a file says about it."""

    game: Game
    names: tuple[str | None, ...]  # of the seats, where they are given
    date: str | None


# ---- writing


def dump(game: Game, names: Sequence[str | None] | None = None, date: str | None = None) -> str:
    """Return a game as the text of a blksgf file, with the names of its seats if they are given.

    Raises `BadRequest` for the puzzles on other boards, which the format does not know.
    """
    turn = game.turn - len(game.moves())
    forfeits = game.forfeits()
    nodes = [_root(game, names, date) + _forfeits(forfeits, turn)]
    for event in game.events():
        if isinstance(event, Placed):
            turn += 1
            color = _letters(game.variant)[game.variant.colors.index(event.color)]
            nodes.append(f"{color}[{_points(event.move, game.variant)}]{_forfeits(forfeits, turn)}")
    return "(;" + "\n;".join(nodes) + ")\n"


def _root(game: Game, names: Sequence[str | None] | None, date: str | None) -> str:
    variant = game.variant
    name = _GAMES.get(variant.name)
    if name is None or VARIANTS[variant.name] != variant:
        raise BadRequest(f"blksgf has no game like {variant.name}: expected one of {', '.join(_GAMES)}")
    root = f"GM[{name}]CA[UTF-8]AP[Blokus Arena:1]"
    if _MEANT[name] != variant.name:
        root += f"XV[{variant.name}]"
    if game.scoring.name != DEFAULT_SCORING:
        root += f"XS[{game.scoring.name}]"
    if date is not None:
        root += f"DT[{escape(date)}]"
    return root + _players(variant, names) + _result(game) + _setup(game)


def _players(variant: Variant, names: Sequence[str | None] | None) -> str:
    seats = _seat_letters(variant)
    if names is None:
        return ""
    if isinstance(names, str) or len(names) != len(seats):
        raise BadRequest(f"expected {len(seats)} names for {variant.name}, got {len(names)}")
    return "".join([f"P{at}[{escape(name)}]" for at, name in zip(seats, names, strict=True) if name is not None])


def _result(game: Game) -> str:
    if not game.is_over:
        return ""
    comment = ", ".join([f"{color} {score:+}" for color, score in game.scores().items()])
    return _winner(game) + f"GC[{comment}]"


def _winner(game: Game) -> str:
    """Return the result as SGF writes it for two players; for others it has no way."""
    if len(game.variant.seats) != 2:
        return ""
    first, second = game.ranks()
    if first == second:
        return "RE[0]"
    by = "F" if game.retired() else abs(game.totals()[0] - game.totals()[1])
    return f"RE[{'B' if first < second else 'W'}+{by}]"


def _setup(game: Game) -> str:
    played = {event.move for event in game.events() if isinstance(event, Placed)}
    grid = game.placements.grid
    before = {
        color: [move for move in pieces_on(game.cells(color), grid) if move not in played]
        for color in game.variant.colors
    }
    if not any(before.values()):
        return ""
    letters = dict(zip(game.variant.colors, _letters(game.variant), strict=True))
    text = ""
    for color, moves in before.items():
        if moves:
            text += f"A{letters[color]}" + "".join([f"[{_points(move, game.variant)}]" for move in moves])
    first = Game.from_position(game.variant, before).color
    return text if first is None else f"{text}PL[{letters[first]}]"


def _forfeits(forfeits: list[tuple[int, int]], turn: int) -> str:
    seats = [f"[{seat}]" for seat, when in forfeits if when == turn]
    return "XF" + "".join(seats) if seats else ""


def _points(move: Move, variant: Variant) -> str:
    cells = sorted(move.cells, key=lambda cell: (-cell[0], cell[1]))
    return ",".join([cell_name(cell, variant) for cell in cells])


# ---- reading


def load(text: str, variant: str | Variant | None = None) -> Record:
    """Return the game of a blksgf file: the main line of its first game tree; raises `BadNotation`.

    `variant`, if given, is the one to play by on the file's board, whatever the file says. Comments, markup, variations
    and other unknown properties are passed over. Pieces may be set up in the first node.
    """
    if (nul := text.find("\0")) >= 0:
        raise BadNotation(text, nul, "expected text, got a NUL character")
    nodes = main_line(text)
    root = next(nodes)
    reader = _Reader(text, _variant_of(text, root, variant))
    game = reader.begin(root)
    reader.follow(root, game)
    for node in nodes:
        reader.refuse_setup(node)
        reader.follow(node, game)
    names = [_text_of(root, f"P{letter}") for letter in _seat_letters(game.variant)]
    return Record(game, tuple(names), _text_of(root, "DT"))


def _variant_of(text: str, root: Node, wanted: str | Variant | None) -> Variant:
    found = root.find("GM")
    if found is None:
        raise BadNotation(text, root.offset, f"expected the game's name in the first node, GM[{'], GM['.join(_MEANT)}]")
    name = plain_text(found.values[0].raw)
    if name not in _MEANT:
        detail = f"expected one of the games {', '.join(_MEANT)}, got {name[:40]!r}"
        raise BadNotation(text, found.values[0].offset, detail)
    meant = VARIANTS[_MEANT[name]]
    if wanted is None:
        return _own_variant(text, root, name) or meant
    wanted = find_variant(wanted)
    if (wanted.rows, wanted.cols) != (meant.rows, meant.cols):
        raise BadNotation(text, found.values[0].offset, f"{name} is not played on the board of {wanted.name}")
    return wanted


def _own_variant(text: str, root: Node, game: str) -> Variant | None:
    found = root.find("XV")
    if found is None:
        return None
    known = [variant for variant, name in _GAMES.items() if name == game]
    return VARIANTS[_choice(text, found.values[0], known)]


def _choice(text: str, value: Value, known: Sequence[str]) -> str:
    if value.raw not in known:
        raise BadNotation(text, value.offset, f"expected one of {', '.join(known)}, got {value.raw[:40]!r}")
    return value.raw


def _text_of(node: Node, name: str) -> str | None:
    found = node.find(name)
    return None if found is None else plain_text(found.values[0].raw)


class _Reader:
    """The text and the variant, which everything below needs, and the colors by their names in the file."""

    def __init__(self, text: str, variant: Variant) -> None:
        self.text = text
        self.variant = variant
        self.colors = _color_names(variant)

    def begin(self, root: Node) -> Game:
        """Return the game before its first move, with what is set up."""
        found = root.find("XS")
        scoring = DEFAULT_SCORING if found is None else _choice(self.text, found.values[0], tuple(SCORINGS))
        placed: dict[str, dict[Move, int]] = {color: {} for color in self.variant.colors}
        for prop in root.properties:
            if prop.name in _SETUP and prop.name not in ("AE", "PL"):
                self._add(prop, placed[self._color(prop, prop.name[1:])])
        for prop in root.properties:
            if prop.name == "AE":
                self._remove(prop, placed)
        game = self._from_position(root, placed, scoring)
        self._check_player(root.find("PL"), game)
        return game

    def follow(self, node: Node, game: Game) -> None:
        """Play the move of a node, and the forfeits after it."""
        moves = [prop for prop in node.properties if prop.name in _MOVES]
        if len(moves) > 1:
            raise BadNotation(self.text, moves[1].offset, f"expected one move a node, got {moves[1].name} too")
        for prop in moves:
            self._play(prop, game)
        for value in chain.from_iterable([prop.values for prop in node.properties if prop.name == "XF"]):
            seats = [str(seat) for seat in range(len(self.variant.seats))]
            seat = _choice(self.text, value, seats)
            if not game.retire(int(seat)):
                detail = f"seat {seat} cannot forfeit: it has nothing left to play, or has forfeited before"
                raise BadNotation(self.text, value.offset, detail)

    def refuse_setup(self, node: Node) -> None:
        """Raise `BadNotation` if a node behind the first sets something up."""
        for prop in node.properties:
            if prop.name in _SETUP:
                raise BadNotation(self.text, prop.offset, f"expected {prop.name} in the first node only")

    def _play(self, prop: Property, game: Game) -> None:
        color = self._color(prop, prop.name)
        move = self._move(prop.values)
        if game.color is not None and game.color != color:
            detail = f"{game.color} can still move, but the file goes on with {color}"
            raise BadNotation(self.text, prop.offset, detail)
        try:
            game.play(move)
        except IllegalMove as problem:
            raise BadNotation(self.text, prop.offset, f"{move.piece} by {color}: {problem}") from problem

    def _color(self, prop: Property, name: str) -> str:
        if name not in self.colors:
            known = ", ".join(_letters(self.variant))
            detail = f"expected a color of {self.variant.name} ({known}), got {prop.name}"
            raise BadNotation(self.text, prop.offset, detail)
        return self.colors[name]

    def _move(self, values: Sequence[Value]) -> Move:
        # very old files give every point a value of its own
        cells = [cell for value in values for cell in self._cells(value)]
        try:
            return Move.from_cells(cells)
        except IllegalMove as problem:
            raise BadNotation(self.text, values[0].offset, str(problem)) from problem

    def _cells(self, value: Value) -> Iterator[tuple[int, int]]:
        at, end = value.offset - 1, value.offset + len(value.raw)
        while at < end:
            cell, at = read_cell(self.text, skip_blanks(self.text, at + 1), self.variant)
            yield cell
            at = skip_blanks(self.text, at)
            if at < end and self.text[at] != ",":
                raise BadNotation(self.text, at, f"expected ',' or ']' after a point, got {shown_at(self.text, at)}")

    # ---- setup

    def _add(self, prop: Property, pieces: dict[Move, int]) -> None:
        for value in prop.values:
            move = self._move([value])
            if move in pieces:
                raise BadNotation(self.text, value.offset, "this piece is set up twice")
            pieces[move] = value.offset

    def _remove(self, prop: Property, placed: Mapping[str, dict[Move, int]]) -> None:
        for value in prop.values:
            move = self._move([value])
            owner = next((pieces for pieces in placed.values() if move in pieces), None)
            if owner is None:
                raise BadNotation(self.text, value.offset, "expected a piece that was set up, to take it off again")
            del owner[move]

    def _from_position(self, root: Node, placed: Mapping[str, dict[Move, int]], scoring: str) -> Game:
        offsets = {cell: at for pieces in placed.values() for move, at in pieces.items() for cell in move.cells}
        at = min(offsets.values(), default=root.offset)
        try:
            return Game.from_position(self.variant, placed, scoring)
        except IllegalMove as problem:
            raise BadNotation(self.text, offsets.get(problem.cells[0], at), str(problem)) from problem
        except BadRequest as problem:
            raise BadNotation(self.text, at, str(problem)) from problem

    def _check_player(self, prop: Property | None, game: Game) -> None:
        if prop is None or game.is_over:
            return
        claimed = self.variant.colors.index(self.colors[_choice(self.text, prop.values[0], tuple(self.colors))])
        order = self.variant.colors[claimed:] + self.variant.colors[:claimed]
        if next(color for color in order if game.has_move(color)) != game.color:
            detail = f"it is the turn of {game.color} by the numbers of pieces, not of {order[0]}"
            raise BadNotation(self.text, prop.values[0].offset, detail)


# ---- the format's names


def _letters(variant: Variant) -> str:
    """Return the format's names of a variant's colors, one character each."""
    return "BW" if len(variant.colors) == 2 else "1234"[: len(variant.colors)]


def _seat_letters(variant: Variant) -> str:
    return "BW" if len(variant.seats) == 2 else "1234"[: len(variant.seats)]


def _color_names(variant: Variant) -> dict[str, str]:
    """Return the colors by every name that files of any age give them."""
    old = ("BLUE", "GREEN") if len(variant.colors) == 2 else _OLD_NAMES
    names = [_letters(variant), "1234", old]
    return {name: color for kind in names for name, color in zip(kind, variant.colors, strict=False)}

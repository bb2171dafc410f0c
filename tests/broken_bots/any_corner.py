"""Takes a corner of any color for one of its own."""

from collections.abc import Iterable

from engine.explain import number_of_cells
from engine.placements import numbers
from tests.broken_bots.base import Bot, Message


def _around(cells: Iterable[tuple[int, int]], steps: list[tuple[int, int]]) -> set[tuple[int, int]]:
    return {(row + down, col + right) for row, col in cells for down, right in steps}


class AnyCorner(Bot):
    def begin(self, hello: Message) -> None:
        super().begin(hello)
        self.cells: dict[str, set[tuple[int, int]]] = {color: set() for color in self.colors}
        self.used: set[tuple[str, str]] = set()
        self.all = list(numbers(self.placements.every))

    def place(self, color: str, cells: list[list[int]]) -> None:
        super().place(color, cells)
        self.cells[color] |= {(row, col) for row, col in cells}
        self.used.add((color, self.placements.move(number_of_cells(cells, self.placements)).piece))

    def choose(self, color: str) -> list[list[int]]:
        if not self.cells[color]:
            return super().choose(color)
        taken = set().union(*self.cells.values())
        corners = _around(taken, [(-1, -1), (-1, 1), (1, -1), (1, 1)])
        shut = taken | _around(self.cells[color], [(-1, 0), (1, 0), (0, -1), (0, 1)])
        for number in reversed(self.all):
            move = self.placements.move(number)
            if corners & set(move.cells) and not shut & set(move.cells) and (color, move.piece) not in self.used:
                return [list(cell) for cell in move.cells]
        return []


AnyCorner().run()

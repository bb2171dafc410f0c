"""A bot for Blokus Arena, on the SDK in blokus.py. Make `choose` cleverer.

It plays a largest piece that fits, where it leaves the most corners to go on from.
"""

from blokus import Game, Move, run


def choose(game: Game) -> Move:
    """Return the best move found in half of the time."""
    color = game.color
    best, most = None, -1
    for move in reversed(game.legal()):  # the largest pieces are last
        if best and (len(move.cells) < len(best.cells) or game.time_left_ms() < game.clock["move_ms"] / 2):
            break
        game.play(move)  # on our own copy of the game
        corners = len(game.corners(color))
        game.undo()
        if corners > most:
            best, most = move, corners
    assert best  # we are only asked when there is a legal move
    game.note = f"leaves {most} corners"  # kept with the move: see it with `arena replay`
    return best


run(choose)

"""What the SDK for Python makes of recorded games; see tests/sdk/games.py."""

from collections.abc import Iterable

from blokus import Game, Move, run


def listed(moves: list[Move]) -> str:
    total = 2166136261
    for move in moves:
        for value in (*move.piece.encode(), *[row * 32 + col for row, col in move.cells]):
            total = (total ^ value) * 16777619 & 0xFFFFFFFF
    return f"{len(moves)} {total}"


def joined(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers))


def state(game: Game) -> str:
    who = "- -" if game.is_over else f"{game.color} {game.seat}"
    return f"{game.turn} {who} {joined(game.scores().values())}"


def pick(game: Game, factor: int) -> Move:
    moves = game.legal()
    return moves[(game.turn * factor + 7) % len(moves)]


def play_on(game: Game, plies: int, factor: int) -> int:
    """Return how many plies were played until the game was over."""
    for ply in range(plies):
        if game.is_over:
            return ply
        game.play(pick(game, factor))
        print("ply", state(game), len(game.legal()))
    return plies


def choose(game: Game) -> Move:
    move_ms, bank_ms = game.clock["move_ms"], game.clock["bank_ms"]
    is_in_time = 0 < game.time_left_ms() <= move_ms + bank_ms
    print("me", game.me, game.seed, move_ms, bank_ms, "in time" if is_in_time else "late")
    hands = joined(len(game.hand(color)) for color in game.colors)
    print("at", state(game), joined(game.totals()), hands, "/".join(game.board()))
    if game.turn % 3 == 0:
        for color in game.colors:
            print("color", color, len(game.corners(color)), listed(game.legal(color)))
    print("list", state(game), listed(game.legal()))
    for _ in range(play_on(game, 6, 31)):
        game.undo()
    play_on(game.copy(), 2, 13)
    print("list", state(game), listed(game.legal()))
    answer = pick(game, 17)
    game.note = f'turn {game.turn}: "quoted" \\ é ☃ 𝄞\t\n'
    game.eval = game.turn / 4 - 3
    game.play(answer)  # on a copy, as everything here
    return answer


run(choose)

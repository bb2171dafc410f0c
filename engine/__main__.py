"""`python -m engine perft VARIANT DEPTH [--divide]`."""

from __future__ import annotations

import argparse
import sys
from typing import NoReturn

from engine.errors import RulesError
from engine.game import Game
from engine.notation import format_move
from engine.perft import divide, perft
from engine.variants import VARIANTS


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")  # one line, without the usage text


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number from 0 on, got {text!r}")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m engine", description="The Blokus rules engine's own yardstick.")
    commands = parser.add_subparsers(dest="command", required=True)
    count = commands.add_parser("perft", help="count the sequences of placements of a given length")
    count.add_argument("variant", choices=VARIANTS, metavar="VARIANT", help=", ".join(VARIANTS))
    count.add_argument("depth", type=_whole, metavar="DEPTH", help="the number of placements")
    count.add_argument("--divide", action="store_true", help="split the count by the first placement")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return its exit code."""
    options = _parser().parse_args(arguments)
    game = Game(options.variant)
    try:
        if options.divide:
            counts = divide(game, options.depth)
            for move, count in counts:
                print(f"{format_move(move, game.variant)} {count}")
            print(sum(count for _, count in counts))
        else:
            print(perft(game, options.depth))
    except RulesError as error:
        print(f"python -m engine: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())

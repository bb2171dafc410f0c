"""A bot for Blokus Arena. It plays one of its largest pieces that fit, at random: make `choose` cleverer.

The referee sends a line of JSON, the bot answers with one. What you print to stderr is your log.
"""

import json
import random
import sys
from typing import Any

rng = random.Random()


def choose(message: dict[str, Any]) -> int:
    """Return the index of one of the legal moves, which the referee lists because we asked for it below."""
    moves = message["legal"]  # each with a "piece", such as "L4", and the "cells" it covers, as [row, column]
    largest = max(len(move["cells"]) for move in moves)
    return rng.choice([index for index, move in enumerate(moves) if len(move["cells"]) == largest])


def send(message: dict[str, Any]) -> None:
    """Send one line, at once."""
    print(json.dumps(message), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":  # a game begins: board, colors, who sits where
        rng.seed(message["seed"])  # so that a match can be played again
        send({"type": "ready", "want": ["legal"], "games": "many"})
    elif message["type"] == "turn":  # message["color"] is to move; message["played"] is what happened since
        send({"type": "move", "turn": message["turn"], "index": choose(message)})

"""Plays one of its largest pieces that fit, at random. Keeps the board with the arena's own rules engine."""

import json
import random
import sys
from typing import Any

from engine import PIECES, Game, Move

rng = random.Random()
game = Game()


def send(message: dict[str, object]) -> None:
    """Send one line, at once."""
    print(json.dumps(message), flush=True)


def follow(event: dict[str, Any]) -> None:
    """Take in what happened: a piece placed, or a seat that has forfeited; who is blocked the engine knows."""
    if "piece" in event:
        game.play(Move.from_cells(event["cells"]))
    elif event["pass"] == "forfeit":
        game.retire(event["seat"])


def choose(color: str) -> Move:
    """Return one of the moves with the largest piece."""
    moves = game.legal_moves(color)
    largest = max(PIECES[move.piece].size for move in moves)
    return rng.choice([move for move in moves if PIECES[move.piece].size == largest])


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        rng.seed(message["seed"])
        game = Game(message["variant"])
        send({"type": "ready", "games": "many"})
    elif message["type"] == "turn":
        for event in message["played"]:
            follow(event)
        send({"type": "move", "turn": message["turn"], "cells": choose(message["color"]).cells})

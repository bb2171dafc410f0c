"""Plays any legal move, each as likely as the other. All it asks the referee for is how many there are."""

import json
import random
import sys

rng = random.Random()


def send(message: dict[str, object]) -> None:
    """Send one line, at once."""
    print(json.dumps(message), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        rng.seed(message["seed"])
        send({"type": "ready", "want": ["count"], "games": "many"})
    elif message["type"] == "turn":
        send({"type": "move", "turn": message["turn"], "index": rng.randrange(message["legal_count"])})

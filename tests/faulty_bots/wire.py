"""Lines to and from the referee, for programs that mean to break the contract."""

import json
import os
import sys
from collections.abc import Iterator
from typing import Any


def receive() -> dict[str, Any]:
    """Return the next message; leave when there are no more."""
    line = sys.stdin.buffer.readline()
    if not line:
        sys.exit(0)
    message: dict[str, Any] = json.loads(line)
    return message


def send_raw(data: bytes) -> None:
    """Send bytes at once."""
    while data:
        data = data[os.write(1, data) :]


def send(message: dict[str, Any]) -> None:
    """Send a message as a line."""
    send_raw(json.dumps(message).encode() + b"\n")


def get_ready(**fields: Any) -> dict[str, Any]:
    """Shake hands; return the hello."""
    hello = receive()
    send({"type": "ready", "want": ["count"]} | fields)
    return hello


def turns() -> Iterator[dict[str, Any]]:
    """Yield every turn of the game."""
    while (message := receive())["type"] != "end":
        yield message


def move(turn: dict[str, Any], **fields: Any) -> None:
    """Answer a turn: with the first legal move, unless told otherwise."""
    send({"type": "move", "turn": turn["turn"]} | (fields or {"index": 0}))


def log(text: str) -> None:
    """Write to the bot's log."""
    print(text, file=sys.stderr, flush=True)

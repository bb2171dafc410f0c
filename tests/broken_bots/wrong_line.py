"""Sends one wrong line: wrong_line.py ready|move HOW. What stands for the message is in LINES."""

import json
import re
import sys

from tests.broken_bots.base import Bot, Message

WHEN, HOW = sys.argv[1:]


def _retyped(message: Message, **changes: object) -> str:
    return json.dumps(message | changes)


LINES = {
    "banner": lambda message: f"Welcome to SuperBot 3000!\n{json.dumps(message)}\n",
    "blank": lambda message: f"\n{json.dumps(message)}\n",
    "bom": lambda message: f"\ufeff{json.dumps(message)}\n",
    "repr": lambda message: f"{message}\n",
    "pretty": lambda message: json.dumps(message, indent=2) + "\n",
    "no newline": lambda message: json.dumps(message),
    "half": lambda message: json.dumps(message)[:20],
    "debug after": lambda message: f"{json.dumps(message)}\nbest value 0.31\n",
    "nan": lambda message: _retyped(message, eval=float("nan")) + "\n",
    "float": lambda message: re.sub(r"(\d+)(?=[,\]])", r"\1.0", json.dumps(message)) + "\n",
    "text cells": lambda message: _retyped(message, cells=["a1", "a2"]) + "\n",
    "object cells": lambda message: _retyped(message, cells=[{"row": 0, "col": 0}]) + "\n",
    "three numbers": lambda message: _retyped(message, cells=[[0, 19, 0]]) + "\n",
    "no list": lambda message: _retyped(message, cells="a1 a2") + "\n",
    "text turn": lambda message: _retyped(message, turn=str(message["turn"])) + "\n",
    "text want": lambda message: _retyped(message, want="legal") + "\n",
    "number name": lambda message: _retyped(message, name=3000) + "\n",
    "games": lambda message: _retyped(message, games="several") + "\n",
    "type": lambda message: _retyped(message, type="Move") + "\n",
    "no type": lambda message: json.dumps({name: value for name, value in message.items() if name != "type"}) + "\n",
    "turn": lambda message: _retyped(message, turn=message["turn"] + 1) + "\n",
    "index": lambda message: json.dumps({"type": "move", "turn": message["turn"], "index": 0}) + "\n",
    "null": lambda message: _retyped(message, note=None) + "\n",
    "neither": lambda message: json.dumps({"type": "move", "turn": message["turn"], "pass": True}) + "\n",
    "no cells": lambda message: _retyped(message, cells=[]) + "\n",
    "crlf": lambda message: f"{json.dumps(message)}\r\n",
    "long": lambda message: _retyped(message, note="x" * 70_000) + "\n",
}


class WrongLine(Bot):
    def send(self, message: Message) -> None:
        if message["type"] != WHEN:
            super().send(message)
            return
        sys.stdout.buffer.write(LINES[HOW](message).encode())
        sys.stdout.buffer.flush()


WrongLine().run()

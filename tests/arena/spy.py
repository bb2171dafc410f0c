"""A bot that writes down every line it gets, byte for byte, to the file in SPY_LOG, and plays from its seed.

What it does besides is told by its environment: SPY_WANT (words for `want`), SPY_GAMES, SPY_HABIT.
"""

import json
import os
import random
import sys
import threading
import time
from typing import Any

HABIT = os.environ.get("SPY_HABIT", "")
WANT = os.environ.get("SPY_WANT", "count").split()
standstill_s = 0.0  # the longest of a thread that never rests, since the last answer
has_answered = False
looks = 0  # at the clock


def send(message: dict[str, Any]) -> None:
    """Send a line, the way of the habit."""
    data = json.dumps(message, ensure_ascii=False).encode() + (b"\r\n" if HABIT == "CRLF" else b"\n")
    pieces = [data[at : at + 1] for at in range(len(data))] if HABIT == "split" else [data]
    for piece in pieces:
        os.write(1, piece)


def watch_time() -> None:
    """Look at the clock over and over, for as long as we are let."""
    global standstill_s, has_answered, looks
    before = time.monotonic()
    while True:
        now = time.monotonic()
        if has_answered:
            has_answered, standstill_s = False, 0.0
        standstill_s = max(standstill_s, now - before)
        before = now
        looks += 1


def answer(turn: dict[str, Any]) -> dict[str, Any]:
    """Return a move for a turn."""
    global has_answered
    move: dict[str, Any] = {"type": "move", "turn": turn["turn"]}
    if "legal" in turn:
        move["cells"] = rng.choice(turn["legal"])["cells"]
    else:
        move["index"] = rng.randrange(turn["legal_count"])
    match HABIT:
        case "never rests":
            enough = looks + 2
            while looks < enough:
                time.sleep(0.001)
            move["note"] = str(standstill_s)
            has_answered = True
        case "sleeps":
            time.sleep(0.03)
        case "burns a little":
            burn(0.03)
        case "burns in a child":
            child = os.fork()
            if child == 0:
                burn(0.05)
                os._exit(0)
            os.waitpid(child, 0)
        case "sleeps long":
            time.sleep(600)
        case "burns":
            burn(600)
        case "talks":
            move |= {"note": "é" * 600, "eval": -1.5, "unknown": {"field": [1, None]}}
    return move


def burn(seconds: float) -> None:
    """Use CPU time."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def after_the_end() -> None:
    """Do what the habit says once a game is over."""
    match HABIT:
        case "says goodbye":
            os.write(1, b"goodbye\n")
        case "says goodbye without an end":
            os.write(1, b"goodbye")
        case "leaves":
            sys.exit(0)
        case "stays":
            time.sleep(600)
        case "floods":
            while True:
                os.write(1, b"x" * 65536)


log = open(os.environ["SPY_LOG"], "ab", buffering=0)  # noqa: SIM115
rng = random.Random()
if HABIT == "never rests":
    threading.Thread(target=watch_time, daemon=True).start()
    sys.setswitchinterval(0.0005)
for line in sys.stdin.buffer:
    log.write(line)
    message = json.loads(line)
    match message["type"]:
        case "hello":
            rng.seed(message["seed"])
            games = os.environ.get("SPY_GAMES", "one")
            send({"type": "ready", "want": WANT, "games": games, "version": str(os.getpid())})
        case "turn":
            send(answer(message))
        case "end":
            after_the_end()

"""Goes wrong before it is ready: start.py WAY [NUMBER]."""

import os
import sys
import time

from tests.faulty_bots.wire import log, receive, send, send_raw

way = sys.argv[1]
number = int(sys.argv[2]) if len(sys.argv) > 2 else 0

log(f"this bot {way}")
receive()
match way:
    case "sleeps":
        time.sleep(600)
    case "exits":
        sys.exit(number)
    case "dies":
        os.kill(os.getpid(), number)
    case "exits half way":
        send_raw(b'{"type":"rea')
        sys.exit(number)
    case "closes its output":
        os.close(1)
        time.sleep(600)
    case "closes its input":
        os.close(0)
        time.sleep(600)
    case "floods":
        send_raw(b"x" * 1_000_000)
    case "grows":
        memory = []
        while True:
            memory.append(bytearray(100_000))
    case "sends a move":
        send({"type": "move", "turn": 0, "index": 0})
        time.sleep(600)
    case _:
        raise ValueError(way)

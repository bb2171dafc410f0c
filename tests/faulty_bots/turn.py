"""Goes wrong at one of its turns: turn.py WAY [NUMBER [TURN]]; by default at its second one."""

import fcntl
import os
import resource
import signal
import sys
import threading
import time
from typing import Any, NoReturn

from tests.faulty_bots.wire import get_ready, log, move, send, send_raw, turns

way = sys.argv[1]
number = int(sys.argv[2]) if len(sys.argv) > 2 else 0
at = int(sys.argv[3]) if len(sys.argv) > 3 else 1


def sleep() -> None:
    """Do nothing for longer than any test lasts."""
    time.sleep(600)


def dribble(data: bytes) -> None:
    """Send a byte at a time."""
    for byte in data:
        send_raw(bytes([byte]))
        time.sleep(0.02)


def flood_log() -> NoReturn:
    """Write to the log for ever."""
    while True:
        os.write(2, b"all work and no play makes this bot a dull one\n" * 100)


def burn() -> NoReturn:
    """Use up CPU time."""
    while True:
        pass


def grow() -> NoReturn:
    """Use up memory."""
    memory = []
    while True:
        memory.append(bytearray(100_000))


def go_wrong(turn: dict[str, Any]) -> None:
    """Do what the first argument says."""
    match way:
        case "sleeps":
            sleep()
        case "burns":
            burn()
        case "ignores SIGTERM":
            for each in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(each, signal.SIG_IGN)
            sleep()
        case "stops itself":
            os.kill(os.getpid(), signal.SIGSTOP)
        case "stops half way":
            send_raw(b'{"type":"move","tu')
            sleep()
        case "dribbles":
            dribble(b'{"type":"move",' + b" " * 600 + b"}")
        case "exits":
            sys.exit(number)
        case "exits half way":
            send_raw(b'{"type":"move","tu')
            sys.exit(number)
        case "dies":
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            os.kill(os.getpid(), number)
        case "closes its output":
            os.close(1)
            sleep()
        case "closes its input":
            os.close(0)
            move(turn)
            sleep()
        case "answers twice":
            move(turn)
            move(turn)
            sleep()
        case "answers and exits":
            move(turn)
            sys.exit(number)
        case "answers ahead":
            send_raw(b'{"type":"move","turn":%d,"index":0}\n' % turn["turn"] * 3)
            sleep()
        case "sends a long line":
            send_raw(b" " * number + b"\n")
        case "floods off turn":
            move(turn)
            send_raw(b"x" * 1_000_000)
        case "speaks off turn":
            move(turn)
            time.sleep(0.005)
            send({"type": "note", "text": "I am winning"})
        case "floods its log":
            flood_log()
        case "grows":
            grow()
        case _:
            raise ValueError(way)


match way:
    case "never reads":
        send({"type": "ready", "want": ["legal"]})
        log(f"this bot {way}")
        sleep()
    case "has a small pipe and never reads":
        fcntl.fcntl(0, fcntl.F_SETPIPE_SZ, 4096)
        send({"type": "ready", "want": ["legal"]})
        log(f"this bot {way}")
        sleep()
    case "is ready and makes a move at once":
        log(f"this bot {way}")
        send_raw(b'{"type":"ready","want":["count"]}\n{"type":"move","turn":0,"index":0}\n')
        sleep()
    case "floods its log all the time":
        threading.Thread(target=flood_log, daemon=True).start()

get_ready()
for index, turn in enumerate(turns()):
    if index != at or way == "floods its log all the time":
        move(turn)
        continue
    log(f"this bot {way}")
    go_wrong(turn)

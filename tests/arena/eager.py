"""Answers before it has read the whole of a turn: the number of the turn is at its beginning. eager.py LAST.

It writes down all that it reads to the file in SPY_LOG, and asks for long lines. After the turn LAST it reads no more.
"""

import fcntl
import os
import re
import sys
import time

last = int(sys.argv[1])
read = b""
done = 0


def read_until(pattern: bytes) -> bytes:
    """Read as little as possible until something is there; return what its group matched."""
    global read, done
    while not (found := re.compile(pattern).search(read, done)):
        data = os.read(0, 4096)
        if not data:
            sys.exit(0)
        log.write(data)
        read += data
        done = max(done, len(read) - len(data) - 100)
    done = found.end()
    return found[1]


fcntl.fcntl(0, fcntl.F_SETPIPE_SZ, 4096)
log = open(os.environ["SPY_LOG"], "ab", buffering=0)  # noqa: SIM115
read_until(b'"type":"(hello)"')
os.write(1, b'{"type":"ready","want":["legal"]}\n')
while True:
    turn = int(read_until(rb'"type":"turn","turn":(\d+),'))
    os.write(1, b'{"type":"move","turn":%d,"index":0}\n' % turn)
    if turn == last:
        time.sleep(600)

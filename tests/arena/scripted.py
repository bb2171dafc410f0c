"""A bot that gives the answers in its file `answers`, one a line, and tells its log every line that passes."""

import sys

with open("answers", "rb") as answers:
    for line in sys.stdin.buffer:
        sys.stderr.buffer.write(b"referee " + line)
        sys.stderr.buffer.flush()
        if not line.startswith(b'{"type":"end"'):
            answer = answers.readline()
            sys.stderr.buffer.write(b"bot " + answer)
            sys.stderr.buffer.flush()
            sys.stdout.buffer.write(answer)
            sys.stdout.buffer.flush()

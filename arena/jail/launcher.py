"""The launcher: a small process that forks confined bots for a referee, which starts it once.

It speaks over one socket: an order with the bot's pipes comes in, the bot's process numbers or the trouble go out. When
the referee is gone, the socket closes, the launcher ends, and with it everything it has started.
"""

from __future__ import annotations

import marshal
import os
import signal
import socket
import sys

from arena.jail.build import Order, keep

_ORDER_BYTES = 1 << 20


def main(descriptor: int) -> None:
    """Serve orders until the referee has gone."""
    link = socket.socket(fileno=descriptor)
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # they are meant for the referee, which will close the socket
    signal.signal(signal.SIGCHLD, _reap)
    while True:
        data, descriptors, _, _ = socket.recv_fds(link, _ORDER_BYTES, 8)
        if not data:
            return
        link.send(marshal.dumps(_start(Order(marshal.loads(data)), descriptors)))


def _reap(*_: object) -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _start(order: Order, descriptors: list[int]) -> tuple[str | int, ...]:
    """Fork a keeper and wait until the bot's program runs; return ("started", bot, init) or ("failed", stage, text)."""
    *pipes, report = descriptors
    order["launcher"] = os.getpid()
    told, trouble = os.pipe()
    keeper = os.fork()
    if keeper == 0:
        os.close(told)
        keep(order, pipes, report, trouble)
    for each in (*descriptors, trouble):
        os.close(each)
    with os.fdopen(told, "rb") as file:
        complaint = file.read()  # ends when the bot's program is executed: the pipe closes by itself
    if complaint:
        _end(keeper)
        return ("failed", *marshal.loads(complaint))
    first = _only_child(keeper)
    if not order["namespaces"]:
        return ("started", first, keeper)
    return ("started", _only_child(first), first)


def _end(pid: int) -> None:
    try:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
    except (ProcessLookupError, ChildProcessError):
        pass  # reaped already


def _only_child(pid: int) -> int:
    """Return the child of a process; 0 if it has ended by now."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", "rb") as file:
            found = file.read().split()
    except OSError:
        return 0
    return int(found[0]) if found else 0


if __name__ == "__main__":
    main(int(sys.argv[1]))

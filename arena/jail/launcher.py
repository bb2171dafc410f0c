"""The launcher: a small process that forks confined bots for a referee, which starts it once, and watches their memory.

It speaks over one socket: an order with the bot's pipes comes in; process numbers and handles, or the trouble, go out.
When the referee is gone, the socket closes, the launcher ends, and with it everything it has started.
"""

from __future__ import annotations

import gc
import marshal
import os
import select
import signal
import socket
import sys
import time

from arena.jail import kernel, proc
from arena.jail.build import Order, Wires, be_bot, be_head, get_ready, namespaces_of, needs_head, report_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_ORDER_BYTES = 1 << 20
_PATIENCE_S = 30.0  # for a bot's program to be executed
_WATCH_S = 0.05


class _Box:
    """A bot that runs, with its head; one without is its own."""

    def __init__(self, order: Order, head: int, head_handle: int, bot: int, bot_handle: int, report: int) -> None:
        self.head, self.head_handle, self.bot, self.bot_handle = head, head_handle, bot, bot_handle
        self._report = os.dup(report)  # when nobody holds it any more, all is over
        self._has_head = needs_head(order)
        self._may_have_children = order.processes
        self._may_leave_children = order.processes and not order.namespaces
        self._most_kib = order.memory_mb * 1024 * 9 // 8  # RLIMIT_DATA comes first, unless it is gone around
        self._memory = -1

    def watch(self) -> None:
        """Kill the bot if it holds more memory than it may."""
        if self._may_have_children:
            held_kib = proc.held_kib_below(self.head)
        else:
            if self._memory < 0:
                self._memory = proc.open_memory(self.bot)
            held_kib = proc.held_kib(self._memory)
        if held_kib > self._most_kib:
            kernel.send_signal(self.bot_handle, signal.SIGKILL)

    def bury(self) -> None:
        """Reap the head, which has ended, and let go of the box."""
        _, status, usage = os.wait4(self.head, 0)
        if not self._has_head:
            report_end(self._report, status, usage)
        if self._may_leave_children and self.bot and os.WIFSIGNALED(status):
            _end_group(self.bot)  # the head was killed, and what it would have ended is left to us
        for descriptor in {self._memory, self.head_handle, self.bot_handle, self._report} - {-1}:
            os.close(descriptor)


def main(descriptor: int) -> NoReturn:
    """Serve orders until the referee has gone."""
    try:
        _serve_all(descriptor)
    except ConnectionError:
        os._exit(0)  # with us, the kernel ends all that we have started


def _serve_all(descriptor: int) -> NoReturn:
    link = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, fileno=descriptor)
    kernel.call("prctl", kernel.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    kernel.drop_bounding_set()
    gc.freeze()  # a collection would touch, and so copy, all memory that a fork shares
    gc.disable()
    boxes: dict[int, _Box] = {}
    poll = select.poll()
    poll.register(link, select.POLLIN)
    watched = time.monotonic()
    while True:
        for ready, _ in poll.poll(_WATCH_S * 1000 if boxes else None):
            if ready != link.fileno():
                poll.unregister(ready)
                boxes.pop(ready).bury()
            else:
                box = _serve(link)
                if box:
                    boxes[box.head_handle] = box
                    poll.register(box.head_handle, select.POLLIN)
        if time.monotonic() - watched >= _WATCH_S:
            watched = time.monotonic()
            for box in boxes.values():
                box.watch()


def _serve(link: socket.socket) -> _Box | None:
    """Carry out one order, and answer it."""
    data, descriptors, _, _ = socket.recv_fds(link, _ORDER_BYTES, 8)
    if not data:
        raise ConnectionError("the referee has gone")
    order = Order(marshal.loads(data))
    try:
        found = _start(order, descriptors)
    except OSError as error:
        found = ("sandbox", str(error))
    if isinstance(found, tuple):
        link.send(marshal.dumps(("failed", *found)))
    else:
        answer = marshal.dumps(("started", found.bot, found.head))
        socket.send_fds(link, [answer], [found.bot_handle, found.head_handle])
    for each in descriptors:
        os.close(each)
    return None if isinstance(found, tuple) else found


def _start(order: Order, descriptors: list[int]) -> _Box | tuple[str, str]:
    """Fork a box and wait until the bot's program runs; return the box, or the stage and the text of the trouble."""
    get_ready(order.processes, order.namespaces)
    *pipes, report = descriptors
    own = os.getpid()
    told, trouble = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with told, trouble:
        head, handle = kernel.fork_into(namespaces_of(order))
        if head == 0:
            told.close()
            wires = Wires(pipes, report, trouble)
            if needs_head(order):
                be_head(order, wires)
            be_bot(order, wires, own)
        trouble.close()
        bot, bot_handle, complaint = _listen(told)
    if not needs_head(order):
        bot, bot_handle = head, handle
    if complaint is None and bot_handle >= 0:
        return _Box(order, head, handle, bot, bot_handle, report)
    kernel.send_signal(bot_handle if bot_handle >= 0 else handle, signal.SIGKILL)
    os.waitpid(head, 0)  # a head ends, and reaps, when its bot has ended; killed itself, it would leave that to us
    for each in {handle, bot_handle} - {-1}:
        os.close(each)
    return complaint or ("sandbox", "it ended before the bot was started")


def _listen(told: socket.socket) -> tuple[int, int, tuple[str, str] | None]:
    """Return number and handle of the bot, and what went wrong; the socket closes when its program is executed."""
    told.settimeout(_PATIENCE_S)
    bot, bot_handle, complaint = 0, -1, None
    try:
        while True:
            data, handles, _, _ = socket.recv_fds(told, 65536, 1)
            if handles:
                bot_handle = handles[0]
                bot = proc.number_of(bot_handle)
            elif data:
                complaint = complaint or marshal.loads(data)
            else:
                return bot, bot_handle, complaint
    except TimeoutError:
        return bot, bot_handle, ("sandbox", f"the bot's program did not start within {_PATIENCE_S:.0f} s")


def _end_group(leader: int) -> None:
    try:
        os.killpg(leader, signal.SIGKILL)
        while True:
            os.waitpid(-leader, 0)
    except (ProcessLookupError, ChildProcessError):
        pass


if __name__ == "__main__":
    main(int(sys.argv[1]))

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
from functools import cache

from arena.jail import bubblewrap, kernel, proc
from arena.jail.bubblewrap import be_bubblewrap
from arena.jail.build import be_bot, be_head, get_ready, namespaces_of, needs_head, report_end
from arena.jail.cgroup import Group, Groups
from arena.jail.order import Order, Wires

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_ORDER_BYTES = 1 << 20
_PATIENCE_S = 30.0  # for a bot's program to be executed
_WATCH_S = 0.05

_heads: set[int] = set()  # our own children; whoever else is one has lost its parent


class _Box:
    """A bot that runs, with its head; one without is its own."""

    def __init__(
        self, order: Order, head: tuple[int, int], bot: tuple[int, int], report: int, group: Group | None, status: int
    ) -> None:
        self.head, self.head_handle = head
        self.bot, self.bot_handle = bot
        self.group = group
        _heads.add(self.head)
        self.process_group = _process_group(self.bot) if order.bwrap else self.bot
        self._status = os.dup(status) if status >= 0 else -1  # bubblewrap would die if nobody could read it
        self._report = os.dup(report)  # when nobody holds it any more, all is over
        self._has_head = needs_head(order) and not order.bwrap
        self._is_wrapped = order.bwrap is not None
        self._may_have_children = order.processes
        self._may_leave_children = order.processes and not order.namespaces
        self._most_kib = order.memory_mb * 1024 * 9 // 8  # RLIMIT_DATA comes first, unless it is gone around
        self._memory = -1

    @property
    def memory_by(self) -> str:
        """What limits the bot's memory."""
        return "cgroup" if self.group and groups().limits_memory else "rlimit, watchdog"

    def watch(self) -> None:
        """Kill the bot if it holds more memory than it may; a control group would end only one of its processes."""
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
        _heads.discard(self.head)
        if self._is_wrapped:
            _reap_strays()
        if not self._has_head:
            code = os.waitstatus_to_exitcode(status)
            report_end(self._report, bubblewrap.code_of(code) if self._is_wrapped else code, usage)
        if self._may_leave_children and self.bot and os.WIFSIGNALED(status):
            _end_group(self.bot)  # the head was killed, and what it would have ended is left to us
        if self.group:
            self.group.remove()
        for descriptor in {self._memory, self._status, self.head_handle, self.bot_handle, self._report} - {-1}:
            os.close(descriptor)


@cache
def groups() -> Groups:
    """Return where control groups can be made; found out with the first order."""
    return Groups()


def main(descriptor: int) -> NoReturn:
    """Serve orders until the referee has gone."""
    boxes: dict[int, _Box] = {}
    try:
        _serve_all(descriptor, boxes)
    except ConnectionError:
        for box in boxes.values():
            if box.group:  # with us, the kernel ends all that we have started, but it would leave this
                kernel.send_signal(box.head_handle, signal.SIGKILL)
                box.group.remove()
        os._exit(0)


def _serve_all(descriptor: int, boxes: dict[int, _Box]) -> NoReturn:
    link = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, fileno=descriptor)
    kernel.call("prctl", kernel.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    kernel.drop_bounding_set()
    gc.freeze()  # a collection would touch, and so copy, all memory that a fork shares
    gc.disable()
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
        clock = [found.group.clock] if found.group and found.group.clock >= 0 else []
        answer = marshal.dumps(("started", found.bot, found.head, found.process_group, found.memory_by))
        socket.send_fds(link, [answer], [found.bot_handle, found.head_handle, *clock])
        if found.group:
            found.group.shut()
    for each in descriptors:
        os.close(each)
    return None if isinstance(found, tuple) else found


def _start(order: Order, descriptors: list[int]) -> _Box | tuple[str, str]:
    """Start a bot; return its box, or the stage and the text of the trouble."""
    get_ready(order)
    group = _group(order)
    found: _Box | tuple[str, str] = ("sandbox", "it was not started")
    status, its_status = os.pipe() if order.bwrap else (-1, -1)
    try:
        found = _fork_box(order, descriptors, group, (status, its_status))
    finally:
        for each in {status, its_status} - {-1}:
            os.close(each)
        if group and isinstance(found, tuple):
            group.remove()
    return found


def _fork_box(
    order: Order, descriptors: list[int], group: Group | None, status: tuple[int, int]
) -> _Box | tuple[str, str]:
    """Fork a box and wait until the bot's program runs."""
    *pipes, report = descriptors
    own = os.getpid()
    told, trouble = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with told, trouble:
        head, handle = kernel.fork_into(namespaces_of(order))
        if head == 0:
            told.close()
            wires = Wires(pipes, report, trouble, group.entrances if group else [])
            if order.bwrap:
                be_bubblewrap(order, wires, status[1])
            if needs_head(order):
                be_head(order, wires)
            be_bot(order, wires, own)
        trouble.close()
        bot, bot_handle, complaint = _listen(told)
    if order.bwrap and complaint is None:
        bot, bot_handle, complaint = _find_bot(status[0], head, handle)
    elif not needs_head(order):
        bot, bot_handle = head, handle
    if complaint is None and bot_handle >= 0:
        return _Box(order, (head, handle), (bot, bot_handle), report, group, status[0])
    kernel.send_signal(bot_handle if bot_handle >= 0 else handle, signal.SIGKILL)
    os.waitpid(head, 0)  # a head ends, and reaps, when its bot has ended; killed itself, it would leave that to us
    if order.bwrap:
        _reap_strays()
    for each in {handle, bot_handle} - {-1}:
        os.close(each)
    return complaint or ("sandbox", "it ended before the bot was started")


def _find_bot(status: int, head: int, head_handle: int) -> tuple[int, int, tuple[str, str] | None]:
    """Return number and handle of the bot that bubblewrap runs, or what went wrong; why that is, it says itself."""
    bot, was_run = bubblewrap.await_bot(status, head_handle, _PATIENCE_S)
    if not was_run:
        return 0, -1, ("bwrap", "")
    try:
        return bot, os.pidfd_open(bot), None
    except (OSError, ValueError):  # it has ended, and bubblewrap tells how
        return head, os.dup(head_handle), None


def _group(order: Order) -> Group | None:
    """Return a control group for a bot, with what it may write to its /tmp counted in; None where there are none."""
    try:
        return groups().make(
            order.memory_mb + order.scratch_mb, order.tasks, counts=order.processes or order.bwrap is not None
        )
    except OSError:
        return None


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


def _reap_strays() -> None:
    """End and reap what bubblewrap has left to us: it does not wait for its child, which dies with it."""
    for pid in set(proc.children(os.getpid())) - _heads:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _process_group(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return pid


def _end_group(leader: int) -> None:
    try:
        os.killpg(leader, signal.SIGKILL)
        while True:
            os.waitpid(-leader, 0)
    except (ProcessLookupError, ChildProcessError):
        pass


if __name__ == "__main__":
    main(int(sys.argv[1]))

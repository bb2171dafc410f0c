"""Lines to and from one bot, each under a deadline. Nothing a bot does can block us; its process is always reaped."""

from __future__ import annotations

import os
import select
from collections.abc import Callable, Collection
from time import monotonic_ns
from typing import Literal

import msgspec

from arena.limits import IDLE_BYTES, LINE_BYTES, ResourceLimits
from arena.sandbox import Command, Confined, Exit, start

_LOG_HEAD, _LOG_TAIL = 4096, 4096
_CHUNK = 65536
_IDLE_READS = 8  # more cannot be needed to tell a flood; a bot that writes faster must not hold us up
_MS = 1_000_000


class Trouble(msgspec.Struct, frozen=True):
    """What the bot did instead of sending a line when it was asked for one."""

    kind: Literal["timeout", "flood", "ended", "unasked"]
    detail: str
    line: bytes = b""


class Log:
    """The head and the tail of what a bot writes to its stderr."""

    def __init__(self) -> None:
        self.size = 0
        self._head = b""
        self._tail = b""

    def add(self, data: bytes) -> None:
        """Take in what came."""
        self.size += len(data)
        room = _LOG_HEAD - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail = (self._tail + data)[-_LOG_TAIL:]

    def text(self) -> str:
        """Return it as text, with a line that tells how much is left out."""
        left_out = self.size - len(self._head) - len(self._tail)
        gap = f"\n[{left_out} bytes left out]\n".encode() if left_out else b""
        return (self._head + gap + self._tail).decode(errors="replace")


class BotProcess:
    """A bot's process, its lines and its log."""

    def __init__(
        self, command: Command, limits: ResourceLimits, on_stderr: Callable[[bytes], None] | None = None
    ) -> None:
        """Start the bot; raises `StartFailed` if its command cannot be executed."""
        self.confined: Confined = start(command, limits)
        self.limits = limits
        self.log = Log()
        self.elapsed_ns = 0  # from the first byte of the last line written to the newline of its answer
        self.on_stderr = on_stderr
        self.is_reused = False  # it stayed up from another game
        self._begun = 0
        self._unread = b""
        self._unsent: bytes | memoryview = b""
        self._waits_to_write = False
        self._has_ended = False  # takes no more input, or gives no more output
        self._poll = select.poll()
        self._poll.register(self.confined.stdout, select.POLLIN)
        self._poll.register(self.confined.stderr, select.POLLIN)

    # ---- talking

    def check_silence(self) -> Trouble | None:
        """Return what the bot did wrong since its last answer: it must not speak unless asked."""
        if not self._unread and not self._poll.poll(0):
            return None
        for _ in range(_IDLE_READS):
            if self._has_ended or len(self._unread) > IDLE_BYTES or not self._take_events(0):
                break
        if b"\n" in self._unread[:LINE_BYTES]:
            line, _, self._unread = self._unread.partition(b"\n")
            return Trouble("unasked", "sent a line without being asked", line)
        if len(self._unread) > IDLE_BYTES:
            return Trouble("flood", f"sent more than {IDLE_BYTES} bytes without being asked", self._unread)
        return None

    def ask(self, line: bytes, budget_ns: int, more_ns: Callable[[int], int] | None = None) -> bytes | Trouble:
        """Write a line and return the bot's answer without its newline, or what came instead.

        The time runs from here. When the budget is used up, `more_ns` (if given) is told how long it took so far
        and says how much longer to wait; 0 gives up.
        """
        self.say(line)
        begun = self._begun
        deadline = begun + budget_ns
        while True:
            if self._unread or self._has_ended:
                answer = self.answer()
                if answer is not None:
                    return answer
            now = monotonic_ns()
            if now >= deadline:
                more = more_ns(now - begun) if more_ns else 0
                if more <= 0:
                    return self.give_up()
                deadline = now + more
            self._take_events((deadline - now) // _MS + 1)

    def say(self, line: bytes) -> None:
        """Begin to write a line; what does not fit into the pipe goes out while waiting for the answer."""
        # a bot may answer before it has read the whole of a long line; the rest still goes first
        self._unsent = bytes(self._unsent) + line if self._unsent else line
        self._begun = monotonic_ns()
        self._write()

    def answer(self) -> bytes | Trouble | None:
        """Return the bot's line if it is complete, what it did instead, or None if there is nothing yet."""
        end = self._unread.find(b"\n", 0, LINE_BYTES)
        if end >= 0:
            self.elapsed_ns = monotonic_ns() - self._begun
            line = self._unread[:end]
            self._unread = self._unread[end + 1 :]
            return line
        if len(self._unread) >= LINE_BYTES:
            self.elapsed_ns = monotonic_ns() - self._begun
            return Trouble("flood", f"sent a line of more than {LINE_BYTES} bytes", self._unread)
        if self._has_ended:
            self.elapsed_ns = monotonic_ns() - self._begun
            return Trouble("ended", "ended, or closed its input or output", self._unread)
        return None

    def give_up(self) -> Trouble:
        """Return what is wrong with a bot that has not answered when its time is up."""
        self.elapsed_ns = monotonic_ns() - self._begun
        if self.confined.has_ended():  # but left a child that holds its output open
            return Trouble("ended", "ended without an answer", self._unread)
        return Trouble("timeout", "did not answer in time", self._unread)

    def tell(self, line: bytes, budget_ns: int) -> None:
        """Write a line that needs no answer; give up on a bot that does not read it."""
        self.say(line)
        deadline = self._begun + budget_ns
        while self._unsent and not self._has_ended and len(self._unread) <= IDLE_BYTES:
            left = deadline - monotonic_ns()
            if left <= 0:
                return
            self._take_events(left // _MS + 1)

    def close_input(self) -> None:
        """Tell the bot that there is nothing more to come; what is unsent is dropped."""
        self._unsent = b""
        if self._waits_to_write:
            self._watch_stdin()
        self.confined.close_stdin()

    @property
    def has_unsent(self) -> bool:
        """Whether a part of the last line is still waiting to be written."""
        return len(self._unsent) > 0

    @property
    def is_at_rest(self) -> bool:
        """Whether the bot is there and has sent nothing, not even a part of a line, since its last answer."""
        is_silent = self.check_silence() is None and not self._unread
        return is_silent and not self._has_ended and not self.confined.has_ended()

    # ---- the process

    def cpu_ns(self) -> int:
        """Return the CPU time that the bot has used so far."""
        return self.confined.cpu_ns()

    def freeze(self) -> None:
        """Stop the bot until `thaw`."""
        self.confined.freeze()

    def thaw(self) -> None:
        """Let the bot run on."""
        self.confined.thaw()

    def end(self, grace_ms: int = 0) -> Exit:
        """Kill what is left of the bot, and reap it; safe to call again.

        Within `grace_ms` it may end by itself, so that its own exit code is seen.
        """
        wait_for_exit([self], grace_ms)
        for _ in range(_IDLE_READS):
            if not self._drain_stderr():
                break
        return self.confined.end()

    def awaited(self) -> list[tuple[int, int]]:
        """Return the descriptors to poll, each with the event to wait for."""
        events = []
        if not self._has_ended:
            events.append((self.confined.stdout, select.POLLIN))
        if self.confined.stderr >= 0:
            events.append((self.confined.stderr, select.POLLIN))
        if self._waits_to_write:
            events.append((self.confined.stdin, select.POLLOUT))
        return events

    # ---- inside

    def _take_events(self, timeout_ms: int) -> bool:
        """Wait for something to read or write and do it; return whether there was anything."""
        events = self._poll.poll(timeout_ms)
        for descriptor, _ in events:
            if descriptor == self.confined.stdout:
                self._read_stdout()
            elif descriptor == self.confined.stderr:
                self._drain_stderr()
            else:
                self._write()
        return bool(events)

    def _read_stdout(self) -> None:
        try:
            data = os.read(self.confined.stdout, _CHUNK)
        except BlockingIOError:
            return  # the bot has taken back what it wrote
        if not data:
            self._has_ended = True
            self._poll.unregister(self.confined.stdout)
        elif len(self._unread) <= IDLE_BYTES:  # else it is a flood whatever follows
            self._unread += data

    def _write(self) -> None:
        try:
            sent = os.write(self.confined.stdin, self._unsent)
        except BlockingIOError:
            sent = 0
        except BrokenPipeError:
            self._has_ended = True
            sent = len(self._unsent)
        self._unsent = memoryview(self._unsent)[sent:] if sent < len(self._unsent) else b""
        if self.has_unsent != self._waits_to_write:
            self._watch_stdin()

    def _watch_stdin(self) -> None:
        """Wait for room in the pipe only as long as something is unsent."""
        self._waits_to_write = self.has_unsent
        if self._waits_to_write:
            self._poll.register(self.confined.stdin, select.POLLOUT)
        else:
            self._poll.unregister(self.confined.stdin)

    def _drain_stderr(self) -> bool:
        """Read what there is of the bot's log; return whether there was anything."""
        if self.confined.stderr < 0:
            return False
        try:
            data = os.read(self.confined.stderr, _CHUNK)
        except BlockingIOError:
            return False
        if not data:
            self._poll.unregister(self.confined.stderr)
            self.confined.close_stderr()
            return False
        self.log.add(data)
        if self.on_stderr:
            self.on_stderr(data)
        return True


def wait_for_any(bots: Collection[BotProcess], timeout_ms: int) -> None:
    """Wait until one of several bots has something for us, or can take what is unsent, and do it."""
    poll = select.poll()
    owner = {}
    for bot in bots:
        for descriptor, event in bot.awaited():
            poll.register(descriptor, event)
            owner[descriptor] = bot
    for descriptor, _ in poll.poll(timeout_ms):
        owner[descriptor]._take_events(0)


def wait_for_exit(bots: Collection[BotProcess], timeout_ms: int) -> None:
    """Wait until bots have ended by themselves, but not longer than this."""
    deadline = monotonic_ns() + timeout_ms * _MS
    running = [bot for bot in bots if not bot.confined.has_ended()]
    while running and (left := deadline - monotonic_ns()) > 0:
        wait_for_any(running, min(5, left // _MS + 1))
        running = [bot for bot in running if not bot.confined.has_ended()]

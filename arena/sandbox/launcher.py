"""The referee's end of the launcher (`arena/jail/`): started once in a process's life, or again if it has died."""

from __future__ import annotations

import atexit
import marshal
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from arena.errors import ArenaError

_ROOT = str(Path(__file__).resolve().parent.parent.parent)
_CODE = f"import sys; sys.path.append({_ROOT!r}); from arena.jail.launcher import main; main(int(sys.argv[1]))"
_ANSWER_S = 60.0
_END_S = 10.0


class Launcher:
    """The one launcher of this process."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-I", "-S", "-c", _CODE, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env={},
                cwd="/",
                stdin=subprocess.DEVNULL,
                process_group=0,  # what is typed at a terminal is for us, and we close the socket
            )
        ours.settimeout(_ANSWER_S)
        self._link = ours

    def start(self, order: bytes, descriptors: list[int]) -> tuple[tuple[Any, ...], list[int]]:
        """Have something started; return what the launcher says, and the handles that it gives."""
        try:
            socket.send_fds(self._link, [order], descriptors)
            answer, handles, _, _ = socket.recv_fds(self._link, 65536, 3, socket.MSG_CMSG_CLOEXEC)
        except OSError as error:
            raise ArenaError(f"the sandbox's launcher does not answer: {error.strerror or error}") from error
        if not answer:
            raise ArenaError("the sandbox's launcher has ended")
        return marshal.loads(answer), handles

    def has_ended(self) -> bool:
        """Tell whether somebody has killed the launcher."""
        return self._process.poll() is not None

    def close(self) -> None:
        """End the launcher, and with it all that it started."""
        self._link.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def disown(self) -> None:
        """Forget, in a fork, the launcher of the process that was forked: it must end when that one does."""
        self._link.close()
        self._process.returncode = 0


_launcher: Launcher | None = None
_lock = threading.RLock()  # one order at a time: an answer is to the one before it


def launch(order: bytes, descriptors: list[int]) -> tuple[tuple[Any, ...], list[int]]:
    """Have this process's launcher, started if need be, start something; raises `ArenaError` if it does not answer."""
    global _launcher
    with _lock:
        if _launcher is not None and _launcher.has_ended():
            _close_launcher()
        if _launcher is None:
            _launcher = Launcher()
        try:
            return _launcher.start(order, descriptors)
        except BaseException:
            _close_launcher()  # what it may still answer would be taken for the answer to the next order
            raise


def _close_launcher() -> None:
    global _launcher
    with _lock:
        if _launcher is not None:
            _launcher.close()
            _launcher = None


def _disown_launcher() -> None:
    global _launcher, _lock
    _lock = threading.RLock()  # another thread, which is not in this fork, may hold it
    if _launcher is not None:
        _launcher.disown()
        _launcher = None


atexit.register(_close_launcher)
os.register_at_fork(after_in_child=_disown_launcher)

"""Logging of a tournament: the lines of all processes land whole in one file.

How it works: each worker sends its lines to the parent through a queue of its own (multiprocessing-logging), and the
parent alone writes. One queue a worker, because a process that is killed while it writes to a queue leaves it locked
for all who share it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from multiprocessing_logging import MultiProcessingHandler

LOGGER = logging.getLogger("arena")
_WAKE = "wake"  # instead of a record
_PATIENCE_S = 5.0
_FORMAT = "%(asctime)s %(processName)s %(levelname)s %(message)s"


class WorkerLog:
    """The way of one worker's lines to the parent; made before the worker is forked."""

    def __init__(self, name: str) -> None:
        self._way = _Way(name, sub_handler=_Passing())

    def use(self) -> None:
        """Send all lines of this process that way, from now on: called in the worker."""
        LOGGER.handlers[:] = [self._way]

    def flush(self) -> None:
        """Wait until all lines of this process are on their way: called in the worker, before it leaves."""
        self._way.queue.close()
        self._way.queue.join_thread()

    def close(self, *, was_killed: bool = False) -> None:
        """Take in what is still on its way; a killed worker may have torn it: called in the parent."""
        self._way.end(patience_s=0.0 if was_killed else _PATIENCE_S)


class _Way(MultiProcessingHandler):  # type: ignore[misc]
    """The package's handler, which looks only five times a second whether it has been closed: this one wakes it."""

    def end(self, patience_s: float) -> None:
        """Take in what has been sent; a torn line, for whose rest the thread waits, is not waited for."""
        self._is_closed = True
        self.queue.put(_WAKE)
        self._receive_thread.join(patience_s)


class _Passing(logging.Handler):
    """Hands a worker's line to the parent's own handlers, one at a time."""

    def emit(self, record: logging.LogRecord) -> None:
        if isinstance(record, logging.LogRecord):  # else it was only to wake us
            for handler in LOGGER.handlers:
                handler.handle(record)


@contextmanager
def log_to(file: Path) -> Iterator[None]:
    """Write the log to a file, behind what is there."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(file, encoding="utf-8")
    handler.setFormatter(logging.Formatter(_FORMAT))
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    LOGGER.propagate = False
    try:
        yield
    finally:
        LOGGER.removeHandler(handler)
        handler.close()

"""Pipes between the referee and a bot."""

from __future__ import annotations

import os

from arena.errors import ArenaError


def open_pipes(*, others: int = 0) -> tuple[list[int], list[int]]:
    """Return our ends and the bot's ends of its stdin, stdout and stderr, and of `others` pipes that we read."""
    opened: list[tuple[int, int]] = []
    try:
        for _ in range(3 + others):
            opened.append(os.pipe())  # noqa: PERF401 - what was opened must be known when one fails
    except OSError as error:
        close(*[end for pipe in opened for end in pipe])
        raise ArenaError(f"cannot open a pipe: {error.strerror}") from error
    ours = [opened[0][1], *[pipe[0] for pipe in opened[1:]]]
    theirs = [opened[0][0], *[pipe[1] for pipe in opened[1:]]]
    for end in ours:
        os.set_blocking(end, False)
    return ours, theirs


def close(*descriptors: int) -> None:
    """Close descriptors; -1 stands for one that is closed already."""
    for descriptor in descriptors:
        if descriptor >= 0:
            os.close(descriptor)

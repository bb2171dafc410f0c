"""Bots that stay up between games, for those that asked for it."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TypeAlias

from arena.bot_process import BotProcess, Log
from arena.bots import Bot
from arena.limits import ResourceLimits

_Key: TypeAlias = tuple[str, tuple[str, ...], str]


class BotPool:
    """Running bots at rest; never handed to another program."""

    def __init__(self, *, keeps: int = 16) -> None:
        """Make a pool of so many at most: the one that rests for longest has to go first."""
        self._keeps = keeps
        self._resting: list[tuple[_Key, BotProcess]] = []

    def take(self, bot: Bot, limits: ResourceLimits, *, reuse: bool = True) -> BotProcess:
        """Return a process of the bot: one at rest, if it may be, or else a new one (raises `StartFailed`)."""
        while reuse and (process := self._wake(bot)):
            if process.limits == limits and process.is_at_rest:
                process.log = Log()
                process.is_reused = True
                _bring_along(process)
                return process
            process.end()
        return BotProcess(bot.command, limits)

    def _wake(self, bot: Bot) -> BotProcess | None:
        for at in reversed(range(len(self._resting))):
            if self._resting[at][0] == _key(bot):
                return self._resting.pop(at)[1]
        return None

    def keep(self, bot: Bot, process: BotProcess) -> bool:
        """Put a bot to rest after its game; return whether it can stay."""
        if not self._keeps or process.has_unsent:
            return False
        process.freeze()
        process.on_stderr = None
        self._resting.append((_key(bot), process))
        if len(self._resting) > self._keeps:
            self._resting.pop(0)[1].end()
        return True

    def close(self) -> None:
        """End all bots at rest."""
        while self._resting:
            self._resting.pop()[1].end()

    def __enter__(self) -> BotPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _bring_along(process: BotProcess) -> None:
    """Let a bot run where we run now: the match it was started for may have been pinned to another core."""
    if hasattr(os, "sched_setaffinity"):
        cores = os.sched_getaffinity(0)
        with suppress(OSError):
            for thread in os.listdir(f"/proc/{process.confined.pid}/task"):
                if os.sched_getaffinity(int(thread)) != cores:  # setting it takes much longer than looking
                    os.sched_setaffinity(int(thread), cores)


def _key(bot: Bot) -> _Key:
    return bot.digest, bot.command.argv, bot.command.cwd

"""Bots that stay up between games, for those that asked for it."""

from __future__ import annotations

import os
from contextlib import suppress

from arena.bot_process import BotProcess, Log
from arena.bots import Bot
from arena.limits import ResourceLimits


class BotPool:
    """Running bots at rest, one list for each program; never handed to another one."""

    def __init__(self, *, keeps: bool = True) -> None:
        self._keeps = keeps
        self._resting: dict[tuple[str, tuple[str, ...], str], list[BotProcess]] = {}

    def take(self, bot: Bot, limits: ResourceLimits, *, reuse: bool = True) -> BotProcess:
        """Return a process of the bot: one at rest, if it may be, or else a new one (raises `StartFailed`)."""
        resting = self._resting.get(_key(bot), []) if reuse else []
        while resting:
            process = resting.pop()
            if process.limits == limits and process.is_at_rest:
                process.log = Log()
                process.is_reused = True
                _bring_along(process)
                return process
            process.end()
        return BotProcess(bot.command, limits)

    def keep(self, bot: Bot, process: BotProcess) -> bool:
        """Put a bot to rest after its game; return whether it can stay."""
        if not self._keeps or process.has_unsent:
            return False
        process.freeze()
        process.on_stderr = None
        self._resting.setdefault(_key(bot), []).append(process)
        return True

    def close(self) -> None:
        """End all bots at rest."""
        for processes in self._resting.values():
            for process in processes:
                process.end()
        self._resting.clear()

    def __enter__(self) -> BotPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _bring_along(process: BotProcess) -> None:
    """Let a bot run where we run now: the match it was started for may have been pinned to another core."""
    if hasattr(os, "sched_setaffinity"):
        with suppress(OSError):
            for thread in os.listdir(f"/proc/{process.confined.pid}/task"):
                os.sched_setaffinity(int(thread), os.sched_getaffinity(0))


def _key(bot: Bot) -> tuple[str, tuple[str, ...], str]:
    return bot.digest, bot.command.argv, bot.command.cwd

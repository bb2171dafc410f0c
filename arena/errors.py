"""Trouble of the arena's own, or of its user. What a bot does wrong is a `Fault` in a record, never an error."""

from __future__ import annotations


class ArenaError(Exception):
    """The arena could not do its work; a match that it hits is void. Exit code 3."""

    exit_code = 3


class UsageError(ArenaError):
    """The user asked for something that does not exist or does not fit. Exit code 2."""

    exit_code = 2


class SandboxError(UsageError):
    """No sandbox of the kind that was asked for works here."""


class BotSetupError(UsageError):
    """A bot's file, manifest or build is not in order."""


class RecordError(UsageError):
    """A file is not a match record, or one of a format unknown to this version."""


class NobodyListens(ArenaError):
    """Whoever read what we say has gone."""

    exit_code = 0

"""What the launcher is asked to start, and the descriptors that it starts it with."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # what only a type checker needs is not worth an import
    import socket
    from typing import Any

HOME = "/bot"  # where a bot finds its own folder


class Order:
    """What is to be started."""

    argv: list[str]
    env: dict[str, str]
    folder: str  # the bot's, on the host
    scratch: str | None  # of a build: a folder on the host that is its /tmp; its own folder is writable then
    shown: list[str]  # what else to show as it is
    listed: list[str]  # where names may be seen, but nothing read
    memory_mb: int
    scratch_mb: int  # in its /tmp
    file_mb: int  # in any file
    open_files: int
    tasks: int  # threads and processes at once
    cpus: list[int]
    processes: bool  # whether child processes are allowed
    uid: int | None  # to drop to, if we are root
    namespaces: bool  # or Landlock alone
    bwrap: str | None  # the program that makes the namespaces, if we do not

    def __init__(self, fields: dict[str, Any]) -> None:
        self.__dict__.update(fields)


class Wires:
    """The descriptors of a bot under construction."""

    def __init__(self, pipes: list[int], report: int, trouble: socket.socket, entrances: list[int]) -> None:
        self.pipes = pipes  # its stdin, stdout and stderr
        self.report = report  # where the head tells how the bot ended
        self.trouble = trouble  # to the launcher: what went wrong; closes when the program is executed
        self.entrances = entrances  # of its control group

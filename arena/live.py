"""Matches while they are played: a worker writes down each ply, anybody may read along.

How it works: every worker has one file in the league's folder `live/`, one JSON object a line: first what is played
and by whom, then every ply and fault, at last the word `over`. A new match replaces the file whole, so a reader never
sees half of one and half of another. A ply costs one small write, and is not synced: what matters is in the record.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from arena.match import MatchSpec
from arena.record import Fault, PlyRecord
from arena.referee import Observer
from engine import Game

FOLDER = "live"
_OVER = b'{"over":true}\n'


class LiveHead(msgspec.Struct, frozen=True, kw_only=True, tag="head", tag_field="line"):
    """The first line: what is played, and by whom."""

    match: str
    spec: MatchSpec
    names: tuple[str, ...]
    bots: tuple[int, ...]  # of the league, by seat
    pid: int  # of the worker


class LiveMatch(NamedTuple):
    """A match as far as it has come."""

    worker: str
    head: LiveHead
    steps: tuple[PlyRecord | Fault, ...]
    is_over: bool


class LiveWriter(Observer):
    """Writes down one match. Trouble with the file is nobody's business: the match goes on."""

    def __init__(self, folder: Path, worker: str, head: LiveHead) -> None:
        """Begin the file of a worker anew; `folder` is the league's."""
        self._handle = -1
        with suppress(OSError):
            (folder / FOLDER).mkdir(exist_ok=True)
            handle, scratch = tempfile.mkstemp(dir=folder / FOLDER, prefix=f".{worker}-")
            os.fchmod(handle, 0o644)
            os.write(handle, msgspec.json.encode(head) + b"\n")
            Path(scratch).replace(folder / FOLDER / f"{worker}.jsonl")
            self._handle = handle

    def on_ply(self, game: Game, ply: PlyRecord) -> None:  # noqa: ARG002
        """Write down a placement."""
        self._add({"ply": ply})

    def on_fault(self, game: Game, fault: Fault) -> None:  # noqa: ARG002
        """Write down a fault."""
        self._add({"fault": fault})

    def close(self) -> None:
        """Say that the match is over."""
        if self._handle >= 0:
            with suppress(OSError):
                os.write(self._handle, _OVER)
            with suppress(OSError):
                os.close(self._handle)
            self._handle = -1

    def __enter__(self) -> LiveWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _add(self, line: dict[str, PlyRecord | Fault]) -> None:
        if self._handle >= 0:
            with suppress(OSError):
                os.write(self._handle, msgspec.json.encode(line) + b"\n")


class _Line(msgspec.Struct, frozen=True):
    ply: PlyRecord | None = None
    fault: Fault | None = None
    over: bool = False


_heads = msgspec.json.Decoder(LiveHead)
_lines = msgspec.json.Decoder(_Line)


def running(folder: Path) -> list[LiveMatch]:
    """Return the matches that are being played in a league now, by worker; those of dead workers are left out."""
    found = [read_live(path) for path in sorted((folder / FOLDER).glob("*.jsonl"))]
    return [match for match in found if match is not None and not match.is_over and _is_alive(match.head.pid)]


def read_live(path: Path) -> LiveMatch | None:
    """Return what a worker has written down so far, or None; a line that is not finished waits for the next time."""
    try:
        first, *lines = path.read_bytes().split(b"\n")[:-1] or [b""]
        head = _heads.decode(first)
        rest = [_lines.decode(line) for line in lines]
    except (OSError, msgspec.MsgspecError):
        return None
    steps = tuple([step for line in rest if (step := line.ply or line.fault) is not None])
    return LiveMatch(path.stem, head, steps, any(line.over for line in rest))


def clear_live(folder: Path, workers: Sequence[str] = ()) -> None:
    """Remove the files of a tournament that has ended."""
    for path in (folder / FOLDER).glob("*.jsonl"):
        if not workers or path.stem in workers:
            with suppress(OSError):
                path.unlink()


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it is somebody else's
        return True
    return True

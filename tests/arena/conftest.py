"""A watchdog, and a check that a test leaves no process and no descriptor behind."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from arena.sandbox.choose import why_not
from tests.arena.leftovers import descendants, open_descriptors, processes_in

_STALLED_AFTER_S = 60


class Stalled(Exception):
    """A test took so long that something must have blocked."""


@pytest.fixture
def nothing_is_left(tmp_path: Path) -> Iterator[None]:
    """Fail a test that stalls, or that leaves a process, a zombie or an open descriptor."""
    why_not("namespaces")  # starts the sandbox's launcher, which stays up, and its socket with it
    before = open_descriptors()
    known = _reap_orphans()
    with _watchdog():
        yield
    strays = {pid: shown for pid, shown in {**descendants(), **processes_in(tmp_path)}.items() if pid not in known}
    for pid in strays:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)
    assert not strays, "processes are left"
    assert open_descriptors() == before, "descriptors are left"


def _reap_orphans() -> set[int]:
    """Reap what came to us from processes that other tests have killed; return what is still there of it."""
    for pid, shown in descendants().items():
        if shown.endswith("(Z)"):
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
    return set(descendants())


@contextmanager
def _watchdog() -> Iterator[None]:
    def bark(*_: object) -> None:
        raise Stalled(f"not done after {_STALLED_AFTER_S} s")

    previous = signal.signal(signal.SIGALRM, bark)
    signal.setitimer(signal.ITIMER_REAL, _STALLED_AFTER_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


@pytest.fixture(autouse=True, scope="session")
def _builds_go_to_a_cache_of_their_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield

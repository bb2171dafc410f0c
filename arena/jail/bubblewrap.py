"""The same box, made by bubblewrap: for hosts on which only that program may make namespaces.

How it works. Our child gives up its rights and limits itself, as a bot does, and executes `bwrap`, which builds the
file system, applies our filter and executes the bot's program. A status pipe tells which process that is; that the
program runs, and is no longer bwrap itself, is seen from outside. Root could make namespaces without its help; its bots
run as another user here too, to whom folders that are closed to others are shown by mounts in a place of our own.
"""

from __future__ import annotations

import os
import select
import signal
import time

from arena.jail import kernel, proc
from arena.jail.build import complain, drop_rights, get_ready, limit, seen_inside, settle, take_pipes
from arena.jail.cgroup import enter
from arena.jail.order import HOME, Order, Wires
from arena.jail.root import links, make_place, mount_tmpfs, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_STATUS, _FILTER = 4, 5
_SHARED_MB = 16
_PLACES = ("/mnt", "/media", "/srv", "/opt")
_LOOK_S = 0.0002
_OPTIONS = (
    "--unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts --unshare-cgroup-try --hostname arena "
    f"--uid 1000 --gid 1000 --cap-drop ALL --die-with-parent --new-session --json-status-fd {_STATUS} "
    f"--seccomp {_FILTER} --proc /proc --tmpfs /proc/1 --remount-ro /proc/1 --dev /dev"
).split()


def be_bubblewrap(order: Order, wires: Wires, status: int) -> NoReturn:
    """Become bubblewrap, which becomes the bot."""
    trouble, stage = wires.trouble.fileno(), "sandbox"
    try:
        sources = _reachable(order) if order.uid is not None else _seen(order)
        settle(order)
        enter(wires.entrances)
        trouble = take_pipes(wires.pipes, trouble, status, _filter_of(order))
        drop_rights(order)
        kernel.die_with_parent(signal.SIGKILL)  # only now: a change of user clears it
        if kernel.is_hung_up(trouble):
            os._exit(1)
        limit(order)
        stage = "exec"
        if not order.argv[0]:
            raise ValueError("the command is empty")
        os.execve(order.bwrap or "", _command(order, sources), order.env)
    except BaseException as error:
        complain(trouble, stage, f"{type(error).__name__}: {error}")
    finally:
        os._exit(127)


def _command(order: Order, sources: list[tuple[str, str]]) -> list[str]:
    """Return the command that makes bubblewrap show the bot each source in its place, and execute it."""
    # what is shared by /dev/zero is counted nowhere; /dev/full reads alike and cannot be shared
    words = [
        "bwrap",
        *_OPTIONS,
        "--dev-bind",
        "/dev/full",
        "/dev/zero",
        "--size",
        str(_SHARED_MB << 20),
        "--tmpfs",
        "/dev/shm",
    ]
    if order.scratch is None:
        words += ["--size", str(order.scratch_mb << 20), "--tmpfs", "/tmp"]
    for name, target in links():
        if not name.startswith("/dev/"):
            words += ["--symlink", target, name]
    for source, place in sources:
        changes = order.scratch is not None and place in (HOME, "/tmp")
        words += ["--bind" if changes else "--ro-bind", source, place]
    return [*words, "--remount-ro", "/", "--chdir", HOME, "--", *seen_inside(order)]


def _seen(order: Order) -> list[tuple[str, str]]:
    """Return what to show to a bot, and where."""
    scratch = [] if order.scratch is None else [(order.scratch, "/tmp")]
    return [*scratch, *[(path, path) for path in shown(order)], (order.folder, HOME)]


def _reachable(order: Order) -> list[tuple[str, str]]:
    """Return the same, by paths that lead through no folder that is closed to others; in our own mount namespace."""
    sources = [(os.open(path, os.O_PATH), place) for path, place in _seen(order)]
    kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    top = next(place for place in _PLACES if os.path.isdir(place) and not any(p.startswith(place) for p in order.shown))
    mount_tmpfs(top, "size=1m,mode=755")
    for at, (handle, _) in enumerate(sources):
        make_place(handle, f"{top}/{at}")
        kernel.mount(f"/proc/self/fd/{handle}", f"{top}/{at}", None, kernel.MS_BIND | kernel.MS_REC)
    return [(f"{top}/{at}", place) for at, (_, place) in enumerate(sources)]


def _filter_of(order: Order) -> int:
    """Return a pipe from which the filter can be read."""
    ours, theirs = os.pipe()
    os.write(theirs, get_ready(order))
    os.close(theirs)
    return ours


# ---- seen from the launcher


def await_bot(status: int, monitor: int, patience_s: float) -> tuple[int, bool]:
    """Return the number of the bot when its program runs, 0 if it has ended before that; and whether it was run."""
    os.set_blocking(status, False)
    poll = select.poll()
    poll.register(monitor, select.POLLIN)
    said, first, deadline = b"", 0, time.monotonic() + patience_s
    while time.monotonic() < deadline:
        has_ended = bool(poll.poll(0))
        said += _read(status)
        if b'"child-pid"' in said:
            first = int(said.partition(b'"child-pid":')[2].replace(b",", b" ").split(None, 1)[0])
        for bot in proc.children(first) if first else []:
            if _is_executed(bot):
                return bot, True
        if has_ended:
            return 0, b'"exit-code"' in said
        time.sleep(_LOOK_S)
    return 0, False


def _read(status: int) -> bytes:
    try:
        return os.read(status, 4096)
    except BlockingIOError:
        return b""


def _is_executed(bot: int) -> bool:
    """Tell whether a process is no longer bubblewrap."""
    try:
        return os.path.basename(os.readlink(f"/proc/{bot}/exe")) != "bwrap"
    except OSError:
        return False


def code_of(code: int) -> int:
    """Return how the bot ended, given how bubblewrap ended, which tells a signal by a number above 128."""
    return 128 - code if code > 128 else code

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
from arena.jail.root import DEVICES, links, make_place, mount_tmpfs, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_STATUS, _FILTER = 4, 5
_MOST_WORDS = 9000  # of a command: bubblewrap takes no more
_PLACES = ("/mnt", "/media", "/srv", "/opt")
_LOOK_S = 0.0002
_OPTIONS = (
    "--unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts --unshare-cgroup-try --hostname arena "
    f"--uid 1000 --gid 1000 --cap-drop ALL --die-with-parent --new-session --json-status-fd {_STATUS} "
    f"--seccomp {_FILTER} --proc /proc"
).split()
_EMPTY = ["--size", "4096", "--perms", "0000", "--tmpfs"]  # a folder that is closed, and has no room
# what /proc tells everybody of what else runs on the machine; process 1 is bubblewrap
_TELLING = (
    "1", "buddyinfo", "cgroups", "diskstats", "interrupts", "key-users", "keys", "loadavg", "locks", "meminfo",
    "pressure", "schedstat", "softirqs", "stat", "sys", "uptime", "vmstat", "zoneinfo",
)  # fmt: skip


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
        # with an environment of its own: that of the bot could load a stranger's code into it, outside of any box
        os.execve(order.bwrap or "", _command(order, sources), {})
    except BaseException as error:
        complain(trouble, stage, str(error) if stage == "exec" else f"{type(error).__name__}: {error}")
    finally:
        os._exit(127)


def _command(order: Order, sources: list[tuple[str, str]]) -> list[str]:
    """Return the command that makes bubblewrap show the bot each source in its place, and execute it."""
    if not order.argv[0]:
        raise ValueError("the command is empty")
    words = ["bwrap", *_OPTIONS, *_hide_machine()]
    for name in DEVICES:
        # what is shared by /dev/zero is counted nowhere; /dev/full reads alike and cannot be shared
        words += ["--dev-bind", f"/dev/{'full' if name == 'zero' else name}", f"/dev/{name}"]
    if order.scratch is None:
        words += ["--size", str(order.scratch_mb << 20), "--tmpfs", "/tmp"]
    for name, target in links():
        words += ["--symlink", target, name]
    for source, place in sources:
        changes = order.scratch is not None and place in (HOME, "/tmp")
        words += ["--bind" if changes else "--ro-bind", source, place]
    words += [*_set_environment(order.env), "--remount-ro", "/", "--chdir", HOME, "--", *seen_inside(order)]
    if len(words) > _MOST_WORDS:
        raise ValueError("its arguments or its environment are too long")
    return words


def _hide_machine() -> list[str]:
    """Return the options that leave of /proc what is the bot's own, to be read."""
    words: list[str] = []
    for path in filter(os.path.exists, [f"/proc/{name}" for name in _TELLING]):
        words += [*_EMPTY, path] if os.path.isdir(path) else ["--ro-bind", "/dev/null", path]
    return [*words, "--remount-ro", "/proc"]


def _set_environment(env: dict[str, str]) -> list[str]:
    """Return the options that give the bot's program its environment."""
    words: list[str] = []
    for name, value in env.items():
        if not name or "=" in name:
            raise ValueError(f"{name!r} is no name of an environment variable")
        words += ["--setenv", name, value]
    return words


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
            if _is_executed(bot, first):
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


def _is_executed(bot: int, first: int) -> bool:
    """Tell whether a process is no longer bubblewrap, which the first of its namespace always is."""
    try:
        return _image(bot) != _image(first)
    except OSError:
        return False


def _image(pid: int) -> tuple[int, int, bytes]:
    """Return what is another after a program was executed, be it the same one: the file, and where the stack begins."""
    program = os.stat(f"/proc/{pid}/exe")
    with open(f"/proc/{pid}/stat", "rb") as file:
        stack = file.read().rpartition(b")")[2].split()[25]
    return program.st_dev, program.st_ino, stack


def code_of(code: int) -> int:
    """Return how the bot ended, given how bubblewrap ended, which tells a signal by a number above 128."""
    return 128 - code if code > 128 else code

"""What happens between the fork and the exec of a confined bot. Runs in the launcher: little of the standard library.

How it works. Two processes stand for a bot. The *head* is forked by the launcher, into new namespaces: it is process 1
of a pid namespace, builds the file system that the bot will see, forks the bot, and reports how it ended; when it ends
or is killed, the kernel kills everything in the namespace. The *bot* gives up all rights, one after the other, and
executes its program. Without namespaces the head sees to the bot's process group instead; if the bot cannot have
children either, it needs no head, and is forked by the launcher itself.
"""

from __future__ import annotations

import errno
import marshal
import os
import resource
import signal
import socket
from functools import cache

from arena.jail import kernel, landlock, seccomp
from arena.jail.cgroup import enter
from arena.jail.order import HOME, Order, Wires
from arena.jail.root import DEVICES, build_root, links, shown, system_paths, writable

TYPE_CHECKING = False
if TYPE_CHECKING:  # what only a type checker needs is not worth an import
    from typing import NoReturn

_INSIDE_ID = 1000  # the user and group that a bot sees itself as
_OWN_UID, _OWN_GID = os.geteuid(), os.getegid()  # asked before there is a user namespace, in which they are nobody
# of its own folder in /proc, which also tells of the machine's network and mounts
_OWN_PROC = ("fd", "maps", "stat", "statm", "status")
_SHARED_PROC = ("/proc/cpuinfo",)
_NAMESPACES = (
    kernel.CLONE_NEWNS
    | kernel.CLONE_NEWPID
    | kernel.CLONE_NEWNET
    | kernel.CLONE_NEWIPC
    | kernel.CLONE_NEWUTS
    | kernel.CLONE_NEWCGROUP
)
_MEGABYTE = 1 << 20
_RESERVED_MB = 64 << 10  # of addresses: WebAssembly reserves 10 GB for each memory, Java as much as it likes
_PEAK_SLACK_KIB = 1024  # the kernel counts pages in batches


def needs_head(order: Order) -> bool:
    """Tell whether a head is to be forked, or the bot at once."""
    return order.namespaces or order.processes


def namespaces_of(order: Order) -> int:
    """Return the namespaces that the first process of a box is to be forked into."""
    if order.bwrap:
        return kernel.CLONE_NEWNS if order.uid is not None else 0
    if not order.namespaces:
        return 0
    return _NAMESPACES | (0 if order.uid is not None else kernel.CLONE_NEWUSER)


def get_ready(order: Order) -> bytes:
    """Do, in the launcher, what each start would have to do again; return the filter."""
    system_paths()
    links()
    return _filter(order.processes, not order.namespaces, order.scratch is not None, order.uid is None)


@cache
def _filter(processes: bool, sees_others: bool, builds: bool, is_owner: bool, signals_only: int | None = None) -> bytes:
    return seccomp.build_filter(
        kernel.MACHINE,
        allows_processes=processes,
        sees_others=sees_others,
        signals_only=signals_only,
        builds=builds,
        is_owner=is_owner,
    )


# ---- the head


def be_head(order: Order, wires: Wires) -> NoReturn:
    """Be the head of a bot, from its start to its report."""
    step = "the user namespace"
    try:
        _tie_to_launcher(order, wires)
        if order.namespaces:
            if order.uid is None:
                _map_user()
            step = "the file system"
            build_root(order)
            kernel.call("prctl", kernel.PR_SET_DUMPABLE, 0, 0, 0, 0)  # nothing of it can be read from inside
        step = "the bot"
        head = os.getpid()
        bot, handle = kernel.fork_into(0)
        if bot == 0:
            be_bot(order, wires, head)
        socket.send_fds(wires.trouble, [b"bot"], [handle])
        _close_all_but(wires.report)
        if order.namespaces:
            kernel.drop_capabilities()
        _see_to(bot, order, wires.report)
    except BaseException as error:
        complain(wires.trouble.fileno(), "sandbox", f"{step}: {error}")
    finally:
        os._exit(0)


def _tie_to_launcher(order: Order, wires: Wires) -> None:
    """Be gone when the launcher is; without a pid namespace, take the bot's children along first."""
    if order.namespaces:
        kernel.die_with_parent(signal.SIGKILL)
    else:
        kernel.call("prctl", kernel.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        kernel.die_with_parent(signal.SIGTERM)
    if kernel.is_hung_up(wires.trouble.fileno()):
        os._exit(1)
    os.setsid()


def _see_to(bot: int, order: Order, report: int) -> None:
    """Wait for the end of the bot, end what it leaves, and report how it went."""
    if not order.namespaces:
        signal.signal(signal.SIGTERM, lambda *_: _end_group(bot))
    while (ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)) and ended.si_pid != bot:
        os.waitpid(ended.si_pid, 0)  # an orphan, which comes to us
    if not order.namespaces:
        _end_group(bot)  # before it is reaped: until then its number means nobody else
    _, status, usage = os.wait4(bot, 0)
    if not order.namespaces:
        _reap()
    report_end(report, os.waitstatus_to_exitcode(status), usage)


def report_end(report: int, code: int, usage: resource.struct_rusage) -> None:
    """Tell the referee how a bot ended; a signal is a negative code."""
    # what we held ourselves at the fork counts as the bot's own, so only more than that tells anything
    inherited = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss + _PEAK_SLACK_KIB
    peak_kib = usage.ru_maxrss if usage.ru_maxrss > inherited else 0
    cpu_ms = round((usage.ru_utime + usage.ru_stime) * 1000)
    try:
        os.write(report, marshal.dumps((code, cpu_ms, peak_kib)))
    except BrokenPipeError:
        pass  # it does not want to know any more


def _end_group(bot: int) -> None:
    for kill in (os.killpg, os.kill):  # it may not have come to have a group
        try:
            kill(bot, signal.SIGKILL)
        except ProcessLookupError:
            pass


def _reap() -> None:
    try:
        while True:
            os.wait()
    except ChildProcessError:
        pass


def complain(trouble: int, stage: str, text: str) -> None:
    """Tell the launcher what went wrong."""
    os.write(trouble, marshal.dumps((stage, text)))


def _close_all_but(*kept: int) -> None:
    low = 0
    for descriptor in sorted(kept):
        os.closerange(low, descriptor)
        low = descriptor + 1
    os.closerange(low, 4096)


def _map_user() -> None:
    """Be, in the new user namespace, a user of its own; it stays the one that we are for the host."""
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{_INSIDE_ID} {_OWN_UID} 1"),
        ("gid_map", f"{_INSIDE_ID} {_OWN_GID} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


# ---- the bot


def be_bot(order: Order, wires: Wires, parent: int) -> NoReturn:
    """Give up all rights and execute the bot's program."""
    trouble, stage = wires.trouble.fileno(), "sandbox"
    try:
        settle(order)
        os.chdir(HOME if order.namespaces else order.folder)
        enter(wires.entrances)
        trouble = take_pipes(wires.pipes, trouble)
        rules = _rules(order)
        drop_rights(order)
        if not order.namespaces:
            kernel.die_with_parent(signal.SIGKILL)  # only now: a change of user clears it
            if os.getppid() != parent:
                os._exit(1)
        limit(order)
        landlock.enforce(rules)
        seccomp.install(_filter_of(order))
        stage = "exec"
        _execute(seen_inside(order) if order.namespaces else order.argv, order.env)
    except BaseException as error:
        said = error.strerror if stage == "exec" and isinstance(error, OSError) else None
        complain(trouble, stage, said or f"{type(error).__name__}: {error}")
    finally:
        os._exit(127)


def settle(order: Order) -> None:
    """Begin a session of our own on the bot's core, with what Python changed put back."""
    os.setsid()
    os.sched_setaffinity(0, order.cpus)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)  # Python ignores them, and that would survive the exec
    os.umask(0o077)


def _execute(argv: list[str], env: dict[str, str]) -> None:
    """Execute a program; the standard library's search for it imports modules, which are out of reach by now."""
    trouble: OSError = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    for folder in env.get("PATH", os.defpath).split(":") if "/" not in argv[0] else [""]:
        program = os.path.join(folder, argv[0])
        try:
            os.execve(program, argv, env)
        except OSError as error:
            if os.path.exists(program):  # that a folder of the search is closed to us says nothing
                trouble = error
    raise trouble


def seen_inside(order: Order) -> list[str]:
    """Return the command, with the bot's folder where the bot finds it."""
    folder = f"{order.folder}/"
    return [HOME + word[len(order.folder) :] if word.startswith(folder) else word for word in order.argv]


def _rules(order: Order) -> int:
    if order.namespaces:
        return landlock.prepare(["/"], [*writable(order), "/dev/null"])
    readable = [*shown(order), order.folder, *_SHARED_PROC, *[f"/dev/{name}" for name in DEVICES]]
    changeable = [] if order.scratch is None else [order.folder, order.scratch]
    readable += [f"/proc/self/{name}" for name in _OWN_PROC]
    return landlock.prepare(readable, [*changeable, "/dev/null"], order.listed)


def _filter_of(order: Order) -> bytes:
    if order.namespaces or landlock.version() >= landlock.SCOPED_SINCE:
        return get_ready(order)
    return _filter(order.processes, True, order.scratch is not None, order.uid is None, os.getpid())


def take_pipes(pipes: list[int], trouble: int, *others: int) -> int:
    """Make the three pipes the standard ones and close everything else, but the one for trouble, which moves to 3.

    What else is to stay open moves to 4 and so on, and stays so when a program is executed.
    """
    high = max(*pipes, trouble, *others, 10) + 1
    kept = [*pipes, trouble, *others]
    moved = [os.dup2(descriptor, high + at, inheritable=False) for at, descriptor in enumerate(kept)]
    for at, descriptor in enumerate(moved):
        os.dup2(descriptor, at, inheritable=at != 3)
    os.closerange(len(kept), 4096)
    return 3


def drop_rights(order: Order) -> None:
    """Become the bot's user, without capabilities."""
    if order.uid is not None:
        for descriptor in range(3):
            os.fchown(descriptor, order.uid, order.uid)  # or it could not open /dev/stdout and the like
        os.setgroups([])
        os.setresgid(order.uid, order.uid, order.uid)
        os.setresuid(order.uid, order.uid, order.uid)
    kernel.drop_capabilities()


def limit(order: Order) -> None:
    """Put the limits of a bot on this process and all that it executes."""
    for what, most, at_first in (
        # 1 is not 0: only then a crash starts no collector of core dumps on the host either
        (resource.RLIMIT_CORE, 1, 1),
        (resource.RLIMIT_MEMLOCK, 0, 0),
        (resource.RLIMIT_NOFILE, order.open_files, order.open_files),
        (resource.RLIMIT_SIGPENDING, *[_most_signals(order)] * 2),
        (resource.RLIMIT_FSIZE, order.file_mb * _MEGABYTE, order.file_mb * _MEGABYTE),
        (resource.RLIMIT_DATA, order.memory_mb * _MEGABYTE, order.memory_mb * _MEGABYTE),
        (resource.RLIMIT_STACK, 64 * _MEGABYTE, 8 * _MEGABYTE),  # RLIMIT_DATA does not count it
        (resource.RLIMIT_AS, *[(_RESERVED_MB + order.memory_mb) * _MEGABYTE] * 2),
        (resource.RLIMIT_NPROC, *[_most_tasks(order)] * 2),
    ):
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (min(at_first, most), most))


def _is_counted_alone(order: Order) -> bool:
    """Tell whether what is counted for a user is the bot's own: by a user of its own, or within its namespace."""
    return order.uid is not None or (order.namespaces and not order.bwrap)


def _most_signals(order: Order) -> int:
    """Return how many signals may wait, with what they carry: two bots of one user could talk by their number."""
    return order.open_files if _is_counted_alone(order) or order.scratch is not None else 0


def _most_tasks(order: Order) -> int:
    """Return how many tasks the kernel is to allow the bot's user, who may be one that runs other things as well."""
    if _is_counted_alone(order):
        return order.tasks
    with open("/proc/loadavg") as file:
        return order.tasks + int(file.read().split()[3].partition("/")[2])  # and as many as there are of any user

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
import stat
from functools import cache

from arena.jail import kernel, landlock, seccomp

TYPE_CHECKING = False
if TYPE_CHECKING:  # what only a type checker needs is not worth an import
    from typing import Any, NoReturn

HOME = "/bot"  # where a bot finds its own folder
_INSIDE_ID = 1000  # the user and group that a bot sees itself as
_OWN_UID, _OWN_GID = os.geteuid(), os.getegid()  # asked before there is a user namespace, in which they are nobody
_LINKED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_SYSTEM = ("/usr", "/nix/store", *[f"/{name}" for name in _LINKED])
_ETC = ("ld.so.cache", "alternatives", "ssl", "pki", "crypto-policies", "localtime")
_ETC_VERSIONED = ("java-", "python3")
_DEVICES = ("null", "zero", "full", "random", "urandom")
# of its own folder in /proc, which also tells of the machine's network and mounts
_OWN_PROC = ("fd", "maps", "stat", "statm", "status")
_SHARED_PROC = ("/proc/cpuinfo", "/proc/meminfo")
_NAMESPACES = (
    kernel.CLONE_NEWNS
    | kernel.CLONE_NEWPID
    | kernel.CLONE_NEWNET
    | kernel.CLONE_NEWIPC
    | kernel.CLONE_NEWUTS
    | kernel.CLONE_NEWCGROUP
)
_MEGABYTE = 1 << 20
_OPEN_FILES = 256
_PEAK_SLACK_KIB = 1024  # the kernel counts pages in batches


class Order:
    """What is to be started."""

    argv: list[str]
    env: dict[str, str]
    folder: str  # the bot's, on the host
    shown: list[str]  # what else to show as it is
    memory_mb: int
    scratch_mb: int
    tasks: int  # threads and processes at once
    cpus: list[int]
    processes: bool  # whether child processes are allowed
    uid: int | None  # to drop to, if we are root
    namespaces: bool  # or Landlock alone

    def __init__(self, fields: dict[str, Any]) -> None:
        self.__dict__.update(fields)


class Wires:
    """The descriptors of a bot under construction."""

    def __init__(self, pipes: list[int], report: int, trouble: socket.socket) -> None:
        self.pipes = pipes  # its stdin, stdout and stderr
        self.report = report  # where the head tells how the bot ended
        self.trouble = trouble  # to the launcher: what went wrong; closes when the program is executed


def needs_head(order: Order) -> bool:
    """Tell whether a head is to be forked, or the bot at once."""
    return order.namespaces or order.processes


def namespaces_of(order: Order) -> int:
    """Return the namespaces that the first process of a box is to be forked into."""
    if not order.namespaces:
        return 0
    return _NAMESPACES | (0 if order.uid is not None else kernel.CLONE_NEWUSER)


@cache
def get_ready(processes: bool, namespaces: bool) -> bytes:
    """Do, in the launcher, what each start would have to do again; return the filter."""
    _system_paths()
    _links()
    return seccomp.build_filter(kernel.MACHINE, allows_processes=processes, sees_others=not namespaces)


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
            _build_root(order)
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
        _complain(wires.trouble.fileno(), "sandbox", f"{step}: {error}")
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
    report_end(report, status, usage)


def report_end(report: int, status: int, usage: resource.struct_rusage) -> None:
    """Tell the referee how a bot ended."""
    # what we held ourselves at the fork counts as the bot's own, so only more than that tells anything
    inherited = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss + _PEAK_SLACK_KIB
    peak_kib = usage.ru_maxrss if usage.ru_maxrss > inherited else 0
    cpu_ms = round((usage.ru_utime + usage.ru_stime) * 1000)
    try:
        os.write(report, marshal.dumps((os.waitstatus_to_exitcode(status), cpu_ms, peak_kib)))
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


def _complain(trouble: int, stage: str, text: str) -> None:
    os.write(trouble, marshal.dumps((stage, text)))


def _close_all_but(*kept: int) -> None:
    low = 0
    for descriptor in sorted(kept):
        os.closerange(low, descriptor)
        low = descriptor + 1
    os.closerange(low, 4096)


# ---- the file system


def _map_user() -> None:
    """Be, in the new user namespace, a user of its own; it stays the one that we are for the host."""
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{_INSIDE_ID} {_OWN_UID} 1"),
        ("gid_map", f"{_INSIDE_ID} {_OWN_GID} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def _build_root(order: Order) -> None:
    kernel.call("sethostname", b"arena", 5)
    kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    # by handle: what we mount on top may hide their names, and a home closed to others does not matter
    sources = [(os.open(path, os.O_PATH), path) for path in _shown(order)]
    sources.append((os.open(order.folder, os.O_PATH), HOME))
    devices = [(os.open(f"/dev/{name}", os.O_PATH), f"/dev/{name}") for name in _DEVICES]
    root = "/tmp"
    _mount_tmpfs(root, "size=1m,mode=755")
    for name in ("proc", "dev", "tmp", "etc"):
        os.mkdir(f"{root}/{name}", 0o755)
    for name, target in _links():
        os.symlink(target, root + name)
    _mount_tmpfs(f"{root}/tmp", f"size={order.scratch_mb}m,nr_inodes=4096,mode=1777")
    for handle, path in sources + devices:
        _make_place(handle, root + path)
    for handle, path in sources:
        kernel.mount(f"/proc/self/fd/{handle}", root + path, None, kernel.MS_BIND | kernel.MS_REC)
    kernel.make_read_only(root)
    kernel.make_writable(f"{root}/tmp")
    for handle, path in devices:
        kernel.mount(f"/proc/self/fd/{handle}", root + path, None, kernel.MS_BIND)
    _mount_proc(f"{root}/proc")
    kernel.pivot_root(root)


@cache
def _system_paths() -> list[str]:
    found = [path for path in _SYSTEM if os.path.isdir(path) and not os.path.islink(path)]
    return found + [f"/etc/{name}" for name in os.listdir("/etc") if name in _ETC or name.startswith(_ETC_VERSIONED)]


@cache
def _links() -> list[tuple[str, str]]:
    """Return the links of the root, in which programs are found as on the host."""
    host = [(path, os.readlink(path)) for path in _SYSTEM if os.path.islink(path)]
    own = [("/dev/stdin", "/proc/self/fd/0"), ("/dev/stdout", "/proc/self/fd/1"), ("/dev/stderr", "/proc/self/fd/2")]
    return [*host, *own, ("/dev/fd", "/proc/self/fd"), ("/dev/shm", "/tmp")]


def _shown(order: Order) -> list[str]:
    """Return what the bot may see of the host, outermost first: the system's programs, and what it was given."""
    shown: list[str] = []
    for path in sorted([*_system_paths(), *order.shown]):
        if not any(path == above or path.startswith(f"{above}/") for above in shown):
            shown.append(path)
    return shown


def _make_place(handle: int, target: str) -> None:
    """Make the folder or the empty file on which something is to be mounted."""
    if stat.S_ISDIR(os.fstat(handle).st_mode):
        os.makedirs(target, 0o755, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), 0o755, exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))


def _mount_tmpfs(target: str, options: str) -> None:
    kernel.mount("tmpfs", target, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, options)


def _mount_proc(target: str) -> None:
    """Mount a /proc that shows the bot's own processes, and neither the head nor the machine."""
    flags = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
    try:
        kernel.mount("proc", target, "proc", flags, "subset=pid,hidepid=4")
    except OSError:
        kernel.mount("proc", target, "proc", flags)  # before Linux 5.8


# ---- the bot


def be_bot(order: Order, wires: Wires, parent: int) -> NoReturn:
    """Give up all rights and execute the bot's program."""
    trouble, stage = wires.trouble.fileno(), "sandbox"
    try:
        os.setsid()
        os.sched_setaffinity(0, order.cpus)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)  # Python ignores them, and that would survive the exec
        os.chdir(HOME if order.namespaces else order.folder)
        os.umask(0o077)
        trouble = _take_pipes(wires.pipes, trouble)
        rules = _rules(order)
        _drop_rights(order)
        if not order.namespaces:
            kernel.die_with_parent(signal.SIGKILL)  # only now: a change of user clears it
            if os.getppid() != parent:
                os._exit(1)
        _limit(order)
        landlock.enforce(rules)
        seccomp.install(_filter(order))
        stage = "exec"
        _execute(_seen_inside(order) if order.namespaces else order.argv, order.env)
    except BaseException as error:
        said = error.strerror if stage == "exec" and isinstance(error, OSError) else None
        _complain(trouble, stage, said or f"{type(error).__name__}: {error}")
    finally:
        os._exit(127)


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


def _seen_inside(order: Order) -> list[str]:
    """Return the command, with the bot's folder where the bot finds it."""
    folder = f"{order.folder}/"
    return [HOME + word[len(order.folder) :] if word.startswith(folder) else word for word in order.argv]


def _rules(order: Order) -> int:
    if order.namespaces:
        return landlock.prepare(["/"], ["/tmp", "/dev/null"])
    readable = [*_shown(order), order.folder, *_SHARED_PROC, *[f"/dev/{name}" for name in _DEVICES]]
    return landlock.prepare([*readable, *[f"/proc/self/{name}" for name in _OWN_PROC]], ["/dev/null"])


def _filter(order: Order) -> bytes:
    if order.namespaces or landlock.version() >= landlock.SCOPED_SINCE:
        return get_ready(order.processes, order.namespaces)
    return seccomp.build_filter(
        kernel.MACHINE, allows_processes=order.processes, sees_others=True, signals_only=os.getpid()
    )


def _take_pipes(pipes: list[int], trouble: int) -> int:
    """Make the three pipes the standard ones, and close everything else but the one for trouble, which moves to 3."""
    high = max(*pipes, trouble, 10) + 1
    moved = [os.dup2(descriptor, high + at, inheritable=False) for at, descriptor in enumerate([*pipes, trouble])]
    for at, descriptor in enumerate(moved[:3]):
        os.dup2(descriptor, at)
    os.dup2(moved[3], 3, inheritable=False)
    os.closerange(4, 4096)
    return 3


def _drop_rights(order: Order) -> None:
    if order.uid is not None:
        for descriptor in range(3):
            os.fchown(descriptor, order.uid, order.uid)  # or it could not open /dev/stdout and the like
        os.setgroups([])
        os.setresgid(order.uid, order.uid, order.uid)
        os.setresuid(order.uid, order.uid, order.uid)
    kernel.drop_capabilities()


def _limit(order: Order) -> None:
    for what, most, at_first in (
        # 1 is not 0: only then a crash starts no collector of core dumps on the host either
        (resource.RLIMIT_CORE, 1, 1),
        (resource.RLIMIT_MEMLOCK, 0, 0),
        (resource.RLIMIT_NOFILE, _OPEN_FILES, _OPEN_FILES),
        (resource.RLIMIT_SIGPENDING, _OPEN_FILES, _OPEN_FILES),
        (resource.RLIMIT_FSIZE, 32 * _MEGABYTE, 32 * _MEGABYTE),
        (resource.RLIMIT_DATA, order.memory_mb * _MEGABYTE, order.memory_mb * _MEGABYTE),
        (resource.RLIMIT_STACK, 64 * _MEGABYTE, 8 * _MEGABYTE),  # RLIMIT_DATA does not count it
        (resource.RLIMIT_AS, *[(8192 + order.memory_mb) * _MEGABYTE] * 2),
        (resource.RLIMIT_NPROC, *[_most_tasks(order)] * 2),
    ):
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (min(at_first, most), most))


def _most_tasks(order: Order) -> int:
    """Return how many tasks the kernel is to allow the bot's user, who may be one that runs other things as well."""
    if order.namespaces or order.uid is not None:
        return order.tasks  # a user of its own, or counted within the namespace
    with open("/proc/loadavg") as file:
        return order.tasks + int(file.read().split()[3].partition("/")[2])  # and as many as there are of any user

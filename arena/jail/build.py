"""What happens between the fork and the exec of a confined bot. Runs in the launcher: little of the standard library.

How it works. Three processes stand for a bot. The *keeper* unshares the namespaces and waits; it is the one that the
launcher knows. The *init* is process 1 of the new pid namespace: it builds the file system that the bot will see, forks
the bot, and reports how it ended; when it ends or is killed, the kernel kills everything in the namespace. The *bot*
gives up all rights, one after the other, and executes its program. Without namespaces the keeper forks the bot itself.
"""

from __future__ import annotations

import marshal
import os
import platform
import resource
import signal
from typing import Any, NoReturn

from arena.jail import kernel, landlock, seccomp

HOME = "/bot"  # where a bot finds its own folder
_INSIDE_ID = 1000  # the user and group that a bot sees itself as
_LINKED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_ETC = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "ssl", "localtime", "java-17-openjdk")
_DEVICES = ("null", "zero", "full", "random", "urandom")
_NAMESPACES = (
    kernel.CLONE_NEWNS
    | kernel.CLONE_NEWPID
    | kernel.CLONE_NEWNET
    | kernel.CLONE_NEWIPC
    | kernel.CLONE_NEWUTS
    | kernel.CLONE_NEWCGROUP
)


class Order(dict[str, Any]):
    """What is to be started.

    `argv`, `env`, `folder` (the bot's, on the host), `shown` (folders to show as they are), `memory_mb`,
    `scratch_mb`, `tasks`, `cpus`, `processes` (whether child processes are allowed), `uid` (to drop to, if we are
    root), `namespaces` (or Landlock alone).
    """


class Trouble(Exception):
    """The sandbox could not be set up: at which step, and why."""


def keep(order: Order, pipes: list[int], report: int, trouble: int) -> NoReturn:
    """Be the keeper of a bot, from its start to its report."""
    try:
        for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        kernel.die_with_parent(order["launcher"])
        os.setsid()
        if order["namespaces"]:
            _unshare(order)
        keeper = os.getpid()
        child = os.fork()
        if child == 0:
            if order["namespaces"]:
                _be_init(order, pipes, report, trouble)
            kernel.die_with_parent(keeper)
            _be_bot(order, pipes, trouble)
        _close_all_but(report)
        _wait_for(child, report, is_bot=not order["namespaces"])
    except BaseException as error:
        _complain(trouble, error)
    os._exit(0)


def _complain(trouble: int, error: BaseException, stage: str = "sandbox") -> None:
    text = error.strerror if stage == "exec" and isinstance(error, OSError) else f"{type(error).__name__}: {error}"
    os.write(trouble, marshal.dumps((stage, text)))


def _wait_for(child: int, report: int, *, is_bot: bool) -> None:
    """Reap until one child has ended; if it was the bot, report how."""
    while True:
        pid, status, usage = os.wait4(-1, 0)
        if pid == child:
            break
    if is_bot:
        code = os.waitstatus_to_exitcode(status)
        cpu_ms = round((usage.ru_utime + usage.ru_stime) * 1000)
        os.write(report, marshal.dumps((code, cpu_ms, usage.ru_maxrss)))


def _close_all_but(*kept: int) -> None:
    low = 0
    for descriptor in sorted(kept):
        os.closerange(low, descriptor)
        low = descriptor + 1
    os.closerange(low, 4096)


# ---- the namespaces


def _unshare(order: Order) -> None:
    uid, gid = os.getuid(), os.getgid()
    if order["uid"] is not None:
        kernel.call("unshare", _NAMESPACES)
        return
    kernel.call("unshare", _NAMESPACES | kernel.CLONE_NEWUSER)
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{_INSIDE_ID} {uid} 1"),
        ("gid_map", f"{_INSIDE_ID} {gid} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def _be_init(order: Order, pipes: list[int], report: int, trouble: int) -> NoReturn:
    try:
        kernel.call("prctl", kernel.PR_SET_PDEATHSIG, 9, 0, 0, 0)
        _build_root(order)
        bot = os.fork()
        if bot == 0:
            _be_bot(order, pipes, trouble)
        kernel.call("prctl", kernel.PR_SET_DUMPABLE, 0, 0, 0, 0)
        _close_all_but(report)
        kernel.drop_capabilities()
        _wait_for(bot, report, is_bot=True)
    except BaseException as error:
        _complain(trouble, error)
    os._exit(0)


# ---- the file system


def _build_root(order: Order) -> None:
    kernel.call("sethostname", b"arena", 5)
    kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    # sources by handle: what we mount on top may hide their names, and a home closed to others does not matter
    sources = [(os.open(path, os.O_PATH), path) for path in _shown(order)]
    sources.append((os.open(order["folder"], os.O_PATH), HOME))
    devices = [(name, os.open(f"/dev/{name}", os.O_PATH)) for name in _DEVICES]
    links = [(name, os.readlink(f"/{name}")) for name in _LINKED if os.path.islink(f"/{name}")]
    root = "/tmp"
    _mount_tmpfs(root, "size=1m,mode=755")
    for name in ("proc", "dev", "tmp", "etc"):
        os.mkdir(f"{root}/{name}", 0o755)
    scratch = f"size={order['scratch_mb']}m,nr_inodes=4096,mode=1777"
    _mount_tmpfs(f"{root}/tmp", scratch)
    for name, target in links:
        os.symlink(target, f"{root}/{name}")
    for handle, target in sources:
        _bind(handle, root + target)
    os.mkdir(f"{root}/dev/shm", 0o755)
    _mount_tmpfs(f"{root}/dev/shm", scratch)
    for name, handle in devices:
        _bind(handle, f"{root}/dev/{name}", is_device=True)
    for name, target in (("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
        os.symlink(f"/proc/self/{target}", f"{root}/dev/{name}")
    kernel.mount("proc", f"{root}/proc", "proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
    kernel.pivot_root(root)
    kernel.make_read_only("/", recursive=False)


def _shown(order: Order) -> list[str]:
    """Return what the bot may see of the host, outermost first: the system's programs, and what it was given."""
    wanted = ["/usr", *[f"/{name}" for name in _LINKED if os.path.isdir(f"/{name}") and not os.path.islink(f"/{name}")]]
    wanted += [f"/etc/{name}" for name in _ETC if os.path.exists(f"/etc/{name}")]
    shown: list[str] = []
    for path in sorted([*wanted, *order["shown"]]):
        if not any(path == above or path.startswith(f"{above}/") for above in shown):
            shown.append(path)
    return shown


def _mount_tmpfs(target: str, options: str) -> None:
    kernel.mount("tmpfs", target, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, options)


def _bind(handle: int, target: str, *, is_device: bool = False) -> None:
    source = f"/proc/self/fd/{handle}"
    os.makedirs(os.path.dirname(target), 0o755, exist_ok=True)
    if os.path.isdir(source):
        os.makedirs(target, 0o755, exist_ok=True)
    elif not os.path.exists(target):
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
    kernel.mount(source, target, None, kernel.MS_BIND | (0 if is_device else kernel.MS_REC))
    if not is_device:
        kernel.make_read_only(target, recursive=True)
    os.close(handle)


# ---- the bot


def _be_bot(order: Order, pipes: list[int], trouble: int) -> NoReturn:
    try:
        os.setsid()
        os.sched_setaffinity(0, order["cpus"])
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)  # Python ignores them, and that would survive the exec
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        os.chdir(HOME if order["namespaces"] else order["folder"])
        os.umask(0o077)
        trouble = _take_pipes(pipes, trouble)
        _drop_rights(order)
        _limit(order)
        if order["namespaces"]:
            landlock.restrict(["/"], ["/tmp", "/dev"])
        else:
            landlock.restrict([*_shown(order), order["folder"], *_OWN_PROC], ["/dev/null"])
        seccomp.install(
            seccomp.build_filter(
                machine=platform.machine(),
                allows_processes=order["processes"],
                own_signals_only=not order["namespaces"] and landlock.version() < 6,
                pid=os.getpid(),
            )
        )
    except BaseException as error:
        _complain(trouble, error)
        os._exit(127)
    try:
        os.execvpe(order["argv"][0], order["argv"], order["env"])
    except BaseException as error:
        _complain(trouble, error, "exec")
    os._exit(127)


_OWN_PROC = ("/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/proc/self", "/proc/meminfo", "/proc/cpuinfo")


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
    if order["uid"] is None:
        kernel.drop_capabilities()
        return
    for capability in range(64):
        try:
            kernel.call("prctl", kernel.PR_CAPBSET_DROP, capability, 0, 0, 0)
        except OSError:
            break
    os.setgroups([])
    os.setresgid(order["uid"], order["uid"], order["uid"])
    os.setresuid(order["uid"], order["uid"], order["uid"])
    kernel.call("prctl", kernel.PR_SET_PDEATHSIG, 9, 0, 0, 0)  # the change of user has cleared it


def _limit(order: Order) -> None:
    megabyte = 1 << 20
    for what, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_NOFILE, 256),
        (resource.RLIMIT_FSIZE, 32 * megabyte),
        (resource.RLIMIT_DATA, order["memory_mb"] * megabyte),
        (resource.RLIMIT_AS, 8192 * megabyte + order["memory_mb"] * megabyte),
        (resource.RLIMIT_NPROC, order["tasks"]),
    ):
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))

"""The file system that a bot sees. Runs in the launcher: little of the standard library."""

from __future__ import annotations

import os
import stat
from functools import cache

from arena.jail import kernel
from arena.jail.order import HOME, Order

_LINKED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_SYSTEM = ("/usr", "/nix/store", *[f"/{name}" for name in _LINKED])
_ETC = ("ld.so.cache", "alternatives", "ssl", "pki", "crypto-policies", "localtime")
_ETC_VERSIONED = ("java-", "python3")
DEVICES = ("null", "zero", "full", "random", "urandom")


def build_root(order: Order) -> None:
    """Make, in namespaces of our own, a root with what the bot may see and nothing else, and move there."""
    kernel.call("sethostname", b"arena", 5)
    kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    # by handle: what we mount on top may hide their names, and a home closed to others does not matter
    sources = [(os.open(path, os.O_PATH), path) for path in shown(order)]
    sources.append((os.open(order.folder, os.O_PATH), HOME))
    scratch = -1 if order.scratch is None else os.open(order.scratch, os.O_PATH)
    devices = [(os.open(f"/dev/{name}", os.O_PATH), f"/dev/{name}") for name in DEVICES]
    root = "/tmp"
    mount_tmpfs(root, "size=1m,mode=755")
    for name in ("proc", "dev", "tmp", "etc"):
        os.mkdir(f"{root}/{name}", 0o755)
    for name, target in links():
        os.symlink(target, root + name)
    if scratch >= 0:
        kernel.mount(f"/proc/self/fd/{scratch}", f"{root}/tmp", None, kernel.MS_BIND)
    else:
        mount_tmpfs(f"{root}/tmp", f"size={order.scratch_mb}m,nr_inodes=4096,mode=1777")
    for handle, path in sources + devices:
        make_place(handle, root + path)
    for handle, path in sources:
        try:
            kernel.mount(f"/proc/self/fd/{handle}", root + path, None, kernel.MS_BIND | kernel.MS_REC)
        except OSError as error:
            raise OSError(error.errno, error.strerror, path) from error  # whose trouble it is depends on what it is
    kernel.make_read_only(root)
    for path in writable(order):
        kernel.make_writable(root + path)
    for handle, path in devices:
        kernel.mount(f"/proc/self/fd/{handle}", root + path, None, kernel.MS_BIND)
    _mount_proc(f"{root}/proc")
    kernel.pivot_root(root)


def writable(order: Order) -> list[str]:
    """Return where the bot may write, as it sees it."""
    return ["/tmp"] if order.scratch is None else ["/tmp", HOME]


@cache
def system_paths() -> list[str]:
    """Return the folders and files of the host that every program needs."""
    found = [path for path in _SYSTEM if os.path.isdir(path) and not os.path.islink(path)]
    return found + [f"/etc/{name}" for name in os.listdir("/etc") if name in _ETC or name.startswith(_ETC_VERSIONED)]


@cache
def links() -> list[tuple[str, str]]:
    """Return the links of the root, in which programs are found as on the host."""
    host = [(path, os.readlink(path)) for path in _SYSTEM if os.path.islink(path)]
    own = [("/dev/stdin", "/proc/self/fd/0"), ("/dev/stdout", "/proc/self/fd/1"), ("/dev/stderr", "/proc/self/fd/2")]
    return [*host, *own, ("/dev/fd", "/proc/self/fd"), ("/dev/shm", "/tmp")]


def shown(order: Order) -> list[str]:
    """Return what the bot may see of the host, outermost first: the system's programs, and what it was given."""
    found: list[str] = []
    for path in sorted([*system_paths(), *order.shown]):
        if not any(path == above or path.startswith(f"{above}/") for above in found):
            found.append(path)
    return found


def make_place(handle: int, target: str) -> None:
    """Make the folder or the empty file on which something is to be mounted."""
    if stat.S_ISDIR(os.fstat(handle).st_mode):
        os.makedirs(target, 0o755, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), 0o755, exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))


def mount_tmpfs(target: str, options: str) -> None:
    """Mount a file system in memory."""
    kernel.mount("tmpfs", target, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, options)


def _mount_proc(target: str) -> None:
    """Mount a /proc that shows the bot's own processes, and neither the head nor the machine."""
    flags = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
    try:
        kernel.mount("proc", target, "proc", flags, "subset=pid,hidepid=4")
    except OSError:
        kernel.mount("proc", target, "proc", flags)  # before Linux 5.8

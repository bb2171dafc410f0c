"""The Linux calls that Python lacks, through ctypes. For the launcher: little of the standard library, nothing else."""

from __future__ import annotations

import ctypes
import os
import select
import struct

CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
_CLONE_PIDFD, _SIGCHLD = 0x1000, 17
_SYS_CLONE = {"x86_64": 56, "aarch64": 220}

MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
MNT_DETACH = 2
_MOUNT_ATTR_RDONLY, _MOUNT_ATTR_NOSUID, _MOUNT_ATTR_NODEV = 1, 2, 4
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_SYS_PIDFD_SEND_SIGNAL, _SYS_MOUNT_SETATTR = 424, 442  # calls from 424 on have one number on all architectures

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 4, 24, 36, 38
_CAPABILITIES = 64
_CAPABILITY_VERSION_3 = 0x20080522

MACHINE = os.uname().machine
_libc = ctypes.PyDLL(None, use_errno=True)  # the launcher has one thread: no lock need be let go around a call


def call(name: str, *arguments: int | bytes | str | ctypes.Array[ctypes.c_char] | None) -> int:
    """Call a function of the C library; raises `OSError` if it fails."""
    converted = [
        ctypes.c_long(each) if isinstance(each, int) else os.fsencode(each) if isinstance(each, str) else each
        for each in arguments
    ]
    result: int = getattr(_libc, name)(*converted)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def fork_into(namespaces: int) -> tuple[int, int]:
    """Fork a process into new namespaces; return its number and a handle of it, or (0, -1) in the new process.

    The C library is not told of the fork, which spares it work; a process with one thread does not mind.
    """
    handle = ctypes.create_string_buffer(4)
    flags = namespaces | _CLONE_PIDFD | _SIGCHLD
    try:
        pid = call("syscall", _SYS_CLONE[MACHINE], flags, 0, handle, 0, 0)
    except OSError as error:
        what = "new namespaces" if namespaces else "a new process"
        raise OSError(error.errno, f"{what}: {os.strerror(error.errno or 0)}") from error
    return (pid, int.from_bytes(handle.raw, "little")) if pid else (0, -1)


def send_signal(handle: int, number: int) -> None:
    """Send a signal to the process that a handle means, if it still runs."""
    try:
        call("syscall", _SYS_PIDFD_SEND_SIGNAL, handle, number, None, 0)
    except ProcessLookupError:
        pass


def mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    """Mount something."""
    call("mount", source, target, kind, flags, data)


def make_read_only(target: str) -> None:
    """Take from a mount, and all below it, the right to write and whatever could give more rights than there are."""
    attributes = _MOUNT_ATTR_RDONLY | _MOUNT_ATTR_NOSUID | _MOUNT_ATTR_NODEV
    _set_attributes(target, _AT_RECURSIVE, attributes, 0)


def make_writable(target: str) -> None:
    """Give back the right to write to a mount, but not to those below it."""
    _set_attributes(target, 0, 0, _MOUNT_ATTR_RDONLY)


def _set_attributes(target: str, flags: int, given: int, taken: int) -> None:
    wanted = struct.pack("=QQQQ", given, taken, 0, 0)
    call("syscall", _SYS_MOUNT_SETATTR, _AT_FDCWD, target, flags, wanted, 32)


def pivot_root(new_root: str) -> None:
    """Make a folder the root of everything, and let go of what was there before."""
    os.chdir(new_root)
    call("pivot_root", ".", ".")
    call("umount2", ".", MNT_DETACH)
    os.chdir("/")


def drop_bounding_set() -> None:
    """Give up ever getting a capability by executing a program."""
    for capability in range(_CAPABILITIES):
        if _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0:
            break  # the kernel has no more of them, or we have none to drop


def drop_capabilities() -> None:
    """Give up every capability."""
    call("capset", struct.pack("=Ii", _CAPABILITY_VERSION_3, 0), bytes(24))


def die_with_parent(number: int) -> None:
    """Get a signal when the process that forked us ends; whether it has ended before is for the caller to ask."""
    call("prctl", PR_SET_PDEATHSIG, number, 0, 0, 0)


def is_hung_up(channel: int) -> bool:
    """Tell whether nobody holds the other end of a channel any more."""
    poll = select.poll()
    poll.register(channel, 0)
    return bool(poll.poll(0))

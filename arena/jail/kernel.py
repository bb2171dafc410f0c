"""The Linux calls that Python lacks, through ctypes. For the launcher: little of the standard library, nothing else."""

from __future__ import annotations

import ctypes
import os
import struct

CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000

MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
MNT_DETACH = 2
_MOUNT_ATTR_RDONLY, _MOUNT_ATTR_NOSUID, _MOUNT_ATTR_NODEV = 1, 2, 4
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_SYS_MOUNT_SETATTR = 442  # calls from 424 on have one number on all architectures

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
_CAPABILITIES = 64
_CAPABILITY_VERSION_3 = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)


def call(name: str, *arguments: int | bytes | str | ctypes.Array[ctypes.c_char] | None) -> int:
    """Call a function of the C library; raises `OSError` if it fails."""
    converted = [os.fsencode(each) if isinstance(each, str) else each for each in arguments]
    result: int = getattr(_libc, name)(*[ctypes.c_long(a) if isinstance(a, int) else a for a in converted])
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    """Mount something."""
    call("mount", source, target, kind, flags, data)


def make_read_only(target: str, *, recursive: bool, allows_devices: bool = False) -> None:
    """Take the right to write away from a mount, and everything that could give more rights than there are."""
    attributes = _MOUNT_ATTR_RDONLY | _MOUNT_ATTR_NOSUID | (0 if allows_devices else _MOUNT_ATTR_NODEV)
    wanted = ctypes.create_string_buffer(struct.pack("=QQQQ", attributes, 0, 0, 0))
    flags = _AT_RECURSIVE if recursive else 0
    call("syscall", _SYS_MOUNT_SETATTR, _AT_FDCWD, target, flags, wanted, 32)


def pivot_root(new_root: str) -> None:
    """Make a folder the root of everything, and let go of what was there before."""
    os.chdir(new_root)
    call("pivot_root", ".", ".")
    call("umount2", ".", MNT_DETACH)
    os.chdir("/")


def drop_capabilities() -> None:
    """Give up every capability, for good."""
    for capability in range(_CAPABILITIES):
        try:
            call("prctl", PR_CAPBSET_DROP, capability, 0, 0, 0)
        except OSError:
            break  # the kernel has no more of them, or we have none to drop
    header = ctypes.create_string_buffer(struct.pack("=Ii", _CAPABILITY_VERSION_3, 0))
    nothing = ctypes.create_string_buffer(24)
    call("capset", header, nothing)


def die_with_parent(parent: int) -> None:
    """Be killed when the process that forked us ends; leave at once if it has."""
    call("prctl", PR_SET_PDEATHSIG, 9, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)

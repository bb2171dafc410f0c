"""What a bot may touch of the file system, enforced by Landlock."""

from __future__ import annotations

import ctypes
import os
import struct

from arena.jail.kernel import PR_SET_NO_NEW_PRIVS, call

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_RIGHTS = (0, 13, 14, 15, 15, 16)  # how many rights each version of the interface knows
_SCOPE_ALL = 3  # no signals to, and no abstract sockets of, processes outside
_NET_ALL = 3
_FILE_RIGHTS = _EXECUTE | _WRITE_FILE | _READ_FILE | 1 << 14 | 1 << 15


def version() -> int:
    """Return the version of Landlock's interface here; 0 if there is none."""
    try:
        return call("syscall", _CREATE, None, 0, 1)
    except OSError:
        return 0


def restrict(readable: list[str], writable: list[str]) -> None:
    """Let this process, and all it executes, read some paths, write to others, and touch nothing else."""
    abi = version()
    if not abi:
        raise OSError("Landlock is not available")
    every = (1 << _RIGHTS[min(abi, 5)]) - 1
    network = _NET_ALL if abi >= 4 else 0
    scope = _SCOPE_ALL if abi >= 6 else 0
    attributes = ctypes.create_string_buffer(struct.pack("=QQQ", every, network, scope))
    ruleset = call("syscall", _CREATE, attributes, 24 if abi >= 6 else 16 if abi >= 4 else 8, 0)
    try:
        for path in readable:
            _allow(ruleset, path, _EXECUTE | _READ_FILE | _READ_DIR)
        for path in writable:
            _allow(ruleset, path, every)
        call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        call("syscall", _RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there needs no right
    try:
        if not os.path.isdir(path):
            rights &= _FILE_RIGHTS
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, handle))
        call("syscall", _ADD, ruleset, 1, rule, 0)
    finally:
        os.close(handle)

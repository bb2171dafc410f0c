"""What a bot may touch of the file system, enforced by Landlock."""

from __future__ import annotations

import os
import struct

from arena.jail.kernel import PR_SET_NO_NEW_PRIVS, call

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_RIGHTS = (0, 13, 14, 15, 15, 16)  # how many rights each version of the interface knows
_SCOPE_ALL = 3  # no signals to, and no abstract sockets of, processes outside
_NET_ALL = 3
_FILE_RIGHTS = _EXECUTE | _WRITE_FILE | _READ_FILE | 1 << 14 | 1 << 15
SCOPED_SINCE = 6


def version() -> int:
    """Return the version of Landlock's interface here; 0 if there is none."""
    try:
        return call("syscall", _CREATE, None, 0, 1)
    except OSError:
        return 0


def prepare(readable: list[str], writable: list[str], listed: list[str] | None = None) -> int:
    """Return a handle of rules by which some paths can be read, others written to, and nothing else touched.

    Of those that are `listed`, and what is below, the names can be seen.

    The rules hold what the paths lead to now, so they can be made before the rights to go there are given up.
    """
    abi = version()
    if not abi:
        raise OSError("Landlock is not available")
    every = (1 << _RIGHTS[min(abi, 5)]) - 1
    network = _NET_ALL if abi >= 4 else 0
    scope = _SCOPE_ALL if abi >= SCOPED_SINCE else 0
    attributes = struct.pack("=QQQ", every, network, scope)
    rules = call("syscall", _CREATE, attributes, 24 if abi >= SCOPED_SINCE else 16 if abi >= 4 else 8, 0)
    for path in readable:
        _allow(rules, path, _EXECUTE | _READ_FILE | _READ_DIR)
    for path in writable:
        _allow(rules, path, every)
    for path in listed or []:
        _allow(rules, path, _READ_DIR)
    return rules


def enforce(rules: int) -> None:
    """Put rules on this process and all that it executes, for good."""
    call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    call("syscall", _RESTRICT, rules, 0)
    os.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there needs no right
    try:
        _add(rules, handle, rights)
    except OSError:
        _add(rules, handle, rights & _FILE_RIGHTS)  # it is no folder
    finally:
        os.close(handle)


def _add(rules: int, handle: int, rights: int) -> None:
    call("syscall", _ADD, rules, 1, struct.pack("=Qi", rights, handle), 0)

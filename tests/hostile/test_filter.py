"""The filter of system calls, run by a machine of our own: also for architectures and kernels that are not here."""

from __future__ import annotations

import errno
import signal
import struct
import subprocess
import sys

import pytest

from arena.jail import seccomp

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
CALLS = 600  # more than there are


def run(code: bytes, number: int, *arguments: int, architecture: int) -> int:
    """Return what a filter says to a call."""
    data = struct.pack("=IIQ6Q", number, architecture, 0, *[*arguments, *[0] * 6][:6])
    at, value = 0, 0
    while True:
        kind, if_true, if_false, operand = struct.unpack_from("=HBBI", code, at * 8)
        at += 1
        if kind == 0x20:
            value = struct.unpack_from("=I", data, operand)[0]
        elif kind == 0x06:
            return int(operand)
        elif kind == 0x05:
            at += operand
        elif kind == 0x54:
            value &= operand
        elif kind == 0x44:
            value |= operand
        else:
            is_so = {0x15: value == operand, 0x35: value >= operand, 0x45: bool(value & operand)}[kind]
            at += if_true if is_so else if_false


@pytest.fixture(params=sorted(ARCHITECTURES))
def machine(request: pytest.FixtureRequest) -> str:
    """A machine that the filter knows."""
    return str(request.param)


def _says(machine: str, number: int, *arguments: int, **options: bool | int) -> int:
    code = seccomp.build_filter(machine, **({"allows_processes": False} | options))  # type: ignore[arg-type]
    return run(code, number, *arguments, architecture=ARCHITECTURES[machine])


def test_every_listed_call_is_denied_and_every_other_allowed(machine: str) -> None:
    at = sorted(ARCHITECTURES, reverse=True).index(machine)
    tables = (seccomp._ALWAYS_DENIED, seccomp._MARKING, seccomp._TIMING, seccomp._SOCKETS, seccomp._SENDING)
    denied = {numbers[at] for table in (*tables, seccomp._FORKING) for numbers in table.values()}
    code = seccomp.build_filter(machine, allows_processes=False)
    checked = {seccomp._CLONE[at], seccomp._CLONE3[at], seccomp._SOCKETPAIR[at], seccomp._FLOCK[at]}
    checked.add(seccomp._SETSOCKOPT[at])
    for number in range(CALLS):
        said = run(code, number, architecture=ARCHITECTURES[machine])
        assert (said != ALLOW) == (number in denied | checked), number


def test_another_architecture_is_killed(machine: str) -> None:
    code = seccomp.build_filter(machine, allows_processes=True)
    assert run(code, 0, architecture=0x40000003) == KILL


@pytest.mark.parametrize("number", [0x40000000, 0x40000001, 0x40000027, 0x7FFFFFFF, 0xFFFFFFFF])
def test_the_x32_interface_is_not_there(number: int) -> None:
    assert _says("x86_64", number) == ERRNO | errno.ENOSYS


@pytest.mark.parametrize(
    ("flags", "children", "is_allowed"),
    [
        (0x3D0F00, False, True),  # a thread of the C library's
        (0x10000, False, True),
        (17, False, False),  # a child
        (0x4111, False, False),  # vfork
        (17, True, True),
        (18, True, False),  # a child whose end wakes its parent
        (0x10000000 | 17, True, False),  # a user namespace
        (0x3D0F00 | 0x20000, False, False),  # a thread with a mount namespace
        (0x80, True, False),  # a time namespace
    ],
)
def test_who_is_cloned_how(flags: int, children: bool, is_allowed: bool, machine: str) -> None:
    number = {"x86_64": 56, "aarch64": 220}[machine]
    assert (_says(machine, number, flags, allows_processes=children) == ALLOW) == is_allowed


@pytest.mark.parametrize(
    ("call", "arguments", "is_allowed"),
    [
        ("mmap", (0, 4096, 3, 0x22), True),  # private
        ("mmap", (0, 4096, 3, 0x21), False),  # shared
        ("mmap", (0, 4096, 3, 0x01), True),  # of a file
        ("mmap", (0, 4096, 3, 0x122), False),  # grows down
        ("mmap", (0, 4096, 3, 0x40022), False),  # huge pages
        ("socketpair", (1, 1), True),
        ("socketpair", (1, 1 | 0x80800), True),  # not blocking, closed at exec
        ("socketpair", (1, 2), False),  # datagrams
        ("socketpair", (1, 5), True),  # packets in sequence: as connected as a stream
        ("socketpair", (1, 3), False),
        ("socketpair", (30, 1), False),
        ("fcntl", (3, 2), True),
        ("fcntl", (3, 6), False),  # a lock
        ("fcntl", (3, 10), False),  # which signal
        ("fcntl", (3, 1031), False),  # a large pipe
        ("ioctl", (0, 0x5401), True),
        ("ioctl", (0, 0x5412), False),  # types at a terminal
        ("ioctl", (0, 0x100005412), False),  # the kernel looks at the low half too
        ("prctl", (15,), True),
        ("prctl", (1,), False),
        ("prlimit", (0, 7, 0, 1), True),
        ("prlimit", (0, 7, 1, 0), True),
        ("prlimit", (5, 7, 0, 1), False),  # another process
        ("prlimit", (0, 4, 0, 1), True),  # core dumps: to read the limit
        ("prlimit", (0, 4, 1 << 12, 0), False),
        ("prlimit", (0, 4, 1 << 40, 0), False),
        ("kill", (77, 15), True),
        ("kill", (77, 18), False),  # SIGCONT
        ("tgkill", (77, 77, 18), False),
        ("tgkill", (77, 77, 10), True),
        ("madvise", (0, 4096, 4), True),
        ("madvise", (0, 4096, 12), False),
        ("madvise", (0, 4096, 14), True),  # huge pages, of its own
        ("madvise", (0, 4096, 21), False),  # out of memory
        ("madvise", (0, 4096, 22), False),  # filled while it is stopped
        ("madvise", (0, 4096, 23), False),
        ("mmap", (0, 4096, 3, 0x8022), False),
        ("fadvise", (3, 0, 0, 2), True),
        ("fadvise", (3, 0, 0, 4), False),  # out of memory
        ("preadv2", (3, 0, 1, 0, 0, 0), True),
        ("preadv2", (3, 0, 1, 0, 0, 8), False),  # only if it is in memory
        ("pwritev2", (3, 0, 1, 0, 0, 8), False),
        ("setsockopt", (3, 1, 2), False),
    ],
)
def test_what_is_said_to_arguments(call: str, arguments: tuple[int, ...], is_allowed: bool, machine: str) -> None:
    numbers = {
        "mmap": (9, 222), "socketpair": (53, 199), "fcntl": (72, 25), "ioctl": (16, 29), "prctl": (157, 167),
        "prlimit": (302, 261), "kill": (62, 129), "tgkill": (234, 131), "madvise": (28, 233), "fadvise": (221, 223),
        "preadv2": (327, 286), "pwritev2": (328, 287), "setsockopt": (54, 208),
    }  # fmt: skip
    number = numbers[call][machine == "aarch64"]
    assert (_says(machine, number, *arguments) == ALLOW) == is_allowed


@pytest.mark.parametrize(
    ("call", "options", "answer"),
    [
        ("fchmod", {}, ERRNO | errno.EPERM),
        ("fchmod", {"builds": True}, ALLOW),  # there is nothing else to see
        ("fchmod", {"builds": True, "sees_others": True, "is_owner": False}, ALLOW),  # nothing else is its own
        ("fchmod", {"builds": True, "sees_others": True}, ERRNO),  # nothing is done, and all is well
        ("utimensat", {}, ERRNO | errno.EPERM),
        ("utimensat", {"builds": True}, ALLOW),
        ("utimensat", {"builds": True, "sees_others": True, "is_owner": False}, ERRNO),
    ],
)
def test_a_build_marks_its_own_files_and_never_others(
    call: str, options: dict[str, bool], answer: int, machine: str
) -> None:
    number = {"fchmod": (91, 52), "utimensat": (280, 88)}[call][machine == "aarch64"]
    assert _says(machine, number, **options) == answer


@pytest.mark.parametrize(("call", "arguments"), [((73, 32), (3, 2)), ((72, 25), (3, 6)), ((72, 25), (3, 37))])
def test_only_a_build_locks_files(call: tuple[int, int], arguments: tuple[int, int], machine: str) -> None:
    number = call[machine == "aarch64"]
    assert _says(machine, number, *arguments) != ALLOW
    assert _says(machine, number, *arguments, builds=True) == ALLOW


@pytest.mark.parametrize(
    ("call", "arguments", "is_allowed"),
    [
        ((46, 211), (3,), True),  # sendmsg
        ((9, 222), (0, 4096, 3, 0x8022), True),  # mmap: nobody stops a build
        ((54, 208), (3, 1, 2), True),  # setsockopt
        ((54, 208), (3, 1, 7), False),  # to have larger buffers
        ((54, 208), (3, 1, 33), False),
    ],
)
def test_what_a_bot_must_not_a_build_may_if_it_harms_nobody(
    call: tuple[int, int], arguments: tuple[int, ...], is_allowed: bool, machine: str
) -> None:
    number = call[machine == "aarch64"]
    assert _says(machine, number, *arguments) != ALLOW
    assert (_says(machine, number, *arguments, builds=True) == ALLOW) == is_allowed


@pytest.mark.parametrize(
    ("call", "arguments", "is_allowed"),
    [
        ((204, 123), (0, 128), True),  # sched_getaffinity
        ((204, 123), (1234, 128), False),
        ((145, 120), (1234,), False),  # sched_getscheduler
        ((140, 141), (0, 0), True),  # getpriority
        ((140, 141), (0, 1234), False),
        ((140, 141), (2, 0), False),  # of all processes of its user
        ((252, 31), (1, 0), True),  # ioprio_get
        ((252, 31), (2, 0), True),
        ((252, 31), (3, 0), False),
        ((191, 8), (), False),  # getxattr
        ((194, 11), (), False),  # listxattr
    ],
)
def test_nothing_is_told_of_what_can_only_be_named_without_namespaces(
    call: tuple[int, int], arguments: tuple[int, ...], is_allowed: bool, machine: str
) -> None:
    number = call[machine == "aarch64"]
    assert (_says(machine, number, *arguments, sees_others=True) == ALLOW) == is_allowed
    assert _says(machine, number, *arguments) == ALLOW


def _clock(pid: int, kind: int) -> int:
    return ((~pid << 3) | kind) & 0xFFFFFFFF


@pytest.mark.parametrize(
    ("clock", "is_allowed"),
    [
        (0, True),  # the clocks that everybody has
        (1, True),
        (2, True),
        (3, True),
        (11, True),
        (_clock(0, 2), True),  # its own
        (_clock(0, 6), True),
        (_clock(1234, 6), True),  # a thread: the kernel sees to it that it is one of its own
        (_clock(1234, 2), False),  # another process
        (_clock(1234, 1), False),
        (_clock(1234, 0), False),
    ],
)
def test_the_clock_of_another_process_cannot_be_read(clock: int, is_allowed: bool, machine: str) -> None:
    number = {"x86_64": 228, "aarch64": 113}[machine]
    assert (_says(machine, number, clock, sees_others=True) == ALLOW) == is_allowed
    assert _says(machine, number, clock) == ALLOW  # in a pid namespace there is no other


def test_where_landlock_does_not_stop_signals_the_filter_does(machine: str) -> None:
    """Before Linux 6.12."""
    kill, queue, handle = {"x86_64": (62, 129, 424), "aarch64": (129, 138, 424)}[machine]
    for number in (kill, queue):
        assert _says(machine, number, 4321, 15, sees_others=True, signals_only=4321) == ALLOW
        assert _says(machine, number, 4322, 15, sees_others=True, signals_only=4321) != ALLOW
        assert _says(machine, number, 4321, 18, sees_others=True, signals_only=4321) != ALLOW
    assert _says(machine, handle, 5, 15, sees_others=True, signals_only=4321) != ALLOW


def test_the_kernel_takes_every_variant() -> None:
    """And a process under the one for old kernels can signal itself alone."""
    code = (
        "import os, signal\n"
        "from arena.jail.kernel import MACHINE\n"
        "from arena.jail.seccomp import build_filter, install\n"
        "for processes in (True, False):\n"
        "    for others in (True, False):\n"
        "        install(build_filter(MACHINE, allows_processes=processes, sees_others=others))\n"
        "install(build_filter(MACHINE, allows_processes=False, sees_others=True, signals_only=os.getpid()))\n"
        "try:\n"
        "    os.kill(os.getppid(), 0)\n"
        "except PermissionError:\n"
        "    os.kill(os.getpid(), signal.SIGUSR1)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False)
    assert done.returncode == -signal.SIGUSR1

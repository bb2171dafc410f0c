"""The system calls that no bot needs, denied by a seccomp filter.

How it works. The filter is a deny-list: it stands beside namespaces or Landlock, which do the bulk, and refuses what
they do not cover. A list of what is allowed would break with each new C library. The first instructions refuse
foreign architectures, so that no call can go around the numbers below.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct

from arena.jail.kernel import PR_SET_NO_NEW_PRIVS, call

_X86_64, _AARCH64 = 0, 1
_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000

# name: number on x86_64, number on aarch64 (None: there is none)
_ALWAYS_DENIED: dict[str, tuple[int | None, int | None]] = {
    # other processes
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_getfd": (438, 438), "process_madvise": (440, 440), "process_mrelease": (448, 448),
    # the file system's shape, and other name spaces
    "mount": (165, 40), "umount2": (166, 39), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432),
    "fspick": (433, 433), "open_tree": (428, 428), "move_mount": (429, 429), "mount_setattr": (442, 442),
    "pivot_root": (155, 41), "chroot": (161, 51), "unshare": (272, 97), "setns": (308, 268),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "quotactl": (179, 60), "quotactl_fd": (443, 443),
    # the kernel's larger surfaces
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263), "inotify_init": (253, None), "inotify_init1": (294, 26), "memfd_secret": (447, 447),
    "memfd_create": (319, 279), "vmsplice": (278, 75), "personality": (135, 92), "seccomp": (317, 277),
    # the machine
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89),
    "syslog": (103, 116), "iopl": (172, None), "ioperm": (173, None), "clock_settime": (227, 112),
    "clock_adjtime": (305, 266), "settimeofday": (164, 170), "adjtimex": (159, 171), "sethostname": (170, 161),
    "setdomainname": (171, 162), "vhangup": (153, 58),
    # where memory and time are spent
    "mbind": (237, 235), "set_mempolicy": (238, 237), "migrate_pages": (256, 238), "move_pages": (279, 239),
    "sched_setaffinity": (203, 122), "sched_setattr": (314, 274), "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119), "setpriority": (141, 140), "ioprio_set": (251, 30),
    # a timer can send SIGCONT to a bot that is stopped off turn
    "timer_create": (222, 107),
    # what files are marked with
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452), "chown": (92, None),
    "fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54), "utime": (132, None), "utimes": (235, None),
    "futimesat": (261, None), "utimensat": (280, 88), "setxattr": (188, 5), "lsetxattr": (189, 6),
    "fsetxattr": (190, 7), "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "setxattrat": (463, 463), "removexattrat": (466, 466), "mknod": (133, None), "mknodat": (259, 33),
    "flock": (73, 32),
    # ways to talk to others
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "shmdt": (67, 197), "semget": (64, 190),
    "semop": (65, 193), "semctl": (66, 191), "semtimedop": (220, 192), "msgget": (68, 186), "msgsnd": (69, 189),
    "msgrcv": (70, 188), "msgctl": (71, 187), "mq_open": (240, 180), "mq_unlink": (241, 181),
    "mq_timedsend": (242, 182), "mq_timedreceive": (243, 183), "mq_notify": (244, 184), "mq_getsetattr": (245, 185),
    # ways out of the process group by which it is stopped
    "setpgid": (109, 154), "setsid": (112, 157),
}  # fmt: skip
_FORKING: dict[str, tuple[int | None, int | None]] = {"fork": (57, None), "vfork": (58, None)}
_SOCKET, _IOCTL, _PRLIMIT, _MMAP, _FCNTL = (41, 198), (16, 29), (302, 261), (9, 222), (72, 25)
_CLONE, _CLONE3 = (56, 220), (435, 435)
_KILLING = ((62, 129), (200, 130), (234, 131))  # kill, tkill, tgkill

_CLONE_THREAD, _CLONE_NEW = 0x10000, 0x7E020080  # all of CLONE_NEW*
_SHARED_ANONYMOUS, _GROWSDOWN = 0x21, 0x100
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_FCNTL_DENIED = (6, 7, 8, 10, 15, 37, 38, 1024, 1026)  # locks, leases, notices, and whom to signal

_LD, _JEQ, _JGE, _JSET, _AND, _RET = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_KILL, _ALLOW, _ERRNO = 0x80000000, 0x7FFF0000, 0x00050000


class _Program:
    """Instructions under construction; `ret` and the checks each leave the accumulator as they like."""

    def __init__(self) -> None:
        self._code: list[bytes] = []

    def add(self, code: int, value: int, if_true: int = 0, if_false: int = 0) -> None:
        self._code.append(struct.pack("=HBBI", code, if_true, if_false, value))

    def load_number(self) -> None:
        self.add(_LD, 0)

    def load_argument(self, index: int) -> None:
        self.add(_LD, 16 + 8 * index)  # the low half: all that the flags tested here use

    def deny(self, error: int) -> None:
        self.add(_RET, _ERRNO | error)

    def deny_numbers(self, numbers: list[int], error: int) -> None:
        for number in numbers:
            self.add(_JEQ, number, 0, 1)
            self.deny(error)

    def check(self, number: int, body: _Program) -> None:
        """Run `body` for one call, and allow it if that falls through."""
        self.add(_JEQ, number, 0, len(body._code) + 1)
        self._code += body._code
        self.add(_RET, _ALLOW)

    def bytes(self) -> bytes:
        return b"".join(self._code)

    def __len__(self) -> int:
        return len(self._code)


def build_filter(*, machine: str, allows_processes: bool, own_signals_only: bool = False, pid: int = 0) -> bytes:
    """Return the filter's instructions; with `own_signals_only` signals go to process `pid` alone."""
    at = _X86_64 if machine == "x86_64" else _AARCH64
    program = _Program()
    program.add(_LD, 4)  # the architecture
    program.add(_JEQ, _AUDIT[machine], 1, 0)
    program.add(_RET, _KILL)
    program.load_number()
    if machine == "x86_64":
        program.add(_JGE, _X32, 0, 1)
        program.deny(errno.ENOSYS)
    denied = dict(_ALWAYS_DENIED) if allows_processes else _ALWAYS_DENIED | _FORKING
    program.deny_numbers([numbers[at] or 0 for numbers in denied.values() if numbers[at] is not None], errno.EPERM)
    program.deny_numbers([_SOCKET[at]], errno.EACCES)
    program.deny_numbers([_CLONE3[at]], errno.ENOSYS)  # its flags are out of a filter's reach; libraries fall back
    program.check(_CLONE[at], _check_clone(allows_processes))
    program.check(_IOCTL[at], _check_values(1, (_TIOCSTI, _TIOCLINUX)))
    program.check(_FCNTL[at], _check_values(1, _FCNTL_DENIED))
    program.check(_PRLIMIT[at], _check_only(0, 0))
    program.check(_MMAP[at], _check_mmap())
    if own_signals_only:
        for numbers in _KILLING:
            program.check(numbers[at], _check_only(0, pid))
    program.add(_RET, _ALLOW)
    return program.bytes()


def _check_clone(allows_processes: bool) -> _Program:
    body = _Program()
    body.load_argument(0)
    body.add(_JSET, _CLONE_NEW, 0, 1)
    body.deny(errno.EPERM)
    if not allows_processes:
        body.add(_JSET, _CLONE_THREAD, 1, 0)
        body.deny(errno.EPERM)
    return body


def _check_mmap() -> _Program:
    body = _Program()
    body.load_argument(3)
    body.add(_JSET, _GROWSDOWN, 0, 1)  # memory that RLIMIT_DATA does not count
    body.deny(errno.EPERM)
    body.add(_AND, _SHARED_ANONYMOUS)
    body.add(_JEQ, _SHARED_ANONYMOUS, 0, 1)
    body.deny(errno.ENOMEM)
    return body


def _check_values(argument: int, values: tuple[int, ...]) -> _Program:
    body = _Program()
    body.load_argument(argument)
    body.deny_numbers(list(values), errno.EPERM)
    return body


def _check_only(argument: int, value: int) -> _Program:
    body = _Program()
    body.load_argument(argument)
    body.add(_JEQ, value, 1, 0)
    body.deny(errno.EPERM)
    return body


def install(instructions: bytes) -> None:
    """Put a filter on this process and all that it executes, for good."""
    code = ctypes.create_string_buffer(instructions, len(instructions))
    header = ctypes.create_string_buffer(struct.pack("@HP", len(instructions) // 8, ctypes.addressof(code)))
    call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    call("prctl", 22, 2, header, 0, 0)  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER


def is_supported() -> bool:
    """Tell whether the filter knows this machine's calls."""
    return platform.machine() in _AUDIT

"""The system calls that no bot needs, denied by a seccomp filter.

How it works. The filter is a deny-list: it stands beside namespaces or Landlock, which do the bulk, and refuses what
they do not cover. A list of what is allowed would break with each new C library. The first instructions refuse
foreign architectures, so that no call can go around the numbers below. The rest is a binary search for the number of
the call: at the installation the kernel runs the filter for every number, so a long way through it is a slow start.
"""

from __future__ import annotations

import ctypes
import errno
import struct

from arena.jail.kernel import MACHINE, PR_SET_NO_NEW_PRIVS, call

_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_COLUMN = {"x86_64": 0, "aarch64": 1}
_X32 = 0x40000000

# name: number on x86_64, number on aarch64 (None: there is none)
_ALWAYS_DENIED: dict[str, tuple[int | None, int | None]] = {
    # other processes
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_getfd": (438, 438), "process_madvise": (440, 440), "process_mrelease": (448, 448),
    "lsm_set_self_attr": (460, 460),
    # the file system's shape, and other name spaces
    "mount": (165, 40), "umount2": (166, 39), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432),
    "fspick": (433, 433), "open_tree": (428, 428), "move_mount": (429, 429), "mount_setattr": (442, 442),
    "pivot_root": (155, 41), "chroot": (161, 51), "unshare": (272, 97), "setns": (308, 268),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "quotactl": (179, 60), "quotactl_fd": (443, 443),
    "open_tree_attr": (467, 467), "statmount": (457, 457), "listmount": (458, 458),
    # the kernel's larger surfaces
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263), "inotify_init": (253, None), "inotify_init1": (294, 26), "memfd_secret": (447, 447),
    "memfd_create": (319, 279), "vmsplice": (278, 75), "personality": (135, 92), "seccomp": (317, 277),
    "modify_ldt": (154, None), "io_setup": (206, 0), "lookup_dcookie": (212, 18), "uselib": (134, None),
    # the machine
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89),
    "syslog": (103, 116), "iopl": (172, None), "ioperm": (173, None), "clock_settime": (227, 112),
    "clock_adjtime": (305, 266), "settimeofday": (164, 170), "adjtimex": (159, 171), "sethostname": (170, 161),
    "setdomainname": (171, 162), "vhangup": (153, 58), "sync": (162, 81), "syncfs": (306, 267),
    # where memory and time are spent
    "mbind": (237, 235), "set_mempolicy": (238, 237), "set_mempolicy_home_node": (450, 450), "cachestat": (451, 451),
    "migrate_pages": (256, 238), "move_pages": (279, 239),
    "sched_setaffinity": (203, 122), "sched_setattr": (314, 274), "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119), "setpriority": (141, 140), "ioprio_set": (251, 30),
    # a timer can send SIGCONT to a bot that is stopped off turn
    "timer_create": (222, 107),
    # what else files can be marked with, or be
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "removexattr": (197, 14),
    "lremovexattr": (198, 15), "fremovexattr": (199, 16), "setxattrat": (463, 463), "removexattrat": (466, 466),
    "file_setattr": (469, 469), "mknod": (133, None), "mknodat": (259, 33),
    # whether a file is in memory, which tells whether another has read it
    "mincore": (27, 232),
    # ways to talk to others
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "shmdt": (67, 197), "semget": (64, 190),
    "semop": (65, 193), "semctl": (66, 191), "semtimedop": (220, 192), "msgget": (68, 186), "msgsnd": (69, 189),
    "msgrcv": (70, 188), "msgctl": (71, 187), "mq_open": (240, 180), "mq_unlink": (241, 181),
    "mq_timedsend": (242, 182), "mq_timedreceive": (243, 183), "mq_notify": (244, 184), "mq_getsetattr": (245, 185),
    # ways out of the process group by which it is stopped
    "setpgid": (109, 154), "setsid": (112, 157),
}  # fmt: skip
# modes and owners of files, and times: bots could talk by them, builds need them
_MARKING: dict[str, tuple[int | None, int | None]] = {
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452), "chown": (92, None),
    "fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54),
}  # fmt: skip
_TIMING: dict[str, tuple[int | None, int | None]] = {
    "utime": (132, None), "utimes": (235, None), "futimesat": (261, None), "utimensat": (280, 88),
}  # fmt: skip
# sockets: a pair that is connected stays, which some runtimes need; a pair of datagrams could send to any address
_SOCKETS: dict[str, tuple[int | None, int | None]] = {
    "socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201), "accept": (43, 202),
    "accept4": (288, 242),
}  # fmt: skip
# what a descriptor can be sent by: how many are under way is counted for each user
_SENDING: dict[str, tuple[int | None, int | None]] = {"sendmsg": (46, 211), "sendmmsg": (307, 269)}
# what files are marked with, read by name wherever they lie
_MARKS: dict[str, tuple[int | None, int | None]] = {
    "getxattr": (191, 8), "lgetxattr": (192, 9), "fgetxattr": (193, 10), "listxattr": (194, 11),
    "llistxattr": (195, 12), "flistxattr": (196, 13), "getxattrat": (464, 464), "listxattrat": (465, 465),
}  # fmt: skip
# how a process is scheduled: sched_getparam, …getscheduler, …rr_get_interval, …getaffinity, …getattr
_SCHEDULING = ((143, 121), (145, 120), (148, 127), (204, 123), (315, 275))
_FORKING: dict[str, tuple[int | None, int | None]] = {"fork": (57, None), "vfork": (58, None)}
_FLOCK = (73, 32)
_CLONE, _CLONE3, _SOCKETPAIR, _MMAP, _MADVISE = (56, 220), (435, 435), (53, 199), (9, 222), (28, 233)
_IOCTL, _FCNTL, _PRCTL, _PRLIMIT, _SETRLIMIT = (16, 29), (72, 25), (157, 167), (302, 261), (160, 164)
_FADVISE, _PREADV2, _PWRITEV2, _SETSOCKOPT = (221, 223), (327, 286), (328, 287), (54, 208)
_GETPRIORITY, _IOPRIO_GET = (140, 141), (252, 31)
_CLOCK_GETTIME, _CLOCK_NANOSLEEP, _PIDFD_SEND_SIGNAL = (228, 113), (230, 115), (424, 424)
# kill, tkill, tgkill, rt_sigqueueinfo, rt_tgsigqueueinfo, pidfd_send_signal: and which argument is the signal
_SIGNALLING = (
    ((62, 129), 1), ((200, 130), 1), ((234, 131), 2), ((129, 138), 1), ((297, 240), 2), (_PIDFD_SEND_SIGNAL, 1),
)  # fmt: skip

_CLONE_THREAD, _CLONE_NEW, _EXIT_SIGNAL = 0x10000, 0x7E020080, 0xFF  # all of CLONE_NEW*
_SIGCONT = 18
_UNIX, _STREAM, _SEQPACKET, _TYPE = 1, 1, 5, 0xF
_SHARED_ANONYMOUS = 0x21
_GROWSDOWN, _HUGETLB = 0x100, 0x40000  # memory that RLIMIT_DATA does not count, or that is the whole machine's
_POPULATE = 0x8000  # the kernel would fill memory for a bot that is stopped meanwhile, to the end
# of madvise: memory that is shared with whoever has the same in it; files that are put out of memory, which others see;
# and three by which the kernel works on for a bot that is stopped. To a kernel without them they are invalid
_ADVICE_DENIED = (12, 21, 22, 23, 25)
_FADVISE_DENIED = (4,)  # to put a file out of memory: whoever reads it next sees that
_BUFFERS = (7, 8, 32, 33)  # options of a socket: how much memory, that no limit counts, it may take
_IOCTL_DENIED = (0x5412, 0x541C, 0x8901, 0x8902)  # TIOCSTI, TIOCLINUX; FIOSETOWN, SIOCSPGRP: whom to signal
_FCNTL_DENIED = (8, 10, 15, 1024, 1026, 1031)  # leases, notices, whom to signal, large pipes
_FCNTL_LOCKS = (6, 7, 37, 38)
_PRCTL_DENIED = (1, 62, 67)  # PR_SET_PDEATHSIG, by which it dies with us; PR_SCHED_CORE; PR_SET_MEMORY_MERGE
_RLIMIT_CORE = 4
_OF_USER = (2, 3)  # of getpriority and of ioprio_get: all processes of a user

_LD, _JA, _JEQ, _JGE, _JSET, _AND, _OR, _RET = 0x20, 0x05, 0x15, 0x35, 0x45, 0x54, 0x44, 0x06
_FARTHEST = 255  # that a jump with a condition leads
_KILL, _ALLOW, _ERRNO = 0x80000000, 0x7FFF0000, 0x00050000


def build_filter(
    machine: str,
    *,
    allows_processes: bool,
    sees_others: bool = False,
    signals_only: int | None = None,
    builds: bool = False,
    is_owner: bool = True,
) -> bytes:
    """Return the filter's instructions.

    `sees_others` is for a bot that has no pid namespace: it can name processes that are not its own. `signals_only` is
    the one process that it may signal then, if Landlock does not see to that. Who `builds` may lock files, and
    change their modes and times; where that could hit files outside, those of its user if it `is_owner` of any, it is
    told that all is well, and nothing is done.
    """
    at = _COLUMN[machine]
    answers = _answers(at, allows_processes, builds)
    for table, pretends in ((_MARKING, sees_others and is_owner), (_TIMING, sees_others)) if builds else ():
        said = _deny(0) if pretends else _step(_RET, _ALLOW)
        answers |= {number: said for numbers in table.values() if (number := numbers[at]) is not None}
    if sees_others:
        answers |= _blindfold(at)
    if signals_only is not None:
        for numbers, signal_at in _SIGNALLING:
            answers[numbers[at]] = _check_only(0, signals_only) + _check_values(signal_at, _SIGCONT)
        answers[_PIDFD_SEND_SIGNAL[at]] = _deny(errno.EPERM)
    if machine == "x86_64":
        answers[_X32] = _deny(errno.ENOSYS)
    know_machine = _step(_LD, 4) + _step(_JEQ, _AUDIT[machine], 1, 0) + _step(_RET, _KILL)
    return know_machine + _step(_LD, 0) + _search(_intervals(answers))


def _answers(at: int, allows_processes: bool, builds: bool) -> dict[int, bytes]:
    """Return what to do about each call that is not simply allowed."""
    answers: dict[int | None, bytes] = {}
    denied = _ALWAYS_DENIED | _MARKING | _TIMING
    denied |= ({} if allows_processes else _FORKING) | ({} if builds else _SENDING)
    for table, error in ((denied, errno.EPERM), (_SOCKETS, errno.EACCES)):
        answers |= {numbers[at]: _deny(error) for numbers in table.values()}
    answers |= {numbers[at]: _check_values(argument, _SIGCONT) for numbers, argument in _SIGNALLING}
    answers |= {
        _CLONE[at]: _check_clone(allows_processes),
        _CLONE3[at]: _deny(errno.ENOSYS),  # its flags are out of a filter's reach; libraries fall back
        _SOCKETPAIR[at]: _check_socketpair(),
        _IOCTL[at]: _check_values(1, *_IOCTL_DENIED),
        _FLOCK[at]: _step(_RET, _ALLOW) if builds else _deny(errno.EPERM),
        _FCNTL[at]: _check_values(1, *_FCNTL_DENIED, *(() if builds else _FCNTL_LOCKS)),
        _PRCTL[at]: _check_values(0, *_PRCTL_DENIED),
        _PRLIMIT[at]: _check_prlimit(),
        _SETRLIMIT[at]: _check_values(0, _RLIMIT_CORE),
        _MMAP[at]: _check_mmap(0 if builds else _POPULATE),
        _MADVISE[at]: _check_values(2, *_ADVICE_DENIED, error=errno.EINVAL),
        _FADVISE[at]: _check_values(3, *_FADVISE_DENIED),
        # with flags: one of them tells whether a file is in memory
        _PREADV2[at]: _check_only(5, 0, error=errno.EOPNOTSUPP),
        _PWRITEV2[at]: _check_only(5, 0, error=errno.EOPNOTSUPP),
        _SETSOCKOPT[at]: _check_values(2, *_BUFFERS) if builds else _deny(errno.EPERM),
    }
    return {number: answer for number, answer in answers.items() if number is not None}


def _blindfold(at: int) -> dict[int, bytes]:
    """Return what to do about calls that tell of processes and of files by their names, where all can be named."""
    answers = {number: _check_clock() for number in (_CLOCK_GETTIME[at], _CLOCK_NANOSLEEP[at])}
    answers |= {number: _deny(errno.ENOTSUP) for numbers in _MARKS.values() if (number := numbers[at]) is not None}
    # that there is no such call is what the C library expects, which asks for its own threads by their numbers
    answers |= {numbers[at]: _check_only(0, 0, error=errno.ENOSYS) for numbers in _SCHEDULING}
    for numbers, of_user in zip((_GETPRIORITY, _IOPRIO_GET), _OF_USER, strict=True):
        answers[numbers[at]] = _check_values(0, of_user) + _check_only(1, 0)
    return answers


def _intervals(answers: dict[int, bytes]) -> list[tuple[int, bytes]]:
    """Return the first number of each run of calls with one answer; all numbers are in some run."""
    allow = _step(_RET, _ALLOW)
    found = [(0, allow)]
    for number in sorted({edge for each in answers for edge in (each, each + 1)}):
        answer = answers.get(number, found[-1][1] if number > _X32 else allow)  # all x32 numbers are answered alike
        if len(answer) > len(allow):
            answer += allow  # what a check does not deny is allowed
        if found[-1][0] == number:
            found[-1] = (number, answer)
        elif found[-1][1] != answer:
            found.append((number, answer))
    return found


def _search(intervals: list[tuple[int, bytes]]) -> bytes:
    """Return the binary search for the interval of the number that is loaded."""
    if len(intervals) == 1:
        return intervals[0][1]
    half = len(intervals) // 2
    below, above = _search(intervals[:half]), _search(intervals[half:])
    distance = len(below) // 8
    if distance <= _FARTHEST:
        return _step(_JGE, intervals[half][0], distance, 0) + below + above
    return _step(_JGE, intervals[half][0], 0, 1) + _step(_JA, distance) + below + above


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _deny(error: int) -> bytes:
    return _step(_RET, _ERRNO | error)


def _load(argument: int, *, high: bool = False) -> bytes:
    return _step(_LD, 16 + 8 * argument + 4 * high)  # the low half is all of a flag, a signal or a process


def _check_values(argument: int, *values: int, error: int = errno.EPERM) -> bytes:
    return _load(argument) + b"".join(_step(_JEQ, value, 0, 1) + _deny(error) for value in values)


def _check_only(argument: int, value: int, *, error: int = errno.EPERM) -> bytes:
    return _load(argument) + _step(_JEQ, value, 1, 0) + _deny(error)


def _check_clone(allows_processes: bool) -> bytes:
    code = _load(0) + _step(_JSET, _CLONE_NEW, 0, 1) + _deny(errno.EPERM)
    if not allows_processes:
        return code + _step(_JSET, _CLONE_THREAD, 1, 0) + _deny(errno.EPERM)
    # the end of a child must not wake a parent that is stopped off turn
    return code + _step(_AND, _EXIT_SIGNAL) + _step(_JEQ, _SIGCONT, 0, 1) + _deny(errno.EPERM)


def _check_socketpair() -> bytes:
    local = _load(0) + _step(_JEQ, _UNIX, 1, 0) + _deny(errno.EACCES)
    kind = _step(_AND, _TYPE) + _step(_JEQ, _STREAM, 2, 0) + _step(_JEQ, _SEQPACKET, 1, 0)
    return local + _load(1) + kind + _deny(errno.EACCES)


def _check_mmap(denied: int) -> bytes:
    code = _load(3) + _step(_JSET, _GROWSDOWN | _HUGETLB | denied, 0, 1) + _deny(errno.ENOMEM)
    return code + _step(_AND, _SHARED_ANONYMOUS) + _step(_JEQ, _SHARED_ANONYMOUS, 0, 1) + _deny(errno.ENOMEM)


def _check_prlimit() -> bytes:
    """Allow a process its own limits only, and to read, but not to set, that of core dumps: see `_limit`."""
    setting = _load(2) + _step(_JEQ, 0, 0, 2) + _load(2, high=True) + _step(_JEQ, 0, 1, 0) + _deny(errno.EPERM)
    return _check_only(0, 0) + _load(1) + _step(_JEQ, _RLIMIT_CORE, 0, len(setting) // 8) + setting


def _check_clock() -> bytes:
    """Deny the CPU clock of another process: who reads it sees how long an opponent thinks."""
    is_own = _step(_OR, 3) + _step(_JEQ, 0xFFFFFFFB, 1, 0) + _deny(errno.EINVAL)  # process 0: the one that asks
    skip = len(is_own) // 8
    # only negative numbers are clocks of processes or threads, and a thread's are denied to others by the kernel
    return _load(0) + _step(_JSET, 0x80000000, 0, skip + 1) + _step(_JSET, 4, skip, 0) + is_own


def install(instructions: bytes) -> None:
    """Put a filter on this process and all that it executes, for good."""
    code = ctypes.create_string_buffer(instructions, len(instructions))
    header = ctypes.create_string_buffer(struct.pack("@HP", len(instructions) // 8, ctypes.addressof(code)))
    call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    call("prctl", 22, 2, header, 0, 0)  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER


def is_supported() -> bool:
    """Tell whether the filter knows this machine's calls."""
    return MACHINE in _AUDIT

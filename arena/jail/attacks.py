"""Attacks a bot could try, tried from inside its box: prints one line of JSON that tells what got through.

The last is to take memory that no limit of a process counts, of which it should die: if it does not, it says so in
another line.

Run by `arena doctor`, and before the first match, with the path of a canary file, the number of a canary process, the
port of a canary server, the path of a canary socket and the memory allowed. Its text is handed to the interpreter: it
imports nothing of ours.
"""

import ctypes
import json
import os
import resource
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable

CANARY, SOCKET = sys.argv[1], sys.argv[4]
PROCESS, PORT, MEMORY_MB = int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[5])
LIBC = ctypes.CDLL(None, use_errno=True)


def libc(name: str, *arguments: object) -> None:
    """Call a function of the C library; raises `OSError` if it fails."""
    if getattr(LIBC, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)


def read_file() -> None:
    with open(CANARY, "rb") as file:
        file.read(1)


def see_file() -> None:
    os.stat(CANARY)


def write_own_folder() -> None:
    with open("written", "w") as file:
        file.write("x")


def write_system() -> None:
    with open("/usr/written", "w") as file:
        file.write("x")


def see_process() -> None:
    with open(f"/proc/{PROCESS}/cmdline", "rb") as file:
        file.read(1)


def signal_process() -> None:
    os.kill(PROCESS, 0)


def trace_process() -> None:
    libc("ptrace", 16, PROCESS, None, None)


def slow_process() -> None:
    resource.prlimit(PROCESS, resource.RLIMIT_NICE)


def use_network() -> None:
    with socket.create_connection(("127.0.0.1", PORT), timeout=1):
        pass


def use_local_socket() -> None:
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(SOCKET)


def fork_child() -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def make_namespace() -> None:
    libc("unshare", 0x10000000)


def leave_core() -> None:
    os.sched_setaffinity(0, range(os.cpu_count() or 1))


def wake_itself() -> None:
    timer = ctypes.c_void_p()
    libc("timer_create", 1, None, ctypes.byref(timer))


def lock_file() -> None:
    import fcntl

    with open(sys.executable, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def share_memory() -> None:
    libc("shmget", 0x5EED, 4096, 0o1666)


def hide_memory() -> None:
    import mmap

    mmap.mmap(-1, 1 << 20)  # shared: counted by no limit of a process


def use_kernel_rings() -> None:
    libc("syscall", 425, 1, ctypes.create_string_buffer(120))


def take_memory() -> None:
    block = bytearray((MEMORY_MB + 64) << 20)
    block[-1] = 1


def outgrow_limits() -> None:
    """Take memory and make it read-only, after which RLIMIT_DATA does not count it."""
    LIBC.mmap.restype = ctypes.c_void_p
    LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    LIBC.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    size = 1 << 20
    for _ in range(2 * MEMORY_MB + 64):
        piece = LIBC.mmap(None, size, 3, 0x22, -1, 0)
        if piece in (None, ctypes.c_void_p(-1).value):
            return
        ctypes.memset(piece, 1, size)
        LIBC.mprotect(piece, size, 1)
    time.sleep(1)  # a watchdog is not there at once, but it comes


def take_threads() -> None:
    stop = threading.Event()
    threads = []
    threading.stack_size(65536)
    try:
        for _ in range(10_000):  # where a user's other processes are counted too, the limit is far above ours
            threads.append(threading.Thread(target=stop.wait))
            threads[-1].start()
    finally:
        stop.set()


def be_root() -> None:
    if os.getuid() != 0 and os.geteuid() != 0:
        if sys.platform != "linux":
            raise PermissionError("an ordinary user")
        with open("/proc/self/status") as file:
            status = dict(line.split(":\t", 1) for line in file if ":\t" in line)
        if int(status["CapEff"], 16) == 0:
            raise PermissionError("no capabilities")


def see_secrets() -> None:
    if "ARENA_CANARY" not in os.environ:
        raise PermissionError("a clean environment")


def use_descriptors() -> None:
    folder = "/proc/self/fd" if sys.platform == "linux" else "/dev/fd"
    extra = [int(name) for name in os.listdir(folder) if int(name) > 3]
    if not extra:
        raise PermissionError("no descriptors but its own")


ATTACKS: list[Callable[[], None]] = [
    read_file,
    see_file,
    write_own_folder,
    write_system,
    see_process,
    signal_process,
    trace_process,
    slow_process,
    use_network,
    use_local_socket,
    fork_child,
    make_namespace,
    leave_core,
    wake_itself,
    lock_file,
    share_memory,
    hide_memory,
    use_kernel_rings,
    take_memory,
    take_threads,
    be_root,
    see_secrets,
    use_descriptors,
]


def main() -> None:
    """Try everything; an attack that raises nothing got through."""
    signal.alarm(20)
    found = {}
    for attack in ATTACKS:
        try:
            attack()
        except (OSError, MemoryError, RuntimeError, ValueError, AttributeError) as error:
            found[attack.__name__] = str(error) or type(error).__name__
        else:
            found[attack.__name__] = ""
    os.write(1, json.dumps(found).encode() + b"\n")
    outgrow_limits()
    os.write(1, b"outgrown\n")


main()

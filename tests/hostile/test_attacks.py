"""Every attack gets through as an ordinary process, and fails in every box; what stays open is in one table.

`python -m tests.hostile.test_attacks` prints the table for the docs.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from arena.limits import ResourceLimits
from arena.sandbox.base import Command, StartFailed
from arena.sandbox.choose import BACKENDS
from tests.hostile.box import (
    BOXES,
    ENVIRONMENT,
    MEMORY_MB,
    Plain,
    Running,
    kill_all,
    next_line,
    python_in,
    require_box,
    require_program,
    require_root,
    verdict_of,
    waking_verdict,
)
from tests.hostile.conftest import Canaries

ROOT = "root"  # an ordinary user has no right to it anyway
ROOT_SETS_UP = "root sets up"  # only root can make what is attacked
MACHINE = "machine"  # whether it can be shown depends on the machine: a kernel, a container, a hypervisor may refuse it
NOBODY = 65534


class Attack(NamedTuple):
    """One attack: what is tried, by which program, and who can show it in a plain process, if not everybody."""

    name: str
    tries: str
    program: str
    shown: str = ""

    @property
    def is_in_c(self) -> bool:
        return not self.program.endswith((".py", ".js"))


ATTACKS = [
    # files
    Attack("read_secret", "read a file of the referee's", "files"),
    Attack("read_other_bot", "read another bot's source", "files"),
    Attack("read_accounts", "read the list of users", "files"),
    Attack("stat_secret", "see that a file exists, and its size", "files"),
    Attack("list_folder", "list a folder of the referee's", "files"),
    Attack("climb", "read a file above its own folder", "files"),
    Attack("follow_link", "read through a symbolic link in its own folder", "files"),
    Attack("follow_folder_link", "read through a symbolic link to a folder", "files"),
    Attack("follow_proc_link", "read through a symbolic link into /proc/self/root", "files"),
    Attack("read_odd_name", "read a file whose name has a newline", "files"),
    Attack("read_hard_link", "read a file outside by a hard link in its own folder", "files"),
    Attack("read_device", "read a device file in its own folder", "files", ROOT_SETS_UP),
    Attack("run_setuid", "become root by a setuid file in its own folder", "files", ROOT_SETS_UP),
    Attack("write_world", "write to a folder that is open to all", "files"),
    Attack("write_own", "write to its own folder", "files"),
    Attack("change_own", "change its own program", "files"),
    Attack("write_secret", "write to a file of the referee's", "files"),
    Attack("write_system", "write to /usr", "files", ROOT),
    Attack("truncate_secret", "empty a file of the referee's", "files"),
    Attack("remove_secret", "remove a file of the referee's", "files"),
    Attack("rename_secret", "move a file of the referee's", "files"),
    Attack("link_secret", "make a hard link to a file of the referee's", "files"),
    Attack("symlink_world", "leave a symbolic link behind", "files"),
    Attack("fifo_world", "leave a named pipe behind", "files"),
    Attack("chmod_secret", "change the mode of a file", "files"),
    Attack("chmod_secret_new", "change the mode of a file by the newer call", "files"),
    Attack("chown_secret", "change the group of a file", "files"),
    Attack("touch_secret", "change the times of a file", "files"),
    Attack("mark_secret", "attach an attribute to a file", "files"),
    Attack("mark_own", "attach an attribute to its own file", "files"),
    Attack("watch_other_bot", "watch another bot's folder (inotify)", "files"),
    Attack("watch_everything", "watch the file system (fanotify)", "files", ROOT),
    Attack("open_by_handle", "open a file by its handle", "files", ROOT),
    Attack("fill_disk", "fill the disk with large files", "files"),
    Attack("fill_inodes", "fill the disk with many files", "files"),
    Attack("huge_file", "make a huge file", "files"),
    Attack("read_disk", "read the raw disk", "files", MACHINE),
    Attack("set_core_pattern", "write to /proc/sys", "files", ROOT),
    Attack("press_sysrq", "write to /proc/sysrq-trigger", "files", MACHINE),
    Attack("join_cgroup", "write to the control groups", "files", ROOT),
    Attack("see_mounts", "see the paths of what is mounted", "files"),
    Attack("see_machine", "see what the machine does (/proc/stat, loadavg, meminfo …)", "files"),
    Attack("treat_itself", "change by /proc how it is treated (oom_score_adj, timerslack_ns …)", "files"),
    Attack("see_cached", "see whether a file is in memory (RWF_NOWAIT)", "files", MACHINE),
    Attack("see_cached_by_map", "see whether a file is in memory (mincore)", "files"),
    Attack("read_mark", "read an attribute of a file", "files", MACHINE),
    Attack("list_marks", "list the attributes of a file", "files", MACHINE),
    Attack("read_link", "see where a symbolic link outside leads", "files"),
    # other processes
    Attack("kill_victim", "kill a process", "processes"),
    Attack("stop_thread", "kill a thread of a process", "processes"),
    Attack("queue_signal", "kill a process by a queued signal", "processes"),
    Attack("signal_by_handle", "kill a process by its handle", "processes"),
    Attack("signal_parent", "signal the process that started it", "processes"),
    Attack("trace", "trace a process", "processes"),
    Attack("read_memory", "read the memory of a process", "processes"),
    Attack("open_memory", "open the memory of a process in /proc", "processes"),
    Attack("take_descriptor", "take a descriptor of a process", "processes"),
    Attack("compare", "compare its descriptors with another's", "processes"),
    Attack("read_environment", "read the environment of a process", "processes"),
    Attack("read_command", "read the command of a process", "processes"),
    Attack("read_status", "read the state of a process", "processes"),
    Attack("see_processes", "list the processes", "processes"),
    Attack("probe_process", "see that a process exists", "processes"),
    Attack("see_thinking", "read how long another process has computed", "processes"),
    Attack("limit_victim", "limit a process", "processes"),
    Attack("read_limits", "read the limits of a process", "processes"),
    Attack("read_priority", "read the priority of a process", "processes"),
    Attack("read_disk_priority", "read the disk priority of a process", "processes"),
    Attack("read_scheduling", "read the scheduling of a process", "processes"),
    Attack("read_core", "read on which cores a process may run", "processes"),
    Attack("slow_victim", "lower the priority of a process", "processes"),
    Attack("slow_disk", "lower the disk priority of a process", "processes"),
    Attack("move_victim", "move a process to another core", "processes"),
    Attack("schedule_victim", "change the scheduling of a process", "processes"),
    Attack("join_namespace", "join the namespace of a process", "processes", ROOT),
    # the processes around it
    Attack("read_parent_environment", "read the environment of the launcher", "processes"),
    Attack("read_parent_command", "read the command of the launcher", "processes"),
    Attack("open_parent_memory", "open the memory of the launcher", "processes"),
    Attack("read_memory_of_parent", "read the memory of the launcher", "processes"),
    Attack("list_parent_descriptors", "list the descriptors of the launcher", "processes"),
    Attack("follow_parent_root", "reach the launcher's root by /proc", "processes"),
    Attack("follow_parent_folder", "reach the launcher's folder by /proc", "processes"),
    Attack("read_first_command", "read the command of process 1", "processes"),
    Attack("read_first_environment", "read the environment of process 1", "processes", MACHINE),
    Attack("follow_first_root", "reach the root of process 1 by /proc", "processes", MACHINE),
    Attack("open_first_memory", "open the memory of process 1", "processes", MACHINE),
    Attack("see_secrets", "see the referee's environment", "processes"),
    Attack("use_descriptors", "use a descriptor that was left open", "processes"),
    Attack("load_before", "have its own code loaded into what starts it (LD_PRELOAD)", "loader"),
    Attack("load_audit", "have its own code loaded into what starts it (LD_AUDIT)", "loader"),
    Attack("load_log", "have what starts it write a file (LD_DEBUG_OUTPUT)", "loader"),
    # its own rights
    Attack("be_root", "be root, or have a capability", "processes", ROOT),
    Attack("become_root", "become root", "processes", ROOT),
    Attack("fork_child", "have a child (fork)", "processes"),
    Attack("vfork_child", "have a child (vfork)", "processes"),
    Attack("clone_child", "have a child (clone)", "processes"),
    Attack("clone_silent_child", "have a child whose end nobody is told", "processes"),
    Attack("clone_child_new", "have a child (clone3)", "processes"),
    Attack("clone_namespace", "have a child in a namespace of its own", "processes"),
    Attack("start_program", "start another program", "processes"),
    Attack("daemonize", "leave a daemon behind", "processes"),
    Attack("hop", "fork and end, over and over", "processes"),
    Attack("new_session", "begin a session of its own", "processes"),
    Attack("leave_group", "leave its process group", "processes"),
    Attack("new_namespace", "make a user namespace", "processes"),
    Attack("take_threads", "start 10 000 threads", "processes"),
    Attack("exec_chain", "execute itself 50 times, then read a file or fork", "processes"),
    Attack("leave_core", "leave the core that it was given", "processes"),
    Attack("schedule_itself", "change its own scheduling", "processes"),
    Attack("share_core", "keep others off its core's other half", "processes", MACHINE),
    Attack("raise_limits", "raise its limit of memory", "processes"),
    Attack("dump_core", "have its crash start a collector of core dumps", "processes"),
    Attack("dump_core_new", "the same by the newer call", "processes"),
    Attack("outlive", "no longer die with its parent", "processes"),
    Attack("type_at_terminal", "type at the referee's terminal (TIOCSTI)", "processes"),
    # the kernel and the machine
    Attack("use_rings", "use io_uring", "surfaces"),
    Attack("use_faults", "handle its own page faults (userfaultfd)", "surfaces"),
    Attack("add_key", "keep a key in the kernel", "surfaces"),
    Attack("read_keys", "reach the session's keys", "surfaces"),
    Attack("request_key", "have the kernel ask for a key", "surfaces"),
    Attack("load_bpf", "use bpf", "surfaces", ROOT),
    Attack("count_events", "use performance counters", "surfaces"),
    Attack("mount_something", "mount a file system in new namespaces", "surfaces"),
    Attack("mount_directly", "mount a file system", "surfaces", ROOT),
    Attack("unmount", "unmount a file system", "surfaces", ROOT),
    Attack("open_file_system", "mount by the newer calls", "surfaces", ROOT),
    Attack("copy_mounts", "copy the tree of mounts", "surfaces", ROOT),
    Attack("list_mounts", "list the mounts by the newest call", "surfaces"),
    Attack("change_root", "change its root", "surfaces", ROOT),
    Attack("pivot", "change the root of its namespace", "surfaces", ROOT),
    Attack("load_module", "load a kernel module", "surfaces", ROOT),
    Attack("unload_module", "unload a kernel module", "surfaces", ROOT),
    Attack("take_swap_off", "switch swapping off", "surfaces", ROOT),
    Attack("read_kernel_log", "read the kernel's log", "surfaces", ROOT),
    Attack("use_ports", "use the machine's ports", "surfaces", ROOT),
    Attack("change_segments", "read or change its segments (modify_ldt)", "surfaces"),
    Attack("personality_change", "switch off the randomness of addresses", "surfaces"),
    Attack("hidden_memory", "have memory that the kernel cannot see", "surfaces"),
    Attack("flush_disks", "flush all disks (sync)", "surfaces"),
    Attack("queue_disk_work", "take the machine's places for disk requests (io_setup)", "surfaces"),
    Attack("filter_itself", "use seccomp itself", "surfaces"),
    Attack("place_memory", "choose where its memory lies", "surfaces"),
    Attack("set_clock", "set the clock", "surfaces", ROOT),
    Attack("set_time_of_day", "set the clock by the older call", "surfaces", ROOT),
    Attack("bend_clock", "reach the clock's speed", "surfaces"),
    Attack("rename_host", "rename the machine", "surfaces", ROOT),
    Attack("call_as_i386", "make a call of the 32-bit interface", "surfaces"),
    Attack("fork_as_i386", "fork by the 32-bit interface", "surfaces"),
    Attack("call_as_x32", "make a call of the x32 interface", "surfaces"),
    # sockets, and other ways to talk
    Attack("connect_tcp", "connect to a local server", "network"),
    Attack("listen_tcp", "be a server", "network"),
    Attack("send_udp", "send a datagram", "network"),
    Attack("use_ip6", "make an IPv6 socket", "network"),
    Attack("use_netlink", "make a netlink socket", "network"),
    Attack("use_uevents", "hear of the machine's devices", "network"),
    Attack("use_vsock", "reach the hypervisor (vsock)", "network"),
    Attack("use_packets", "make a packet socket", "network", ROOT),
    Attack("use_raw_ip", "make a raw socket", "network", ROOT),
    Attack("use_crypto", "make a socket of the kernel's cryptography", "network"),
    Attack("see_sockets", "see the machine's local sockets", "network"),
    Attack("connect_abstract", "connect to an abstract local socket", "network"),
    Attack("connect_path", "connect to a local socket", "network"),
    Attack("send_from_pair", "send to a local socket from a pair", "network"),
    Attack("message_from_pair", "send to a local socket from a pair by a message", "network"),
    Attack("connect_pair", "connect one of a pair to a local socket", "network"),
    Attack("name_stream_pair", "give one of a pair a name", "network"),
    Attack("own_pair", "have signals sent for one of a pair", "network"),
    Attack("use_shared_memory", "use shared memory of the referee's (SysV)", "network"),
    Attack("leave_shared_memory", "leave shared memory behind (SysV)", "network"),
    Attack("leave_semaphores", "leave semaphores behind (SysV)", "network"),
    Attack("leave_messages", "leave a message queue behind (SysV)", "network"),
    Attack("leave_posix_messages", "leave a message queue behind (POSIX)", "network"),
    # memory
    Attack("private_memory", "take memory (mmap)", "memory"),
    Attack("heap", "take memory (malloc)", "memory"),
    Attack("break_upwards", "take memory (brk)", "memory"),
    Attack("shared_memory", "take shared memory, which RLIMIT_DATA does not count", "memory"),
    Attack("shared_zero", "take shared memory of /dev/zero", "memory"),
    Attack("memory_file", "take memory in a file that has no name (memfd)", "memory"),
    Attack("file_memory", "take memory in a file of /tmp", "memory"),
    Attack("growing_down", "take memory that grows down, which RLIMIT_DATA does not count", "memory"),
    Attack("stack", "take memory by its stack, which RLIMIT_DATA does not count", "memory"),
    Attack("thread_stacks", "take memory by the stacks of threads", "memory"),
    Attack(
        "read_only_memory", "take memory and make it read-only, after which RLIMIT_DATA does not count it", "memory"
    ),
    Attack("huge_pages", "take the machine's huge pages", "memory"),
    Attack("pipe_memory", "take memory by large pipes", "memory"),
    Attack("socket_memory", "take memory by the buffers of sockets", "memory"),
    Attack("table_memory", "take memory by the tables for its addresses", "memory"),
    Attack("locked_memory", "lock memory", "memory"),
    Attack("merged_memory", "have its memory merged with that of others", "memory"),
    # two bots of one match that want to talk
    Attack("tell_by_flock", "tell another bot by a lock of a file both may read", "channel"),
    Attack("tell_by_lock", "tell another bot by a POSIX lock", "channel"),
    Attack("tell_by_ofd_lock", "tell another bot by a lock of an open file", "channel"),
    Attack("tell_by_abstract", "tell another bot by an abstract socket", "channel"),
    Attack("tell_by_path", "tell another bot by a socket in /tmp", "channel"),
    Attack("tell_by_file", "tell another bot by a file in /tmp", "channel"),
    Attack("tell_by_shm", "tell another bot by a file in /dev/shm", "channel"),
    Attack("tell_by_sysv", "tell another bot by shared memory (SysV)", "channel"),
    Attack("tell_by_mq", "tell another bot by a message queue (POSIX)", "channel"),
    Attack("tell_by_fifo", "tell another bot by a named pipe in a folder both may read", "channel"),
    Attack("tell_by_atime", "tell another bot by the time at which a file was last read", "channel"),
    Attack("tell_by_signals", "see by signals that another bot has started", "channel"),
    Attack("tell_by_sessions", "see by its session that another bot has started", "channel"),
    Attack("tell_by_clocks", "see by its CPU clock that another bot has started", "channel"),
    Attack("tell_by_cache", "tell another bot by a file that is put out of memory", "channel", MACHINE),
    Attack("tell_by_threads", "tell another bot by how many threads the machine runs (sysinfo)", "channel"),
    Attack("tell_by_flight", "tell another bot by descriptors that are under way", "channel", MACHINE),  # not to root
    Attack("tell_by_queue", "tell another bot by signals that wait", "channel"),
    # running while it is not its turn
    Attack("filled_by_advice", "have the kernel fill memory while it is stopped (MADV_POPULATE_READ)", "memory"),
    Attack("filled_by_map", "have the kernel fill memory while it is stopped (MAP_POPULATE)", "memory"),
    Attack("wake_by_timer", "wake itself by a timer", "waking"),
    Attack("wake_by_input", "wake itself by its input", "waking"),
    Attack("wake_by_helper", "be woken by a child", "waking"),
    Attack("wake_by_ends", "be woken by the ends of children", "waking"),
    # the same with what languages bring
    Attack("python_reads", "read a file of the referee's, in Python", "escapes.py"),
    Attack("python_searches", "search the machine for a file, in Python", "escapes.py"),
    Attack("python_imports", "import another bot, in Python", "escapes.py"),
    Attack("python_writes", "write to a folder that is open to all, in Python", "escapes.py"),
    Attack("python_removes", "remove a folder, in Python", "escapes.py"),
    Attack("python_connects", "connect to a local server, in Python", "escapes.py"),
    Attack("python_starts_program", "start another program, in Python", "escapes.py"),
    Attack("python_forks", "have a child, in Python", "escapes.py"),
    Attack("python_kills", "kill a process, in Python", "escapes.py"),
    Attack("python_takes_memory", "take memory, in Python", "escapes.py"),
    Attack("python_takes_threads", "start 10 000 threads, in Python", "escapes.py"),
    Attack("python_sees_environment", "see the referee's environment, in Python", "escapes.py"),
    Attack("node_reads", "read a file of the referee's, in node", "escapes.js"),
    Attack("node_writes", "write to a folder that is open to all, in node", "escapes.js"),
    Attack("node_watches", "watch another bot's folder, in node", "escapes.js"),
    Attack("node_kills", "kill a process, in node", "escapes.js"),
    Attack("node_sees_environment", "see the referee's environment, in node", "escapes.js"),
    Attack("node_starts_program", "start another program, in node", "escapes.js"),
    Attack("node_connects", "connect to a local server, in node", "escapes.js"),
    Attack("node_sends", "send a datagram, in node", "escapes.js"),
    Attack("node_listens", "be a server, in node", "escapes.js"),
    Attack("node_takes_memory", "take memory, in node", "escapes.js"),
]

_EXISTS = "without a pid namespace it can be seen that a process exists, and its user and group, but not what it does"
_HARD_LINK = "a hard link is the file itself: whoever takes in a bot must copy its files"
_MOUNTS = "it sees the paths on the host of what it is shown: its folder, its interpreter"
_COUNTED = "runtimes ask by the same call how much memory there is, and go by a random number where it is denied"
# attack, sandbox → why it is open; a test says so when it is no longer
OPEN: dict[tuple[str, str], str] = {
    ("stat_secret", "landlock"): "Landlock does not hide that a file exists, where its folder's mode does not",
    ("read_link", "landlock"): "Landlock does not hide links, where the mode of their folder does not",
    ("probe_process", "landlock"): _EXISTS,
    ("read_hard_link", "namespaces"): _HARD_LINK,
    ("read_hard_link", "bwrap"): _HARD_LINK,
    ("read_hard_link", "landlock"): _HARD_LINK,
    ("tell_by_atime", "landlock"): "the host's file systems note, once a day, when a file was read",
    ("tell_by_signals", "landlock"): _EXISTS,
    ("tell_by_sessions", "landlock"): _EXISTS,
    ("tell_by_threads", "namespaces"): _COUNTED,
    ("tell_by_threads", "bwrap"): _COUNTED,
    ("tell_by_threads", "landlock"): _COUNTED,
    ("see_mounts", "namespaces"): _MOUNTS,
    ("see_mounts", "bwrap"): _MOUNTS,
    ("see_processes", "bwrap"): "it sees that there is a process 1, which is bubblewrap, but nothing of it",
    ("tell_by_fifo", "bwrap"): "a named pipe works on a read-only mount; a folder that has one is no bot",
    ("fill_inodes", "bwrap"): "bubblewrap limits how much is in its /tmp, but not how many files",
}
_MEMORY_FOR_NODE_MB = 256
# what a bot.toml could put into the environment; "loaded" is a library in the bot's folder
_LOADER = {
    "load_before": {"LD_PRELOAD": "{bot}/loaded:/bot/loaded"},
    "load_audit": {"LD_AUDIT": "{bot}/loaded:/bot/loaded"},
    "load_log": {"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": "{folder}/world/left"},
}


def _argv(attack: Attack, canaries: Canaries, python: str) -> list[str]:
    starter = {"py": [python, "-I", "-S"], "js": [require_program("node")]}.get(attack.program.rpartition(".")[2], [])
    program = attack.program if starter else f"./{attack.program}"
    return [*starter, program, attack.name, *canaries.arguments]


def _memory_mb(attack: Attack) -> int:
    if not (attack.program == "memory" or "takes_memory" in attack.name):
        return 512
    return _MEMORY_FOR_NODE_MB if attack.program == "escapes.js" else MEMORY_MB


def _environment(attack: Attack, canaries: Canaries) -> dict[str, str]:
    """Return what the bot that attacks wants in its environment."""
    wanted = _LOADER.get(attack.name, {})
    named = {name: text.format(bot=canaries.bot, folder=canaries.folder) for name, text in wanted.items()}
    return named | {"CANARY": str(canaries.folder)} if wanted else {}


def _set_up(attack: Attack, bot: Path) -> None:
    if attack.shown == ROOT_SETS_UP:
        require_root("make device and setuid files")
        os.mknod(bot / "device", stat.S_IFCHR, os.makedev(1, 5))  # another /dev/zero
        (bot / "device").chmod(0o666)
        shutil.copy(bot / "files", bot / "setuid")
        (bot / "setuid").chmod(0o4755)


@pytest.fixture
def one_core() -> Iterator[None]:
    """Keeps what is started to one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    yield
    os.sched_setaffinity(0, before)


@pytest.mark.usefixtures("one_core")
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_gets_through_as_an_ordinary_process(attack: Attack, canaries: Canaries) -> None:
    _set_up(attack, canaries.bot)
    if attack.shown == ROOT:
        require_root("do that, in a box or not")
    user = NOBODY if attack.name == "run_setuid" else None

    def begin(argv: list[str]) -> Running:
        words = [f"{name}={value}" for name, value in _environment(attack, canaries).items()]
        starter = ["/usr/bin/env", *words] if words else []
        return Plain([*starter, *argv], canaries.bot, user=user, descriptor=canaries.descriptor)

    try:
        verdict = _verdict(attack, canaries, sys.executable, begin)
    finally:
        kill_all(str(canaries.folder))
        canaries.clear()
    if verdict.startswith("absent") or (attack.shown == MACHINE and verdict != "through"):
        pytest.skip(f"this machine does not offer it: {verdict}")
    assert verdict == "through"


@pytest.mark.usefixtures("one_core")
@pytest.mark.parametrize("backend", BOXES)
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_fails_in_a_box(attack: Attack, backend: str, canaries: Canaries) -> None:
    require_box(backend)
    _set_up(attack, canaries.bot)

    def begin(argv: list[str]) -> Running:
        command = Command(tuple(argv), str(canaries.bot), ENVIRONMENT | _environment(attack, canaries))
        return BACKENDS[backend](command, ResourceLimits(memory_mb=_memory_mb(attack)))

    try:
        verdict = _verdict(attack, canaries, python_in(backend), begin)
    except StartFailed as error:
        verdict = f"held: {error}"
    assert not canaries.harmed()
    if (attack.name, backend) in OPEN:
        assert verdict == "through", "it is stopped: take it out of the table"
    else:
        assert verdict.startswith(("held", "absent")), f"{attack.tries}: {verdict}"


def _verdict(attack: Attack, canaries: Canaries, python: str, begin: Callable[[list[str]], Running]) -> str:
    """Return what became of an attack: "through", or "held" and why."""
    if attack.program == "loader":
        return _loader_verdict(canaries, begin)
    if attack.program == "channel":
        return _channel_verdict(attack, canaries, begin)
    if attack.program == "waking":
        return waking_verdict(begin(["./waking", attack.name.removeprefix("wake_by_"), str(canaries.folder)]))
    return verdict_of(begin(_argv(attack, canaries, python)))


def _loader_verdict(canaries: Canaries, begin: Callable[[list[str]], Running]) -> str:
    """Return whether a program's environment made anything be written before it began."""
    process = begin(["./manners", "wait"])
    try:
        assert next_line(process)  # "begun", or what the loader has to say
    finally:
        process.end()
    return "through" if any((canaries.folder / "world").iterdir()) else "held: nothing was written"


def _channel_verdict(attack: Attack, canaries: Canaries, begin: Callable[[list[str]], Running]) -> str:
    words = [attack.name.removeprefix("tell_by_"), canaries.left[0].name, str(canaries.key + 1), str(canaries.folder)]
    receiver = begin(["./channel", "receive", *words])
    try:
        assert next_line(receiver) == "ready"
        sender = begin(["./channel", "send", *words])
        try:
            sent = next_line(sender)
            os.write(receiver.stdin, b"\n")
            received = next_line(receiver)
        finally:
            sender.end()
    finally:
        receiver.end()
    return sent if sent != "sent" else received


def test_there_is_an_attack_for_every_row_of_the_table() -> None:
    assert {name for name, _ in OPEN} <= {attack.name for attack in ATTACKS}
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS)


def table() -> str:
    """Return the attacks and what stops them, in Markdown."""
    lines = [f"| attack | {' | '.join(BOXES)} |", "|---" * (len(BOXES) + 1) + "|"]
    for attack in ATTACKS:
        cells = [OPEN.get((attack.name, backend), "stopped") for backend in BOXES]
        lines.append(f"| {attack.tries} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())

/* Attacks on processes: the canary's, the parent's, and the bot's own rights. */

#include "attack.h"
#include <dirent.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <time.h>

static const char *proc_file(int pid, const char *name) {
    static char path[300];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    return path;
}

static int kill_victim(void) { return error_of(kill(victim, SIGKILL)); }
static int stop_thread(void) { return error_of(syscall(SYS_tgkill, victim, victim, SIGKILL)); }
static int signal_parent(void) { return error_of(kill(getppid(), SIGCONT)); }

static int queue_signal(void) {
    return error_of(sigqueue(victim, SIGKILL, (union sigval){0}));
}

static int signal_by_handle(void) {
    int handle = syscall(SYS_pidfd_open, victim, 0);
    return handle < 0 ? errno : error_of(syscall(SYS_pidfd_send_signal, handle, SIGKILL, NULL, 0));
}

static int trace(void) {
    if (ptrace(PTRACE_SEIZE, victim, NULL, NULL) < 0) return errno;
    ptrace(PTRACE_DETACH, victim, NULL, NULL);
    return 0;
}

static int read_memory_of(int pid) {
    char byte;
    char *there = (char *)&errno; /* mapped in both if both run the same program; a fault means we were let in */
    struct iovec here = {&byte, 1}, remote = {there, 1};
    long count = process_vm_readv(pid, &here, 1, &remote, 1, 0);
    return count == 1 || errno == EFAULT ? 0 : errno;
}

static int read_memory(void) { return read_memory_of(victim); }
static int read_memory_of_parent(void) { return read_memory_of(getppid()); }

static int take_descriptor(void) {
    int handle = syscall(SYS_pidfd_open, victim, 0);
    return handle < 0 ? errno : error_of(syscall(SYS_pidfd_getfd, handle, 0, 0));
}

static int compare(void) { return error_of(syscall(SYS_kcmp, getpid(), victim, 0, 0, 0)); }
static int open_memory(void) { return can_open(proc_file(victim, "mem"), O_RDWR); }
static int read_environment(void) { return can_read(proc_file(victim, "environ")); }
static int read_command(void) { return can_read(proc_file(victim, "cmdline")); }
static int read_status(void) { return can_read(proc_file(victim, "status")); }
static int read_parent_environment(void) { return can_open(proc_file(getppid(), "environ"), O_RDONLY); }
static int read_parent_command(void) { return can_read(proc_file(getppid(), "cmdline")); }
static int open_parent_memory(void) { return can_open(proc_file(getppid(), "mem"), O_RDWR); }
static int list_parent_descriptors(void) { return can_open(proc_file(getppid(), "fd"), O_RDONLY | O_DIRECTORY); }
static int follow_parent_root(void) { return can_open(proc_file(getppid(), "root/proc"), O_RDONLY); }
static int follow_parent_folder(void) { return can_open(proc_file(getppid(), "cwd"), O_RDONLY); }
static int read_first_command(void) { return can_read(proc_file(1, "cmdline")); }
static int read_first_environment(void) { return can_open(proc_file(1, "environ"), O_RDONLY); }
static int follow_first_root(void) { return can_open(proc_file(1, "root/proc"), O_RDONLY); }
static int open_first_memory(void) { return can_open(proc_file(1, "mem"), O_RDWR); }

static int see_processes(void) {
    DIR *opened = opendir("/proc");
    struct dirent *entry;
    while (opened && (entry = readdir(opened)))
        if (atoi(entry->d_name) && atoi(entry->d_name) != getpid()) return 0;
    return opened ? ENOENT : errno;
}

static int probe_process(void) {
    struct stat found;
    return error_of(stat(proc_file(victim, ""), &found));
}

/* how long another process has been computing: an opponent's thinking time */
static int see_thinking(void) {
    struct timespec used;
    return error_of(clock_gettime((clockid_t)((~(unsigned)victim << 3) | 2), &used));
}

static int limit_victim(void) {
    struct rlimit limit = {64, 64};
    return error_of(prlimit(victim, RLIMIT_NOFILE, &limit, NULL));
}

static int read_limits(void) {
    struct rlimit limit;
    return error_of(prlimit(victim, RLIMIT_NOFILE, NULL, &limit));
}

static int read_priority(void) {
    errno = 0;
    return getpriority(PRIO_PROCESS, victim) == -1 ? errno : 0;
}

static int read_disk_priority(void) { return error_of(syscall(SYS_ioprio_get, 1, victim)); }
static int read_scheduling(void) { return error_of(sched_getscheduler(victim)); }
static int read_core(void) {
    cpu_set_t cores;
    return error_of(sched_getaffinity(victim, sizeof cores, &cores));
}

static int slow_victim(void) { return error_of(setpriority(PRIO_PROCESS, victim, 19)); }
static int slow_disk(void) { return error_of(syscall(SYS_ioprio_set, 1, victim, 3 << 13)); }

static int move(int pid) {
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) CPU_SET(cpu, &all);
    return error_of(sched_setaffinity(pid, sizeof all, &all));
}

static int move_victim(void) { return move(victim); }

/* the starter keeps us to one core */
static int leave_core(void) {
    cpu_set_t now;
    int error = move(0);
    sched_getaffinity(0, sizeof now, &now);
    return error ? error : CPU_COUNT(&now) > 1 ? 0 : ENODEV;
}

static int schedule(int pid) {
    struct sched_param parameter = {0};
    return error_of(sched_setscheduler(pid, SCHED_BATCH, &parameter));
}

static int schedule_victim(void) { return schedule(victim); }
static int schedule_itself(void) { return schedule(0); }
static int share_core(void) { return error_of(prctl(62, 1, 0, 0, 0)); /* PR_SCHED_CORE: have a core alone */ }

static int raise_limits(void) {
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    return error_of(setrlimit(RLIMIT_DATA, &limit));
}

static int dump_core(void) {
    struct rlimit limit = {0, 0}; /* on the host, 0 still starts a collector of core dumps */
    return error_of(setrlimit(RLIMIT_CORE, &limit));
}

static int dump_core_new(void) {
    struct rlimit limit = {0, 0};
    return error_of(prlimit(0, RLIMIT_CORE, &limit, NULL));
}

static int outlive(void) { return error_of(prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0)); }

static int child_of(int pid) {
    if (pid < 0) return errno;
    if (pid == 0) _exit(0);
    waitpid(pid, NULL, __WALL);
    return 0;
}

static int fork_child(void) { return child_of(syscall(SYS_fork)); }
static int vfork_child(void) { return child_of(vfork()); }
static int clone_child(void) { return child_of(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); }
static int clone_silent_child(void) { return child_of(syscall(SYS_clone, 0, 0, 0, 0, 0)); }
static int clone_namespace(void) { return child_of(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0)); }

static int clone_child_new(void) {
    struct clone_args wanted = {.exit_signal = SIGCHLD};
    int error = child_of(syscall(SYS_clone3, &wanted, sizeof wanted));
    return error == ENOSYS ? EPERM : error;
}

static int start_program(void) {
    int status = system("exit 7");
    return status >= 0 && WEXITSTATUS(status) == 7 ? 0 : EPERM;
}

/* two forks and a session of its own: a process that nobody knows of any more; ends by itself */
static int daemonize(void) {
    int pid = fork();
    if (pid < 0) return errno;
    if (pid == 0) {
        setsid();
        if (fork() == 0) {
            for (int descriptor = 0; descriptor < 64; descriptor++) close(descriptor);
            sleep(20);
        }
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    return 0;
}

/* a process that forks and ends, over and over: it is gone when its killer comes; at most 500 times */
static int hop(void) {
    int pid = fork();
    if (pid < 0) return errno;
    if (pid) return 0;
    setsid();
    for (int hops = 0; hops < 500; hops++) {
        if (fork()) _exit(0);
        usleep(1000);
    }
    _exit(0);
}

static int new_session(void) { return error_of(setsid()); }
static int leave_group(void) { return error_of(syscall(SYS_setpgid, 0, 0)); }
static int new_namespace(void) { return error_of(unshare(CLONE_NEWUSER)); }

static int join_namespace(void) {
    int space = open(proc_file(victim, "ns/uts"), O_RDONLY);
    return space < 0 ? errno : error_of(setns(space, 0));
}

static void *sleep_long(void *_) {
    sleep(30);
    return _;
}

static int take_threads(void) {
    pthread_attr_t small;
    pthread_t thread;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384);
    for (int count = 0; count < 10000; count++) {
        int error = pthread_create(&thread, &small, sleep_long, NULL);
        if (error) return error;
    }
    return 0;
}

/* a program that becomes another one fifty times must be confined as in the beginning */
static int exec_chain(void) {
    int links = arguments[8] ? atoi(arguments[8]) : 0;
    if (links < 50) {
        char next[12];
        snprintf(next, sizeof next, "%d", links + 1);
        execl("/proc/self/exe", arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5],
              arguments[6], arguments[7], next, NULL);
        return errno;
    }
    int error = can_read(in_folder("secret"));
    return error ? fork_child() : 0;
}

static int see_secrets(void) { return getenv("ARENA_CANARY") ? 0 : ENOENT; }

static int use_descriptors(void) {
    for (int descriptor = 3; descriptor < 1024; descriptor++)
        if (fcntl(descriptor, F_GETFD) >= 0) return 0;
    return EBADF;
}

static int be_root(void) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[200];
    unsigned long capabilities;
    if (getuid() == 0 || geteuid() == 0 || getgid() == 0 || getegid() == 0) return 0;
    while (file && fgets(line, sizeof line, file))
        if ((sscanf(line, "CapPrm: %lx", &capabilities) || sscanf(line, "CapEff: %lx", &capabilities) ||
             sscanf(line, "CapInh: %lx", &capabilities) || sscanf(line, "CapAmb: %lx", &capabilities)) &&
            capabilities)
            return 0;
    return file ? EPERM : 0;
}

static int become_root(void) { return error_of(setresuid(0, 0, 0)); }

/* TIOCSTI; that stdin is no terminal is our luck, not a protection */
static int type_at_terminal(void) {
    int error = error_of(syscall(SYS_ioctl, 0, 0x5412, "x"));
    return error == ENOTTY ? 0 : error;
}

ATTACKS({"kill_victim", kill_victim}, {"stop_thread", stop_thread},
        {"signal_parent", signal_parent}, {"queue_signal", queue_signal}, {"signal_by_handle", signal_by_handle},
        {"trace", trace}, {"read_memory", read_memory}, {"read_memory_of_parent", read_memory_of_parent},
        {"take_descriptor", take_descriptor}, {"compare", compare}, {"open_memory", open_memory},
        {"read_environment", read_environment}, {"read_command", read_command}, {"read_status", read_status},
        {"read_parent_environment", read_parent_environment}, {"read_parent_command", read_parent_command},
        {"open_parent_memory", open_parent_memory}, {"list_parent_descriptors", list_parent_descriptors},
        {"follow_parent_root", follow_parent_root}, {"follow_parent_folder", follow_parent_folder},
        {"read_first_command", read_first_command}, {"read_first_environment", read_first_environment},
        {"follow_first_root", follow_first_root}, {"open_first_memory", open_first_memory},
        {"see_processes", see_processes}, {"probe_process", probe_process}, {"see_thinking", see_thinking},
        {"limit_victim", limit_victim}, {"read_limits", read_limits}, {"read_priority", read_priority}, {"read_disk_priority", read_disk_priority},
        {"read_scheduling", read_scheduling}, {"read_core", read_core}, {"slow_victim", slow_victim},
        {"slow_disk", slow_disk}, {"move_victim", move_victim}, {"leave_core", leave_core},
        {"schedule_victim", schedule_victim}, {"schedule_itself", schedule_itself}, {"share_core", share_core},
        {"raise_limits", raise_limits}, {"dump_core", dump_core}, {"dump_core_new", dump_core_new},
        {"outlive", outlive}, {"fork_child", fork_child}, {"vfork_child", vfork_child},
        {"clone_child", clone_child}, {"clone_silent_child", clone_silent_child},
        {"clone_namespace", clone_namespace}, {"clone_child_new", clone_child_new},
        {"start_program", start_program}, {"daemonize", daemonize}, {"hop", hop}, {"new_session", new_session},
        {"leave_group", leave_group}, {"new_namespace", new_namespace}, {"join_namespace", join_namespace},
        {"take_threads", take_threads}, {"exec_chain", exec_chain}, {"see_secrets", see_secrets},
        {"use_descriptors", use_descriptors}, {"be_root", be_root}, {"become_root", become_root},
        {"type_at_terminal", type_at_terminal})

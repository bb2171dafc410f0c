/* Attacks through the kernel's larger surfaces, and on the machine as a whole. */

#include "attack.h"
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/swap.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>

/* an error other than that of a missing right tells that we were let in */
static int was_let_in(long result) { return result < 0 && (errno == EPERM || errno == EACCES || errno == ENOSYS) ? errno : 0; }

static int use_rings(void) {
    char parameters[120] = {0};
    return error_of(syscall(425, 1, parameters));
}

static int use_faults(void) { return error_of(syscall(SYS_userfaultfd, 1)); /* of user mode only: for everybody */ }
static int add_key(void) { return error_of(syscall(SYS_add_key, "user", "arena-canary", "x", 1L, -2)); }
static int read_keys(void) { return error_of(syscall(SYS_keyctl, 0, -3, 0)); }
static int request_key(void) { return was_let_in(syscall(SYS_request_key, "user", "arena-canary", "x", -2)); }

static int load_bpf(void) {
    union bpf_attr wanted = {.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8, .max_entries = 1};
    return error_of(syscall(SYS_bpf, BPF_MAP_CREATE, &wanted, sizeof wanted));
}

static int count_events(void) {
    struct perf_event_attr wanted = {.type = PERF_TYPE_SOFTWARE, .size = sizeof wanted, .exclude_kernel = 1};
    return error_of(syscall(SYS_perf_event_open, &wanted, 0, -1, -1, 0));
}

static int mount_something(void) {
    /* in namespaces of its own: nothing is mounted for anybody else */
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0) return errno;
    return error_of(mount("tmpfs", in_folder("world"), "tmpfs", 0, NULL));
}

static int mount_directly(void) { return was_let_in(mount("none", "/nonexistent", "tmpfs", 0, NULL)); }
static int unmount(void) { return was_let_in(umount2("/nonexistent", MNT_DETACH)); }
static int open_file_system(void) { return was_let_in(syscall(430, "tmpfs", 0)); }
static int copy_mounts(void) { return was_let_in(syscall(428, AT_FDCWD, "/", 1)); }
static int list_mounts(void) { return was_let_in(syscall(458, NULL, NULL, 0, 0)); }
static int change_root(void) { return error_of(chroot(".")); }
static int pivot(void) { return was_let_in(syscall(SYS_pivot_root, "/nonexistent", "/nonexistent")); }
static int load_module(void) { return was_let_in(syscall(SYS_init_module, "", 0, "")); }
static int unload_module(void) { return was_let_in(syscall(SYS_delete_module, "arena-canary", O_NONBLOCK)); }
static int take_swap_off(void) { return was_let_in(swapoff("/nonexistent")); }
static int read_kernel_log(void) { return error_of(syscall(SYS_syslog, 3, in_folder(""), 0)); }
static int use_ports(void) { return error_of(syscall(SYS_iopl, 0)); }
static int change_segments(void) { char found[64]; return error_of(syscall(SYS_modify_ldt, 0, found, sizeof found)); }
static int personality_change(void) { return error_of(syscall(SYS_personality, 0x0040000)); }
static int hidden_memory(void) { return error_of(syscall(447, 0)); }
static int flush_disks(void) { return error_of(syscall(SYS_sync)); }
static int queue_disk_work(void) { unsigned long context = 0; return error_of(syscall(SYS_io_setup, 1, &context)); }
static int filter_itself(void) { unsigned action = 0x7fff0000; return error_of(syscall(SYS_seccomp, 2, 0, &action)); }
static int place_memory(void) { return error_of(syscall(SYS_set_mempolicy, 0, NULL, 0)); }

static int set_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return error_of(clock_settime(CLOCK_REALTIME, &now)); /* to what it is */
}

static int set_time_of_day(void) {
    struct timeval now;
    gettimeofday(&now, NULL);
    return error_of(settimeofday(&now, NULL));
}

static int bend_clock(void) {
    struct timex wanted = {.modes = 0}; /* reads only */
    return error_of(adjtimex(&wanted));
}

static int rename_host(void) {
    char name[100];
    gethostname(name, sizeof name);
    return error_of(sethostname(name, strlen(name))); /* to what it is */
}

#ifdef __x86_64__
static int call_as_i386(void) {
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory"); /* getpid */
    return result == getpid() ? 0 : ENOSYS;
}
static int call_as_x32(void) { return error_of(syscall(0x40000000 | 39)); }
static int fork_as_i386(void) {
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(2L) : "memory");
    if (result == 0) _exit(0);
    if (result > 0) waitpid(result, NULL, 0);
    return result > 0 ? 0 : -result;
}
#else
static int call_as_i386(void) { return ENOSYS; }
static int call_as_x32(void) { return ENOSYS; }
static int fork_as_i386(void) { return ENOSYS; }
#endif

ATTACKS({"use_rings", use_rings}, {"use_faults", use_faults}, {"add_key", add_key}, {"read_keys", read_keys},
        {"request_key", request_key}, {"load_bpf", load_bpf}, {"count_events", count_events},
        {"mount_something", mount_something}, {"mount_directly", mount_directly}, {"unmount", unmount},
        {"open_file_system", open_file_system}, {"copy_mounts", copy_mounts}, {"list_mounts", list_mounts},
        {"change_root", change_root}, {"pivot", pivot}, {"load_module", load_module},
        {"unload_module", unload_module}, {"take_swap_off", take_swap_off}, {"read_kernel_log", read_kernel_log},
        {"use_ports", use_ports}, {"change_segments", change_segments}, {"personality_change", personality_change},
        {"hidden_memory", hidden_memory}, {"flush_disks", flush_disks}, {"queue_disk_work", queue_disk_work},
        {"filter_itself", filter_itself}, {"place_memory", place_memory}, {"set_clock", set_clock},
        {"set_time_of_day", set_time_of_day}, {"bend_clock", bend_clock}, {"rename_host", rename_host},
        {"call_as_i386", call_as_i386}, {"call_as_x32", call_as_x32}, {"fork_as_i386", fork_as_i386})

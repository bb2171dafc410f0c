/* Attacks on files: the referee's, another bot's, the system's, and the bot's own. */

#include "attack.h"
#include <dirent.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <utime.h>

static int read_secret(void) { return can_read(in_folder("secret")); }
static int read_other_bot(void) { return can_read(in_folder("other/bot.py")); }
static int read_accounts(void) { return can_read("/etc/passwd"); }
static int climb(void) { return can_read("../secret"); }
static int follow_link(void) { return can_read("link"); }
static int follow_folder_link(void) { return can_read("folder-link/secret"); }
static int follow_proc_link(void) { return can_read("proc-link/secret"); }
static int read_hard_link(void) { return can_read("hard-link"); }
static int read_device(void) { return can_read("device"); }
static int read_odd_name(void) { return can_read("../odd\nname"); }

static int stat_secret(void) {
    struct stat found;
    return error_of(stat(in_folder("secret"), &found));
}

static int list_folder(void) {
    DIR *opened = opendir(folder);
    return opened && readdir(opened) ? 0 : errno;
}

static int write_world(void) { return can_open(in_folder("world/left"), O_CREAT | O_WRONLY); }
static int write_own(void) { return can_open("left", O_CREAT | O_WRONLY); }
static int change_own(void) { return can_open("bait", O_WRONLY | O_TRUNC); }
static int write_secret(void) { return can_open(in_folder("secret"), O_WRONLY | O_APPEND); }
static int write_system(void) { return can_open("/usr", O_TMPFILE | O_RDWR); /* leaves nothing */ }
static int truncate_secret(void) { return error_of(truncate(in_folder("secret"), 1)); }
static int remove_secret(void) { return error_of(unlink(in_folder("secret"))); }
static int rename_secret(void) { return error_of(rename(in_folder("secret"), in_folder("world/left"))); }
static int link_secret(void) { return error_of(link(in_folder("secret"), in_folder("world/left"))); }
static int symlink_world(void) { return error_of(symlink("/", in_folder("world/left"))); }
static int fifo_world(void) { return error_of(mkfifo(in_folder("world/left"), 0600)); }
static int chmod_secret(void) { return error_of(chmod(in_folder("secret"), 0600)); }
static int chmod_secret_new(void) { return error_of(syscall(452, AT_FDCWD, in_folder("secret"), 0600, 0)); }
static int chown_secret(void) { return error_of(chown(in_folder("secret"), -1, getgid())); }
static int touch_secret(void) { return error_of(utime(in_folder("secret"), NULL)); }
static int mark_secret(void) { return error_of(setxattr(in_folder("secret"), "user.mark", "x", 1, 0)); }
static int mark_own(void) { return error_of(setxattr("bait", "user.mark", "x", 1, 0)); }

static int watch_other_bot(void) {
    int watch = inotify_init1(0);
    return watch < 0 ? errno : error_of(inotify_add_watch(watch, in_folder("other"), IN_ALL_EVENTS));
}

static int watch_everything(void) { return error_of(syscall(SYS_fanotify_init, 0, 0)); }

static int open_by_handle(void) {
    struct { struct file_handle handle; char rest[128]; } found = {.handle.handle_bytes = 128};
    int mount;
    if (name_to_handle_at(AT_FDCWD, "/", &found.handle, &mount, 0) < 0) return errno;
    return error_of(open_by_handle_at(AT_FDCWD, &found.handle, O_RDONLY | O_DIRECTORY));
}

static int run_setuid(void) {
    execl("setuid", "setuid", "whoami", "", "0", "0", "0", "", "0", NULL);
    return errno;
}

static int whoami(void) { return geteuid() == 0 ? 0 : EPERM; }

/* tries something in every folder at most two below the root, until it succeeds; as a plain process in one */
static int in_some_folder(const char *path, int depth, int (*attempt)(const char *)) {
    int error = attempt(path);
    DIR *opened = error && depth < 2 && !getenv("PLAIN") ? opendir(path) : NULL;
    struct dirent *entry;
    while (error && opened && (entry = readdir(opened))) {
        char below[600];
        if (entry->d_type != DT_DIR || entry->d_name[0] == '.') continue;
        snprintf(below, sizeof below, "%s%s/", path, entry->d_name);
        if (!in_some_folder(below, depth + 1, attempt)) error = 0;
    }
    if (opened) closedir(opened);
    return error;
}

static int somewhere(int (*attempt)(const char *)) {
    if (getenv("PLAIN")) return attempt(in_folder("world/"));
    return in_some_folder("/tmp/", 2, attempt) && in_some_folder("/", 0, attempt) ? ENOSPC : 0;
}

/* a hundred megabytes, in files that are each below any limit of one */
static int fill(const char *place) {
    static char block[1 << 20];
    for (int at = 0; at < 10; at++) {
        char path[700];
        snprintf(path, sizeof path, "%sfill-%d", place, at);
        int file = open(path, O_CREAT | O_WRONLY, 0600);
        if (file < 0) return errno;
        for (int count = 0; count < 10; count++)
            if (write(file, block, sizeof block) != sizeof block) return close(file), ENOSPC;
        close(file);
    }
    return 0;
}

static int fill_names(const char *place) {
    for (int at = 0; at < 5000; at++) {
        char path[700];
        snprintf(path, sizeof path, "%sinode-%d", place, at);
        int error = can_open(path, O_CREAT | O_WRONLY);
        if (error) return error;
    }
    return 0;
}

static int fill_disk(void) { return somewhere(fill); }
static int fill_inodes(void) { return somewhere(fill_names); }

static int huge_file(void) {
    signal(SIGXFSZ, SIG_IGN);
    int file = open(getenv("PLAIN") ? in_folder("world/left") : "/tmp/left", O_CREAT | O_RDWR, 0600);
    return file < 0 ? errno : error_of(ftruncate(file, 1L << 33)); /* sparse */
}

static int read_disk(void) {
    DIR *opened = opendir("/sys/block");
    struct dirent *entry;
    int error = opened ? ENOENT : errno;
    const char *names[] = {"vda", "sda", "nvme0n1", "xvda", "mmcblk0"};
    while (opened && (entry = readdir(opened))) {
        char path[300];
        snprintf(path, sizeof path, "/dev/%s", entry->d_name);
        if (entry->d_name[0] != '.' && !(error = can_read(path))) return 0;
    }
    for (int at = 0; at < 5; at++) {
        char path[300];
        snprintf(path, sizeof path, "/dev/%s", names[at]);
        if (!can_read(path)) return 0;
    }
    return error;
}

static int set_core_pattern(void) { return can_open("/proc/sys/kernel/core_pattern", O_WRONLY); /* not written to */ }
static int press_sysrq(void) { return can_open("/proc/sysrq-trigger", O_WRONLY); /* not written to */ }

static int join_cgroup(void) {
    int error = can_open("/sys/fs/cgroup/cgroup.procs", O_WRONLY);
    return error ? can_open("/sys/fs/cgroup/unified/cgroup.procs", O_WRONLY) : 0;
}

/* what else runs on the machine, and how much */
static int see_machine(void) {
    const char *names[] = {"stat", "loadavg", "meminfo", "vmstat", "interrupts", "softirqs", "diskstats", "locks", "keys",
                           "key-users", "uptime", "zoneinfo", "buddyinfo", "pressure/cpu", "sys/fs/file-nr"};
    for (unsigned at = 0; at < sizeof names / sizeof *names; at++) {
        char path[100];
        snprintf(path, sizeof path, "/proc/%s", names[at]);
        if (!can_read(path)) return 0;
    }
    return EACCES;
}

static int treat_itself(void) {
    const char *names[] = {"oom_score_adj", "autogroup", "timerslack_ns", "clear_refs", "coredump_filter"};
    for (unsigned at = 0; at < sizeof names / sizeof *names; at++) {
        char path[100];
        snprintf(path, sizeof path, "/proc/self/%s", names[at]);
        if (!can_open(path, O_WRONLY)) return 0;
    }
    return EACCES;
}

/* whether a file is in memory: if another bot has read it */
static int see_cached(void) {
    char byte;
    struct iovec place = {&byte, 1};
    int file = open("page", O_RDONLY);
    if (file < 0 || read(file, &byte, 1) != 1) return errno;
    return error_of(preadv2(file, &place, 1, 0, RWF_NOWAIT));
}

static int see_cached_by_map(void) {
    unsigned char found = 0;
    int file = open("page", O_RDONLY);
    void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
    return page == MAP_FAILED ? errno : error_of(mincore(page, 4096, &found));
}

static int read_mark(void) { char text[100]; return error_of(getxattr(in_folder("other/bot.py"), "user.mark", text, 100)); }
static int list_marks(void) { char names[100]; return error_of(listxattr(in_folder("other/bot.py"), names, 100)); }
static int read_link(void) { char target[100]; return error_of(readlink(in_folder("pointer"), target, 100)); }
static int see_mounts(void) { return can_read("/proc/self/mountinfo"); }

ATTACKS({"read_secret", read_secret}, {"read_other_bot", read_other_bot}, {"read_accounts", read_accounts},
        {"climb", climb}, {"follow_link", follow_link}, {"follow_folder_link", follow_folder_link},
        {"follow_proc_link", follow_proc_link}, {"read_hard_link", read_hard_link}, {"read_device", read_device},
        {"read_odd_name", read_odd_name}, {"stat_secret", stat_secret}, {"list_folder", list_folder},
        {"write_world", write_world}, {"write_own", write_own}, {"change_own", change_own},
        {"write_secret", write_secret}, {"write_system", write_system}, {"truncate_secret", truncate_secret},
        {"remove_secret", remove_secret}, {"rename_secret", rename_secret}, {"link_secret", link_secret},
        {"symlink_world", symlink_world}, {"fifo_world", fifo_world}, {"chmod_secret", chmod_secret},
        {"chmod_secret_new", chmod_secret_new}, {"chown_secret", chown_secret}, {"touch_secret", touch_secret},
        {"mark_secret", mark_secret}, {"mark_own", mark_own}, {"watch_other_bot", watch_other_bot},
        {"watch_everything", watch_everything}, {"open_by_handle", open_by_handle}, {"run_setuid", run_setuid},
        {"whoami", whoami}, {"fill_disk", fill_disk}, {"fill_inodes", fill_inodes}, {"huge_file", huge_file},
        {"read_disk", read_disk}, {"set_core_pattern", set_core_pattern},
        {"press_sysrq", press_sysrq}, {"join_cgroup", join_cgroup}, {"see_mounts", see_mounts},
        {"see_machine", see_machine}, {"treat_itself", treat_itself}, {"see_cached", see_cached},
        {"see_cached_by_map", see_cached_by_map}, {"read_mark", read_mark}, {"list_marks", list_marks},
        {"read_link", read_link})

/* Attacks on the limit of memory: each tries to hold four times what a bot is given (64 MB), by another way. */

#include "attack.h"
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>

enum { PIECE = 1 << 20, PIECES = 256 };

static int fill(char *memory) {
    for (long at = 0; at < (long)PIECE * PIECES; at += 4096) memory[at] = 1;
    return 0;
}

static int take(int flags, int file) {
    char *memory = mmap(NULL, (long)PIECE * PIECES, PROT_READ | PROT_WRITE, flags, file, 0);
    return memory == MAP_FAILED ? errno : fill(memory);
}

static int private_memory(void) { return take(MAP_PRIVATE | MAP_ANONYMOUS, -1); }
static int shared_memory(void) { return take(MAP_SHARED | MAP_ANONYMOUS, -1); }
static int huge_pages(void) {
    char *memory = mmap(NULL, 2 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    if (memory != MAP_FAILED) return 0;
    return getenv("PLAIN") ? 0 : errno; /* whether there are any is the machine's affair */
}

static int heap(void) {
    for (int count = 0; count < PIECES; count++) {
        volatile char *piece = malloc(PIECE); /* or the compiler sees that nobody reads it */
        if (!piece) return ENOMEM;
        for (int at = 0; at < PIECE; at += 4096) piece[at] = 1;
    }
    return 0;
}

static int break_upwards(void) {
    char *start = sbrk((long)PIECE * PIECES);
    return start == (char *)-1 ? errno : fill(start);
}

static int shared_zero(void) {
    int zero = open("/dev/zero", O_RDWR);
    return zero < 0 ? errno : take(MAP_SHARED, zero);
}

static int memory_file(void) {
    int file = syscall(SYS_memfd_create, "canary", 0);
    if (file < 0) return errno;
    return ftruncate(file, (long)PIECE * PIECES) < 0 ? errno : take(MAP_SHARED, file);
}

static int growing_down(void) {
    for (int count = 0; count < PIECES; count++) {
        char *piece = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0);
        if (piece == MAP_FAILED) return errno;
        memset(piece, 1, PIECE);
    }
    return 0;
}

/* the stack is no data to RLIMIT_DATA */
static int recurse(int pieces) {
    volatile char piece[PIECE];
    for (int at = 0; at < PIECE; at += 4096) piece[at] = 1;
    return pieces ? recurse(pieces - 1) + piece[4096] - 1 : 0;
}

static int stack(void) {
    if (!arguments[8]) { /* a main stack is laid out by the limit at its start */
        struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
        if (setrlimit(RLIMIT_STACK, &limit) < 0) {
            getrlimit(RLIMIT_STACK, &limit);
            limit.rlim_cur = limit.rlim_max;
            setrlimit(RLIMIT_STACK, &limit);
        }
        execl("/proc/self/exe", arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5],
              arguments[6], arguments[7], "again", NULL);
        return errno;
    }
    return recurse(PIECES);
}

/* what cannot be written to is no data to RLIMIT_DATA, even if it could before */
static int read_only_memory(void) {
    for (int count = 0; count < PIECES; count++) {
        char *piece = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (piece == MAP_FAILED) return errno;
        memset(piece, 1, PIECE);
        if (mprotect(piece, PIECE, PROT_READ) < 0) return errno;
    }
    sleep(3); /* a watchdog is not there at once, but it comes */
    return 0;
}

static int file_memory(void) {
    int file = open(getenv("PLAIN") ? in_folder("world/left") : "/tmp/left", O_CREAT | O_RDWR, 0600);
    if (file < 0) return errno;
    return ftruncate(file, (long)PIECE * PIECES) < 0 ? errno : take(MAP_SHARED, file);
}

static int pipe_memory(void) {
    static char data[PIECE];
    int ends[2];
    for (int count = 0; count < 32; count++) { /* half of what a user may have */
        if (pipe2(ends, O_NONBLOCK) < 0) return errno;
        if (fcntl(ends[1], F_SETPIPE_SZ, PIECE) < 0) return errno;
        if (write(ends[1], data, PIECE) < PIECE / 2) return errno ? errno : ENOSPC;
    }
    return 0;
}

/* what waits in a socket is counted nowhere */
static int socket_memory(void) {
    static char data[1 << 16];
    long held = 0;
    for (int count = 0; count < 480; count++) { /* as many as an ordinary process may have open */
        int ends[2], size = 1 << 24;
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) < 0) return errno;
        for (int at = 0; at < 2; at++) {
            long written;
            if (setsockopt(ends[at], SOL_SOCKET, SO_SNDBUF, &size, sizeof size) < 0) return errno;
            while ((written = write(ends[at], data, sizeof data)) > 0)
                if ((held += written) > (long)PIECE * PIECES) return 0;
        }
    }
    return ENOMEM;
}

/* tables for addresses: twice what a bot is given, for pages that hold nothing */
static int table_memory(void) {
    const long step = 2 << 20, size = 60L << 30;
    char *memory = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0), seen = 0;
    if (memory == MAP_FAILED || madvise(memory, size, MADV_NOHUGEPAGE) < 0) return errno;
    for (long at = 0; at < size; at += step) seen |= ((volatile char *)memory)[at];
    sleep(3); /* a watchdog is not there at once, but it comes */
    return seen;
}

/* the kernel fills memory to the end, also for a process that is stopped meanwhile */
static int filled_by_advice(void) {
    char *memory = mmap(NULL, PIECE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? errno : error_of(madvise(memory, PIECE, 22)); /* MADV_POPULATE_READ */
}

static int filled_by_map(void) {
    char *memory = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return memory == MAP_FAILED ? errno : 0;
}

static int locked_memory(void) {
    char *memory = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? errno : error_of(mlock(memory, PIECE));
}

static int merged_memory(void) {
    char *memory = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? errno : error_of(madvise(memory, PIECE, MADV_MERGEABLE));
}

static void *hold_stack(void *_) {
    volatile char piece[4 * PIECE];
    for (int at = 0; at < 4 * PIECE; at += 4096) piece[at] = 1;
    sleep(30);
    return piece[0] ? _ : NULL;
}

static int thread_stacks(void) {
    pthread_t thread;
    for (int count = 0; count < 60; count++) {
        int error = pthread_create(&thread, NULL, hold_stack, NULL);
        if (error) return error;
    }
    sleep(1);
    return 0;
}

ATTACKS({"private_memory", private_memory}, {"shared_memory", shared_memory}, {"huge_pages", huge_pages},
        {"heap", heap}, {"break_upwards", break_upwards}, {"shared_zero", shared_zero},
        {"memory_file", memory_file}, {"growing_down", growing_down}, {"stack", stack},
        {"read_only_memory", read_only_memory}, {"file_memory", file_memory}, {"pipe_memory", pipe_memory},
        {"locked_memory", locked_memory}, {"merged_memory", merged_memory}, {"thread_stacks", thread_stacks},
        {"socket_memory", socket_memory}, {"table_memory", table_memory}, {"filled_by_advice", filled_by_advice},
        {"filled_by_map", filled_by_map})

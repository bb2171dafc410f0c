/* Two bots of one match that want to talk: `send KIND NAME KEY` and `receive …`, in one folder that both may read.

   The receiver says "ready" when it has looked; the sender says "sent" or "held: why"; then the receiver, at a line on
   its stdin, says "through" if it can tell that something was sent. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const char *name; /* of what they agreed upon */
static int key;

static const char *named(const char *where) {
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", where, name);
    return path;
}

static int bait(void) { return open("bait", O_RDONLY); }
static int result(int value) { return value < 0 ? errno : 0; }

static int send_flock(void) { return result(flock(bait(), LOCK_EX)); }
static int receive_flock(void) {
    int file = bait(), seen = flock(file, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
    close(file);
    return seen;
}

static int set_lock(int how) {
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    return result(fcntl(bait(), how, &lock));
}
static int get_lock(int how) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(bait(), how, &lock) == 0 && lock.l_type != F_UNLCK;
}
static int send_lock(void) { return set_lock(F_SETLK); }
static int receive_lock(void) { return get_lock(F_GETLK); }
static int send_ofd_lock(void) { return set_lock(F_OFD_SETLK); }
static int receive_ofd_lock(void) { return get_lock(F_OFD_GETLK); }

static int local(int is_abstract, int (*how)(int, const struct sockaddr *, socklen_t)) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path + is_abstract, named("/tmp"), sizeof address.sun_path - 2);
    socklen_t size = offsetof(struct sockaddr_un, sun_path) + is_abstract + strlen(address.sun_path + is_abstract);
    int link = socket(AF_UNIX, SOCK_STREAM, 0);
    if (link < 0 || how(link, (struct sockaddr *)&address, size) < 0) return errno;
    return how == bind ? result(listen(link, 1)) : 0;
}
static int send_abstract(void) { return local(1, bind); }
static int receive_abstract(void) { return !local(1, connect); }
static int send_path(void) { return local(0, bind); }
static int receive_path(void) { return !local(0, connect); }

static int send_file(void) { return result(open(named("/tmp"), O_CREAT | O_WRONLY, 0666)); }
static int receive_file(void) { return access(named("/tmp"), F_OK) == 0; }
static int send_shm(void) { return result(open(named("/dev/shm"), O_CREAT | O_WRONLY, 0666)); }
static int receive_shm(void) { return access(named("/dev/shm"), F_OK) == 0; }

static int send_sysv(void) { return result(shmget(key, 4096, IPC_CREAT | 0666)); }
static int receive_sysv(void) {
    int segment = shmget(key, 0, 0);
    return segment >= 0 && shmctl(segment, IPC_RMID, NULL) == 0;
}
static int send_mq(void) { return result(mq_open(named(""), O_CREAT | O_RDWR, 0666, NULL)); }
static int receive_mq(void) {
    int queue = mq_open(named(""), O_RDONLY);
    return queue >= 0 && mq_unlink(named("")) == 0;
}

static int fifo = -1;
static int send_fifo(void) {
    int end = open("fifo", O_RDWR);
    return end < 0 ? errno : result(write(end, "x", 1));
}
static int receive_fifo(void) {
    char byte;
    if (fifo < 0) fifo = open("fifo", O_RDONLY | O_NONBLOCK);
    return read(fifo, &byte, 1) == 1;
}

/* reading a file may leave a mark on it */
static struct timespec seen;
static int send_atime(void) {
    char byte;
    int file = open("page", O_RDONLY);
    return file < 0 ? errno : result(read(file, &byte, 1));
}
static int receive_atime(void) {
    struct stat now;
    stat("page", &now);
    int changed = seen.tv_sec && memcmp(&seen, &now.st_atim, sizeof seen);
    seen = now.st_atim;
    return changed;
}

/* whether a file that both may read is in memory */
static int is_cached(int file) {
    char byte;
    struct iovec place = {&byte, 1};
    return preadv2(file, &place, 1, 0, RWF_NOWAIT) == 1;
}
static int send_cache(void) {
    int file = open("page", O_RDONLY);
    fdatasync(file); /* or it could not be put out of memory */
    return posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
}
static int receive_cache(void) {
    static int had;
    char byte;
    int file = open("page", O_RDONLY), gone = had && !is_cached(file);
    had = read(file, &byte, 1) == 1 && is_cached(file);
    return gone;
}

/* how many threads the machine runs */
static void *stay(void *_) { for (;;) pause(); return _; }
static int send_threads(void) {
    pthread_t thread;
    for (int count = 0; count < 50; count++) {
        int error = pthread_create(&thread, NULL, stay, NULL);
        if (error) return error;
    }
    return 0;
}
static int receive_threads(void) {
    static int before;
    struct sysinfo now;
    if (sysinfo(&now) < 0) return 0;
    int more = before && now.procs >= before + 40;
    before = now.procs;
    return more;
}

/* how many descriptors a user has sent and not received */
static int send_descriptors(int count, int times) {
    char control[CMSG_SPACE(250 * sizeof(int))] = {0}, byte = 0;
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control};
    int ends[2];
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    *CMSG_FIRSTHDR(&message) = (struct cmsghdr){CMSG_LEN(count * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0) return errno;
    for (int at = 0; at < times; at++)
        if (sendmsg(ends[0], &message, 0) < 0) return errno;
    return 0;
}
static int send_flight(void) { return send_descriptors(250, 2); }
static int receive_flight(void) {
    struct rlimit few = {128, 128};
    setrlimit(RLIMIT_NOFILE, &few); /* which is also how many may be under way */
    return send_descriptors(1, 1) == ETOOMANYREFS;
}

/* how many signals wait for a user's processes */
static int queue_signals(int most) {
    int count = 0;
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGRTMAX);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    while (count < most && sigqueue(getpid(), SIGRTMAX, (union sigval){0}) == 0) count++;
    return count;
}
static int send_queue(void) { return queue_signals(200) == 200 ? 0 : EAGAIN; }
static int receive_queue(void) {
    static int before;
    struct rlimit few;
    getrlimit(RLIMIT_SIGPENDING, &few);
    few.rlim_cur = few.rlim_max < 300 ? few.rlim_max : 300;
    setrlimit(RLIMIT_SIGPENDING, &few);
    int count = queue_signals(300), fewer = count < before - 100;
    signal(SIGRTMAX, SIG_IGN); /* which takes them away */
    signal(SIGRTMAX, SIG_DFL);
    before = count;
    return fewer;
}

/* whether there is one process more than before, with a number near our own */
enum { NEAR = 10000 };
static char known[2 * NEAR];
static int look_for(int (*exists)(int)) {
    int found = 0, had = known[NEAR];
    for (int at = 0; at < 2 * NEAR; at++) {
        int pid = getpid() - NEAR + at;
        if (pid < 2 || !exists(pid)) continue;
        found |= !known[at];
        known[at] = 1;
    }
    return had && found;
}
static int answers_signal(int pid) { return kill(pid, 0) == 0 || errno != ESRCH; }
static int has_clock(int pid) {
    struct timespec used;
    return pid == getpid() || clock_gettime((clockid_t)((~(unsigned)pid << 3) | 2), &used) == 0;
}
static int has_session(int pid) { return getsid(pid) >= 0; }
static int send_presence(void) { return 0; }
static int receive_signals(void) { return look_for(answers_signal); }
static int receive_clocks(void) { return look_for(has_clock); }
static int receive_sessions(void) { return look_for(has_session); }

int main(int argc, char **argv) {
    static const struct { const char *name; int (*send)(void), (*receive)(void); } kinds[] = {
        {"flock", send_flock, receive_flock}, {"lock", send_lock, receive_lock},
        {"ofd_lock", send_ofd_lock, receive_ofd_lock}, {"abstract", send_abstract, receive_abstract},
        {"path", send_path, receive_path}, {"file", send_file, receive_file}, {"shm", send_shm, receive_shm},
        {"sysv", send_sysv, receive_sysv}, {"mq", send_mq, receive_mq}, {"fifo", send_fifo, receive_fifo},
        {"atime", send_atime, receive_atime}, {"signals", send_presence, receive_signals},
        {"clocks", send_presence, receive_clocks}, {"sessions", send_presence, receive_sessions},
        {"cache", send_cache, receive_cache}, {"threads", send_threads, receive_threads},
        {"flight", send_flight, receive_flight}, {"queue", send_queue, receive_queue}};
    char byte;
    if (argc < 5) return 2;
    name = argv[3];
    key = atoi(argv[4]);
    for (unsigned at = 0; at < sizeof kinds / sizeof *kinds; at++) {
        if (strcmp(kinds[at].name, argv[2])) continue;
        if (!strcmp(argv[1], "send")) {
            int error = kinds[at].send();
            dprintf(1, error ? "held: %s\n" : "sent\n", strerror(error));
            return read(0, &byte, 1) < 0;
        }
        int early = kinds[at].receive();
        dprintf(1, early ? "early\n" : "ready\n");
        if (read(0, &byte, 1) < 0) return 1;
        dprintf(1, kinds[at].receive() ? "through\n" : "held: nothing seen\n");
        return 0;
    }
    return 2;
}

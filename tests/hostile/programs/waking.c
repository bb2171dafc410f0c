/* Wakes itself when it is stopped: says "armed", or "held: why", and "woke" whenever it is continued. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void woke(int number) {
    (void)number;
    if (write(1, "woke\n", 5) < 0) _exit(1);
}

static int by_timer(void) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT};
    struct itimerspec often = {{0, 50000000}, {0, 50000000}};
    timer_t timer;
    return timer_create(CLOCK_MONOTONIC, &event, &timer) < 0 ? -1 : timer_settime(timer, 0, &often, NULL);
}

/* a signal for each line that comes in */
static int by_input(void) {
    if (fcntl(0, F_SETOWN, getpid()) < 0 || fcntl(0, F_SETSIG, SIGCONT) < 0) return -1;
    return fcntl(0, F_SETFL, fcntl(0, F_GETFL) | O_ASYNC);
}

static void nag(int whom) {
    for (int count = 0; count < 400; count++) {
        usleep(10000);
        kill(whom, SIGCONT);
        syscall(SYS_tkill, whom, SIGCONT);
        sigqueue(whom, SIGCONT, (union sigval){0});
    }
    _exit(0);
}

/* a child in a session of its own */
static int by_helper(void) {
    int whom = getpid(), child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        setsid();
        nag(whom);
    }
    return 0;
}

/* children whose ends are told by SIGCONT */
static int by_ends(void) {
    for (int at = 1; at <= 10; at++) {
        int child = syscall(SYS_clone, SIGCONT, 0, 0, 0, 0);
        if (child < 0) return -1;
        if (child == 0) {
            setsid();
            usleep(100000 * at);
            _exit(0);
        }
    }
    return 0;
}

/* two processes that wake each other: one of them may always be ahead of who stops them */
static int by_each_other(void) {
    int whom = getpid(), child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        for (;;)
            if (kill(whom, SIGCONT) < 0 && errno != ESRCH) nag(whom);
    }
    for (int count = 0; count < 1000; count++)
        if (kill(child, SIGCONT) < 0) return -1;
    return 0;
}

int main(int argc, char **argv) {
    static const struct { const char *name; int (*arm)(void); } ways[] = {
        {"timer", by_timer}, {"input", by_input}, {"helper", by_helper}, {"ends", by_ends}, {"each", by_each_other}};
    struct sigaction action = {.sa_handler = woke};
    sigaction(SIGCONT, &action, NULL);
    for (unsigned at = 0; argc > 1 && at < sizeof ways / sizeof *ways; at++) {
        if (strcmp(ways[at].name, argv[1])) continue;
        if (ways[at].arm() < 0)
            dprintf(1, "held: %s\n", strerror(errno));
        else
            dprintf(1, "armed\n");
        for (;;) pause();
    }
    return 2;
}

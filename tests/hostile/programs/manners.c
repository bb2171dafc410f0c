/* Bots without manners: each does one thing that whoever runs it must survive. Says "begun" first. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void stop_itself(void) {
    for (;;) raise(SIGSTOP);
}

static void close_everything(void) {
    for (int descriptor = 0; descriptor < 1024; descriptor++) close(descriptor);
    for (;;) pause();
}

static void fill_log(void) {
    static char line[4096];
    memset(line, 'x', sizeof line);
    for (;;)
        if (write(2, line, sizeof line) < 0) pause();
}

static void ignore_signals(void) {
    for (int number = 1; number < 65; number++) signal(number, SIG_IGN);
    for (;;) pause();
}

static void compute(void) {
    for (volatile unsigned long count = 0;; count++) continue;
}

static void crash(void) { *(volatile int *)8 = 1; }
static void abort_itself(void) { abort(); }
static void wait_forever(void) { for (;;) pause(); }

/* stays when its parent has gone, if it can */
static void outlive(void) {
    prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
    ignore_signals();
}

/* with children: one that left the group, if it can, and one orphan */
static void have_children(void) {
    for (int at = 0; at < 4; at++)
        if (fork() == 0) {
            if (at % 2) setsid();
            if (at / 2 && fork()) _exit(0);
            outlive();
        }
    for (;;) pause();
}

/* forks until it cannot, at most 300 times; tells how often */
static void fork_many(void) {
    int count = 0, child;
    while (count < 300 && (child = fork()) != -1) {
        if (child == 0)
            for (;;) pause();
        count++;
    }
    dprintf(1, "%d\n", count);
    for (;;) pause();
}

/* leaves 300 orphans, one after the other, each of which ends at once; tells how many it could */
static void leave_orphans(void) {
    int count = 0, child;
    while (count < 300 && (child = fork()) != -1) {
        if (child == 0) _exit(fork() < 0);
        waitpid(child, NULL, 0);
        count++;
    }
    dprintf(1, "%d\n", count);
    for (;;) pause();
}

/* burns a tenth of a second of CPU time here, in a child that is waited for, in an orphan and in a child that lives */
static void burn_tenth(void) {
    clock_t until = clock() + CLOCKS_PER_SEC / 10;
    while (clock() < until) continue;
}

static void burn_with_children(void) {
    burn_tenth();
    for (int kind = 0; kind < 3; kind++) {
        int child = fork();
        if (child == 0) {
            if (kind == 1 && fork()) _exit(0);
            burn_tenth();
            if (kind == 2)
                for (;;) pause();
            _exit(0);
        }
        if (kind < 2) waitpid(child, NULL, 0);
    }
    sleep(1);
    dprintf(1, "burnt\n");
    for (;;) pause();
}

/* each of its children takes a part of what one process may have */
static void share_memory_hunger(void) {
    for (int at = 0; at < 4; at++)
        if (fork() == 0) {
            volatile char *memory = malloc(48 << 20); /* or the compiler sees that nobody reads it */
            for (int at = 0; memory && at < 48 << 20; at += 4096) memory[at] = 1;
            for (;;) pause();
        }
    sleep(3);
    dprintf(1, "through\n");
    for (;;) pause();
}

int main(int argc, char **argv) {
    static const struct { const char *name; void (*act)(void); } kinds[] = {
        {"stop_itself", stop_itself}, {"close_everything", close_everything}, {"fill_log", fill_log},
        {"ignore_signals", ignore_signals}, {"compute", compute}, {"crash", crash}, {"abort", abort_itself},
        {"wait", wait_forever}, {"outlive", outlive}, {"have_children", have_children}, {"fork_many", fork_many},
        {"leave_orphans", leave_orphans}, {"burn_with_children", burn_with_children}, {"share_memory_hunger", share_memory_hunger}};
    for (unsigned at = 0; argc > 1 && at < sizeof kinds / sizeof *kinds; at++) {
        if (strcmp(kinds[at].name, argv[1])) continue;
        dprintf(1, "begun\n");
        kinds[at].act();
    }
    return 2;
}

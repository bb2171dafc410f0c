/* Takes the first legal move, until on its third turn it does what it is called with. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <unistd.h>

static char line[1 << 16];

static void *wait_forever(void *nothing) {
    for (;;) pause();
    return nothing;
}

static void misbehave(const char *habit) {
    if (!strcmp(habit, "crash")) *(volatile int *)8 = 1;
    if (!strcmp(habit, "leave")) exit(7);
    if (!strcmp(habit, "flood"))
        for (;;)
            if (write(1, line, sizeof line) < 0) break;
    if (!strcmp(habit, "log"))
        for (int at = 0; at < 400; at++)
            if (write(2, line, 4096) < 0) break;
    if (!strcmp(habit, "memory"))
        for (volatile char *block; (block = malloc(1 << 20));)
            for (int at = 0; at < 1 << 20; at += 4096) block[at] = 1;
    if (!strcmp(habit, "threads"))
        for (pthread_t thread; !pthread_create(&thread, NULL, wait_forever, NULL);) continue;
    if (!strcmp(habit, "children"))
        for (int at = 0; at < 20 && fork() > 0; at++) continue;
    if (!strcmp(habit, "daemon") && fork() == 0) {
        setsid();
        if (fork()) _exit(0);
        wait_forever(NULL);
    }
    if (!strcmp(habit, "stop")) kill(getpid(), SIGSTOP);
    if (!strcmp(habit, "close"))
        for (int at = 0; at < 64; at++) close(at);
    if (!strcmp(habit, "files"))
        for (int at = 0; at < 5000; at++) {
            char name[64];
            snprintf(name, sizeof name, "/tmp/arena-soak-%d", at);
            close(open(name, O_CREAT | O_WRONLY, 0600));
        }
    if (!strcmp(habit, "shared")) shmget(0x41534f4b, 4096, IPC_CREAT | 0666);
    if (!strcmp(habit, "silent") || !strcmp(habit, "stop") || !strcmp(habit, "close")) wait_forever(NULL);
}

int main(int argc, char **argv) {
    int turns = 0, turn;
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "{\"type\":\"hello\"", 15)) puts("{\"type\":\"ready\",\"want\":[\"count\"]}");
        if (sscanf(line, "{\"type\":\"turn\",\"turn\":%d", &turn) == 1) {
            if (++turns == 3 && argc > 1) misbehave(argv[1]);
            printf("{\"type\":\"move\",\"turn\":%d,\"index\":0}\n", turn);
        }
        fflush(stdout);
    }
    return 0;
}

/* The floor: one request line and one reply line between two C processes. Prints microseconds a round trip. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 300 };

static int read_line(int in, char *buffer) {
    int have = 0;
    while (have == 0 || buffer[have - 1] != '\n') {
        struct pollfd wait = {in, POLLIN, 0};
        poll(&wait, 1, -1);
        ssize_t count = read(in, buffer + have, LINE - have);
        if (count <= 0) return 0;
        have += count;
    }
    return have;
}

int main(int count, char **arguments) {
    int rounds = count > 1 ? atoi(arguments[1]) : 20000;
    int there[2], back[2];
    char line[LINE];
    if (pipe(there) || pipe(back)) return 1;
    if (fork() == 0) {
        close(there[1]);
        close(back[0]);
        int have;
        while ((have = read_line(there[0], line)))
            if (write(back[1], line, have) != have) return 1;
        return 0;
    }
    close(there[0]);
    close(back[1]);
    memset(line, 'x', LINE);
    line[LINE - 1] = '\n';
    struct timespec begun, ended;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    for (int round = 0; round < rounds; round++) {
        if (write(there[1], line, LINE) != LINE || read_line(back[0], line) != LINE) return 1;
    }
    clock_gettime(CLOCK_MONOTONIC, &ended);
    printf("%f\n", ((ended.tv_sec - begun.tv_sec) * 1e9 + (ended.tv_nsec - begun.tv_nsec)) / rounds / 1000);
    return 0;
}

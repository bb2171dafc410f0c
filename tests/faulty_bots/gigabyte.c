/* Says ready, then answers its first turn with a line of a gigabyte. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char buffer[1 << 20];

int main(void) {
    if (!fgets(buffer, sizeof buffer, stdin)) return 1;
    puts("{\"type\":\"ready\",\"want\":[\"count\"]}");
    fflush(stdout);
    if (!fgets(buffer, sizeof buffer, stdin)) return 1;
    fputs("this bot has a lot to say\n", stderr);
    memset(buffer, 'x', sizeof buffer);
    for (int megabyte = 0; megabyte < 1024; megabyte++)
        for (size_t done = 0; done < sizeof buffer;) {
            ssize_t written = write(1, buffer, sizeof buffer - done);
            if (written <= 0) return 1;
            done += (size_t)written;
        }
    return write(1, "\n", 1) != 1;
}

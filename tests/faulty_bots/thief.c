/* Says ready, then writes to its output and takes it back, over and over, so that what the referee sees may be gone
 * when it reads. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    static char line[1 << 20];
    if (!fgets(line, sizeof line, stdin)) return 1;
    puts("{\"type\":\"ready\",\"want\":[\"count\"]}");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin)) return 1;
    fputs("this bot takes back what it says\n", stderr);
    int back = open("/proc/self/fd/1", O_RDONLY | O_NONBLOCK);
    if (back < 0) return 1;
    for (;;) {
        char byte = 'x';
        if (write(1, &byte, 1) != 1) return 1;
        while (read(back, &byte, 1) == 1) continue;
    }
}

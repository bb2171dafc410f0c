/* Says ready, then dies at its first turn. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

int main(void) {
    char line[65536];
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "\"type\":\"hello\"")) {
            puts("{\"type\":\"ready\",\"want\":[\"count\"]}");
            fflush(stdout);
        } else {
            fputs("this bot follows a null pointer\n", stderr);
            volatile char *nowhere = NULL;
            *nowhere = 1;
        }
    }
    return 0;
}

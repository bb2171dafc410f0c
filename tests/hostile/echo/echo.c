#include <stdio.h>

int main(void) {
    char line[4096];
    setvbuf(stdout, NULL, _IOLBF, 0);
    puts("ready");
    while (fgets(line, sizeof line, stdin)) printf("echo %s", line);
    return 0;
}

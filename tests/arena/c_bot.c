/* Answers at once: asks for the number of legal moves only, and takes one by its index, drawn from its seed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[1 << 16];

static unsigned long long number_after(const char *key) {
    const char *at = strstr(line, key);
    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

int main(void) {
    unsigned long long state = 1;
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "{\"type\":\"hello\"", 15) == 0) {
            state = number_after("\"seed\":") | 1;
            puts("{\"type\":\"ready\",\"want\":[\"count\"],\"games\":\"many\"}");
        } else if (strncmp(line, "{\"type\":\"turn\"", 14) == 0) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            unsigned long long count = number_after("\"legal_count\":");
            printf("{\"type\":\"move\",\"turn\":%llu,\"index\":%llu}\n", number_after("\"turn\":"), (state >> 33) % count);
        }
        fflush(stdout);
    }
    return 0;
}

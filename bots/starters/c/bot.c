// A bot for Blokus Arena. It plays one of its larger pieces at random: make `choose` cleverer.
//
// The referee sends a line of JSON, the bot answers with one. What you print to stderr is your log. C has no JSON in
// its library, so we ask only for the number of legal moves and answer with an index. The referee's lines have no
// spaces and begin with their type; all keys are in docs/protocol.md.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The whole number that follows a key such as "turn".
static unsigned long long number(const char *line, const char *key) {
    char quoted[32];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *found = strstr(line, quoted);
    return found ? strtoull(found + strlen(quoted), NULL, 10) : 0;
}

static int begins_with(const char *line, const char *start) {
    return strncmp(line, start, strlen(start)) == 0;
}

// The index of one of `count` moves. They are listed by piece, from I1 up: the last third holds the largest.
static unsigned long long choose(unsigned long long count) {
    return count - 1 - (unsigned long long)rand() % ((count + 2) / 3);
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        if (begins_with(line, "{\"type\":\"hello\"")) {
            srand((unsigned)number(line, "seed"));  // so that a match can be played again
            puts("{\"type\":\"ready\",\"want\":[\"count\"],\"games\":\"many\"}");
        } else if (begins_with(line, "{\"type\":\"turn\"")) {
            unsigned long long index = choose(number(line, "legal_count"));
            printf("{\"type\":\"move\",\"turn\":%llu,\"index\":%llu}\n", number(line, "turn"), index);
        }
        fflush(stdout);
    }
    free(line);
    return 0;
}

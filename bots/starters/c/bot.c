// A bot for Blokus Arena. It plays one of its largest pieces that fit, at random: make `choose` cleverer.
//
// The referee sends a line of JSON, the bot answers with one. What you print to stderr is your log. C has no JSON in
// its library, so we look for what we need: the referee's lines have no spaces and begin with their type, and its list
// of legal moves looks like [{"piece":"I2","cells":[[0,0],[0,1]]},...]. All keys are in docs/protocol.md.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int size;
    int cells[5][2];  // row, column
} Move;

// What follows a key such as "turn": in a line; NULL if it is not there.
static const char *after(const char *line, const char *key) {
    const char *found = strstr(line, key);
    return found ? found + strlen(key) : NULL;
}

// Read the next move of a list; return what follows it, or NULL if there are no more.
static const char *read_move(const char *list, Move *move) {
    const char *at = after(list, "\"cells\":[");
    if (!at) return NULL;
    for (move->size = 0; *at == '[' && move->size < 5; move->size++) {
        char *end;
        move->cells[move->size][0] = (int)strtol(at + 1, &end, 10);
        move->cells[move->size][1] = (int)strtol(end + 1, &end, 10);
        at = end[1] == ',' ? end + 2 : end + 1;
    }
    return at;
}

// The index of one of the moves with the largest piece.
static int choose(const char *legal) {
    Move move;
    int best = 0, largest = 0, equals = 0;
    for (int index = 0; (legal = read_move(legal, &move)); index++) {
        if (move.size > largest) largest = move.size, equals = 0;
        if (move.size == largest && rand() % ++equals == 0) best = index;  // each of them is as likely
    }
    return best;
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        if (strncmp(line, "{\"type\":\"hello\"", 15) == 0) {
            srand((unsigned)strtoull(after(line, "\"seed\":"), NULL, 10));  // so that a match can be played again
            puts("{\"type\":\"ready\",\"want\":[\"legal\"],\"games\":\"many\"}");
        } else if (strncmp(line, "{\"type\":\"turn\"", 14) == 0) {
            const int turn = atoi(after(line, "\"turn\":")), index = choose(after(line, "\"legal\":"));
            printf("{\"type\":\"move\",\"turn\":%d,\"index\":%d}\n", turn, index);
        }
        fflush(stdout);
    }
    free(line);
}

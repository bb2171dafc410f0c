/* What the attacks share: the canaries, and one line that tells how it went.

   A program is called with the name of an attack, the folder of the canaries, the number of the canary process, the
   ports of the TCP and UDP canaries, the name of the abstract socket, and the key of the shared memory. An attack
   returns 0 if it got through, else the error that stopped it. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *folder, *abstract_name;
static int victim, tcp_port, udp_port, key;
static char **arguments;

struct attack {
    const char *name;
    int (*attempt)(void);
};

static inline int error_of(long result) { return result < 0 ? errno : 0; }

static inline const char *in_folder(const char *name) {
    static char path[2][4096];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static inline int can_open(const char *path, int flags) {
    int file = open(path, flags | O_NONBLOCK, 0600);
    if (file < 0) return errno;
    close(file);
    return 0;
}

static inline int can_read(const char *path) {
    char byte;
    int file = open(path, O_RDONLY | O_NONBLOCK);
    if (file < 0) return errno;
    long count = read(file, &byte, 1);
    int error = count == 1 ? 0 : count < 0 ? errno : ENODATA;
    close(file);
    return error;
}

static int report(const struct attack *attacks, int count, char **argv) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    arguments = argv;
    folder = argv[2];
    victim = atoi(argv[3]);
    tcp_port = atoi(argv[4]);
    udp_port = atoi(argv[5]);
    abstract_name = argv[6];
    key = atoi(argv[7]);
    for (int at = 0; at < count; at++) {
        if (strcmp(attacks[at].name, argv[1])) continue;
        int error = attacks[at].attempt();
        if (error == ENOSYS || error == EAFNOSUPPORT || error == EPROTONOSUPPORT || error == ENODEV)
            printf("absent: %s\n", strerror(error));
        else if (error)
            printf("held: %s\n", strerror(error));
        else
            printf("through\n");
        return 0;
    }
    printf("unknown attack %s\n", argv[1]);
    return 2;
}

#define ATTACKS(...)                                                       \
    int main(int argc, char **argv) {                                      \
        static const struct attack attacks[] = {__VA_ARGS__};              \
        if (argc < 8) return 2;                                            \
        return report(attacks, sizeof attacks / sizeof *attacks, argv);    \
    }

/* A library that is to be loaded into whatever starts the bot, by LD_PRELOAD or LD_AUDIT: it leaves a file in the folder
   that CANARY names. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void leave(void) {
    char path[4096];
    const char *folder = getenv("CANARY");
    snprintf(path, sizeof path, "%s/world/left", folder ? folder : "");
    int file = open(path, O_CREAT | O_WRONLY, 0600);
    if (file >= 0) close(file);
}

__attribute__((constructor)) static void at_start(void) { leave(); }

unsigned la_version(unsigned version) {
    leave();
    return version;
}

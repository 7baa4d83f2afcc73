/* target.h - the program to run: where it is, and whether the loader will let us into it. */
#ifndef PROFRUN_TARGET_H
#define PROFRUN_TARGET_H

#include <stdbool.h>
#include <stddef.h>

enum target_kind {
    TARGET_ORDINARY,   /* the loader will preload libprof */
    TARGET_STATIC,     /* no dynamic loader: nothing can be preloaded; its children can be */
    TARGET_PRIVILEGED, /* setuid, setgid or file capabilities: the loader ignores LD_PRELOAD */
    /* Another architecture, word size or libc: preloading would only print errors */
    TARGET_FOREIGN,
};

struct target {
    char *path;            /* what to execute; holds a slash; owned */
    bool text;             /* neither ELF nor #!: the kernel refuses it, sh runs it */
    enum target_kind kind; /* of the program, or of the interpreter of a script */
    char reason[256];      /* why nothing can be recorded; empty for TARGET_ORDINARY */
    const char *remedy;    /* what to do about it */
};

/* Finds `name` as execvp(3) would and looks at what it is. Returns 0, or the status to exit with,
 * having said why. target_fini() accepts what a failed call left. */
int target_init(struct target *target, const char *name);
void target_fini(struct target *target);

/* Becomes the program. Returns only on failure, with errno set. */
void target_execute(const struct target *target, char *const *argv);

#endif

/* live.h - a recording in progress: finds its process and its current end, and loads the part
 * between two times. */
#ifndef PROF_LIVE_H
#define PROF_LIVE_H

#include "profdump.h"
#include "read.h"

#include <limits.h>

struct live {
    char path[PATH_MAX];
    bool running;   /* a process records into the file */
    int64_t now_ns; /* running: now; else where the recording ends. Since the file's time 0 */
};

/* Finds the recording that the command line names: the id of a process, a file, or nothing (the
 * newest trace of this directory). False after having complained. */
bool live_find(struct live *live, const struct profdump_options *options);

/* Updates `running` and `now_ns`. False: `error` says why not. */
bool live_look(struct live *live, struct read_error *error);

/* Loads what began from `from_ns` to `to_ns`. Costs what is in that part, and a look at the head of
 * every chunk of 64 KiB. NULL: `error` says why. Free with timeline_destroy(). */
struct timeline *live_load(const struct live *live, int64_t from_ns, int64_t to_ns,
                           struct read_error *error);

/* The same without cutting it: also what began before and is still open, as far as it was read. */
struct timeline *live_load_whole(const struct live *live, int64_t from_ns,
                                 struct read_error *error);

#endif

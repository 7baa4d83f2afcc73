/* cmd_etprof.c - profdump --etprof OUT FILE...: profiling blocks as prof buffers of ExecuTorch. */
#include "profdump.h"

#include <inttypes.h>
#include <stdlib.h>

static void say_left_out(const char *path, const char *what, uint64_t count)
{
    if (count)
        complain("%s: %s: %" PRIu64, path, what, count);
}

/* Unfinished and clamped is what the program did not mean; the rest is as it asked for. */
static void say_what_is_missing(const char *path, const struct write_etprof_counts *counts)
{
    say_left_out(path, "unfinished events left out", counts->unfinished_events);
    say_left_out(path, "allocations written as 16 TiB", counts->clamped_allocations);
}

int cmd_etprof(const struct profdump_options *options, const struct timeline *timeline,
               const char *path)
{
    struct write_etprof_counts counts;
    struct write_error error;
    bool written = write_etprof(timeline, path, &counts, &error);
    if (written)
        say_what_is_missing(path, &counts);
    return finish_export(options, timeline, written, &error);
}

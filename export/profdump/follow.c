/* follow.c - profdump --follow: a table for each part of a recording, as it ends. A part is what
 * was recorded from one start to its stop, and at most --interval of it. */
#include "commands.h"
#include "live.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define INTERVAL_NS INT64_C(10000000000)
#define LOOK_NS INT64_C(250000000)
/* Records of devices come late. */
#define PATIENCE_NS INT64_C(3000000000)

struct follow {
    const struct profdump_options *options;
    const struct command *command;
    struct live live;
    int64_t done_ns; /* everything before this was printed */
    int64_t interval_ns;
};

static void rest(int64_t ns)
{
    struct timespec time = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    nanosleep(&time, NULL);
}

/* Where the part from `done_ns` on ends: with the recording's first stop after it, or after the
 * interval. False after having complained. Facts about the process are read whole, so the last
 * chunks are enough. */
static bool find_end(const struct follow *follow, int64_t *end_ns)
{
    struct read_error error;
    struct timeline *timeline = live_load_whole(&follow->live, follow->live.now_ns, &error);
    if (!timeline) {
        complain("%s", error.message);
        return false;
    }
    *end_ns = follow->done_ns + follow->interval_ns;
    for (uint32_t i = 0; i < timeline->windows.count; i++) {
        int64_t stop_ns = timeline->windows.at[i].end_ns;
        if (stop_ns != TL_NO_TIME && stop_ns > follow->done_ns && stop_ns < *end_ns)
            *end_ns = stop_ns;
    }
    timeline_destroy(timeline);
    return true;
}

static bool has_events(const struct timeline *timeline)
{
    return timeline->slices.count || timeline->gpus.count || timeline->asyncs.count ||
           timeline->marks.count || timeline->counters.count;
}

/* Prints the part, unless nothing happened in it. `*late`: some records of devices are still to
 * come. */
static int print_part(struct follow *follow, int64_t to_ns, bool *late)
{
    struct read_error error;
    int status = EXIT_SUCCESS;
    struct timeline *part = live_load(&follow->live, follow->done_ns, to_ns, &error);
    if (!part) {
        complain("%s", error.message);
        return EXIT_FAILURE;
    }
    *late = follow->live.running && part->ledger.undelivered > 0 &&
            follow->live.now_ns - to_ns < PATIENCE_NS;
    if (!*late && has_events(part)) {
        status = follow->command->run(follow->options, part);
        fputc('\n', follow->options->out);
        fflush(follow->options->out);
    }
    timeline_destroy(part);
    return status;
}

/* Prints all parts that have ended. */
static int print_ended(struct follow *follow)
{
    int status = EXIT_SUCCESS;
    int64_t end_ns = INT64_MAX;
    bool late = false;
    while (!late && status != EXIT_FAILURE) {
        if (follow->live.running && !find_end(follow, &end_ns))
            return EXIT_FAILURE;
        if (follow->live.running && end_ns > follow->live.now_ns)
            break;
        status = print_part(follow, end_ns, &late);
        if (!late)
            follow->done_ns = end_ns;
        if (end_ns == INT64_MAX)
            break;
    }
    return status;
}

int cmd_follow(const struct profdump_options *options, const struct command *command)
{
    struct follow follow = {
        .options = options,
        .command = command,
        .interval_ns = options->interval_ns ? options->interval_ns : INTERVAL_NS,
    };
    struct read_error error;
    int status = live_find(&follow.live, options) ? EXIT_SUCCESS : EXIT_FAILURE;
    for (bool first = true, running = true; running && status != EXIT_FAILURE; first = false) {
        if (!live_look(&follow.live, &error)) {
            complain("%s", error.message);
            return EXIT_FAILURE;
        }
        running = follow.live.running;
        if (first && running)
            follow.done_ns = follow.live.now_ns;
        status = print_ended(&follow);
        if (running)
            rest(LOOK_NS);
    }
    return status;
}

/* cmd_breakdown.c - profdump breakdown FILE...: what devices, streams, launches and copies did. */
#include "commands.h"
#include "options.h"
#include "profdump.h"
#include "reports.h"

static bool set_table(struct profdump_options *options, const char *name)
{
    options->breakdown.table = name;
    if (breakdown_table_find(name))
        return true;
    complain("--table: '%s' is none of %s", name, breakdown_table_names());
    return false;
}

static bool set_kernel_wait(struct profdump_options *options, const char *text)
{
    unsigned long ns;
    if (!options_number(text, 0, 1000000000, &ns)) {
        complain("--kernel-wait: '%s' is not a number of nanoseconds up to a second", text);
        return false;
    }
    options->breakdown.kernel_wait_ns = (int64_t)ns;
    return true;
}

static bool set_queue_full(struct profdump_options *options, const char *text)
{
    unsigned long full;
    if (!options_number(text, 1, 1000000000, &full)) {
        complain("--queue-full: '%s' is not a number of operations", text);
        return false;
    }
    options->breakdown.queue_full = (uint32_t)full;
    return true;
}

const struct option_entry breakdown_options[] = {
    CALL("table", "NAME", set_table,
         "with breakdown: only temporal, overlap, idle, kernels, copies, launches,\n"
         "queue, sequences or stragglers"),
    TEXT("sequences", "TEXT", breakdown.sequences,
         "with breakdown: what ranges launch whose name holds this (default: steps)"),
    CALL("kernel-wait", "NS", set_kernel_wait,
         "with breakdown: a shorter gap before a waiting kernel is the device's own\n"
         "(default 30000)"),
    CALL("queue-full", "N", set_queue_full,
         "with breakdown: so many operations fill a queue (default 1024)"),
    {0},
};

static int run(const struct profdump_options *options, const struct timeline *timeline)
{
    struct breakdown_options breakdown = options->breakdown;
    if (timeline->gpus.count == 0)
        complain("there are no device operations in this recording");
    breakdown.format = options->format;
    breakdown.rows = options->write.rows;
    breakdown.width = options->write.name_width;
    breakdown.table_width = options->write.table_width;
    return finish(options, timeline, write_breakdown(timeline, &breakdown, options->out));
}

const struct command command_breakdown = {
    .word = "breakdown",
    .usage = "breakdown [--table NAME] [OPTION]... [FILE|DIRECTORY]...",
    .help = "print what devices did, why streams were idle, kernels, copies, launches,\n"
            "queues, repeated sequences, and who came last to collectives",
    .run = run,
    .tables = true,
};

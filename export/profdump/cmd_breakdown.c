/* cmd_breakdown.c - profdump breakdown FILE...: what devices, streams, launches and copies did. */
#include "commands.h"
#include "evidence.h"
#include "options.h"
#include "profdump.h"
#include "reports.h"

static bool set_table(struct profdump_options *options, const char *name)
{
    options->breakdown.table = name;
    return breakdown_table_find(name);
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

static const struct option_entry breakdown_options[] = {
    {CALL("table", "NAME", set_table, "print only this table"),
     .values = "temporal overlap idle kernels copies launches queue sequences stragglers steps"},
    {TEXT("sequences", "TEXT", breakdown.sequences,
          "compare ranges whose name contains TEXT, instead of steps")},
    {CALL("kernel-wait", "NS", set_kernel_wait, "attribute gaps below NS to the device (30000)")},
    {CALL("queue-full", "N", set_queue_full, "set the capacity of a launch queue (1024)")},
    {0},
};

static const struct option_entry *const options_of_breakdown[] = {
    breakdown_options, rows_options,   width_options, window_options,
    input_options,     format_options, help_options,  NULL};

static int run(const struct profdump_options *options, const struct timeline *timeline)
{
    struct breakdown_options breakdown = options->breakdown;
    char lacking[EVIDENCE_BYTES];
    if (evidence_missing(timeline, EVIDENCE_DEVICE, lacking))
        complain("%s", lacking);
    breakdown.format = options->format;
    breakdown.rows = options->write.rows;
    breakdown.width = options->write.name_width;
    breakdown.table_width = options->write.table_width;
    return finish(options, timeline, write_breakdown(timeline, &breakdown, options->out));
}

const struct command command_breakdown = {
    .word = "breakdown",
    .summary = "break down the time of devices, streams and launches",
    .usage = "[OPTION]... [FILE|DIRECTORY]...",
    .about = "Prints what devices did, why streams were idle, kernels, copies, launches, queues, "
             "repeated sequences, and which rank came last to collectives.",
    .examples = "breakdown run.prof\n"
                "breakdown --table stragglers rank*.prof",
    .question = QUESTION_TIME,
    .options = options_of_breakdown,
    .run = run,
    .tables = true,
};

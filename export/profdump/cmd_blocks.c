/* cmd_blocks.c - profdump executorch blocks, tax, memory. Iterations of a block that differ become
 * event blocks of their own; messages on stderr say which, where and how. */
#include "cmd_blocks.h"
#include "commands.h"
#include "compat.h"
#include "options.h"
#include "profdump.h"
#include "reports.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

bool blocks_set_source(struct profdump_options *options, const char *scale)
{
    return time_scale_find(scale, &options->blocks.blocks.source);
}

static bool set_target(struct profdump_options *options, const char *scale)
{
    options->target_given = true;
    return time_scale_find(scale, &options->blocks.blocks.target);
}

/* Nanoseconds for programs, as in every table. */
static enum time_scale default_target(const struct profdump_options *options)
{
    bool separated = options->format == WRITE_TSV || options->format == WRITE_CSV;
    if (options->blocks.blocks.source == TIME_SCALE_CYCLES)
        return TIME_SCALE_CYCLES;
    return separated ? TIME_SCALE_NS : TIME_SCALE_MS;
}

bool blocks_options_agree(struct profdump_options *options)
{
    struct blocks_options *blocks = &options->blocks.blocks;
    if (!options->target_given)
        blocks->target = default_target(options);
    options->blocks.format = options->format;
    if (time_scale_fits(blocks->source, blocks->target))
        return true;
    complain("--source-time-scale %s cannot be shown in %s: cycles are not a time",
             time_scale_name(blocks->source), time_scale_name(blocks->target));
    return false;
}

static const struct option_entry blocks_options[] = {
    {TEXT("range", "NAME", blocks.blocks.range, "show the calls of this range")},
    {TEXT("block", "NAME", blocks.blocks.block, "show only blocks of this name")},
    {0},
};

static const struct option_entry scale_options[] = {
    {CALL("source-time-scale", "SCALE", blocks_set_source, "set the unit of input ticks (ns)"),
     .values = TIME_SCALE_NAMES},
    {CALL("target-time-scale", "SCALE", set_target, "show times in this unit (tables: ms)"),
     .values = TIME_SCALE_NAMES},
    {FLAG("wrap32", blocks.blocks.wrap32, "expect a 32-bit tick counter that wraps")},
    {0},
};

static const struct option_entry compat_options[] = {
    {FLAG("compat", compat, "print what ExecuTorch's own programs print")},
    {FLAG("units", units, "name the unit in the header of tsv and csv (--compat)")},
    {0},
};

static const struct option_entry event_options[] = {
    {TEXT("event", "PREFIX", blocks.event, "show only events whose name starts with PREFIX")},
    {TEXT("total-of", "PREFIX", blocks.total, "add the total time of events named PREFIX...")},
    {FLAG("raw", blocks.raw, "add ticks, allocations and values to JSON, as recorded")},
    {TEXT("etrecord", "FILE", etrecord, "read debug handles and delegates from an ETRecord")},
    {TEXT("compare", "REF[:BUFFER]", compare, "compare logged values with another ETDump")},
    {TEXT("debug-buffer", "FILE", debug_buffer, "read logged values from FILE (--compare)")},
    {0},
};

#define OPTIONS_OF_TAX                                                                         \
    blocks_options, scale_options, compat_options, fit_options, window_options, input_options, \
        format_options, help_options, NULL

static const struct option_entry *const options_of_blocks[] = {event_options, OPTIONS_OF_TAX};
static const struct option_entry *const options_of_tax[] = {OPTIONS_OF_TAX};
static const struct option_entry *const options_of_memory[] = {
    scale_options, window_options, input_options, format_options, help_options, NULL};
static const struct option_entry *const options_of_family[] = {help_options, NULL};

#define MISMATCHES_SAID 8u

/* ---- what differs ---- */

static const char *event_text(const struct timeline *timeline, uint32_t block, uint32_t index)
{
    const struct tl_block *of = &timeline->blocks.at[block];
    uint32_t async = timeline->block_events.at[of->first_event + index].async;
    return timeline->names.at[timeline->asyncs.at[async].name].bytes;
}

static const struct tl_block_alloc *alloc_of(const struct timeline *timeline, uint32_t block,
                                             uint32_t index)
{
    return &timeline->block_allocs.at[timeline->blocks.at[block].first_alloc + index];
}

static const char *allocator_text(const struct timeline *timeline, uint32_t block, uint32_t index)
{
    uint32_t heap = alloc_of(timeline, block, index)->heap;
    return timeline->names.at[timeline->heaps.at[heap].name].bytes;
}

static void how_it_differs(const struct timeline *timeline, const struct block_mismatch *mismatch,
                           char *to, size_t size)
{
    const struct tl_block *before = &timeline->blocks.at[mismatch->before],
                          *run = &timeline->blocks.at[mismatch->run];
    uint32_t index = mismatch->index;
    switch (mismatch->kind) {
    case BLOCK_EVENT_COUNT:
        snprintf(to, size, "has %u events, not %u", run->event_count, before->event_count);
        break;
    case BLOCK_EVENT_NAME:
        snprintf(to, size, "has as event %u '%.100s', not '%.100s'", index + 1,
                 event_text(timeline, mismatch->run, index),
                 event_text(timeline, mismatch->before, index));
        break;
    case BLOCK_ALLOC_COUNT:
        snprintf(to, size, "has %u allocations, not %u", run->alloc_count, before->alloc_count);
        break;
    case BLOCK_ALLOCATOR:
        snprintf(to, size, "has as allocation %u one of '%.100s', not of '%.100s'", index + 1,
                 allocator_text(timeline, mismatch->run, index),
                 allocator_text(timeline, mismatch->before, index));
        break;
    case BLOCK_ALLOC_BYTES:
        snprintf(to, size, "has as allocation %u one of %" PRIu64 " bytes, not of %" PRIu64,
                 index + 1, alloc_of(timeline, mismatch->run, index)->bytes,
                 alloc_of(timeline, mismatch->before, index)->bytes);
        break;
    case BLOCK_SAME:
        snprintf(to, size, "is the same");
        break;
    }
}

static void say_mismatch(const struct timeline *timeline, const struct block_mismatch *mismatch)
{
    const struct tl_block *run = &timeline->blocks.at[mismatch->run],
                          *before = &timeline->blocks.at[mismatch->before];
    const struct tl_process *process = &timeline->processes.at[run->process];
    bool is_event = mismatch->kind == BLOCK_EVENT_COUNT || mismatch->kind == BLOCK_EVENT_NAME;
    char how[400], where[64] = "";
    how_it_differs(timeline, mismatch, how, sizeof how);
    if (process->info.format.size)
        snprintf(where, sizeof where, " at offset %" PRIu64 " (before: %" PRIu64 ")", run->offset,
                 before->offset);
    complain("%s: block '%.100s': iteration %u%s %s as in iteration %u%s", process->path,
             timeline->names.at[run->name].bytes, mismatch->number + 1, where, how,
             mismatch->number, is_event ? ": it is shown separately" : "");
}

static bool say_mismatches(const struct timeline *timeline)
{
    struct block_mismatch mismatch;
    bool enough_memory = true;
    uint32_t from = 0, said = 0;
    while ((from = blocks_mismatch(timeline, from, &mismatch, &enough_memory)) != 0) {
        if (said++ == MISMATCHES_SAID) {
            complain("and more iterations that differ");
            break;
        }
        say_mismatch(timeline, &mismatch);
    }
    return enough_memory;
}

/* ---- commands ---- */

static struct write_blocks_options fitted(const struct profdump_options *options)
{
    struct write_blocks_options blocks = options->blocks;
    blocks.table_width = options->write.table_width;
    return blocks;
}

static int run_blocks(const struct profdump_options *options, const struct timeline *timeline)
{
    if (options->compat && !options->blocks.blocks.range)
        return compat_blocks(options, timeline, EXECUTORCH_ALL);
    bool shows_runs = options->blocks.raw && options->format == WRITE_JSON;
    if (!options->blocks.blocks.range && !shows_runs && !say_mismatches(timeline)) {
        errno = ENOMEM;
        return finish(options, timeline, false);
    }
    const struct write_blocks_options blocks = fitted(options);
    return finish(options, timeline, write_blocks(timeline, &blocks, options->out));
}

static int run(const struct profdump_options *options, const struct timeline *timeline)
{
    struct profdump_options with_maps = *options;
    struct debug_maps *maps = NULL;
    if (options->compare)
        return compare_values(options, timeline);
    if (options->etrecord && !(maps = etrecord_maps_load(options->etrecord)))
        return EXIT_FAILURE;
    with_maps.blocks.maps = maps;
    int status = run_blocks(&with_maps, timeline);
    etrecord_maps_free(maps);
    return status;
}

static int run_tax(const struct profdump_options *options, const struct timeline *timeline)
{
    if (options->compat)
        return compat_blocks(options, timeline, EXECUTORCH_TAX);
    const struct write_blocks_options blocks = fitted(options);
    return finish(options, timeline, write_tax(timeline, &blocks, options->out));
}

static int run_memory(const struct profdump_options *options, const struct timeline *timeline)
{
    return compat_blocks(options, timeline, EXECUTORCH_MEMORY);
}

const struct command command_executorch = {
    .word = "executorch",
    .summary = "print profiling blocks as ExecuTorch's tools do",
    .usage = "blocks|tax|memory [OPTION]... [FILE|DIRECTORY]...",
    .about = "Does what ExecuTorch's own tools do, on its files and on recordings of libprof. "
             "'profdump -o OUT.etprof' writes blocks for them.",
    .question = QUESTION_OTHER,
    .options = options_of_family,
};

const struct command command_executorch_blocks = {
    .family = "executorch",
    .word = "blocks",
    .summary = "print profiling blocks with percentiles of each event",
    .usage = "[OPTION]... [FILE|DIRECTORY]...",
    .about = "Prints profiling blocks: runs with the same events are iterations, with "
             "percentiles of each event.",
    .examples = "executorch blocks --target-time-scale us run.etdp\n"
                "executorch blocks --range forward run.prof",
    .options = options_of_blocks,
    .run = run,
    .tables = true,
};

const struct command command_executorch_tax = {
    .family = "executorch",
    .word = "tax",
    .summary = "print the share of each range during which no kernel of it ran",
    .usage = "[OPTION]... [FILE|DIRECTORY]...",
    .about = "Prints the share of each execution and range during which none of its kernels "
             "ran.",
    .examples = "executorch tax run.etdp",
    .options = options_of_tax,
    .run = run_tax,
    .tables = true,
};

const struct command command_executorch_memory = {
    .family = "executorch",
    .word = "memory",
    .summary = "print the allocations of profiling blocks",
    .usage = "[OPTION]... [FILE|DIRECTORY]...",
    .about = "Prints the table of allocations that ExecuTorch's own parser prints. 'profdump "
             "memory' shows more.",
    .examples = "executorch memory execute.etprof",
    .options = options_of_memory,
    .run = run_memory,
    .compat = true,
    .tables = true,
};

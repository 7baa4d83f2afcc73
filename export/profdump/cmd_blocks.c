/* cmd_blocks.c - profdump blocks, tax. Iterations of a block that differ become event blocks of their own; messages
 * on stderr say which, where and how. */
#include "commands.h"
#include "compare_values.h"
#include "compat.h"
#include "etrecord_maps.h"
#include "options.h"
#include "profdump.h"
#include "reports.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static bool set_scale(const char *option, const char *name, enum time_scale *scale)
{
    if (time_scale_find(name, scale))
        return true;
    complain("%s: '%s' is not one of ns, us, ms, s, cycles", option, name);
    return false;
}

static bool set_source(struct profdump_options *options, const char *scale)
{
    return set_scale("--source-time-scale", scale, &options->blocks.blocks.source);
}

static bool set_target(struct profdump_options *options, const char *scale)
{
    options->target_given = true;
    return set_scale("--target-time-scale", scale, &options->blocks.blocks.target);
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
    complain("--source-time-scale %s cannot be shown in %s: cycles are no time",
             time_scale_name(blocks->source), time_scale_name(blocks->target));
    return false;
}

const struct option_entry blocks_options[] = {
    TEXT("range", "NAME", blocks.blocks.range, "with blocks and tax: the calls of this range"),
    TEXT("block", "NAME", blocks.blocks.block, "with blocks and tax: only blocks of this name"),
    TEXT("event", "PREFIX", blocks.event,
         "with blocks: only events of this name, or of parts of it"),
    TEXT("total-of", "PREFIX", blocks.total,
         "with blocks: the time of all these events, once each"),
    CALL("source-time-scale", "S", set_source,
         "what ticks of files with ticks are: ns (default), us, ms, s, cycles"),
    CALL("target-time-scale", "S", set_target,
         "in what blocks and tax show times: ns (default of tsv and csv), us,\n"
         "ms (default of the others), s, cycles"),
    FLAG("wrap32", blocks.blocks.wrap32, "32-bit tick counter that wraps"),
    FLAG("units", units, "with --compat and --format tsv or csv: name the unit in the header"),
    FLAG("raw", blocks.raw,
         "with blocks --format json: also ticks, allocations and logged values as recorded"),
    FLAG("compat", compat,
         "blocks, tax, memory: print what ExecuTorch's own programs print;\n"
         "augment, combine, analyze: write what PyTorch's own analysis writes"),
    TEXT("etrecord", "FILE", etrecord, "with blocks: debug handles and delegates, of an ETRecord"),
    TEXT("compare", "REF[:BUFFER]", compare,
         "with blocks: how far logged values are from those of another ETDump"),
    TEXT("debug-buffer", "FILE", debug_buffer, "with --compare: the debug buffer of the input"),
    {0},
};

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
             mismatch->number, is_event ? ": it is shown apart" : "");
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

static int run_blocks(const struct profdump_options *options, const struct timeline *timeline)
{
    if (options->compat && !options->blocks.blocks.range)
        return compat_blocks(options, timeline, EXECUTORCH_ALL);
    bool shows_runs = options->blocks.raw && options->format == WRITE_JSON;
    if (!options->blocks.blocks.range && !shows_runs && !say_mismatches(timeline)) {
        errno = ENOMEM;
        return finish(options, timeline, false);
    }
    return finish(options, timeline, write_blocks(timeline, &options->blocks, options->out));
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
    return finish(options, timeline, write_tax(timeline, &options->blocks, options->out));
}

const struct command command_blocks = {
    .word = "blocks",
    .usage = "blocks [--range NAME] [OPTION]... [FILE|DIRECTORY]...",
    .help = "print profiling blocks: runs of the same events as iterations, with\n"
            "percentiles of each event",
    .run = run,
    .tables = true,
};

const struct command command_tax = {
    .word = "tax",
    .usage = "tax [OPTION]... [FILE|DIRECTORY]...",
    .help = "print the share of executions and ranges during which no kernel ran",
    .run = run_tax,
    .tables = true,
};

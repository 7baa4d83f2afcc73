/* cmd_blocks.c - profdump blocks, tax and the blocks' part of memory.
 *
 * Iterations of a block that differ are event blocks of their own; which one, where in the file and
 * how is said on standard error. With --compat the program that this stands in for is obeyed: it
 * refuses such a file, with its own sentence.
 */
#include "profdump.h"

#include "compare_values.h"
#include "compat.h"
#include "etrecord_maps.h"
#include "foreign.h"
#include "table_sheets.h"
#include "write_blocks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- values ---- */

/* All of a file, unpacked. NULL after having complained. */
static uint8_t *read_buffer(const char *path, size_t *size)
{
    struct read_error error;
    struct source *source = source_open(path, &error);
    uint8_t *bytes = source ? source_read_all(source, SIZE_MAX / 4, size, &error) : NULL;
    if (!bytes)
        complain("%s", error.message);
    source_close(source);
    return bytes;
}

/* "REF.etdp:buffer.bin": a colon in a name that exists as it is belongs to it. */
static bool split_reference(const char *argument, char **path, const char **buffer)
{
    struct read_error error;
    struct source *source = source_open(argument, &error);
    const char *colon = strrchr(argument, ':');
    *buffer = NULL;
    *path = strdup(argument);
    if (*path && !source && colon) {
        (*path)[colon - argument] = '\0';
        *buffer = colon + 1;
    }
    source_close(source);
    if (!*path)
        complain("%s: %s", argument, strerror(ENOMEM));
    return *path != NULL;
}

static int compare_with(const struct profdump_options *options, const struct timeline *timeline,
                        const char *path, const char *buffer)
{
    struct read_error error;
    struct compare_side run = {.timeline = timeline}, reference = {0};
    uint8_t *run_bytes = NULL, *reference_bytes = NULL;
    int status = EXIT_FAILURE;
    struct timeline *other = timeline_load_by(foreign_open, &path, 1, options->partial, &error);
    if (!other)
        complain("%s", error.message);
    bool ready = other != NULL;
    if (ready && options->debug_buffer)
        ready = (run_bytes = read_buffer(options->debug_buffer, &run.size)) != NULL;
    if (ready && buffer)
        ready = (reference_bytes = read_buffer(buffer, &reference.size)) != NULL;
    if (ready) {
        run.buffer = run_bytes;
        reference.buffer = reference_bytes;
        reference.timeline = other;
        status = finish(options, timeline,
                        compare_values(&reference, &run, options->format, options->out));
    }
    free(run_bytes);
    free(reference_bytes);
    timeline_destroy(other);
    return status;
}

static int run_compare(const struct profdump_options *options, const struct timeline *timeline)
{
    char *path = NULL;
    const char *buffer = NULL;
    int status = EXIT_FAILURE;
    if (split_reference(options->compare, &path, &buffer))
        status = compare_with(options, timeline, path, buffer);
    free(path);
    return status;
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

int cmd_blocks(const struct profdump_options *options, const struct timeline *timeline)
{
    struct profdump_options with_maps = *options;
    struct debug_maps *maps = NULL;
    if (options->compare)
        return run_compare(options, timeline);
    if (options->etrecord && !(maps = etrecord_maps_load(options->etrecord)))
        return EXIT_FAILURE;
    with_maps.blocks.maps = maps;
    int status = run_blocks(&with_maps, timeline);
    etrecord_maps_free(maps);
    return status;
}

int cmd_tax(const struct profdump_options *options, const struct timeline *timeline)
{
    if (options->compat)
        return compat_blocks(options, timeline, EXECUTORCH_TAX);
    bool separated = options->format == WRITE_TSV || options->format == WRITE_CSV;
    bool written = separated ? tax_sheet(timeline, &options->blocks, options->out)
                             : write_tax(timeline, &options->blocks, options->out);
    return finish(options, timeline, written);
}

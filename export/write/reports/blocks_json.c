/* blocks_json.c - event blocks as one JSON object:
 *
 *     {"unit": "ms", "blocks": [{"name", "process", "bundled_input", "iterations", "events": [{"name",
 *      "chain", "instruction", "delegate", "backend", "debug_handles", "depth", "durations",
 *      "start_times", "timed", "p10", "p50", "p90", "avg", "min", "max"}], "memory": [{"allocator",
 *      "allocations", "first_bytes", "total_bytes", "min_bytes", "max_bytes"}], "total"}]}
 *
 * A duration that is not known is null. "delegate" is a number, a text or null; "total" is there when
 * it was asked for, and what blocks_raw.h adds too.
 */
#include "block_names.h"
#include "blocks_parts.h"
#include "blocks_raw.h"
#include "json_out.h"

#include <errno.h>
#include <math.h>

static void text_or_null(struct json_out *out, struct text text)
{
    if (text.bytes)
        json_text(out, text);
    else
        json_null(out);
}

static void delegate_json(const struct blocks *blocks, const struct block_item *item,
                          struct json_out *out)
{
    json_key(out, "delegate");
    if (item->delegate != -1)
        json_int(out, item->delegate);
    else if (item->delegate_name != TL_NONE)
        json_text(out, blocks->timeline->names.at[item->delegate_name]);
    else
        json_null(out);
    if (item->metadata != TL_NONE)
        json_key(out, "delegate_metadata"),
            json_text(out, blocks->timeline->names.at[item->metadata]);
}

static void maps_json(const struct debug_maps *maps, const struct debug_entry *entry,
                      struct json_out *out)
{
    json_key(out, "backend"), text_or_null(out, entry->backend);
    json_key(out, "debug_handles"), json_array_begin(out);
    for (uint32_t i = 0; i < entry->count; i++)
        json_int(out, maps->handles.at[entry->first + i]);
    json_array_end(out);
}

static void samples_json(const struct blocks *blocks, const struct event_block *block,
                         uint32_t number, struct json_out *out)
{
    const struct block_row *row = &blocks->rows.at[block->first_row + number];
    json_key(out, "durations"), json_array_begin(out);
    for (uint32_t i = 0; i < block->run_count; i++)
        json_double(out, blocks->durations[row->first_sample + i]);
    json_array_end(out);
    json_key(out, "start_times"), json_array_begin(out);
    for (uint32_t i = 0; i < block->run_count; i++)
        json_double(out,
                    block_start(blocks, &blocks->runs.at[blocks->iterations[block->first_run + i]],
                                number));
    json_array_end(out);
}

static void event_json(const struct blocks *blocks, const struct write_blocks_options *options,
                       const struct event_block *block, uint32_t number, struct json_out *out)
{
    const struct block_row *row = &blocks->rows.at[block->first_row + number];
    const struct block_item *item = &blocks->items.at[row->item];
    const struct percentile_summary *summary = &row->summary;
    const struct debug_entry *entry = block_event_entry(blocks->timeline, options->maps, item);
    char text[BLOCK_NAME_BYTES];
    json_newline(out), json_object_begin(out);
    json_key(out, "name");
    json_text(out, block_own_name(blocks, item, text));
    json_key(out, "depth"), json_uint(out, item->depth);
    json_key(out, "chain"), json_int(out, item->chain);
    json_key(out, "instruction"), json_int(out, (int32_t)item->instruction);
    delegate_json(blocks, item, out);
    if (entry)
        maps_json(options->maps, entry, out);
    samples_json(blocks, block, number, out);
    if (options->raw)
        blocks_raw_event(blocks, block, number, out);
    json_key(out, "timed"), json_uint(out, summary->count);
    json_key(out, "p10"), json_double(out, summary->p10);
    json_key(out, "p50"), json_double(out, summary->p50);
    json_key(out, "p90"), json_double(out, summary->p90);
    json_key(out, "avg"), json_double(out, summary->mean);
    json_key(out, "min"), json_double(out, summary->min);
    json_key(out, "max"), json_double(out, summary->max);
    json_object_end(out);
}

static void memory_json_of(const struct blocks *blocks, const struct event_block *block,
                           struct json_out *out)
{
    const struct timeline *timeline = blocks->timeline;
    json_key(out, "memory"), json_array_begin(out);
    for (uint32_t i = 0; i < block->memory_count; i++) {
        const struct block_memory *memory = &blocks->memories.at[block->first_memory + i];
        json_object_begin(out);
        json_key(out, "allocator");
        json_text(out, timeline->names.at[timeline->heaps.at[memory->heap].name]);
        json_key(out, "allocations"), json_uint(out, memory->allocations);
        json_key(out, "first_bytes"), json_uint(out, memory->first_bytes);
        json_key(out, "total_bytes"), json_uint(out, memory->total_bytes);
        json_key(out, "min_bytes"), json_uint(out, memory->min_bytes);
        json_key(out, "max_bytes"), json_uint(out, memory->max_bytes);
        json_object_end(out);
    }
    json_array_end(out);
}

static bool block_json(struct blocks *blocks, const struct write_blocks_options *options,
                       uint32_t index, struct json_out *out)
{
    const struct event_block *block = &blocks->blocks.at[index];
    bool enough_memory = true;
    json_newline(out), json_object_begin(out);
    json_key(out, "name"), json_text(out, block_title(blocks, block));
    json_key(out, "process"),
        json_uint(out, blocks->timeline->processes.at[block->process].info.pid);
    json_key(out, "bundled_input"), json_int(out, block->input);
    json_key(out, "iterations"), json_uint(out, block->run_count);
    json_key(out, "events"), json_array_begin(out);
    for (uint32_t i = 0; i < block->row_count; i++)
        if (block_event_is_shown(blocks, options, &blocks->rows.at[block->first_row + i]))
            event_json(blocks, options, block, i, out);
    json_array_end(out);
    memory_json_of(blocks, block, out);
    if (options->raw)
        blocks_raw_runs(blocks, block, out);
    if (options->total) {
        json_key(out, "total");
        json_double(out, blocks_total(blocks, index, options->total, &enough_memory));
    }
    json_object_end(out);
    return enough_memory;
}

bool blocks_print_json(struct blocks *blocks, const struct write_blocks_options *options,
                       FILE *stream)
{
    struct json_out out;
    bool done = json_out_init(&out, -1, stream);
    json_object_begin(&out);
    json_key(&out, "unit"), json_string(&out, time_scale_name(blocks->options.target));
    json_key(&out, "blocks"), json_array_begin(&out);
    for (uint32_t i = 0; i < blocks->blocks.count && done; i++)
        done = block_json(blocks, options, i, &out);
    json_array_end(&out), json_object_end(&out);
    out.comma = false, json_newline(&out);
    int error = json_out_fini(&out);
    if (error || !done)
        errno = error ? error : ENOMEM;
    return done && error == 0;
}

bool write_blocks(const struct timeline *timeline, const struct write_blocks_options *options,
                  FILE *stream)
{
    struct blocks blocks;
    if (!blocks_init(&blocks, timeline, &options->blocks)) {
        errno = ENOMEM;
        return false;
    }
    bool written = write_format_is_for_people(options->format)
                       ? blocks_print(&blocks, options, stream)
                   : options->format == WRITE_JSON ? blocks_print_json(&blocks, options, stream)
                                                   : blocks_print_rows(&blocks, options, stream);
    blocks_fini(&blocks);
    return written;
}

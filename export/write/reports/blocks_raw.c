/* blocks_raw.c - what was recorded of blocks: see reports.h. */
#include "reports.h"

#include <math.h>

/* ---- events ---- */

static const struct block_item *item_of(const struct blocks *blocks,
                                        const struct event_block *block, uint32_t iteration,
                                        uint32_t number)
{
    const struct block_run *run =
        &blocks->runs.at[blocks->iterations[block->first_run + iteration]];
    return &blocks->items.at[run->first_item + number];
}

static void base64_json(struct json_out *out, struct text bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    json_out_bytes(out, out->comma ? ",\"" : "\"", out->comma ? 2 : 1);
    for (size_t at = 0; at < bytes.size; at += 3) {
        size_t count = bytes.size - at < 3 ? bytes.size - at : 3;
        uint32_t word = 0;
        for (size_t i = 0; i < 3; i++)
            word = word << 8 | (i < count ? (uint8_t)bytes.bytes[at + i] : 0);
        char four[4] = {digits[word >> 18], digits[word >> 12 & 63], '=', '='};
        if (count > 1)
            four[2] = digits[word >> 6 & 63];
        if (count > 2)
            four[3] = digits[word & 63];
        json_out_bytes(out, four, sizeof four);
    }
    json_out_bytes(out, "\"", 1);
    out->comma = true;
}

static bool has_metadata(const struct blocks *blocks, const struct event_block *block,
                         uint32_t number)
{
    for (uint32_t i = 0; i < block->run_count; i++)
        if (item_of(blocks, block, i, number)->metadata != TL_NONE)
            return true;
    return false;
}

static void metadata_json(const struct blocks *blocks, const struct event_block *block,
                          uint32_t number, struct json_out *out)
{
    json_key(out, "delegate_metadatas"), json_array_begin(out);
    for (uint32_t i = 0; i < block->run_count; i++) {
        uint32_t metadata = item_of(blocks, block, i, number)->metadata;
        if (metadata == TL_NONE)
            json_null(out);
        else
            base64_json(out, blocks->timeline->names.at[metadata]);
    }
    json_array_end(out);
}

void blocks_raw_event(const struct blocks *blocks, const struct event_block *block, uint32_t number,
                      struct json_out *out)
{
    bool is_value = item_of(blocks, block, 0, number)->debug != TL_NONE;
    json_key(out, "is_value"), json_bool(out, is_value);
    json_key(out, "start_ticks"), json_array_begin(out);
    for (uint32_t i = 0; i < block->run_count; i++) {
        const struct block_item *item = item_of(blocks, block, i, number);
        blocks_raw_ticks(out, item->start_ticks, item->is_signed);
    }
    json_array_end(out);
    json_key(out, "end_ticks"), json_array_begin(out);
    for (uint32_t i = 0; i < block->run_count; i++) {
        const struct block_item *item = item_of(blocks, block, i, number);
        if (item->ended)
            blocks_raw_ticks(out, item->end_ticks, item->is_signed);
        else
            json_null(out);
    }
    json_array_end(out);
    if (has_metadata(blocks, block, number))
        metadata_json(blocks, block, number, out);
}

/* ---- values ---- */

static void number_json(struct json_out *out, double value)
{
    if (isnan(value))
        json_constant(out, "nan");
    else if (isinf(value) && value > 0)
        json_constant(out, "inf");
    else if (isinf(value))
        json_constant(out, "-inf");
    else
        json_double(out, value);
}

static void sizes_json(const struct timeline *timeline, uint32_t first, uint32_t count,
                       struct json_out *out)
{
    json_array_begin(out);
    for (uint32_t i = 0; i < count; i++)
        json_int(out, timeline->tensor_sizes.at[first + i]);
    json_array_end(out);
}

static void tensors_json(const struct timeline *timeline, const struct tl_debug *debug,
                         struct json_out *out)
{
    json_key(out, "tensors"), json_array_begin(out);
    for (uint32_t i = 0; i < debug->tensor_count; i++) {
        const struct tl_tensor *tensor = &timeline->tensors.at[debug->first_tensor + i];
        json_object_begin(out);
        json_key(out, "type"), json_uint(out, tensor->type);
        json_key(out, "sizes");
        sizes_json(timeline, tensor->first_size, tensor->size_count, out);
        json_key(out, "strides");
        sizes_json(timeline, tensor->first_stride, tensor->stride_count, out);
        json_key(out, "offset"), json_int(out, tensor->offset);
        json_object_end(out);
    }
    json_array_end(out);
}

static void content_json(const struct timeline *timeline, const struct tl_debug *debug,
                         struct json_out *out)
{
    static const char *const kinds[] = {"none",   "int",    "bool",        "float",
                                        "double", "tensor", "tensor_list", "string"};
    json_key(out, "kind"), json_string(out, kinds[debug->kind]);
    switch (debug->kind) {
    case TL_VALUE_INT:
        json_key(out, "value"), json_int(out, debug->integer);
        break;
    case TL_VALUE_BOOL:
        json_key(out, "value"), json_bool(out, debug->integer != 0);
        break;
    case TL_VALUE_FLOAT:
    case TL_VALUE_DOUBLE:
        json_key(out, "value"), number_json(out, debug->real);
        break;
    case TL_VALUE_STRING:
        json_key(out, "value"), json_text(out, timeline->names.at[debug->integer]);
        break;
    default:
        tensors_json(timeline, debug, out);
    }
}

static void value_json(const struct timeline *timeline, const struct tl_debug *debug,
                       struct json_out *out)
{
    json_newline(out), json_object_begin(out);
    json_key(out, "name");
    json_text(out, debug->name == TL_NONE ? (struct text){"", 0} : timeline->names.at[debug->name]);
    json_key(out, "chain"), json_int(out, debug->chain);
    json_key(out, "instruction"), json_int(out, debug->instruction);
    json_key(out, "delegate");
    if (debug->delegate != -1)
        json_int(out, debug->delegate);
    else if (debug->delegate_name != TL_NONE)
        json_text(out, timeline->names.at[debug->delegate_name]);
    else
        json_null(out);
    json_key(out, "output"), json_bool(out, debug->is_output);
    content_json(timeline, debug, out);
    json_object_end(out);
}

/* ---- runs ---- */

static void allocations_json(const struct timeline *timeline, const struct tl_block *block,
                             struct json_out *out)
{
    json_key(out, "allocations"), json_array_begin(out);
    for (uint32_t i = 0; i < block->alloc_count; i++) {
        const struct tl_block_alloc *alloc = &timeline->block_allocs.at[block->first_alloc + i];
        json_object_begin(out);
        json_key(out, "allocator");
        json_text(out, timeline->names.at[timeline->heaps.at[alloc->heap].name]);
        json_key(out, "bytes"), json_uint(out, alloc->bytes);
        json_object_end(out);
    }
    json_array_end(out);
}

static void run_json(const struct timeline *timeline, const struct tl_block *block,
                     struct json_out *out)
{
    json_newline(out), json_object_begin(out);
    json_key(out, "offset"), json_uint(out, block->offset);
    allocations_json(timeline, block, out);
    json_key(out, "values"), json_array_begin(out);
    for (uint32_t i = 0; i < block->debug_count; i++)
        value_json(timeline, &timeline->debugs.at[block->first_debug + i], out);
    json_array_end(out), json_object_end(out);
}

void blocks_raw_runs(const struct blocks *blocks, const struct event_block *block,
                     struct json_out *out)
{
    json_key(out, "runs"), json_array_begin(out);
    for (uint32_t i = 0; i < block->run_count; i++) {
        uint32_t index = blocks->runs.at[blocks->iterations[block->first_run + i]].block;
        if (index != TL_NONE)
            run_json(blocks->timeline, &blocks->timeline->blocks.at[index], out);
    }
    json_array_end(out);
}

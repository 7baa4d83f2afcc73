/* etdump.c - ETDump, what ExecuTorch's event tracer writes: a FlatBuffer with the identifier
 * "ED00".
 *
 *     u32 size of what follows (may be missing) | u32 root | "ED00" | ...
 *
 *     ETDump       version u32, run_data [RunData]
 *     RunData      name, bundled_input_index i32 = -1, allocators [{name}], events [Event]
 *     Event        one of: profile_event, allocation_event, debug_event
 *     ProfileEvent name, chain_index i32, instruction_id i32 = -1, delegate_debug_id_int i32 = -1,
 *                  delegate_debug_id_str, delegate_debug_metadata, start_time u64, end_time u64
 *     AllocationEvent  allocator_id i32 (from 1 on), allocation_size u64
 *     DebugEvent   chain_index u64, instruction_id i32 = -1, debug_entry Value,
 *                  delegate_debug_id_int i32 = -1, delegate_debug_id_str, name
 *     Value        val u8 (kind), tensor, tensor_list, int_value, float_value, double_value,
 *                  bool_value, output
 *     Tensor       scalar_type u8, sizes [i64], strides [i64], offset i64
 *
 * Fields are numbered in this order.
 */
#include "block_store.h"
#include "flat_table.h"
#include "format_list.h"
#include "trace_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a logged value: a number, a tensor or a list of tensors ---- */

enum {
    VALUE_KIND,
    VALUE_TENSOR,
    VALUE_TENSORS,
    VALUE_INT,
    VALUE_FLOAT,
    VALUE_DOUBLE,
    VALUE_BOOL,
    VALUE_OUTPUT
};

enum { TENSOR_TYPE, TENSOR_SIZES, TENSOR_STRIDES, TENSOR_OFFSET };

struct tensors {
    struct debug_tensor *at;
    uint32_t count;
};

/* Of one tensor in one segment: sizes, then strides. */
static int64_t *read_sizes(struct flat *flat, struct flat_vector sizes, struct flat_vector strides)
{
    int64_t *read = malloc(((size_t)sizes.count + strides.count + 1) * sizeof *read);
    for (uint32_t i = 0; i < sizes.count && read; i++)
        read[i] = flat_vector_i64(flat, sizes, i);
    for (uint32_t i = 0; i < strides.count && read; i++)
        read[sizes.count + i] = flat_vector_i64(flat, strides, i);
    return read;
}

static bool read_tensor(struct flat *flat, struct flat_table from, struct debug_tensor *tensor)
{
    struct flat_vector sizes = flat_vector(flat, from, TENSOR_SIZES, 8);
    struct flat_vector strides = flat_vector(flat, from, TENSOR_STRIDES, 8);
    int64_t *kept = read_sizes(flat, sizes, strides);
    if (!kept)
        return false;
    *tensor = (struct debug_tensor){.offset = (int64_t)flat_u64(flat, from, TENSOR_OFFSET),
                                    .type = flat_u8(flat, from, TENSOR_TYPE),
                                    .sizes = kept,
                                    .strides = kept + sizes.count,
                                    .size_count = sizes.count,
                                    .stride_count = strides.count};
    return true;
}

static bool read_list(struct flat *flat, struct flat_table list, struct tensors *tensors)
{
    struct flat_vector vector = flat_vector(flat, list, 0, 4);
    tensors->at = calloc((size_t)vector.count + 1, sizeof *tensors->at);
    bool kept = tensors->at != NULL;
    for (uint32_t i = 0; i < vector.count && kept && !flat->damage; i++) {
        kept = read_tensor(flat, flat_vector_table(flat, vector, i), &tensors->at[i]);
        tensors->count += kept;
    }
    return kept;
}

static bool read_one(struct flat *flat, struct flat_table from, struct tensors *tensors)
{
    tensors->at = calloc(1, sizeof *tensors->at);
    bool kept = tensors->at && read_tensor(flat, from, tensors->at);
    tensors->count = kept;
    return kept;
}

static bool read_tensors(struct flat *flat, struct flat_table value, enum tl_value_kind kind,
                         struct tensors *tensors)
{
    if (kind == TL_VALUE_TENSOR)
        return read_one(flat, flat_table(flat, value, VALUE_TENSOR), tensors);
    if (kind == TL_VALUE_TENSORS)
        return read_list(flat, flat_table(flat, value, VALUE_TENSORS), tensors);
    return true;
}

static double float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static enum tl_value_kind kind_of(uint8_t number)
{
    static const enum tl_value_kind kinds[] = {TL_VALUE_NONE,    TL_VALUE_INT,    TL_VALUE_BOOL,
                                               TL_VALUE_FLOAT,   TL_VALUE_DOUBLE, TL_VALUE_TENSOR,
                                               TL_VALUE_TENSORS, TL_VALUE_NONE};
    return number < sizeof kinds / sizeof *kinds ? kinds[number] : TL_VALUE_NONE;
}

static void read_number(struct flat *flat, struct flat_table value, struct debug_value *debug)
{
    if (debug->kind == TL_VALUE_INT)
        debug->integer = (int64_t)flat_u64(flat, flat_table(flat, value, VALUE_INT), 0);
    if (debug->kind == TL_VALUE_BOOL)
        debug->integer = flat_u8(flat, flat_table(flat, value, VALUE_BOOL), 0) != 0;
    if (debug->kind == TL_VALUE_FLOAT)
        debug->real = float_of(flat_u32(flat, flat_table(flat, value, VALUE_FLOAT), 0));
    if (debug->kind == TL_VALUE_DOUBLE)
        debug->real = double_of(flat_u64(flat, flat_table(flat, value, VALUE_DOUBLE), 0));
}

/* Reads a Value into `debug` and adds that to the store. False: no memory. */
static bool read_logged(struct flat *flat, struct flat_table value, struct debug_value *debug,
                        struct block_store *store)
{
    struct tensors tensors = {0};
    debug->kind = kind_of(flat_u8(flat, value, VALUE_KIND));
    debug->is_output = flat_u8(flat, flat_table(flat, value, VALUE_OUTPUT), 0) != 0;
    read_number(flat, value, debug);
    bool kept = read_tensors(flat, value, debug->kind, &tensors);
    debug->tensors = tensors.at;
    debug->tensor_count = tensors.count;
    if (kept && !flat->damage)
        block_store_debug(store, debug);
    for (uint32_t i = 0; i < tensors.count; i++)
        free((void *)tensors.at[i].sizes);
    free(tensors.at);
    return kept;
}

/* ---- the file ---- */

#define FILE_BYTES_MAX (UINT64_C(2) << 30) /* references are signed in places */
#define IDENTIFIER "ED00"

enum { ROOT_VERSION, ROOT_RUNS };
enum { RUN_NAME, RUN_INPUT, RUN_ALLOCATORS, RUN_EVENTS };
enum { EVENT_PROFILE, EVENT_ALLOCATION, EVENT_DEBUG };
enum {
    PROFILE_NAME,
    PROFILE_CHAIN,
    PROFILE_INSTRUCTION,
    PROFILE_DELEGATE,
    PROFILE_DELEGATE_NAME,
    PROFILE_METADATA,
    PROFILE_START,
    PROFILE_END
};
enum { ALLOCATION_ALLOCATOR, ALLOCATION_BYTES };
enum {
    DEBUG_CHAIN,
    DEBUG_INSTRUCTION,
    DEBUG_VALUE,
    DEBUG_DELEGATE,
    DEBUG_DELEGATE_NAME,
    DEBUG_NAME
};

struct reader {
    struct flat flat;
    struct block_store *store;
    uint32_t *allocators; /* names of the current run */
    uint32_t allocator_count;
    uint64_t empty_events, unknown_allocators;
    bool failed;
};

/* Where the reference to the root is. */
static size_t root_place(struct text head)
{
    if (head.size >= 12 && memcmp(head.bytes + 8, IDENTIFIER, 4) == 0)
        return 4;
    return 0;
}

static bool is_etdump(struct text head)
{
    return root_place(head) || (head.size >= 8 && memcmp(head.bytes + 4, IDENTIFIER, 4) == 0);
}

static uint32_t name_of(struct reader *reader, struct text text)
{
    return text.bytes && text.size ? block_store_name(reader->store, text) : 0;
}

/* What is left out is not there, but a name is always needed. */
static uint32_t name_or_empty(struct reader *reader, struct text text)
{
    return block_store_name(reader->store, text.bytes ? text : (struct text){"", 0});
}

/* ---- events ---- */

static uint32_t delegate_text(struct reader *reader, int32_t delegate, uint32_t name)
{
    char shown[24];
    if (name)
        return name;
    int length = snprintf(shown, sizeof shown, "%d", delegate);
    return block_store_name(reader->store, (struct text){shown, (size_t)length});
}

/* Events of delegates have no name but the identifier. */
static void read_profile(struct reader *reader, struct flat_table from)
{
    struct flat *flat = &reader->flat;
    struct text name = flat_text(flat, from, PROFILE_NAME);
    struct store_event event = {
        .name = name_of(reader, name),
        .chain = (int32_t)flat_i32(flat, from, PROFILE_CHAIN, 0),
        .instruction = (uint32_t)flat_i32(flat, from, PROFILE_INSTRUCTION, -1),
        .detail = {
            .start_ticks = flat_u64(flat, from, PROFILE_START),
            .end_ticks = flat_u64(flat, from, PROFILE_END),
            .delegate = (int32_t)flat_i32(flat, from, PROFILE_DELEGATE, -1),
            .delegate_name = name_of(reader, flat_text(flat, from, PROFILE_DELEGATE_NAME)),
            .metadata = name_of(reader, flat_text(flat, from, PROFILE_METADATA)),
        }};
    bool delegated = event.detail.delegate != -1 || event.detail.delegate_name;
    if (!event.name)
        event.name = delegated
                         ? delegate_text(reader, event.detail.delegate, event.detail.delegate_name)
                         : name_or_empty(reader, name);
    if (!flat->damage)
        block_store_event(reader->store, &event);
}

/* The n-th allocator of a run has the id n, from 1 on. */
static void read_allocation(struct reader *reader, struct flat_table from)
{
    struct flat *flat = &reader->flat;
    uint32_t id = (uint32_t)flat_i32(flat, from, ALLOCATION_ALLOCATOR, 0);
    uint64_t bytes = flat_u64(flat, from, ALLOCATION_BYTES);
    char shown[40];
    uint32_t name = 0;
    if (id >= 1 && id <= reader->allocator_count) {
        name = reader->allocators[id - 1];
    } else {
        int length = snprintf(shown, sizeof shown, "(allocator %d)", (int32_t)id);
        name = block_store_name(reader->store, (struct text){shown, (size_t)length});
        reader->unknown_allocators++;
    }
    if (!flat->damage)
        block_store_alloc(reader->store, block_store_allocator(reader->store, id, name), bytes);
}

static void read_debug(struct reader *reader, struct flat_table from)
{
    struct flat *flat = &reader->flat;
    struct debug_value debug = {
        .chain = (int64_t)flat_u64(flat, from, DEBUG_CHAIN),
        .instruction = (int32_t)flat_i32(flat, from, DEBUG_INSTRUCTION, -1),
        .delegate = (int32_t)flat_i32(flat, from, DEBUG_DELEGATE, -1),
        .delegate_name = name_of(reader, flat_text(flat, from, DEBUG_DELEGATE_NAME)),
        .name = name_of(reader, flat_text(flat, from, DEBUG_NAME)),
    };
    if (!read_logged(flat, flat_table(flat, from, DEBUG_VALUE), &debug, reader->store))
        reader->failed = true;
}

static void read_event(struct reader *reader, struct flat_table event)
{
    struct flat *flat = &reader->flat;
    struct flat_table profile = flat_table(flat, event, EVENT_PROFILE);
    struct flat_table allocation = flat_table(flat, event, EVENT_ALLOCATION);
    struct flat_table debug = flat_table(flat, event, EVENT_DEBUG);
    if (profile.at)
        read_profile(reader, profile);
    if (allocation.at)
        read_allocation(reader, allocation);
    if (debug.at)
        read_debug(reader, debug);
    reader->empty_events += !profile.at && !allocation.at && !debug.at;
}

/* ---- runs ---- */

static void read_allocators(struct reader *reader, struct flat_vector vector)
{
    free(reader->allocators);
    reader->allocators = calloc((size_t)vector.count + 1, sizeof *reader->allocators);
    reader->allocator_count = reader->allocators ? vector.count : 0;
    reader->failed |= !reader->allocators;
    for (uint32_t i = 0; i < reader->allocator_count; i++) {
        struct flat_table allocator = flat_vector_table(&reader->flat, vector, i);
        reader->allocators[i] = name_or_empty(reader, flat_text(&reader->flat, allocator, 0));
    }
}

static void read_run(struct reader *reader, struct flat_table run)
{
    struct flat *flat = &reader->flat;
    struct whole_block block = {
        .offset = run.at,
        .name = name_or_empty(reader, flat_text(flat, run, RUN_NAME)),
        .input = (int32_t)flat_i32(flat, run, RUN_INPUT, -1),
    };
    if (flat->damage)
        return;
    block_store_block(reader->store, &block);
    read_allocators(reader, flat_vector(flat, run, RUN_ALLOCATORS, 4));
    struct flat_vector events = flat_vector(flat, run, RUN_EVENTS, 4);
    for (uint32_t i = 0; i < events.count && !flat->damage && !reader->failed; i++)
        read_event(reader, flat_vector_table(flat, events, i));
}

static void read_runs(struct reader *reader, struct flat_table root)
{
    struct flat_vector runs = flat_vector(&reader->flat, root, ROOT_RUNS, 4);
    for (uint32_t i = 0; i < runs.count && !reader->flat.damage && !reader->failed; i++)
        read_run(reader, flat_vector_table(&reader->flat, runs, i));
    block_store_warn(reader->store, "empty events", reader->empty_events);
    block_store_warn(reader->store, "allocations of allocators that their run does not have",
                     reader->unknown_allocators);
}

static bool is_whole(const struct reader *reader, bool partial, const char *path,
                     struct read_error *error)
{
    const struct flat *flat = &reader->flat;
    if (reader->failed) {
        trace_error(error, path, "out of memory");
        return false;
    }
    if (!flat->damage)
        return true;
    if (!partial) {
        trace_error_at(error, path, flat->damage_at, "%s: a damaged ETDump", flat->damage);
        return false;
    }
    block_store_warn(reader->store, "places that are damaged: the file is read up to there", 1);
    return true;
}

/* A file that says how long it is and is shorter was cut: references would only say so by
 * chance. */
static bool has_its_size(const uint8_t *bytes, size_t size, const char *path,
                         struct read_error *error)
{
    uint64_t said =
        bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 | (uint64_t)bytes[3] << 24;
    if (said + 4 <= size)
        return true;
    trace_error(error, path, "an ETDump of %llu bytes that ends after %zu: truncated",
                (unsigned long long)said + 4, size);
    return false;
}

static struct trace_file *open_etdump(struct source *source, bool partial, struct builder *builder,
                                      struct read_error *error)
{
    (void)builder; /* blocks come in order: they are appended when the file is */
    size_t size = 0;
    const char *path = source_path(source);
    uint8_t *bytes = source_read_all(source, FILE_BYTES_MAX, &size, error);
    if (!bytes)
        return NULL;
    struct reader reader = {.store = block_store_create(source_clock_of(source))};
    struct trace_file *file = NULL;
    size_t root = root_place((struct text){(const char *)bytes, size});
    flat_init(&reader.flat, bytes, size);
    if (reader.store && (root == 0 || partial || has_its_size(bytes, size, path, error))) {
        struct flat_table table = flat_root(&reader.flat, root);
        uint32_t version = flat_u32(&reader.flat, table, ROOT_VERSION);
        if (version != 0) {
            trace_error(error, path, "an ETDump of version %u; only version 0 is supported",
                        version);
        } else {
            read_runs(&reader, table);
            if (is_whole(&reader, partial, path, error)) {
                file = block_store_file(reader.store, source, "ETDump", error);
                reader.store = NULL;
            }
        }
    }
    block_store_destroy(reader.store);
    free(reader.allocators);
    free(bytes);
    return file;
}

const struct foreign_format format_etdump = {"ETDump", is_etdump, open_etdump};

/* etdump_read.c - the runs of an ETDump and their events; see etdump.h for the format. */
#include "etdump.h"
#include "format_list.h"
#include "trace_error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    uint32_t *allocators; /* names of the run at hand */
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
    struct read_debug debug = {
        .chain = (int64_t)flat_u64(flat, from, DEBUG_CHAIN),
        .instruction = (int32_t)flat_i32(flat, from, DEBUG_INSTRUCTION, -1),
        .delegate = (int32_t)flat_i32(flat, from, DEBUG_DELEGATE, -1),
        .delegate_name = name_of(reader, flat_text(flat, from, DEBUG_DELEGATE_NAME)),
        .name = name_of(reader, flat_text(flat, from, DEBUG_NAME)),
    };
    if (!etdump_value(flat, flat_table(flat, from, DEBUG_VALUE), &debug, reader->store))
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
    struct read_block block = {
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
    block_store_warn(reader->store, "events that hold nothing", reader->empty_events);
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

/* A file that says how long it is and is shorter was cut: references would only say so by chance. */
static bool has_its_size(const uint8_t *bytes, size_t size, const char *path,
                         struct read_error *error)
{
    uint64_t said =
        bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 | (uint64_t)bytes[3] << 24;
    if (said + 4 <= size)
        return true;
    trace_error(error, path, "an ETDump of %llu bytes that ends after %zu: it was cut",
                (unsigned long long)said + 4, size);
    return false;
}

static struct trace_file *open_etdump(struct source *source, bool partial, struct read_error *error)
{
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
            trace_error(error, path, "an ETDump of version %u; this program knows version 0",
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

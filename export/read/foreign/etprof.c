/* etprof.c - prof buffers of ExecuTorch, version 1: block after block, without a header or a
 * trailer of the file.
 *
 *     block: header 64 | events 56 each | allocators 40 each | allocations 8 each
 *
 *     header      name[32], then u32: version, room for events, events, room for allocators,
 *                 allocators, room for allocations, allocations, 0
 *     event       name[32], i32 chain, u32 instruction, u64 start, u64 end (0: it did not end)
 *     allocator   name[32], u64 id
 *     allocation  u32 allocator id, u32 bytes
 *
 * Each of the three tables is as long as there is room in it, of which the first entries are in
 * use. Names are padded with NULs, and end with none when they need all 32 bytes. Byte order is
 * that of the machine that wrote the file: the version shows which.
 *
 * Ids of allocators start again in each block, yet a block may use one of an earlier block, but
 * never one of a later block: so ids are looked up in the own block first, then in what earlier
 * blocks left.
 *
 * A program that dumped, recorded on and dumped again writes addresses where names should be.
 */
#include "block_store.h"
#include "format_list.h"
#include "maps.h"
#include "trace_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION 1u
#define NAME_BYTES 32u
#define FILE_BYTES_MAX (UINT64_C(4) << 30)

enum { HEADER_BYTES = 64, EVENT_BYTES = 56, ALLOCATOR_BYTES = 40, ALLOCATION_BYTES = 8 };

struct table {
    uint64_t offset; /* in the file */
    uint32_t room, used;
};

struct header {
    uint32_t version;
    struct table events, allocators, allocations;
    uint64_t end; /* of the block */
};

struct reader {
    const uint8_t *bytes;
    uint64_t size;
    bool swapped; /* big-endian */
    const char *path;
    struct block_store *store;
    struct idmap allocators; /* id -> name, as blocks so far left it */
    uint32_t block;          /* number of the block, from 1 */
    uint64_t address_top;    /* what addresses in place of names begin with; 0: none was seen */
    uint64_t odd_names, unknown_allocators;
};

#define ADDRESS_LOW_BITS 24

static uint32_t read_u32(const uint8_t *at, bool swapped)
{
    uint32_t little = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    return swapped ? __builtin_bswap32(little) : little;
}

static uint64_t read_u64(const uint8_t *at, bool swapped)
{
    uint64_t low = read_u32(at, swapped), high = read_u32(at + 4, swapped);
    return swapped ? low << 32 | high : high << 32 | low;
}

/* ---- recognition ---- */

/* The name of a block: text, then nothing but NULs. */
static bool is_block_name(const uint8_t *name)
{
    size_t length = strnlen((const char *)name, NAME_BYTES);
    for (size_t i = 0; i < length; i++)
        if (name[i] < ' ' || name[i] == 0x7f)
            return false;
    for (size_t i = length; i < NAME_BYTES; i++)
        if (name[i])
            return false;
    return true;
}

static bool is_etprof(struct text head)
{
    const uint8_t *bytes = (const uint8_t *)head.bytes;
    return head.size >= HEADER_BYTES && is_block_name(bytes) &&
           (read_u32(bytes + NAME_BYTES, false) == VERSION ||
            read_u32(bytes + NAME_BYTES, true) == VERSION);
}

/* ---- names ---- */

/* How many bytes the character that begins so has, 0: none does. */
static size_t character_bytes(uint8_t first)
{
    if (first < 0x80)
        return first < ' ' ? 0 : 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

static bool is_text(struct text text)
{
    for (size_t at = 0; at < text.size;) {
        size_t needs = character_bytes((uint8_t)text.bytes[at]);
        if (needs == 0 || needs > text.size - at)
            return false;
        for (size_t i = 1; i < needs; i++)
            if (((uint8_t)text.bytes[at + i] & 0xc0) != 0x80)
                return false;
        at += needs;
    }
    return true;
}

/* A name of all 32 bytes may have been cut within its last character: that is left out. */
static struct text whole_characters(struct text text)
{
    for (size_t back = 1; back < 4 && text.size == NAME_BYTES; back++) {
        uint8_t byte = (uint8_t)text.bytes[NAME_BYTES - back];
        if ((byte & 0xc0) == 0x80)
            continue;
        if (character_bytes(byte) > back)
            text.size = NAME_BYTES - back;
        break;
    }
    return text;
}

static bool is_address(const uint8_t *name, bool swapped)
{
    uint64_t address = read_u64(name, swapped);
    for (size_t i = 8; i < NAME_BYTES; i++)
        if (name[i])
            return false;
    return address != 0 && address >> 57 == 0;
}

static struct text name_text(const uint8_t *name)
{
    struct text text = {(const char *)name, strnlen((const char *)name, NAME_BYTES)};
    return whole_characters(text);
}

/* Some addresses are text by chance: those that begin like one that is not. */
static void find_addresses(struct reader *reader, const struct table *table)
{
    const uint8_t *at = reader->bytes + table->offset;
    for (uint32_t i = 0; i < table->used && !reader->address_top; i++, at += EVENT_BYTES)
        if (is_address(at, reader->swapped) && !is_text(name_text(at)))
            reader->address_top = read_u64(at, reader->swapped) >> ADDRESS_LOW_BITS;
}

static uint32_t event_name(struct reader *reader, const uint8_t *name)
{
    struct text text = name_text(name);
    uint64_t address = is_address(name, reader->swapped) ? read_u64(name, reader->swapped) : 0;
    bool like = reader->address_top && address >> ADDRESS_LOW_BITS == reader->address_top;
    if (is_text(text) && !like)
        return block_store_name(reader->store, text);
    reader->odd_names++;
    if (!address)
        return block_store_name(reader->store, text);
    char shown[40];
    int length = snprintf(shown, sizeof shown, "(name at address 0x%" PRIx64 ")", address);
    return block_store_name(reader->store, (struct text){shown, (size_t)length});
}

static uint32_t plain_name(struct reader *reader, const uint8_t *name)
{
    return block_store_name(reader->store, name_text(name));
}

/* ---- blocks ---- */

static bool complain_table(const struct reader *reader, uint64_t offset, const char *what,
                           const struct table *table, struct read_error *error)
{
    if (table->used <= table->room)
        return true;
    trace_error_at(error, reader->path, offset,
                   "block %u has %u %s, but room for %u: a damaged prof buffer", reader->block,
                   table->used, what, table->room);
    return false;
}

static void place_table(const struct reader *reader, struct header *header, struct table *table,
                        const uint8_t *counts, uint32_t entry_bytes)
{
    table->room = read_u32(counts, reader->swapped);
    table->used = read_u32(counts + 4, reader->swapped);
    table->offset = header->end;
    header->end += (uint64_t)table->room * entry_bytes;
}

static bool read_header(const struct reader *reader, uint64_t offset, struct header *header,
                        struct read_error *error)
{
    const uint8_t *at = reader->bytes + offset;
    if (reader->size - offset < HEADER_BYTES) {
        trace_error_at(error, reader->path, offset,
                       "block %u is cut: %" PRIu64 " bytes are left of its header of %d",
                       reader->block, reader->size - offset, HEADER_BYTES);
        return false;
    }
    header->version = read_u32(at + 32, reader->swapped);
    if (header->version != VERSION || !is_block_name(at)) {
        trace_error_at(error, reader->path, offset,
                       "block %u has no header of a prof buffer of version %u", reader->block,
                       VERSION);
        return false;
    }
    header->end = offset + HEADER_BYTES;
    place_table(reader, header, &header->events, at + 36, EVENT_BYTES);
    place_table(reader, header, &header->allocators, at + 44, ALLOCATOR_BYTES);
    place_table(reader, header, &header->allocations, at + 52, ALLOCATION_BYTES);
    if (!complain_table(reader, offset, "events", &header->events, error) ||
        !complain_table(reader, offset, "allocators", &header->allocators, error) ||
        !complain_table(reader, offset, "allocations", &header->allocations, error))
        return false;
    if (header->end > reader->size)
        trace_error_at(error, reader->path, offset,
                       "block %u needs %" PRIu64 " bytes, but the file ends after %" PRIu64,
                       reader->block, header->end - offset, reader->size - offset);
    return header->end <= reader->size;
}

static void read_events(struct reader *reader, const struct table *table)
{
    const uint8_t *at = reader->bytes + table->offset;
    find_addresses(reader, table);
    for (uint32_t i = 0; i < table->used; i++, at += EVENT_BYTES) {
        struct store_event event = {
            .name = event_name(reader, at),
            .chain = (int32_t)read_u32(at + 32, reader->swapped),
            .instruction = read_u32(at + 36, reader->swapped),
            .detail = {.start_ticks = read_u64(at + 40, reader->swapped),
                       .end_ticks = read_u64(at + 48, reader->swapped),
                       .delegate = -1},
        };
        block_store_event(reader->store, &event);
    }
}

/* An id is looked up by its lower 32 bits: that is what allocations have of it. */
static bool read_allocators(struct reader *reader, const struct table *table)
{
    const uint8_t *at = reader->bytes + table->offset;
    bool kept = true;
    for (uint32_t i = 0; i < table->used && kept; i++, at += ALLOCATOR_BYTES) {
        uint64_t id = read_u64(at + NAME_BYTES, reader->swapped);
        if (id < UINT32_MAX)
            kept = idmap_set(&reader->allocators, (uint32_t)id, plain_name(reader, at));
    }
    return kept;
}

static uint32_t unknown_allocator(struct reader *reader, uint32_t id)
{
    char shown[40];
    int length = snprintf(shown, sizeof shown, "(allocator %u)", id);
    reader->unknown_allocators++;
    return block_store_name(reader->store, (struct text){shown, (size_t)length});
}

static void read_allocations(struct reader *reader, const struct table *table)
{
    const uint8_t *at = reader->bytes + table->offset;
    for (uint32_t i = 0; i < table->used; i++, at += ALLOCATION_BYTES) {
        uint32_t id = read_u32(at, reader->swapped);
        uint32_t name = idmap_find(&reader->allocators, id);
        if (name == IDMAP_NONE)
            name = unknown_allocator(reader, id);
        block_store_alloc(reader->store, block_store_allocator(reader->store, id, name),
                          read_u32(at + 4, reader->swapped));
    }
}

static bool read_block(struct reader *reader, uint64_t offset, uint64_t *end,
                       struct read_error *error)
{
    struct header header;
    if (!read_header(reader, offset, &header, error))
        return false;
    struct whole_block block = {
        .offset = offset, .name = plain_name(reader, reader->bytes + offset), .input = -1};
    block_store_block(reader->store, &block);
    read_events(reader, &header.events);
    bool kept = read_allocators(reader, &header.allocators);
    read_allocations(reader, &header.allocations);
    if (!kept)
        trace_error(error, reader->path, "out of memory");
    *end = header.end;
    return kept;
}

/* With `partial`, what comes before the damage is shown. */
static bool read_blocks(struct reader *reader, bool partial, struct read_error *error)
{
    for (uint64_t offset = 0; offset < reader->size;) {
        reader->block++;
        if (read_block(reader, offset, &offset, error))
            continue;
        if (!partial || reader->block == 1)
            return false;
        block_store_warn(reader->store, "blocks that are damaged: the file is read up to there", 1);
        break;
    }
    block_store_warn(reader->store, "events whose names are not text, as after a second dump",
                     reader->odd_names);
    block_store_warn(reader->store, "allocations of allocators that no block lists",
                     reader->unknown_allocators);
    return true;
}

static struct trace_file *open_etprof(struct source *source, bool partial, struct builder *builder,
                                      struct read_error *error)
{
    (void)builder; /* blocks come in order: they are appended when the file is */
    size_t size = 0;
    uint8_t *bytes = source_read_all(source, FILE_BYTES_MAX, &size, error);
    if (!bytes)
        return NULL;
    struct reader reader = {.bytes = bytes,
                            .size = size,
                            .swapped = read_u32(bytes + NAME_BYTES, false) != VERSION,
                            .path = source_path(source),
                            .store = block_store_create(source_clock_of(source))};
    struct trace_file *file = NULL;
    if (reader.store && read_blocks(&reader, partial, error))
        file = block_store_file(reader.store, source,
                                reader.swapped ? "ExecuTorch prof buffer, big-endian"
                                               : "ExecuTorch prof buffer",
                                error);
    else
        block_store_destroy(reader.store);
    idmap_fini(&reader.allocators);
    free(bytes);
    return file;
}

const struct foreign_format format_etprof = {"ExecuTorch prof buffer", is_etprof, open_etprof};

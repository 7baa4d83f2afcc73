/* etprof_writer.c - profiling blocks as prof buffers of ExecuTorch, version 1.
 *
 * A dump is block after block, without header or trailer:
 *
 *     header 64 | events 56 each | allocators 40 each | allocations 8 each
 *
 * For each of the three, the header has the number of entries and the capacity: here the two are
 * equal. Byte order is the machine's. Readers of that format pair the n-th entries of blocks of one
 * name, so what cannot be said in it is left out whole and counted:
 *
 *     an event that did not end    its duration would be negative
 *     a block that holds nothing   there is nothing to pair
 *
 * They know one table of allocators, in which later blocks overwrite: so numbers are unique in the
 * whole dump, and each block states those it uses. */
#include "json_out.h"
#include "write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_BYTES 32u
#define BUFFER_BYTES (64u << 10)
#define BYTES_MAX UINT32_MAX       /* of one allocation in the format */
#define SEGMENTS_MAX 4096u         /* of one allocation here: 16 TiB */
#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD, for what is not UTF-8: readers would give up */
#define REPLACEMENT_BYTES (sizeof REPLACEMENT - 1)

struct etprof_header {
    char name[NAME_BYTES];
    uint32_t version;
    uint32_t max_events, events;
    uint32_t max_allocators, allocators;
    uint32_t max_allocations, allocations;
    uint32_t reserved;
};
_Static_assert(sizeof(struct etprof_header) == 64, "layout");

struct etprof_event {
    char name[NAME_BYTES];
    int32_t chain;
    uint32_t instruction;
    uint64_t start, end; /* end 0 would be an event that did not end */
};
_Static_assert(sizeof(struct etprof_event) == 56, "layout");

struct etprof_allocator {
    char name[NAME_BYTES];
    uint64_t id;
};
_Static_assert(sizeof(struct etprof_allocator) == 40, "layout");

struct etprof_allocation {
    uint32_t allocator, bytes;
};
_Static_assert(sizeof(struct etprof_allocation) == 8, "layout");

struct etprof {
    const struct timeline *timeline;
    struct write_etprof_counts *counts;
    int64_t zero_ns;   /* of the dump: every time in it is at least 1 */
    uint32_t *used_in; /* by allocator: last block that used it, + 1 */
    int fd;
    int error; /* errno of the first failure */
    size_t filled;
    uint8_t buffer[BUFFER_BYTES];
};

/* ---- bytes ---- */

static void flush(struct etprof *etprof)
{
    for (size_t at = 0; at < etprof->filled && !etprof->error;) {
        ssize_t written = write(etprof->fd, etprof->buffer + at, etprof->filled - at);
        if (written > 0)
            at += (size_t)written;
        else if (written < 0 && errno != EINTR)
            etprof->error = errno;
    }
    etprof->filled = 0;
}

static void put(struct etprof *etprof, const void *entry, size_t bytes)
{
    if (etprof->filled + bytes > BUFFER_BYTES)
        flush(etprof);
    memcpy(etprof->buffer + etprof->filled, entry, bytes);
    etprof->filled += bytes;
}

/* Bytes of the character at `from` as it is to be written; `used` gets how many of the name it
 * takes. NUL ends a name in the format. */
static size_t name_character(const char *from, size_t size, const char **bytes, size_t *used)
{
    uint32_t character = 0;
    *used = utf8_decode(from, size, &character);
    *bytes = from;
    if (character)
        return *used;
    *used = 1;
    *bytes = REPLACEMENT;
    return REPLACEMENT_BYTES;
}

/* As many whole characters as fit; padded with NUL, not terminated when all 32 bytes are needed. */
static void put_name(struct etprof *etprof, char to[NAME_BYTES], uint32_t name)
{
    struct text text = etprof->timeline->names.at[name];
    size_t filled = 0;
    memset(to, 0, NAME_BYTES);
    for (size_t at = 0, used; at < text.size; at += used) {
        const char *bytes;
        size_t size = name_character(text.bytes + at, text.size - at, &bytes, &used);
        if (filled + size > NAME_BYTES) {
            etprof->counts->cut_names++;
            return;
        }
        memcpy(to + filled, bytes, size);
        filled += size;
    }
}

/* ---- what a block holds ---- */

static const struct tl_async *event_range(const struct etprof *etprof, uint32_t event)
{
    return &etprof->timeline->asyncs.at[etprof->timeline->block_events.at[event].async];
}

static bool has_ended(const struct etprof *etprof, uint32_t event)
{
    return !(event_range(etprof, event)->flags & TL_UNCLOSED);
}

static uint32_t count_ended(const struct etprof *etprof, const struct tl_block *block)
{
    uint32_t ended = 0;
    for (uint32_t i = 0; i < block->event_count; i++)
        ended += has_ended(etprof, block->first_event + i);
    return ended;
}

/* An allocation of more than the format's 32 bits is written as several of the same allocator, so
 * that sums are right. */
static uint64_t segments_of(uint64_t bytes)
{
    uint64_t segments = bytes / BYTES_MAX + (bytes % BYTES_MAX != 0 || bytes == 0);
    return segments < SEGMENTS_MAX ? segments : SEGMENTS_MAX;
}

static uint64_t count_segments(const struct etprof *etprof, const struct tl_block *block)
{
    uint64_t segments = 0;
    for (uint32_t i = 0; i < block->alloc_count; i++)
        segments += segments_of(etprof->timeline->block_allocs.at[block->first_alloc + i].bytes);
    return segments;
}

/* Whether the block was not seen to use the allocator yet. */
static bool begins_use(struct etprof *etprof, uint32_t allocator, uint32_t block)
{
    if (etprof->used_in[allocator] == block + 1)
        return false;
    etprof->used_in[allocator] = block + 1;
    return true;
}

/* ---- blocks ---- */

static void put_event(struct etprof *etprof, uint32_t event)
{
    const struct tl_block_event *at = &etprof->timeline->block_events.at[event];
    const struct tl_async *range = event_range(etprof, event);
    struct etprof_event entry = {
        .chain = at->chain,
        .instruction = at->instruction,
        .start = (uint64_t)(range->start_ns - etprof->zero_ns),
        .end = (uint64_t)(range->end_ns - etprof->zero_ns),
    };
    put_name(etprof, entry.name, range->name);
    put(etprof, &entry, sizeof entry);
}

static void put_events(struct etprof *etprof, const struct tl_block *block)
{
    for (uint32_t i = 0; i < block->event_count; i++)
        if (has_ended(etprof, block->first_event + i))
            put_event(etprof, block->first_event + i);
}

static void put_allocator(struct etprof *etprof, uint32_t allocator)
{
    struct etprof_allocator entry = {.id = allocator};
    put_name(etprof, entry.name, etprof->timeline->heaps.at[allocator].name);
    put(etprof, &entry, sizeof entry);
}

/* Puts the allocators that the block uses, or only counts them. */
static uint32_t each_allocator(struct etprof *etprof, const struct tl_block *block, uint32_t number,
                               bool write)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < block->alloc_count; i++) {
        uint32_t allocator = etprof->timeline->block_allocs.at[block->first_alloc + i].heap;
        if (!begins_use(etprof, allocator, number))
            continue;
        count++;
        if (write)
            put_allocator(etprof, allocator);
    }
    return count;
}

static void put_allocation(struct etprof *etprof, const struct tl_block_alloc *alloc)
{
    uint64_t left = alloc->bytes;
    for (uint64_t segments = segments_of(alloc->bytes); segments > 0; segments--) {
        uint32_t bytes = left < BYTES_MAX ? (uint32_t)left : BYTES_MAX;
        struct etprof_allocation entry = {alloc->heap, bytes};
        put(etprof, &entry, sizeof entry);
        left -= bytes;
    }
    etprof->counts->clamped_allocations += left > 0;
}

static void put_allocations(struct etprof *etprof, const struct tl_block *block)
{
    for (uint32_t i = 0; i < block->alloc_count; i++)
        put_allocation(etprof, &etprof->timeline->block_allocs.at[block->first_alloc + i]);
}

/* Each block has two numbers, for counting its allocators and for writing them. */
static void put_block(struct etprof *etprof, uint32_t index)
{
    const struct tl_block *block = &etprof->timeline->blocks.at[index];
    struct etprof_header header = {.version = 1};
    header.max_events = header.events = count_ended(etprof, block);
    header.max_allocators = header.allocators = each_allocator(etprof, block, 2 * index, false);
    header.max_allocations = header.allocations = (uint32_t)count_segments(etprof, block);
    put_name(etprof, header.name, block->name);
    put(etprof, &header, sizeof header);
    put_events(etprof, block);
    each_allocator(etprof, block, 2 * index + 1, true);
    put_allocations(etprof, block);
}

static bool holds_something(const struct etprof *etprof, const struct tl_block *block)
{
    return block->alloc_count || count_ended(etprof, block);
}

static void put_blocks(struct etprof *etprof)
{
    const struct timeline *timeline = etprof->timeline;
    for (uint32_t i = 0; i < timeline->blocks.count && !etprof->error; i++)
        if (holds_something(etprof, &timeline->blocks.at[i]))
            put_block(etprof, i);
    flush(etprof);
}

/* ---- the dump ---- */

static void count_block(struct etprof *etprof, const struct tl_block *block)
{
    struct write_etprof_counts *counts = etprof->counts;
    uint32_t ended = count_ended(etprof, block);
    counts->blocks += holds_something(etprof, block);
    counts->empty_blocks += !holds_something(etprof, block);
    counts->events += ended;
    counts->unfinished_events += block->event_count - ended;
    counts->reset_events += block->reset_events;
    counts->reset_allocations += block->reset_allocs;
    counts->allocations += block->alloc_count;
}

/* Returns 0, or the errno of the reason why there is no dump. */
static int count_blocks(struct etprof *etprof)
{
    const struct timeline *timeline = etprof->timeline;
    for (uint32_t i = 0; i < timeline->blocks.count; i++) {
        count_block(etprof, &timeline->blocks.at[i]);
        if (count_segments(etprof, &timeline->blocks.at[i]) > UINT32_MAX)
            return EOVERFLOW;
    }
    return etprof->counts->blocks ? 0 : ENODATA;
}

static bool refuse(struct write_error *error, const char *path, int code)
{
    const char *why = strerror(code);
    if (code == ENODATA)
        why = "no profiling block holds anything";
    if (code == EOVERFLOW)
        why = "a block has more allocations than the format can count";
    error->code = code;
    snprintf(error->message, sizeof error->message, "%.300s: %s", path, why);
    return false;
}

static bool write_dump(struct etprof *etprof, const char *path, struct write_error *error)
{
    struct out_file file;
    int code = count_blocks(etprof);
    if (code)
        return refuse(error, path, code);
    if (!out_file_open(&file, path, error))
        return false;
    etprof->fd = file.fd;
    put_blocks(etprof);
    return out_file_commit(&file, etprof->error, error);
}

bool write_etprof(const struct timeline *timeline, const char *path,
                  struct write_etprof_counts *counts, struct write_error *error)
{
    struct etprof *etprof = calloc(1, sizeof *etprof);
    uint32_t *used_in = calloc(timeline->heaps.count + 1, sizeof *used_in);
    bool written = false;
    *counts = (struct write_etprof_counts){0};
    if (etprof && used_in) {
        etprof->timeline = timeline;
        etprof->counts = counts;
        etprof->used_in = used_in;
        etprof->zero_ns = timeline->start_ns < 1 ? timeline->start_ns - 1 : 0;
        written = write_dump(etprof, path, error);
    } else {
        refuse(error, path, ENOMEM);
    }
    free(used_in);
    free(etprof);
    return written;
}

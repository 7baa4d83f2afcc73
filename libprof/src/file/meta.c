/* meta.c - appending to META.
 *
 * All threads append to one chunk at a time. `meta_cursor` is that chunk's number and the place in
 * it, in one word, so that a single compare-and-swap takes space:
 *
 *     bits 0..15  offset of the next free byte / 8     bits 16..63  chunk number + 1 (0: no file)
 *
 * The taken space gets a HOLE header of its size at once, then the payload, then the real header
 * (release). A process killed in between leaves a hole whose size is known, and what follows it
 * stays readable.
 *
 * A signal handler may fork at any point. In the child, what it interrupted goes on with the
 * parent's chunk numbers, which may be others' in the child's own file: it gives up when it sees
 * another process_generation().
 */
#include "meta.h"

#include "atomic.h"
#include "chunks.h"
#include "clock.h"
#include "process.h"
#include "signals.h"
#include "summary.h"
#include "test_point.h"

#include <string.h>

#define META_CURSOR(chunk, offset) (((chunk) + 1) << 16 | (uint64_t)(offset) / 8)

static uint64_t meta_cursor GUEST_DATA; /* advanced by threads that append */
static uint32_t meta_turning
    GUEST_DATA;             /* lock of the step to another chunk, and of what follows */
static uint64_t meta_spare; /* chunk number + 1 of one that was not mapped in time; 0 none */
static uint64_t meta_clock_stated_ns; /* stored by the thread that emits a sample of the clocks */

static struct prof_chunk_header *meta_new_chunk(uint64_t *chunk)
{
    *chunk = meta_spare ? meta_spare - 1 : chunks_claim(true);
    struct prof_chunk_header *header = *chunk == CHUNKS_NO_CHUNK ? NULL : chunks_memory(*chunk);
    meta_spare = !header && *chunk != CHUNKS_NO_CHUNK ? *chunk + 1 : 0;
    if (!header)
        return NULL;
    header->kind = PROF_CHUNK_META;
    header->header_bytes = PROF_CHUNK_HEADER_BYTES;
    header->index = *chunk;
    store_release(&header->magic, PROF_CHUNK_MAGIC);
    return header;
}

/* False: there is no other chunk. */
static bool meta_turn_page_locked(uint64_t seen)
{
    uint64_t chunk;
    if (!meta_new_chunk(&chunk))
        return false;
    /* what is left of the old chunk may be enough for another thread */
    while (!cas_acq_rel(&meta_cursor, &seen, META_CURSOR(chunk, PROF_CHUNK_HEADER_BYTES)))
        ;
    chunks_leave((seen >> 16) - 1, seen & 0xffffu);
    return true;
}

/* In a child that a signal handler forked there is another cursor by now, or none. */
static bool meta_turn_page(uint64_t seen)
{
    uint32_t generation = process_generation();
    struct signals_saved saved;
    bool turned = true;
    TEST_POINT("meta_turn_page: begun");
    if (!signals_lock_within(&saved, &meta_turning, CHUNKS_WAITS))
        return false;
    if (generation == process_generation() && load_acquire(&meta_cursor) >> 16 == seen >> 16)
        turned = meta_turn_page_locked(load_acquire(&meta_cursor));
    signals_unlock(&saved, &meta_turning);
    return turned;
}

/* Space for `bytes` in the current META chunk; NULL when there is no file or (`*full`) no space. */
static uint64_t *meta_reserve(size_t bytes, bool *full)
{
    uint32_t generation = process_generation();
    uint64_t seen = load_acquire(&meta_cursor);
    while (seen && generation == process_generation()) {
        size_t offset = (size_t)(seen & 0xffffu) * 8;
        if (offset + bytes > PROF_CHUNK_BYTES) {
            if (!meta_turn_page(seen)) {
                *full = chunks_count() > 0; /* not so while the file is suspended */
                return NULL;
            }
            seen = load_acquire(&meta_cursor);
        } else if (cas_acq_rel(&meta_cursor, &seen, seen + bytes / 8)) {
            TEST_POINT("meta_reserve: taken");
            uint8_t *chunk = chunks_memory((seen >> 16) - 1);
            bool mine = chunk && generation == process_generation();
            return mine ? (uint64_t *)(void *)(chunk + offset) : NULL;
        }
    }
    return NULL;
}

static const void *meta_append_if_room(enum prof_record_type type, const void *head,
                                       size_t head_bytes, const char *text, size_t text_bytes,
                                       bool *full)
{
    size_t bytes = (head_bytes + text_bytes + 7) & ~(size_t)7;
    *full = bytes / 8 > PROF_RECORD_WORDS_MAX;
    uint64_t *record = *full ? NULL : meta_reserve(bytes, full);
    if (!record)
        return NULL;
    store_release(record, PROF_WORD_EXT(PROF_KIND_HOLE, type, bytes / 8, 0));
    TEST_POINT("meta_append: half");
    memcpy(record + 1, (const uint8_t *)head + 8, head_bytes - 8);
    if (text_bytes)
        memcpy((uint8_t *)record + head_bytes, text, text_bytes);
    store_release(record, PROF_WORD_EXT(PROF_KIND_EXT, type, bytes / 8, 0));
    return record;
}

const void *meta_try_append(enum prof_record_type type, const void *head, size_t head_bytes,
                            const char *text, size_t text_bytes)
{
    bool full;
    return meta_append_if_room(type, head, head_bytes, text, text_bytes, &full);
}

const void *meta_append(enum prof_record_type type, const void *head, size_t head_bytes,
                        const char *text, size_t text_bytes)
{
    bool full;
    const void *record = meta_append_if_room(type, head, head_bytes, text, text_bytes, &full);
    if (full)
        loss_add(PROF_LOSS_FACTS, 1);
    return record;
}

void meta_info(enum prof_info_key key, const char *text)
{
    size_t size = strnlen(text, PROF_NAME_BYTES_MAX);
    struct prof_rec_info head = {.key = (uint32_t)key, .bytes = (uint32_t)size};
    meta_append(PROF_REC_INFO, &head, sizeof head, text, size);
}

/* A flight recorder may run for months, and programs flush as often as they like. With this, a
 * month's samples take 7 MiB, and their distance is 1 s for nine hours, 80 s after a month. */
#define META_CLOCKS_SHARE 32768u

static bool meta_clock_is_due(uint64_t now_ns)
{
    uint64_t age_ns = now_ns - chunks_first()->start_monotonic_ns;
    return now_ns - load_relaxed(&meta_clock_stated_ns) >= age_ns / META_CLOCKS_SHARE;
}

struct prof_rec_clock meta_clock_sample(bool last)
{
    struct prof_rec_clock sample = {0};
    clock_sample(&sample);
    if (meta_has_file() && (last || meta_clock_is_due(sample.monotonic_ns))) {
        store_relaxed(&meta_clock_stated_ns, sample.monotonic_ns);
        meta_append(PROF_REC_CLOCK, &sample, sizeof sample, NULL, 0);
    }
    summary_sample(&sample);
    return sample;
}

void meta_begin_file(void)
{
    meta_spare = 0;
    meta_clock_stated_ns = 0;
    store_release(&meta_cursor, META_CURSOR((uint64_t)0, PROF_FILE_HEADER_BYTES));
}

bool meta_has_file(void)
{
    return load_acquire(&meta_cursor) != 0;
}

GUEST_PATH void meta_forget(void)
{
    meta_turning = 0;
    store_release(&meta_cursor, 0u);
}

/* ---- losses ---- */

/* The counters live in the file's header as soon as there is a file, so that they survive whatever
 * kills the process. */

static uint64_t
    loss_before_file[PROF_LOSS_SLOTS]; /* any thread adds; moved by loss_move_to_file() */

#define LOSS_LINES 64u

/* Where there is no room any more every event comes here: 64 threads on one counter cost 1 us
 * each. */
static struct loss_line {
    uint64_t full, io; /* any thread adds; loss_flush() takes */
    uint8_t rest[48];
} loss_lines[LOSS_LINES] __attribute__((aligned(64)));

static uint64_t *loss_counter(enum prof_loss_cause cause)
{
    struct prof_file_header *header = chunks_header();
    return header ? &header->loss[cause] : &loss_before_file[cause];
}

void loss_add(enum prof_loss_cause cause, uint64_t count)
{
    if (count)
        fetch_add_relaxed(loss_counter(cause), count);
}

void loss_add_often(enum prof_loss_cause cause, const void *thread)
{
    uint64_t mixed = ((uintptr_t)thread >> 6) * 0x9e3779b97f4a7c15u;
    struct loss_line *line = &loss_lines[mixed >> 58 & (LOSS_LINES - 1)];
    fetch_add_relaxed(cause == PROF_LOSS_FULL ? &line->full : &line->io, 1u);
}

static uint64_t loss_fetch(uint64_t *count)
{
    return load_relaxed(count) ? exchange_acquire(count, 0u) : 0;
}

void loss_flush(void)
{
    for (unsigned line = 0; line < LOSS_LINES; line++) {
        loss_add(PROF_LOSS_FULL, loss_fetch(&loss_lines[line].full));
        loss_add(PROF_LOSS_IO, loss_fetch(&loss_lines[line].io));
    }
}

GUEST_PATH void loss_fork_child(void)
{
    for (unsigned line = 0; line < LOSS_LINES; line++) {
        loss_fetch(&loss_lines[line].full);
        loss_fetch(&loss_lines[line].io);
    }
}

uint64_t loss_get(enum prof_loss_cause cause)
{
    loss_flush();
    return load_relaxed(loss_counter(cause));
}

void loss_move_to_file(struct prof_file_header *header)
{
    for (int cause = 0; cause < PROF_LOSS_COUNT; cause++)
        fetch_add_relaxed(&header->loss[cause], exchange_acquire(&loss_before_file[cause], 0u));
}

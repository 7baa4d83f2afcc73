/* copies.c - brings chunks to the file where they are anonymous memory: each word once, as far as
 * that can be seen.
 *
 * A chunk only grows, until its user leaves it. So what precedes its first missing word, one that
 * was taken and not yet stored, is never copied again. A chunk that its user has left without a
 * missing word is final. One that lacks a word may be waiting for a signal handler to return; it is
 * final after some copies, and copied again at the end. A ring's recycled chunk has another base
 * and starts again. Outside ring mode, a final chunk of a log gives its memory back: it is mapped
 * from the file, privately. A chunk of parts grows in several places: it is copied when anything in
 * it has changed.
 *
 * Chunks of logs come before META, and the file's header last: a name is in META before the first
 * event that bears it.
 */
#include "atomic.h"
#include "chunks.h"
#include "log_walk.h"
#include "memory.h"
#include "meta.h"
#include "test_point.h"

#include "prof/format.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPIES_CHUNK_WORDS (PROF_CHUNK_BYTES / 8)
#define COPIES_HEAD_WORDS 6u /* of a chunk's header: its owner, and when it began */
#define COPIES_TRIES 10u     /* about a second */

struct copies_chunk {
    /* The chunk's owner releases -> the copier acquires: words taken when it was left, 0 in use,
     * | times recycled << 32 */
    uint64_t left;
    uint64_t final;      /* copier: `left` of the use that need not be copied again, 0: none */
    uint64_t base_ticks; /* copier: of the use that is in the file, or was; 0: none */
    uint64_t hash;       /* copier: of what is in the file, if that are parts */
    uint32_t words;      /* copier: so many are in the file, none of them missing; 0: nothing is */
    uint32_t tries;      /* copier: since the chunk was left */
};

static struct {
    const uint8_t *base;
    bool is_ring; /* chunks are used again and again */
    struct copies_chunk *chunks;
    uint64_t file_count; /* copier: the file's length */
    uint64_t *words;     /* copier: of the chunk at hand, COPIES_CHUNK_WORDS; memory_once() */
    uint64_t missing;    /* copier: so many records were counted as lost by the last one */
} copies GUEST_DATA;

int copies_init(const uint8_t *base, uint64_t chunks, bool ring)
{
    if (!MEMORY_ONCE(&copies.words, COPIES_CHUNK_WORDS))
        return ENOMEM;
    void *memory = mmap(NULL, chunks * sizeof *copies.chunks, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return errno;
    copies.base = base;
    copies.is_ring = ring;
    copies.chunks = memory;
    copies.file_count = 0;
    copies.missing = 0;
    return 0;
}

static void copies_set_left(uint64_t chunk, uint64_t recycled, size_t words)
{
    if (!copies.chunks)
        return;
    uint64_t *left = &copies.chunks[chunk].left;
    store_release(left, (((load_relaxed(left) >> 32) + recycled) << 32) | words);
}

void copies_left(uint64_t chunk, size_t words)
{
    copies_set_left(chunk, 0, words);
}

void copies_recycled(uint64_t chunk)
{
    copies_set_left(chunk, 1, 0);
}

GUEST_PATH void copies_fork_child(void)
{
    copies.chunks = NULL; /* left where it is: a handler that forked may have interrupted its use */
}

/* ---- what of a chunk is complete ---- */

static size_t copies_header_words(uint64_t chunk)
{
    return (chunk ? PROF_CHUNK_HEADER_BYTES : PROF_FILE_HEADER_BYTES) / 8;
}

/* In ascending order, since a record's header word comes before its payload and is stored after
 * it. */
static void copies_read_words(const uint64_t *memory, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        copies.words[i] = load_acquire(&memory[i]);
}

static const uint64_t *copies_memory(uint64_t chunk)
{
    return (const uint64_t *)(const void *)(copies.base + chunk * PROF_CHUNK_BYTES);
}

/* 0: not begun, or between two uses. */
static unsigned copies_kind_of(uint64_t chunk)
{
    struct prof_chunk_header header;
    uint64_t word = load_acquire(copies_memory(chunk));
    memcpy(&header, &word, sizeof word);
    if (!chunk)
        return PROF_CHUNK_META;
    return header.magic == PROF_CHUNK_MAGIC ? header.kind : 0;
}

/* False: the chunk was recycled meanwhile. */
static bool copies_read(uint64_t chunk)
{
    const uint64_t *memory = copies_memory(chunk);
    copies_read_words(memory, 0, COPIES_CHUNK_WORDS);
    for (size_t i = 0; chunk && i < COPIES_HEAD_WORDS; i++)
        if (load_acquire(&memory[i]) != copies.words[i])
            return false;
    return true;
}

/* The place after the last word that is not zero. */
static size_t copies_end(size_t begin)
{
    size_t end = COPIES_CHUNK_WORDS;
    while (end > begin && !copies.words[end - 1])
        end--;
    return end;
}

/* The place of the first record that is missing below `end`, from that of another one on. */
static size_t copies_complete(size_t at, size_t end)
{
    while (at < end) {
        uint64_t word = copies.words[at];
        unsigned kind = PROF_WORD_KIND(word),
                 words = kind == PROF_KIND_EXT ? PROF_WORD_SIZE(word) : 1;
        if (kind == PROF_KIND_EMPTY || kind == PROF_KIND_HOLE || !words || words > end - at)
            break;
        at += words;
    }
    return at;
}

/* ---- one chunk ---- */

/* `at` goes as far as it came. */
static int copies_put(int fd, uint64_t chunk, size_t *at, size_t end)
{
    while (*at < end) {
        off_t place = (off_t)(chunk * PROF_CHUNK_BYTES + *at * 8);
        ssize_t written = pwrite(fd, copies.words + *at, (end - *at) * 8, place);
        if (written < 8)
            return written < 0 ? errno : ENOSPC;
        *at += (size_t)written / 8;
    }
    return 0;
}

/* A recycled chunk is written over as a whole: if only a part of it can be, it is none any more. */
static int copies_restart(int fd, uint64_t chunk, struct copies_chunk *copy)
{
    size_t begin = copies_header_words(chunk), at = 0;
    bool recycled = copy->base_ticks != 0;
    int error = copies_put(fd, chunk, &at, recycled ? COPIES_CHUNK_WORDS : copies_end(begin));
    copy->words = 0;
    if (error && recycled && at) {
        copies.words[0] = 0;
        at = 0;
        copies_put(fd, chunk, &at, 1);
    }
    if (at < begin)
        return error;
    copy->base_ticks = ((const struct prof_chunk_header *)(const void *)copies.words)->base_ticks;
    copy->tries = 0;
    copy->words = (uint32_t)copies_complete(begin, at);
    return error;
}

static int copies_go_on(int fd, uint64_t chunk, struct copies_chunk *copy)
{
    size_t at = copy->words;
    int error = copies_put(fd, chunk, &at, copies_end(at));
    copy->words = (uint32_t)copies_complete(copy->words, error ? at : COPIES_CHUNK_WORDS);
    return error;
}

/* Where one word changes, this does. */
static uint64_t copies_hash(size_t end)
{
    uint64_t hash = end;
    for (size_t i = 0; i < end; i++)
        hash = (hash ^ copies.words[i]) * 0x9e3779b97f4a7c15u;
    return hash;
}

/* Parts grow here and there. */
static int copies_parts(int fd, uint64_t chunk, struct copies_chunk *copy, bool restarts)
{
    size_t at = copies_header_words(chunk), end = copies_end(at);
    uint64_t hash = copies_hash(end);
    int error = 0;
    if (restarts)
        error = copies_restart(fd, chunk, copy);
    else if (hash != copy->hash)
        error = copies_put(fd, chunk, &at, end);
    copy->hash = error ? 0 : hash;
    return error;
}

static bool copies_unrecorded_words(const struct copies_chunk *copy, uint64_t left)
{
    return copy->words < (uint32_t)left;
}

/* Its memory is the system's page cache from here on. Not META, whose records are referred to and
 * few, nor what a thread may still store a word into. A file system without private mappings leaves
 * the memory as it is. */
static void copies_map_file(int fd, uint64_t chunk)
{
    void *memory = (void *)(uintptr_t)copies_memory(chunk);
    (void)mmap(memory, PROF_CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd,
               (off_t)(chunk * PROF_CHUNK_BYTES));
}

static void copies_finish(int fd, uint64_t chunk, enum prof_chunk_kind kind, uint64_t left)
{
    struct copies_chunk *copy = &copies.chunks[chunk];
    if (!(uint32_t)left || (copies_unrecorded_words(copy, left) && ++copy->tries < COPIES_TRIES))
        return;
    copy->final = left;
    if (kind == PROF_CHUNK_LOG && !copies_unrecorded_words(copy, left) && !copies.is_ring)
        copies_map_file(fd, chunk);
}

static bool copies_is_final(const struct copies_chunk *copy, bool last)
{
    return copy->final && copy->final == load_acquire(&copy->left) &&
           !(last && copies_unrecorded_words(copy, copy->final));
}

static int copies_one(int fd, uint64_t chunk, enum prof_chunk_kind kind)
{
    const struct prof_chunk_header *header = (const void *)copies.words;
    struct copies_chunk *copy = &copies.chunks[chunk];
    uint64_t left = load_acquire(&copy->left);
    if (copies_kind_of(chunk) != kind || !copies_read(chunk))
        return 0;
    bool restarts = !copy->words || (chunk && header->base_ticks != copy->base_ticks);
    int error = kind == PROF_CHUNK_PARTS ? copies_parts(fd, chunk, copy, restarts)
                : restarts               ? copies_restart(fd, chunk, copy)
                                         : copies_go_on(fd, chunk, copy);
    if (!error)
        copies_finish(fd, chunk, kind, left);
    return error;
}

/* ---- what the file lacks ---- */

static bool copies_is_event(uint64_t word)
{
    unsigned type = PROF_WORD_TYPE(word);
    return PROF_WORD_KIND(word) != PROF_KIND_EXT ||
           (type != PROF_REC_THREAD && type != PROF_REC_THREAD_END && type != PROF_REC_EPOCH &&
            type != PROF_REC_PART);
}

/* Of the chunk at hand. Words that were taken and not yet stored are zero. */
static uint64_t copies_events(void)
{
    uint64_t events = 0;
    size_t at = PROF_CHUNK_HEADER_BYTES / 8;
    for (size_t end = copies_end(at); at < end;) {
        uint64_t word = copies.words[at];
        events += log_walk_is_stored(word) && copies_is_event(word);
        at += log_walk_size(word);
    }
    return events;
}

/* Of the use of the chunk that began at that time. */
static uint64_t copies_events_in_file(int fd, uint64_t chunk, uint64_t base_ticks)
{
    const struct prof_chunk_header *header = (const void *)copies.words;
    ssize_t bytes = pread(fd, copies.words, PROF_CHUNK_BYTES, (off_t)(chunk * PROF_CHUNK_BYTES));
    if (bytes < (ssize_t)sizeof *header || header->magic != PROF_CHUNK_MAGIC ||
        header->base_ticks != base_ticks)
        return 0;
    memset((uint8_t *)copies.words + bytes, 0, PROF_CHUNK_BYTES - (size_t)bytes);
    return copies_events();
}

static uint64_t copies_missing_of(int fd, uint64_t chunk)
{
    const struct prof_chunk_header *header = (const void *)copies.words;
    if (copies_is_final(&copies.chunks[chunk], true) ||
        (copies_kind_of(chunk) != PROF_CHUNK_LOG && copies_kind_of(chunk) != PROF_CHUNK_PARTS) ||
        !copies_read(chunk))
        return 0;
    uint64_t events = copies_events(), there = copies_events_in_file(fd, chunk, header->base_ticks);
    return events > there ? events - there : 0;
}

/* The next copy may bring what this one could not. */
static void copies_count_missing(int fd, uint64_t count, bool failed)
{
    uint64_t missing = 0;
    for (uint64_t chunk = 0; failed && chunk < count; chunk++)
        missing += copies_missing_of(fd, chunk);
    loss_add(PROF_LOSS_IO, missing - copies.missing);
    copies.missing = missing;
}

/* ---- all of them ---- */

/* Goes on after an error: there may be room for other chunks. Returns the first one. */
static int copies_kind(int fd, enum prof_chunk_kind kind, uint64_t count, bool last)
{
    int first = 0;
    for (uint64_t chunk = 0; chunk < count; chunk++) {
        bool final = copies_is_final(&copies.chunks[chunk], last);
        int error = final ? 0 : copies_one(fd, chunk, kind);
        first = first ? first : error;
    }
    return first;
}

static int copies_file_header(int fd)
{
    size_t words = copies_header_words(0), at = 0;
    copies_read_words(copies_memory(0), 0, words);
    return copies_put(fd, 0, &at, words);
}

/* Another thread's copy may have counted more chunks. What is reserved for more is left. */
static int copies_lengthen(int fd, uint64_t count)
{
    struct stat status;
    off_t bytes = (off_t)(count * PROF_CHUNK_BYTES);
    if (count <= copies.file_count)
        return 0;
    if (fstat(fd, &status) != 0 || (status.st_size < bytes && ftruncate(fd, bytes) != 0))
        return errno;
    copies.file_count = count;
    return 0;
}

int copies_write(int fd, uint64_t count, bool last)
{
    int error = copies_lengthen(fd, count);
    int logs = error ? error : copies_kind(fd, PROF_CHUNK_LOG, count, last);
    int parts = error ? error : copies_kind(fd, PROF_CHUNK_PARTS, count, last);
    TEST_POINT("copies_write: logs are copied");
    int meta = error ? error : copies_kind(fd, PROF_CHUNK_META, count, last);
    if (last)
        copies_count_missing(fd, count, logs || parts);
    int header = copies_file_header(fd);
    return logs ? logs : parts ? parts : meta ? meta : header;
}

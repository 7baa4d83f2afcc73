/* kineto_window.c - see kineto_window.h. */
#include "kineto_window.h"

#include "trace_reader.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES (UINT32_C(256) << 10) /* stays in a processor's cache while it is parsed */
#define KEPT_BYTES (UINT32_C(32) << 10) /* room before a block for what is kept of the one before */
#define PACKED_BYTES (2 * BLOCK_BYTES)  /* an event of 100 bytes takes some 200 */
#define BLOCKS 6u       /* 10 or 16 of them, or blocks of 128 or 512 KiB, were no faster */
#define BLOCKS_ALONE 2u /* one to be filled while the end of the other is still needed */

enum state { BLOCK_FILLED, BLOCK_PARSING, BLOCK_PARSED };

struct block {
    char *room;  /* KEPT_BYTES, then the bytes of the file, then quotes */
    size_t size; /* of these bytes; 0: the file's end */
    size_t used; /* of these bytes: what is in the window, or was */
    enum state state;
    struct kineto_run run;
    uint8_t *packed;
};

/* Block i of the file is at[i % ring]. The window is in block taken - 1, and released <= taken <=
 * filled. */
struct kineto_blocks {
    struct source *source;
    bool parses; /* events ahead */
    struct kineto_keys keys;
    struct block at[BLOCKS];
    uint64_t ring;     /* BLOCKS_ALONE without the thread, else BLOCKS */
    uint64_t released; /* the window needs them no longer */
    uint64_t taken;
    uint64_t filled;
    bool ended;  /* nothing follows the last one that was filled */
    bool failed; /* `error` says why */
    struct read_error error;
    bool threaded; /* the thread runs */
    pthread_t thread;
    pthread_mutex_t lock; /* of the counts, the states and what follows, once the thread runs */
    pthread_cond_t changed;
    bool stops;
    atomic_bool hurry; /* the window waits for the block that is being parsed */
};

static char *bytes_of(const struct block *block)
{
    return block->room + KEPT_BYTES;
}

static bool block_allocate(struct block *block)
{
    if (!block->room)
        block->room = malloc(KEPT_BYTES + BLOCK_BYTES + JSON_PAD_BYTES);
    return block->room != NULL;
}

/* Fills the next block. False: reading failed. */
static bool fill_block(struct kineto_blocks *blocks, struct block *block, struct read_error *error)
{
    if (!block_allocate(block)) {
        trace_error(error, source_path(blocks->source), "out of memory");
        return false;
    }
    ptrdiff_t got = source_read(blocks->source, bytes_of(block), BLOCK_BYTES, error);
    block->size = got > 0 ? (size_t)got : 0;
    block->used = 0;
    block->run.begin = NULL;
    memset(bytes_of(block) + block->size, '"', JSON_PAD_BYTES);
    return got >= 0;
}

/* ---- parsing ahead ---- */

/* The brace after the next "},": most likely one of an event. NULL: there is none. */
static const char *guess_event(const char *p, const char *end)
{
    while (p < end && (p = memchr(p, '}', (size_t)(end - p)))) {
        p = json_space(p + 1);
        if (*p != ',')
            continue;
        p = json_space(p + 1);
        if (*p == '{' && p < end)
            return p;
    }
    return NULL;
}

/* Behind an event: the next one, if it is there and nothing is between them. */
static const char *next_event(const char *p, const char *end)
{
    p = json_space(p);
    p = *p == ',' ? json_space(p + 1) : end;
    return *p == '{' && p < end ? p : NULL;
}

/* Parses until the end of the block, or until the caller waits for it. */
static void parse_block(struct kineto_blocks *blocks, struct block *block)
{
    struct kineto_event event;
    const char *end = bytes_of(block) + block->size, *p = guess_event(bytes_of(block), end);
    struct kineto_run run = {.begin = p, .packed = block->packed, .packed_end = block->packed};
    uint8_t *to = block->packed, *most = to + PACKED_BYTES - sizeof event;
    while (p && to <= most && !atomic_load_explicit(&blocks->hurry, memory_order_relaxed)) {
        struct json_cursor cursor = {.end = end};
        p = kineto_event_read(&event, &blocks->keys, &cursor, p);
        if (!p)
            break;
        to += kineto_event_pack(&event, to);
        run.packed_end = to;
        run.end = p;
        p = next_event(p, end);
    }
    if (run.packed_end > run.packed)
        block->run = run;
}

/* With the lock held: what the window comes to last of all that is not parsed. */
static struct block *farthest_unparsed(struct kineto_blocks *blocks)
{
    for (uint64_t i = blocks->filled; i > blocks->taken && blocks->parses; i--)
        if (blocks->at[(i - 1) % BLOCKS].state == BLOCK_FILLED)
            return &blocks->at[(i - 1) % BLOCKS];
    return NULL;
}

/* With the lock held; it is released meanwhile. */
static void fill_ahead(struct kineto_blocks *blocks)
{
    struct block *block = &blocks->at[blocks->filled % BLOCKS];
    struct read_error error;
    pthread_mutex_unlock(&blocks->lock);
    bool filled = fill_block(blocks, block, &error);
    pthread_mutex_lock(&blocks->lock);
    if (!filled)
        blocks->error = error;
    blocks->failed = !filled;
    blocks->ended = block->size == 0;
    block->state = BLOCK_FILLED;
    blocks->filled++;
    pthread_cond_signal(&blocks->changed);
}

static void parse_ahead(struct kineto_blocks *blocks, struct block *block)
{
    block->state = BLOCK_PARSING;
    pthread_mutex_unlock(&blocks->lock);
    parse_block(blocks, block);
    pthread_mutex_lock(&blocks->lock);
    block->state = BLOCK_PARSED;
    atomic_store_explicit(&blocks->hurry, false, memory_order_relaxed);
    pthread_cond_signal(&blocks->changed);
}

static void *run_ahead(void *argument)
{
    struct kineto_blocks *blocks = argument;
    pthread_mutex_lock(&blocks->lock);
    while (!blocks->stops) {
        struct block *block;
        if (!blocks->ended && blocks->filled - blocks->released < BLOCKS)
            fill_ahead(blocks);
        else if ((block = farthest_unparsed(blocks)))
            parse_ahead(blocks, block);
        else
            pthread_cond_wait(&blocks->changed, &blocks->lock);
    }
    pthread_mutex_unlock(&blocks->lock);
    return NULL;
}

/* ---- the caller's side ---- */

static bool may_run_on_two(void)
{
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) > 1;
}

static bool allocate_packed(struct kineto_blocks *blocks)
{
    bool good = true;
    for (unsigned i = 0; i < BLOCKS && blocks->parses; i++) {
        blocks->at[i].packed = malloc(PACKED_BYTES);
        good &= blocks->at[i].packed != NULL;
    }
    return good;
}

/* Without memory or a thread for it, the caller goes on alone. */
static void start_ahead(struct kineto_blocks *blocks)
{
    blocks->threaded = may_run_on_two() && allocate_packed(blocks) &&
                       pthread_create(&blocks->thread, NULL, run_ahead, blocks) == 0;
    if (blocks->threaded)
        blocks->ring = BLOCKS;
}

static void stop_ahead(struct kineto_blocks *blocks)
{
    pthread_mutex_lock(&blocks->lock);
    blocks->stops = true;
    atomic_store_explicit(&blocks->hurry, true, memory_order_relaxed);
    pthread_cond_signal(&blocks->changed);
    pthread_mutex_unlock(&blocks->lock);
    pthread_join(blocks->thread, NULL);
}

static struct block *wait_for_block(struct kineto_blocks *blocks, struct read_error *error)
{
    pthread_mutex_lock(&blocks->lock);
    while (blocks->taken == blocks->filled)
        pthread_cond_wait(&blocks->changed, &blocks->lock);
    struct block *block = &blocks->at[blocks->taken % BLOCKS];
    while (block->state == BLOCK_PARSING) {
        atomic_store_explicit(&blocks->hurry, true, memory_order_relaxed);
        pthread_cond_wait(&blocks->changed, &blocks->lock);
    }
    bool failed = blocks->failed && blocks->taken + 1 == blocks->filled;
    blocks->taken++;
    pthread_mutex_unlock(&blocks->lock);
    if (failed && error)
        *error = blocks->error;
    return failed ? NULL : block;
}

/* The block that follows in the file; its size is 0 at the file's end. NULL: reading failed. */
static struct block *read_block(struct kineto_blocks *blocks, struct read_error *error)
{
    if (blocks->taken == BLOCKS_ALONE)
        start_ahead(blocks);
    if (blocks->threaded)
        return wait_for_block(blocks, error);
    struct block *block = &blocks->at[blocks->taken % blocks->ring];
    blocks->filled = ++blocks->taken;
    return fill_block(blocks, block, error) ? block : NULL;
}

/* The window has left the blocks before the last one that was taken. */
static void release_blocks(struct kineto_blocks *blocks)
{
    if (!blocks->threaded) {
        blocks->released = blocks->taken - 1;
        return;
    }
    pthread_mutex_lock(&blocks->lock);
    blocks->released = blocks->taken - 1;
    pthread_cond_signal(&blocks->changed);
    pthread_mutex_unlock(&blocks->lock);
}

static void free_blocks(struct kineto_blocks *blocks)
{
    if (!blocks)
        return;
    if (blocks->threaded)
        stop_ahead(blocks);
    pthread_cond_destroy(&blocks->changed);
    pthread_mutex_destroy(&blocks->lock);
    for (unsigned i = 0; i < BLOCKS; i++) {
        free(blocks->at[i].room);
        free(blocks->at[i].packed);
    }
    free(blocks);
}

/* ---- the window ---- */

static struct kineto_blocks *create_blocks(struct source *source, bool parses)
{
    struct kineto_blocks *blocks = calloc(1, sizeof *blocks);
    if (!blocks)
        return NULL;
    blocks->source = source;
    blocks->parses = parses;
    blocks->ring = BLOCKS_ALONE;
    kineto_keys_init(&blocks->keys);
    pthread_mutex_init(&blocks->lock, NULL);
    pthread_cond_init(&blocks->changed, NULL);
    if (block_allocate(&blocks->at[0]))
        return blocks;
    free_blocks(blocks);
    return NULL;
}

bool kineto_window_init(struct kineto_window *window, struct source *source, bool parses,
                        struct read_error *error)
{
    *window = (struct kineto_window){.source = source, .blocks = create_blocks(source, parses)};
    if (!window->blocks) {
        trace_error(error, source_path(source), "out of memory");
        return false;
    }
    char *nothing = bytes_of(&window->blocks->at[0]);
    memset(nothing, '"', JSON_PAD_BYTES);
    window->begin = window->end = nothing;
    return true;
}

void kineto_window_fini(struct kineto_window *window)
{
    free_blocks(window->blocks);
    free(window->large);
    window->blocks = NULL;
    window->large = NULL;
}

/* The window's block if not all of it was used, else the next one. As read_block(). */
static struct block *block_at_hand(struct kineto_blocks *blocks, struct read_error *error)
{
    struct block *block = blocks->taken ? &blocks->at[(blocks->taken - 1) % blocks->ring] : NULL;
    return block && block->used < block->size ? block : read_block(blocks, error);
}

/* Puts what is kept before the block. */
static void enter_block(struct kineto_window *window, struct block *block, const char *keep,
                        size_t kept)
{
    char *begin = bytes_of(block) + block->used - kept;
    memcpy(begin, keep, kept);
    window->begin = begin;
    window->end = bytes_of(block) + block->size;
    window->run = block->run;
    block->used = block->size;
}

/* Has room for so many bytes, of which the first are what is kept. False: no memory. */
static bool enlarge(struct kineto_window *window, size_t bytes, const char *keep, size_t kept)
{
    if (window->large_bytes >= bytes) {
        memmove(window->large, keep, kept);
        return true;
    }
    char *large = malloc(bytes + JSON_PAD_BYTES);
    if (!large)
        return false;
    memcpy(large, keep, kept);
    free(window->large);
    window->large = large;
    window->large_bytes = bytes;
    return true;
}

/* Twice what is kept, since what is larger than a block is parsed from its beginning again. */
static size_t larger(size_t kept)
{
    size_t bytes = kept < BLOCK_BYTES ? kept + BLOCK_BYTES : 2 * kept;
    return bytes < KINETO_WINDOW_MAX ? bytes : KINETO_WINDOW_MAX;
}

/* Copies from the blocks. False: reading failed. */
static bool fill_large(struct kineto_window *window, struct block *block, size_t count,
                       size_t bytes, struct read_error *error)
{
    while (block && block->size && count < bytes) {
        size_t left = block->size - block->used;
        size_t more = left < bytes - count ? left : bytes - count;
        memcpy(window->large + count, bytes_of(block) + block->used, more);
        block->used += more;
        count += more;
        release_blocks(window->blocks);
        block = count < bytes ? block_at_hand(window->blocks, error) : block;
    }
    memset(window->large + count, '"', JSON_PAD_BYTES);
    window->begin = window->large;
    window->end = window->large + count;
    window->run.begin = NULL;
    window->ended = block && block->size == 0;
    return block != NULL;
}

enum kineto_more kineto_window_more(struct kineto_window *window, const char **keep,
                                    struct read_error *error)
{
    size_t kept = (size_t)(window->end - *keep);
    if (window->ended)
        return KINETO_END;
    if (kept >= KINETO_WINDOW_MAX)
        return KINETO_TOO_LARGE;
    struct block *block = block_at_hand(window->blocks, error);
    window->ended = !block || block->size == 0;
    if (window->ended)
        return block ? KINETO_END : KINETO_FAILED;
    window->offset = kineto_window_offset(window, *keep);
    if (kept <= KEPT_BYTES) {
        enter_block(window, block, *keep, kept);
    } else if (!enlarge(window, larger(kept), *keep, kept)) {
        trace_error(error, source_path(window->source), "out of memory");
        return KINETO_FAILED;
    } else if (!fill_large(window, block, kept, larger(kept), error)) {
        return KINETO_FAILED;
    }
    *keep = window->begin;
    release_blocks(window->blocks);
    return KINETO_MORE;
}

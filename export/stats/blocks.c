#include "blocks.h"

#include "array.h"
#include "maps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- intervals and names ---- */

static int by_start(const void *left, const void *right)
{
    const struct interval *a = left, *b = right;
    return (a->start > b->start) - (a->start < b->start);
}

static bool are_sorted(const struct interval *intervals, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (intervals[i].start < intervals[i - 1].start)
            return false;
    return true;
}

int64_t intervals_union(struct interval *intervals, size_t count, int64_t from, int64_t to)
{
    int64_t covered = 0, reached = from;
    if (!are_sorted(intervals, count))
        qsort(intervals, count, sizeof *intervals, by_start);
    for (size_t i = 0; i < count; i++) {
        int64_t start = intervals[i].start > reached ? intervals[i].start : reached;
        int64_t end = intervals[i].end < to ? intervals[i].end : to;
        if (end > start) {
            covered += end - start;
            reached = end;
        }
    }
    return covered;
}

static bool is_word(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_' || (unsigned char)letter >= 0x80;
}

bool name_has_prefix(const char *name, size_t size, const char *prefix)
{
    size_t length = strlen(prefix);
    return length <= size && memcmp(name, prefix, length) == 0 &&
           (length == size || !is_word(name[length]) ||
            (length > 0 && (!is_word(prefix[length - 1]) || prefix[length - 1] == '_')));
}

/* What is not the same in two iterations of a block. */

static uint32_t event_name(const struct timeline *timeline, const struct tl_block *block,
                           uint32_t index)
{
    return timeline->asyncs.at[timeline->block_events.at[block->first_event + index].async].name;
}

static enum block_difference compare_events(const struct timeline *timeline,
                                            const struct tl_block *a, const struct tl_block *b,
                                            uint32_t *index)
{
    *index = 0;
    if (a->event_count != b->event_count)
        return BLOCK_EVENT_COUNT;
    for (; *index < a->event_count; ++*index)
        if (event_name(timeline, a, *index) != event_name(timeline, b, *index))
            return BLOCK_EVENT_NAME;
    return BLOCK_SAME;
}

static enum block_difference compare_allocs(const struct timeline *timeline,
                                            const struct tl_block *a, const struct tl_block *b,
                                            uint32_t *index)
{
    *index = 0;
    if (a->alloc_count != b->alloc_count)
        return BLOCK_ALLOC_COUNT;
    for (; *index < a->alloc_count; ++*index) {
        const struct tl_block_alloc *left = &timeline->block_allocs.at[a->first_alloc + *index];
        const struct tl_block_alloc *right = &timeline->block_allocs.at[b->first_alloc + *index];
        if (left->heap != right->heap)
            return BLOCK_ALLOCATOR;
        if (left->bytes != right->bytes)
            return BLOCK_ALLOC_BYTES;
    }
    return BLOCK_SAME;
}

enum block_difference block_compare(const struct timeline *timeline, const struct tl_block *first,
                                    const struct tl_block *second, uint32_t *index)
{
    enum block_difference events = compare_events(timeline, first, second, index);
    return events == BLOCK_SAME ? compare_allocs(timeline, first, second, index) : events;
}

/* Two tables from (process, name): the latest block, and how many there were. */
uint32_t blocks_mismatch(const struct timeline *timeline, uint32_t from,
                         struct block_mismatch *mismatch, bool *enough_memory)
{
    struct keymap latest = {0}, counts = {0};
    uint32_t found = 0;
    *enough_memory = true;
    for (uint32_t i = 0; i < timeline->blocks.count && !found && *enough_memory; i++) {
        const struct tl_block *block = &timeline->blocks.at[i];
        uint64_t key = (uint64_t)block->process << 32 | block->name;
        uint32_t before = keymap_find(&latest, key);
        uint32_t number = before == KEYMAP_NONE ? 0 : keymap_find(&counts, key);
        uint32_t index = 0;
        enum block_difference kind = BLOCK_SAME;
        if (i >= from && before != KEYMAP_NONE)
            kind = block_compare(timeline, &timeline->blocks.at[before], block, &index);
        if (kind != BLOCK_SAME) {
            *mismatch = (struct block_mismatch){kind, before, i, number, index};
            found = i + 1;
        }
        *enough_memory = keymap_set(&latest, key, i) && keymap_set(&counts, key, number + 1);
    }
    keymap_fini(&latest);
    keymap_fini(&counts);
    return found;
}

/* Runs become iterations of event blocks; what their events took. */

#define MODULUS (UINT64_C(1) << 32)

bool block_item_duration(const struct blocks_options *options, const struct block_item *item,
                         uint64_t *ticks)
{
    if (!item->ended)
        return false;
    if (item->end_ticks >= item->start_ticks || item->is_signed) {
        *ticks = item->end_ticks - item->start_ticks;
        return true;
    }
    *ticks = MODULUS - item->start_ticks + item->end_ticks;
    return options->wrap32 && item->start_ticks < MODULUS;
}

double block_run_divisor(const struct blocks_options *options, const struct block_run *run)
{
    return time_scale_divisor(run->has_ticks ? options->source : TIME_SCALE_NS, options->target);
}

/* ---- signatures ---- */

static uint64_t hash_run(const struct blocks *blocks, const struct block_run *run)
{
    uint64_t hash =
        keymap_mix(keymap_mix(keymap_mix(1, run->name), run->process), (uint32_t)run->input);
    for (uint32_t i = 0; i < run->item_count; i++) {
        const struct block_item *item = &blocks->items.at[run->first_item + i];
        hash = keymap_mix(hash, item->name | (uint64_t)item->depth << 32);
        hash = keymap_mix(hash, (uint64_t)item->chain);
        hash = keymap_mix(hash, item->instruction | (uint64_t)(item->debug != TL_NONE) << 32 |
                                    (uint64_t)item->is_logged << 33);
        hash = keymap_mix(hash, (uint32_t)item->delegate | (uint64_t)item->delegate_name << 32);
    }
    return keymap_mix(hash, run->item_count);
}

static bool same_event(const struct block_item *a, const struct block_item *b)
{
    return a->name == b->name && a->depth == b->depth && a->chain == b->chain &&
           a->instruction == b->instruction && (a->debug == TL_NONE) == (b->debug == TL_NONE) &&
           a->is_logged == b->is_logged && a->delegate == b->delegate &&
           a->delegate_name == b->delegate_name;
}

static bool same_signature(const struct blocks *blocks, const struct block_run *a,
                           const struct block_run *b)
{
    if (a->name != b->name || a->process != b->process || a->input != b->input ||
        a->item_count != b->item_count)
        return false;
    for (uint32_t i = 0; i < a->item_count; i++)
        if (!same_event(&blocks->items.at[a->first_item + i], &blocks->items.at[b->first_item + i]))
            return false;
    return true;
}

/* first_run is the first of its runs for now. TL_NONE: no memory. */
static uint32_t add_event_block(struct blocks *blocks, uint32_t run)
{
    const struct block_run *of = &blocks->runs.at[run];
    struct event_block *block = ARRAY_ADD(&blocks->blocks);
    if (!block)
        return TL_NONE;
    *block = (struct event_block){
        .name = of->name, .process = of->process, .input = of->input, .first_run = run};
    return blocks->blocks.count - 1;
}

static uint32_t find_event_block(struct blocks *blocks, struct keymap *known, uint32_t run)
{
    uint64_t hash = hash_run(blocks, &blocks->runs.at[run]);
    for (;; hash = keymap_mix(hash, 7)) {
        uint32_t block = keymap_find(known, hash);
        if (block == KEYMAP_NONE) {
            block = add_event_block(blocks, run);
            return block != TL_NONE && keymap_set(known, hash, block) ? block : TL_NONE;
        }
        if (same_signature(blocks, &blocks->runs.at[blocks->blocks.at[block].first_run],
                           &blocks->runs.at[run]))
            return block;
    }
}

static bool group(struct blocks *blocks)
{
    struct keymap known = {0};
    uint32_t runs = blocks->runs.count, next = 0;
    bool done = true;
    for (uint32_t i = 0; i < runs && done; i++) {
        blocks->block_of[i] = find_event_block(blocks, &known, i);
        done = blocks->block_of[i] != TL_NONE;
        if (done)
            blocks->blocks.at[blocks->block_of[i]].run_count++;
    }
    keymap_fini(&known);
    for (uint32_t i = 0; i < blocks->blocks.count && done; i++) {
        struct event_block *block = &blocks->blocks.at[i];
        block->first_run = next;
        next += block->run_count;
        block->run_count = 0;
    }
    for (uint32_t i = 0; i < runs && done; i++) {
        struct event_block *block = &blocks->blocks.at[blocks->block_of[i]];
        blocks->iterations[block->first_run + block->run_count++] = i;
    }
    return done;
}

/* ---- rows ---- */

static const struct block_run *iteration(const struct blocks *blocks,
                                         const struct event_block *block, uint32_t number)
{
    return &blocks->runs.at[blocks->iterations[block->first_run + number]];
}

static double duration_of(const struct blocks *blocks, const struct block_run *run, uint32_t row)
{
    const struct block_item *item = &blocks->items.at[run->first_item + row];
    uint64_t ticks;
    if (item->debug != TL_NONE || !block_item_duration(&blocks->options, item, &ticks))
        return (double)NAN;
    return (double)ticks / block_run_divisor(&blocks->options, run);
}

static bool add_row(struct blocks *blocks, const struct event_block *block, uint32_t number,
                    uint32_t first_sample, double *scratch)
{
    struct block_row *row = ARRAY_ADD(&blocks->rows);
    if (!row)
        return false;
    for (uint32_t i = 0; i < block->run_count; i++) {
        double value = duration_of(blocks, iteration(blocks, block, i), number);
        blocks->durations[first_sample + i] = scratch[i] = value;
    }
    *row = (struct block_row){
        .item = iteration(blocks, block, 0)->first_item + number,
        .first_sample = first_sample,
        .summary = percentile_summarize(scratch, block->run_count),
    };
    return true;
}

static bool add_rows(struct blocks *blocks)
{
    double *scratch = calloc((size_t)blocks->runs.count + 1, sizeof *scratch);
    uint32_t sample = 0;
    bool done = scratch != NULL;
    for (uint32_t i = 0; i < blocks->blocks.count && done; i++) {
        struct event_block *block = &blocks->blocks.at[i];
        block->first_row = blocks->rows.count;
        block->row_count = iteration(blocks, block, 0)->item_count;
        for (uint32_t j = 0; j < block->row_count && done; j++) {
            done = add_row(blocks, block, j, sample, scratch);
            sample += block->run_count;
        }
    }
    free(scratch);
    return done;
}

/* ---- memory ---- */

/* Which entry of memories[] a heap has in the event block at hand, and its bytes in the current
 * iteration. */
struct heap_state {
    uint32_t block, memory; /* block: of the event block, + 1 */
    uint32_t iteration;     /* + 1 */
    uint32_t seen;          /* iterations that used it */
    uint64_t bytes;
};

/* The iteration is over for the heap. */
static void close_iteration(struct block_memory *memory, struct heap_state *state)
{
    if (state->iteration == 0)
        return;
    memory->total_bytes += state->bytes;
    if (state->iteration == 1)
        memory->first_bytes = state->bytes;
    if (state->seen++ == 0 || state->bytes < memory->min_bytes)
        memory->min_bytes = state->bytes;
    if (state->bytes > memory->max_bytes)
        memory->max_bytes = state->bytes;
    state->iteration = 0;
    state->bytes = 0;
}

static bool add_alloc(struct blocks *blocks, struct event_block *block, struct heap_state *heaps,
                      const struct tl_block_alloc *alloc, uint32_t number)
{
    uint32_t own = (uint32_t)(block - blocks->blocks.at) + 1;
    struct heap_state *state = &heaps[alloc->heap];
    if (state->block != own) {
        struct block_memory *memory = ARRAY_ADD(&blocks->memories);
        if (!memory)
            return false;
        *memory = (struct block_memory){.heap = alloc->heap};
        *state = (struct heap_state){.block = own, .memory = blocks->memories.count - 1};
        block->memory_count++;
    }
    struct block_memory *memory = &blocks->memories.at[state->memory];
    if (state->iteration != number + 1)
        close_iteration(memory, state);
    state->iteration = number + 1;
    state->bytes += alloc->bytes;
    memory->allocations++;
    return true;
}

static bool add_block_memory(struct blocks *blocks, struct event_block *block,
                             struct heap_state *heaps)
{
    const struct timeline *timeline = blocks->timeline;
    block->first_memory = blocks->memories.count;
    for (uint32_t i = 0; i < block->run_count; i++) {
        uint32_t index = iteration(blocks, block, i)->block;
        const struct tl_block *from = index == TL_NONE ? NULL : &timeline->blocks.at[index];
        for (uint32_t j = 0; from && j < from->alloc_count; j++)
            if (!add_alloc(blocks, block, heaps, &timeline->block_allocs.at[from->first_alloc + j],
                           i))
                return false;
    }
    for (uint32_t i = 0; i < block->memory_count; i++) {
        struct block_memory *memory = &blocks->memories.at[block->first_memory + i];
        close_iteration(memory, &heaps[memory->heap]);
        if (heaps[memory->heap].seen < block->run_count)
            memory->min_bytes = 0;
    }
    return true;
}

static bool add_memory(struct blocks *blocks)
{
    struct heap_state *heaps = calloc((size_t)blocks->timeline->heaps.count + 1, sizeof *heaps);
    bool done = heaps != NULL;
    for (uint32_t i = 0; i < blocks->blocks.count && done; i++)
        done = add_block_memory(blocks, &blocks->blocks.at[i], heaps);
    free(heaps);
    return done;
}

/* ---- all of it ---- */

static bool reserve(struct blocks *blocks)
{
    size_t runs = (size_t)blocks->runs.count + 1, items = (size_t)blocks->items.count + 1;
    blocks->iterations = calloc(runs, sizeof *blocks->iterations);
    blocks->block_of = calloc(runs, sizeof *blocks->block_of);
    blocks->durations = calloc(items, sizeof *blocks->durations);
    return blocks->iterations && blocks->block_of && blocks->durations;
}

bool blocks_init(struct blocks *blocks, const struct timeline *timeline,
                 const struct blocks_options *options)
{
    *blocks = (struct blocks){.timeline = timeline, .options = *options};
    bool gathered = options->range ? block_runs_of_range(blocks) : block_runs_of_blocks(blocks);
    if (gathered && reserve(blocks) && group(blocks) && add_rows(blocks) && add_memory(blocks))
        return true;
    blocks_fini(blocks);
    return false;
}

void blocks_fini(struct blocks *blocks)
{
    free(blocks->blocks.at);
    free(blocks->rows.at);
    free(blocks->memories.at);
    free(blocks->runs.at);
    free(blocks->items.at);
    free(blocks->iterations);
    free(blocks->block_of);
    free(blocks->durations);
    *blocks = (struct blocks){0};
}

/* ---- totals ---- */

static bool counts_for(const struct blocks *blocks, const struct block_item *item,
                       const char *prefix)
{
    if (item->name == TL_NONE || item->debug != TL_NONE)
        return false;
    struct text name = blocks->timeline->names.at[item->name];
    return !text_is(name, "OPERATOR_CALL") && name_has_prefix(name.bytes, name.size, prefix);
}

/* Ticks from the run's first event on; those of a counter of 32 bits unfold. */
static int64_t since(const struct blocks *blocks, uint64_t first, uint64_t ticks)
{
    uint64_t distance = ticks - first;
    if (blocks->options.wrap32 && ticks < first && first < MODULUS)
        distance = MODULUS - first + ticks;
    return (int64_t)distance;
}

static double run_total(const struct blocks *blocks, const struct block_run *run,
                        const char *prefix, struct interval *intervals)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->item_count; i++) {
        const struct block_item *item = &blocks->items.at[run->first_item + i];
        uint64_t ticks;
        if (!counts_for(blocks, item, prefix) ||
            !block_item_duration(&blocks->options, item, &ticks) || ticks > INT64_MAX / 4)
            continue;
        int64_t start =
            since(blocks, blocks->items.at[run->first_item].start_ticks, item->start_ticks);
        if (start < INT64_MAX / 4 && start > INT64_MIN / 4)
            intervals[count++] = (struct interval){start, start + (int64_t)ticks};
    }
    if (count == 0)
        return (double)NAN;
    return (double)intervals_union(intervals, count, INT64_MIN, INT64_MAX) /
           block_run_divisor(&blocks->options, run);
}

double blocks_total(struct blocks *blocks, uint32_t index, const char *prefix, bool *enough_memory)
{
    const struct event_block *block = &blocks->blocks.at[index];
    struct interval *intervals = calloc((size_t)block->row_count + 1, sizeof *intervals);
    double sum = 0;
    uint32_t known = 0;
    *enough_memory = intervals != NULL;
    for (uint32_t i = 0; i < block->run_count && intervals; i++) {
        double total = run_total(blocks, iteration(blocks, block, i), prefix, intervals);
        if (isnan(total))
            continue;
        sum += total;
        known++;
    }
    free(intervals);
    return known ? sum / known : (double)NAN;
}

/* ---- debug maps ---- */

/* No text comes before an empty one. */
static int compare_texts(struct text a, struct text b)
{
    if (!a.bytes || !b.bytes)
        return (a.bytes != NULL) - (b.bytes != NULL);
    return text_compare(a, b);
}

static int compare_entries(const void *left, const void *right)
{
    const struct debug_entry *a = left, *b = right;
    int order = compare_texts(a->instruction, b->instruction);
    return order ? order : compare_texts(a->part, b->part);
}

void debug_maps_sort(struct debug_maps *maps)
{
    if (maps->entries.count > 1)
        qsort(maps->entries.at, maps->entries.count, sizeof *maps->entries.at, compare_entries);
}

const struct debug_entry *debug_maps_find(const struct debug_maps *maps, uint32_t instruction,
                                          struct text part)
{
    char number[16];
    int size = snprintf(number, sizeof number, "%d", (int32_t)instruction);
    struct debug_entry wanted = {.instruction = {number, (size_t)size}, .part = part};
    return maps && maps->entries.count ? bsearch(&wanted, maps->entries.at, maps->entries.count,
                                                 sizeof wanted, compare_entries)
                                       : NULL;
}

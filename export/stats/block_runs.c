/* block_runs.c - runs and their events: from blocks, or from the calls of a range. */
#include "blocks.h"

#include "array.h"
#include "key_averages.h"
#include "maps.h"
#include "slice_sums.h"

#include <stdlib.h>
#include <string.h>

/* ---- one order for all runs ---- */

/* Numbers of instructions, and when the current run first came to each. */
struct instructions {
    struct keymap numbers; /* hash -> number; equal hashes are distinguished by keys[] */
    TL_ARRAY(struct block_item) keys;
    TL_ARRAY(uint32_t) rank_run; /* by number: the run in which rank[] was set, + 1 */
    TL_ARRAY(uint32_t) rank;
    uint32_t next_rank;
};

static void instructions_fini(struct instructions *known)
{
    keymap_fini(&known->numbers);
    free(known->keys.at);
    free(known->rank_run.at);
    free(known->rank.at);
}

static bool same_instruction(const struct block_item *a, const struct block_item *b)
{
    return a->instruction == b->instruction && a->chain == b->chain && a->delegate == b->delegate &&
           a->delegate_name == b->delegate_name;
}

static uint32_t add_instruction(struct instructions *known, uint64_t hash,
                                const struct block_item *item)
{
    if (!ARRAY_ROOM(&known->keys) || !ARRAY_ROOM(&known->rank_run) || !ARRAY_ROOM(&known->rank) ||
        !keymap_set(&known->numbers, hash, known->keys.count))
        return TL_NONE;
    known->keys.at[known->keys.count++] = *item;
    known->rank_run.at[known->rank_run.count++] = 0;
    known->rank.at[known->rank.count++] = 0;
    return known->keys.count - 1;
}

/* TL_NONE: no memory. */
static uint32_t instruction_number(struct instructions *known, const struct block_item *item)
{
    uint64_t hash =
        keymap_mix(keymap_mix(keymap_mix(keymap_mix(1, item->instruction), (uint64_t)item->chain),
                              (uint32_t)item->delegate),
                   item->delegate_name);
    for (uint32_t tries = 0; tries < 64; tries++, hash = keymap_mix(hash, 7)) {
        uint32_t number = keymap_find(&known->numbers, hash);
        if (number == KEYMAP_NONE)
            return add_instruction(known, hash, item);
        if (number < known->keys.count && known->keys.at &&
            same_instruction(&known->keys.at[number], item))
            return number;
    }
    return TL_NONE;
}

static bool rank_of(struct instructions *known, const struct block_item *item, uint32_t run,
                    uint32_t *rank)
{
    uint32_t number = instruction_number(known, item);
    if (number == TL_NONE)
        return false;
    if (known->rank_run.at[number] != run + 1) {
        known->rank_run.at[number] = run + 1;
        known->rank.at[number] = known->next_rank++;
    }
    *rank = known->rank.at[number];
    return true;
}

/* Of the items [first, end) of one instruction, timed ones are kept, or the first where there are
 * none. */
static uint32_t keep_items(struct block_item *items, uint32_t first, uint32_t end, uint32_t kept)
{
    uint32_t begin = kept;
    bool logged = false;
    for (uint32_t i = first; i < end; i++) {
        logged |= items[i].debug != TL_NONE;
        if (items[i].debug == TL_NONE)
            items[kept++] = items[i];
    }
    if (kept == begin)
        items[kept++] = items[first];
    items[begin].is_logged = logged;
    return kept;
}

/* The run is the last one. */
static void drop_values(struct blocks *blocks, struct block_run *run,
                        const struct radix_item *order)
{
    uint32_t kept = 0;
    for (uint32_t i = 0, end; i < run->item_count; i = end) {
        for (end = i + 1; end < run->item_count && order[end].key == order[i].key; end++) {
        }
        kept = keep_items(blocks->items.at + run->first_item, i, end, kept);
    }
    run->item_count = kept;
    blocks->items.count = run->first_item + kept;
}

/* Puts the events of the last run together by instruction. */
static bool put_together(struct blocks *blocks, struct instructions *known, uint32_t index)
{
    struct block_run *run = &blocks->runs.at[index];
    uint32_t count = run->item_count;
    struct block_item *items = count ? blocks->items.at + run->first_item : NULL;
    struct radix_item *order = calloc((size_t)count + 1, sizeof *order);
    struct block_item *copy = calloc((size_t)count + 1, sizeof *copy);
    bool done = order && copy;
    known->next_rank = 0;
    for (uint32_t i = 0; i < count && done; i++) {
        uint32_t rank = 0;
        done = rank_of(known, &items[i], index, &rank);
        order[i] = (struct radix_item){rank, i};
    }
    done = done && radix_sort(order, count);
    if (done && count)
        memcpy(copy, items, count * sizeof *copy);
    for (uint32_t i = 0; i < count && done; i++)
        items[i] = copy[order[i].value];
    if (done && count)
        drop_values(blocks, run, order);
    free(order);
    free(copy);
    return done;
}

/* ---- blocks ---- */

static bool add_event(struct blocks *blocks, const struct tl_block_event *event)
{
    const struct timeline *timeline = blocks->timeline;
    const struct tl_async *range = &timeline->asyncs.at[event->async];
    struct block_item *item = ARRAY_ADD(&blocks->items);
    if (!item)
        return false;
    *item = (struct block_item){
        .start_ticks = (uint64_t)range->start_ns,
        .end_ticks = (uint64_t)range->end_ns,
        .name = range->name,
        .chain = event->chain,
        .instruction = event->instruction,
        .delegate = -1,
        .delegate_name = TL_NONE,
        .metadata = TL_NONE,
        .debug = TL_NONE,
        .ended = !(range->flags & TL_UNCLOSED),
        .is_signed = event->source == TL_NONE,
    };
    if (event->source == TL_NONE)
        return true;
    const struct tl_event_source *source = &timeline->event_sources.at[event->source];
    item->start_ticks = source->start_ticks;
    item->end_ticks = source->end_ticks;
    item->delegate = source->delegate;
    item->delegate_name = source->delegate_name;
    item->metadata = source->metadata;
    return true;
}

/* A value stands for an event where nothing else of its instruction was recorded. */
static bool add_debug(struct blocks *blocks, uint32_t index)
{
    const struct tl_debug *debug = &blocks->timeline->debugs.at[index];
    struct block_item *item = debug->is_output ? NULL : ARRAY_ADD(&blocks->items);
    if (item)
        *item = (struct block_item){
            .name = debug->name,
            .chain = debug->chain,
            .instruction = (uint32_t)debug->instruction,
            .delegate = debug->delegate,
            .delegate_name = debug->delegate_name,
            .metadata = TL_NONE,
            .debug = index,
        };
    return item || debug->is_output;
}

static bool add_parts(struct blocks *blocks, const struct tl_block *block)
{
    const struct timeline *timeline = blocks->timeline;
    uint32_t debug = block->first_debug, debugs_end = block->first_debug + block->debug_count;
    bool added = true;
    for (uint32_t i = 0; i <= block->event_count && added; i++) {
        for (; debug < debugs_end && timeline->debugs.at[debug].events_before == i && added;
             debug++)
            added = add_debug(blocks, debug);
        if (i < block->event_count && added)
            added = add_event(blocks, &timeline->block_events.at[block->first_event + i]);
    }
    return added;
}

static bool is_wanted(const struct blocks *blocks, uint32_t name)
{
    const char *wanted = blocks->options.block;
    struct text text = blocks->timeline->names.at[name];
    return !wanted || text_is(text, wanted);
}

static bool add_block(struct blocks *blocks, uint32_t index)
{
    const struct timeline *timeline = blocks->timeline;
    const struct tl_block *block = &timeline->blocks.at[index];
    struct block_run *run = ARRAY_ADD(&blocks->runs);
    if (!run)
        return false;
    *run = (struct block_run){
        .name = block->name,
        .process = block->process,
        .input = block->input,
        .block = index,
        .slice = TL_NONE,
        .first_item = blocks->items.count,
        .has_ticks =
            block->event_count && timeline->block_events.at[block->first_event].source != TL_NONE,
    };
    bool added = add_parts(blocks, block);
    blocks->runs.at[blocks->runs.count - 1].item_count =
        blocks->items.count - blocks->runs.at[blocks->runs.count - 1].first_item;
    return added;
}

/* How many runs of its name and process came before each. */
static bool number_runs(struct blocks *blocks)
{
    struct keymap counts = {0};
    bool done = true;
    for (uint32_t i = 0; i < blocks->runs.count && done; i++) {
        struct block_run *run = &blocks->runs.at[i];
        uint64_t key = (uint64_t)run->process << 32 | run->name;
        uint32_t count = keymap_find(&counts, key);
        run->number = count == KEYMAP_NONE ? 0 : count;
        done = keymap_set(&counts, key, run->number + 1);
    }
    keymap_fini(&counts);
    return done;
}

bool block_runs_of_blocks(struct blocks *blocks)
{
    struct instructions known = {0};
    bool added = true;
    for (uint32_t i = 0; i < blocks->timeline->blocks.count && added; i++)
        if (is_wanted(blocks, blocks->timeline->blocks.at[i].name))
            added = add_block(blocks, i) && put_together(blocks, &known, blocks->runs.count - 1);
    instructions_fini(&known);
    return added && number_runs(blocks);
}

/* ---- ranges ---- */

static bool add_slice(struct blocks *blocks, uint32_t index, uint32_t name, uint32_t depth,
                      const int64_t *ends)
{
    const struct tl_slice *slice = &blocks->timeline->slices.at[index];
    struct block_item *item = ARRAY_ADD(&blocks->items);
    if (!item)
        return false;
    *item = (struct block_item){
        .start_ticks = (uint64_t)slice->start_ns,
        .end_ticks = (uint64_t)ends[index],
        .name = name,
        .chain = -1,
        .delegate = -1,
        .delegate_name = TL_NONE,
        .metadata = TL_NONE,
        .depth = depth,
        .debug = TL_NONE,
        .ended = !(slice->flags & TL_UNCLOSED),
        .is_signed = true,
    };
    return true;
}

static uint32_t shown_name(const struct timeline *timeline, const struct tl_slice *slice)
{
    return tl_shown_name(timeline, slice->name, tl_slice_label(slice));
}

/* The call at `index` and all below it; returns the index after the last of them, 0: no memory. */
static uint32_t add_call(struct blocks *blocks, uint32_t index, const int64_t *ends)
{
    const struct timeline *timeline = blocks->timeline;
    const struct tl_slice *call = &timeline->slices.at[index];
    struct block_run *run = ARRAY_ADD(&blocks->runs);
    bool added = run != NULL;
    uint32_t at = index;
    if (run)
        *run = (struct block_run){
            .name = shown_name(timeline, call),
            .process = timeline->threads.at[call->thread].process,
            .input = -1,
            .block = TL_NONE,
            .slice = index,
            .first_item = blocks->items.count,
        };
    for (; at < timeline->slices.count && added; at++) {
        const struct tl_slice *slice = &timeline->slices.at[at];
        if (at > index && (slice->thread != call->thread || slice->depth <= call->depth))
            break;
        if (!(slice->flags & (TL_INTERNAL | TL_CONTINUED)))
            added = add_slice(blocks, at, shown_name(timeline, slice),
                              (uint32_t)(slice->depth - call->depth), ends);
    }
    if (added)
        run = &blocks->runs.at[blocks->runs.count - 1],
        run->item_count = blocks->items.count - run->first_item;
    return added ? at : 0;
}

static bool is_range(const struct key_names *keys, const struct timeline *timeline,
                     const struct tl_slice *slice, const char *range)
{
    uint32_t name = shown_name(timeline, slice);
    struct text key = key_names_text(keys, key_names_of(keys, name)), own = key;
    if (name < timeline->names.count)
        own = timeline->names.at[name];
    return !(slice->flags & (TL_INTERNAL | TL_CONTINUED)) &&
           (text_is(key, range) || text_is(own, range));
}

bool block_runs_of_range(struct blocks *blocks)
{
    const struct timeline *timeline = blocks->timeline;
    struct key_names keys;
    if (!key_names_init(&keys, timeline))
        return false;
    int64_t *ends = slice_ends_create(timeline);
    bool added = ends != NULL;
    for (uint32_t i = 0; i < timeline->slices.count && added;) {
        if (!is_range(&keys, timeline, &timeline->slices.at[i], blocks->options.range)) {
            i++;
            continue;
        }
        i = add_call(blocks, i, ends);
        added = i != 0;
    }
    free(ends);
    key_names_fini(&keys);
    if (added && timeline->names.count)
        for (uint32_t i = 0; i < blocks->runs.count; i++) {
            /* steps have a name each: they are called as the first */
            struct block_run *run = &blocks->runs.at[i];
            run->name = blocks->runs.at[0].name;
            blocks->items.at[run->first_item].name = run->name;
        }
    return added && number_runs(blocks);
}

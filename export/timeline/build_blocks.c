/* build_blocks.c - profiling blocks: which events, allocations and logged values are whose. */
#include "array.h"
#include "build.h"

#include <stdlib.h>

/* Something that begins a profiling block, empties it or is part of it, as it comes from the
 * logs. */
struct build_block_item {
    int64_t time_ns;
    uint32_t kind;  /* enum item_kind */
    uint32_t index; /* name, async or heap */
    uint64_t value; /* instruction or bytes */
    int32_t chain;
    uint32_t thread;
};

struct build_blocks {
    TL_ARRAY(struct build_block_item) items;
    bool whole; /* the last block takes what comes */
};

BUILD_PART(blocks, free(blocks->items.at))

/* Profiling blocks: which event and which allocation belongs to which.
 *
 * A block is the whole process's, and what belongs to it may be in any thread's log. So everything
 * that has to do with blocks is collected, sorted by time and dealt out at the end. What one thread
 * did at the same nanosecond keeps its order: the logs are walked in order, the sort is stable. */

static struct tl_block *begin_block(struct builder *builder, uint32_t name, int64_t time_ns);

enum item_kind { ITEM_BLOCK, ITEM_RESET, ITEM_EVENT, ITEM_ALLOC };

static bool deal(struct builder *builder, const struct build_block_item *item);

/* In a block that is added as a whole, items are assigned as they come. */
static void add_item(struct builder *builder, struct build_block_item item)
{
    if (builder->blocks->whole) {
        builder->failed |= !deal(builder, &item);
        return;
    }
    struct build_block_item *added = builder->failed ? NULL : ARRAY_ADD(&builder->blocks->items);
    if (added)
        *added = item;
    else
        builder->failed = true;
}

void builder_begin_block(struct builder *builder, int64_t time_ns, uint32_t name, uint32_t flags)
{
    if (builder->failed)
        return;
    bool reset = flags & PROF_BLOCK_RESET;
    add_item(builder, (struct build_block_item){.time_ns = build_time(builder, time_ns),
                                                .kind = reset ? ITEM_RESET : ITEM_BLOCK,
                                                .index = reset ? 0 : build_name(builder, name)});
}

/* The range is the last one that was begun. */
void builder_set_block_event(struct builder *builder, int32_t chain, uint32_t instruction)
{
    if (builder->failed || builder->timeline->asyncs.count == builder->first.asyncs)
        return;
    uint32_t async = builder->timeline->asyncs.count - 1;
    add_item(builder,
             (struct build_block_item){.time_ns = builder->timeline->asyncs.at[async].start_ns,
                                       .kind = ITEM_EVENT,
                                       .index = async,
                                       .value = instruction,
                                       .chain = chain});
}

void builder_append_block(struct builder *builder, const struct whole_block *block)
{
    struct tl_block *begun = builder->failed
                                 ? NULL
                                 : begin_block(builder, build_name(builder, block->name),
                                               build_time(builder, block->start_ns));
    if (begun) {
        begun->offset = block->offset;
        begun->input = block->input;
    }
    builder->failed |= !begun;
    builder->blocks->whole = true;
}

void build_blocks_alloc(struct builder *builder, int64_t time_ns, uint32_t thread, uint32_t heap,
                        uint64_t bytes)
{
    add_item(builder, (struct build_block_item){.time_ns = time_ns,
                                                .kind = ITEM_ALLOC,
                                                .index = heap,
                                                .value = bytes,
                                                .thread = thread});
}

/* ---- dealing out ---- */

static struct radix_item *sort_items(const struct builder *builder)
{
    uint32_t count = builder->blocks->items.count;
    struct radix_item *order = calloc(count, sizeof *order);
    for (uint32_t i = 0; i < count && order; i++)
        order[i] = (struct radix_item){radix_key(builder->blocks->items.at[i].time_ns), i};
    if (order && radix_sort(order, count))
        return order;
    free(order);
    return NULL;
}

static struct tl_block *current_block(const struct builder *builder)
{
    const struct timeline *timeline = builder->timeline;
    return timeline->blocks.count > builder->first.blocks
               ? &timeline->blocks.at[timeline->blocks.count - 1]
               : NULL;
}

static struct tl_block *begin_block(struct builder *builder, uint32_t name, int64_t time_ns)
{
    struct timeline *timeline = builder->timeline;
    struct tl_block *block = ARRAY_ADD(&timeline->blocks);
    if (block)
        *block = (struct tl_block){
            .start_ns = time_ns,
            .process = builder->process,
            .name = name,
            .first_event = timeline->block_events.count,
            .first_alloc = timeline->block_allocs.count,
            .first_debug = timeline->debugs.count,
            .input = -1,
        };
    return block;
}

/* A block in which nothing happened yet is not kept beside the next one: it becomes it. */
static bool next_block(struct builder *builder, const struct build_block_item *item)
{
    struct tl_block *block = current_block(builder);
    if (!block || block->event_count || block->alloc_count)
        return begin_block(builder, item->index, item->time_ns) != NULL;
    block->name = item->index;
    block->start_ns = item->time_ns;
    return true;
}

/* The current block is the last one, so what it holds is at the end of the arrays. */
static void reset_block(struct builder *builder)
{
    struct tl_block *block = current_block(builder);
    if (!block)
        return;
    builder->timeline->block_events.count -= block->event_count;
    builder->timeline->block_allocs.count -= block->alloc_count;
    block->reset_events += block->event_count;
    block->reset_allocs += block->alloc_count;
    block->event_count = block->alloc_count = 0;
}

/* What comes before the first block has one of its own. It is not the default one where the ring
 * may have taken the record of another. */
static struct tl_block *block_of(struct builder *builder, const struct build_block_item *item)
{
    struct tl_block *block = current_block(builder);
    if (block)
        return block;
    bool cut = build_process(builder)->health.missing_chunks > 0;
    uint32_t name = text_pool_format(&builder->timeline->names, cut ? "(block lost)" : "default");
    return name == TL_NONE ? NULL : begin_block(builder, name, item->time_ns);
}

static bool deal_event(struct builder *builder, const struct build_block_item *item)
{
    struct tl_block *block = block_of(builder, item);
    struct tl_block_event *event = block ? ARRAY_ADD(&builder->timeline->block_events) : NULL;
    if (!event)
        return false;
    *event = (struct tl_block_event){item->index, item->chain, (uint32_t)item->value, TL_NONE};
    block->event_count++;
    return true;
}

static bool deal_alloc(struct builder *builder, const struct build_block_item *item)
{
    struct tl_block *block = block_of(builder, item);
    struct tl_block_alloc *alloc = block ? ARRAY_ADD(&builder->timeline->block_allocs) : NULL;
    if (!alloc)
        return false;
    *alloc = (struct tl_block_alloc){item->time_ns, item->value, item->thread, item->index};
    block->alloc_count++;
    return true;
}

static bool deal(struct builder *builder, const struct build_block_item *item)
{
    switch ((enum item_kind)item->kind) {
    case ITEM_BLOCK:
        return next_block(builder, item);
    case ITEM_EVENT:
        return deal_event(builder, item);
    case ITEM_ALLOC:
        return deal_alloc(builder, item);
    case ITEM_RESET:
        break;
    }
    reset_block(builder);
    return true;
}

bool build_blocks(struct builder *builder)
{
    uint32_t count = builder->blocks->items.count;
    if (count == 0)
        return true;
    struct radix_item *order = sort_items(builder);
    bool dealt = order != NULL;
    for (uint32_t i = 0; i < count && dealt; i++)
        dealt = deal(builder, &builder->blocks->items.at[order[i].value]);
    free(order);
    return dealt;
}

/* Further facts of a block's events from other programs' files, and the values logged in it. Both
 * belong to the block that was added last. */

static struct tl_block *latest_block(const struct builder *builder)
{
    const struct timeline *timeline = builder->timeline;
    bool any = !builder->failed && timeline->blocks.count > builder->first.blocks;
    return any ? &timeline->blocks.at[timeline->blocks.count - 1] : NULL;
}

static uint32_t name_or_none(struct builder *builder, uint32_t id)
{
    return id ? build_name(builder, id) : TL_NONE;
}

void builder_append_block_event(struct builder *builder, const struct block_event *from)
{
    struct timeline *timeline = builder->timeline;
    const struct tl_block *block = latest_block(builder);
    if (!block || block->event_count == 0)
        return;
    uint32_t index = timeline->event_sources.count;
    struct tl_event_source *source = ARRAY_ADD(&timeline->event_sources);
    if (!source) {
        builder->failed = true;
        return;
    }
    *source = (struct tl_event_source){
        .start_ticks = from->start_ticks,
        .end_ticks = from->end_ticks,
        .delegate = from->delegate,
        .delegate_name = name_or_none(builder, from->delegate_name),
        .metadata = name_or_none(builder, from->metadata),
        .flags = from->wrapped ? TL_EVENT_WRAPPED : 0,
    };
    timeline->block_events.at[timeline->block_events.count - 1].source = index;
}

static uint32_t keep_sizes(struct builder *builder, const int64_t *sizes, uint32_t count)
{
    uint32_t first = builder->timeline->tensor_sizes.count;
    for (uint32_t i = 0; i < count && !builder->failed; i++) {
        int64_t *size = ARRAY_ADD(&builder->timeline->tensor_sizes);
        if (size)
            *size = sizes[i];
        else
            builder->failed = true;
    }
    return first;
}

static void keep_tensor(struct builder *builder, const struct debug_tensor *from)
{
    struct tl_tensor made = {
        .offset = from->offset,
        .type = from->type,
        .first_size = keep_sizes(builder, from->sizes, from->size_count),
        .size_count = from->size_count,
        .first_stride = keep_sizes(builder, from->strides, from->stride_count),
        .stride_count = from->stride_count,
    };
    struct tl_tensor *tensor = builder->failed ? NULL : ARRAY_ADD(&builder->timeline->tensors);
    if (tensor)
        *tensor = made;
    else
        builder->failed = true;
}

void builder_append_debug(struct builder *builder, const struct debug_value *from)
{
    struct timeline *timeline = builder->timeline;
    struct tl_block *block = latest_block(builder);
    if (!block)
        return;
    struct tl_debug made = {
        .chain = from->chain,
        .integer = from->integer,
        .real = from->real,
        .instruction = from->instruction,
        .delegate = from->delegate,
        .name = name_or_none(builder, from->name),
        .delegate_name = name_or_none(builder, from->delegate_name),
        .events_before = block->event_count,
        .first_tensor = timeline->tensors.count,
        .tensor_count = from->tensor_count,
        .kind = (uint8_t)from->kind,
        .is_output = from->is_output,
    };
    if (from->kind == TL_VALUE_STRING)
        made.integer = build_name(builder, (uint32_t)from->integer);
    for (uint32_t i = 0; i < from->tensor_count; i++)
        keep_tensor(builder, &from->tensors[i]);
    struct tl_debug *debug = builder->failed ? NULL : ARRAY_ADD(&timeline->debugs);
    if (!debug) {
        builder->failed = true;
        return;
    }
    *debug = made;
    block->debug_count++;
}

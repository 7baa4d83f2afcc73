/* build_debug.c - what other programs' files say of a block's events beside their ranges, and the
 * values that were logged in it. Both belong to the block that was told last. */
#include "build.h"

static struct tl_block *latest_block(const struct builder *builder)
{
    const struct timeline *timeline = builder->timeline;
    bool any = !builder->failed && timeline->blocks.count > builder->first.block;
    return any ? &timeline->blocks.at[timeline->blocks.count - 1] : NULL;
}

static uint32_t name_or_none(struct builder *builder, uint32_t id)
{
    return id ? build_name(builder, id) : TL_NONE;
}

void timeline_append_block_event(struct builder *builder, const struct read_block_event *from)
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

static void keep_tensor(struct builder *builder, const struct read_tensor *from)
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

void timeline_append_debug(struct builder *builder, const struct read_debug *from)
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

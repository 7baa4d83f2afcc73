/* restrict_blocks.c - profiling blocks of a window: those that began in it, and what of the others did. */
#include "restrict.h"

/* What was logged is in the window with the event before it; in front of all events, with the block's begin. */
static bool debug_stays(const struct restriction *with, const struct tl_block *block,
                        const struct tl_debug *debug)
{
    const struct timeline *timeline = with->timeline;
    uint32_t before =
        debug->events_before < block->event_count ? debug->events_before : block->event_count;
    if (before == 0)
        return restrict_has(with, block->start_ns);
    uint32_t event = block->first_event + before - 1;
    return with->asyncs[timeline->block_events.at[event].async] != TL_NONE;
}

/* Values come in the order of the file, so events are counted on from value to value. */
static void move_debugs(struct restriction *with, const struct tl_block *from, struct tl_block *to,
                        uint32_t next)
{
    struct timeline *timeline = with->timeline;
    uint32_t counted = 0, left = 0;
    to->first_debug = next;
    to->debug_count = 0;
    for (uint32_t i = 0; i < from->debug_count; i++) {
        struct tl_debug debug = timeline->debugs.at[from->first_debug + i];
        bool stays = debug_stays(with, from, &debug);
        if (debug.events_before < counted)
            counted = left = 0;
        for (; counted < debug.events_before && counted < from->event_count; counted++)
            left += with->asyncs[timeline->block_events.at[from->first_event + counted].async] !=
                    TL_NONE;
        debug.events_before = left;
        if (stays)
            timeline->debugs.at[next + to->debug_count++] = debug;
    }
}

static void move_events(struct restriction *with, const struct tl_block *from, struct tl_block *to,
                        uint32_t next)
{
    struct timeline *timeline = with->timeline;
    to->first_event = next;
    to->event_count = 0;
    for (uint32_t i = 0; i < from->event_count; i++) {
        struct tl_block_event event = timeline->block_events.at[from->first_event + i];
        event.async = with->asyncs[event.async];
        if (event.async != TL_NONE)
            timeline->block_events.at[next + to->event_count++] = event;
    }
}

static void move_allocs(struct restriction *with, const struct tl_block *from, struct tl_block *to,
                        uint32_t next)
{
    struct timeline *timeline = with->timeline;
    to->first_alloc = next;
    to->alloc_count = 0;
    for (uint32_t i = 0; i < from->alloc_count; i++) {
        struct tl_block_alloc alloc = timeline->block_allocs.at[from->first_alloc + i];
        if (restrict_has(with, alloc.time_ns))
            timeline->block_allocs.at[next + to->alloc_count++] = alloc;
    }
}

void restrict_blocks(struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0, next_event = 0, next_alloc = 0, next_debug = 0;
    for (uint32_t i = 0; i < timeline->blocks.count; i++) {
        const struct tl_block from = timeline->blocks.at[i];
        struct tl_block to = from;
        move_debugs(with, &from, &to, next_debug);
        move_events(with, &from, &to, next_event);
        move_allocs(with, &from, &to, next_alloc);
        next_event += to.event_count;
        next_alloc += to.alloc_count;
        next_debug += to.debug_count;
        if (!restrict_has(with, from.start_ns) && !to.event_count && !to.alloc_count)
            continue;
        to.start_ns = from.start_ns > with->from_ns ? from.start_ns : with->from_ns;
        timeline->blocks.at[next++] = to;
    }
    timeline->blocks.count = next;
    timeline->block_events.count = next_event;
    timeline->block_allocs.count = next_alloc;
    timeline->debugs.count = next_debug;
}

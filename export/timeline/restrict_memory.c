/* restrict_memory.c - allocations that began in a window. */
#include "restrict.h"

void restrict_find_memories(struct restriction *with)
{
    const struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->memories.count; i++) {
        bool stays = restrict_has(with, timeline->memories.at[i].start_ns);
        with->memories[i] = stays ? next++ : TL_NONE;
    }
}

/* While allocations have their old places. A release after the window is none of it; one in it, of an earlier
 * allocation, is as unknown as where recording began in between. */
static void move_events(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->memory_events.count; i++) {
        struct tl_memory_event event = timeline->memory_events.at[i];
        const struct tl_memory *memory = &timeline->memories.at[event.memory];
        uint32_t process = timeline->heaps.at[memory->heap].process;
        if (with->memories[event.memory] == TL_NONE) {
            if (event.is_end && restrict_has(with, memory->end_ns))
                timeline->processes.at[process].odd.unknown_frees++;
            continue;
        }
        if (event.is_end && memory->end_ns >= with->to_ns)
            continue;
        event.memory = with->memories[event.memory];
        timeline->memory_events.at[next++] = event;
    }
    timeline->memory_events.count = next;
}

static void move_memories(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->memories.count; i++) {
        struct tl_memory memory = timeline->memories.at[i];
        if (with->memories[i] == TL_NONE)
            continue;
        memory.slice = restrict_slice(with, memory.slice);
        memory.end_slice = restrict_slice(with, memory.end_slice);
        if (memory.end_ns >= with->to_ns) {
            memory.end_ns = TL_MEMORY_LIVE;
            memory.end_slice = memory.end_thread = TL_NONE;
            memory.flags &= ~TL_MEMORY_REPLACED;
        }
        timeline->memories.at[next++] = memory;
    }
    timeline->memories.count = next;
}

void restrict_memories(struct restriction *with)
{
    move_events(with);
    move_memories(with);
}

/* check_memory.c - memory: every release ends an allocation, and what is live adds up. */
#include "check_find.h"

#include <inttypes.h>
#include <stdlib.h>

static bool memory_is_valid(const struct timeline *timeline, const struct tl_memory *memory)
{
    return memory->heap < timeline->heaps.count &&
           (memory->slice == TL_NONE || memory->slice < timeline->slices.count) &&
           (memory->end_slice == TL_NONE || memory->end_slice < timeline->slices.count) &&
           (memory->thread == TL_NONE || memory->thread < timeline->threads.count) &&
           (memory->end_thread == TL_NONE || memory->end_thread < timeline->threads.count) &&
           (memory->pool == TL_NONE || memory->pool < timeline->pools.count) &&
           memory->end_ns >= memory->start_ns;
}

static bool check_memories(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    uint64_t bad = 0;
    for (uint32_t i = 0; i < timeline->memories.count; i++)
        bad += !memory_is_valid(timeline, &timeline->memories.at[i]);
    check_add(check, CHECK_RULE_MEMORY, CHECK_ERROR, bad,
              "an allocation ends before it begins or refers to things that do not exist");
    return bad == 0;
}

/* What the events say of each allocation: 0 nothing, 1 begun, 2 ended. */
static void check_event(struct check *check, uint8_t *state, uint32_t i)
{
    const struct timeline *timeline = check->timeline;
    const struct tl_memory_event *event = &timeline->memory_events.at[i];
    bool known = event->memory < timeline->memories.count;
    uint32_t process =
        known ? timeline->heaps.at[timeline->memories.at[event->memory].heap].process : 0;
    if (known && state[event->memory] == event->is_end) {
        state[event->memory]++;
    } else {
        check_add(check, CHECK_RULE_MEMORY, CHECK_ERROR, 1,
                  "memory event %" PRIu32 " at %" PRId64
                  " ns ends what has not begun, or begins it twice: live bytes do not add up",
                  i, event->time_ns);
        return;
    }
    const struct tl_memory_event *before = i ? event - 1 : NULL;
    bool same = before && before->memory < timeline->memories.count &&
                timeline->heaps.at[timeline->memories.at[before->memory].heap].process == process;
    check_add(check, CHECK_RULE_MEMORY, CHECK_ERROR, same && before->time_ns > event->time_ns,
              "memory event %" PRIu32 " at %" PRId64 " ns is out of order", i, event->time_ns);
}

static void check_events(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    uint64_t unmatched = 0;
    uint8_t *state = calloc(timeline->memories.count + (size_t)1, 1);
    for (uint32_t i = 0; i < timeline->memory_events.count && state; i++)
        check_event(check, state, i);
    for (uint32_t i = 0; i < timeline->memories.count && state; i++)
        unmatched += state[i] != (timeline->memories.at[i].end_ns == TL_MEMORY_LIVE ? 1 : 2);
    check_add(check, CHECK_RULE_MEMORY, CHECK_ERROR, unmatched,
              "begin and end of an allocation do not match the events of its heap");
    free(state);
}

static void check_oddities(struct check *check, const struct tl_process *process)
{
    check_add(check, CHECK_RULE_UNKNOWN_FREES, CHECK_NOTE, process->odd.unknown_frees,
              "%s: %" PRIu64 " releases of addresses that were not allocated in the trace",
              process->path, process->odd.unknown_frees);
    check_add(check, CHECK_RULE_REUSED_ADDRESSES, CHECK_WARNING, process->odd.reused_addresses,
              "%s: %" PRIu64 " allocations at an address that was in use: its release is not in "
              "the trace",
              process->path, process->odd.reused_addresses);
}

void check_memory(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    if (check_memories(check))
        check_events(check);
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        check_oddities(check, &timeline->processes.at[i]);
}

/* heap_levels.h - what each heap and pool holds at the moment, while memory events are walked in
 * the order of time. */
#ifndef PROF_HEAP_LEVELS_H
#define PROF_HEAP_LEVELS_H

#include "timeline.h"

struct heap_levels {
    const struct timeline *timeline;
    int64_t *bytes;                 /* in use, by heap */
    bool *changed;                  /* by heap: something happened */
    int64_t *idle;                  /* reserved by pools beyond that, by heap */
    int64_t *pool_used, *pool_idle; /* by pool */
};

/* What one event did. */
struct heap_change {
    const struct tl_memory *memory;
    int64_t bytes;     /* negative: released */
    int64_t allocated; /* by the heap after it */
    int64_t reserved;  /* that, and what its pools hold beyond */
    uint32_t thread;   /* that made it; TL_NONE */
};

/* False: no memory; fini is needed all the same. */
bool heap_levels_init(struct heap_levels *levels, const struct timeline *timeline);
void heap_levels_fini(struct heap_levels *levels);

/* `index` is into memory_events[]; each must come once, in order. */
struct heap_change heap_levels_apply(struct heap_levels *levels, uint32_t index);

/* As in c10::DeviceType: 1 is CUDA, 0 the CPU. */
unsigned heap_levels_device_type(const struct tl_heap *heap);

/* The device's ordinal; -1 none. */
int64_t heap_levels_device(const struct tl_heap *heap);

#endif

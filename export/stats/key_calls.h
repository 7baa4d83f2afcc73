/* key_calls.h - ranges that go on in several pieces (timeline.h), put together again. */
#ifndef PROF_KEY_CALLS_H
#define PROF_KEY_CALLS_H

#include "maps.h"
#include "timeline.h"

/* A stretch of time; empty when it ends before it starts. */
struct key_span {
    int64_t start_ns, end_ns;
};

#define KEY_SPAN_EMPTY ((struct key_span){INT64_MAX, INT64_MIN})

static inline void key_span_widen(struct key_span *span, struct key_span by)
{
    span->start_ns = by.start_ns < span->start_ns ? by.start_ns : span->start_ns;
    span->end_ns = by.end_ns > span->end_ns ? by.end_ns : span->end_ns;
}

struct key_call {
    uint32_t last; /* its last piece */
    uint32_t row;  /* of its first piece, UINT32_MAX none yet */
    uint32_t shape, stack;
    int64_t start_ns;       /* of the first piece */
    int64_t device_ns;      /* that the pieces so far launched */
    struct key_span device; /* of the same */
};

struct key_calls {
    struct key_call *at;
    struct keymap of_slice; /* first pieces and later ones -> call */
};

/* False: no memory; fini is not needed then. */
bool key_calls_init(struct key_calls *calls, const struct timeline *timeline);
void key_calls_fini(struct key_calls *calls);

/* NULL: the slice is a whole call. */
static inline struct key_call *key_calls_find(const struct key_calls *calls, uint32_t slice)
{
    if (!calls->at)
        return NULL;
    uint32_t call = keymap_find(&calls->of_slice, slice);
    return call == KEYMAP_NONE ? NULL : &calls->at[call];
}

#endif

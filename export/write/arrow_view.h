/* arrow_view.h - what the cells of a table are read from: a timeline, and what must be known of all of it
 * before the first row: sums over what is inside of events, places of attributes, rows of events.
 */
#ifndef PROF_ARROW_VIEW_H
#define PROF_ARROW_VIEW_H

#include "arrow.h"
#include "memory_use.h"
#include "quoted_names.h"
#include "slice_sums.h"

/* Words that are in every dictionary behind the timeline's names. */
enum arrow_word {
    ARROW_RANGE,
    ARROW_STEP,
    ARROW_CALL,
    ARROW_ASYNC,
    ARROW_MARK,
    ARROW_KERNEL,
    ARROW_MEMCPY,
    ARROW_MEMSET,
    ARROW_GRAPH,
    ARROW_COUNTER,
    ARROW_MEMORY,
    ARROW_UNNAMED,
    ARROW_WORDS
};
extern const char *const arrow_words[ARROW_WORDS];

struct arrow_view {
    const struct timeline *timeline;
    const double *flops; /* as in struct arrow_more */

    /* Of slices: a bit for each that has a row in ARROW_EVENTS, and how many have one before each 64. */
    uint64_t *is_event;
    uint32_t *events_before;

    /* ARROW_EVENTS alone. */
    struct slice_sums *sums;             /* by slice */
    int64_t *memory_bytes[MEMORY_SIDES]; /* by slice; NULL: no memory of that side anywhere */
    bool *has_memory[MEMORY_SIDES];      /* by process, likewise */
    uint32_t *first_attr;                /* by slice; NULL: nothing has attributes */
    uint8_t *attr_words;                 /* by name: arrow_attrs.c's; NULL likewise */
    struct quoted_names *quoted;         /* NULL likewise */
    struct {
        bool shapes, sequence, stack, flops;
    } given; /* attributes that have a column: a name is theirs */
    uint32_t first_stack,
        first_category; /* in the dictionary: lines of stacks, unnamed categories */

    int64_t *levels; /* ARROW_COUNTERS: what the heap holds after each of memory_events[] */
};

/* False: no memory; fini is needed all the same. */
bool arrow_view_init(struct arrow_view *view, const struct timeline *timeline,
                     enum arrow_table table);
void arrow_view_fini(struct arrow_view *view);

static inline bool arrow_view_is_event(const struct arrow_view *view, uint32_t slice)
{
    return view->is_event[slice / 64] >> slice % 64 & 1;
}

/* How many slices before this one have a row: its own row, if it has one. */
static inline int64_t arrow_view_row(const struct arrow_view *view, uint32_t slice)
{
    uint64_t before = view->is_event[slice / 64] & ((UINT64_C(1) << slice % 64) - 1);
    return (int64_t)view->events_before[slice / 64] + __builtin_popcountll(before);
}

/* The row of the slice, or of the innermost one around it that has a row; -1 none, as of TL_NONE. */
int64_t arrow_view_row_around(const struct arrow_view *view, uint32_t slice);

/* How many operations a slice itself launched: kernels, copies, sets, graphs; not the waits of devices. */
uint32_t arrow_view_launched(const struct timeline *timeline, const struct tl_slice *slice);

/* The name of the innermost range around a slice, itself included; TL_NONE none. */
uint32_t arrow_view_range(const struct timeline *timeline, uint32_t slice);

#endif

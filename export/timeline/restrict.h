/* restrict.h - what timeline_restrict.c and restrict_gpus.c share; private to this folder.
 *
 * The first pass allocates all memory and finds the new index of each item, without moving any:
 * whether an operation stays depends on its call. The second pass compacts each array and updates
 * its references.
 */
#ifndef PROF_RESTRICT_H
#define PROF_RESTRICT_H

#include "maps.h"
#include "timeline.h"

struct restriction {
    struct timeline *timeline;
    int64_t from_ns, to_ns;
    /* New index by old index. TL_NONE: it is removed. A removed slice has the index of its
     * innermost parent that is kept. */
    uint32_t *slices, *gpus, *marks, *asyncs, *memories, *graphs;
    /* If a call's first segment is removed: the index of its first segment that is kept */
    uint32_t *frames;
    uint8_t *slice_stays;
    uint32_t *row_of_stream,
        *row_of_process;        /* into ledger_rows[]; of a process, the unknown stream's */
    struct keymap row_of_graph; /* process << 32 | graph -> ledger_rows[] */
};

static inline bool restrict_has(const struct restriction *with, int64_t time_ns)
{
    return time_ns >= with->from_ns && time_ns < with->to_ns;
}

/* The new index of a slice, or of its innermost parent that is kept. */
static inline uint32_t restrict_slice(const struct restriction *with, uint32_t slice)
{
    return slice == TL_NONE ? TL_NONE : with->slices[slice];
}

void restrict_find_gpus(struct restriction *with); /* after slices */
void restrict_find_memories(struct restriction *with);
void restrict_find_graphs(struct restriction *with); /* after slices */
bool restrict_find_rows(struct restriction *with);   /* false: no memory */

void restrict_gpus(struct restriction *with); /* after slices */
/* Before restrict_events(), which changes the indexes of begin/end ranges. */
void restrict_blocks(struct restriction *with);
void restrict_memories(struct restriction *with);
void restrict_graphs(struct restriction *with);
void restrict_ledger(struct restriction *with); /* last */

#endif

/* restrict.h - what timeline_restrict.c and restrict_gpus.c share; private to this folder.
 *
 * First everything is found a new place, without moving anything: who stays depends on others, as an operation does on
 * its call. All memory is taken there. Then each array is moved together, and its references are told the new places.
 */
#ifndef PROF_RESTRICT_H
#define PROF_RESTRICT_H

#include "maps.h"
#include "timeline.h"

struct restriction {
    struct timeline *timeline;
    int64_t from_ns, to_ns;
    /* By old index. Of a slice that goes: the place of the innermost one around it that stays. All others: TL_NONE
     * when they go. */
    uint32_t *slices, *gpus, *marks, *asyncs, *memories, *graphs;
    uint32_t *frames; /* of a call whose first segment goes: the place of its first that stays */
    uint8_t *slice_stays;
    uint32_t *row_of_stream,
        *row_of_process;        /* into ledger_rows[]; of a process, the unknown stream's */
    struct keymap row_of_graph; /* process << 32 | graph -> ledger_rows[] */
};

static inline bool restrict_has(const struct restriction *with, int64_t time_ns)
{
    return time_ns >= with->from_ns && time_ns < with->to_ns;
}

/* The new place of a slice that is referred to, or of what is left around it. */
static inline uint32_t restrict_slice(const struct restriction *with, uint32_t slice)
{
    return slice == TL_NONE ? TL_NONE : with->slices[slice];
}

void restrict_find_gpus(struct restriction *with); /* after slices */
void restrict_find_memories(struct restriction *with);
void restrict_find_graphs(struct restriction *with); /* after slices */
bool restrict_find_rows(struct restriction *with);   /* false: no memory */

void restrict_gpus(struct restriction *with); /* after slices */
/* Before events, which tells begin/end ranges' new places. */
void restrict_blocks(struct restriction *with);
void restrict_memories(struct restriction *with);
void restrict_graphs(struct restriction *with);
void restrict_ledger(struct restriction *with); /* last */

#endif

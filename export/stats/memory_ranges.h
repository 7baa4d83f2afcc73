/* memory_ranges.h - memory by the name of the range that allocated or freed it.
 *
 * The columns mean what they mean in torch.profiler with profile_memory=True: net changes, so a
 * range that frees what others allocated has a negative number.
 *
 *   self   what was allocated minus what was freed while the range was the innermost one open on
 *          the thread. A CUDA call is no range: its memory is that of the range around it.
 *   total  the same with the ranges inside it. Of a range inside another of the same name only self
 *          counts, or total would hold the same bytes twice.
 *   peak   the largest number of bytes that were in use in the process while a range of that name
 *          was open, whoever had allocated them.
 *
 * Identity: the sum of self of all ranges + outside = what is live at the end. Releases of what was
 * allocated before the trace began are in no number.
 */
#ifndef PROF_MEMORY_RANGES_H
#define PROF_MEMORY_RANGES_H

#include "key_names.h"

enum memory_side { MEMORY_CPU, MEMORY_CUDA, MEMORY_SIDES }; /* see memory_is_cuda() */

struct memory_amounts {
    uint64_t allocations, frees;
    uint64_t allocated_bytes, freed_bytes;
};

struct memory_range {
    uint32_t key;   /* of key_names */
    uint64_t count; /* ranges of that name */
    struct memory_amounts self[MEMORY_SIDES], total[MEMORY_SIDES];
    uint64_t peak_bytes[MEMORY_SIDES];
};

struct memory_ranges {
    struct key_names keys;
    struct memory_range *rows; /* with memory in them; largest total allocation first */
    uint32_t count;
    uint32_t *row_of_key; /* row + 1; 0 none */
    struct memory_amounts outside[MEMORY_SIDES];
};

/* False: no memory. The timeline must outlive `ranges`. */
bool memory_ranges_init(struct memory_ranges *ranges, const struct timeline *timeline);
void memory_ranges_fini(struct memory_ranges *ranges);

/* NULL: no memory was allocated or freed in ranges of that key. */
const struct memory_range *memory_ranges_find(const struct memory_ranges *ranges, uint32_t key);

static inline int64_t memory_net(const struct memory_amounts *amounts)
{
    return (int64_t)(amounts->allocated_bytes - amounts->freed_bytes);
}

#endif

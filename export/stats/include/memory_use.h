/* memory_use.h - how much memory was in use, heap by heap, which code owned it, and which ranges
 * allocated and freed it; what moved of managed memory.
 */
#ifndef PROF_MEMORY_USE_H
#define PROF_MEMORY_USE_H

#include "key_averages.h"
#include "timeline.h"

/* One heap over the whole trace. allocated_bytes = freed_bytes + live_bytes, always. */
struct memory_heap_use {
    uint64_t allocations, frees;
    uint64_t allocated_bytes, freed_bytes;
    uint64_t live, live_bytes; /* at the end of the trace */
    uint64_t peak_bytes;
    int64_t peak_ns;
    uint32_t peak_event; /* into memory_events[]: the allocation that made the peak; TL_NONE */
};

struct memory_use {
    struct memory_heap_use *heaps; /* parallel to timeline.heaps */
};

/* One pass over the events. False: no memory. */
bool memory_use_init(struct memory_use *use, const struct timeline *timeline);
void memory_use_fini(struct memory_use *use);

/* Whether memory of the heap is on a device ("CUDA Mem") or not ("CPU Mem"): pinned memory and that
 * of the program's own allocators, unless their name says of which device. */
bool memory_is_cuda(const struct tl_heap *heap);

/* ---- sites ---- */

/* Allocations that were made by the same code: the same heap, and the same names from the outermost
 * range down to the CUDA call. */
struct memory_site {
    uint32_t heap;
    uint32_t path; /* into memory_sites.paths; TL_NONE: outside of every range */
    uint64_t count, bytes;
    uint32_t memory; /* the earliest of them, into memories[] */
};

struct memory_path {
    uint32_t parent; /* TL_NONE: outermost */
    uint32_t name;   /* into timeline.names */
    uint32_t slice;  /* one that is called so */
};

struct memory_sites {
    TL_ARRAY(struct memory_site) sites; /* most bytes first */
    TL_ARRAY(struct memory_path) paths;
    uint64_t count, bytes; /* of all sites, but of all heaps without the next */
    /* Of all heaps: memory of a device that an allocator hands parts out of, which count */
    uint64_t kept_bytes;
};

/* What is live right after event `event` (TL_NONE: at the end), of one heap or, with TL_NONE, of
 * all. Memory of which only the size is known does not count as live at the end: no release
 * of it is ever recorded. False: no memory. */
bool memory_sites_init(struct memory_sites *sites, const struct timeline *timeline, uint32_t event,
                       uint32_t heap);
void memory_sites_fini(struct memory_sites *sites);

/* ---- ranges ----
 *
 * Memory by the name of the range that allocated or freed it.
 *
 * The columns mean what they mean in torch.profiler with profile_memory=True: net changes, so a
 * range that frees what others allocated has a negative number.
 *
 *   self   what was allocated minus what was freed while the range was the innermost one open on
 *          the thread. A CUDA call is not a range: its memory is that of the range around it.
 *   total  the same with the ranges inside it. Of a range inside another of the same name only self
 *          counts, or total would hold the same bytes twice.
 *   peak   the largest number of bytes that were in use in the process while a range of that name
 *          was open, including memory that others had allocated.
 *
 * Identity: the sum of self of all ranges + outside = what is live at the end. Releases of what was
 * allocated before the trace began are in no number.
 */

enum memory_side { MEMORY_CPU, MEMORY_CUDA, MEMORY_SIDES }; /* see memory_is_cuda() */

/* By slice: bytes allocated minus freed within it, at any depth. */
struct memory_slices {
    int64_t *bytes[MEMORY_SIDES]; /* by slice; NULL: no memory of that side anywhere */
    bool *is_known[MEMORY_SIDES]; /* by process, likewise */
};

/* False: no memory; fini is needed all the same. */
bool memory_slices_init(struct memory_slices *memory, const struct timeline *timeline);
void memory_slices_fini(struct memory_slices *memory);

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

static inline int64_t memory_net(const struct memory_amounts *amounts)
{
    return (int64_t)(amounts->allocated_bytes - amounts->freed_bytes);
}

/* ---- managed memory: what moved and faulted, by device and by range ---- */

struct migration_amounts {
    uint64_t htod, htod_bytes;
    uint64_t dtoh, dtoh_bytes;
    uint64_t dtod, dtod_bytes;
    uint64_t cpu_faults, gpu_faults;
    uint64_t thrashings, throttlings, remote_maps;
    int64_t moving_ns; /* sum of the durations of the migrations */
};

struct migration_row {
    uint32_t process;
    uint32_t device; /* rows by device: it; TL_NONE the host */
    uint32_t name;   /* rows by range: the innermost range; TL_NONE none */
    struct migration_amounts amounts;
};

struct migration_rows {
    struct migration_row *at;
    uint32_t count, capacity;
};

struct migrations {
    struct migration_rows devices; /* of the device that memory came to or left */
    struct migration_rows ranges;  /* most bytes first */
};

bool migrations_init(struct migrations *migrations, const struct timeline *timeline);
void migrations_fini(struct migrations *migrations);

/* "bytes HtoD" ... as outputs call a kind. */
const char *migration_kind_name(uint32_t kind);
bool migration_moves(uint32_t kind);

#endif

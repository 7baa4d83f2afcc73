/* key_averages.h - what happened, added up by name: the rows of the table.
 *
 * The columns mean what they mean in torch.profiler:
 *
 *   range, step   CPU total = its duration; self CPU = without the ranges and CUDA calls inside it.
 *                 CUDA total = the device operations launched within it, however deep; self CUDA =
 *                 those whose innermost enclosing range it is.
 *                 Timed by CUDA events instead: CUDA total = stream time between its two events, self
 *                 CUDA = that without the timed ranges inside it on the same device.
 *   CUDA call     CPU as above. Its device time is its range's and its kernel's: its own CUDA
 *                 columns are 0.
 *   kernel, copy, set, whole graph   self CUDA = CUDA total = its duration; no CPU time.
 *   begin/end     CPU total as above; such a range need not nest, so no time is its own. CUDA total
 *                 = the device operations that its thread launched between its begin and its end;
 *                 0 where the two are on different threads.
 *   mark          a count.
 *
 * A range that NVTX put into a domain is called "domain:name", others by their name alone. One that
 * goes on in several pieces (see timeline.h) is one call, to which all of them add.
 *
 * A range that is open inside another of the same name (recursion) adds to count and self, but not
 * to the totals, which would otherwise hold the same nanoseconds twice. So no thread adds more to a
 * total than the time that passed.
 *
 * Identities, per timeline:
 *   sum of self CPU of all rows = sum of the durations of the outermost slices of all threads
 *   sum of self CUDA of kernels, copies, sets and of ranges timed by events = self_cuda_total_ns
 *   sum of self CUDA of other ranges + cuda_outside_ns = device time whose launch is in the trace
 *
 * What libprof did itself (TL_INTERNAL, TL_GPU_INTERNAL) is nowhere in it; waits and overhead are
 * no device work.
 */
#ifndef PROF_KEY_AVERAGES_H
#define PROF_KEY_AVERAGES_H

#include "timeline.h"

enum key_kind { KEY_RANGE, KEY_API, KEY_MARK, KEY_KERNEL, KEY_MEMCPY, KEY_MEMSET, KEY_GRAPH };

struct key_average {
    struct text name; /* the timeline's, or a literal */
    enum key_kind kind;
    uint32_t key; /* of key_names.h */
    uint64_t count;
    int64_t cpu_total_ns, self_cpu_total_ns;
    int64_t cuda_total_ns, self_cuda_total_ns;
};

struct key_averages {
    struct key_average *rows; /* in order of first appearance, or as key_sort() left them */
    uint32_t count, capacity;
    int64_t self_cpu_total_ns;  /* sum of self CPU: what CPU percentages are of */
    int64_t self_cuda_total_ns; /* what CUDA percentages are of */
    int64_t cuda_outside_ns;    /* device time launched outside of every range */
    bool has_device;            /* there is at least one device operation or timed range */
    bool has_timed;             /* at least one range was timed by CUDA events */
};

/* Adds the timeline up: one pass, linear. Returns false when memory is short; fini is not needed
 * then. The names belong to the timeline, which must outlive `averages`. */
bool key_averages_init(struct key_averages *averages, const struct timeline *timeline);
void key_averages_fini(struct key_averages *averages);

/* "range", "cuda_api", "mark", "kernel", "memcpy", "memset", "graph". */
const char *key_kind_name(enum key_kind kind);
bool key_kind_is_device(enum key_kind kind);

#endif

/* key_averages.h - what happened, added up by name: the rows of the table.
 *
 * The columns mean what they mean in torch.profiler:
 *
 *   range, step   CPU total = its duration; self CPU = without the ranges and CUDA calls inside it.
 *                 CUDA total = the device operations launched within it, however deep; self CUDA =
 *                 those whose innermost enclosing range it is.
 *                 Timed by CUDA events instead: CUDA total = stream time between its two events,
 *                 self CUDA = that without the timed ranges inside it on the same device.
 *   CUDA call     CPU as above. Its device time is its range's and its kernel's: its own CUDA
 *                 columns are 0.
 *   kernel, copy, set, whole graph   self CUDA = CUDA total = its duration; no CPU time.
 *   begin/end     CPU total as above; such a range need not nest, so no time is its own. CUDA total
 *                 = the device operations that its thread launched between its begin and its end;
 *                 0 where the two are on different threads.
 *   mark          a count.
 *   Python function   only if requested. CPU total = its duration; self CPU = without the
 *                     functions, ranges and CUDA
 *                 calls directly inside it. CUDA total = the device operations launched within it,
 *                 however deep; self CUDA = those with no other function in between. What other
 *                 rows have does not change: the same time is in both.
 *
 * A range that NVTX put into a domain is called "domain:name", others by their name alone. A
 * call that was recorded in several segments (see timeline.h) counts once, with the sum of its
 * segments.
 *
 * A range that is open inside another of the same row (recursion) adds to count and self, but not
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

#include "key_spread.h"
#include "timeline.h"

enum key_kind {
    KEY_RANGE,
    KEY_API,
    KEY_MARK,
    KEY_PYTHON,
    KEY_KERNEL,
    KEY_MEMCPY,
    KEY_MEMSET,
    KEY_GRAPH,
    KEY_KINDS
};

/* Group rows by. A column that is not grouped by is TL_NONE in every row, and so is one that an
 * event does not have: a range has no device, an orphaned kernel no thread. */
#define KEY_BY_KEY 1u     /* the name; without it rows are called "(ranges)", "(kernels)" ... */
#define KEY_BY_SHAPE 2u   /* of ranges: the text of the attribute "sizes" or "Input Dims" */
#define KEY_BY_STACK 4u   /* where the range was opened, the call made, the operation launched */
#define KEY_BY_THREAD 8u  /* device work: the thread that launched it */
#define KEY_BY_DEVICE 16u /* of device work: a device of a process */
#define KEY_BY_STREAM 32u
#define KEY_BY_RANK 64u
#define KEY_BY_PATH 128u /* the ranges around it, from the outside in, itself included */
#define KEY_BY_PROCESS 256u
#define KEY_BY_OVERLOAD 1024u /* of ranges: the text of the attribute "overload_name" */
#define KEY_BY_STEP \
    512u /* of the process, in which it began; device work: in which it was launched */

struct key_group {
    uint32_t shape;    /* into names[] */
    uint32_t stack;    /* into stacks[], or its group in key_options.stack_groups */
    uint32_t thread;   /* into threads[] */
    uint32_t device;   /* into devices[] */
    uint32_t stream;   /* into streams[] */
    uint32_t rank;     /* as launchers count; TL_NONE none */
    uint32_t path;     /* into key_averages.paths */
    uint32_t process;  /* into processes[] */
    uint32_t step;     /* as steps.h numbers them */
    uint32_t overload; /* into names[] */
};

struct memory_slices;

struct key_options {
    size_t size_bytes;
    uint32_t group_by;            /* KEY_BY_* */
    const uint32_t *stack_groups; /* by stack, of timeline->stacks.count: which stacks count as one,
                                     such as those whose innermost n functions are the same; below
                                     2^32 - 1; NULL: each is its own. Read during init only */
    const struct memory_slices *memory; /* fill key_average.memory_bytes; NULL: do not. Read during
                                           init only, like the next */
    const double *flops;                /* by slice, NaN unknown: fill key_average.flops */
    bool spread;  /* fill key_average.spread: a third of the time more, and 12 bytes per call while
                       it lasts */
    bool samples; /* hand out key_averages.samples and .device_samples */
    bool python;  /* rows of Python functions, too; their time is not the ranges' around them */
    bool top_level; /* only calls that no range or CUDA call of their thread is around; the sums of
                         self time stay those of all */
    const bool *steps_apart; /* by step: what is of the others counts as outside of all, so that a
                                row per step of a long run takes no memory; NULL: all are. Read
                                during init only */
};

struct key_average {
    struct text name; /* the timeline's, or a literal */
    enum key_kind kind;
    uint32_t key;     /* of key_names; that of the first event if rows are not grouped by name */
    int64_t first_ns; /* when its first call began */
    uint64_t count;
    uint64_t outer_count; /* of these: outermost calls. Totals and averages cover only these, since
                             their time includes that of the nested ones */
    int64_t cpu_total_ns, self_cpu_total_ns;
    int64_t cuda_total_ns, self_cuda_total_ns;
    int64_t timed_self_ns; /* of self CUDA: what CUDA events timed */
    /* Ranges projected onto the device: of each call, from the start of the first operation that
     * was launched within it to the end of the last, whatever the streams, waiting included. Calls
     * without operations are not among them; begin/end ranges are not projected. Recursion counts
     * as in totals. Of a timed range: its interval. */
    uint64_t projected_count;
    int64_t projected_ns;
    uint64_t bytes; /* moved or set by copies and sets */
    struct key_group group;
    struct key_spread spread; /* of the calls' durations: CPU time of ranges and CUDA calls, device
                                 time of device work; nested calls of a row are calls, too. All 0
                                 unless requested */
    /* Net bytes on the CPU, self CPU, CUDA, self CUDA, as memory_use.h defines them. For a Python
     * function: the sum over the ranges inside it. 0 unless requested */
    int64_t memory_bytes[4];
    double flops;
    bool has_flops; /* requested, and known for at least one call */
};

/* Deeper ranges become siblings of their parents, so that printing all paths does not take
 * quadratic time. */
#define KEY_PATH_DEPTH_MAX 512u

/* One more range in a path. */
struct key_path {
    uint32_t parent; /* TL_NONE: the outermost */
    uint32_t key;    /* of struct key_names */
    uint32_t depth;  /* 0 the outermost */
    enum key_kind kind;
    struct text name;
};

struct key_averages {
    struct key_average *rows; /* in order of first appearance, or as key_sort() left them */
    uint32_t count, capacity;
    uint32_t group_by;      /* as requested */
    struct key_path *paths; /* parents before children */
    uint32_t path_count, path_capacity;
    int64_t self_cpu_total_ns;  /* sum of self CPU: what CPU percentages are of */
    int64_t self_cuda_total_ns; /* what CUDA percentages are of */
    int64_t cuda_outside_ns;    /* device time launched outside of every range */
    /* Durations as of the spread, and what calls of ranges launched where they launched something
     * (device time, counted as in CUDA total), with the row of each; by row and ascending within
     * each where there is a spread, else as they came. Empty unless requested. Sorting or dropping
     * rows breaks the connection. */
    struct key_samples samples, device_samples;
    bool has_device; /* there is at least one device operation or timed range */
    bool has_timed;  /* at least one range was timed by CUDA events */
    bool has_spread, has_memory;
};

/* By name, without spread. */
void key_options_default(struct key_options *options);

/* Adds the timeline up by name: one pass, linear. Returns false when memory is short; fini is not
 * needed then. The names belong to the timeline, which must outlive `averages`. */
bool key_averages_init(struct key_averages *averages, const struct timeline *timeline);
/* The same, grouped and filled as the options specify. */
bool key_averages_init_by(struct key_averages *averages, const struct timeline *timeline,
                          const struct key_options *options);
void key_averages_fini(struct key_averages *averages);

/* torch.profiler's total_average(): the sum of all rows as one that is called "Total". CUDA time is
 * that of the device rows and of timed ranges: what other ranges have of it is the same time again.
 * Its spread has what can be added up: no percentiles. */
struct key_average key_averages_total(const struct key_averages *averages);

/* "range", "cuda_api", "mark", "python", "kernel", "memcpy", "memset", "graph". */
const char *key_kind_name(enum key_kind kind);
bool key_kind_is_device(enum key_kind kind);

/* ---- names: which count as the same ----
 *
 * Averages are indexed by a small number per name, so no event is ever hashed. Equal names have one
 * index in a timeline already. In addition, every "ProfilerStep#7" is the key "ProfilerStep*", as
 * in torch.profiler, and everything without a name is one key.
 */

struct key_names {
    const struct timeline *timeline;
    uint32_t *key_of_name; /* by name index */
    uint32_t name_count;
    uint32_t key_step;    /* "ProfilerStep*" */
    uint32_t key_unnamed; /* what has no name */
    uint32_t key_count;   /* every key is below */
};

/* The timeline must outlive `keys`. False: no memory; fini is not needed then. */
bool key_names_init(struct key_names *keys, const struct timeline *timeline);
void key_names_fini(struct key_names *keys);

/* The text of a key: a name of the timeline, "ProfilerStep*" or "(unnamed)". */
struct text key_names_text(const struct key_names *keys, uint32_t key);

static inline uint32_t key_names_of(const struct key_names *keys, uint32_t name)
{
    return name < keys->name_count ? keys->key_of_name[name] : keys->key_unnamed;
}

#endif

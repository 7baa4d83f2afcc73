/* kineto_slice.h - what threads did: which kind of slice an event is, B with E, labels of NVTX, and
 * Python frames as call stacks.
 */
#ifndef PROF_KINETO_SLICE_H
#define PROF_KINETO_SLICE_H

#include "kineto_rows.h"
#include "maps.h"

#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets kind, flags, result and correlation: of a call its own, of a range its "External id", by
 * which operations of devices may name it. `name` is the event's, without escapes. */
void kineto_slice_classify(const struct kineto_event *event, struct text name,
                           struct complete_slice *slice);

/* ---- events that consist of two ends: B and E of a thread, b and e of an id ---- */

/* One end. */
struct kineto_end {
    int64_t time_ns;
    uint32_t owner;  /* B and E: the thread; b and e: number of what they have in common */
    uint32_t thread; /* its number */
    uint32_t name;
    uint32_t correlation;
    uint8_t kind, flags; /* as in struct complete_slice */
    bool is_end;
};

struct kineto_ends {
    struct kineto_end *at;
    uint32_t count, capacity;
};

static inline void kineto_ends_fini(struct kineto_ends *ends)
{
    free(ends->at);
}

/* False: no memory. */
bool kineto_ends_add(struct kineto_ends *ends, const struct kineto_end *end);

/* Appends the pairs: of a thread as slices, the others as ranges. They are taken in the
 * order of their times, those of one time in the order of the file; an end closes what was begun
 * last. What has no end lasts to `last_ns`. False: no memory. */
bool kineto_pairs_slices(struct kineto_ends *ends, struct unordered *events, int64_t last_ns);
bool kineto_pairs_ranges(struct kineto_ends *ends, struct unordered *events);

/* ---- what NVTX says of ranges and marks in a Chrome trace of libprof ----
 *
 * Domain, category, colour.
 *
 *     "args":{"domain":"cuBLAS","category":"matmul","category id":1,"color":"#FF76B900"}
 *
 * An empty domain is the default one; a number is that of a domain, or of a category, without a
 * name.
 */

struct kineto_category_name {
    uint32_t pid, domain, number, name;
};

struct kineto_labels {
    struct keymap domains;              /* pid and name -> domain */
    struct keymap known;                /* domain or pid, and number of the category -> 0 */
    KINETO_ARRAY(uint32_t) domain_pids; /* by domain, from 1: its process */
    KINETO_ARRAY(struct kineto_category_name) categories;
    bool failed;
};

/* Zeroed is empty. */
void kineto_labels_fini(struct kineto_labels *labels);

/* The number that stands for the event's name with its label; `name` where it came through no
 * NVTX. */
uint32_t kineto_labels_name(struct kineto_labels *labels, struct kineto_rows *rows,
                            const struct kineto_event *event, uint32_t name);

/* After kineto_rows_finish(): sets the process of each domain and category. */
void kineto_labels_finish(struct kineto_labels *labels, const struct kineto_rows *rows);

/* ---- Python frames of a trace ----
 *
 * Frames are not work of their own: as ranges they would be counted like operators, and each
 * operator's time once more for every frame around it. So they are calls of Python functions; the
 * timeline makes the call stacks of what began in them.
 */

struct kineto_frame {
    int64_t start_ns, end_ns;
    uint32_t thread, name;
};

struct kineto_python {
    KINETO_ARRAY(struct kineto_frame) frames;
};

void kineto_python_fini(struct kineto_python *python);
/* False: no memory. */
bool kineto_python_frame(struct kineto_python *python, const struct kineto_frame *frame);
void kineto_python_finish(struct kineto_python *python, struct unordered *events);

#ifdef __cplusplus
}
#endif
#endif

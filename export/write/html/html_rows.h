/* html_rows.h - the key averages of a page: the rows that took most, with how their durations are
 * spread. */
#ifndef PROF_HTML_ROWS_H
#define PROF_HTML_ROWS_H

#include "json_out.h"
#include "timeline.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HTML_ROWS 1000u
#define HTML_BARS 24u

/* How many of `count` ascending durations lie in each of HTML_BARS equal parts of the way from the first
 * to the last. Returns whether the parts are equal by their ratio: where the last is at least 4 times the
 * first, which is at least 1. All are in the first part when there is one duration only. */
bool html_bars(const int64_t *sorted_ns, size_t count, uint64_t bars[HTML_BARS]);

/* Members "self_cpu_total_ns", "self_cuda_total_ns", "cuda_outside_ns", "row_count" (all there are),
 * "columns": names of what each of "rows" holds, "rows": arrays of that, the bars last: null, or
 * [1 by ratio else 0, counts...]. False: no memory. */
bool html_rows(struct json_out *out, const struct timeline *timeline);

/* The most heavy of many: a page has room for some. */

struct html_top_item {
    double weight;
    uint32_t index;
};

struct html_top {
    struct html_top_item *at; /* a heap with the lightest on top; sorted by html_top_sort() */
    uint32_t count, capacity;
};

/* False: no memory; fini is not needed then. */
bool html_top_init(struct html_top *top, uint32_t capacity);
void html_top_fini(struct html_top *top);

/* Takes it when there is room, or in place of a lighter one; of equals the smaller index counts more. At
 * most the logarithm of the capacity. */
void html_top_add(struct html_top *top, uint32_t index, double weight);

/* The heaviest first; of equals the smaller index. Nothing can be added then. */
void html_top_sort(struct html_top *top);

#ifdef __cplusplus
}
#endif
#endif

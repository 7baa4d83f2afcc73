/* html_rows.h - the key averages of a page: the rows that took most, with how their durations are
 * spread. */
#ifndef PROF_HTML_ROWS_H
#define PROF_HTML_ROWS_H

#include "json_out.h"
#include "timeline.h"

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

#ifdef __cplusplus
}
#endif
#endif

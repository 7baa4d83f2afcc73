/* averages_table.h - the key-averaged table, and the tree of ranges, in any format. */
#ifndef PROF_AVERAGES_TABLE_H
#define PROF_AVERAGES_TABLE_H

#include "averages_groups.h"
#include "json_out.h"
#include "write_format.h"
#include "write_report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The rows and columns of write_table(), or of write_tree(), and nothing else: no summary, no totals, no
 * ledger. "kind" distinguishes the row of totals from a range named "total". Not WRITE_JSON, which
 * write_json() writes. False with errno: no memory, or the stream failed. */
bool averages_table(const struct timeline *timeline, const struct write_options *options,
                    enum write_format format, FILE *stream);
bool averages_table_tree(const struct timeline *timeline, const struct write_options *options,
                         enum write_format format, FILE *stream);

/* Rows of averages, and the accounts of devices, as JSON. Members of a row:
 *
 *     name, kind, count, cpu_total_ns, self_cpu_total_ns, cuda_total_ns, self_cuda_total_ns
 *     min_ns, max_ns, mean_ns, stddev_ns, p10_ns, p50_ns, p90_ns, p99_ns    of its calls, rounded
 *     cold_calls, cold_avg_ns, warm_avg_ns       see key_spread.h
 *     projected_calls, projected_ns              ranges only: see key_averages.h
 *     bytes                                      copies and sets only
 *     pid, rank, thread, device, stream, shape, stack, path   group keys, as text;
 *                                                path as a list from the outside in
 */

/* The sums of all rows: times, counts, bytes, without percentiles. */
void averages_json_total(struct json_out *out, const struct key_average *total);

/* At most `rows` rows (-1 all), all or the kernels among them. */
void averages_json_rows(struct json_out *out, const struct group_texts *texts, bool only_kernels,
                        int64_t rows);

/* "device_time": [{pid, device, operations, sum_ns, busy_ns, overlap_ns, idle_ns, window_ns}]. False:
 * no memory. */
bool averages_json_devices(struct json_out *out, const struct timeline *timeline);

#ifdef __cplusplus
}
#endif
#endif

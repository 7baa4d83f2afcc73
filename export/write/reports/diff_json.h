/* diff_json.h - a diff as one JSON object; what is not known is null, times are nanoseconds.
 *
 *     {"names": [2], "confidence", "resamples", "per_step", "lengths_differ", "nothing_in_common",
 *      "sides": [{"processes": [path ...], "steps", "clock_ns", "device_clock_ns"} x 2],
 *      "differs": [{"name", "values": [2]} ...],
 *      "step", "device_time": {"values_ns": [2], "samples": [2], change},
 *      "tables": [{"by", "change_ns", "verdicts": {}, "renamed", "ambiguous",
 *                  "rows": [{"names": [2], "path": [outermost ...], "match", "calls": [2], "time": {},
 *                            "device": {} or null, "delta_ns", "share", "device_delta_ns"} ...]} ...],
 *      "gate": {"of", "limit", "result", "row": names or null, change} or null}
 *
 * change: "ratio", "interval": [2] or null, "verdict". A measure ("time", "device"): "samples",
 * "totals_ns", "means_ns", "medians_ns", each of [2], and change. */
#ifndef PROF_DIFF_JSON_H
#define PROF_DIFF_JSON_H

#include "write_diff.h"

#ifdef __cplusplus
extern "C" {
#endif

bool diff_json_write(const struct diff *diff, const struct write_diff_options *options,
                     FILE *stream);

#ifdef __cplusplus
}
#endif
#endif

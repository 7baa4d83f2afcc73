/* html_usage.h - devices and memory over time, in parts of equal length. */
#ifndef PROF_HTML_USAGE_H
#define PROF_HTML_USAGE_H

#include "findings.h"
#include "json_out.h"
#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HTML_PARTS 480u
#define HTML_LINES 64u /* devices, and heaps, of a page */

/* Member "usage":
 *
 *     start_ns, part_ns      where the first part begins, how long each is (a fraction, perhaps)
 *     devices[]              pid, device (null unknown), busy[], kernel[], copy[]: thousandths of each
 *                            part in which something ran, a kernel, a copy or set
 *     heaps[]                pid, device (null: host, or not known), name, bytes[]: most in use in it
 *     devices_left_out, heaps_left_out
 *
 * Empty lists when the recording has no length. Linear in operations and events, but for a heap of a
 * device's streams. False: no memory. */
bool html_usage(struct json_out *out, const struct timeline *timeline);

/* The idle time of devices: the longest gaps, and whose time they were. */

#define HTML_GAPS 400u
#define HTML_OWNERS 400u

/* Member "idle":
 *
 *     causes[]   name and words of each cause, by its number
 *     gap_count  all there are that are not short
 *     gaps[]     the longest: [device (into the devices of the findings), start_ns, end_ns, cause, name of
 *                the operation that ended it, path of its launch, path of the call that may have been
 *                waited in]
 *     owner_count
 *     owners[]   most time first: [pid, device or null, cause, path, segments, ns]
 *
 * False: no memory. */
bool html_gaps(struct json_out *out, const struct findings *findings);

#ifdef __cplusplus
}
#endif
#endif

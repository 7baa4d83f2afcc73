/* html_gaps.h - the idle time of devices: the longest gaps, and whose time they were. */
#ifndef PROF_HTML_GAPS_H
#define PROF_HTML_GAPS_H

#include "findings.h"
#include "json_out.h"

#ifdef __cplusplus
extern "C" {
#endif

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
 *     owners[]   most time first: [pid, device or null, cause, path, pieces, ns]
 *
 * False: no memory. */
bool html_gaps(struct json_out *out, const struct findings *findings);

#ifdef __cplusplus
}
#endif
#endif

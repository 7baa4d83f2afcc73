/* cost_json.h - the members "cost" and "shed": of profdump --json, and of a Chrome trace's metadata.
 *
 *     "cost": {"percent", "base_ns", "taken_ns", "own_threads_ns", "end_ns", "launches",
 *              "ns_per_launch", "budget_percent",
 *              "parts": [{"name", "of", "count", "ns", "what"}]},
 *     "shed": [{"what", "recorded", "time_ns", "pid", "cost_percent", "budget_percent"}]
 *
 * "of" is "threads" (taken from the program's), "own" (libprof's) or "end". budget_percent is null
 * without a budget. Nothing is written where no recorder stated its cost.
 */
#ifndef PROF_COST_JSON_H
#define PROF_COST_JSON_H

#include "json_out.h"
#include "timeline.h"

void cost_json(struct json_out *out, const struct timeline *timeline);

#endif

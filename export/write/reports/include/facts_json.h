/* facts_json.h - the facts about a run that more than one JSON output carries. */
#ifndef PROF_FACTS_JSON_H
#define PROF_FACTS_JSON_H

#include "json_out.h"
#include "run_facts.h"
#include "timeline.h"

/* Members of an open object: "libprof", "mode", "mode_reason", "simulated". */
void facts_json_run(struct json_out *out, const struct run_facts *facts);

/* Members "processes" and "devices". */
void facts_json_lists(struct json_out *out, const struct timeline *timeline);

/* Member "loss": every cause of PROF_LOSS_CAUSES, the ledger and the troubles of run_facts.h. */
void facts_json_loss(struct json_out *out, const struct run_facts *facts);

/* The members "cost" and "throttled": of profdump --json, and of a Chrome trace's metadata.
 *
 *     "cost": {"percent", "base_ns", "taken_ns", "own_threads_ns", "end_ns", "launches",
 *              "ns_per_launch", "budget_percent",
 *              "parts": [{"name", "of", "count", "ns", "what"}]},
 *     "throttled": [{"what", "recorded", "time_ns", "pid", "cost_percent", "budget_percent"}]
 *
 * "of" is "threads" (taken from the program's), "own" (libprof's) or "end". budget_percent is null
 * without a budget. Nothing is written where no recorder stated its cost.
 */

void cost_json(struct json_out *out, const struct timeline *timeline);

#endif

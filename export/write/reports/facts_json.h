/* facts_json.h - the facts about a run that more than one JSON output carries. */
#ifndef PROF_FACTS_JSON_H
#define PROF_FACTS_JSON_H

#include "json_out.h"
#include "run_facts.h"

/* Members of an open object: "libprof", "mode", "mode_reason", "simulated". */
void facts_json_run(struct json_out *out, const struct run_facts *facts);

/* Members "processes" and "devices". */
void facts_json_lists(struct json_out *out, const struct timeline *timeline);

/* Member "loss": every cause of PROF_LOSS_CAUSES, the ledger and the troubles of run_facts.h. */
void facts_json_loss(struct json_out *out, const struct run_facts *facts);

#endif

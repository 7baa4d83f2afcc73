/* ledger_json.h - the ledger by stream, and the CUDA calls that failed, as JSON. */
#ifndef PROF_LEDGER_JSON_H
#define PROF_LEDGER_JSON_H

#include "json_out.h"
#include "timeline.h"

/* Members "ledger" and "failed_calls" of the object that is open. False: no memory, they are
 * incomplete. */
bool ledger_json(struct json_out *out, const struct timeline *timeline);

#endif

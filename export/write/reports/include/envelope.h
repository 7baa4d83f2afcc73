/* envelope.h - what every JSON answer of profdump begins and ends with.
 *
 *     {"schema_version", "command", "libprof", "inputs": [{file, format, program, rank}], "mode",
 *      "mode_reason", "simulated", "lost_anything", "lost", "abstained",
 *      ... the command's own members ...
 *      "truncated": [{table, rows, total_rows}], "units": {column: unit}}
 *
 * members.h declares the members of each command.
 */
#ifndef PROF_ENVELOPE_H
#define PROF_ENVELOPE_H

#include "evidence.h"
#include "json_out.h"

struct envelope {
    const char *command;                 /* of members.h */
    const struct timeline *timelines[2]; /* NULL if nothing was read, for example for --rules */
    const char *abstained;               /* why there is no answer; NULL: there is one */
};

/* Writes the first members of an object, which is open. False: no memory. */
bool envelope_begin(struct json_out *out, const struct envelope *envelope);

/* The same of a report about one timeline, which abstains where its evidence is missing. */
bool envelope_begin_report(struct json_out *out, const char *command,
                           const struct timeline *timeline, enum evidence_report report);

/* Writes the last ones: "truncated", from what `out` noted of lists that were cut, and the units
 * that members.h has of the command. */
void envelope_end(struct json_out *out, const char *command);

/* "truncated" alone, of a command that writes "units" itself. */
void envelope_truncated(struct json_out *out);

#endif

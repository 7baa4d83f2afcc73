/* members.h - the members of each command's JSON: declared in members/COMMAND.txt, a line each.
 *
 *     # of profdump example                    a comment
 *     -window            object                 a member that is not always there
 *     window.from_ns     integer,ns  MEANING    one of its members: type, unit, what it means
 *     processes          array                  of objects; an object's members are PROCESSES.NAME
 *     processes.rank     integer?               or null
 *     processes.idle     map:integer,ns         an object of such values under any names
 *     processes.names    array:string           "array:string?": of strings and null
 *     processes.stack    array?:string          or null
 *     kernels            as:processes           the same as another member
 *     memory             file:memory            an object with the members of another file
 *     ledger             from:check_ledger      the same as the member of that name there
 *     rows.*             any                    members of any other name
 *
 * Types are string, integer, number, boolean, object, array (of objects) and any. From these lines
 * come `profdump schema`, the units in every answer (envelope.h), and the test that no answer has
 * other members.
 */
#ifndef PROF_MEMBERS_H
#define PROF_MEMBERS_H

#include "json_out.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "units": {name of a member: its unit} of a command's members that have one. */
void members_write_units(struct json_out *out, const char *command);

/* Commands, in the order of their names; NULL: `index` is too large. */
const char *members_command(unsigned index);

/* The JSON Schema of a command's answers, as draft 2020-12 has it. False: there is no such command
 * (errno is ENOENT), no memory, or the stream failed. */
bool members_write_schema(const char *command, FILE *stream);

#ifdef __cplusplus
}
#endif
#endif

/* fleet_rows.h - recordings as rows of a dataset: the tables of docs/ranks.md in Arrow's C stream interface.
 *
 * Each recording is swept on its own, so two files of one rank stay apart. Processes of a recording that have one rank count
 * as one. A process without a rank gets a negative one: -1, -2 ...
 */
#ifndef PROF_FLEET_ROWS_H
#define PROF_FLEET_ROWS_H

#include "prof/arrow_abi.h"
#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fleet;

/* With one holder. NULL: no memory. */
struct fleet *fleet_create(void);
void fleet_release(struct fleet *fleet); /* NULL is fine */

/* What a recording is. */
struct fleet_source {
    const struct timeline *timeline;
    const char *file, *identity; /* columns of `ranks` */
    char *const *stacks;         /* lines, by stack; NULL: there are none */
    bool summaries;              /* rows come from PROF_SUMMARY alone: there are no events */
    void (*done)(void *owner);   /* called when the timeline is needed no more; NULL: nothing is */
    void *owner;
};

/* Copies the texts. False: no memory, nothing was added. */
bool fleet_add(struct fleet *fleet, const struct fleet_source *source);

/* Rows of a table, by rank as far as they come from different recordings. The stream counts as a holder; nothing may be
 * added while there is one. False: no memory, `stream` is not touched, or there is no such table. */
bool fleet_stream_init(struct ArrowArrayStream *stream, struct fleet *fleet, const char *table);

/* "ranks" ...; NULL: there are no more. */
const char *fleet_table_name(unsigned number);

#ifdef __cplusplus
}
#endif
#endif

/* fleet_rows.h - recordings as rows of a dataset: the tables of docs/ranks.md in Arrow's C stream
 * interface.
 *
 * Each recording is swept on its own, so two files of one rank stay apart. Processes of a recording
 * that have one rank count as one. A process without a rank gets that of its file's name, such as
 * rank-3.json, or else a negative one that no other has.
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

#define FLEET_TABLES 13u

/* The number of the table "ranks" ...; FLEET_TABLES: there is none. */
unsigned fleet_table_find(const char *name);

/* Rows of a table by its number, by rank as far as they come from different recordings. The stream
 * counts as a holder; nothing may be added while there is one. False: no memory, `stream` is not
 * touched. */
bool fleet_stream_init(struct ArrowArrayStream *stream, struct fleet *fleet, unsigned table);

#ifdef __cplusplus
}
#endif
#endif

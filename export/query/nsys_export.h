/* nsys_export.h - the inside of write_sqlite(): what its parts share. */
#ifndef PROF_NSYS_EXPORT_H
#define PROF_NSYS_EXPORT_H

#include "database.h"
#include "global_ids.h"
#include "timeline.h"

enum nsys_table {
    NSYS_NVTX,
    NSYS_CALLS,
    NSYS_KERNELS,
    NSYS_COPIES,
    NSYS_SETS,
    NSYS_SYNCS,
    NSYS_GRAPHS,
    NSYS_MEMORY,
    NSYS_LAUNCHES,
    NSYS_ATTRIBUTES,
    NSYS_FAILED,
    NSYS_COUNTERS,
    NSYS_TIMINGS,
    NSYS_ALLOCATIONS,
    NSYS_OVERHEADS,
    NSYS_TABLES
};

struct nsys_export {
    const struct timeline *timeline;
    struct database *database;
    struct database_row *tables[NSYS_TABLES];
    struct global_ids ids;
    uint32_t *short_names; /* by name: id of what a kernel of that name is called for short; TL_NONE
                              not requested yet */
    struct database_row *strings;
    int64_t next_string;
    uint32_t *row_of_slice; /* row of NVTX_EVENTS, 0 none */
    int64_t *whole_end;     /* by slice: the end of its last segment; NULL: no range has several */
    uint32_t nvtx_rows;
    uint64_t next_range;
};

/* A value that may be TL_NONE: null then. */
static inline void row_known(struct database_row *row, uint32_t value)
{
    if (value == TL_NONE)
        row_null(row);
    else
        row_int(row, value);
}

/* Callbacks of the walk (struct exporter): `user` is the struct nsys_export. */
void nsys_on_gpu(void *user, uint32_t index);
void nsys_on_memory(void *user, uint32_t index);
void nsys_on_migration(void *user, uint32_t index);

/* Prepares what nsys_events_walk() writes. False: no memory; fini all the same. */
bool nsys_events_init(struct nsys_export *nsys);
void nsys_events_fini(struct nsys_export *nsys);

/* Everything that happened, in the order of time. False: no memory. */
bool nsys_events_walk(struct nsys_export *nsys);

/* Names, processes, threads, devices, domains, the ledger. */
void nsys_facts_write(struct nsys_export *nsys);

/* The tables of a database in the form that `nsys export --type sqlite` gives it, and ours
 * beside them.
 *
 * Names, columns and numbers of enumerations: "SQLite Schema Reference" of the Nsight Systems
 * Analysis Guide. Times are nanoseconds from TARGET_INFO_SESSION_START_TIME.utcEpochNs on.
 */

/* Scripts look at it to know which columns to expect: it is that of Nsight Systems 2026.1. */
#define NSYS_SCHEMA_VERSION "3.24.14"

/* ENUM_NSYS_EVENT_TYPE */
enum nsys_event_type {
    NSYS_CATEGORY = 33,
    NSYS_MARK = 34,
    NSYS_PUSH_POP = 59,
    NSYS_START_END = 60,
    NSYS_DOMAIN = 75,
};

extern const char nsys_tables[]; /* before anything is written */
extern const char nsys_enums[];  /* enumerations that scripts join with */
extern const char nsys_views[];  /* once all is */

#endif

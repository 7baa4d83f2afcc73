/* nsys_export.h - the inside of write_sqlite(): what its parts share. */
#ifndef PROF_NSYS_EXPORT_H
#define PROF_NSYS_EXPORT_H

#include "database.h"
#include "query_table.h"

/* Tables of events that SQL has, too, in the order in which they are created; then the others. */
enum nsys_table {
    NSYS_NVTX,
    NSYS_CALLS,
    NSYS_KERNELS,
    NSYS_COPIES,
    NSYS_SETS,
    NSYS_SYNCS,
    NSYS_GRAPHS,
    NSYS_SHARED,
    NSYS_MEMORY = NSYS_SHARED,
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
    struct query_data data; /* of the timeline */
    struct database_row *tables[NSYS_TABLES];
    uint32_t *row_of_slice; /* row of NVTX_EVENTS, 0 none */
    uint32_t nvtx_rows;
};

/* A value that may be TL_NONE: null then. */
static inline void row_known(struct database_row *row, uint32_t value)
{
    if (value == TL_NONE)
        row_null(row);
    else
        row_int(row, value);
}

/* nsys counts kinds of memory from 0 and calls what is unknown 7; CUPTI counts from 1. */
static inline int64_t nsys_memory_kind(uint8_t kind)
{
    if (kind == TL_MEMORY_HOST)
        return kind;
    return kind >= 1 && kind <= 7 ? kind - 1 : 7;
}

/* Creates all tables, and fills the enumerations that scripts join with. */
void nsys_create_tables(struct database *database);

/* The tables of SQL that have events, by number. */
extern const struct query_table *const nsys_shared[NSYS_SHARED];

/* The rows of a table that SQL has, too, as of database_prepare(). */
struct database_row *nsys_prepare(struct database *database, const struct query_table *table);

/* Writes one of them: an item of the table. */
void nsys_put(const struct query_data *data, struct database_row *row,
              const struct query_table *table, uint32_t item);

static inline void nsys_put_event(struct nsys_export *nsys, enum nsys_table table, uint32_t item)
{
    nsys_put(&nsys->data, nsys->tables[table], nsys_shared[table], item);
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

/* The tables of a database in the form that `nsys export --type sqlite` gives it, as query_nsys.c
 * describes them, and ours beside them.
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

extern const char nsys_enums[]; /* enumerations that scripts join with */
extern const char nsys_views[]; /* once all is */

#endif

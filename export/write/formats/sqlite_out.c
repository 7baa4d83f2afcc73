/* sqlite_out.c - the timeline as a database in nsys's form: see nsys_schema.h. */
#include "formats.h"
#include "nsys_export.h"
#include "nsys_schema.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Machine in bits 48 to 55, pid in 24 to 47: see nsys_global_tid(). */
static bool number_processes(struct nsys_export *nsys)
{
    const struct timeline *timeline = nsys->timeline;
    nsys->global_pids = malloc((timeline->processes.count + 1u) * sizeof *nsys->global_pids);
    if (!nsys->global_pids)
        return false;
    for (uint32_t i = 0; i < timeline->processes.count; i++) {
        int64_t pid = timeline->processes.at[i].info.pid & 0xffffff, machine = 0;
        for (uint32_t k = 0; k < i; k++)
            machine += (nsys->global_pids[k] >> 24 & 0xffffff) == pid;
        nsys->global_pids[i] = (machine & 0xff) << 48 | pid << 24;
    }
    return true;
}

static bool write_all(struct nsys_export *nsys)
{
    if (!number_processes(nsys))
        return false;
    database_run(nsys->database, nsys_tables);
    database_run(nsys->database, nsys_enums);
    bool written = nsys_events_init(nsys) && nsys_events_walk(nsys);
    if (written)
        nsys_facts_write(nsys);
    nsys_events_fini(nsys);
    free(nsys->global_pids);
    database_run(nsys->database, nsys_views);
    return written;
}

bool write_sqlite(const struct timeline *timeline, const char *path, struct write_error *error)
{
    struct database database;
    struct nsys_export nsys = {.timeline = timeline, .database = &database};
    if (!database_open(&database, path, error))
        return false;
    bool written = write_all(&nsys);
    bool in_place = database_close(&database, written, error);
    if (!written) {
        error->code = ENOMEM;
        snprintf(error->message, sizeof error->message, "%s: cannot write: %s", path,
                 strerror(ENOMEM));
    }
    return in_place;
}

/* cmd_sqlite.c - profdump --sqlite OUT FILE...: the timeline as a database. */
#include "profdump.h"

#include <stdlib.h>

int cmd_sqlite(const struct profdump_options *options, const struct timeline *timeline,
               const char *path)
{
#ifdef PROF_WRITES_SQLITE
    struct write_error error;
    cleanup_on_signals();
    if (write_sqlite(timeline, path, &error))
        return finish(options, timeline, true);
    complain("%s", error.message);
#else
    (void)options, (void)timeline;
    complain("%s: cannot write: this profdump was built without SQLite", path);
#endif
    return EXIT_FAILURE;
}

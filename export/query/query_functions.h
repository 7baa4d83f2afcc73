/* query_functions.h - what SQL has beside SQLite's own functions. */
#ifndef PROF_QUERY_FUNCTIONS_H
#define PROF_QUERY_FUNCTIONS_H

#include <sqlite3.h>

struct query_function {
    const char *usage; /* "percentile(x, p)" */
    const char *meaning;
};

/* Ends with a NULL usage. */
extern const struct query_function query_functions[];

/* Returns SQLite's result. */
int query_functions_register(sqlite3 *sqlite);

#endif

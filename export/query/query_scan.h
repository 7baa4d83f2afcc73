/* query_scan.h - the tables of query_table.h as virtual tables of SQLite. */
#ifndef PROF_QUERY_SCAN_H
#define PROF_QUERY_SCAN_H

#include "query_data.h"

/* Makes all tables known to a database. They are there without being created. `data` must outlive it. Returns
 * SQLite's result. */
int query_scan_register(sqlite3 *sqlite, struct query_data *data);

#endif

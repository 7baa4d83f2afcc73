/* sqlite_sample.h - databases as nvprof and nsys write them, for tests: their tables, a few rows.
 *
 * Only where libsqlite3 is (PROF_HAVE_SQLITE).
 */
#ifndef PROF_SQLITE_SAMPLE_H
#define PROF_SQLITE_SAMPLE_H

#ifdef PROF_HAVE_SQLITE
#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* When the samples' time begins, since the epoch. */
#define SQLITE_SAMPLE_NS INT64_C(1600000000000000000)

/* An empty database in memory. Close it with sqlite3_close(). */
sqlite3 *sqlite_sample_open(void);

/* Runs the statements; what fails ends the program. */
void sqlite_sample_run(sqlite3 *database, const char *statements);

/* One process of two threads, two kernels, copies. `version` 9 or 14 of the schema. */
void sqlite_sample_nvprof(sqlite3 *database, int version);

/* The tables of an export, and their rows: two processes whose correlation ids are the same. `modern`:
 * of 2024, otherwise of 2019. */
void sqlite_sample_nsys(sqlite3 *database, int modern);

/* The file that the database would be; free() it. */
uint8_t *sqlite_sample_bytes(sqlite3 *database, size_t *size);

#ifdef __cplusplus
}
#endif
#endif
#endif

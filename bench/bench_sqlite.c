/* bench_sqlite.c - a timeline written as a database, against a loop that inserts as many rows of as many
 * columns into bare tables.
 *
 *     bench_sqlite [EVENTS]
 *
 * The events are those of large_trace.h. Both write fresh files without a journal. The goal: 80 % of the
 * loop's rate.
 */
#include "bench.h"
#include "large_trace.h"
#include "query.h"
#include "read.h"
#include "timeline.h"

#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#define EVENTS_DEFAULT 1000000u
#define ROUNDS 3

static void fail(const char *what)
{
    fprintf(stderr, "bench_sqlite: %s\n", what);
    exit(1);
}

/* A table of so many whole numbers, `rows` times. */
static void insert_rows(sqlite3 *database, const char *name, int columns, uint32_t rows)
{
    char sql[600] = "";
    sqlite3_stmt *statement;
    snprintf(sql, sizeof sql, "CREATE TABLE %s(c0 INTEGER", name);
    for (int i = 1; i < columns; i++)
        snprintf(sql + strlen(sql), sizeof sql - strlen(sql), ", c%d INTEGER", i);
    strcat(sql, ")");
    sqlite3_exec(database, sql, NULL, NULL, NULL);
    snprintf(sql, sizeof sql, "INSERT INTO %s VALUES(?", name);
    for (int i = 1; i < columns; i++)
        strcat(sql, ",?");
    strcat(sql, ")");
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK)
        fail(sqlite3_errmsg(database));
    for (uint32_t i = 0; i < rows; i++) {
        sqlite3_bind_int64(statement, 1, (int64_t)i * 5000);
        sqlite3_bind_int64(statement, 2, (int64_t)i * 5000 + 4000);
        for (int k = 3; k <= columns; k++)
            sqlite3_bind_int64(statement, k, k < 6 ? (int64_t)i : k * 16);
        sqlite3_step(statement);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
}

static double time_floor(const char *path, uint32_t events)
{
    sqlite3 *database;
    double start = bench_now_ns();
    unlink(path);
    if (sqlite3_open(path, &database) != SQLITE_OK)
        fail("the database cannot be opened");
    sqlite3_exec(database, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN", NULL, NULL,
                 NULL);
    insert_rows(database, "ranges", 10, events / 2);
    insert_rows(database, "calls", 7, events / 4);
    insert_rows(database, "launches", 3, events / 4);
    insert_rows(database, "kernels", 26, events / 4);
    sqlite3_exec(database, "COMMIT; CREATE INDEX by_c1 ON launches(c1)", NULL, NULL, NULL);
    sqlite3_close(database);
    return bench_now_ns() - start;
}

static double time_ours(const struct timeline *timeline, const char *path)
{
    struct write_error error;
    double start = bench_now_ns();
    unlink(path);
    if (!write_sqlite(timeline, path, &error))
        fail(error.message);
    return bench_now_ns() - start;
}

int main(int argc, char **argv)
{
    const char *folder = getenv("TMPDIR");
    char trace[4000], path[4000];
    const char *paths[] = {trace};
    struct read_error error;
    uint32_t events = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : EVENTS_DEFAULT;
    snprintf(trace, sizeof trace, "%s/bench_sqlite-%d.prof", folder ? folder : "/tmp",
             (int)getpid());
    snprintf(path, sizeof path, "%s/bench_sqlite-%d.sqlite", folder ? folder : "/tmp",
             (int)getpid());
    if (!large_trace_write(trace, events, false, 0))
        fail("the trace cannot be written");
    struct timeline *timeline = timeline_load(paths, 1, false, &error);
    if (!timeline)
        fail(error.message);
    double floor_ns = 1e30, ours_ns = 1e30;
    for (int round = 0; round < ROUNDS; round++) {
        double a = time_floor(path, events), b = time_ours(timeline, path);
        floor_ns = a < floor_ns ? a : floor_ns;
        ours_ns = b < ours_ns ? b : ours_ns;
    }
    printf("%u events: bare loop %.3f s, -o OUT.sqlite %.3f s: %.0f %% of its rate\n", events,
           floor_ns / 1e9, ours_ns / 1e9, 100 * floor_ns / ours_ns);
    timeline_destroy(timeline);
    unlink(path);
    unlink(trace);
    return 0;
}

/* bench_read_sqlite.c - databases of nvprof and nsys, read into the model.
 *
 *     bench_read_sqlite [ROWS [NVPROF_FILE]]
 *
 * The nsys file is made here: half of its rows are calls, three tenths kernels, the rest ranges. The
 * floor is what SQLite itself takes: a prepared statement per table, each column of each row fetched,
 * nothing kept. Both take turns. Goals: the nvprof file in 50 ms.
 */
#include "bench.h"

#ifdef PROF_HAVE_SQLITE
#include "foreign.h"
#include "timeline.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <unistd.h>

#define ROUNDS 9
#define ROWS_DEFAULT 1000000

static const char tables[] =
    "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;"
    "CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, eventClass INTEGER, "
    "globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER, callchainId "
    "INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER, "
    "contextId "
    "INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, "
    "shortName INTEGER, registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, "
    "blockX INTEGER, blockY INTEGER, blockZ INTEGER, staticSharedMemory INTEGER, "
    "dynamicSharedMemory INTEGER, localMemoryPerThread INTEGER);"
    "CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid "
    "INTEGER, textId INTEGER, domainId INTEGER);"
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99) "
    "INSERT INTO StringIds SELECT i, CASE i WHEN 0 THEN 'cudaLaunchKernel_v7000' ELSE "
    "'void kernel_' || i || '<float>(float *, int)' END FROM n;";

static void run(sqlite3 *database, const char *statements)
{
    char *error = NULL;
    if (sqlite3_exec(database, statements, NULL, NULL, &error) == SQLITE_OK)
        return;
    fprintf(stderr, "%s\n", error);
    exit(1);
}

static void fill(sqlite3 *database, const char *rows, long count)
{
    char statement[1024];
    snprintf(statement, sizeof statement,
             "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %ld) %s",
             count - 1, rows);
    run(database, statement);
}

static void make_nsys(const char *path, long rows)
{
    sqlite3 *database;
    if (sqlite3_open(path, &database) != SQLITE_OK)
        exit(1);
    run(database, tables);
    fill(database,
         "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 1000 + i * 100, 1040 + i * 100, 0, "
         "281483382095883 + i % 4, i + 1, 0, 0, NULL FROM n",
         rows / 2);
    fill(database,
         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 1050 + i * 100, 1090 + i * 100, 0, 1, 7, i "
         "+ 1, "
         "281483382095872, 1 + i % 99, 1 + i % 99, 32, 128 + i % 64, 1, 1, 256, 1, 1, 0, 0, 0 FROM "
         "n",
         rows * 3 / 10);
    fill(database,
         "INSERT INTO NVTX_EVENTS SELECT 900 + i * 250, 1140 + i * 250, 59, 'layer ' || i % 500, "
         "281483382095883 + i % 4, NULL, 0 FROM n",
         rows / 5);
    run(database, "COMMIT");
    sqlite3_close(database);
}

/* Every column of the tables that the reader reads, as what it is. */
static void floor_read(const char *path)
{
    static const char *const queries[] = {
        "SELECT id, value FROM StringIds",
        "SELECT start, end, globalTid, correlationId, nameId, returnValue FROM "
        "CUPTI_ACTIVITY_KIND_RUNTIME",
        "SELECT start, end, deviceId, contextId, streamId, correlationId, globalPid, "
        "demangledName, "
        "gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread, staticSharedMemory, "
        "dynamicSharedMemory, localMemoryPerThread FROM CUPTI_ACTIVITY_KIND_KERNEL",
        "SELECT start, end, eventType, globalTid, textId, domainId, text FROM NVTX_EVENTS"};
    sqlite3 *database;
    sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        sqlite3_stmt *statement;
        sqlite3_prepare_v2(database, queries[i], -1, &statement, NULL);
        int columns = sqlite3_column_count(statement);
        bool text = i == 0 || i == 3;
        while (sqlite3_step(statement) == SQLITE_ROW)
            for (int column = 0; column < columns; column++) {
                if (text && column == columns - 1)
                    __asm__ volatile("" : : "r"(sqlite3_column_text(statement, column)));
                else
                    __asm__ volatile("" : : "r"(sqlite3_column_int64(statement, column)));
            }
        sqlite3_finalize(statement);
    }
    sqlite3_close(database);
}

static double seconds_since(double start_ns)
{
    return (bench_now_ns() - start_ns) / 1e9;
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, bench_compare);
    return values[count / 2];
}

struct reading {
    double open_s, model_s; /* the file; the timeline of it */
};

static struct reading read_file(const char *path)
{
    struct read_error error;
    double start_ns = bench_now_ns();
    struct builder *builder = builder_begin();
    struct trace_file *file = foreign_open(path, false, builder, &error);
    struct reading reading = {.open_s = seconds_since(start_ns)};
    start_ns = bench_now_ns();
    struct timeline *timeline = file ? timeline_from_files(builder, &file, 1, &error) : NULL;
    if (!file)
        builder_abandon(builder);
    reading.model_s = seconds_since(start_ns);
    if (!timeline) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    timeline_destroy(timeline);
    trace_file_close(file);
    return reading;
}

static void bench_nsys(long rows)
{
    char path[] = "/tmp/bench_nsys_XXXXXX";
    double floors[ROUNDS], opens[ROUNDS], models[ROUNDS], ratios[ROUNDS];
    int descriptor = mkstemp(path);
    if (descriptor < 0)
        exit(1);
    close(descriptor);
    make_nsys(path, rows);
    for (int i = 0; i < ROUNDS; i++) {
        double start_ns = bench_now_ns();
        floor_read(path);
        floors[i] = seconds_since(start_ns);
        struct reading reading = read_file(path);
        opens[i] = reading.open_s;
        models[i] = reading.model_s;
        ratios[i] = reading.open_s / floors[i];
    }
    unlink(path);
    double floor_s = median(floors, ROUNDS), open_s = median(opens, ROUNDS);
    printf("nsys, %ld rows: statements alone %.2f M rows/s, reader %.2f M rows/s (%.2fx the time), "
           "timeline of it %.0f ms\n",
           rows, (double)rows / floor_s / 1e6, (double)rows / open_s / 1e6, median(ratios, ROUNDS),
           median(models, ROUNDS) * 1e3);
}

static void bench_nvprof(const char *path)
{
    double times[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        struct reading reading = read_file(path);
        times[i] = reading.open_s + reading.model_s;
    }
    printf("%s: %.1f ms into the model (goal 50)\n", path, median(times, ROUNDS) * 1e3);
}

int main(int count, char **arguments)
{
    long rows = count > 1 ? atol(arguments[1]) : ROWS_DEFAULT;
    bench_nsys(rows > 9 ? rows : ROWS_DEFAULT);
    if (count > 2)
        bench_nvprof(arguments[2]);
    return 0;
}
#else
int main(void)
{
    puts("built without libsqlite3");
    return 0;
}
#endif

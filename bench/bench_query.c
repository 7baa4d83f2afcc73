/* bench_query.c - SQL over a timeline: grouping kernels by name against key averages of the same kernels and against
 * SQLite itself with the rows in a table in memory, and what conditions spare.
 *
 *     bench_query [KERNELS [PART OF A LINE]]
 *
 * Kernels are of 16 streams and 500 names. SQLite's own table has nothing but the name, stream, start and duration, and its rows
 * are there before the clock starts: it is what SQLite alone takes.
 */
#include "bench.h"
#include "key_averages.h"
#include "query.h"

#include <sqlite3.h>
#include <string.h>

#define KERNELS_DEFAULT 10000000u
#define ROUNDS 3
#define NAMES 500u
#define STREAMS 16u

static char texts[NAMES][64];
static struct text names[NAMES];
static struct tl_process process;
static struct tl_thread thread;
static struct tl_stream streams[STREAMS];
static struct tl_kernel detail;

static struct tl_gpu kernel_at(uint32_t i, uint32_t each)
{
    uint32_t stream = i / each < STREAMS ? i / each : STREAMS - 1;
    int64_t start_ns = (int64_t)(i - stream * each) * 1000;
    return (struct tl_gpu){.start_ns = start_ns,
                           .end_ns = start_ns + 500 + i % 400,
                           .name = i * 7919u % NAMES,
                           .slice = TL_NONE,
                           .stream = stream,
                           .correlation = i + 1,
                           .kind = TL_KERNEL};
}

static void make_timeline(struct timeline *timeline, uint32_t count)
{
    uint32_t each = count / STREAMS;
    for (unsigned i = 0; i < NAMES; i++)
        names[i] =
            (struct text){texts[i], (size_t)snprintf(texts[i], sizeof texts[i],
                                                     "void ns::kernel<float, %u>(float*)", i)};
    *timeline = (struct timeline){.end_ns = (int64_t)each * 1000};
    timeline->names.at = names, timeline->names.count = NAMES;
    timeline->processes.at = &process, timeline->processes.count = 1;
    timeline->threads.at = &thread, timeline->threads.count = 1;
    timeline->streams.at = streams, timeline->streams.count = STREAMS;
    timeline->kernels.at = &detail, timeline->kernels.count = 1;
    timeline->gpus.at = malloc(count * sizeof *timeline->gpus.at), timeline->gpus.count = count;
    if (!timeline->gpus.at)
        exit(1);
    for (uint32_t i = 0; i < STREAMS; i++)
        streams[i] = (struct tl_stream){.stream = i,
                                        .first_gpu = i * each,
                                        .gpu_count = i + 1 < STREAMS ? each : count - i * each};
    for (uint32_t i = 0; i < count; i++)
        timeline->gpus.at[i] = kernel_at(i, each);
}

/* CPU time: nothing here waits, and machines have other things to do. */
static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double time_averages(const struct timeline *timeline)
{
    struct key_averages averages;
    double start = now_ns();
    if (!key_averages_init(&averages, timeline))
        exit(1);
    double ns = now_ns() - start;
    key_averages_fini(&averages);
    return ns;
}

static double time_query(const struct timeline *timeline, const char *sql)
{
    double start = now_ns();
    struct query *query = query_create(timeline);
    if (!query || !query_begin(query, sql))
        exit(1);
    while (query_next(query))
        continue;
    query_destroy(query);
    return now_ns() - start;
}

static sqlite3 *make_table(const struct timeline *timeline)
{
    sqlite3 *sqlite;
    sqlite3_stmt *insert;
    if (sqlite3_open(":memory:", &sqlite) != SQLITE_OK)
        exit(1);
    sqlite3_exec(sqlite,
                 "CREATE TABLE kernels(name TEXT, stream INTEGER, start INTEGER, duration INTEGER);"
                 "BEGIN",
                 NULL, NULL, NULL);
    sqlite3_prepare_v2(sqlite, "INSERT INTO kernels VALUES(?, ?, ?, ?)", -1, &insert, NULL);
    for (uint32_t i = 0; i < timeline->gpus.count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        sqlite3_bind_text(insert, 1, texts[gpu->name], -1, SQLITE_STATIC);
        sqlite3_bind_int64(insert, 2, gpu->stream);
        sqlite3_bind_int64(insert, 3, gpu->start_ns);
        sqlite3_bind_int64(insert, 4, gpu->end_ns - gpu->start_ns);
        sqlite3_step(insert);
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    sqlite3_exec(sqlite, "COMMIT", NULL, NULL, NULL);
    return sqlite;
}

static double time_sqlite(sqlite3 *sqlite, const char *sql)
{
    sqlite3_stmt *statement;
    double start = now_ns();
    if (sqlite3_prepare_v2(sqlite, sql, -1, &statement, NULL) != SQLITE_OK)
        exit(1);
    while (sqlite3_step(statement) == SQLITE_ROW)
        continue;
    sqlite3_finalize(statement);
    return now_ns() - start;
}

static const char *wanted = "";

static void compare(const struct timeline *timeline, sqlite3 *sqlite, const char *what,
                    const char *sql)
{
    double best[3] = {1e30, 1e30, 1e30}, count = timeline->gpus.count;
    if (!strstr(what, wanted))
        return;
    for (int round = 0; round < ROUNDS; round++) {
        double times[] = {time_averages(timeline), time_query(timeline, sql),
                          time_sqlite(sqlite, sql)};
        for (int i = 0; i < 3; i++)
            best[i] = times[i] < best[i] ? times[i] : best[i];
    }
    printf("%-34s %7.1f ns a kernel  %6.2fx key averages  %6.3fx SQLite's own table\n", what,
           best[1] / count, best[1] / best[0], best[1] / best[2]);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct timeline timeline;
    uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : KERNELS_DEFAULT;
    wanted = argc > 2 ? argv[2] : "";
    if (count < STREAMS)
        return 1;
    make_timeline(&timeline, count);
    sqlite3 *sqlite = make_table(&timeline);
    printf("%u kernels; key averages take %.1f ns each\n", count, time_averages(&timeline) / count);
    compare(&timeline, sqlite, "group by name: count, sum, avg",
            "SELECT name, count(*), sum(duration), avg(duration) FROM kernels GROUP BY name");
    compare(&timeline, sqlite, "the same, row by row",
            "SELECT name, count(*), sum(duration), avg(duration) FROM kernels GROUP BY name /* */");
    compare(&timeline, sqlite, "group by stream: count, sum",
            "SELECT stream, count(*), sum(duration) FROM kernels GROUP BY stream");
    compare(&timeline, sqlite, "count(*)", "SELECT count(*) FROM kernels");
    compare(&timeline, sqlite, "sum(duration)", "SELECT sum(duration) FROM kernels");
    compare(&timeline, sqlite, "the ten longest",
            "SELECT name, start, duration FROM kernels ORDER BY duration DESC LIMIT 10");
    compare(&timeline, sqlite, "sum where name = one of 500",
            "SELECT sum(duration) FROM kernels WHERE name = 'void ns::kernel<float, 77>(float*)'");
    compare(&timeline, sqlite, "sum where duration > all",
            "SELECT sum(duration) FROM kernels WHERE duration > 898");
    compare(&timeline, sqlite, "sum where stream = one of 16",
            "SELECT sum(duration) FROM kernels WHERE stream = 5");
    compare(&timeline, sqlite, "sum in a thousandth of the time",
            "SELECT sum(duration) FROM kernels WHERE start >= 100000 AND start < 725000");
    sqlite3_close(sqlite);
    free(timeline.gpus.at);
    return 0;
}

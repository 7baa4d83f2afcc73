#include "query.h"

#include "array.h"
#include "nsys_export.h"
#include "percentile.h"
#include "query_groups.h"
#include "units.h"

#include <stdlib.h>

const struct query_table *const query_tables[] = {
    &query_processes,      &query_threads,     &query_slices,
    &query_async_ranges,   &query_marks,       &query_counters,
    &query_attributes,     &query_frames,      &query_operations,
    &query_kernels,        &query_memcpys,     &query_memsets,
    &query_syncs,          &query_graph_runs,  &query_overheads,
    &query_graph_launches, &query_timings,     &query_devices,
    &query_streams,        &query_allocations, &query_heaps,
    &query_migrations,     &query_blocks,      &query_losses,
    &query_ledger,         &query_summary,     &query_summary_steps,
    &query_samples,        &query_step_times,  &query_recordings,
    &query_strings,        &query_meta,        &nsys_kernels,
    &nsys_memcpys,         &nsys_memsets,      &nsys_syncs,
    &nsys_graph_traces,    &nsys_runtime,      &nsys_nvtx,
    &nsys_strings,         &nsys_thread_names, NULL,
};

const struct query_function query_functions[] = {
    {"percentile(x, p)", "of a group, p from 0 to 100, interpolated as numpy.percentile does; NULL "
                         "values are left out"},
    {"median(x)", "percentile(x, 50)"},
    {"duration(ns)", "a readable time: 1234567 is \"1.235ms\""},
    {"bytes_text(n)", "a readable size: 1536 is \"1.50 KB\""},
    {0},
};

/* ---- functions: percentiles ---- */

struct values {
    double *at;
    uint32_t count, capacity;
    double percent;
    bool begun, failed;
};

static void add_value(sqlite3_context *context, sqlite3_value *value, double percent)
{
    struct values *values = sqlite3_aggregate_context(context, sizeof *values);
    if (!values) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (values->begun && values->percent != percent)
        sqlite3_result_error(context, "percentile(): p must be the same for all rows", -1);
    values->begun = true;
    values->percent = percent;
    if (sqlite3_value_type(value) == SQLITE_NULL)
        return;
    double *added = ARRAY_ADD(values);
    if (added)
        *added = sqlite3_value_double(value);
    else
        values->failed = true;
}

static void percentile_step(sqlite3_context *context, int count, sqlite3_value **values)
{
    double percent = sqlite3_value_double(values[1]);
    (void)count;
    if (sqlite3_value_numeric_type(values[1]) == SQLITE_NULL || !(percent >= 0 && percent <= 100))
        sqlite3_result_error(context, "percentile(): p is from 0 to 100", -1);
    else
        add_value(context, values[0], percent);
}

static void median_step(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    add_value(context, values[0], 50);
}

static void percentile_final(sqlite3_context *context)
{
    struct values *values = sqlite3_aggregate_context(context, 0);
    if (!values)
        return;
    if (values->failed) {
        sqlite3_result_error_nomem(context);
    } else if (values->count) {
        percentile_sort(values->at, values->count);
        sqlite3_result_double(context, percentile_of(values->at, values->count, values->percent));
    }
    free(values->at);
}

/* ---- functions: text for people ---- */

static void put_duration(sqlite3_context *context, int count, sqlite3_value **values)
{
    char text[TIME_TEXT_BYTES];
    (void)count;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL)
        return;
    double ns = sqlite3_value_double(values[0]);
    text[0] = '-';
    time_text(ns < 0 ? -ns : ns, text + (ns < 0));
    sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static void put_bytes(sqlite3_context *context, int count, sqlite3_value **values)
{
    char text[BYTES_TEXT_BYTES];
    (void)count;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL)
        return;
    bytes_text(sqlite3_value_int64(values[0]), text);
    sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static int register_functions(sqlite3 *sqlite)
{
    static const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int result = sqlite3_create_function_v2(sqlite, "percentile", 2, flags, NULL, NULL,
                                            percentile_step, percentile_final, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_create_function_v2(sqlite, "median", 1, flags, NULL, NULL, median_step,
                                            percentile_final, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_create_function_v2(sqlite, "duration", 1, flags, NULL, put_duration, NULL,
                                            NULL, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_create_function_v2(sqlite, "bytes_text", 1, flags, NULL, put_bytes, NULL,
                                            NULL, NULL);
    return result;
}

struct query {
    sqlite3 *sqlite;
    struct query_data data;
    sqlite3_stmt *statement;
    sqlite3_stmt *over_groups; /* gives the rows in its place; NULL none */
    char *error;               /* SQLite's; NULL none */
    const char *refusal;
    int error_offset; /* into the statement; -1 unknown */
    bool failed;
};

/* The views of `views` that people query. */
static const char *const slice_views[] = {"ranges", "calls"};

bool query_column_is_stored(const struct query *query, uint32_t column)
{
    return sqlite3_column_decltype(query->statement, (int)column) != NULL;
}

const struct timeline *query_timeline(const struct query *query)
{
    return query->data.timeline;
}

const char *query_table_name(size_t table)
{
    const size_t tables = sizeof query_tables / sizeof *query_tables - 1;
    if (table < tables)
        return query_tables[table]->name;
    return table - tables < sizeof slice_views / sizeof *slice_views ? slice_views[table - tables]
                                                                     : NULL;
}

const char *query_column_of(size_t table, size_t column)
{
    const size_t tables = sizeof query_tables / sizeof *query_tables - 1;
    const struct query_table *of = table < tables ? query_tables[table] : &query_slices;
    return column < of->column_count ? of->columns[column].name : NULL;
}

int64_t query_id(const struct query_data *data, uint32_t item)
{
    (void)data;
    return item;
}

int64_t query_null(const struct query_data *data, uint32_t item)
{
    (void)data, (void)item;
    return QUERY_NULL;
}

/* ---- what statements may do ---- */

/* Pragmas that only read. */
static bool is_harmless(const char *pragma)
{
    static const char *const readable[] = {"table_info", "table_xinfo", "table_list",
                                           "function_list", "module_list"};
    for (size_t i = 0; i < sizeof readable / sizeof *readable; i++)
        if (sqlite3_stricmp(pragma, readable[i]) == 0)
            return true;
    return false;
}

static int authorize(void *user, int action, const char *first, const char *second,
                     const char *database, const char *inside)
{
    const struct query_data *data = user;
    (void)second, (void)database, (void)inside;
    if (data->declares)
        return SQLITE_OK;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_PRAGMA:
        return is_harmless(first) ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

static int restrict_statements(struct query *query)
{
    sqlite3_limit(query->sqlite, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_db_config(query->sqlite, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    return sqlite3_set_authorizer(query->sqlite, authorize, &query->data);
}

/* ---- one query after the other ---- */

/* Slices of one kind; and tables of nsys that are about all of a recording, and too small for a
 * scan of their own. */
static const char views[] =
    "CREATE VIEW ranges AS SELECT * FROM slices WHERE kind <> 'call';"
    "CREATE VIEW calls AS SELECT * FROM slices WHERE kind = 'call';"
    "CREATE VIEW TARGET_INFO_SESSION_START_TIME AS SELECT value AS utcEpochNs, "
    "strftime('%Y-%m-%dT%H:%M:%SZ', value / 1000000000, 'unixepoch') AS utcTime, "
    "NULL AS localTime FROM meta WHERE name = 'base_utc_ns';"
    "CREATE VIEW TARGET_INFO_GPU AS SELECT device AS id, min(name) AS name, l2 AS l2CacheSize, "
    "memory AS totalMemory, memory_bandwidth AS memoryBandwidth, clock AS clockRate, "
    "multiprocessors AS smCount, device AS cuDevice, compute_major AS computeMajor, "
    "compute_minor AS computeMinor FROM devices GROUP BY device;";

static int open_database(struct query *query)
{
    int result =
        sqlite3_open_v2(":memory:", &query->sqlite,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    if (result == SQLITE_OK)
        result = query_scan_register(query->sqlite, &query->data);
    if (result == SQLITE_OK)
        result = register_functions(query->sqlite);
    if (result == SQLITE_OK)
        result = sqlite3_exec(query->sqlite, nsys_enums, NULL, NULL, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_exec(query->sqlite, views, NULL, NULL, NULL);
    return result == SQLITE_OK ? restrict_statements(query) : result;
}

struct query *query_create(const struct timeline *timeline)
{
    struct query *query = calloc(1, sizeof *query);
    if (query && query_data_init(&query->data, timeline) && query_data_init_scans(&query->data) &&
        open_database(query) == SQLITE_OK)
        return query;
    query_destroy(query);
    return NULL;
}

void query_destroy(struct query *query)
{
    if (!query)
        return;
    sqlite3_finalize(query->over_groups);
    sqlite3_finalize(query->statement);
    sqlite3_close(query->sqlite);
    query_data_fini(&query->data);
    sqlite3_free(query->error);
    free(query);
}

/* From SQLite 3.38 on. */
static int find_offset(sqlite3 *sqlite)
{
#if SQLITE_VERSION_NUMBER >= 3038000
    return sqlite3_error_offset(sqlite);
#else
    (void)sqlite;
    return -1;
#endif
}

static bool fail(struct query *query, const char *refusal)
{
    query->failed = true;
    query->error_offset = -1;
    query->refusal = refusal;
    sqlite3_free(query->error);
    query->error = refusal ? NULL : sqlite3_mprintf("%s", sqlite3_errmsg(query->sqlite));
    return false;
}

/* Whether there is another statement; comments and blanks are none. What is wrong in it counts,
 * too. */
static bool goes_on(struct query *query, const char *sql)
{
    while (*sql) {
        sqlite3_stmt *another = NULL;
        int result = sqlite3_prepare_v2(query->sqlite, sql, -1, &another, &sql);
        sqlite3_finalize(another);
        if (another || result != SQLITE_OK)
            return true;
    }
    return false;
}

static void drop_groups(struct query *query)
{
    sqlite3_finalize(query->over_groups);
    query->over_groups = NULL;
    query->data.declares = true;
    sqlite3_exec(query->sqlite, "DROP TABLE IF EXISTS " GROUPS_TABLE, NULL, NULL, NULL);
    query->data.declares = false;
}

/* Groups that SQLite would have found in the order in which it asked for the rows. */
static bool make_groups(struct query *query, const struct grouping *grouping)
{
    struct groups groups;
    bool made = groups_init(&groups, grouping, &query->data, query->data.descends);
    if (made) {
        query->data.declares = true;
        made = groups_store(&groups, &query->data, query->sqlite) == SQLITE_OK;
        query->data.declares = false;
    }
    groups_fini(&groups);
    return made;
}

/* Where the statement, which was just prepared, only groups rows, answers it from groups. Else, and
 * without memory, it stays as it is. */
static void group(struct query *query, struct text sql)
{
    struct grouping grouping;
    struct text_out rewritten = {0};
    sqlite3_stmt *made = NULL;
    if (grouping_read(&grouping, &query->data, sql, &rewritten) &&
        (!grouping.key_count || query->data.order_count == (int)grouping.key_count) &&
        make_groups(query, &grouping) &&
        sqlite3_prepare_v2(query->sqlite, rewritten.bytes, -1, &made, NULL) == SQLITE_OK &&
        sqlite3_column_count(made) == sqlite3_column_count(query->statement))
        query->over_groups = made;
    else
        sqlite3_finalize(made);
    text_out_fini(&rewritten);
}

bool query_begin(struct query *query, const char *sql)
{
    const char *rest = NULL, *from = sql;
    drop_groups(query);
    sqlite3_finalize(query->statement);
    query->statement = NULL;
    query->failed = false;
    while (!query->statement && (!rest || *rest)) {
        from = rest ? rest : sql;
        if (sqlite3_prepare_v2(query->sqlite, from, -1, &query->statement, &rest) != SQLITE_OK) {
            int offset = find_offset(query->sqlite);
            fail(query, NULL);
            query->error_offset = offset < 0 ? -1 : (int)(from - sql) + offset;
            return false;
        }
    }
    if (!query->statement)
        return fail(query, "there is no statement");
    if (goes_on(query, rest))
        return fail(query, "one statement at a time");
    if (!sqlite3_stmt_readonly(query->statement))
        return fail(query, "statements can only read");
    group(query, (struct text){from, (size_t)(rest - from)});
    return true;
}

bool query_next(struct query *query)
{
    sqlite3_stmt *rows = query->over_groups ? query->over_groups : query->statement;
    int result = rows && !query->failed ? sqlite3_step(rows) : SQLITE_DONE;
    return result == SQLITE_ROW || (result != SQLITE_DONE && fail(query, NULL));
}

bool query_failed(const struct query *query)
{
    return query->failed;
}

const char *query_error(const struct query *query)
{
    if (query && query->refusal)
        return query->refusal;
    return query && query->error ? query->error : "out of memory";
}

int query_error_offset(const struct query *query)
{
    return query ? query->error_offset : -1;
}

uint32_t query_column_count(const struct query *query)
{
    return (uint32_t)sqlite3_column_count(query->statement);
}

const char *query_column_name(const struct query *query, uint32_t column)
{
    const char *name = sqlite3_column_name(query->statement, (int)column);
    return name ? name : "";
}

struct query_cell query_cell(const struct query *query, uint32_t column)
{
    static const enum query_cell_type types[] = {[SQLITE_INTEGER] = QUERY_CELL_INTEGER,
                                                 [SQLITE_FLOAT] = QUERY_CELL_REAL,
                                                 [SQLITE_TEXT] = QUERY_CELL_TEXT,
                                                 [SQLITE_BLOB] = QUERY_CELL_BYTES,
                                                 [SQLITE_NULL] = QUERY_CELL_NULL};
    sqlite3_stmt *statement = query->over_groups ? query->over_groups : query->statement;
    int number = (int)column;
    struct query_cell cell = {.type = types[sqlite3_column_type(statement, number)]};
    if (cell.type == QUERY_CELL_INTEGER)
        cell.integer = sqlite3_column_int64(statement, number);
    else if (cell.type == QUERY_CELL_REAL)
        cell.real = sqlite3_column_double(statement, number);
    else if (cell.type != QUERY_CELL_NULL)
        cell.text = (struct text){sqlite3_column_blob(statement, number),
                                  (size_t)sqlite3_column_bytes(statement, number)};
    return cell;
}

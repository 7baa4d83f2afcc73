/* query_table.h - the tables of SQL, described once: names, units and meanings are what SQLite
 * declares, what `profdump query --schema` prints and what docs/query.md has. -o OUT.sqlite writes
 * those of nsys.
 *
 * A table is an array of the timeline, or a part of one: rows are items of it. A cell is a function
 * of the item that returns 64 bits, so that the scan (query_scan.c) can compare, sort and look up
 * without SQLite's help.
 */
#ifndef PROF_QUERY_TABLE_H
#define PROF_QUERY_TABLE_H

#include "global_ids.h"
#include "memory_use.h"
#include "slice_sums.h"
#include "steps.h"
#include "timeline.h"

#include <sqlite3.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUERY_ORDERS_MAX 6 /* columns that a scan sorts by */

/* What getters read. */
struct query_data {
    const struct timeline *timeline;
    bool declares;      /* a table is being declared, which statements may not do */
    struct text *texts; /* by name: valid UTF-8 */
    char *mended;       /* of those that were not */
    uint32_t
        *ranks; /* by name: its rank in text order, shared by equal texts; NULL not needed yet */
    uint32_t *by_rank;            /* names in that order */
    struct slice_sums *sums;      /* by slice; NULL not needed yet */
    struct global_ids global_ids; /* as nsys numbers them */
    struct query_span *spans;     /* of operations, by stream */
    uint32_t span_count;
    struct memory_use memory;
    struct step_times steps;
    uint32_t *last_segments; /* by slice: its last segment; NULL: no slice has several */
    /* What kernels are called for short, as nsys has it; NULL not needed yet. */
    struct text *shorts;
    uint32_t short_count;
    uint32_t *short_ids;       /* by name: into names, or after them into shorts */
    const uint32_t *nvtx_rows; /* how many rows of NVTX_EVENTS are written, which is the next one's
                                  rangeId; NULL: the item is */
    /* Which way SQLite wants the rows of the scan that was planned last, by column of ORDER BY or
     * GROUP BY. */
    bool descends[QUERY_ORDERS_MAX];
    int order_count;
};

/* The value of an unknown cell. */
#define QUERY_NULL INT64_MIN

enum query_type {
    QUERY_INTEGER,
    QUERY_NAME, /* an index into names[] */
    QUERY_WORD, /* an index into the column's words */
    QUERY_REAL, /* the bits of a double; of NaN: null */
    QUERY_TEXT, /* by `text`; no bytes at all: null */
    QUERY_VALUE /* of an attribute: the type is the row's */
};

typedef int64_t query_get(const struct query_data *data, uint32_t item);
typedef struct text query_get_text(const struct query_data *data, uint32_t item);

struct query_column {
    const char *name;
    const char *unit; /* "" none */
    const char *meaning;
    enum query_type type;
    bool by_span; /* the same for all items of a span */
    query_get *get;
    query_get_text *text;
    const char *const *words; /* NULL at their end */
    bool sums;                /* it reads data->sums */
    const char *declared;     /* as write_sqlite() declares it; NULL of tables that it has not */
};

/* Items of an array that lie side by side. */
struct query_span {
    uint32_t first, end;
    bool sorted; /* by time; columns that are by_span are the same for all */
};

struct query_table {
    const char *name;
    const char *meaning;
    const struct query_column *columns;
    uint32_t column_count;
    uint32_t (*count)(const struct query_data *data);             /* of items */
    bool (*is_row)(const struct query_data *data, uint32_t item); /* NULL: all are */
    /* The spans in order, which are all items; NULL: all are one, which is not sorted. */
    bool (*span)(const struct query_data *data, uint32_t number, struct query_span *span);
    query_get *sorted_by; /* the time by which spans are sorted; NULL none */
    bool of_nsys;         /* it has the name and columns that nsys gives it */
};

/* All tables, NULL at the end. */
extern const struct query_table *const query_tables[];

/* Of the files that describe them. */
extern const struct query_table query_operations, query_kernels, query_memcpys, query_memsets,
    query_syncs, query_graph_runs, query_overheads;
extern const struct query_table query_slices, query_async_ranges, query_marks, query_counters,
    query_attributes, query_frames, query_timings, query_graph_launches;
extern const struct query_table query_processes, query_threads, query_devices, query_streams,
    query_allocations, query_heaps, query_migrations, query_blocks, query_losses, query_ledger,
    query_summary, query_summary_steps, query_samples, query_step_times, query_recordings,
    query_strings, query_meta;
extern const struct query_table nsys_kernels, nsys_memcpys, nsys_memsets, nsys_syncs,
    nsys_graph_traces, nsys_runtime, nsys_nvtx, nsys_strings, nsys_thread_names;

/* Spans of operations, by stream; of slices, by thread. */
bool query_gpu_span(const struct query_data *data, uint32_t number, struct query_span *span);
bool query_slice_span(const struct query_data *data, uint32_t number, struct query_span *span);

/* ---- what getters are made of ---- */

static inline int64_t query_known(uint32_t value)
{
    return value == TL_NONE ? QUERY_NULL : (int64_t)value;
}

/* CLOCK_REALTIME as a time of the timeline; NULL for 0. */
static inline int64_t query_since_base(const struct query_data *data, uint64_t realtime_ns)
{
    return realtime_ns ? (int64_t)(realtime_ns - data->timeline->base_realtime_ns) : QUERY_NULL;
}

static inline int64_t query_pid(const struct query_data *data, uint32_t process)
{
    return (int64_t)data->timeline->processes.at[process].info.pid;
}

static inline struct text query_literal(const char *string)
{
    return (struct text){string, strlen(string)};
}

/* A name must be one: damaged files and unnamed things have none. */
static inline int64_t query_name(const struct query_data *data, uint32_t name)
{
    return name < data->timeline->names.count ? (int64_t)name : QUERY_NULL;
}

static inline int64_t query_real(double value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A getter of a member: `of` is the item of that array. */
#define QUERY_GET(function, array, expression)                                             \
    static int64_t function(const struct query_data *data, uint32_t item)                  \
    {                                                                                      \
        const __typeof__(*data->timeline->array.at) *of = &data->timeline->array.at[item]; \
        (void)of;                                                                          \
        return (int64_t)(expression);                                                      \
    }
#define QUERY_COUNT(function, array)                        \
    static uint32_t function(const struct query_data *data) \
    {                                                       \
        return data->timeline->array.count;                 \
    }

/* Columns. */
#define QUERY_INT(title, of, says, getter)                        \
    {                                                             \
        .name = title, .unit = of, .meaning = says, .get = getter \
    }
#define QUERY_INT_BY_SPAN(title, of, says, getter)                                 \
    {                                                                              \
        .name = title, .unit = of, .meaning = says, .by_span = true, .get = getter \
    }
#define QUERY_SUM(title, of, says, getter)                                      \
    {                                                                           \
        .name = title, .unit = of, .meaning = says, .get = getter, .sums = true \
    }
#define QUERY_NAMED(title, says, getter)                                              \
    {                                                                                 \
        .name = title, .unit = "", .meaning = says, .type = QUERY_NAME, .get = getter \
    }
#define QUERY_WORDS(title, says, getter, list)                                         \
    {                                                                                  \
        .name = title, .unit = "", .meaning = says, .type = QUERY_WORD, .get = getter, \
        .words = list                                                                  \
    }
#define QUERY_DOUBLE(title, of, says, getter)                                         \
    {                                                                                 \
        .name = title, .unit = of, .meaning = says, .type = QUERY_REAL, .get = getter \
    }
#define QUERY_STRING(title, says, getter)                                              \
    {                                                                                  \
        .name = title, .unit = "", .meaning = says, .type = QUERY_TEXT, .text = getter \
    }

int64_t query_id(const struct query_data *data, uint32_t item);   /* the item */
int64_t query_null(const struct query_data *data, uint32_t item); /* NULL for every item */
#define QUERY_ID(meaning) QUERY_INT("id", "", meaning, query_id)

#define QUERY_COLUMNS(list) .columns = list, .column_count = sizeof(list) / sizeof *(list)

/* The details of the operation `of`, by its kind. */
#define KERNEL (&data->timeline->kernels.at[of->detail])
#define MEMCPY (&data->timeline->memcpys.at[of->detail])
#define MEMSET (&data->timeline->memsets.at[of->detail])
#define SYNC (&data->timeline->syncs.at[of->detail])
#define OVERHEAD (&data->timeline->overheads.at[of->detail])
#define GRAPH_RUN (&data->timeline->graph_runs.at[of->detail])
#define IS_PEER (MEMCPY->src_context || MEMCPY->dst_context)

/* A function that is true of operations of this kind, those of libprof excepted. */
#define QUERY_IS_KIND(function, which)                                  \
    static bool function(const struct query_data *data, uint32_t item)  \
    {                                                                   \
        const struct tl_gpu *gpu = &data->timeline->gpus.at[item];      \
        return gpu->kind == (which) && !(gpu->flags & TL_GPU_INTERNAL); \
    }

/* ---- query_plan.c ----
 *
 * Which conditions and orders of a statement a scan takes over from SQLite. */

#define QUERY_TERMS_MAX 12
#define QUERY_COLUMNS_MAX \
    63u /* of which SQLite says each whether it is read; the rest have one bit */

/* SQLite's rowid, column -1, is the item. */
const struct query_column *query_column_at(const struct query_table *table, int number);

static inline bool query_is_id(const struct query_column *column)
{
    return column->get == query_id && column->type == QUERY_INTEGER;
}

/* Whether the scan can compare and sort it. */
static inline bool query_has_key(const struct query_column *column)
{
    return column->type == QUERY_INTEGER || column->type == QUERY_NAME;
}

/* What xBestIndex passes to xFilter, as a string. */
struct query_plan {
    struct {
        int column;
        char compare; /* '=' '<' '>', the latter also for "or equal" */
    } terms[QUERY_TERMS_MAX];
    int term_count;
    int seek; /* column whose index would serve, -1 none */
    struct {
        int column;
        bool descends;
    } orders[QUERY_ORDERS_MAX];
    int order_count;
    uint64_t used; /* a bit for each column that is read, the last for all that follow */
};

/* Answers xBestIndex. Returns SQLite's result. */
int query_plan_choose(const struct query_data *data, const struct query_table *table,
                      sqlite3_index_info *info);

/* Parses that string. */
void query_plan_read(const char *text, struct query_plan *plan);

/* Whether columns of sums are among those that are read. */
bool query_plan_reads_sums(const struct query_table *table, uint64_t used);

/* ---- query_data.c ----
 *
 * What getters and the scan need beside the timeline, made when first needed. */

/* False: no memory; fini is needed all the same. Without what scans need and only some tables
 * have: query_data_init_scans(). */
bool query_data_init(struct query_data *data, const struct timeline *timeline);
bool query_data_init_scans(struct query_data *data);
void query_data_fini(struct query_data *data);

/* Each computes its members unless they exist: ranks and by_rank; sums; shorts and short_ids.
 * False: no memory. */
bool query_data_rank(struct query_data *data);
bool query_data_add_up(struct query_data *data);
bool query_data_shorten(struct query_data *data);

/* The same one by one, which numbers short names as they come: begin, then each kernel's name
 * before its row. */
bool query_data_shorten_begin(struct query_data *data);
void query_data_shorten_name(struct query_data *data, uint32_t name);

/* The rank of names with this text; QUERY_NULL: none has it. After query_data_rank(). */
int64_t query_data_find(const struct query_data *data, struct text text);

/* ---- query_scan.c ---- */

/* Makes all tables known to a database. They are there without being created. `data` must outlive
 * it. Returns SQLite's result. */
int query_scan_register(sqlite3 *sqlite, struct query_data *data);

/* A function that SQL has beside SQLite's own. */
struct query_function {
    const char *usage; /* "percentile(x, p)" */
    const char *meaning;
};

/* Ends with a NULL usage. */
extern const struct query_function query_functions[];

#ifdef __cplusplus
}
#endif
#endif

#include "stack_functions.h"

#include "array.h"
#include "envelope.h"
#include "table.h"
#include "text_pool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_WIDTH 60u
#define ROWS_DEFAULT 40 /* for people */

struct function_time {
    const char *name;   /* NULL: not known */
    const char *module; /* NULL: not known */
    const char *file;   /* Python: of the def */
    uint32_t line;
    uint32_t stack;   /* the group that was added last, plus one: a recursion counts once */
    uint64_t samples; /* or calls, in it and in what it calls, as what follows */
    int64_t own_ns;   /* CPU time; of launches, device time */
    int64_t all_ns;
    int64_t beside_ns; /* waits; of launches, CPU time of the calls */
};

struct functions {
    const struct stack_functions_of *of;
    struct text_pool keys;
    struct function_time *at; /* by key, until they are sorted */
    uint32_t capacity;
    int64_t whole_ns;
};

/* Functions of one name in two files are two. Those without a name are one for each module. */
static uint32_t key_of(struct functions *functions, const struct symbol_frame *frame)
{
    char *text = NULL;
    const char *file = frame->file && frame->function ? frame->file : "";
    int size = asprintf(&text, "%s\t%s\t%s\t%" PRIu32, frame->function ? frame->function : "",
                        frame->module ? frame->module : "", file, frame->python ? frame->line : 0);
    if (size < 0)
        return TEXT_POOL_NONE;
    uint32_t key = text_pool_add(&functions->keys, (struct text){text, (size_t)size});
    free(text);
    return key;
}

/* NULL: no memory. */
static struct function_time *function_of(struct functions *functions,
                                         const struct symbol_frame *frame)
{
    uint32_t known = functions->keys.count, key = key_of(functions, frame);
    if (key == TEXT_POOL_NONE)
        return NULL;
    if (key >= functions->capacity &&
        !array_grow(&functions->at, &functions->capacity, sizeof *functions->at))
        return NULL;
    struct function_time *function = &functions->at[key];
    if (key == known)
        *function = (struct function_time){.name = frame->function,
                                           .module = frame->module,
                                           .file = frame->python ? frame->file : NULL,
                                           .line = frame->line};
    return function;
}

static bool add_stack(struct functions *functions, uint32_t group)
{
    const struct stack_functions_of *of = functions->of;
    const struct stack_total *total = &of->totals->at[group];
    bool cpu = of->options->cpu_samples;
    int64_t ns = cpu ? total->run_ns : total->device_ns;
    struct symbol_stack frames =
        symbols_stack(of->symbols, of->groups->stacks[of->groups->first[group]]);
    for (uint32_t i = 0; i < frames.count; i++) {
        struct function_time *function = function_of(functions, &frames.at[i]);
        if (!function)
            return false;
        if (i == 0)
            function->own_ns += ns;
        if (function->stack == group + 1)
            continue;
        function->stack = group + 1;
        function->samples += cpu ? total->samples : total->calls;
        function->all_ns += ns;
        function->beside_ns += cpu ? total->wait_ns : total->cpu_ns;
    }
    return true;
}

/* `all`: NULL for the order by time of its own. */
static int by_time(const void *left, const void *right, void *all)
{
    const struct function_time *a = left, *b = right;
    const int64_t pairs[][2] = {{all ? a->all_ns : a->own_ns, all ? b->all_ns : b->own_ns},
                                {a->own_ns, b->own_ns},
                                {a->all_ns, b->all_ns},
                                {a->beside_ns, b->beside_ns},
                                {(int64_t)a->samples, (int64_t)b->samples}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][0] != pairs[i][1])
            return pairs[i][0] > pairs[i][1] ? -1 : 1;
    return strcmp(a->name ? a->name : "", b->name ? b->name : "");
}

static bool add_stacks(struct functions *functions)
{
    const struct stack_totals *totals = functions->of->totals;
    const char *sort = functions->of->options->sort;
    bool cpu = functions->of->options->cpu_samples;
    const uint32_t *order = cpu ? totals->sampled : totals->order;
    uint32_t count = cpu ? totals->sampled_count : totals->count;
    functions->whole_ns = cpu ? totals->run_ns : totals->device_ns;
    for (uint32_t i = 0; i < count; i++)
        if (!add_stack(functions, order[i]))
            return false;
    if (functions->keys.count)
        qsort_r(functions->at, functions->keys.count, sizeof *functions->at, by_time,
                sort && strcmp(sort, "total") == 0 ? functions : NULL);
    return true;
}

/* ---- the table ---- */

/* "file.py:12" of a Python function, else the module. */
static void place_cell(struct table *table, const struct function_time *function)
{
    const char *slash = function->file ? strrchr(function->file, '/') : NULL;
    const char *file = slash ? slash + 1 : function->file;
    char place[512];
    if (file) {
        snprintf(place, sizeof place, "%s:%" PRIu32, file, function->line);
        table_string(table, place);
    } else if (function->module) {
        table_string(table, function->module);
    } else {
        table_unknown(table);
    }
}

#define FUNCTION_COLUMNS(X)                                                                \
    X(table_string(table, function->name ? function->name : "??"), "function", "Function") \
    X(place_cell(table, function), "place", "In", .rank = 1)
#define TIME_COLUMNS(X)                                                                    \
    X(table_ns(table, function->own_ns), "self_ns", "Self")                                \
    X(table_share(table, function->own_ns, whole_ns), "self_percent", "Self %", .rank = 2) \
    X(table_ns(table, function->all_ns), "total_ns", "Total")                              \
    X(table_share(table, function->all_ns, whole_ns), "total_percent", "Total %", .rank = 3)
#define SAMPLED_COLUMNS(X)                                                   \
    FUNCTION_COLUMNS(X)                                                      \
    TIME_COLUMNS(X)                                                          \
    X(table_ns(table, function->beside_ns), "wait_ns", "Waiting", .rank = 4) \
    X(table_count(table, function->samples), "samples", "Samples", .rank = 5)
#define LAUNCH_COLUMNS(X)                                                      \
    FUNCTION_COLUMNS(X)                                                        \
    TIME_COLUMNS(X)                                                            \
    X(table_ns(table, function->beside_ns), "cpu_ns", "On the CPU", .rank = 4) \
    X(table_count(table, function->samples), "calls", "Calls", .rank = 5)
TABLE_ROW(sampled, SAMPLED_COLUMNS, const struct function_time *function, int64_t whole_ns)
TABLE_ROW(launch, LAUNCH_COLUMNS, const struct function_time *function, int64_t whole_ns)

static bool add_table(struct table *table, void *user)
{
    const struct functions *functions = user;
    const struct stack_functions_of *of = functions->of;
    bool cpu = of->options->cpu_samples;
    const struct envelope envelope = {.command = cpu ? "stacks_cpu_functions" : "stacks_functions",
                                      .timelines = {of->timeline},
                                      .abstained = of->lacking};
    if (table->json && !envelope_begin(table->json, &envelope))
        return false;
    table_begin(table, "functions",
                cpu ? "Functions by CPU time" : "Functions by the device time that they launched",
                cpu ? sampled_columns : launch_columns);
    for (uint32_t i = 0; i < functions->keys.count; i++)
        (cpu ? sampled_row : launch_row)(table, &functions->at[i], functions->whole_ns);
    table_end(table);
    if (table->json)
        envelope_end(table->json, envelope.command);
    return !table->failed;
}

bool stack_functions_write(const struct stack_functions_of *of)
{
    const struct profdump_options *options = of->options;
    struct functions functions = {.of = of};
    bool people = write_format_is_for_people(options->format);
    struct table table = {.format = options->format,
                          .stream = options->out,
                          .most =
                              options->rows_given || !people ? options->write.rows : ROWS_DEFAULT,
                          .width = NAME_WIDTH,
                          .table_width = options->write.table_width,
                          .unit = options->write.unit};
    bool done = add_stacks(&functions);
    errno = ENOMEM;
    done = done && table_write(&table, add_table, &functions);
    free(functions.at);
    text_pool_fini(&functions.keys);
    return done;
}

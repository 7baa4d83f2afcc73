/* table_options.c - lists of words, and numbers within bounds. */
#include "table_options.h"

#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORD_BYTES 64u

/* Frames by which stacks are told apart, where no number is given: as many as fit a line. */
#define STACK_FRAMES_DEFAULT 5u
#define STACK_FRAMES_MAX 1000u

static const struct {
    const char *word;
    uint32_t flag;
} parts[] = {
    {"name", KEY_BY_KEY},      {"shape", KEY_BY_SHAPE},   {"stack", KEY_BY_STACK},
    {"thread", KEY_BY_THREAD}, {"device", KEY_BY_DEVICE}, {"stream", KEY_BY_STREAM},
    {"rank", KEY_BY_RANK},     {"path", KEY_BY_PATH},     {"process", KEY_BY_PROCESS},
};

bool table_options_number(const char *text, unsigned long least, unsigned long most,
                          unsigned long *number)
{
    char *end;
    errno = 0;
    *number = strtoul(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && !errno && *number >= least && *number <= most;
}

/* Takes the next word of a list that is separated by commas; false: there is none. A word that does
 * not fit is cut, and then none that is known. */
static bool next_word(const char **list, char word[WORD_BYTES])
{
    if (!*list)
        return false;
    size_t size = strcspn(*list, ",");
    size_t kept = size < WORD_BYTES - 1 ? size : WORD_BYTES - 1;
    memcpy(word, *list, kept);
    word[kept] = 0;
    *list = (*list)[size] ? *list + size + 1 : NULL;
    return true;
}

static bool add_part(struct profdump_options *options, const char *word)
{
    unsigned long frames = STACK_FRAMES_DEFAULT;
    bool counted = strncmp(word, "stack:", 6) == 0;
    if (counted && !table_options_number(word + 6, 1, STACK_FRAMES_MAX, &frames))
        return false;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strcmp(counted ? "stack" : word, parts[i].word) == 0) {
            options->write.group_by |= parts[i].flag;
            if (parts[i].flag == KEY_BY_STACK)
                options->stack_frames = (uint32_t)frames;
            return true;
        }
    return false;
}

static bool set_group_by(struct profdump_options *options, const char *list)
{
    char word[WORD_BYTES];
    options->write.group_by = 0;
    while (next_word(&list, word))
        if (!add_part(options, word)) {
            complain("--group-by: '%s' is none of name, shape, stack, stack:N, thread, device, "
                     "stream, rank, path, process",
                     word);
            return false;
        }
    return true;
}

static bool set_columns(struct profdump_options *options, const char *list)
{
    static const char *const known =
        "min, max, mean, stddev, p10, p50, p90, p99, cold, warm, projected, projected_avg, bytes, "
        "rate, all";
    enum key_column column;
    char word[WORD_BYTES];
    while (next_word(&list, word)) {
        if (strcmp(word, "all") == 0) {
            options->write.columns = UINT32_MAX;
        } else if (key_sort_find(word, &column) && column >= KEY_BY_MIN && column <= KEY_BY_RATE) {
            options->write.columns |= UINT32_C(1) << column;
        } else {
            complain("--columns: '%s' is none of %s", word, known);
            return false;
        }
    }
    return true;
}

static bool set_unit(struct profdump_options *options, const char *unit)
{
    if (time_text_find_unit(unit, &options->write.unit))
        return true;
    complain("--time-unit: '%s' is not one of s, ms, us, ns", unit);
    return false;
}

static bool set_name_width(struct profdump_options *options, const char *width)
{
    unsigned long number;
    bool good = table_options_number(width, 8, WRITE_NAME_WIDTH_MAX, &number);
    if (good)
        options->write.name_width = options->write.name_least = (unsigned)number;
    else
        complain("--name-width: '%s' is not a number of 8 to %u", width, WRITE_NAME_WIDTH_MAX);
    return good;
}

static bool set_table_width(struct profdump_options *options, const char *width)
{
    unsigned long number;
    bool good = table_options_number(width, 0, UINT16_MAX, &number);
    if (good)
        options->write.table_width = (unsigned)number;
    else
        complain("--table-width: '%s' is not a number of up to %u", width, UINT16_MAX);
    return good;
}

static bool set_depth(struct profdump_options *options, const char *depth)
{
    unsigned long number;
    bool good = table_options_number(depth, 1, UINT32_MAX - 1, &number);
    if (good)
        options->write.depth = (uint32_t)number;
    else
        complain("--depth: '%s' is not a number of levels", depth);
    return good;
}

bool table_options_metric(struct profdump_options *options, const char *metric)
{
    if (write_metric_find(metric, &options->metric))
        return true;
    complain("--metric: '%s' is not one of self_cpu, self_cuda, count", metric);
    return false;
}

/* Commands have different columns: analyze_options_agree() looks whether it is one. */
/* What columns there are depends on the command. */
bool table_options_agree(struct profdump_options *options)
{
    if (!options->sort || key_sort_find(options->sort, &options->write.sort))
        return true;
    complain("--sort: there is no column '%s'; known are %s", options->sort, key_sort_columns());
    return false;
}

static bool set_rows(struct profdump_options *options, const char *rows)
{
    char *end;
    errno = 0;
    options->rows_given = true;
    options->write.rows = strtoll(rows, &end, 10);
    options->rows_given = true;
    if (*rows && !*end && !errno && options->write.rows >= -1)
        return true;
    complain("--rows: '%s' is not a number of rows", rows);
    return false;
}

static bool set_header(struct profdump_options *options, const char *text)
{
    options->write.header = text;
    return true;
}

const struct option_entry table_options[] = {
    TEXT("sort", "COLUMN", sort,
         "sort the table, descending: name, self_cpu, cpu_total, cpu_avg,\n"
         "self_cuda, cuda_total, cuda_avg, count, or a column of --columns;\n"
         "torch.profiler's names are known too"),
    CALL("rows", "N", set_rows, "print at most N rows"),
    CALL("group-by", "LIST", set_group_by,
         "what rows are told apart by: name (the default), shape, stack,\n"
         "stack:N, thread, device, stream, rank, path, process"),
    CALL("columns", "LIST", set_columns,
         "add columns: min, max, mean, stddev, p10, p50, p90, p99, cold, warm,\n"
         "projected, projected_avg, bytes, rate, all"),
    FLAG("tree", tree, "print the ranges as a tree"),
    CALL("depth", "N", set_depth, "with --tree: at most N levels"),
    CHOICE("kernels", write.table, WRITE_TABLE_KERNELS, NULL),
    CHOICE("memcpy", write.table, WRITE_TABLE_MEMCPY, NULL),
    CHOICE("memset", write.table, WRITE_TABLE_MEMSET, NULL),
    CHOICE("api", write.table, WRITE_TABLE_API,
           "print only rows of that kind, with how their durations are spread"),
    CHOICE("projected", write.table, WRITE_TABLE_PROJECTED,
           "print ranges from their first device operation to their last"),
    FLAG("top-level", write.top_level, "only calls that nothing on their thread is around"),
    FLAG("total", write.total, "add a row with the sums of all"),
    CALL("header", "TEXT", set_header, "print a line above the table"),
    CALL("time-unit", "UNIT", set_unit, "s, ms, us or ns for all times"),
    CALL("name-width", "N", set_name_width, "columns for names (default 55)"),
    CALL("table-width", "N", set_table_width,
         "fit tables of text into lines of N characters, 0: no limit (default:\n"
         "the terminal's width; 0 for a file or a pipe)"),
    FLAG("memory", write.memory,
         "add the table's columns of memory: net change, in total and self"),
    {0},
};

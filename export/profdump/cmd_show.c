/* cmd_show.c - profdump [stats] FILE...: what ran, and the key averages, as a table, as a tree or
 * as JSON. */
#include "commands.h"
#include "evidence.h"
#include "help.h"
#include "options.h"
#include "profdump.h"
#include "reports.h"
#include "stack_text.h"
#include "window_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Default of --group-by stack: as many frames as fit a line. */
#define STACK_FRAMES_DEFAULT 5u
#define STACK_FRAMES_MAX 1000u

static const struct {
    const char *word;
    uint32_t flag;
} parts[] = {
    {"name", KEY_BY_KEY},          {"shape", KEY_BY_SHAPE},   {"stack", KEY_BY_STACK},
    {"thread", KEY_BY_THREAD},     {"device", KEY_BY_DEVICE}, {"stream", KEY_BY_STREAM},
    {"rank", KEY_BY_RANK},         {"path", KEY_BY_PATH},     {"process", KEY_BY_PROCESS},
    {"overload", KEY_BY_OVERLOAD},
};

static bool add_part(struct profdump_options *options, const char *word)
{
    unsigned long frames = STACK_FRAMES_DEFAULT;
    bool counted = strncmp(word, "stack:", 6) == 0;
    if (counted && !options_number(word + 6, 1, STACK_FRAMES_MAX, &frames))
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
    char word[OPTIONS_WORD_BYTES];
    options->write.group_by = 0;
    while (options_next_word(&list, word))
        if (!add_part(options, word))
            return false;
    return true;
}

#define COLUMNS_BYTES 320u

/* The columns whose names contain `part`: "min, max". */
static void list_columns(const char *part, char text[COLUMNS_BYTES])
{
    size_t used = 0;
    *text = '\0';
    for (enum key_column i = KEY_BY_NAME; i < KEY_COLUMNS && used < COLUMNS_BYTES; i++)
        if (strstr(key_columns[i].name, part))
            used += (size_t)snprintf(text + used, COLUMNS_BYTES - used, "%s%s", used ? ", " : "",
                                     key_columns[i].name);
}

static bool set_columns(struct profdump_options *options, const char *list)
{
    enum key_column column;
    char word[OPTIONS_WORD_BYTES];
    while (options_next_word(&list, word)) {
        if (strcmp(word, "all") == 0) {
            options->write.columns = UINT32_MAX;
        } else if (strcmp(word, "memory") == 0) {
            options->write.memory = true;
        } else if (key_column_find(word, &column) && key_column_is_extra(column)) {
            options->write.columns |= UINT32_C(1) << column;
        } else {
            return false;
        }
    }
    return true;
}

static bool set_unit(struct profdump_options *options, const char *unit)
{
    return time_text_find_unit(unit, &options->write.unit);
}

static bool set_name_width(struct profdump_options *options, const char *width)
{
    unsigned long number;
    bool good = options_number(width, 8, WRITE_NAME_WIDTH_MAX, &number);
    if (good)
        options->write.name_width = options->write.name_least = (unsigned)number;
    else
        complain("--name-width: '%s' is not a number of 8 to %u", width, WRITE_NAME_WIDTH_MAX);
    return good;
}

static bool set_table_width(struct profdump_options *options, const char *width)
{
    unsigned long number;
    bool good = options_number(width, 0, UINT16_MAX, &number);
    options->table_width_given = true;
    if (good)
        options->write.table_width = (unsigned)number;
    else
        complain("--table-width: '%s' is not a number of up to %u", width, UINT16_MAX);
    return good;
}

static bool set_wide(struct profdump_options *options, const char *unused)
{
    (void)unused;
    options->write.table_width = 0;
    return true;
}

static bool set_depth(struct profdump_options *options, const char *depth)
{
    unsigned long number;
    bool good = options_number(depth, 1, UINT32_MAX - 1, &number);
    options->depth_given = true;
    if (good)
        options->write.depth = (uint32_t)number;
    else
        complain("--depth: '%s' is not a number of levels", depth);
    return good;
}

/* Suggests the columns whose names contain what was typed ("self"), else the one that it may be a
 * typing error of. */
static void complain_of_sort(const char *typed)
{
    char known[COLUMNS_BYTES];
    const char *nearest = NULL;
    unsigned least = HELP_TOO_FAR;
    list_columns(typed, known);
    for (enum key_column column = KEY_BY_NAME; column < KEY_COLUMNS; column++)
        if (help_is_nearer(typed, key_columns[column].name, &least))
            nearest = key_columns[column].name;
    if (*known || nearest) {
        complain("--sort: there is no column '%s'; did you mean %s?", typed,
                 *known ? known : nearest);
        return;
    }
    list_columns("", known);
    complain("--sort: there is no column '%s'; known are time, %s", typed, known);
}

bool table_sort_agrees(struct profdump_options *options)
{
    if (!options->sort || key_column_find(options->sort, &options->write.sort))
        return true;
    complain_of_sort(options->sort);
    return false;
}

static bool agree(struct profdump_options *options)
{
    const struct write_options *write = &options->write;
    options->follow |= options->interval_ns > 0;
    if (!table_sort_agrees(options))
        return false;
    if (write->memory && options->tree)
        complain("--columns memory: not with --tree");
    else if (options->depth_given && !options->tree && options->command_line)
        complain("--depth: limits a tree; add --tree");
    else if (options->follow && (window_options_given(options) || !options->command_line))
        complain("--follow: not with --window, and only on the command line");
    else
        return true;
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

/* The first word for each table is the one that is said; the others are what people try. */
static bool set_kind(struct profdump_options *options, const char *name)
{
    static const struct {
        enum write_table table;
        const char *words[5];
    } kinds[] = {{WRITE_TABLE_KERNELS, {"kernels", "kernel"}},
                 {WRITE_TABLE_MEMCPY, {"copies", "copy", "memcpy", "memcpys"}},
                 {WRITE_TABLE_MEMSET, {"sets", "set", "memset", "memsets"}},
                 {WRITE_TABLE_API, {"calls", "call", "api"}},
                 {WRITE_TABLE_RANGES, {"ranges", "range", "nvtx"}},
                 {WRITE_TABLE_PYTHON, {"python"}},
                 {WRITE_TABLE_WITH_PYTHON, {"with-python"}},
                 {WRITE_TABLE_PROJECTED, {"projected"}}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        for (const char *const *word = kinds[i].words; *word; word++)
            if (strcmp(*word, name) == 0) {
                options->write.table = kinds[i].table;
                return true;
            }
    return false;
}

/* The names of the columns by group, with a blank between them. */
#define NONE(name)
#define NAME(name) " " name
#define USUAL(id, group, name, ...) USUAL_##group(name)
#define USUAL_USUAL NAME
#define USUAL_SPREAD NONE
#define USUAL_MORE NONE
#define USUAL_MEMORY NONE
#define USUAL_NAMES &(KEY_COLUMN_TABLE(USUAL))[1]
#define EXTRA(id, group, name, ...) EXTRA_##group(name)
#define EXTRA_USUAL NONE
#define EXTRA_SPREAD NAME
#define EXTRA_MORE NAME
#define EXTRA_MEMORY NONE
#define EXTRA_NAMES &(KEY_COLUMN_TABLE(EXTRA) " memory all")[1]

const struct option_entry table_options[] = {
    {TEXT("sort", "COLUMN", sort, "sort rows by COLUMN, descending"), .values = USUAL_NAMES},
    {TEXT("sort-by", "COLUMN", sort, NULL)}, /* as in torch.profiler */
    {CALL("group-by", "LIST", set_group_by, "group rows by the keys in LIST"),
     .values = "name shape stack stack:N thread device stream rank path process overload"},
    {CALL("columns", "LIST", set_columns, "add columns; stddev is the sample standard deviation"),
     .values = EXTRA_NAMES},
    {CALL("kind", "KIND", set_kind,
          "show only rows of KIND, with the distribution of their durations; with-python: all "
          "rows, and Python functions, whose time is not that of the ranges around them"),
     .values = "kernels copies sets calls ranges python with-python projected"},
    {TEXT("filter", "TEXT", write.filter, "show only rows whose name contains TEXT")},
    {FLAG("tree", tree, "print ranges as a tree")},
    {CALL("depth", "N", set_depth, "limit the tree to N levels")},
    {FLAG("top-level", write.top_level, "show top-level events only")},
    {FLAG("total", write.total, "add a row of totals")},
    {CALL("header", "TEXT", set_header, "print TEXT above the table")},
    {FLAG("verbose", write.verbose, "break down device time and launches below the table")},
    {0},
};

const struct option_entry rows_options[] = {
    {CALL("rows", "N", set_rows, "print at most N rows, -1 for all")},
    {CALL("n", "N", set_rows, NULL)},
    {CALL("top", "N", set_rows, NULL)},
    {CALL("row-limit", "N", set_rows, NULL)}, /* as in torch.profiler */
    {0},
};

const struct option_entry unit_options[] = {
    {CALL("time-unit", "UNIT", set_unit, "show all times in one unit"), .values = "s ms us ns"},
    {0},
};

/* clang-format off */
#define TABLE_WIDTH               \
    {CALL("table-width", "N", set_table_width, "fit tables into N characters, 0 for no limit")}
#define WIDE {CALL("wide", NULL, set_wide, "show all columns: --table-width 0")}
/* clang-format on */

const struct option_entry fit_options[] = {TABLE_WIDTH, WIDE, {0}};

const struct option_entry width_options[] = {
    {CALL("name-width", "N", set_name_width, "truncate names to N characters (55)")},
    TABLE_WIDTH,
    WIDE,
    {0},
};

/* ---- of a recording that goes on ---- */

#define INTERVAL_LEAST_NS INT64_C(100000000)
#define INTERVAL_MOST_NS INT64_C(86400000000000)

static bool set_interval(struct profdump_options *options, const char *text)
{
    int64_t ns;
    bool good =
        window_options_duration(text, &ns) && ns >= INTERVAL_LEAST_NS && ns <= INTERVAL_MOST_NS;
    if (good)
        options->interval_ns = ns;
    else
        complain("--interval: '%s' is not a time from 100ms to 86400s, as in 5s", text);
    return good;
}

const struct option_entry interval_options[] = {
    {CALL("interval", "TIME", set_interval, "print every TIME (default: 10s; for top: 2s)")},
    {0},
};

const struct option_entry follow_options[] = {
    {FLAG("follow", follow, "print a table for each --interval while the program runs")},
    {0},
};

/* ---- call stacks that are the same down to their innermost functions ---- */

static void write_frame(const struct symbol_frame *frame, FILE *stream)
{
    char place[SYMBOL_PLACE_BYTES];
    fputs(symbols_name(frame, place), stream);
    if (frame->file) {
        const char *slash = strrchr(frame->file, '/');
        fprintf(stream, " (%s:%u)", slash ? slash + 1 : frame->file, frame->line);
    }
}

/* "inner (file:line) < outer (file:line)"; in JSON as in Arrow's tables. */
static void write_innermost(FILE *stream, const struct tl_stack *stack, struct symbol_stack frames,
                            const void *user)
{
    const struct profdump_options *options = user;
    (void)stack;
    if (options->json) {
        frames.count = frames.count < options->stack_frames ? frames.count : options->stack_frames;
        stack_text_write_line(stream, frames);
        return;
    }
    for (uint32_t i = 0; i < frames.count && i < options->stack_frames; i++) {
        fputs(i ? " < " : "", stream);
        write_frame(&frames.at[i], stream);
    }
}

/* Groups stacks by their innermost frames, --group-by stack:N. False after having complained: no
 * memory. */
static bool groups_init(struct stack_groups *groups, const struct profdump_options *options,
                        const struct timeline *timeline)
{
    struct symbols *symbols = stack_text_symbols(options, timeline);
    bool made = symbols && stack_groups_init(groups, symbols, timeline, write_innermost, options);
    if (!made && symbols)
        complain("call stacks: %s", strerror(ENOMEM));
    if (made)
        stack_text_complain(symbols);
    symbols_destroy(symbols);
    return made;
}

/* ---- the command ---- */

static bool show(const struct profdump_options *options, const struct write_options *as_given,
                 const struct timeline *timeline)
{
    struct write_options with = *as_given;
    with.headed = options->format == WRITE_TEXT;
    if (with.headed && !write_summary(timeline, &with, options->out))
        return false;
    return options->tree ? write_tree(timeline, &with, options->format, options->out)
                         : write_table(timeline, &with, options->format, options->out);
}

/* A tree is rows by path. */
static bool show_json(const struct profdump_options *options, const struct write_options *as_given,
                      const struct timeline *timeline)
{
    struct write_options with = *as_given;
    if (options->tree)
        with.group_by = KEY_BY_KEY | KEY_BY_PATH;
    return write_json(timeline, &with, options->out);
}

/* Resolves call stacks first if rows are grouped by them. */
int cmd_show_print(const struct profdump_options *options, const struct timeline *timeline,
                   bool *written)
{
    struct write_options with = options->write;
    struct stack_groups groups = {0};
    char lacking[EVIDENCE_BYTES];
    bool by_stack = with.group_by & KEY_BY_STACK;
    if (write_table_has_python(with.table) && evidence_missing(timeline, EVIDENCE_PYTHON, lacking))
        complain("%s", lacking);
    if (by_stack && !groups_init(&groups, options, timeline))
        return EXIT_FAILURE;
    if (by_stack)
        with.stacks = (struct write_stacks){groups.group_of, groups.texts};
    *written = options->json ? show_json(options, &with, timeline) : show(options, &with, timeline);
    stack_groups_fini(&groups);
    return EXIT_SUCCESS;
}

static int run(const struct profdump_options *options, const struct timeline *timeline)
{
    bool written;
    if (cmd_show_print(options, timeline, &written) == EXIT_FAILURE)
        return EXIT_FAILURE;
    return finish(options, timeline, written);
}

static const struct option_entry *const options_of_stats[] = {
    table_options,  rows_options,     unit_options,  width_options,  symbol_options, window_options,
    follow_options, interval_options, input_options, format_options, help_options,   NULL};

const struct command command_stats = {
    .word = "stats",
    .summary = "print a summary and the key averages (the default)",
    .usage = "[OPTION]... [FILE|DIRECTORY]...",
    .about = "Prints a summary of the run, and the key averages: a row for each range, CUDA call, "
             "kernel, copy and memset, with the columns of torch.profiler.",
    .examples = "stats --sort cuda_total --rows 20 run.prof\n"
                "stats --group-by name,stack --columns p50,p99 run.prof",
    .question = QUESTION_TIME,
    .options = options_of_stats,
    .run = run,
    .agree = agree,
    .tables = true,
};

/* The command that runs when none is named: stats, or export if an output is. */
static const struct option_entry *const options_of_show[] = {
    table_options,    rows_options,   unit_options,   width_options,  output_options,
    folded_options,   export_options, symbol_options, window_options, follow_options,
    interval_options, input_options,  format_options, help_options,   NULL};

static bool agree_show(struct profdump_options *options)
{
    return agree(options) && export_options_agree(options);
}

const struct command command_show = {
    .word = "",
    .summary = "",
    .usage = "[COMMAND] [OPTION]... [FILE|DIRECTORY]...\n"
             "-o OUT [OPTION]... [FILE|DIRECTORY]...",
    .about =
        "Shows what libprof and other profilers recorded. Several files are merged. A directory "
        "means its *.prof files, - standard input, no input the newest here.",
    .options = options_of_show,
    .run = run,
    .agree = agree_show,
    .exports = true,
    .tables = true,
};

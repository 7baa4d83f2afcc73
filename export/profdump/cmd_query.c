/* cmd_query.c - profdump query "SELECT ..." FILE...: SQL over what was recorded. */
#include "commands.h"
#include "help.h"
#include "inputs.h"
#include "options.h"
#include "text.h"

#ifdef PROF_HAVE_SQLITE
#include "query.h"
#endif

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const struct option_entry query_options[] = {
    {FLAG("schema", query_schema, "print tables, columns and functions")},
    {FLAG("no-events", no_events,
          "read only facts and summaries, which is fast; tables of events are empty")},
    {0},
};

#ifdef PROF_HAVE_SQLITE

/* The table that somebody means who calls it so; NULL: none is like it. */
static const char *nearest_table(const char *word)
{
    const char *nearest = NULL, *name;
    unsigned least = HELP_TOO_FAR;
    for (size_t i = 0; (name = query_table_name(i)); i++)
        if (help_is_nearer(word, name, &least))
            nearest = name;
    return nearest;
}

static bool is_in_word(char letter)
{
    return letter == '_' || isalnum((unsigned char)letter);
}

static bool mentions(const char *sql, const char *table)
{
    size_t size = strlen(table);
    for (const char *at = sql; (at = strcasestr(at, table)); at++)
        if ((at == sql || !is_in_word(at[-1])) && !is_in_word(at[size]))
            return true;
    return false;
}

/* How many letters both begin with: "durr" and "duration", "start_ns" and "start". */
static size_t common_beginning(const char *typed, const char *meant)
{
    size_t size = 0;
    while (meant[size] && strncasecmp(typed, meant, size + 1) == 0)
        size++;
    return size;
}

/* The same for a column, of the tables that the statement mentions; `word` may be
 * "table.column". */
static const char *nearest_column(const char *sql, const char *word)
{
    const char *dot = strrchr(word, '.'), *nearest = NULL, *similar = NULL, *table, *name;
    const char *typed = dot ? dot + 1 : word;
    unsigned least = HELP_TOO_FAR;
    size_t longest = 2;
    for (size_t i = 0; (table = query_table_name(i)); i++)
        for (size_t column = 0; mentions(sql, table) && (name = query_column_of(i, column));
             column++) {
            size_t common = common_beginning(typed, name);
            if (help_is_nearer(typed, name, &least))
                nearest = name;
            if (common > longest) {
                longest = common;
                similar = name;
            }
        }
    return nearest ? nearest : similar;
}

/* ---- where a statement is wrong ---- */

/* After a literal, a quoted name or a comment that begins there; the same place: none does. */
static const char *skip_quoted(const char *at)
{
    if (*at == '\'' || *at == '"' || *at == '`') {
        const char *end = strchr(at + 1, *at);
        return end ? end + 1 : at + strlen(at);
    }
    if (strncmp(at, "--", 2) == 0)
        return at + strcspn(at, "\n");
    if (strncmp(at, "/*", 2) == 0) {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    return at;
}

/* The first time that the statement has the name as a word of its own; -1: it does not. */
static int find_name(const char *sql, const char *name)
{
    size_t size = strlen(name);
    for (const char *at = sql; *at;) {
        const char *after = skip_quoted(at);
        bool is_begin = at == sql || !is_in_word(at[-1]);
        if (after == at && is_begin && strncasecmp(at, name, size) == 0 && !is_in_word(at[size]))
            return (int)(at - sql);
        if (after > at && (size_t)(after - at) == size + 2 && strncmp(at + 1, name, size) == 0)
            return (int)(at - sql);
        at = after > at ? after : at + 1;
    }
    return -1;
}

#define LINE_COLUMNS 72u

/* Shows the line of the statement that has this byte, and points at it. */
static void point_at(const char *sql, size_t offset)
{
    char shown[SHOW_TEXT_BYTES(LINE_COLUMNS)], caret[LINE_COLUMNS + 8];
    const char *begin = sql + offset, *at = begin;
    bool rest;
    while (begin > sql && begin[-1] != '\n')
        begin--;
    while (show_text_width((struct text){begin, (size_t)(at - begin)}, LINE_COLUMNS) >
           LINE_COLUMNS * 2 / 3)
        begin += utf8_prefix(begin, 1);
    unsigned columns = show_text_width((struct text){begin, (size_t)(at - begin)}, LINE_COLUMNS);
    show_text((struct text){begin, strcspn(begin, "\n")}, LINE_COLUMNS, shown, &rest);
    complain_more("%s%s", shown, rest ? "..." : "");
    snprintf(caret, sizeof caret, "%*s^", (int)columns, "");
    complain_more("%s", caret);
}

/* `name`: what the message is about; NULL: nothing that is in it. */
static void point_at_error(const struct query *query, const char *sql, const char *name)
{
    int offset = query_error_offset(query);
    const char *dot = name ? strrchr(name, '.') : NULL;
    if (offset < 0 && name)
        offset = find_name(sql, name);
    if (offset < 0 && dot)
        offset = find_name(sql, dot + 1);
    if (offset >= 0 && (size_t)offset <= strlen(sql))
        point_at(sql, (size_t)offset);
}

/* What follows `before` in SQLite's message; NULL: the message is another one. */
static const char *word_after(const char *error, const char *before)
{
    size_t size = strlen(before);
    return strncmp(error, before, size) == 0 ? error + size : NULL;
}

/* SQLite does not say which tables and columns there are. */
static void complain_of(const struct profdump_options *options, const struct query *query,
                        const char *sql)
{
    const char *error = query_error(query), *nearest = NULL, *word = NULL;
    char near[OPTIONS_WORD_BYTES];
    if ((word = word_after(error, "no such table: ")))
        nearest = nearest_table(word);
    else if ((word = word_after(error, "no such column: ")))
        nearest = nearest_column(sql, word);
    else if ((word = word_after(error, "no such function: ")))
        ;
    else if (sscanf(error, "near \"%63[^\"]", near) == 1)
        word = near;
    if (nearest)
        complain("query: %s; did you mean '%s'? 'profdump query --schema' lists all tables", error,
                 nearest);
    else if (word_after(error, "no such "))
        complain("query: %s; 'profdump query --schema' lists all tables", error);
    else
        complain("query: %s", error);
    if (options->command_line)
        point_at_error(query, sql, word);
}

/* Checks the statement before the recording is read. */
static bool statement_is_good(const struct profdump_options *options, const char *sql)
{
    static const struct timeline nothing;
    struct query *query = query_create(&nothing);
    bool good = query && query_begin(query, sql);
    if (!good)
        complain_of(options, query, sql);
    query_destroy(query);
    return good;
}

static int write_rows(const struct profdump_options *options, const struct timeline *timeline,
                      struct query *query, const char *sql)
{
    bool written = query_write(query, options->format, options->write.table_width, options->out);
    if (written || !query_failed(query))
        return finish(options, timeline, written);
    complain_of(options, query, sql);
    return EXIT_FAILURE;
}

int cmd_query_timeline(const struct profdump_options *options, const struct timeline *timeline,
                       const char *sql)
{
    struct query *query = query_create(timeline);
    int status = EXIT_FAILURE;
    if (query && query_begin(query, sql)) {
        status = write_rows(options, timeline, query, sql);
    } else {
        complain_of(options, query, sql);
        status = query ? EXIT_USAGE : EXIT_FAILURE;
    }
    query_destroy(query);
    return status;
}

static int describe(const struct profdump_options *options)
{
    bool written = query_write_schema(options->format, options->write.table_width, options->out);
    return finish_answer(options, written);
}

static int run_inputs(const struct profdump_options *options)
{
    struct profdump_options of = *options;
    if (options->query_schema)
        return describe(options);
    if (options->input_count == 0 ||
        (options->input_count == 1 && access(options->inputs[0], F_OK) == 0)) {
        complain(
            "query: there is no statement; as in: profdump query \"SELECT name, sum(duration) FROM "
            "kernels GROUP BY name\" run.prof");
        return EXIT_USAGE;
    }
    char **sql = options->inputs;
    if (options->input_count == 2 && access(sql[0], F_OK) == 0 && access(sql[1], F_OK) != 0)
        of.inputs = sql++; /* the file came first */
    else
        of.inputs++;
    of.input_count--;
    if (!statement_is_good(options, *sql))
        return EXIT_USAGE;
    struct timeline *timeline = inputs_load(&of);
    int status = timeline ? cmd_query_timeline(&of, timeline, *sql) : EXIT_FAILURE;
    timeline_destroy(timeline);
    return status;
}

#else

int cmd_query_timeline(const struct profdump_options *options, const struct timeline *timeline,
                       const char *sql)
{
    (void)options, (void)timeline, (void)sql;
    complain("query: profdump was built without libsqlite3");
    return EXIT_FAILURE;
}

static int run_inputs(const struct profdump_options *options)
{
    (void)options;
    complain("query: profdump was built without libsqlite3");
    return EXIT_FAILURE;
}

#endif

static const struct option_entry *const options_of_query[] = {
    query_options, width_options, window_options, input_options, format_options,
    help_options,  NULL};

const struct command command_query = {
    .word = "query",
    .summary = "run SQL over a recording",
    .usage = "\"SELECT ...\" [OPTION]... [FILE|DIRECTORY]...\n--schema [--format FORMAT]",
    .about = "Prints the rows of one SQL statement over everything that was recorded.",
    .examples = "query --schema\n"
                "query \"SELECT name, sum(duration) FROM kernels GROUP BY 1\" run.prof",
    .question = QUESTION_OTHER,
    .options = options_of_query,
    .run_inputs = run_inputs,
    .tables = true,
};

/* cmd_query.c - profdump query "SELECT ..." FILE...: SQL over what was recorded. */
#include "commands.h"
#include "help.h"
#include "inputs.h"
#include "options.h"

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

/* What follows `before` in SQLite's message; NULL: the message is another one. */
static const char *word_after(const char *error, const char *before)
{
    size_t size = strlen(before);
    return strncmp(error, before, size) == 0 ? error + size : NULL;
}

/* SQLite does not say which tables and columns there are. */
static void complain_of(const struct query *query, const char *sql)
{
    const char *error = query_error(query), *nearest = NULL, *word;
    if ((word = word_after(error, "no such table: ")))
        nearest = nearest_table(word);
    else if ((word = word_after(error, "no such column: ")))
        nearest = nearest_column(sql, word);
    if (nearest)
        complain("query: %s; did you mean '%s'? 'profdump query --schema' lists all tables", error,
                 nearest);
    else if (word_after(error, "no such "))
        complain("query: %s; 'profdump query --schema' lists all tables", error);
    else
        complain("query: %s", error);
}

/* Checks the statement before the recording is read. */
static bool statement_is_good(const char *sql)
{
    static const struct timeline nothing;
    struct query *query = query_create(&nothing);
    bool good = query && query_begin(query, sql);
    if (!good)
        complain_of(query, sql);
    query_destroy(query);
    return good;
}

static int write_rows(const struct profdump_options *options, const struct timeline *timeline,
                      struct query *query, const char *sql)
{
    bool written = query_write(query, options->format, options->write.table_width, options->out);
    if (written || !query_failed(query))
        return finish(options, timeline, written);
    complain_of(query, sql);
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
        complain_of(query, sql);
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
    if (!statement_is_good(*sql))
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

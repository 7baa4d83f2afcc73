/* cmd_arrow.c - profdump --arrow OUT FILE...: tables in Arrow's file format. */
#include "arrow_facts.h"
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool set_table(struct profdump_options *options, const char *name)
{
    for (unsigned table = 0; table < ARROW_TABLES; table++)
        if (strcmp(name, arrow_table_name((enum arrow_table)table)) == 0) {
            options->arrow_table = table + 1;
            return true;
        }
    complain("--arrow-table: '%s' is not one of events, launches, kernels, counters", name);
    return false;
}

const struct option_entry arrow_options[] = {
    CALL("arrow-table", "TABLE", set_table,
         "with --arrow: events (the default), launches, kernels or counters"),
    {0},
};

static bool write_events(const struct profdump_options *options, const struct timeline *timeline,
                         const char *path, struct write_error *error)
{
    struct arrow_facts facts;
    bool ready = arrow_facts_init(&facts, options, timeline);
    if (!ready)
        *error = (struct write_error){ENOMEM, "--arrow: out of memory"};
    bool written = ready && write_arrow_file(timeline, ARROW_EVENTS, &facts.more, path, error);
    arrow_facts_fini(&facts);
    return written;
}

static bool write_table_to(const struct profdump_options *options, const struct timeline *timeline,
                           enum arrow_table table, const char *path, struct write_error *error)
{
    if (table == ARROW_EVENTS)
        return write_events(options, timeline, path, error);
    return write_arrow_file(timeline, table, NULL, path, error);
}

static bool write_into(const struct profdump_options *options, const struct timeline *timeline,
                       enum arrow_table table, const char *directory, struct write_error *error)
{
    char *path;
    if (asprintf(&path, "%s/%s.arrow", directory, arrow_table_name(table)) < 0) {
        *error = (struct write_error){ENOMEM, "--arrow: out of memory"};
        return false;
    }
    bool written = write_table_to(options, timeline, table, path, error);
    free(path);
    return written;
}

int cmd_arrow(const struct profdump_options *options, const struct timeline *timeline,
              const char *path)
{
    struct stat status;
    struct write_error error;
    bool written = true, is_directory = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    enum arrow_table wanted =
        options->arrow_table ? (enum arrow_table)(options->arrow_table - 1) : ARROW_EVENTS;
    if (!is_directory)
        written = write_table_to(options, timeline, wanted, path, &error);
    for (unsigned table = 0; is_directory && written && table < ARROW_TABLES; table++)
        if (!options->arrow_table || table == wanted)
            written = write_into(options, timeline, (enum arrow_table)table, path, &error);
    return finish_export(options, timeline, written, &error);
}

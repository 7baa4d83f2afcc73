/* cmd_arrow.c - profdump -o OUT.arrow FILE...: tables in Arrow's file format. */
#include "cmd_arrow.h"

#include "kernel_work.h"
#include "stack_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void arrow_facts_init_stacks(struct arrow_facts *facts, const struct profdump_options *options,
                             const struct timeline *timeline)
{
    *facts = (struct arrow_facts){.stack_count = timeline->stacks.count};
    facts->stacks = stack_text_all_lines(options, timeline);
}

bool arrow_facts_init(struct arrow_facts *facts, const struct profdump_options *options,
                      const struct timeline *timeline)
{
    arrow_facts_init_stacks(facts, options, timeline);
    facts->flops = range_flops_create(timeline);
    facts->more = (struct arrow_more){facts->stacks, facts->flops};
    return facts->flops != NULL;
}

void arrow_facts_fini(struct arrow_facts *facts)
{
    stack_text_free(facts->stacks, facts->stack_count);
    free(facts->flops);
    *facts = (struct arrow_facts){0};
}

bool arrow_table_set(struct profdump_options *options, const char *name)
{
    for (unsigned table = 0; table < ARROW_TABLES; table++)
        if (strcmp(name, arrow_table_name((enum arrow_table)table)) == 0) {
            options->arrow_table = table + 1;
            return true;
        }
    return false;
}

static bool write_events(const struct profdump_options *options, const struct timeline *timeline,
                         const char *path, struct write_error *error)
{
    struct arrow_facts facts;
    bool ready = arrow_facts_init(&facts, options, timeline);
    if (!ready)
        *error = (struct write_error){ENOMEM, "Arrow: out of memory"};
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
        *error = (struct write_error){ENOMEM, "Arrow: out of memory"};
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

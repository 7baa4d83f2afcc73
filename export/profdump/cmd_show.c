/* cmd_show.c - profdump FILE...: what ran, and the key averages, as a table or as a tree. */
#include "profdump.h"

#include "averages_sheet.h"
#include "stack_groups.h"

#include <stdlib.h>

static bool show(const struct profdump_options *options, const struct write_options *write,
                 const struct timeline *timeline)
{
    if (options->format != WRITE_TEXT)
        return options->tree ? averages_sheet_tree(timeline, write, options->format, options->out)
                             : averages_sheet(timeline, write, options->format, options->out);
    if (!write_summary(timeline, write, options->out))
        return false;
    return options->tree ? write_tree(timeline, write, options->out)
                         : write_table(timeline, write, options->out);
}

/* A table by stack needs the stacks' functions. */
int cmd_with_stacks(const struct profdump_options *options, const struct timeline *timeline,
                    bool (*write)(const struct profdump_options *, const struct write_options *,
                                  const struct timeline *))
{
    struct write_options with = options->write;
    struct stack_groups groups = {0};
    bool by_stack = with.group_by & KEY_BY_STACK;
    if (by_stack && !stack_groups_init(&groups, options, timeline))
        return EXIT_FAILURE;
    if (by_stack)
        with.stacks = (struct write_stacks){groups.group_of, groups.texts};
    int status = finish(options, timeline, write(options, &with, timeline));
    stack_groups_fini(&groups);
    return status;
}

int cmd_show(const struct profdump_options *options, const struct timeline *timeline)
{
    return cmd_with_stacks(options, timeline, show);
}

/* cmd_json.c - profdump --json FILE...: the same facts for programs. */
#include "profdump.h"

/* A tree is rows by path. */
static bool write(const struct profdump_options *options, const struct write_options *as_given,
                  const struct timeline *timeline)
{
    struct write_options with = *as_given;
    if (options->tree)
        with.group_by = KEY_BY_KEY | KEY_BY_PATH;
    return write_json(timeline, &with, options->out);
}

int cmd_json(const struct profdump_options *options, const struct timeline *timeline)
{
    return cmd_with_stacks(options, timeline, write);
}

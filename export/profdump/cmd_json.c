/* cmd_json.c - profdump --json FILE...: the same facts for programs. */
#include "profdump.h"

int cmd_json(const struct profdump_options *options, const struct timeline *timeline)
{
    return finish(options, timeline, write_json(timeline, &options->write, stdout));
}

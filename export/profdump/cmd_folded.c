/* cmd_folded.c - profdump folded FILE...: ranges as folded stacks. */
#include "profdump.h"

int cmd_folded(const struct profdump_options *options, const struct timeline *timeline)
{
    return finish(options, timeline, write_folded(timeline, options->metric, options->out));
}

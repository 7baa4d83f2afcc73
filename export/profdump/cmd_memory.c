/* cmd_memory.c - profdump memory FILE...: what was allocated, by whom, and what never came back. */
#include "profdump.h"

int cmd_memory(const struct profdump_options *options, const struct timeline *timeline)
{
    bool written = options->json ? write_memory_json(timeline, &options->write, stdout)
                                 : write_memory(timeline, &options->write, stdout);
    return finish(options, timeline, written);
}

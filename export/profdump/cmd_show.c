/* cmd_show.c - profdump FILE...: what ran, and the key averages. */
#include "profdump.h"

int cmd_show(const struct profdump_options *options, const struct timeline *timeline)
{
    bool written = write_summary(timeline, &options->write, stdout) &&
                   write_table(timeline, &options->write, stdout);
    return finish(options, timeline, written);
}

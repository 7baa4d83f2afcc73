/* cmd_breakdown.c - profdump breakdown FILE...: what devices, streams, launches and copies did. */
#include "breakdown_report.h"
#include "profdump.h"

int cmd_breakdown(const struct profdump_options *options, const struct timeline *timeline)
{
    struct breakdown_options breakdown = options->breakdown;
    if (timeline->gpus.count == 0)
        complain("there are no device operations in this recording");
    breakdown.format = options->format;
    breakdown.rows = options->write.rows;
    breakdown.width = options->write.name_width;
    breakdown.table_width = options->write.table_width;
    return finish(options, timeline, write_breakdown(timeline, &breakdown, options->out));
}

/* cmd_breakdown.c - profdump breakdown FILE...: what devices, streams, launches and copies did. */
#include "breakdown_report.h"
#include "profdump.h"

static enum sheet_format format_of(const struct profdump_options *options)
{
    if (options->json)
        return SHEET_JSON;
    switch (options->blocks.format) {
    case BLOCKS_TSV:
        return SHEET_TSV;
    case BLOCKS_CSV:
        return SHEET_CSV;
    case BLOCKS_JSON:
        return SHEET_JSON;
    default:
        return SHEET_TEXT;
    }
}

int cmd_breakdown(const struct profdump_options *options, const struct timeline *timeline)
{
    struct breakdown_options breakdown = options->breakdown;
    if (timeline->gpus.count == 0)
        complain("there are no device operations in this recording");
    breakdown.format = format_of(options);
    breakdown.rows = options->write.rows;
    breakdown.width = options->write.name_width;
    return finish(options, timeline, write_breakdown(timeline, &breakdown, stdout));
}

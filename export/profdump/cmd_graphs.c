/* cmd_graphs.c - profdump graphs FILE...: CUDA graphs, who captured them and who replays them. */
#include "profdump.h"
#include "table_sheets.h"

int cmd_graphs(const struct profdump_options *options, const struct timeline *timeline)
{
    bool written = options->format == WRITE_JSON
                       ? write_graphs_json(timeline, &options->write, options->out)
                   : options->format == WRITE_TEXT
                       ? write_graphs(timeline, &options->write, options->out)
                       : graphs_sheet(timeline, &options->write, options->format, options->out);
    if (timeline->graph_launches.count == 0 && timeline->graphs.count == 0)
        complain("there are no CUDA graphs in this recording");
    return finish(options, timeline, written);
}

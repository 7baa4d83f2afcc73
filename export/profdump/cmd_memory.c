/* cmd_memory.c - profdump memory FILE...: what was allocated, by whom, and what never came back. */
#include "compat.h"
#include "profdump.h"
#include "table_sheets.h"

/* One block of the program's own, which is there without being asked for, says nothing that the heaps
 * do not. */
static bool has_blocks(const struct timeline *timeline)
{
    bool foreign = timeline->processes.count && timeline->processes.at[0].info.format.size;
    return timeline->block_allocs.count && (foreign || timeline->blocks.count > 1);
}

int cmd_memory(const struct profdump_options *options, const struct timeline *timeline)
{
    if (options->compat)
        return compat_blocks(options, timeline, EXECUTORCH_MEMORY);
    bool is_text = options->format == WRITE_TEXT;
    bool written = options->json ? write_memory_json(timeline, &options->write, options->out)
                   : is_text
                       ? write_memory(timeline, &options->write, options->out)
                       : memory_sheet(timeline, &options->write, options->format, options->out);
    if (written && is_text && has_blocks(timeline)) {
        fputc('\n', options->out);
        written = write_blocks_memory(timeline, &options->blocks, options->out);
    }
    return finish(options, timeline, written);
}

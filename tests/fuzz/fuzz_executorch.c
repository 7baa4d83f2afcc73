/* fuzz_executorch.c - see fuzz_executorch.h. */
#include "fuzz_executorch.h"

#include "blocks.h"
#include "check.h"
#include "foreign.h"
#include "tax.h"
#include "tensor_compare.h"

#include <stdlib.h>

static void derive_blocks(const struct timeline *timeline, bool wrap32)
{
    struct blocks_options options = {.target = TIME_SCALE_MS, .wrap32 = wrap32};
    struct blocks blocks;
    struct block_taxes taxes;
    struct block_mismatch mismatch;
    bool enough;
    if (!blocks_init(&blocks, timeline, &options))
        return;
    if (block_taxes_init(&taxes, &blocks))
        block_taxes_fini(&taxes);
    if (blocks.blocks.count)
        blocks_total(&blocks, 0, "native_call_", &enough);
    blocks_mismatch(timeline, 0, &mismatch, &enough);
    blocks_fini(&blocks);
}

/* The file itself serves as the buffer of its tensors. */
static void derive_values(const struct timeline *timeline, const uint8_t *bytes, size_t size)
{
    struct compare_side side = {timeline, bytes, size};
    struct compare_rows rows;
    if (compare_rows_init(&rows, &side, &side))
        compare_rows_fini(&rows);
}

void fuzz_executorch(const uint8_t *bytes, size_t size, bool partial, bool wrap32)
{
    struct read_error error;
    struct check_report report;
    struct builder *builder = builder_begin();
    struct trace_file *file = foreign_open_memory(bytes, size, "fuzz", partial, builder, &error);
    struct timeline *timeline = file ? timeline_from_files(builder, &file, 1, &error) : NULL;
    if (!file)
        builder_abandon(builder);
    if (timeline) {
        timeline_check(timeline, &report);
        if (report.errors)
            abort(); /* whatever the file holds, the timeline keeps its promises */
        derive_blocks(timeline, wrap32);
        derive_values(timeline, bytes, size);
    }
    timeline_destroy(timeline);
    trace_file_close(file);
}

/* block_tax.c - the framework's share of executions in blocks. */
#include "array.h"
#include "intervals.h"
#include "tax.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXECUTION "Method::execute"
#define WRAP (INT64_C(1) << 32)
#define TICKS_MAX (INT64_MAX / 4)

struct scan {
    const struct blocks *blocks;
    const struct block_run *run;
    struct interval *kernels; /* of the run */
    uint32_t kernel_count;
    struct interval *scratch;
};

static bool begins_with(struct text text, const char *prefix)
{
    size_t size = strlen(prefix);
    return text.size >= size && memcmp(text.bytes, prefix, size) == 0;
}

static struct text name_of(const struct scan *scan, const struct block_item *item)
{
    return item->name == TL_NONE || item->debug != TL_NONE
               ? (struct text){"", 0}
               : scan->blocks->timeline->names.at[item->name];
}

static bool is_kernel(struct text name)
{
    return begins_with(name, "native_call") || begins_with(name, "delegate_execute");
}

/* Where the event lies, in ticks from the run's first event on; those of a counter of 32 bits that
 * began anew in between unfold to the distance that is nearer. */
static bool place(const struct scan *scan, const struct block_item *item, struct interval *to)
{
    uint64_t ticks;
    uint64_t first = scan->blocks->items.at[scan->run->first_item].start_ticks;
    int64_t start = (int64_t)(item->start_ticks - first);
    if (!block_item_duration(&scan->blocks->options, item, &ticks) || ticks > TICKS_MAX ||
        start > TICKS_MAX || start < -TICKS_MAX)
        return false;
    if (scan->blocks->options.wrap32 && !item->is_signed)
        start += start < -WRAP / 2 ? WRAP : start > WRAP / 2 ? -WRAP : 0;
    *to = (struct interval){start, start + (int64_t)ticks};
    return true;
}

static void find_kernels(struct scan *scan)
{
    scan->kernel_count = 0;
    for (uint32_t i = 0; i < scan->run->item_count; i++) {
        const struct block_item *item = &scan->blocks->items.at[scan->run->first_item + i];
        if (is_kernel(name_of(scan, item)) && place(scan, item, &scan->kernels[scan->kernel_count]))
            scan->kernel_count++;
    }
}

static bool add_row(struct block_taxes *taxes, const struct scan *scan, uint32_t block,
                    uint32_t number, struct interval execution)
{
    double divisor = block_run_divisor(&scan->blocks->options, scan->run);
    int64_t length = execution.end - execution.start;
    struct block_tax *row = ARRAY_ADD(&taxes->rows);
    if (!row)
        return false;
    if (scan->kernel_count)
        memcpy(scan->scratch, scan->kernels, scan->kernel_count * sizeof *scan->kernels);
    int64_t covered =
        intervals_union(scan->scratch, scan->kernel_count, execution.start, execution.end);
    *row = (struct block_tax){
        .block = block,
        .number = number,
        .execution = (double)length / divisor,
        .kernels = (double)covered / divisor,
        .framework = (double)(length - covered) / divisor,
        .share = length > 0 ? (double)(length - covered) / (double)length : (double)NAN,
    };
    return true;
}

/* A run in which the model executed hundreds of times costs a look at its kernels for each. */
static bool scan_run(struct block_taxes *taxes, struct scan *scan, uint32_t block, uint32_t number)
{
    bool done = true;
    find_kernels(scan);
    intervals_union(scan->kernels, scan->kernel_count, 0, 0); /* sorts */
    for (uint32_t i = 0; i < scan->run->item_count && done; i++) {
        const struct block_item *item = &scan->blocks->items.at[scan->run->first_item + i];
        struct interval execution;
        if (!text_is(name_of(scan, item), EXECUTION))
            continue;
        if (place(scan, item, &execution))
            done = add_row(taxes, scan, block, number, execution);
        else
            taxes->unknown++;
    }
    return done;
}

bool block_taxes_init(struct block_taxes *taxes, const struct blocks *blocks)
{
    size_t items = (size_t)blocks->items.count + 1;
    struct scan scan = {.blocks = blocks,
                        .kernels = calloc(items, sizeof *scan.kernels),
                        .scratch = calloc(items, sizeof *scan.scratch)};
    bool done = scan.kernels && scan.scratch;
    *taxes = (struct block_taxes){0};
    for (uint32_t i = 0; i < blocks->blocks.count && done; i++) {
        const struct event_block *block = &blocks->blocks.at[i];
        for (uint32_t j = 0; j < block->run_count && done; j++) {
            scan.run = &blocks->runs.at[blocks->iterations[block->first_run + j]];
            done = scan_run(taxes, &scan, i, j);
        }
    }
    free(scan.kernels);
    free(scan.scratch);
    if (!done)
        block_taxes_fini(taxes);
    return done;
}

void block_taxes_fini(struct block_taxes *taxes)
{
    free(taxes->rows.at);
    *taxes = (struct block_taxes){0};
}

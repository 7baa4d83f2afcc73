#include "tax.h"

#include "array.h"
#include "blocks.h"
#include "key_averages.h"
#include "maps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- executions in blocks ---- */

#define EXECUTION "Method::execute"
#define WRAP (INT64_C(1) << 32)
#define TICKS_MAX (INT64_MAX / 4)

struct run_scan {
    const struct blocks *blocks;
    const struct block_run *run;
    struct interval *kernels; /* of the run */
    uint32_t kernel_count;
    struct interval *scratch;
};

static struct text name_of(const struct run_scan *scan, const struct block_item *item)
{
    return item->name == TL_NONE || item->debug != TL_NONE
               ? (struct text){"", 0}
               : scan->blocks->timeline->names.at[item->name];
}

static bool is_kernel(struct text name)
{
    return text_begins(name, "native_call") || text_begins(name, "delegate_execute");
}

/* Where the event lies, in ticks from the run's first event on; those of a counter of 32 bits that
 * began anew in between unfold to the distance that is nearer. */
static bool place(const struct run_scan *scan, const struct block_item *item, struct interval *to)
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

static void find_kernels(struct run_scan *scan)
{
    scan->kernel_count = 0;
    for (uint32_t i = 0; i < scan->run->item_count; i++) {
        const struct block_item *item = &scan->blocks->items.at[scan->run->first_item + i];
        if (is_kernel(name_of(scan, item)) && place(scan, item, &scan->kernels[scan->kernel_count]))
            scan->kernel_count++;
    }
}

static bool add_row(struct block_taxes *taxes, const struct run_scan *scan, uint32_t block,
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
static bool scan_run(struct block_taxes *taxes, struct run_scan *scan, uint32_t block,
                     uint32_t number)
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
    struct run_scan scan = {.blocks = blocks,
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

/* ---- ranges ----
 *
 * Time of ranges in which none of their kernels ran, and of the kernels after them.
 *
 * Slices of a thread are a tree in the order of a walk, so what a range launched is a stretch of
 * the list of kernels by launching slice; one that goes on in segments has a stretch for each.
 */

struct range_scan {
    const struct timeline *timeline;
    const struct key_names *keys;
    struct interval *kernels; /* by launching slice */
    uint32_t *first_kernel;   /* by slice, one more at the end */
    uint32_t *behind;         /* by slice: the first that is not below it */
    uint32_t *next_segment;   /* by slice: the segment that continues it, TL_NONE */
    uint8_t *is_nested;       /* by slice: within a range of the same key */
    struct interval *scratch;
    uint32_t *open; /* by key */
    uint32_t *row;  /* by key: into rows[], TL_NONE none yet */
};

static void scan_fini(struct range_scan *scan)
{
    free(scan->kernels);
    free(scan->first_kernel);
    free(scan->behind);
    free(scan->next_segment);
    free(scan->is_nested);
    free(scan->scratch);
    free(scan->open);
    free(scan->row);
}

static uint32_t *numbers(size_t count, uint32_t value)
{
    uint32_t *made = malloc((count + 1) * sizeof *made);
    for (size_t i = 0; i <= count && made; i++)
        made[i] = value;
    return made;
}

static bool scan_reserve(struct range_scan *scan)
{
    size_t slices = scan->timeline->slices.count, gpus = scan->timeline->gpus.count;
    scan->kernels = calloc(gpus + 1, sizeof *scan->kernels);
    scan->scratch = calloc(gpus + 1, sizeof *scan->scratch);
    scan->first_kernel = numbers(slices, 0);
    scan->behind = numbers(slices, (uint32_t)slices);
    scan->next_segment = numbers(slices, TL_NONE);
    scan->is_nested = calloc(slices + 1, sizeof *scan->is_nested);
    scan->open = numbers(scan->keys->key_count, 0);
    scan->row = numbers(scan->keys->key_count, TL_NONE);
    return scan->kernels && scan->scratch && scan->first_kernel && scan->behind &&
           scan->next_segment && scan->is_nested && scan->open && scan->row;
}

static void list_kernels(struct range_scan *scan)
{
    const struct timeline *timeline = scan->timeline;
    uint32_t count = 0;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        scan->first_kernel[i] = count;
        for (uint32_t j = 0; j < slice->gpu_count; j++) {
            const struct tl_gpu *gpu =
                &timeline->gpus.at[timeline->gpu_by_slice.at[slice->gpu_first + j]];
            if (gpu->kind == TL_KERNEL && !(gpu->flags & TL_GPU_INTERNAL))
                scan->kernels[count++] = (struct interval){gpu->start_ns, gpu->end_ns};
        }
    }
    scan->first_kernel[timeline->slices.count] = count;
    for (uint32_t i = 0; i < timeline->segments.count; i++)
        scan->next_segment[timeline->segments.at[i].before] = timeline->segments.at[i].slice;
}

static bool is_range(const struct tl_slice *slice)
{
    return slice->kind != TL_API && !(slice->flags & TL_INTERNAL);
}

static uint32_t key_of(const struct range_scan *scan, const struct tl_slice *slice)
{
    uint32_t name = tl_shown_name(scan->timeline, slice->name, tl_slice_label(slice));
    return key_names_of(scan->keys, name);
}

/* Closes what `slice` is not below; TL_NONE: all. Returns what is then innermost. */
static uint32_t close_until(struct range_scan *scan, uint32_t innermost, uint32_t parent,
                            uint32_t slice)
{
    const struct tl_slice *slices = scan->timeline->slices.at;
    while (innermost != TL_NONE && innermost != parent) {
        scan->behind[innermost] = slice;
        if (is_range(&slices[innermost]))
            scan->open[key_of(scan, &slices[innermost])]--;
        innermost = slices[innermost].parent;
    }
    return innermost;
}

static void walk(struct range_scan *scan)
{
    const struct timeline *timeline = scan->timeline;
    uint32_t innermost = TL_NONE;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        close_until(scan, innermost, slice->parent, i);
        if (is_range(slice))
            scan->is_nested[i] = scan->open[key_of(scan, slice)]++ > 0;
        innermost = i;
    }
    close_until(scan, innermost, TL_NONE, timeline->slices.count);
}

static struct range_tax *row_of(struct range_scan *scan, struct range_taxes *taxes, uint32_t key)
{
    if (scan->row[key] == TL_NONE) {
        struct range_tax *row = ARRAY_ADD(&taxes->rows);
        if (!row)
            return NULL;
        *row = (struct range_tax){.key = key};
        scan->row[key] = taxes->rows.count - 1;
    }
    return &taxes->rows.at[scan->row[key]];
}

/* The kernels of a call with all of its segments; `end_ns` gets where the last of them ends. */
static uint32_t gather(struct range_scan *scan, uint32_t slice, int64_t *end_ns)
{
    uint32_t count = 0, counted = 0;
    for (; slice != TL_NONE; slice = scan->next_segment[slice]) {
        if (slice < counted) /* below an earlier segment: a damaged file's */
            continue;
        counted = scan->behind[slice];
        uint32_t first = scan->first_kernel[slice];
        uint32_t own = scan->first_kernel[scan->behind[slice]] - first;
        if (own)
            memcpy(scan->scratch + count, scan->kernels + first, own * sizeof *scan->scratch);
        count += own;
        *end_ns = scan->timeline->slices.at[slice].end_ns;
    }
    return count;
}

static bool add_call(struct range_scan *scan, struct range_taxes *taxes, uint32_t index)
{
    const struct tl_slice *slice = &scan->timeline->slices.at[index];
    int64_t end_ns = slice->end_ns;
    uint32_t kernels = gather(scan, index, &end_ns);
    struct range_tax *row = row_of(scan, taxes, key_of(scan, slice));
    if (!row)
        return false;
    row->calls++;
    row->kernels += kernels;
    row->total_ns += end_ns - slice->start_ns;
    row->kernel_ns += intervals_union(scan->scratch, kernels, slice->start_ns, end_ns);
    row->after_ns += intervals_union(scan->scratch, kernels, end_ns, INT64_MAX);
    return true;
}

static bool is_wanted(const struct range_scan *scan, const struct tl_slice *slice,
                      const char *range)
{
    if (!range)
        return true;
    return text_is(key_names_text(scan->keys, key_of(scan, slice)), range);
}

static int by_tax(const void *left, const void *right)
{
    const struct range_tax *a = left, *b = right;
    int64_t a_ns = a->total_ns - a->kernel_ns, b_ns = b->total_ns - b->kernel_ns;
    if (a_ns != b_ns)
        return a_ns > b_ns ? -1 : 1;
    return (a->key > b->key) - (a->key < b->key);
}

static void drop_without_kernels(struct range_taxes *taxes)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < taxes->rows.count; i++)
        if (taxes->rows.at[i].kernels)
            taxes->rows.at[kept++] = taxes->rows.at[i];
    taxes->rows.count = kept;
    if (kept > 1)
        qsort(taxes->rows.at, kept, sizeof *taxes->rows.at, by_tax);
}

bool range_taxes_init(struct range_taxes *taxes, const struct timeline *timeline,
                      const struct key_names *keys, const char *range)
{
    struct range_scan scan = {.timeline = timeline, .keys = keys};
    bool done = scan_reserve(&scan);
    *taxes = (struct range_taxes){0};
    if (done) {
        list_kernels(&scan);
        walk(&scan);
    }
    for (uint32_t i = 0; i < timeline->slices.count && done; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        if (is_range(slice) && !(slice->flags & TL_CONTINUED) && !scan.is_nested[i] &&
            is_wanted(&scan, slice, range))
            done = add_call(&scan, taxes, i);
    }
    scan_fini(&scan);
    if (done)
        drop_without_kernels(taxes);
    else
        range_taxes_fini(taxes);
    return done;
}

void range_taxes_fini(struct range_taxes *taxes)
{
    free(taxes->rows.at);
    *taxes = (struct range_taxes){0};
}

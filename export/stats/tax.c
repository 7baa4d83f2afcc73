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

static bool begins_with(struct text text, const char *prefix)
{
    size_t size = strlen(prefix);
    return text.size >= size && memcmp(text.bytes, prefix, size) == 0;
}

static struct text name_of(const struct run_scan *run_scan, const struct block_item *item)
{
    return item->name == TL_NONE || item->debug != TL_NONE
               ? (struct text){"", 0}
               : run_scan->blocks->timeline->names.at[item->name];
}

static bool is_kernel(struct text name)
{
    return begins_with(name, "native_call") || begins_with(name, "delegate_execute");
}

/* Where the event lies, in ticks from the run's first event on; those of a counter of 32 bits that
 * began anew in between unfold to the distance that is nearer. */
static bool place(const struct run_scan *run_scan, const struct block_item *item,
                  struct interval *to)
{
    uint64_t ticks;
    uint64_t first = run_scan->blocks->items.at[run_scan->run->first_item].start_ticks;
    int64_t start = (int64_t)(item->start_ticks - first);
    if (!block_item_duration(&run_scan->blocks->options, item, &ticks) || ticks > TICKS_MAX ||
        start > TICKS_MAX || start < -TICKS_MAX)
        return false;
    if (run_scan->blocks->options.wrap32 && !item->is_signed)
        start += start < -WRAP / 2 ? WRAP : start > WRAP / 2 ? -WRAP : 0;
    *to = (struct interval){start, start + (int64_t)ticks};
    return true;
}

static void find_kernels(struct run_scan *run_scan)
{
    run_scan->kernel_count = 0;
    for (uint32_t i = 0; i < run_scan->run->item_count; i++) {
        const struct block_item *item = &run_scan->blocks->items.at[run_scan->run->first_item + i];
        if (is_kernel(name_of(run_scan, item)) &&
            place(run_scan, item, &run_scan->kernels[run_scan->kernel_count]))
            run_scan->kernel_count++;
    }
}

static bool add_row(struct block_taxes *taxes, const struct run_scan *run_scan, uint32_t block,
                    uint32_t number, struct interval execution)
{
    double divisor = block_run_divisor(&run_scan->blocks->options, run_scan->run);
    int64_t length = execution.end - execution.start;
    struct block_tax *row = ARRAY_ADD(&taxes->rows);
    if (!row)
        return false;
    if (run_scan->kernel_count)
        memcpy(run_scan->scratch, run_scan->kernels,
               run_scan->kernel_count * sizeof *run_scan->kernels);
    int64_t covered =
        intervals_union(run_scan->scratch, run_scan->kernel_count, execution.start, execution.end);
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
static bool scan_run(struct block_taxes *taxes, struct run_scan *run_scan, uint32_t block,
                     uint32_t number)
{
    bool done = true;
    find_kernels(run_scan);
    intervals_union(run_scan->kernels, run_scan->kernel_count, 0, 0); /* sorts */
    for (uint32_t i = 0; i < run_scan->run->item_count && done; i++) {
        const struct block_item *item = &run_scan->blocks->items.at[run_scan->run->first_item + i];
        struct interval execution;
        if (!text_is(name_of(run_scan, item), EXECUTION))
            continue;
        if (place(run_scan, item, &execution))
            done = add_row(taxes, run_scan, block, number, execution);
        else
            taxes->unknown++;
    }
    return done;
}

bool block_taxes_init(struct block_taxes *taxes, const struct blocks *blocks)
{
    size_t items = (size_t)blocks->items.count + 1;
    struct run_scan run_scan = {.blocks = blocks,
                                .kernels = calloc(items, sizeof *run_scan.kernels),
                                .scratch = calloc(items, sizeof *run_scan.scratch)};
    bool done = run_scan.kernels && run_scan.scratch;
    *taxes = (struct block_taxes){0};
    for (uint32_t i = 0; i < blocks->blocks.count && done; i++) {
        const struct event_block *block = &blocks->blocks.at[i];
        for (uint32_t j = 0; j < block->run_count && done; j++) {
            run_scan.run = &blocks->runs.at[blocks->iterations[block->first_run + j]];
            done = scan_run(taxes, &run_scan, i, j);
        }
    }
    free(run_scan.kernels);
    free(run_scan.scratch);
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
 * Time of ranges in which none of their kernels ran, and of the kernels behind them.
 *
 * Slices of a thread are a tree in the order of a walk, so what a range launched is a stretch of the
 * list of kernels by launching slice; one that goes on in pieces has a stretch for each.
 */

struct range_scan {
    const struct timeline *timeline;
    const struct key_names *keys;
    struct interval *kernels; /* by launching slice */
    uint32_t *first_kernel;   /* by slice, one more at the end */
    uint32_t *behind;         /* by slice: the first that is not below it */
    uint32_t *next_piece;     /* by slice: the piece that goes on from it, TL_NONE */
    uint8_t *is_nested;       /* by slice: within a range of the same key */
    struct interval *scratch;
    uint32_t *open; /* by key */
    uint32_t *row;  /* by key: into rows[], TL_NONE none yet */
};

static void scan_fini(struct range_scan *range_scan)
{
    free(range_scan->kernels);
    free(range_scan->first_kernel);
    free(range_scan->behind);
    free(range_scan->next_piece);
    free(range_scan->is_nested);
    free(range_scan->scratch);
    free(range_scan->open);
    free(range_scan->row);
}

static uint32_t *numbers(size_t count, uint32_t value)
{
    uint32_t *made = malloc((count + 1) * sizeof *made);
    for (size_t i = 0; i <= count && made; i++)
        made[i] = value;
    return made;
}

static bool scan_reserve(struct range_scan *range_scan)
{
    size_t slices = range_scan->timeline->slices.count, gpus = range_scan->timeline->gpus.count;
    range_scan->kernels = calloc(gpus + 1, sizeof *range_scan->kernels);
    range_scan->scratch = calloc(gpus + 1, sizeof *range_scan->scratch);
    range_scan->first_kernel = numbers(slices, 0);
    range_scan->behind = numbers(slices, (uint32_t)slices);
    range_scan->next_piece = numbers(slices, TL_NONE);
    range_scan->is_nested = calloc(slices + 1, sizeof *range_scan->is_nested);
    range_scan->open = numbers(range_scan->keys->key_count, 0);
    range_scan->row = numbers(range_scan->keys->key_count, TL_NONE);
    return range_scan->kernels && range_scan->scratch && range_scan->first_kernel &&
           range_scan->behind && range_scan->next_piece && range_scan->is_nested &&
           range_scan->open && range_scan->row;
}

static void list_kernels(struct range_scan *range_scan)
{
    const struct timeline *timeline = range_scan->timeline;
    uint32_t count = 0;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        range_scan->first_kernel[i] = count;
        for (uint32_t j = 0; j < slice->gpu_count; j++) {
            const struct tl_gpu *gpu =
                &timeline->gpus.at[timeline->gpu_by_slice.at[slice->gpu_first + j]];
            if (gpu->kind == TL_KERNEL && !(gpu->flags & TL_GPU_INTERNAL))
                range_scan->kernels[count++] = (struct interval){gpu->start_ns, gpu->end_ns};
        }
    }
    range_scan->first_kernel[timeline->slices.count] = count;
    for (uint32_t i = 0; i < timeline->pieces.count; i++)
        range_scan->next_piece[timeline->pieces.at[i].before] = timeline->pieces.at[i].slice;
}

static bool is_range(const struct tl_slice *slice)
{
    return slice->kind != TL_API && !(slice->flags & TL_INTERNAL);
}

static uint32_t key_of(const struct range_scan *range_scan, const struct tl_slice *slice)
{
    uint32_t name = tl_shown_name(range_scan->timeline, slice->name, tl_slice_label(slice));
    return key_names_of(range_scan->keys, name);
}

/* Closes what `slice` is not below; TL_NONE: all. Returns what is then innermost. */
static uint32_t close_until(struct range_scan *range_scan, uint32_t innermost, uint32_t parent,
                            uint32_t slice)
{
    const struct tl_slice *slices = range_scan->timeline->slices.at;
    while (innermost != TL_NONE && innermost != parent) {
        range_scan->behind[innermost] = slice;
        if (is_range(&slices[innermost]))
            range_scan->open[key_of(range_scan, &slices[innermost])]--;
        innermost = slices[innermost].parent;
    }
    return innermost;
}

static void walk(struct range_scan *range_scan)
{
    const struct timeline *timeline = range_scan->timeline;
    uint32_t innermost = TL_NONE;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        close_until(range_scan, innermost, slice->parent, i);
        if (is_range(slice))
            range_scan->is_nested[i] = range_scan->open[key_of(range_scan, slice)]++ > 0;
        innermost = i;
    }
    close_until(range_scan, innermost, TL_NONE, timeline->slices.count);
}

static struct range_tax *row_of(struct range_scan *range_scan, struct range_taxes *taxes,
                                uint32_t key)
{
    if (range_scan->row[key] == TL_NONE) {
        struct range_tax *row = ARRAY_ADD(&taxes->rows);
        if (!row)
            return NULL;
        *row = (struct range_tax){.key = key};
        range_scan->row[key] = taxes->rows.count - 1;
    }
    return &taxes->rows.at[range_scan->row[key]];
}

/* The kernels of a call with all of its pieces; `end_ns` gets where the last of them ends. */
static uint32_t gather(struct range_scan *range_scan, uint32_t slice, int64_t *end_ns)
{
    uint32_t count = 0, counted = 0;
    for (; slice != TL_NONE; slice = range_scan->next_piece[slice]) {
        if (slice < counted) /* below an earlier piece: a damaged file's */
            continue;
        counted = range_scan->behind[slice];
        uint32_t first = range_scan->first_kernel[slice];
        uint32_t own = range_scan->first_kernel[range_scan->behind[slice]] - first;
        if (own)
            memcpy(range_scan->scratch + count, range_scan->kernels + first,
                   own * sizeof *range_scan->scratch);
        count += own;
        *end_ns = range_scan->timeline->slices.at[slice].end_ns;
    }
    return count;
}

static bool add_call(struct range_scan *range_scan, struct range_taxes *taxes, uint32_t index)
{
    const struct tl_slice *slice = &range_scan->timeline->slices.at[index];
    int64_t end_ns = slice->end_ns;
    uint32_t kernels = gather(range_scan, index, &end_ns);
    struct range_tax *row = row_of(range_scan, taxes, key_of(range_scan, slice));
    if (!row)
        return false;
    row->calls++;
    row->kernels += kernels;
    row->total_ns += end_ns - slice->start_ns;
    row->kernel_ns += intervals_union(range_scan->scratch, kernels, slice->start_ns, end_ns);
    row->after_ns += intervals_union(range_scan->scratch, kernels, end_ns, INT64_MAX);
    return true;
}

static bool is_wanted(const struct range_scan *range_scan, const struct tl_slice *slice,
                      const char *range)
{
    if (!range)
        return true;
    return text_is(key_names_text(range_scan->keys, key_of(range_scan, slice)), range);
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
    struct range_scan range_scan = {.timeline = timeline, .keys = keys};
    bool done = scan_reserve(&range_scan);
    *taxes = (struct range_taxes){0};
    if (done) {
        list_kernels(&range_scan);
        walk(&range_scan);
    }
    for (uint32_t i = 0; i < timeline->slices.count && done; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        if (is_range(slice) && !(slice->flags & TL_CONTINUED) && !range_scan.is_nested[i] &&
            is_wanted(&range_scan, slice, range))
            done = add_call(&range_scan, taxes, i);
    }
    scan_fini(&range_scan);
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

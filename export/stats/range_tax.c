/* range_tax.c - time of ranges in which none of their kernels ran, and of the kernels behind them.
 *
 * Slices of a thread are a tree in the order of a walk, so what a range launched is a stretch of the
 * list of kernels by launching slice; one that goes on in pieces has a stretch for each.
 */
#include "array.h"
#include "intervals.h"
#include "key_names.h"
#include "maps.h"
#include "tax.h"

#include <stdlib.h>
#include <string.h>

struct scan {
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

static void scan_fini(struct scan *scan)
{
    free(scan->kernels);
    free(scan->first_kernel);
    free(scan->behind);
    free(scan->next_piece);
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

static bool scan_reserve(struct scan *scan)
{
    size_t slices = scan->timeline->slices.count, gpus = scan->timeline->gpus.count;
    scan->kernels = calloc(gpus + 1, sizeof *scan->kernels);
    scan->scratch = calloc(gpus + 1, sizeof *scan->scratch);
    scan->first_kernel = numbers(slices, 0);
    scan->behind = numbers(slices, (uint32_t)slices);
    scan->next_piece = numbers(slices, TL_NONE);
    scan->is_nested = calloc(slices + 1, sizeof *scan->is_nested);
    scan->open = numbers(scan->keys->key_count, 0);
    scan->row = numbers(scan->keys->key_count, TL_NONE);
    return scan->kernels && scan->scratch && scan->first_kernel && scan->behind &&
           scan->next_piece && scan->is_nested && scan->open && scan->row;
}

static void list_kernels(struct scan *scan)
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
    for (uint32_t i = 0; i < timeline->pieces.count; i++)
        scan->next_piece[timeline->pieces.at[i].before] = timeline->pieces.at[i].slice;
}

static bool is_range(const struct tl_slice *slice)
{
    return slice->kind != TL_API && !(slice->flags & TL_INTERNAL);
}

static uint32_t key_of(const struct scan *scan, const struct tl_slice *slice)
{
    uint32_t name = tl_shown_name(scan->timeline, slice->name, tl_slice_label(slice));
    return key_names_of(scan->keys, name);
}

/* Closes what `slice` is not below; TL_NONE: all. Returns what is then innermost. */
static uint32_t close_until(struct scan *scan, uint32_t innermost, uint32_t parent, uint32_t slice)
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

static void walk(struct scan *scan)
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

static struct range_tax *row_of(struct scan *scan, struct range_taxes *taxes, uint32_t key)
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

/* The kernels of a call with all of its pieces; `end_ns` gets where the last of them ends. */
static uint32_t gather(struct scan *scan, uint32_t slice, int64_t *end_ns)
{
    uint32_t count = 0, counted = 0;
    for (; slice != TL_NONE; slice = scan->next_piece[slice]) {
        if (slice < counted) /* below an earlier piece: a damaged file's */
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

static bool add_call(struct scan *scan, struct range_taxes *taxes, uint32_t index)
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

static bool is_wanted(const struct scan *scan, const struct tl_slice *slice, const char *range)
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
    struct scan scan = {.timeline = timeline, .keys = keys};
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

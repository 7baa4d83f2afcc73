/* html_roofline.c - what each step has of the rows of the roofline: see html_page.h. */
#include "html_page.h"

#include <math.h>
#include <stdlib.h>

struct roofline_steps {
    const struct timeline *timeline;
    const struct html_step_list *steps;
    struct html_step_sums sums; /* item: the number of a row */
    bool failed;
};

static void add_instance(void *user, const struct roofline_instance *instance)
{
    struct roofline_steps *of = user;
    const struct tl_gpu *gpu = &of->timeline->gpus.at[instance->gpu];
    if (gpu->slice == TL_NONE || of->failed)
        return;
    uint32_t step =
        steps_find(&of->steps->all, gpu->process, of->timeline->slices.at[gpu->slice].start_ns);
    if (step == TL_NONE || !of->steps->is_shown[step])
        return;
    struct html_step_sum *sum = html_step_sums_add(&of->sums, instance->row, step);
    of->failed = !sum;
    if (!sum)
        return;
    int64_t ns = instance->ns;
    bool has_flop = !isnan(instance->flop) && ns, has_bytes = !isnan(instance->bytes) && ns;
    sum->values[0] = 1, sum->values[1] = ns;
    if (has_flop)
        sum->values[2] = llround(instance->flop), sum->values[3] = ns;
    if (has_bytes)
        sum->values[4] = llround(instance->bytes), sum->values[5] = ns;
    if (has_flop && has_bytes)
        sum->values[6] = sum->values[2], sum->values[7] = sum->values[4], sum->values[8] = ns;
    if (has_flop && has_bytes && !isnan(instance->tops))
        sum->values[9] = llround(instance->tops * 1e3 * (double)ns), sum->values[10] = ns;
}

/* From the number of a row to its place among those of the page. */
static bool number_rows(struct roofline_steps *of, const struct roofline *roofline, uint32_t most,
                        uint32_t *items)
{
    uint32_t *item_of = malloc(((size_t)roofline->row_count + 1) * sizeof *item_of);
    *items = 0;
    if (!item_of)
        return false;
    memset(item_of, 0xff, ((size_t)roofline->row_count + 1) * sizeof *item_of);
    for (uint32_t i = 0; i < roofline->device_count; i++) {
        const struct roofline_device *device = &roofline->devices[i];
        for (uint32_t row = 0; row < device->row_count && row < most; row++)
            item_of[roofline->rows[device->first_row + row].number] = (*items)++;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < of->sums.count; i++) {
        of->sums.at[kept] = of->sums.at[i];
        of->sums.at[kept].item = item_of[of->sums.at[i].item];
        kept += of->sums.at[kept].item != TL_NONE;
    }
    of->sums.count = kept;
    free(item_of);
    return true;
}

bool html_roofline_steps(struct json_out *out, const struct timeline *timeline,
                         const struct html_step_list *steps)
{
    struct roofline_steps of = {timeline, steps, {.values = HTML_ROOFLINE_VALUES}, false};
    const struct roofline_options how = {
        .by = ROOFLINE_BY_KERNEL, .each = add_instance, .user = &of};
    struct kernel_works works;
    struct roofline roofline = {0};
    uint32_t items = 0;
    bool written = kernel_works_init(&works, timeline);
    if (written) {
        written = roofline_init(&roofline, timeline, &works, &how) && !of.failed &&
                  number_rows(&of, &roofline, HTML_ROOFLINE_ROWS, &items);
        kernel_works_fini(&works);
    }
    json_newline(out), json_key(out, "roofline_steps");
    written = written && html_step_sums_write(out, &of.sums, html_step_sums_fit(&of.sums, items));
    html_step_sums_fini(&of.sums);
    roofline_fini(&roofline);
    return written;
}

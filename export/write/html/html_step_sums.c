/* html_step_sums.c - what each step has of the rows and nodes of a page: see html_page.h. */
#include "array.h"
#include "html_bytes.h"
#include "html_page.h"

#include <stdlib.h>

bool html_step_list_init(struct html_step_list *list, const struct timeline *timeline)
{
    uint32_t with_steps = 0;
    if (!steps_init(&list->all, timeline))
        return false;
    list->is_shown = calloc((size_t)list->all.at.count + 1, sizeof *list->is_shown);
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        with_steps += list->all.first[i + 1] > list->all.first[i];
    uint32_t most = HTML_STEPS / (with_steps ? with_steps : 1);
    for (uint32_t i = 0; i < timeline->processes.count && list->is_shown; i++)
        for (uint32_t step = list->all.first[i]; step < list->all.first[i + 1]; step++)
            list->is_shown[step] = step - list->all.first[i] < (most > 10 ? most : 10);
    if (!list->is_shown)
        steps_fini(&list->all);
    return list->is_shown != NULL;
}

void html_step_list_fini(struct html_step_list *list)
{
    steps_fini(&list->all);
    free(list->is_shown);
}

/* ---- sums ---- */

struct html_step_sum *html_step_sums_add(struct html_step_sums *sums, uint32_t item, uint32_t step)
{
    struct html_step_sum *sum = ARRAY_ADD(sums);
    if (sum)
        *sum = (struct html_step_sum){.item = item, .step = step};
    return sum;
}

void html_step_sums_fini(struct html_step_sums *sums)
{
    free(sums->at);
    *sums = (struct html_step_sums){0};
}

static int by_item(const void *left, const void *right)
{
    const struct html_step_sum *a = left, *b = right;
    if (a->item != b->item)
        return a->item < b->item ? -1 : 1;
    return a->step < b->step ? -1 : a->step > b->step;
}

static void merge(struct html_step_sums *sums)
{
    uint32_t kept = 0;
    if (!sums->count)
        return;
    qsort(sums->at, sums->count, sizeof *sums->at, by_item);
    for (uint32_t i = 1; i < sums->count; i++) {
        if (by_item(&sums->at[kept], &sums->at[i]) != 0)
            sums->at[++kept] = sums->at[i];
        else
            for (unsigned value = 0; value < HTML_STEP_VALUES; value++)
                sums->at[kept].values[value] += sums->at[i].values[value];
    }
    sums->count = kept + 1;
}

uint32_t html_step_sums_fit(struct html_step_sums *sums, uint32_t items)
{
    uint32_t *count = calloc((size_t)items + 1, sizeof *count);
    uint32_t fit = 0, room = HTML_STEP_SUMS;
    if (!count)
        return 0;
    merge(sums);
    for (uint32_t i = 0; i < sums->count; i++)
        count[sums->at[i].item]++;
    while (fit < items && count[fit] <= room)
        room -= count[fit++];
    free(count);
    return fit;
}

static void put_columns(struct html_bytes *bytes, const struct html_step_sums *sums)
{
    for (uint32_t i = 0; i < sums->count; i++)
        html_bytes_uint(bytes, sums->at[i].item - (i ? sums->at[i - 1].item : 0));
    for (uint32_t i = 0; i < sums->count; i++)
        html_bytes_int(bytes, (int64_t)sums->at[i].step - (i ? sums->at[i - 1].step : 0));
    for (unsigned value = 0; value < sums->values; value++)
        for (uint32_t i = 0; i < sums->count; i++)
            html_bytes_int(bytes, sums->at[i].values[value]);
}

bool html_step_sums_write(struct json_out *out, struct html_step_sums *sums, uint32_t items)
{
    struct html_bytes bytes = {0};
    merge(sums);
    while (sums->count && sums->at[sums->count - 1].item >= items)
        sums->count--;
    put_columns(&bytes, sums);
    json_object_begin(out);
    json_key(out, "items"), json_uint(out, items);
    json_key(out, "count"), json_uint(out, sums->count);
    json_key(out, "values"), json_uint(out, sums->values);
    bool written = html_bytes_write(out, &bytes);
    json_object_end(out);
    html_bytes_fini(&bytes);
    return written;
}

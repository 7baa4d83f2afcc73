/* failed_calls.c - see failed_calls.h. */
#include "failed_calls.h"

#include "array.h"
#include "cuda_errors.h"
#include "maps.h"

#include <stdlib.h>

bool failed_calls_is(const struct timeline *timeline, const struct tl_slice *slice)
{
    if (slice->kind != TL_API || slice->flags & (TL_INTERNAL | TL_CONTINUED) ||
        slice->api >= timeline->apis.count)
        return false;
    int32_t result = timeline->apis.at[slice->api].result;
    return result != 0 && result != TL_RESULT_UNKNOWN && result != CUDA_ERROR_IS_ANSWER;
}

/* Names are far fewer than 2^30, so nothing shares a key. */
static uint64_t key_of(const struct failed_call *call)
{
    return ((uint64_t)call->name << 32 | (uint32_t)call->result) ^ (uint64_t)call->domain << 62;
}

static bool add_call(struct failed_calls *calls, struct keymap *known,
                     const struct timeline *timeline, uint32_t index)
{
    const struct tl_slice *slice = &timeline->slices.at[index];
    const struct tl_api *api = &timeline->apis.at[slice->api];
    struct failed_call call = {
        .name = slice->name, .domain = api->domain, .result = api->result, .first = index};
    uint32_t place = keymap_find(known, key_of(&call));
    if (place == KEYMAP_NONE) {
        struct failed_call *added = ARRAY_ADD(calls);
        place = calls->count - 1;
        if (!added || !keymap_set(known, key_of(&call), place))
            return false;
        *added = call;
    }
    struct failed_call *same = &calls->at[place];
    same->count++;
    calls->total++;
    if (slice->start_ns < timeline->slices.at[same->first].start_ns)
        same->first = index;
    return true;
}

static int most_frequent_first(const void *left, const void *right)
{
    const struct failed_call *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

bool failed_calls_init(struct failed_calls *calls, const struct timeline *timeline)
{
    struct keymap known = {0};
    bool added = true;
    *calls = (struct failed_calls){0};
    for (uint32_t i = 0; i < timeline->slices.count && added; i++)
        if (failed_calls_is(timeline, &timeline->slices.at[i]))
            added = add_call(calls, &known, timeline, i);
    keymap_fini(&known);
    if (!added)
        failed_calls_fini(calls);
    else if (calls->count > 1)
        qsort(calls->at, calls->count, sizeof *calls->at, most_frequent_first);
    return added;
}

void failed_calls_fini(struct failed_calls *calls)
{
    free(calls->at);
    *calls = (struct failed_calls){0};
}

uint32_t failed_calls_ranges(const struct timeline *timeline, uint32_t slice, uint32_t *ranges,
                             uint32_t most)
{
    uint32_t count = 0, kept = 0;
    for (uint32_t i = timeline->slices.at[slice].parent; i != TL_NONE;
         i = timeline->slices.at[i].parent) {
        if (timeline->slices.at[i].kind == TL_API)
            continue;
        if (kept < most)
            ranges[kept++] = i;
        count++;
    }
    for (uint32_t i = 0; i < kept / 2; i++) {
        uint32_t swapped = ranges[i];
        ranges[i] = ranges[kept - 1 - i];
        ranges[kept - 1 - i] = swapped;
    }
    return count;
}

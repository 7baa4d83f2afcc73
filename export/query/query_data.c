#include "demangle.h"
#include "query_table.h"

#include <stdlib.h>

/* ---- texts ---- */

static size_t mended_bytes(const struct timeline *timeline)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < timeline->names.count; i++)
        if (!utf8_is_valid(timeline->names.at[i]))
            bytes += UTF8_MENDED_BYTES(timeline->names.at[i].size);
    return bytes;
}

/* SQLite takes text for UTF-8 without looking. */
static bool copy_texts(struct query_data *data)
{
    const struct timeline *timeline = data->timeline;
    size_t bytes = mended_bytes(timeline);
    data->texts = malloc((timeline->names.count + (size_t)1) * sizeof *data->texts);
    data->mended = bytes ? malloc(bytes) : NULL;
    if (!data->texts || (bytes && !data->mended))
        return false;
    char *to = data->mended;
    for (uint32_t i = 0; i < timeline->names.count; i++) {
        data->texts[i] = timeline->names.at[i];
        if (utf8_is_valid(data->texts[i]))
            continue;
        size_t size = utf8_mend(data->texts[i], to);
        data->texts[i] = (struct text){to, size};
        to += size;
    }
    return true;
}

static int compare_names(const void *a, const void *b, void *texts)
{
    const struct text *at = texts;
    return text_compare(at[*(const uint32_t *)a], at[*(const uint32_t *)b]);
}

bool query_data_rank(struct query_data *data)
{
    uint32_t count = data->timeline->names.count, rank = 0;
    if (data->ranks)
        return true;
    uint32_t *ranks = malloc((count + (size_t)1) * sizeof *ranks);
    data->by_rank = malloc((count + (size_t)1) * sizeof *data->by_rank);
    if (!ranks || !data->by_rank) {
        free(ranks);
        free(data->by_rank);
        data->by_rank = NULL;
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        data->by_rank[i] = i;
    qsort_r(data->by_rank, count, sizeof *data->by_rank, compare_names, data->texts);
    for (uint32_t i = 0; i < count; i++) {
        bool equals =
            i && compare_names(&data->by_rank[i - 1], &data->by_rank[i], data->texts) == 0;
        rank = equals ? rank : i;
        ranks[data->by_rank[i]] = rank;
    }
    data->ranks = ranks;
    return true;
}

int64_t query_data_find(const struct query_data *data, struct text text)
{
    uint32_t low = 0, high = data->timeline->names.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (text_compare(data->texts[data->by_rank[middle]], text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == data->timeline->names.count ||
        text_compare(data->texts[data->by_rank[low]], text) != 0)
        return QUERY_NULL;
    return data->ranks[data->by_rank[low]];
}

/* ---- operations by stream ---- */

static void add_span(struct query_data *data, uint32_t first, uint32_t end, bool sorted)
{
    if (first < end)
        data->spans[data->span_count++] = (struct query_span){first, end, sorted};
}

/* What is of no stream lies between the streams, in no order. */
static bool find_spans(struct query_data *data)
{
    const struct timeline *timeline = data->timeline;
    uint32_t end = 0;
    data->spans = malloc((timeline->streams.count * (size_t)2 + 1) * sizeof *data->spans);
    for (uint32_t i = 0; data->spans && i < timeline->streams.count; i++) {
        const struct tl_stream *stream = &timeline->streams.at[i];
        if (!stream->gpu_count)
            continue;
        add_span(data, end, stream->first_gpu, false);
        end = stream->first_gpu + stream->gpu_count;
        add_span(data, stream->first_gpu, end, true);
    }
    if (data->spans)
        add_span(data, end, timeline->gpus.count, false);
    return data->spans != NULL;
}

/* ---- slices in segments ---- */

/* Pieces come after what they continue, so the last one stays. */
static bool find_last_segments(struct query_data *data)
{
    const struct timeline *timeline = data->timeline;
    if (!timeline->segments.count)
        return true;
    data->last_segments =
        malloc((timeline->slices.count + (size_t)1) * sizeof *data->last_segments);
    if (!data->last_segments)
        return false;
    for (uint32_t i = 0; i < timeline->slices.count; i++)
        data->last_segments[i] = i;
    for (uint32_t i = 0; i < timeline->segments.count; i++)
        data->last_segments[timeline->segments.at[i].first] = timeline->segments.at[i].slice;
    return true;
}

/* ---- short names ---- */

bool query_data_shorten_begin(struct query_data *data)
{
    size_t names = data->timeline->names.count + (size_t)1;
    data->shorts = calloc(names, sizeof *data->shorts);
    data->short_ids = malloc(names * sizeof *data->short_ids);
    if (!data->shorts || !data->short_ids)
        return false;
    memset(data->short_ids, 0xff, names * sizeof *data->short_ids);
    return true;
}

void query_data_shorten_name(struct query_data *data, uint32_t name)
{
    if (data->short_ids[name] != TL_NONE)
        return;
    struct text part = demangle_short_name(data->texts[name]);
    bool is_whole = part.size == data->texts[name].size;
    data->short_ids[name] = is_whole ? name : data->timeline->names.count + data->short_count;
    if (!is_whole)
        data->shorts[data->short_count++] = part;
}

bool query_data_shorten(struct query_data *data)
{
    const struct timeline *timeline = data->timeline;
    if (data->short_ids)
        return true;
    if (!query_data_shorten_begin(data))
        return false;
    for (uint32_t i = 0; i < timeline->gpus.count; i++)
        if (timeline->gpus.at[i].kind == TL_KERNEL &&
            !(timeline->gpus.at[i].flags & TL_GPU_INTERNAL))
            query_data_shorten_name(data, timeline->gpus.at[i].name);
    return true;
}

/* ---- all ---- */

bool query_data_add_up(struct query_data *data)
{
    if (!data->sums)
        data->sums = slice_sums_create(data->timeline);
    return data->sums != NULL;
}

bool query_data_init(struct query_data *data, const struct timeline *timeline)
{
    *data = (struct query_data){.timeline = timeline};
    return copy_texts(data) && global_ids_init(&data->global_ids, timeline) &&
           find_last_segments(data);
}

bool query_data_init_scans(struct query_data *data)
{
    return find_spans(data) && memory_use_init(&data->memory, data->timeline) &&
           step_times_init(&data->steps, data->timeline);
}

void query_data_fini(struct query_data *data)
{
    free(data->texts);
    free(data->mended);
    free(data->ranks);
    free(data->by_rank);
    free(data->sums);
    global_ids_fini(&data->global_ids);
    free(data->spans);
    free(data->last_segments);
    memory_use_fini(&data->memory);
    step_times_fini(&data->steps);
    free(data->shorts);
    free(data->short_ids);
    *data = (struct query_data){0};
}

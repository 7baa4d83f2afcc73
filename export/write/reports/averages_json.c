/* averages_json.c - integers of nanoseconds, as everywhere in the JSON. */
#define _GNU_SOURCE
#include "averages_json.h"

#include "device_time.h"

#include <stdlib.h>

static int64_t rounded(double ns)
{
    return (int64_t)(ns + 0.5);
}

static void write_spread(struct json_out *out, const struct key_average *row)
{
    json_key(out, "min_ns"), json_int(out, row->spread.min_ns);
    json_key(out, "max_ns"), json_int(out, row->spread.max_ns);
    json_key(out, "mean_ns"), json_int(out, rounded(key_spread_mean(&row->spread)));
    json_key(out, "stddev_ns"), json_int(out, rounded(row->spread.stddev_ns));
    json_key(out, "p10_ns"), json_int(out, rounded(row->spread.percentile_ns[0]));
    json_key(out, "p50_ns"), json_int(out, rounded(row->spread.percentile_ns[1]));
    json_key(out, "p90_ns"), json_int(out, rounded(row->spread.percentile_ns[2]));
    json_key(out, "p99_ns"), json_int(out, rounded(row->spread.percentile_ns[3]));
    json_key(out, "cold_calls"), json_uint(out, row->spread.cold_count);
    json_key(out, "cold_avg_ns"), json_int(out, rounded(key_spread_cold(&row->spread)));
    json_key(out, "warm_avg_ns"), json_int(out, rounded(key_spread_warm(&row->spread)));
}

static void write_path(struct json_out *out, const struct key_averages *averages, uint32_t path)
{
    uint32_t depth = averages->paths[path].depth, *chain = malloc((depth + 1u) * sizeof *chain);
    if (!chain) {
        json_null(out);
        return;
    }
    for (uint32_t i = depth + 1; i-- > 0; path = averages->paths[path].parent)
        chain[i] = path;
    json_array_begin(out);
    for (uint32_t i = 0; i <= depth; i++)
        json_text(out, averages->paths[chain[i]].name);
    json_array_end(out);
    free(chain);
}

static void write_part(struct json_out *out, const struct group_texts *texts,
                       const struct key_average *row, uint32_t flag)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&bytes, &size);
    if (stream)
        group_text_write(texts, row, flag, stream);
    if (stream && fclose(stream) == 0 && size)
        json_text(out, (struct text){bytes, size});
    else
        json_null(out);
    free(bytes);
}

static void write_group(struct json_out *out, const struct group_texts *texts,
                        const struct key_average *row)
{
    uint32_t by = texts->averages->group_by;
    if (by & KEY_BY_PROCESS)
        json_key(out, "pid"), write_part(out, texts, row, KEY_BY_PROCESS);
    if (by & KEY_BY_RANK)
        json_key(out, "rank"), write_part(out, texts, row, KEY_BY_RANK);
    if (by & KEY_BY_THREAD)
        json_key(out, "thread"), write_part(out, texts, row, KEY_BY_THREAD);
    if (by & KEY_BY_DEVICE)
        json_key(out, "device"), write_part(out, texts, row, KEY_BY_DEVICE);
    if (by & KEY_BY_STREAM)
        json_key(out, "stream"), write_part(out, texts, row, KEY_BY_STREAM);
    if (by & KEY_BY_SHAPE)
        json_key(out, "shape"), write_part(out, texts, row, KEY_BY_SHAPE);
    if (by & KEY_BY_STACK)
        json_key(out, "stack"), write_part(out, texts, row, KEY_BY_STACK);
    if (by & KEY_BY_PATH && row->group.path != TL_NONE)
        json_key(out, "path"), write_path(out, texts->averages, row->group.path);
}

static void write_times(struct json_out *out, const struct key_average *row)
{
    json_key(out, "count"), json_uint(out, row->count);
    if (row->outer_count != row->count)
        json_key(out, "outer_count"), json_uint(out, row->outer_count);
    json_key(out, "cpu_total_ns"), json_int(out, row->cpu_total_ns);
    json_key(out, "self_cpu_total_ns"), json_int(out, row->self_cpu_total_ns);
    json_key(out, "cuda_total_ns"), json_int(out, row->cuda_total_ns);
    json_key(out, "self_cuda_total_ns"), json_int(out, row->self_cuda_total_ns);
}

void averages_json_row(struct json_out *out, const struct group_texts *texts,
                       const struct key_average *row)
{
    json_newline(out);
    json_object_begin(out);
    json_key(out, "name"), json_text(out, row->name);
    json_key(out, "kind"), json_string(out, key_kind_name(row->kind));
    write_times(out, row);
    if (row->spread.count)
        write_spread(out, row);
    if (row->kind == KEY_RANGE && row->projected_count) {
        json_key(out, "projected_calls"), json_uint(out, row->projected_count);
        json_key(out, "projected_ns"), json_int(out, row->projected_ns);
    }
    if (row->kind == KEY_MEMCPY || row->kind == KEY_MEMSET)
        json_key(out, "bytes"), json_uint(out, row->bytes);
    write_group(out, texts, row);
    json_object_end(out);
}

void averages_json_total(struct json_out *out, const struct key_average *total)
{
    json_object_begin(out);
    json_key(out, "name"), json_text(out, total->name);
    write_times(out, total);
    json_key(out, "projected_calls"), json_uint(out, total->projected_count);
    json_key(out, "projected_ns"), json_int(out, total->projected_ns);
    json_key(out, "bytes"), json_uint(out, total->bytes);
    json_object_end(out);
}

void averages_json_rows(struct json_out *out, const struct group_texts *texts, bool only_kernels,
                        int64_t rows)
{
    const struct key_averages *averages = texts->averages;
    json_array_begin(out);
    for (uint32_t i = 0; i < averages->count && rows != 0; i++)
        if (!only_kernels || averages->rows[i].kind == KEY_KERNEL) {
            averages_json_row(out, texts, &averages->rows[i]);
            rows--;
        }
    json_array_end(out);
}

static void write_device(struct json_out *out, const struct timeline *timeline,
                         const struct device_time *time)
{
    json_newline(out);
    json_object_begin(out);
    json_key(out, "pid"), json_uint(out, timeline->processes.at[time->process].info.pid);
    json_key(out, "device"), json_uint(out, time->device);
    json_key(out, "operations"), json_uint(out, time->operations);
    json_key(out, "sum_ns"), json_int(out, time->sum_ns);
    json_key(out, "busy_ns"), json_int(out, time->busy_ns);
    json_key(out, "overlap_ns"), json_int(out, time->overlap_ns);
    json_key(out, "idle_ns"), json_int(out, time->idle_ns);
    json_key(out, "window_ns"), json_int(out, time->window_ns);
    json_object_end(out);
}

bool averages_json_devices(struct json_out *out, const struct timeline *timeline)
{
    struct device_times times;
    if (!device_times_init(&times, timeline))
        return false;
    json_newline(out), json_key(out, "device_time"), json_array_begin(out);
    for (uint32_t i = 0; i < times.count; i++)
        write_device(out, timeline, &times.at[i]);
    json_array_end(out);
    device_times_fini(&times);
    return true;
}

/* chrome_labels.c - process_name, process_labels, process_sort_index, thread_name,
 * thread_sort_index. */
#include "chrome_labels.h"

#include "row_names.h"

/* Kineto's: devices stand below every process. */
#define GPU_SORT_BASE 5000000

/* Places in the order of a device's rows: each stream has a thousand, its lanes first, its waits in
 * the middle. */
#define STREAM_PLACES 1000
#define STREAM_WAITS 500
#define LAST_PLACE INT32_MAX

static void begin_metadata(struct json_out *out, const struct chrome_row *row, const char *name)
{
    json_newline(out);
    json_object_begin(out);
    json_key(out, "ph"), json_constant(out, "M");
    json_key(out, "name"), json_string(out, name);
    json_key(out, "ts"), json_uint(out, 0);
    chrome_row_write(row, out);
    json_key(out, "args");
    json_object_begin(out);
}

static void end_metadata(struct json_out *out)
{
    json_object_end(out);
    json_object_end(out);
}

static void write_name(struct json_out *out, const struct chrome_row *row, const char *kind,
                       const char *name)
{
    begin_metadata(out, row, kind);
    json_key(out, "name"), json_string(out, name);
    end_metadata(out);
}

static void write_order(struct json_out *out, const struct chrome_row *row, const char *kind,
                        int64_t place)
{
    begin_metadata(out, row, kind);
    json_key(out, "sort_index"), json_int(out, place < LAST_PLACE ? place : LAST_PLACE);
    end_metadata(out);
}

static void write_labels(struct json_out *out, const struct chrome_row *row, const char *labels)
{
    begin_metadata(out, row, "process_labels");
    json_key(out, "labels"), json_string(out, labels);
    end_metadata(out);
}

/* A device that the program named is called so. */
static void write_process_name(const struct chrome_rows *rows, struct json_out *out,
                               const struct chrome_row *row, uint32_t process, uint32_t given)
{
    char name[ROW_NAME_BYTES];
    row_name_process(rows->timeline, process, given, name);
    write_name(out, row, "process_name", name);
}

static void write_process(const struct chrome_rows *rows, struct json_out *out, uint32_t process)
{
    struct chrome_row row;
    chrome_row_set(&row, rows->pids[process], 0);
    write_process_name(rows, out, &row, process, TL_NONE);
    write_labels(out, &row, "CPU");
    write_order(out, &row, "process_sort_index", rows->pids[process]);
}

static void write_gpu(const struct chrome_rows *rows, struct json_out *out, uint32_t index)
{
    const struct chrome_gpu *gpu = &rows->gpus[index];
    struct chrome_row row;
    char labels[ROW_NAME_BYTES];
    chrome_row_set(&row, gpu->pid, 0);
    row_name_gpu(rows, index, labels);
    write_process_name(rows, out, &row, gpu->process,
                       gpu->device == TL_NONE ? TL_NONE
                                              : rows->timeline->devices.at[gpu->device].given_name);
    write_labels(out, &row, labels);
    write_order(out, &row, "process_sort_index", GPU_SORT_BASE + (int64_t)index);
}

static void write_thread(const struct chrome_rows *rows, struct json_out *out, uint32_t index)
{
    const struct tl_thread *thread = &rows->timeline->threads.at[index];
    struct text name = row_name_thread(rows->timeline, index);
    char text[ROW_NAME_BYTES];
    if (thread->internal && thread->slice_count == 0)
        return;
    snprintf(text, sizeof text, "thread %u (%.*s)", thread->tid, row_name_part(name, 300),
             name.size ? name.bytes : "");
    write_name(out, &rows->threads[index], "thread_name", text);
    write_order(out, &rows->threads[index], "thread_sort_index", rows->threads[index].tid);
}

static void write_stream(const struct chrome_rows *rows, struct json_out *out, uint32_t index)
{
    const struct chrome_stream *stream = &rows->streams[index];
    for (uint32_t lane = 0; lane < stream->lane_count; lane++) {
        const struct chrome_row *row = &rows->lanes[stream->first_lane + lane];
        char name[ROW_NAME_BYTES];
        row_name_stream(rows->timeline, index, lane, name);
        write_name(out, row, "thread_name", name);
        write_order(out, row, "thread_sort_index",
                    (int64_t)index * STREAM_PLACES + (lane < STREAM_WAITS ? lane : STREAM_WAITS));
    }
}

void chrome_labels_write(const struct chrome_rows *rows, struct json_out *out)
{
    const struct timeline *timeline = rows->timeline;
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        write_process(rows, out, i);
    for (uint32_t i = 0; i < rows->gpu_count; i++)
        write_gpu(rows, out, i);
    for (uint32_t i = 0; i < timeline->threads.count; i++)
        write_thread(rows, out, i);
    for (uint32_t i = 0; i < timeline->streams.count; i++)
        if (timeline->streams.at[i].gpu_count)
            write_stream(rows, out, i);
}

void chrome_labels_spare(const struct chrome_rows *rows, struct json_out *out,
                         struct chrome_spare *spare)
{
    char name[ROW_NAME_BYTES];
    int64_t place = LAST_PLACE;
    if (spare->named)
        return;
    if (spare->kind == CHROME_SPARE_STREAM || spare->kind == CHROME_SPARE_RANGES)
        place = (int64_t)spare->index * STREAM_PLACES + STREAM_WAITS + spare->lane;
    row_name_spare(rows, spare, name);
    write_name(out, &spare->row, "thread_name", name);
    write_order(out, &spare->row, "thread_sort_index", place);
    spare->named = true;
}

void chrome_labels_timed(const struct chrome_rows *rows, struct json_out *out,
                         const struct chrome_timed *timed)
{
    char name[ROW_NAME_BYTES];
    row_name_timed(rows->timeline, timed, name);
    write_name(out, &timed->row, "thread_name", name);
    write_order(out, &timed->row, "thread_sort_index", LAST_PLACE);
}

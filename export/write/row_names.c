/* row_names.c - see row_names.h. */
#include "row_names.h"

#include <inttypes.h>

/* Several processes in one trace: who is who. */
void row_name_process(const struct timeline *timeline, uint32_t process, uint32_t given,
                      char to[ROW_NAME_BYTES])
{
    const struct tl_process_info *info = &timeline->processes.at[process].info;
    struct text called = info->program.size ? info->program : (struct text){"process", 7};
    if (given < timeline->names.count)
        called = timeline->names.at[given];
    int size = row_name_part(called, 300);
    if (timeline->processes.count == 1)
        snprintf(to, ROW_NAME_BYTES, "%.*s", size, called.bytes);
    else if (info->rank < 0)
        snprintf(to, ROW_NAME_BYTES, "%.*s [%" PRIu64 "]", size, called.bytes, info->pid);
    else
        snprintf(to, ROW_NAME_BYTES, "%.*s [%" PRIu64 "] rank %d", size, called.bytes, info->pid,
                 info->rank);
}

void row_name_program(const struct chrome_rows *rows, uint32_t process, char to[ROW_NAME_BYTES])
{
    const struct tl_process_info *info = &rows->timeline->processes.at[process].info;
    if (rows->pids[process] != info->pid || rows->timeline->processes.count == 1 ||
        info->program.size == 0)
        row_name_process(rows->timeline, process, TL_NONE, to);
    else if (info->rank < 0)
        snprintf(to, ROW_NAME_BYTES, "%.*s", row_name_part(info->program, 300),
                 info->program.bytes);
    else
        snprintf(to, ROW_NAME_BYTES, "%.*s rank %d", row_name_part(info->program, 300),
                 info->program.bytes, info->rank);
}

void row_name_gpu(const struct chrome_rows *rows, uint32_t gpu, char to[ROW_NAME_BYTES])
{
    const struct chrome_gpu *row = &rows->gpus[gpu];
    bool simulated = rows->timeline->processes.at[row->process].info.simulated;
    char number[16] = "";
    if (row->ordinal != TL_NONE)
        snprintf(number, sizeof number, " %u", row->ordinal);
    snprintf(to, ROW_NAME_BYTES, "GPU%s%s", number, simulated ? ", Simulated GPU" : "");
}

struct text row_name_thread(const struct timeline *timeline, uint32_t thread)
{
    const struct tl_thread *row = &timeline->threads.at[thread];
    if (row->name < timeline->names.count)
        return timeline->names.at[row->name];
    return timeline->processes.at[row->process].info.program;
}

void row_name_stream(const struct timeline *timeline, uint32_t index, uint32_t lane,
                     char to[ROW_NAME_BYTES])
{
    const struct tl_stream *stream = &timeline->streams.at[index];
    struct text given = {"", 0};
    char number[32] = "";
    if (stream->given_name < timeline->names.count)
        given = timeline->names.at[stream->given_name];
    if (lane)
        snprintf(number, sizeof number, " (lane %u)", lane + 1);
    snprintf(to, ROW_NAME_BYTES, "stream %u%s%.*s%s", stream->stream, given.size ? " " : "",
             row_name_part(given, 200), given.bytes, number);
}

/* What stands before the lane's number, with a bracket open. */
static void name_spare_kind(const struct chrome_rows *rows, const struct chrome_spare *spare,
                            char to[ROW_NAME_BYTES])
{
    char stream[ROW_NAME_BYTES];
    switch (spare->kind) {
    case CHROME_SPARE_STREAM:
        row_name_stream(rows->timeline, spare->index, 0, stream);
        snprintf(to, ROW_NAME_BYTES, "%.300s (sync", stream);
        break;
    case CHROME_SPARE_RANGES:
        row_name_stream(rows->timeline, spare->index, 0, stream);
        snprintf(to, ROW_NAME_BYTES, "%.300s (ranges", stream);
        break;
    case CHROME_SPARE_GPU:
        snprintf(to, ROW_NAME_BYTES, "device %u (sync", rows->gpus[spare->index].ordinal);
        break;
    case CHROME_SPARE_MANAGED:
        snprintf(to, ROW_NAME_BYTES, "managed memory (device %u", rows->gpus[spare->index].ordinal);
        break;
    case CHROME_SPARE_FAULTS:
        snprintf(to, ROW_NAME_BYTES, "managed memory (host");
        break;
    case CHROME_SPARE_PROCESS:
        snprintf(to, ROW_NAME_BYTES, "CUDA (overhead");
    }
}

void row_name_spare(const struct chrome_rows *rows, const struct chrome_spare *spare,
                    char to[ROW_NAME_BYTES])
{
    char what[ROW_NAME_BYTES];
    name_spare_kind(rows, spare, what);
    snprintf(to, ROW_NAME_BYTES, spare->lane ? "%.350s, lane %u)" : "%.350s)", what,
             spare->lane + 1);
}

void row_name_timed(const struct timeline *timeline, const struct chrome_timed *timed,
                    char to[ROW_NAME_BYTES])
{
    snprintf(to, ROW_NAME_BYTES, "ranges timed by events (thread %" PRIu64 ")",
             timeline->threads.at[timed->thread].tid);
}

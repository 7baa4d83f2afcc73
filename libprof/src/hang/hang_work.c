/* hang_work.c - which launches have all their records, and by stream what has none yet.
 *
 * Operations of a stream run in order: what was launched before one that has completed is lost, not
 * outstanding. A call names its stream by a handle only, and the handles of default streams are
 * those of a thread or a context: they are distinguished by thread. A launch whose records may have
 * been recycled is not looked at.
 */
#include "chunks.h"
#include "config.h"
#include "hang_inside.h"
#include "names.h"
#include "number.h"
#include "process.h"
#include "recorder.h"

#include <string.h>

#define HANG_WORK_CORRELATIONS (1u << 20) /* latest correlation ids whose records are counted */
#define HANG_WORK_STREAMS 256u
#define HANG_WORK_LAUNCHES 8192u     /* that are outstanding */
#define HANG_WORK_DEFAULT_STREAMS 2u /* handles up to this one */
#define HANG_WORK_FLUSHES 5u         /* within which CUPTI has delivered what has completed */

struct hang_work_stream {
    uint64_t handle, completed_ticks; /* of the latest launch that has completed */
    uint32_t tid;                     /* of a default stream, else 0 */
    uint32_t completed;               /* name, or call: see hang_launch */
    bool completed_is_call;
};

struct hang_launch {
    uint64_t ticks;
    uint32_t correlation, tid, stream;
    uint32_t name, call; /* of a kernel; as hang_log_call() takes it */
    struct hang_open around;
};

static struct {
    struct {
        uint32_t correlation, records;
    } records[HANG_WORK_CORRELATIONS];
    struct hang_work_stream streams[HANG_WORK_STREAMS];
    struct hang_launch launches[HANG_WORK_LAUNCHES];
    uint32_t stream_count, launch_count;
    uint64_t since;
} * hang_work;

bool hang_work_reserve(void)
{
    void *memory = hang_work;
    bool reserved = process_memory(&memory, sizeof *hang_work);
    hang_work = memory;
    return reserved;
}

/* Zeroes it. */
void hang_work_begin(void)
{
    hang_work_reserve();
}

void hang_work_take_operation(const uint64_t *record, uint64_t since)
{
    switch (PROF_WORD_TYPE(*record)) {
    case PROF_REC_KERNEL:
    case PROF_REC_MEMCPY:
    case PROF_REC_MEMSET:
    case PROF_REC_GRAPH_RUN:
    case PROF_REC_LOST:
        break;
    default:
        return;
    }
    uint32_t correlation = (uint32_t)PROF_WORD_INFO(*record);
    uint32_t place = correlation % HANG_WORK_CORRELATIONS;
    if (hang_work->records[place].correlation == correlation)
        hang_work->records[place].records++;
    else if (!hang_work->records[place].records ||
             (int32_t)(correlation - hang_work->records[place].correlation) > 0) {
        hang_work->records[place].correlation = correlation;
        hang_work->records[place].records = 1;
    }
    if (since > hang_work->since)
        hang_work->since = since;
}

/* HANG_WORK_STREAMS: there are too many. */
static uint32_t hang_work_stream_of(uint64_t handle, uint32_t tid)
{
    uint32_t i;
    tid = handle <= HANG_WORK_DEFAULT_STREAMS ? tid : 0;
    for (i = 0; i < hang_work->stream_count; i++)
        if (hang_work->streams[i].handle == handle && hang_work->streams[i].tid == tid)
            return i;
    if (i < HANG_WORK_STREAMS) {
        hang_work->streams[i].handle = handle;
        hang_work->streams[i].tid = tid;
        hang_work->stream_count++;
    }
    return i;
}

/* Of a graph, `operations` is the least. */
static bool hang_work_has_completed(const struct prof_rec_api_enter *enter)
{
    uint32_t place = enter->correlation % HANG_WORK_CORRELATIONS;
    uint32_t least =
        (enter->flags & PROF_API_WHOLE_GRAPH) || !enter->operations ? 1 : enter->operations;
    if (!hang_work->records[place].records)
        return false;
    return hang_work->records[place].correlation == enter->correlation
               ? hang_work->records[place].records >= least
               : (int32_t)(hang_work->records[place].correlation - enter->correlation) > 0;
}

/* A call of the runtime and the driver's inside it have one correlation id. */
static bool hang_work_is_repeated(uint32_t correlation)
{
    return hang_work->launch_count &&
           hang_work->launches[hang_work->launch_count - 1].correlation == correlation;
}

void hang_work_take_launch(const uint64_t *record, uint64_t ticks, uint32_t tid,
                           const struct hang_open *around)
{
    struct prof_rec_api_enter enter = {0};
    memcpy(&enter, record, PROF_REC_API_ENTER_SHORT_BYTES);
    if (!(enter.flags & (PROF_API_LAUNCHES | PROF_API_GRAPH)) ||
        (enter.flags & PROF_API_INTERNAL) || ticks < hang_work->since)
        return;
    uint32_t call = (uint32_t)enter.domain << 16 | enter.cbid;
    uint32_t kernel = enter.flags & PROF_API_GRAPH ? 0 : enter.name;
    uint32_t number = hang_work_stream_of(enter.stream, tid);
    if (number == HANG_WORK_STREAMS)
        return;
    struct hang_work_stream *stream = &hang_work->streams[number];
    if (hang_work_has_completed(&enter)) {
        if (ticks < stream->completed_ticks)
            return;
        stream->completed_ticks = ticks;
        stream->completed = kernel ? kernel : call;
        stream->completed_is_call = !kernel;
    } else if (hang_work->launch_count < HANG_WORK_LAUNCHES &&
               !hang_work_is_repeated(enter.correlation)) {
        struct hang_launch *launch = &hang_work->launches[hang_work->launch_count++];
        *launch = (struct hang_launch){ticks, enter.correlation, tid, number, kernel, call, {0}};
        if (around)
            launch->around = *around;
    }
}

void hang_work_take_failure(uint32_t correlation)
{
    if (hang_work_is_repeated(correlation))
        hang_work->launch_count--;
}

/* ---- what is outstanding ---- */

/* Not where records may be missing, or come only at the end. */
static bool hang_work_is_certain(const struct hang_launch *first)
{
    static const enum prof_loss_cause causes[] = {PROF_LOSS_CUPTI_DROPPED, PROF_LOSS_UNKNOWN_RECORD,
                                                  PROF_LOSS_GPU_BUFFER,    PROF_LOSS_FULL,
                                                  PROF_LOSS_LATE,          PROF_LOSS_IO};
    const struct prof_file_header *header = chunks_header();
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (loss_get(causes[i]))
            return false;
    return header && header->gpu_mode == PROF_GPU_CUPTI && !config_get()->hardware_trace &&
           hang_log_seconds(first->ticks) * 1000 >
               (double)(HANG_WORK_FLUSHES * config_get()->flush_ms);
}

static void hang_work_add_name(uint32_t name, uint32_t call)
{
    hang_text_add_quoted(name ? names_text_of(name) : hang_log_call(call));
}

static void hang_work_add_stream(uint32_t number, const struct hang_launch *first, uint32_t count)
{
    const struct hang_work_stream *stream = &hang_work->streams[number];
    hang_text_add("stream handle=0x%llx outstanding=%u first=", (unsigned long long)stream->handle,
                  count);
    hang_work_add_name(first->name, first->call);
    hang_text_add(" seconds=%s tid=%u correlation=%u",
                  number_fixed(hang_log_seconds(first->ticks), 1).bytes, first->tid,
                  first->correlation);
    if (first->around.kind) {
        hang_text_add(" in=");
        hang_text_add_quoted(hang_log_name(first->around.name));
        hang_log_add_attrs(&first->around);
    }
    hang_text_add(" completed=");
    if (stream->completed)
        hang_work_add_name(stream->completed_is_call ? 0 : stream->completed, stream->completed);
    else
        hang_text_add("none");
    hang_text_add("\n");
}

unsigned hang_work_add(void)
{
    unsigned certain = 0;
    for (uint32_t i = 0; i < hang_work->stream_count; i++) {
        const struct hang_launch *first = NULL;
        uint32_t count = 0;
        for (uint32_t j = 0; j < hang_work->launch_count; j++) {
            const struct hang_launch *launch = &hang_work->launches[j];
            if (launch->stream != i || launch->ticks < hang_work->streams[i].completed_ticks)
                continue;
            count++;
            if (!first || launch->ticks < first->ticks)
                first = launch;
        }
        if (!first)
            continue;
        hang_work_add_stream(i, first, count);
        certain += hang_work_is_certain(first) ? count : 0;
    }
    return certain;
}

/* sqlite_nvprof_facts.c - nvprof's devices, contexts, streams and names. None of them says of which
 * process it is: they are told of each.
 */
#include "sqlite_nvprof.h"

#include <string.h>

/* Facts of one kind for one process, at most: there is one row for each in the machine. */
#define FACTS_MAX 4096

static const char *const device_columns[] = {"id",
                                             "name",
                                             "globalMemorySize",
                                             "globalMemoryBandwidth",
                                             "computeCapabilityMajor",
                                             "computeCapabilityMinor",
                                             "numMultiprocessors",
                                             "coreClockRate",
                                             "l2CacheSize",
                                             "numThreadsPerWarp",
                                             "maxThreadsPerBlock",
                                             "maxBlocksPerMultiprocessor",
                                             "maxWarpsPerMultiprocessor",
                                             "maxRegistersPerBlock",
                                             "maxRegistersPerMultiprocessor",
                                             "maxSharedMemoryPerBlock",
                                             "maxSharedMemoryPerMultiprocessor",
                                             "uuid"};

/* CUPTI gives bandwidth in kB/s. */
static struct prof_rec_device take_device(struct sqlite_trace *trace, struct sqlite_rows *rows)
{
    struct prof_rec_device device = {
        .device = sqlite_rows_uint32(rows, 0),
        .name = sqlite_trace_name(trace, sqlite_rows_int(rows, 1, 0)),
        .memory_bytes = (uint64_t)sqlite_rows_int(rows, 2, 0),
        .memory_bandwidth = (uint64_t)sqlite_rows_uint32(rows, 3) * 1000,
        .core_clock_khz = sqlite_rows_uint32(rows, 7),
    };
    sqlite_trace_device(rows, &device);
    struct text uuid = sqlite_rows_blob(rows, 17);
    if (uuid.size == sizeof device.uuid)
        memcpy(device.uuid, uuid.bytes, sizeof device.uuid);
    return device;
}

static void read_contexts(struct sqlite_trace *trace)
{
    static const char *const columns[] = {"contextId", "deviceId", "nullStreamId"};
    struct sqlite_rows rows;
    uint32_t processes = event_store_process_count(trace->store), told = 0;
    sqlite_rows_begin(&rows, trace->file, "CUPTI_ACTIVITY_KIND_CONTEXT", columns,
                      SQLITE_COUNT(columns));
    while (told < FACTS_MAX && sqlite_rows_next(&rows)) {
        struct prof_rec_context context = {
            .context = sqlite_rows_uint32(&rows, 0),
            .device = sqlite_rows_uint32(&rows, 1),
            .null_stream = sqlite_rows_uint32(&rows, 2),
        };
        bool known = sqlite_rows_int(&rows, 1, -1) >= 0;
        for (uint32_t i = 0; i < processes && known; i++, told++)
            event_store_context(trace->store, i, &context);
    }
    sqlite_trace_end(trace, &rows);
}

static void read_streams(struct sqlite_trace *trace)
{
    static const char *const columns[] = {"contextId", "streamId", "priority", "flag"};
    struct sqlite_rows rows;
    uint32_t processes = event_store_process_count(trace->store), told = 0;
    sqlite_rows_begin(&rows, trace->file, "CUPTI_ACTIVITY_KIND_STREAM", columns,
                      SQLITE_COUNT(columns));
    while (told < FACTS_MAX && sqlite_rows_next(&rows)) {
        struct prof_rec_stream stream = {
            .context = sqlite_rows_uint32(&rows, 0),
            .stream = sqlite_rows_uint32(&rows, 1),
            .priority = (int32_t)sqlite_rows_int(&rows, 2, PROF_PRIORITY_UNKNOWN),
            .flags = sqlite_rows_uint32(&rows, 3),
        };
        for (uint32_t i = 0; i < processes; i++, told++)
            event_store_stream(trace->store, i, &stream);
    }
    sqlite_trace_end(trace, &rows);
}

/* The program's command line, and threads that the program named. */
static void read_names(struct sqlite_trace *trace)
{
    static const char *const columns[] = {"objectKind", "objectId", "name"};
    struct sqlite_rows rows;
    sqlite_rows_begin(&rows, trace->file, "CUPTI_ACTIVITY_KIND_NAME", columns,
                      SQLITE_COUNT(columns));
    while (sqlite_rows_next(&rows)) {
        uint32_t object[3];
        nvprof_object(&rows, 1, object);
        int64_t kind = sqlite_rows_int(&rows, 0, 0);
        const struct sqlite_string *name = sqlite_trace_string(trace, sqlite_rows_int(&rows, 2, 0));
        uint32_t process = keymap_find_id(&trace->processes, object[0]);
        uint32_t thread = keymap_find_id(&trace->threads, nvprof_thread_id(object[0], object[1]));
        if (name && kind == NVPROF_PROCESS && process != KEYMAP_NONE)
            event_store_process_at(trace->store, process)->program = name->text;
        if (name && kind == NVPROF_THREAD && thread != KEYMAP_NONE)
            event_store_name_thread(trace->store, thread, name->text);
    }
    sqlite_trace_end(trace, &rows);
}

void nvprof_read_facts(struct sqlite_trace *trace)
{
    static const char format[] = "nvprof SQLite", reason[] = "timed by nvprof";
    for (uint32_t i = 0; i < event_store_process_count(trace->store); i++) {
        struct read_process *process = event_store_process_at(trace->store, i);
        process->format = (struct text){format, sizeof format - 1};
        process->gpu_reason = (struct text){reason, sizeof reason - 1};
    }
    sqlite_trace_devices(trace, "CUPTI_ACTIVITY_KIND_DEVICE", device_columns,
                         SQLITE_COUNT(device_columns), FACTS_MAX, take_device);
    read_contexts(trace);
    read_streams(trace);
    read_names(trace);
}

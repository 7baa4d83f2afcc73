/* sqlite_nsys_facts.c - devices, contexts, streams, and what processes and threads are called.
 *
 * Devices are the machine's: each process that used one is told of all.
 */
#include "device_api.h"
#include "sqlite_trace.h"

#include <string.h>

/* Facts of one kind, at most: there is one row for each in the machine. */
#define FACTS_MAX 65536

static const char *const device_columns[] = {"id",
                                             "name",
                                             "totalMemory",
                                             "memoryBandwidth",
                                             "computeMajor",
                                             "computeMinor",
                                             "smCount",
                                             "clockRate",
                                             "l2CacheSize",
                                             "threadsPerWarp",
                                             "maxThreadsPerBlock",
                                             "maxBlocksPerSm",
                                             "maxWarpsPerSm",
                                             "maxRegistersPerBlock",
                                             "maxRegistersPerSm",
                                             "maxShmemPerBlock",
                                             "maxShmemPerSm",
                                             "uuid"};

/* The same until 2021. */
static const char *const older_columns[] = {"deviceId", SQLITE_CUPTI_DEVICE_COLUMNS};

/* "GPU-01234567-89ab-..." */
static void read_uuid(struct text text, uint8_t uuid[16])
{
    uint8_t read[16] = {0};
    size_t digits = 0;
    for (size_t i = text_begins(text, "GPU-") ? 4 : 0; i < text.size; i++) {
        char c = text.bytes[i];
        unsigned value = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                : 16;
        if (value == 16 && c == '-')
            continue;
        if (value == 16 || digits == 32)
            return;
        read[digits / 2] = (uint8_t)((unsigned)read[digits / 2] << 4 | value);
        digits++;
    }
    if (digits == 32)
        memcpy(uuid, read, sizeof read);
}

static struct tl_device_info read_device(struct sqlite_trace *trace, struct sqlite_rows *rows)
{
    struct text name = sqlite_rows_text(rows, 1);
    struct tl_device_info device = {
        .device = sqlite_rows_uint32(rows, 0),
        .name = name.size ? unordered_name(trace->events, name) : 0,
        .memory_bytes = (uint64_t)sqlite_rows_int(rows, 2, 0),
        .memory_bandwidth = (uint64_t)sqlite_rows_int(rows, 3, 0),
        .core_clock_khz = (uint32_t)(sqlite_rows_int(rows, 7, 0) / 1000),
    };
    sqlite_trace_device(rows, &device);
    read_uuid(sqlite_rows_text(rows, 17), device.uuid);
    return device;
}

/* Rates are those of CUPTI's record: kHz and kB/s. */
static struct tl_device_info read_older_device(struct sqlite_trace *trace, struct sqlite_rows *rows)
{
    struct tl_device_info device = read_device(trace, rows);
    int64_t name;
    if (!device.name && sqlite_rows_take(rows, 1, &name))
        device.name = sqlite_trace_name(trace, name);
    device.core_clock_khz = sqlite_rows_uint32(rows, 7);
    device.memory_bandwidth = (uint64_t)sqlite_rows_uint32(rows, 3) * 1000;
    return device;
}

/* The first process of that pid; some versions write a GlobalId there. */
static uint32_t find_process(const struct keymap *pids, int64_t process)
{
    uint32_t found = keymap_find_id(pids, process > 0xffffff ? sqlite_nsys_pid(process) : process);
    return found == KEYMAP_NONE ? SQLITE_NO_PROCESS : found;
}

static void read_contexts(struct sqlite_trace *trace, const struct keymap *pids)
{
    static const char *const columns[] = {"processId", "contextId", "deviceId"};
    struct sqlite_rows rows;
    sqlite_rows_begin(&rows, trace->file, "TARGET_INFO_CUDA_CONTEXT_INFO", columns,
                      SQLITE_COUNT(columns));
    while (sqlite_rows_next(&rows)) {
        uint32_t process = find_process(pids, sqlite_rows_int(&rows, 0, -1));
        struct cuda_context context = {
            .context = sqlite_rows_uint32(&rows, 1),
            .device = sqlite_rows_uint32(&rows, 2),
        };
        if (process != SQLITE_NO_PROCESS && sqlite_rows_int(&rows, 2, -1) >= 0)
            unordered_add_context(trace->events, process, &context);
    }
    sqlite_trace_end(trace, &rows);
}

static void read_streams(struct sqlite_trace *trace, const struct keymap *pids)
{
    static const char *const columns[] = {"processId", "contextId", "streamId", "priority"};
    struct sqlite_rows rows;
    sqlite_rows_begin(&rows, trace->file, "TARGET_INFO_CUDA_STREAM", columns,
                      SQLITE_COUNT(columns));
    while (sqlite_rows_next(&rows)) {
        uint32_t process = find_process(pids, sqlite_rows_int(&rows, 0, -1));
        struct cuda_stream stream = {
            .context = sqlite_rows_uint32(&rows, 1),
            .stream = sqlite_rows_uint32(&rows, 2),
            .priority = (int32_t)sqlite_rows_int(&rows, 3, PROF_PRIORITY_UNKNOWN),
        };
        if (process != SQLITE_NO_PROCESS)
            unordered_add_stream(trace->events, process, &stream);
    }
    sqlite_trace_end(trace, &rows);
}

/* nsys lists every process of the machine: only those that did something are known here. */
static void name_processes(struct sqlite_trace *trace)
{
    static const char *const columns[] = {"globalPid", "name"};
    struct sqlite_rows rows;
    sqlite_rows_begin(&rows, trace->file, "PROCESSES", columns, SQLITE_COUNT(columns));
    while (sqlite_rows_next(&rows)) {
        uint32_t process = keymap_find_id(&trace->processes, sqlite_rows_int(&rows, 0, 0) >> 24);
        struct text name = sqlite_rows_text(&rows, 1);
        if (process != KEYMAP_NONE && name.size)
            unordered_process_info(trace->events, process)->program =
                unordered_keep_text(trace->events, name);
    }
    sqlite_trace_end(trace, &rows);
}

static void name_threads(struct sqlite_trace *trace)
{
    static const char *const columns[] = {"globalTid", "nameId"};
    struct sqlite_rows rows;
    sqlite_rows_begin(&rows, trace->file, "ThreadNames", columns, SQLITE_COUNT(columns));
    while (sqlite_rows_next(&rows)) {
        uint32_t thread = keymap_find_id(&trace->threads, sqlite_rows_int(&rows, 0, 0));
        const struct sqlite_string *name = sqlite_trace_string(trace, sqlite_rows_int(&rows, 1, 0));
        if (thread != KEYMAP_NONE && name && name->text.size)
            unordered_name_thread(trace->events, thread, name->text);
    }
    sqlite_trace_end(trace, &rows);
}

/* In a database of libprof's: pids and tids that need more than 24 bits. */
static void read_ids(struct sqlite_trace *trace)
{
    static const char *const columns[] = {"globalTid", "pid", "tid"};
    struct sqlite_rows rows;
    sqlite_rows_begin(&rows, trace->file, "PROF_IDS", columns, SQLITE_COUNT(columns));
    while (sqlite_rows_next(&rows)) {
        int64_t global = sqlite_rows_int(&rows, 0, 0);
        uint32_t process = keymap_find_id(&trace->processes, global >> 24);
        uint32_t thread = keymap_find_id(&trace->threads, global);
        if (process != KEYMAP_NONE)
            unordered_process_info(trace->events, process)->pid =
                (uint64_t)sqlite_rows_int(&rows, 1, 0);
        if (thread != KEYMAP_NONE)
            unordered_number_thread(trace->events, thread, (uint64_t)sqlite_rows_int(&rows, 2, 0));
    }
    sqlite_trace_end(trace, &rows);
}

/* A value of a table of names and values; empty when there is none. */
static struct text read_value(struct sqlite_trace *trace, const char *table, const char *name)
{
    static const char *const columns[] = {"name", "value"};
    struct text value = {"", 0};
    struct sqlite_rows rows;
    sqlite_rows_begin(&rows, trace->file, table, columns, SQLITE_COUNT(columns));
    while (sqlite_rows_next(&rows))
        if (text_is(sqlite_rows_text(&rows, 0), name) && !value.size)
            value = unordered_keep_text(trace->events, sqlite_rows_text(&rows, 1));
    sqlite_trace_end(trace, &rows);
    return value;
}

static uint64_t read_start(struct sqlite_trace *trace)
{
    static const char *const columns[] = {"utcEpochNs"};
    int64_t start_ns = 0;
    struct sqlite_rows rows;
    sqlite_rows_begin(&rows, trace->file, "TARGET_INFO_SESSION_START_TIME", columns, 1);
    while (sqlite_rows_next(&rows))
        start_ns = sqlite_rows_int(&rows, 0, start_ns);
    sqlite_trace_end(trace, &rows);
    return start_ns > 0 && start_ns < SQLITE_TIME_MAX_NS ? (uint64_t)start_ns : 0;
}

/* How devices were timed. libprof's exports say by what: they may be of any file that it reads. */
static struct tl_process_info read_mode(struct sqlite_trace *trace)
{
    static const char reason[] = "timed by nsys";
    struct tl_process_info mode = {.gpu_mode = PROF_GPU_CUPTI,
                                   .gpu_reason = {reason, sizeof reason - 1}};
    if (!text_is(read_value(trace, "META_DATA_EXPORT", "EXPORTER"), "libprof"))
        return mode;
    struct text api = read_value(trace, "META_DATA_EXPORT", "DEVICE_API");
    mode.gpu_reason = read_value(trace, "META_DATA_EXPORT", "GPU_MODE_REASON");
    if (text_is(read_value(trace, "META_DATA_EXPORT", "GPU_MODE"), "other"))
        mode.gpu_mode = PROF_GPU_OTHER;
    for (mode.device_api = TL_API_OTHER; mode.device_api > TL_API_CUDA; mode.device_api--)
        if (text_is(api, device_api_name(mode.device_api)))
            break;
    return mode;
}

static void describe_processes(struct sqlite_trace *trace)
{
    static const char format[] = "nsys SQLite";
    struct text host = read_value(trace, "TARGET_INFO_SYSTEM_ENV", "Hostname");
    const struct tl_process_info mode = read_mode(trace);
    for (uint32_t i = 0; i < unordered_process_count(trace->events); i++) {
        struct tl_process_info *process = unordered_process_info(trace->events, i);
        process->host = host;
        process->format = (struct text){format, sizeof format - 1};
        process->gpu_mode = mode.gpu_mode;
        process->gpu_reason = mode.gpu_reason;
        process->device_api = mode.device_api;
    }
}

/* When all processes, threads and devices are known. Returns when the session began, since the
 * epoch; 0 unknown. */
uint64_t sqlite_nsys_facts(struct sqlite_trace *trace)
{
    struct keymap pids = {0};
    for (uint32_t i = unordered_process_count(trace->events); i--;)
        if (!keymap_set(&pids, unordered_process_info(trace->events, i)->pid, i))
            sqlite_file_fail_memory(trace->file);
    describe_processes(trace);
    bool older = !sqlite_file_has_table(trace->file, "TARGET_INFO_GPU");
    sqlite_trace_devices(trace, older ? "TARGET_INFO_CUDA_GPU" : "TARGET_INFO_GPU",
                         older ? older_columns : device_columns, SQLITE_COUNT(device_columns),
                         FACTS_MAX, older ? read_older_device : read_device);
    read_contexts(trace, &pids);
    read_streams(trace, &pids);
    name_processes(trace);
    name_threads(trace);
    read_ids(trace);
    keymap_fini(&pids);
    return read_start(trace);
}

/* sqlite_nvprof.c - a database of nvprof (nvprof -o, nvvp), versions 9 to 14 of its schema.
 *
 * Its tables are CUPTI's activity records, a column per member, an id in StringTable for a name.
 * Times are nanoseconds since the epoch. Versions differ in columns, so all are found by name.
 */
#include "sqlite_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION_LATEST 14

/* CUpti_ActivityObjectKind */
enum { NVPROF_PROCESS = 1, NVPROF_THREAD = 2 };

/* ---- calls ---- */

/* A thread's id in the whole file. */
static int64_t nvprof_thread_id(uint32_t pid, uint32_t tid)
{
    return (int64_t)((uint64_t)pid << 32 | tid);
}

/* A member of CUPTI's: the low half of what the column holds. */
static uint32_t low_32(struct sqlite_rows *rows, int column)
{
    return (uint32_t)sqlite_rows_int(rows, column, 0);
}

static uint32_t call_name(struct sqlite_trace *trace, bool driver, int64_t cbid)
{
    char unknown[64];
    const char *name = sqlite_call_name(driver, cbid);
    if (!name) {
        snprintf(unknown, sizeof unknown, "CUDA %s call %lld", driver ? "driver" : "runtime",
                 (long long)cbid);
        name = unknown;
    }
    return unordered_name(trace->events, (struct text){name, strlen(name)});
}

/* What calls of one callback id have in common, looked up once. */
struct known_call {
    uint32_t name;
    uint8_t flags;
};
#define KNOWN_CALLS 1024

static struct known_call call_of(struct sqlite_trace *trace, struct known_call *known, bool driver,
                                 int64_t cbid)
{
    struct known_call made = {0, 0}, *call = &made;
    if (cbid >= 0 && cbid < KNOWN_CALLS)
        call = &known[cbid];
    if (!call->name) {
        call->name = call_name(trace, driver, cbid);
        call->flags = sqlite_call_flags(unordered_name_text(trace->events, call->name));
        call->flags |= driver ? SLICE_DRIVER : 0;
    }
    return *call;
}

enum { C_START, C_END, C_CBID, C_PROCESS, C_THREAD, C_CORRELATION, C_RESULT };
static const char *const call_columns[] = {"start",    "end",           "cbid",       "processId",
                                           "threadId", "correlationId", "returnValue"};

static bool read_call(struct sqlite_trace *trace, struct sqlite_rows *rows,
                      struct sqlite_call *call)
{
    bool open;
    if (!sqlite_trace_times(trace, rows, &call->start_ns, &call->end_ns, &open))
        return false;
    uint32_t pid = low_32(rows, C_PROCESS), tid = low_32(rows, C_THREAD);
    call->process = sqlite_trace_process(trace, pid, pid);
    call->thread = sqlite_trace_thread(trace, call->process, nvprof_thread_id(pid, tid), tid);
    call->correlation = sqlite_trace_correlation(trace, sqlite_rows_int(rows, C_CORRELATION, 0));
    call->result = (int32_t)sqlite_rows_int(rows, C_RESULT, TL_RESULT_UNKNOWN);
    call->flags = open ? TL_UNCLOSED : 0;
    return call->thread != 0;
}

static void read_calls(struct sqlite_trace *trace, const char *table, bool driver)
{
    struct known_call known[KNOWN_CALLS] = {{0, 0}};
    struct sqlite_rows rows;
    struct sqlite_call call;
    sqlite_rows_begin(&rows, trace->file, table, call_columns, SQLITE_COUNT(call_columns));
    while (sqlite_rows_next(&rows)) {
        if (!read_call(trace, &rows, &call))
            continue;
        struct known_call same = call_of(trace, known, driver, sqlite_rows_int(&rows, C_CBID, -1));
        call.name = same.name;
        call.flags |= same.flags;
        sqlite_trace_call(trace, &call);
    }
    sqlite_trace_end(trace, &rows);
}

/* An objectId: pid and tid, or device, context and stream. */
static void nvprof_object(struct sqlite_rows *rows, int column, uint32_t object[3])
{
    struct text blob = sqlite_rows_blob(rows, column);
    memset(object, 0, 3 * sizeof *object);
    for (size_t i = 0; i < 12 && i < blob.size; i++)
        object[i / 4] |= (uint32_t)(uint8_t)blob.bytes[i] << i % 4 * 8;
}

/* Time that the profiler or the driver took itself. */
static void read_overheads(struct sqlite_trace *trace)
{
    static const char *const columns[] = {"start", "end", "overheadKind", "objectKind", "objectId"};
    struct sqlite_rows rows;
    sqlite_rows_begin(&rows, trace->file, "CUPTI_ACTIVITY_KIND_OVERHEAD", columns,
                      SQLITE_COUNT(columns));
    while (sqlite_rows_next(&rows)) {
        struct unordered_op op = {0};
        struct tl_overhead overhead = {0};
        bool open;
        if (!sqlite_trace_times(trace, &rows, &op.start_ns, &op.end_ns, &open))
            continue;
        overhead.kind = low_32(&rows, 2);
        overhead.object_kind = low_32(&rows, 3);
        nvprof_object(&rows, 4, overhead.object);
        bool of_process =
            overhead.object_kind == NVPROF_PROCESS || overhead.object_kind == NVPROF_THREAD;
        uint32_t pid = of_process ? overhead.object[0] : 0;
        op.process = of_process || !unordered_process_count(trace->events)
                         ? sqlite_trace_process(trace, pid, pid)
                         : 0;
        if (op.process != SQLITE_NO_PROCESS)
            unordered_append_overhead(trace->events, &op, &overhead);
    }
    sqlite_trace_end(trace, &rows);
}

static void read_version(struct sqlite_trace *trace)
{
    static const char *const columns[] = {"version"};
    struct sqlite_rows rows;
    sqlite_rows_begin(&rows, trace->file, "Version", columns, 1);
    while (sqlite_rows_next(&rows))
        unordered_warn(trace->events, "versions of the schema that are later than any known",
                       sqlite_rows_int(&rows, 0, 0) > VERSION_LATEST);
    sqlite_trace_end(trace, &rows);
}

/* ---- NVTX: a row where a range begins and one where it ends, of one id ----
 *
 * Whether a range was pushed or started is not said. One that ends on its own thread is taken as
 * pushed, any other as started.
 */

/* CUpti_ActivityFlag of markers, and of their data. */
enum { MARKER_INSTANTANEOUS = 1, MARKER_START = 2, MARKER_END = 4 };
enum { MARKER_COLORED = 2 };

struct looks {
    uint32_t color, category;
    bool colored;
};

/* One end of a range whose other end has not come yet. */
struct half {
    int64_t time_ns;
    uint32_t process, thread, name;
    bool is_start;
    bool paired;
};

struct markers {
    struct sqlite_trace *trace;
    struct keymap looks_of, halves_of, domains;
    struct {
        struct looks *at;
        uint32_t count, capacity;
    } looks;
    struct {
        struct half *at;
        uint32_t count, capacity;
    } halves;
    uint64_t ranges;
};

static void set(struct markers *markers, struct keymap *map, int64_t id, uint32_t number)
{
    if (!keymap_set_id(map, id, number))
        sqlite_file_fail_memory(markers->trace->file);
}

static void read_looks(struct markers *markers)
{
    static const char *const columns[] = {"id", "flags", "color", "category"};
    struct sqlite_rows rows;
    sqlite_rows_begin(&rows, markers->trace->file, "CUPTI_ACTIVITY_KIND_MARKER_DATA", columns,
                      SQLITE_COUNT(columns));
    while (sqlite_rows_next(&rows)) {
        struct looks *looks = ARRAY_ADD(&markers->looks);
        if (!looks) {
            sqlite_file_fail_memory(markers->trace->file);
            break;
        }
        *looks = (struct looks){
            .color = (uint32_t)sqlite_rows_int(&rows, 2, 0),
            .category = (uint32_t)sqlite_rows_int(&rows, 3, 0),
            .colored = sqlite_rows_int(&rows, 1, 0) & MARKER_COLORED,
        };
        set(markers, &markers->looks_of, sqlite_rows_int(&rows, 0, 0), markers->looks.count - 1);
    }
    sqlite_trace_end(markers->trace, &rows);
}

/* A domain is a string; 0 means none. */
static uint32_t domain_of(struct markers *markers, uint32_t process, int64_t string)
{
    struct unordered *events = markers->trace->events;
    if (string == 0)
        return 0;
    uint32_t name = sqlite_trace_name(markers->trace, string);
    int64_t key = (int64_t)((uint64_t)process << 32 | name);
    uint32_t domain = keymap_find_id(&markers->domains, key);
    if (domain != KEYMAP_NONE)
        return domain;
    domain = unordered_add_domain(events, process);
    unordered_name_domain(events, domain, name);
    set(markers, &markers->domains, key, domain);
    return domain;
}

enum { M_TIME, M_FLAGS, M_ID, M_OBJECT_KIND, M_OBJECT, M_NAME, M_DOMAIN };
static const char *const marker_columns[] = {"timestamp", "flags", "id",    "objectKind",
                                             "objectId",  "name",  "domain"};

static uint32_t label_of(struct markers *markers, struct sqlite_rows *rows, uint32_t process)
{
    struct event_label label = {
        .name = sqlite_trace_name(markers->trace, sqlite_rows_int(rows, M_NAME, 0)),
        .domain = domain_of(markers, process, sqlite_rows_int(rows, M_DOMAIN, 0)),
    };
    uint32_t place = keymap_find_id(&markers->looks_of, sqlite_rows_int(rows, M_ID, 0));
    if (place < markers->looks.count) {
        const struct looks *looks = &markers->looks.at[place];
        label.category = looks->category;
        label.colored = looks->colored;
        label.color = looks->color;
    }
    return unordered_label(markers->trace->events, &label);
}

static void add_slice(struct markers *markers, const struct half *start, int64_t end_ns,
                      unsigned flags)
{
    struct complete_slice slice = {
        .start_ns = start->time_ns,
        .end_ns = end_ns,
        .thread = start->thread,
        .name = start->name,
        .result = TL_RESULT_UNKNOWN,
        .kind = TL_RANGE,
        .flags = (uint8_t)flags,
    };
    unordered_append_slice(markers->trace->events, &slice);
}

static void pair(struct markers *markers, const struct half *start, const struct half *end)
{
    if (start->thread == end->thread)
        add_slice(markers, start, end->time_ns, 0);
    else
        unordered_append_async(markers->trace->events, start->thread, end->thread, start->time_ns,
                               end->time_ns, start->name, ++markers->ranges);
}

/* The other end of the same id waits, or this one does from now on. */
static void read_half(struct markers *markers, struct half half, int64_t id)
{
    int64_t key = (int64_t)((uint64_t)half.process << 32 ^ (uint64_t)id);
    uint32_t place = keymap_find_id(&markers->halves_of, key);
    struct half *other = place == KEYMAP_NONE ? NULL : &markers->halves.at[place];
    if (other && !other->paired && other->is_start != half.is_start) {
        other->paired = true;
        pair(markers, half.is_start ? &half : other, half.is_start ? other : &half);
        return;
    }
    struct half *kept = ARRAY_ADD(&markers->halves);
    if (!kept) {
        sqlite_file_fail_memory(markers->trace->file);
        return;
    }
    *kept = half;
    set(markers, &markers->halves_of, key, markers->halves.count - 1);
}

static bool read_owner(struct markers *markers, struct sqlite_rows *rows, struct half *half)
{
    uint32_t object[3];
    nvprof_object(rows, M_OBJECT, object);
    uint32_t tid =
        sqlite_rows_int(rows, M_OBJECT_KIND, NVPROF_THREAD) == NVPROF_THREAD ? object[1] : 0;
    half->process = sqlite_trace_process(markers->trace, object[0], object[0]);
    half->thread =
        sqlite_trace_thread(markers->trace, half->process, nvprof_thread_id(object[0], tid), tid);
    return half->thread != 0;
}

static void read_marker(struct markers *markers, struct sqlite_rows *rows)
{
    struct half half = {0};
    if (!sqlite_trace_time(markers->trace, rows, M_TIME, &half.time_ns) ||
        !read_owner(markers, rows, &half))
        return;
    int64_t flags = sqlite_rows_int(rows, M_FLAGS, 0), id = sqlite_rows_int(rows, M_ID, 0);
    if (flags & MARKER_INSTANTANEOUS) {
        unordered_append_mark(markers->trace->events, half.thread, half.time_ns,
                              label_of(markers, rows, half.process));
        return;
    }
    half.is_start = flags & MARKER_START;
    if (half.is_start)
        half.name = label_of(markers, rows, half.process);
    if (flags & (MARKER_START | MARKER_END))
        read_half(markers, half, id);
}

/* Ranges that were open at the end of the recording, and those that were at its beginning. */
static void end_halves(struct markers *markers)
{
    uint64_t ends = 0;
    for (uint32_t i = 0; i < markers->halves.count; i++) {
        const struct half *half = &markers->halves.at[i];
        if (half->paired)
            continue;
        ends += !half->is_start;
        if (half->is_start)
            add_slice(markers, half, half->time_ns, TL_UNCLOSED);
    }
    unordered_warn(markers->trace->events, "ends of ranges without a begin: left out", ends);
}

static void read_markers(struct sqlite_trace *trace)
{
    struct markers markers = {.trace = trace};
    struct sqlite_rows rows;
    read_looks(&markers);
    sqlite_rows_begin(&rows, trace->file, "CUPTI_ACTIVITY_KIND_MARKER", marker_columns,
                      SQLITE_COUNT(marker_columns));
    while (sqlite_rows_next(&rows))
        read_marker(&markers, &rows);
    sqlite_trace_end(trace, &rows);
    end_halves(&markers);
    keymap_fini(&markers.looks_of);
    keymap_fini(&markers.halves_of);
    keymap_fini(&markers.domains);
    free(markers.looks.at);
    free(markers.halves.at);
}

/* ---- devices, contexts, streams and names ----
 *
 * None of them names its process, so they are emitted for each.
 */

/* Facts of one kind for one process, at most: there is one row for each in the machine. */
#define FACTS_MAX 4096

static const char *const device_columns[] = {"id", SQLITE_CUPTI_DEVICE_COLUMNS};

/* CUPTI gives bandwidth in kB/s. */
static struct tl_device_info read_device(struct sqlite_trace *trace, struct sqlite_rows *rows)
{
    struct tl_device_info device = {
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
    static const char *const columns[] = {"contextId", "deviceId"};
    struct sqlite_rows rows;
    uint32_t processes = unordered_process_count(trace->events), fact_count = 0;
    sqlite_rows_begin(&rows, trace->file, "CUPTI_ACTIVITY_KIND_CONTEXT", columns,
                      SQLITE_COUNT(columns));
    while (fact_count < FACTS_MAX && sqlite_rows_next(&rows)) {
        struct cuda_context context = {
            .context = sqlite_rows_uint32(&rows, 0),
            .device = sqlite_rows_uint32(&rows, 1),
        };
        bool known = sqlite_rows_int(&rows, 1, -1) >= 0;
        for (uint32_t i = 0; i < processes && known; i++, fact_count++)
            unordered_add_context(trace->events, i, &context);
    }
    sqlite_trace_end(trace, &rows);
}

static void read_streams(struct sqlite_trace *trace)
{
    static const char *const columns[] = {"contextId", "streamId", "priority"};
    struct sqlite_rows rows;
    uint32_t processes = unordered_process_count(trace->events), fact_count = 0;
    sqlite_rows_begin(&rows, trace->file, "CUPTI_ACTIVITY_KIND_STREAM", columns,
                      SQLITE_COUNT(columns));
    while (fact_count < FACTS_MAX && sqlite_rows_next(&rows)) {
        struct cuda_stream stream = {
            .context = sqlite_rows_uint32(&rows, 0),
            .stream = sqlite_rows_uint32(&rows, 1),
            .priority = (int32_t)sqlite_rows_int(&rows, 2, PROF_PRIORITY_UNKNOWN),
        };
        for (uint32_t i = 0; i < processes; i++, fact_count++)
            unordered_add_stream(trace->events, i, &stream);
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
            unordered_process_info(trace->events, process)->program = name->text;
        if (name && kind == NVPROF_THREAD && thread != KEYMAP_NONE)
            unordered_name_thread(trace->events, thread, name->text);
    }
    sqlite_trace_end(trace, &rows);
}

static void read_facts(struct sqlite_trace *trace)
{
    static const char format[] = "nvprof SQLite", reason[] = "timed by nvprof";
    for (uint32_t i = 0; i < unordered_process_count(trace->events); i++) {
        struct tl_process_info *process = unordered_process_info(trace->events, i);
        process->format = (struct text){format, sizeof format - 1};
        process->gpu_reason = (struct text){reason, sizeof reason - 1};
    }
    sqlite_trace_devices(trace, "CUPTI_ACTIVITY_KIND_DEVICE", device_columns,
                         SQLITE_COUNT(device_columns), FACTS_MAX, read_device);
    read_contexts(trace);
    read_streams(trace);
    read_names(trace);
}

/* ---- all of it ---- */

uint64_t sqlite_nvprof_read(struct sqlite_trace *trace)
{
    read_version(trace);
    sqlite_trace_strings(trace, "StringTable", "_id_", "value");
    read_calls(trace, "CUPTI_ACTIVITY_KIND_RUNTIME", false);
    read_calls(trace, "CUPTI_ACTIVITY_KIND_DRIVER", true);
    read_markers(trace);
    sqlite_gpu_read(trace, false);
    read_overheads(trace);
    read_facts(trace);
    unordered_join_pid_0(trace->events);
    int64_t origin_ns = unordered_end(trace->events);
    unordered_set_origin(trace->events, origin_ns);
    return origin_ns > 0 ? (uint64_t)origin_ns : 0;
}

/* sqlite_nvprof.c - a database of nvprof (nvprof -o, nvvp), versions 9 to 14 of its schema.
 *
 * Its tables are CUPTI's activity records, a column per member, an id in StringTable for a name. Times
 * are nanoseconds since the epoch. Versions differ in columns, so all are found by name.
 */
#include "sqlite_nvprof.h"
#include "sqlite_calls.h"

#include <stdio.h>
#include <string.h>

#define VERSION_LATEST 14

int64_t nvprof_thread_id(uint32_t pid, uint32_t tid)
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
    return event_store_name(trace->store, (struct text){name, strlen(name)});
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
        call->flags = sqlite_call_flags(event_store_text(trace->store, call->name));
        call->flags |= driver ? READ_SLICE_DRIVER : 0;
    }
    return *call;
}

enum { START, END, CBID, PROCESS, THREAD, CORRELATION, RESULT };
static const char *const call_columns[] = {"start",    "end",           "cbid",       "processId",
                                           "threadId", "correlationId", "returnValue"};

static bool take_call(struct sqlite_trace *trace, struct sqlite_rows *rows,
                      struct sqlite_call *call)
{
    bool open;
    if (!sqlite_trace_times(trace, rows, &call->start_ns, &call->end_ns, &open))
        return false;
    uint32_t pid = low_32(rows, PROCESS), tid = low_32(rows, THREAD);
    call->process = sqlite_trace_process(trace, pid, pid);
    call->thread = sqlite_trace_thread(trace, call->process, nvprof_thread_id(pid, tid), tid);
    call->correlation = sqlite_trace_correlation(trace, sqlite_rows_int(rows, CORRELATION, 0));
    call->result = (int32_t)sqlite_rows_int(rows, RESULT, READ_RESULT_UNKNOWN);
    call->flags = open ? READ_SLICE_UNCLOSED : 0;
    return call->thread != 0;
}

static void read_calls(struct sqlite_trace *trace, const char *table, bool driver)
{
    struct known_call known[KNOWN_CALLS] = {{0, 0}};
    struct sqlite_rows rows;
    struct sqlite_call call;
    sqlite_rows_begin(&rows, trace->file, table, call_columns, SQLITE_COUNT(call_columns));
    while (sqlite_rows_next(&rows)) {
        if (!take_call(trace, &rows, &call))
            continue;
        struct known_call same = call_of(trace, known, driver, sqlite_rows_int(&rows, CBID, -1));
        call.name = same.name;
        call.flags |= same.flags;
        sqlite_trace_call(trace, &call);
    }
    sqlite_trace_end(trace, &rows);
}

void nvprof_object(struct sqlite_rows *rows, int column, uint32_t object[3])
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
        struct read_gpu gpu;
        bool open;
        memset(&gpu, 0, sizeof gpu);
        gpu.kind = READ_GPU_OVERHEAD;
        if (!sqlite_trace_times(trace, &rows, &gpu.start_ns, &gpu.end_ns, &open))
            continue;
        gpu.overhead.kind = low_32(&rows, 2);
        gpu.overhead.object_kind = low_32(&rows, 3);
        nvprof_object(&rows, 4, gpu.overhead.object);
        bool of_process =
            gpu.overhead.object_kind == NVPROF_PROCESS || gpu.overhead.object_kind == NVPROF_THREAD;
        uint32_t pid = of_process ? gpu.overhead.object[0] : 0;
        uint32_t process = of_process || !event_store_process_count(trace->store)
                               ? sqlite_trace_process(trace, pid, pid)
                               : 0;
        if (process != SQLITE_NO_PROCESS)
            event_store_gpu(trace->store, process, &gpu);
    }
    sqlite_trace_end(trace, &rows);
}

static void read_version(struct sqlite_trace *trace)
{
    static const char *const columns[] = {"version"};
    struct sqlite_rows rows;
    sqlite_rows_begin(&rows, trace->file, "Version", columns, 1);
    while (sqlite_rows_next(&rows))
        event_store_warn(trace->store, "versions of the schema that are later than any known",
                         sqlite_rows_int(&rows, 0, 0) > VERSION_LATEST);
    sqlite_trace_end(trace, &rows);
}

uint64_t sqlite_nvprof_read(struct sqlite_trace *trace)
{
    read_version(trace);
    sqlite_trace_strings(trace, "StringTable", "_id_", "value");
    read_calls(trace, "CUPTI_ACTIVITY_KIND_RUNTIME", false);
    read_calls(trace, "CUPTI_ACTIVITY_KIND_DRIVER", true);
    nvprof_read_markers(trace);
    sqlite_gpu_read(trace, false);
    read_overheads(trace);
    nvprof_read_facts(trace);
    event_store_join_pid_0(trace->store);
    int64_t origin_ns = event_store_end(trace->store);
    event_store_shift(trace->store, origin_ns);
    return origin_ns > 0 ? (uint64_t)origin_ns : 0;
}

/* sqlite_nsys_memory.c - memory that was allocated and released, as nsys has it, and what libprof adds of the
 * program's own allocators and of CUPTI's overhead.
 *
 * nsys names the call that did it. libprof names the thread, and the innermost call or range there did it.
 */
#include "sqlite_nsys.h"

#include <string.h>

enum {
    START,
    PROCESS,
    DEVICE,
    CONTEXT,
    STREAM,
    ADDRESS,
    BYTES,
    KIND,
    OPERATION,
    CORRELATION,
    THREAD
};
static const char *const memory_columns[] = {
    "start",   "globalPid",           "deviceId",      "contextId", "streamId", "address", "bytes",
    "memKind", "memoryOperationType", "correlationId", "globalTid"};

static uint64_t not_negative(int64_t value)
{
    return value > 0 ? (uint64_t)value : 0;
}

static uint8_t operation_of(int64_t type)
{
    return type == 0 ? PROF_MEMORY_ALLOCATE : PROF_MEMORY_RELEASE;
}

/* nsys counts kinds of memory from 0 (pageable), its 7 is unknown; operations: 0 allocates, 1 releases. */
static struct prof_rec_memory record_of(struct sqlite_rows *rows)
{
    int64_t kind = sqlite_rows_int(rows, KIND, -1), device = sqlite_rows_int(rows, DEVICE, -1);
    bool known = device >= 0 && device < UINT16_MAX;
    return (struct prof_rec_memory){
        .address = (uint64_t)sqlite_rows_int(rows, ADDRESS, 0),
        .bytes = not_negative(sqlite_rows_int(rows, BYTES, 0)),
        .context = sqlite_rows_uint32(rows, CONTEXT),
        .stream = sqlite_rows_uint32(rows, STREAM),
        .device = known ? (uint16_t)device : UINT16_MAX,
        .operation = operation_of(sqlite_rows_int(rows, OPERATION, 0)),
        .kind = (uint8_t)(kind < 0 || kind >= 7 ? 0 : kind + 1),
    };
}

static void take_memory(struct sqlite_trace *trace, struct sqlite_rows *rows)
{
    int64_t time_ns, global;
    if (!sqlite_trace_time(trace, rows, START, &time_ns))
        return;
    struct prof_rec_memory record = record_of(rows);
    uint32_t process = nsys_process(trace, sqlite_rows_int(rows, PROCESS, 0));
    uint32_t thread = sqlite_rows_take(rows, THREAD, &global) ? nsys_thread(trace, global) : 0;
    if (thread)
        event_store_memory(trace->store, process, thread, time_ns, &record);
    else if (process != SQLITE_NO_PROCESS)
        event_store_memory_called(
            trace->store, process,
            sqlite_trace_correlation(trace, sqlite_rows_int(rows, CORRELATION, 0)), time_ns,
            &record);
}

static void read_memory(struct sqlite_trace *trace)
{
    struct sqlite_rows rows;
    sqlite_rows_begin(&rows, trace->file, "CUDA_GPU_MEMORY_USAGE_EVENTS", memory_columns,
                      SQLITE_COUNT(memory_columns));
    while (sqlite_rows_next(&rows))
        take_memory(trace, &rows);
    sqlite_trace_end(trace, &rows);
}

enum { A_START, A_THREAD, A_ALLOCATOR, A_NAME, A_ADDRESS, A_BYTES, A_OPERATION };
static const char *const allocation_columns[] = {
    "start", "globalTid", "allocatorId", "nameId", "address", "bytes", "memoryOperationType"};

/* Every process is asked for each. */
#define ALLOCATORS_MAX 4096u

/* 0: of no thread, or one too many. */
static uint32_t allocator_of(struct sqlite_trace *trace, struct sqlite_rows *rows,
                             struct keymap *numbers, int64_t global)
{
    int64_t id = sqlite_rows_int(rows, A_ALLOCATOR, 0);
    uint32_t number = keymap_find_id(numbers, id), process = nsys_process(trace, global);
    if (number != KEYMAP_NONE)
        return number;
    if (process == SQLITE_NO_PROCESS || numbers->count >= ALLOCATORS_MAX)
        return 0;
    uint32_t name = sqlite_trace_name(trace, sqlite_rows_int(rows, A_NAME, 0));
    number = event_store_allocator(trace->store, process, name);
    if (!keymap_set_id(numbers, id, number))
        sqlite_file_fail_memory(trace->file);
    return number;
}

/* False: it is of no allocator, or of no thread. */
static bool take_allocation(struct sqlite_trace *trace, struct sqlite_rows *rows,
                            struct keymap *numbers)
{
    int64_t time_ns, global = sqlite_rows_int(rows, A_THREAD, 0);
    if (!sqlite_trace_time(trace, rows, A_START, &time_ns))
        return true; /* counted */
    uint32_t thread = nsys_thread(trace, global);
    uint32_t allocator = allocator_of(trace, rows, numbers, global);
    struct prof_rec_memory record = {
        .address = (uint64_t)sqlite_rows_int(rows, A_ADDRESS, 0),
        .bytes = not_negative(sqlite_rows_int(rows, A_BYTES, 0)),
        .operation = operation_of(sqlite_rows_int(rows, A_OPERATION, 0)),
    };
    if (thread && allocator)
        event_store_allocate(trace->store, thread, time_ns, allocator, &record);
    return thread && allocator;
}

static void read_allocations(struct sqlite_trace *trace)
{
    struct sqlite_rows rows;
    struct keymap numbers = {0};
    uint64_t left_out = 0;
    sqlite_rows_begin(&rows, trace->file, "PROF_ALLOCATIONS", allocation_columns,
                      SQLITE_COUNT(allocation_columns));
    while (sqlite_rows_next(&rows))
        left_out += !take_allocation(trace, &rows, &numbers);
    sqlite_trace_end(trace, &rows);
    keymap_fini(&numbers);
    event_store_warn(trace->store, "allocations of no allocator, or beyond 4096 of them: left out",
                     left_out);
}

static void read_overheads(struct sqlite_trace *trace)
{
    enum { FROM, TO, PID, WHAT, OBJECT, FIRST, SECOND, THIRD, NAME };
    static const char *const columns[] = {"start",   "end",     "globalPid", "kind",  "objectKind",
                                          "object0", "object1", "object2",   "nameId"};
    struct sqlite_rows rows;
    sqlite_rows_begin(&rows, trace->file, "PROF_OVERHEADS", columns, SQLITE_COUNT(columns));
    while (sqlite_rows_next(&rows)) {
        struct read_gpu gpu;
        bool open;
        int64_t name;
        memset(&gpu, 0, sizeof gpu); /* its padding too: see event_store_gpu() */
        gpu.kind = READ_GPU_OVERHEAD;
        if (!sqlite_trace_times(trace, &rows, &gpu.start_ns, &gpu.end_ns, &open))
            continue;
        uint32_t process = nsys_process(trace, sqlite_rows_int(&rows, PID, 0));
        gpu.overhead.kind = sqlite_rows_uint32(&rows, WHAT);
        gpu.overhead.object_kind = sqlite_rows_uint32(&rows, OBJECT);
        for (int i = 0; i < 3; i++)
            gpu.overhead.object[i] = sqlite_rows_uint32(&rows, FIRST + i);
        if (sqlite_rows_take(&rows, NAME, &name))
            gpu.name = sqlite_trace_name(trace, name);
        if (process != SQLITE_NO_PROCESS)
            event_store_gpu(trace->store, process, &gpu);
    }
    sqlite_trace_end(trace, &rows);
}

void nsys_read_memory(struct sqlite_trace *trace)
{
    read_memory(trace);
    read_allocations(trace);
    read_overheads(trace);
}

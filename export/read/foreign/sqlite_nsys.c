/* sqlite_nsys.c - a database of nsys (nsys export --type sqlite), of any version of its schema.
 *
 * Tables are there when they have rows, columns come and go with versions, so all are found by
 * name. Times are nanoseconds since the session began. The schema is described in the tool's manual
 * ("SQLite Schema Reference" of the Analysis Guide), and in the comments of the exported file.
 */
#include "sqlite_trace.h"

#include <string.h>

/* ---- calls ---- */

/* The process and the thread of a globalTid; a new one when it was not seen yet. */
static uint32_t nsys_process(struct sqlite_trace *trace, int64_t global)
{
    return sqlite_trace_process(trace, global >> 24, sqlite_nsys_pid(global));
}

static uint32_t nsys_thread(struct sqlite_trace *trace, int64_t global)
{
    uint32_t thread = keymap_find_id(&trace->threads, global);
    if (thread != KEYMAP_NONE)
        return thread;
    return sqlite_trace_thread(trace, nsys_process(trace, global), global,
                               (uint32_t)(global & 0xffffff));
}

/* Calls are named with a version that nsys itself cuts off in its reports. */
static void name_call(struct sqlite_trace *trace, int64_t id, struct sqlite_call *call)
{
    struct sqlite_string *string = sqlite_trace_string(trace, id);
    if (!string) {
        call->name = sqlite_trace_name(trace, id);
        return;
    }
    if (!string->call) {
        struct text name = sqlite_call_trim(string->text);
        string->call = unordered_name(trace->events, name);
        string->call_flags = sqlite_call_flags(name);
    }
    call->name = string->call;
    call->flags |= string->call_flags;
}

enum { C_START, C_END, C_THREAD, C_CORRELATION, C_NAME, C_RESULT, C_CLASS };
static const char *const call_columns[] = {"start",  "end",         "globalTid", "correlationId",
                                           "nameId", "returnValue", "eventClass"};

/* With call chains of CUDA calls, a call has a second row, of this class. */
#define CLASS_CHAIN 67
#define CALL_TABLE "CUPTI_ACTIVITY_KIND_RUNTIME"

static void read_call(struct sqlite_trace *trace, struct sqlite_rows *rows)
{
    struct sqlite_call call = {0};
    bool open;
    if (!sqlite_trace_times(trace, rows, &call.start_ns, &call.end_ns, &open))
        return;
    int64_t global = sqlite_rows_int(rows, C_THREAD, 0);
    call.process = nsys_process(trace, global);
    call.thread = nsys_thread(trace, global);
    call.correlation = sqlite_trace_correlation(trace, sqlite_rows_int(rows, C_CORRELATION, 0));
    call.result = (int32_t)sqlite_rows_int(rows, C_RESULT, TL_RESULT_UNKNOWN);
    call.flags = open ? TL_UNCLOSED : 0;
    name_call(trace, sqlite_rows_int(rows, C_NAME, 0), &call);
    if (call.thread)
        sqlite_trace_call(trace, &call);
}

/* Calls of the runtime and of the driver stand in one table. */
static uint64_t call_key(struct sqlite_rows *rows)
{
    uint64_t key =
        keymap_mix(UINT64_C(0x9e3779b97f4a7c15), (uint64_t)sqlite_rows_int(rows, C_THREAD, 0));
    key = keymap_mix(key, (uint64_t)sqlite_rows_int(rows, C_CORRELATION, 0));
    return keymap_mix(key, (uint64_t)sqlite_rows_int(rows, C_NAME, 0));
}

/* The rows of class CLASS_CHAIN, or all others; of the former, those whose call has no other row.
 * `seen`: NULL where there are none of them. */
static void read_calls_of(struct sqlite_trace *trace, bool chains, struct keymap *seen)
{
    struct sqlite_rows rows;
    sqlite_rows_begin(&rows, trace->file, CALL_TABLE, call_columns, SQLITE_COUNT(call_columns));
    while (sqlite_rows_next(&rows)) {
        bool chain = seen && sqlite_rows_int(&rows, C_CLASS, 0) == CLASS_CHAIN;
        if (chain != chains || (chain && keymap_find(seen, call_key(&rows)) != KEYMAP_NONE))
            continue;
        if (seen && !keymap_set(seen, call_key(&rows), 0))
            sqlite_file_fail_memory(trace->file);
        read_call(trace, &rows);
    }
    sqlite_trace_end(trace, &rows);
}

static bool has_chains(struct sqlite_trace *trace)
{
    static const char *const columns[] = {"eventClass"};
    struct sqlite_rows rows;
    bool any = false;
    sqlite_rows_begin(&rows, trace->file, CALL_TABLE, columns, 1);
    while (sqlite_rows_next(&rows))
        any |= sqlite_rows_int(&rows, 0, 0) == CLASS_CHAIN;
    sqlite_rows_end(&rows);
    return any;
}

/* Calls of the runtime and of the driver stand in one table. */
static void read_calls(struct sqlite_trace *trace)
{
    struct keymap seen = {0};
    bool chains = has_chains(trace);
    read_calls_of(trace, false, chains ? &seen : NULL);
    if (chains)
        read_calls_of(trace, true, &seen);
    keymap_fini(&seen);
}

/* ---- NVTX: a row is a whole range ----
 *
 * Domains and categories are rows of the same table, which may come after their use; a domain's
 * number is unique in its process.
 */

/* ENUM_NSYS_EVENT_TYPE */
enum {
    NVTX_CATEGORY = 33,
    NVTX_MARK = 34,
    NVTX_THREAD = 39,
    NVTX_PUSH_POP = 59,
    NVTX_START_END = 60,
    NVTX_DOMAIN = 75,
    NVTX_DOMAIN_DESTROY = 76
};

enum {
    N_START,
    N_END,
    N_TYPE,
    N_CATEGORY,
    N_COLOR,
    N_TEXT,
    N_THREAD,
    N_END_THREAD,
    N_TEXT_ID,
    N_DOMAIN,
    N_VALUE_U64,
    N_VALUE_I64,
    N_VALUE_U32,
    N_VALUE_I32
};
static const char *const nvtx_columns[] = {
    "start",       "end",        "eventType",    "category",  "color",
    "text",        "globalTid",  "endGlobalTid", "textId",    "domainId",
    "uint64Value", "int64Value", "uint32Value",  "int32Value"};

struct nvtx {
    struct sqlite_trace *trace;
    struct keymap domains; /* process and number of the file -> its number */
    uint64_t ranges;
    uint32_t payload; /* name; 0 not needed yet */
};

static uint32_t domain_of(struct nvtx *nvtx, uint32_t process, int64_t number)
{
    if (number == 0 || process == SQLITE_NO_PROCESS)
        return 0;
    uint64_t mixed = (uint64_t)number * UINT64_C(0x9e3779b97f4a7c15);
    int64_t key = (int64_t)(mixed + process);
    uint32_t domain = keymap_find_id(&nvtx->domains, key);
    if (domain != KEYMAP_NONE)
        return domain;
    domain = unordered_add_domain(nvtx->trace->events, process);
    if (!keymap_set_id(&nvtx->domains, key, domain))
        sqlite_file_fail_memory(nvtx->trace->file);
    return domain;
}

/* 0: it has none. */
static uint32_t text_of(struct nvtx *nvtx, struct sqlite_rows *rows)
{
    struct text text = sqlite_rows_text(rows, N_TEXT);
    int64_t id;
    if (text.size)
        return unordered_name(nvtx->trace->events, text);
    return sqlite_rows_take(rows, N_TEXT_ID, &id) ? sqlite_trace_name(nvtx->trace, id) : 0;
}

static uint32_t label_of(struct nvtx *nvtx, struct sqlite_rows *rows, uint32_t process)
{
    int64_t color;
    struct event_label label = {
        .name = text_of(nvtx, rows),
        .domain = domain_of(nvtx, process, sqlite_rows_int(rows, N_DOMAIN, 0)),
        .category = (uint32_t)sqlite_rows_int(rows, N_CATEGORY, 0),
    };
    label.colored = sqlite_rows_take(rows, N_COLOR, &color);
    label.color = label.colored ? (uint32_t)color : 0;
    return unordered_label(nvtx->trace->events, &label);
}

/* The one whole number that the program gave with the range, if it did. */
static uint32_t read_payload(struct nvtx *nvtx, struct sqlite_rows *rows, struct event_attr *attr)
{
    static const char called[] = "payload";
    for (int column = N_VALUE_U64; column <= N_VALUE_I32; column++) {
        int64_t value;
        if (!sqlite_rows_take(rows, column, &value))
            continue;
        if (!nvtx->payload)
            nvtx->payload =
                unordered_name(nvtx->trace->events, (struct text){called, sizeof called - 1});
        *attr = (struct event_attr){(uint64_t)value, nvtx->payload, PROF_ATTR_INT};
        return 1;
    }
    return 0;
}

static void add_slice(struct nvtx *nvtx, struct sqlite_rows *rows, struct complete_slice slice)
{
    struct event_attr attr;
    slice.attr_count = read_payload(nvtx, rows, &attr);
    slice.attrs = &attr;
    slice.result = TL_RESULT_UNKNOWN;
    slice.kind = TL_RANGE;
    unordered_append_slice(nvtx->trace->events, &slice);
}

static void read_event(struct nvtx *nvtx, struct sqlite_rows *rows, int64_t type)
{
    struct sqlite_trace *trace = nvtx->trace;
    int64_t start_ns, end_ns, global = sqlite_rows_int(rows, N_THREAD, 0);
    bool open;
    uint32_t thread = nsys_thread(trace, global);
    if (!sqlite_trace_times(trace, rows, &start_ns, &end_ns, &open) || !thread)
        return;
    uint32_t label = label_of(nvtx, rows, nsys_process(trace, global));
    if (type == NVTX_MARK) {
        unordered_append_mark(trace->events, thread, start_ns, label);
    } else if (type == NVTX_PUSH_POP || open) {
        add_slice(nvtx, rows,
                  (struct complete_slice){.start_ns = start_ns,
                                          .end_ns = end_ns,
                                          .thread = thread,
                                          .name = label,
                                          .flags = open ? TL_UNCLOSED : 0});
    } else {
        int64_t other = sqlite_rows_int(rows, N_END_THREAD, global);
        uint32_t end_thread = other >> 24 == global >> 24 ? nsys_thread(trace, other) : 0;
        unordered_append_async(trace->events, thread, end_thread ? end_thread : thread, start_ns,
                               end_ns, label, ++nvtx->ranges);
    }
}

static void name_domain(struct nvtx *nvtx, struct sqlite_rows *rows, uint32_t process)
{
    uint32_t name = text_of(nvtx, rows);
    uint32_t domain = domain_of(nvtx, process, sqlite_rows_int(rows, N_DOMAIN, 0));
    if (name)
        unordered_name_domain(nvtx->trace->events, domain, name);
}

static void name_category(struct nvtx *nvtx, struct sqlite_rows *rows, uint32_t process)
{
    uint32_t name = text_of(nvtx, rows);
    if (name && process != SQLITE_NO_PROCESS)
        unordered_add_category(nvtx->trace->events, process,
                               domain_of(nvtx, process, sqlite_rows_int(rows, N_DOMAIN, 0)),
                               (uint32_t)sqlite_rows_int(rows, N_CATEGORY, 0), name);
}

static void name_thread(struct nvtx *nvtx, struct sqlite_rows *rows, int64_t global)
{
    uint32_t name = text_of(nvtx, rows), thread = nsys_thread(nvtx->trace, global);
    if (name && thread)
        unordered_name_thread(nvtx->trace->events, thread,
                              unordered_name_text(nvtx->trace->events, name));
}

static void read_row(struct nvtx *nvtx, struct sqlite_rows *rows)
{
    int64_t type = sqlite_rows_int(rows, N_TYPE, 0), global = sqlite_rows_int(rows, N_THREAD, 0);
    switch (type) {
    case NVTX_MARK:
    case NVTX_PUSH_POP:
    case NVTX_START_END:
        read_event(nvtx, rows, type);
        break;
    case NVTX_DOMAIN:
        name_domain(nvtx, rows, nsys_process(nvtx->trace, global));
        break;
    case NVTX_CATEGORY:
        name_category(nvtx, rows, nsys_process(nvtx->trace, global));
        break;
    case NVTX_THREAD:
        name_thread(nvtx, rows, global);
        break;
    default:
        break; /* resources, payload schemas, ends of domains: nothing that is shown */
    }
}

static void read_nvtx(struct sqlite_trace *trace)
{
    struct nvtx nvtx = {.trace = trace};
    struct sqlite_rows rows;
    sqlite_rows_begin(&rows, trace->file, "NVTX_EVENTS", nvtx_columns, SQLITE_COUNT(nvtx_columns));
    while (sqlite_rows_next(&rows))
        read_row(&nvtx, &rows);
    sqlite_trace_end(trace, &rows);
    keymap_fini(&nvtx.domains);
}

/* ---- memory that was allocated and released ----
 *
 * The program's own allocators and CUPTI's overhead.
 *
 * The latter two are tables that libprof adds. nsys names the call that did it. libprof names the
 * thread, and the innermost call or range there did it.
 */

enum {
    M_START,
    M_PROCESS,
    M_DEVICE,
    M_CONTEXT,
    M_ADDRESS,
    M_BYTES,
    M_KIND,
    M_OPERATION,
    M_CORRELATION,
    M_THREAD
};
static const char *const memory_columns[] = {
    "start",   "globalPid",           "deviceId",      "contextId", "address", "bytes",
    "memKind", "memoryOperationType", "correlationId", "globalTid"};

static uint64_t not_negative(int64_t value)
{
    return value > 0 ? (uint64_t)value : 0;
}

static uint8_t operation_of(int64_t type)
{
    return type == 0 ? PROF_MEMORY_ALLOCATE : PROF_MEMORY_RELEASE;
}

/* nsys counts kinds of memory from 0 (pageable), its 7 is unknown; operations: 0 allocates, 1
 * releases. */
static struct memory_op record_of(struct sqlite_rows *rows)
{
    int64_t kind = sqlite_rows_int(rows, M_KIND, -1), device = sqlite_rows_int(rows, M_DEVICE, -1);
    bool known = device >= 0 && device < UINT16_MAX;
    return (struct memory_op){
        .address = (uint64_t)sqlite_rows_int(rows, M_ADDRESS, 0),
        .bytes = not_negative(sqlite_rows_int(rows, M_BYTES, 0)),
        .context = sqlite_rows_uint32(rows, M_CONTEXT),
        .device = known ? (uint16_t)device : UINT16_MAX,
        .operation = operation_of(sqlite_rows_int(rows, M_OPERATION, 0)),
        .kind = (uint8_t)(kind < 0 || kind >= 7 ? 0 : kind + 1),
    };
}

static void read_memory(struct sqlite_trace *trace, struct sqlite_rows *rows)
{
    int64_t time_ns, global;
    if (!sqlite_trace_time(trace, rows, M_START, &time_ns))
        return;
    uint32_t process = nsys_process(trace, sqlite_rows_int(rows, M_PROCESS, 0));
    uint32_t thread = sqlite_rows_take(rows, M_THREAD, &global) ? nsys_thread(trace, global) : 0;
    if (!thread && process == SQLITE_NO_PROCESS)
        return;
    struct memory_event event = {.time_ns = time_ns, .thread = thread, .record = record_of(rows)};
    if (!thread)
        event.correlation =
            sqlite_trace_correlation(trace, sqlite_rows_int(rows, M_CORRELATION, 0));
    unordered_append_memory(trace->events, process, &event);
}

static void read_device_memory(struct sqlite_trace *trace)
{
    struct sqlite_rows rows;
    sqlite_rows_begin(&rows, trace->file, "CUDA_GPU_MEMORY_USAGE_EVENTS", memory_columns,
                      SQLITE_COUNT(memory_columns));
    while (sqlite_rows_next(&rows))
        read_memory(trace, &rows);
    sqlite_trace_end(trace, &rows);
}

enum { A_START, A_THREAD, A_ALLOCATOR, A_NAME, A_ADDRESS, A_BYTES, A_OPERATION };
static const char *const allocation_columns[] = {
    "start", "globalTid", "allocatorId", "nameId", "address", "bytes", "memoryOperationType"};

/* Each process is searched for each of them. */
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
    number = unordered_add_allocator(trace->events, process, name);
    if (!keymap_set_id(numbers, id, number))
        sqlite_file_fail_memory(trace->file);
    return number;
}

/* False: it is of no allocator, or of no thread. */
static bool read_allocation(struct sqlite_trace *trace, struct sqlite_rows *rows,
                            struct keymap *numbers)
{
    int64_t time_ns, global = sqlite_rows_int(rows, A_THREAD, 0);
    if (!sqlite_trace_time(trace, rows, A_START, &time_ns))
        return true; /* counted */
    uint32_t thread = nsys_thread(trace, global);
    uint32_t allocator = allocator_of(trace, rows, numbers, global);
    struct heap_allocation op = {
        .address = (uint64_t)sqlite_rows_int(rows, A_ADDRESS, 0),
        .bytes = not_negative(sqlite_rows_int(rows, A_BYTES, 0)),
        .allocator = allocator,
    };
    if (!thread || !allocator)
        return false;
    if (operation_of(sqlite_rows_int(rows, A_OPERATION, 0)) == PROF_MEMORY_RELEASE)
        unordered_append_release(trace->events, thread, time_ns, allocator, op.address);
    else
        unordered_append_alloc(trace->events, thread, time_ns, &op);
    return true;
}

static void read_allocations(struct sqlite_trace *trace)
{
    struct sqlite_rows rows;
    struct keymap numbers = {0};
    uint64_t left_out = 0;
    sqlite_rows_begin(&rows, trace->file, "PROF_ALLOCATIONS", allocation_columns,
                      SQLITE_COUNT(allocation_columns));
    while (sqlite_rows_next(&rows))
        left_out += !read_allocation(trace, &rows, &numbers);
    sqlite_trace_end(trace, &rows);
    keymap_fini(&numbers);
    unordered_warn(trace->events,
                   "allocations without an allocator, or beyond 4096 allocators: left out",
                   left_out);
}

/* What nsys has of the profiler's and the driver's own time. */
static void read_cupti_overheads(struct sqlite_trace *trace)
{
    enum { FROM, TO, THREAD, PID, WHAT, OLDER, NAME };
    enum { OBJECT_THREAD = 2 }; /* CUpti_ActivityObjectKind */
    static const char *const columns[] = {"start",        "end",          "globalTid", "globalPid",
                                          "overheadType", "overheadKind", "nameId"};
    struct sqlite_rows rows;
    sqlite_rows_begin(&rows, trace->file, "CUPTI_ACTIVITY_KIND_OVERHEAD", columns,
                      SQLITE_COUNT(columns));
    while (sqlite_rows_next(&rows)) {
        struct unordered_op op = {0};
        bool open;
        int64_t name, global;
        if (!sqlite_trace_times(trace, &rows, &op.start_ns, &op.end_ns, &open))
            continue;
        if (!sqlite_rows_take(&rows, THREAD, &global))
            global = sqlite_rows_int(&rows, PID, 0);
        struct tl_overhead overhead = {
            .object_kind = OBJECT_THREAD,
            .kind = (uint32_t)sqlite_rows_int(&rows, WHAT, sqlite_rows_int(&rows, OLDER, 0))};
        overhead.object[0] = sqlite_nsys_pid(global);
        overhead.object[1] = (uint32_t)(global & 0xffffff);
        op.process = nsys_process(trace, global);
        if (sqlite_rows_take(&rows, NAME, &name))
            op.name = sqlite_trace_name(trace, name);
        if (op.process != SQLITE_NO_PROCESS)
            unordered_append_overhead(trace->events, &op, &overhead);
    }
    sqlite_trace_end(trace, &rows);
}

static void read_overheads(struct sqlite_trace *trace)
{
    enum { FROM, TO, PID, WHAT, OBJECT, FIRST, SECOND, THIRD, NAME };
    static const char *const columns[] = {"start",   "end",     "globalPid", "kind",  "objectKind",
                                          "object0", "object1", "object2",   "nameId"};
    struct sqlite_rows rows;
    sqlite_rows_begin(&rows, trace->file, "PROF_OVERHEADS", columns, SQLITE_COUNT(columns));
    while (sqlite_rows_next(&rows)) {
        struct unordered_op op = {0};
        struct tl_overhead overhead = {0};
        bool open;
        int64_t name;
        if (!sqlite_trace_times(trace, &rows, &op.start_ns, &op.end_ns, &open))
            continue;
        op.process = nsys_process(trace, sqlite_rows_int(&rows, PID, 0));
        overhead.kind = sqlite_rows_uint32(&rows, WHAT);
        overhead.object_kind = sqlite_rows_uint32(&rows, OBJECT);
        for (int i = 0; i < 3; i++)
            overhead.object[i] = sqlite_rows_uint32(&rows, FIRST + i);
        if (sqlite_rows_take(&rows, NAME, &name))
            op.name = sqlite_trace_name(trace, name);
        if (op.process != SQLITE_NO_PROCESS)
            unordered_append_overhead(trace->events, &op, &overhead);
    }
    sqlite_trace_end(trace, &rows);
}

/* ---- all of it ---- */

uint64_t sqlite_nsys_read(struct sqlite_trace *trace)
{
    sqlite_trace_strings(trace, "StringIds", "id", "value");
    read_calls(trace);
    read_nvtx(trace);
    sqlite_gpu_read(trace, true);
    read_device_memory(trace);
    read_allocations(trace);
    read_overheads(trace);
    read_cupti_overheads(trace);
    uint64_t start_ns = sqlite_nsys_facts(trace);
    unordered_join_pid_0(trace->events);
    int64_t first_ns = unordered_end(trace->events);
    if (start_ns || first_ns >= 0)
        return start_ns;
    unordered_set_origin(trace->events, first_ns);
    return 0;
}

/* sqlite_trace.c - see sqlite_trace.h. */
#include "sqlite_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sqlite_trace_fini(struct sqlite_trace *trace)
{
    keymap_fini(&trace->string_places);
    keymap_fini(&trace->processes);
    keymap_fini(&trace->threads);
    idmap_fini(&trace->callers);
    free(trace->strings.at);
}

void sqlite_trace_end(struct sqlite_trace *trace, struct sqlite_rows *rows)
{
    trace->strange += rows->strange;
    sqlite_rows_end(rows);
}

void sqlite_trace_warn(struct sqlite_trace *trace)
{
    struct unordered *events = trace->events;
    unordered_warn(events, "write-ahead logs beside the file: what is in them is not read",
                   trace->file->logged);
    unordered_warn(events, "damaged tables: read up to the damage", trace->file->damaged);
    unordered_warn(events, "rows without a valid time: left out", trace->untimed);
    unordered_warn(events, "references to strings that are not in the file", trace->unnamed);
    unordered_warn(events, "values of the wrong type for their column: left out", trace->strange);
    unordered_warn(events, "rows of too many processes: left out", trace->too_many);
    unordered_warn(events, "correlation ids that CUDA cannot have: ignored", trace->uncorrelated);
}

static void keep(struct sqlite_trace *trace, struct keymap *map, int64_t id, uint32_t number)
{
    if (!keymap_set_id(map, id, number))
        sqlite_file_fail_memory(trace->file);
}

void sqlite_trace_strings(struct sqlite_trace *trace, const char *table, const char *id,
                          const char *value)
{
    const char *const columns[] = {id, value};
    struct sqlite_rows rows;
    sqlite_rows_begin(&rows, trace->file, table, columns, 2);
    while (sqlite_rows_next(&rows)) {
        int64_t number;
        struct sqlite_string *string = NULL;
        if (sqlite_rows_take(&rows, 0, &number))
            string = ARRAY_ADD(&trace->strings);
        if (!string)
            continue;
        *string = (struct sqlite_string){
            .text = unordered_keep_text(trace->events, sqlite_rows_text(&rows, 1))};
        keep(trace, &trace->string_places, number, trace->strings.count - 1);
    }
    sqlite_trace_end(trace, &rows);
}

struct sqlite_string *sqlite_trace_string(struct sqlite_trace *trace, int64_t id)
{
    uint32_t place = keymap_find_id(&trace->string_places, id);
    return place == KEYMAP_NONE ? NULL : &trace->strings.at[place];
}

uint32_t sqlite_trace_name(struct sqlite_trace *trace, int64_t id)
{
    struct sqlite_string *string = sqlite_trace_string(trace, id);
    if (!string) {
        char missing[64];
        int size = snprintf(missing, sizeof missing, "(string %lld is missing)", (long long)id);
        trace->unnamed++;
        return unordered_name(trace->events, (struct text){missing, (size_t)size});
    }
    if (!string->name)
        string->name = unordered_name(trace->events, string->text);
    return string->name;
}

uint32_t sqlite_trace_process(struct sqlite_trace *trace, int64_t id, uint32_t pid)
{
    uint32_t process = keymap_find_id(&trace->processes, id);
    if (process != KEYMAP_NONE)
        return process;
    if (trace->processes.count == SQLITE_PROCESSES_MAX) {
        trace->too_many++;
        return SQLITE_NO_PROCESS;
    }
    process = unordered_add_process(trace->events);
    if (unordered_failed(trace->events))
        return SQLITE_NO_PROCESS;
    unordered_process_info(trace->events, process)->pid = pid;
    keep(trace, &trace->processes, id, process);
    return process;
}

uint32_t sqlite_trace_thread(struct sqlite_trace *trace, uint32_t process, int64_t id, uint32_t tid)
{
    if (process == SQLITE_NO_PROCESS)
        return 0;
    uint32_t thread = keymap_find_id(&trace->threads, id);
    if (thread != KEYMAP_NONE)
        return thread;
    thread = unordered_add_thread(trace->events, process, tid);
    if (thread)
        keep(trace, &trace->threads, id, thread);
    return thread;
}

static bool can_be(int64_t time_ns)
{
    return time_ns > -SQLITE_TIME_MAX_NS && time_ns < SQLITE_TIME_MAX_NS;
}

bool sqlite_trace_time(struct sqlite_trace *trace, struct sqlite_rows *rows, int column,
                       int64_t *time_ns)
{
    bool timed = sqlite_rows_take(rows, column, time_ns) && can_be(*time_ns);
    trace->untimed += !timed;
    trace->timed++;
    return timed;
}

bool sqlite_trace_times(struct sqlite_trace *trace, struct sqlite_rows *rows, int64_t *start_ns,
                        int64_t *end_ns, bool *open)
{
    bool started = sqlite_rows_take(rows, 0, start_ns) && can_be(*start_ns);
    *open = !sqlite_rows_take(rows, 1, end_ns);
    if (*open)
        *end_ns = *start_ns;
    bool timed = started && can_be(*end_ns);
    trace->untimed += !timed;
    trace->timed++;
    return timed;
}

uint32_t sqlite_trace_correlation(struct sqlite_trace *trace, int64_t id)
{
    bool usual = id >= 0 && id <= UINT32_MAX;
    trace->uncorrelated += !usual;
    return usual ? (uint32_t)id : 0;
}

void sqlite_trace_call(struct sqlite_trace *trace, const struct sqlite_call *call)
{
    struct complete_slice slice = {
        .start_ns = call->start_ns,
        .end_ns = call->end_ns,
        .thread = call->thread,
        .name = call->name,
        .correlation = call->correlation,
        .result = call->result,
        .kind = TL_API,
        .flags = call->flags,
    };
    unordered_append_slice(trace->events, &slice);
    if (call->correlation && !idmap_set(&trace->callers, call->correlation, call->process))
        sqlite_file_fail_memory(trace->file);
}

void sqlite_trace_device(struct sqlite_rows *rows, struct tl_device_info *device)
{
    device->compute_major = sqlite_rows_uint32(rows, 4);
    device->compute_minor = sqlite_rows_uint32(rows, 5);
    device->multiprocessors = sqlite_rows_uint32(rows, 6);
    device->l2_bytes = sqlite_rows_uint32(rows, 8);
    device->threads_per_warp = sqlite_rows_uint32(rows, 9);
    device->max_threads_per_block = sqlite_rows_uint32(rows, 10);
    device->max_blocks_per_multiprocessor = sqlite_rows_uint32(rows, 11);
    device->max_warps_per_multiprocessor = sqlite_rows_uint32(rows, 12);
    device->registers_per_block = sqlite_rows_uint32(rows, 13);
    device->registers_per_multiprocessor = sqlite_rows_uint32(rows, 14);
    device->shared_memory_per_block = sqlite_rows_uint32(rows, 15);
    device->shared_memory_per_multiprocessor = sqlite_rows_uint32(rows, 16);
    uint64_t threads = (uint64_t)device->max_warps_per_multiprocessor * device->threads_per_warp;
    device->max_threads_per_multiprocessor = (uint32_t)(threads > UINT32_MAX ? 0 : threads);
}

void sqlite_trace_devices(struct sqlite_trace *trace, const char *table, const char *const *columns,
                          int count, uint32_t most,
                          struct tl_device_info (*take)(struct sqlite_trace *trace,
                                                        struct sqlite_rows *rows))
{
    struct sqlite_rows rows;
    uint32_t processes = unordered_process_count(trace->events), fact_count = 0;
    sqlite_rows_begin(&rows, trace->file, table, columns, count);
    while (fact_count < most && sqlite_rows_next(&rows)) {
        struct tl_device_info device = take(trace, &rows);
        for (uint32_t i = 0; i < processes; i++, fact_count++)
            unordered_add_device(trace->events, i, &device);
    }
    sqlite_trace_end(trace, &rows);
}

/* ---- what devices did: the tables of CUPTI's activities, which nvprof and nsys name alike ----
 *
 * Columns that one of them has and the other lacks stand side by side. nsys says of which process
 * (globalPid); nvprof does not, so there it is the process whose call has the correlation id.
 */

/* The first columns of every table here. */
#define PLACE_COLUMNS \
    "start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid"
enum { START, END, DEVICE, CONTEXT, STREAM, CORRELATION, PROCESS, FIRST_OWN };

struct place {
    int64_t start_ns, end_ns;
    uint32_t process, correlation;
    uint32_t context, stream;
    uint16_t device;
    bool ambiguous;
};

static uint16_t within_16(int64_t value)
{
    return (uint16_t)(value < 0 ? 0 : value > UINT16_MAX ? UINT16_MAX : value);
}

static uint16_t int_16(struct sqlite_rows *rows, int column)
{
    return within_16(sqlite_rows_int(rows, column, 0));
}

/* -1: none that is known. */
static uint16_t device_16(struct sqlite_rows *rows)
{
    int64_t device = sqlite_rows_int(rows, DEVICE, 0);
    return (uint16_t)(device < 0 || device > UINT16_MAX ? UINT16_MAX : device);
}

static uint8_t int_8(struct sqlite_rows *rows, int column)
{
    int64_t value = sqlite_rows_int(rows, column, 0);
    return (uint8_t)(value < 0 || value > UINT8_MAX ? 0 : value);
}

/* -1 is "none" for both tools. */
static uint32_t id_32(struct sqlite_rows *rows, int column)
{
    return (uint32_t)sqlite_rows_int(rows, column, 0);
}

static uint32_t process_of(struct sqlite_trace *trace, struct sqlite_rows *rows,
                           uint32_t correlation)
{
    int64_t global;
    if (sqlite_rows_take(rows, PROCESS, &global))
        return sqlite_trace_process(trace, global >> 24, (uint32_t)(global >> 24 & 0xffffff));
    uint32_t caller = idmap_find(&trace->callers, correlation);
    if (caller != IDMAP_NONE)
        return caller;
    return unordered_process_count(trace->events) ? 0 : sqlite_trace_process(trace, 0, 0);
}

/* Without an end, what a device did took no time that is known. */
static bool read_place(struct sqlite_trace *trace, struct sqlite_rows *rows, struct place *place)
{
    bool open;
    if (!sqlite_trace_times(trace, rows, &place->start_ns, &place->end_ns, &open))
        return false;
    int64_t correlation = sqlite_rows_int(rows, CORRELATION, 0);
    place->ambiguous = correlation < 0; /* libprof's own files: see query_nsys.c */
    if (correlation < 0 && correlation >= -(int64_t)UINT32_MAX)
        correlation = -correlation;
    place->correlation = sqlite_trace_correlation(trace, correlation);
    place->process = process_of(trace, rows, place->correlation);
    place->device = device_16(rows);
    place->context = id_32(rows, CONTEXT);
    place->stream = id_32(rows, STREAM);
    return place->process != SQLITE_NO_PROCESS;
}

static struct unordered_op op_of(const struct place *place)
{
    return (struct unordered_op){.start_ns = place->start_ns,
                                 .end_ns = place->end_ns,
                                 .correlation = place->correlation,
                                 .process = place->process,
                                 .ambiguous = place->ambiguous};
}

static uint64_t after_epoch(int64_t time_ns)
{
    return time_ns > 0 ? (uint64_t)time_ns : 0;
}

enum {
    NAME = FIRST_OWN,
    DEMANGLED,
    MANGLED,
    GRID_X,
    GRID_Y,
    GRID_Z,
    BLOCK_X,
    BLOCK_Y,
    BLOCK_Z,
    REGISTERS,
    STATIC_SHARED,
    DYNAMIC_SHARED,
    LOCAL_MEMORY,
    SHARED_EXECUTED,
    LAUNCH_TYPE,
    GRAPH_NODE,
    GRAPH,
    QUEUED,
    SUBMITTED
};
static const char *const kernel_columns[] = {PLACE_COLUMNS,
                                             "name",
                                             "demangledName",
                                             "mangledName",
                                             "gridX",
                                             "gridY",
                                             "gridZ",
                                             "blockX",
                                             "blockY",
                                             "blockZ",
                                             "registersPerThread",
                                             "staticSharedMemory",
                                             "dynamicSharedMemory",
                                             "localMemoryPerThread",
                                             "sharedMemoryExecuted",
                                             "launchType",
                                             "graphNodeId",
                                             "graphId",
                                             "queued",
                                             "submitted"};

/* nvprof has the mangled name; nsys the demangled one, and lately the other, too. */
static void name_kernel(struct sqlite_trace *trace, struct sqlite_rows *rows,
                        struct unordered_op *op, struct tl_kernel *kernel)
{
    int64_t mangled, demangled;
    bool is_mangled =
        sqlite_rows_take(rows, MANGLED, &mangled) && sqlite_trace_string(trace, mangled) != NULL;
    bool is_demangled = sqlite_rows_take(rows, DEMANGLED, &demangled);
    if (is_demangled)
        kernel->name = sqlite_trace_name(trace, demangled);
    else if (!is_mangled)
        kernel->name = sqlite_trace_name(trace, sqlite_rows_int(rows, NAME, 0));
    if (is_mangled && is_demangled)
        op->name = kernel->name;
    if (is_mangled)
        kernel->name = sqlite_trace_name(trace, mangled);
}

static void add_kernel(struct sqlite_trace *trace, struct sqlite_rows *rows,
                       const struct place *place)
{
    struct unordered_op op = op_of(place);
    struct tl_kernel detail = {0}, *kernel = &detail;
    name_kernel(trace, rows, &op, kernel);
    kernel->context = place->context;
    kernel->stream = place->stream;
    kernel->device = place->device;
    kernel->grid_x = sqlite_rows_uint32(rows, GRID_X);
    kernel->grid_y = int_16(rows, GRID_Y);
    kernel->grid_z = int_16(rows, GRID_Z);
    kernel->block_x = int_16(rows, BLOCK_X);
    kernel->block_y = int_16(rows, BLOCK_Y);
    kernel->block_z = int_16(rows, BLOCK_Z);
    kernel->registers = int_16(rows, REGISTERS);
    kernel->static_shared_memory = sqlite_rows_uint32(rows, STATIC_SHARED);
    kernel->dynamic_shared_memory = sqlite_rows_uint32(rows, DYNAMIC_SHARED);
    kernel->local_memory = int_16(rows, LOCAL_MEMORY);
    kernel->shared_memory_executed = sqlite_rows_uint32(rows, SHARED_EXECUTED);
    kernel->launch_type = int_8(rows, LAUNCH_TYPE);
    kernel->graph_node = (uint64_t)sqlite_rows_int(rows, GRAPH_NODE, 0);
    kernel->graph = sqlite_rows_uint32(rows, GRAPH);
    kernel->queued_ns = after_epoch(sqlite_rows_int(rows, QUEUED, 0));
    kernel->submitted_ns = after_epoch(sqlite_rows_int(rows, SUBMITTED, 0));
    kernel->priority = PROF_PRIORITY_UNKNOWN;
    unordered_append_kernel(trace->events, &op, kernel);
}

static void read_kernels(struct sqlite_trace *trace, const char *table)
{
    struct sqlite_rows rows;
    struct place place;
    sqlite_rows_begin(&rows, trace->file, table, kernel_columns, SQLITE_COUNT(kernel_columns));
    while (sqlite_rows_next(&rows))
        if (read_place(trace, &rows, &place))
            add_kernel(trace, &rows, &place);
    sqlite_trace_end(trace, &rows);
}

/* nsys counts kinds of memory from 0 (pageable), its 7 is unknown; CUPTI and nvprof from 1. */
static uint8_t memory_kind(struct sqlite_rows *rows, int column, bool nsys)
{
    int64_t kind;
    if (!sqlite_rows_take(rows, column, &kind))
        return 0;
    if (nsys && kind != TL_MEMORY_HOST)
        kind = kind < 0 || kind >= 7 ? 0 : kind + 1;
    return (uint8_t)(kind < 0 || kind > UINT8_MAX ? 0 : kind);
}

/* Kinds of nsys beyond CUPTI's: the driver moves managed memory. */

enum {
    COPY_KIND = FIRST_OWN,
    COPY_FROM,
    COPY_TO,
    COPY_FLAGS,
    COPY_BYTES,
    COPY_FROM_DEVICE,
    COPY_TO_DEVICE,
    COPY_FROM_CONTEXT,
    COPY_TO_CONTEXT,
    COPY_NODE,
    COPY_GRAPH,
    COPY_ADDRESS
};
static const char *const copy_columns[] = {
    PLACE_COLUMNS, "copyKind",    "srcKind",       "dstKind",      "flags",
    "bytes",       "srcDeviceId", "dstDeviceId",   "srcContextId", "dstContextId",
    "graphNodeId", "graphId",     "virtualAddress"};

static void add_copy(struct sqlite_trace *trace, struct sqlite_rows *rows,
                     const struct place *place, bool nsys)
{
    struct unordered_op op = op_of(place);
    struct tl_memcpy detail = {0}, *copy = &detail;
    copy->bytes = after_epoch(sqlite_rows_int(rows, COPY_BYTES, 0));
    copy->context = place->context;
    copy->stream = place->stream;
    copy->device = place->device;
    copy->copy_kind = int_8(rows, COPY_KIND);
    copy->src_kind = memory_kind(rows, COPY_FROM, nsys);
    copy->dst_kind = memory_kind(rows, COPY_TO, nsys);
    copy->flags = int_8(rows, COPY_FLAGS) & 1;
    copy->src_device = int_16(rows, COPY_FROM_DEVICE);
    copy->dst_device = int_16(rows, COPY_TO_DEVICE);
    copy->src_context = id_32(rows, COPY_FROM_CONTEXT);
    copy->dst_context = id_32(rows, COPY_TO_CONTEXT);
    copy->graph_node = (uint64_t)sqlite_rows_int(rows, COPY_NODE, 0);
    copy->graph = sqlite_rows_uint32(rows, COPY_GRAPH);
    unordered_append_memcpy(trace->events, &op, copy);
}

/* nsys has what the driver moved of managed memory among the copies. No call made it. False: it is
 * a copy. */
static bool add_migration(struct sqlite_trace *trace, struct sqlite_rows *rows,
                          const struct place *place)
{
    enum { TO_DEVICE = 11, TO_HOST = 12, BETWEEN_DEVICES = 13 };
    const uint32_t host = UINT32_MAX, device = place->device;
    int64_t kind = sqlite_rows_int(rows, COPY_KIND, 0);
    struct migration migration = {.start_ns = place->start_ns,
                                  .end_ns = place->end_ns,
                                  .address = (uint64_t)sqlite_rows_int(rows, COPY_ADDRESS, 0),
                                  .value = after_epoch(sqlite_rows_int(rows, COPY_BYTES, 0))};
    switch (kind) {
    case TO_DEVICE:
        migration.kind = 1; /* CUPTI's kind of counter: bytes from the host */
        migration.source = host, migration.target = device;
        break;
    case TO_HOST:
        migration.kind = 2;
        migration.source = device, migration.target = host;
        break;
    case BETWEEN_DEVICES:
        migration.kind = 8;
        migration.source = int_16(rows, COPY_FROM_DEVICE);
        migration.target = int_16(rows, COPY_TO_DEVICE);
        break;
    default:
        return false;
    }
    unordered_append_migration(trace->events, place->process, &migration);
    return true;
}

static void read_copies(struct sqlite_trace *trace, const char *table, bool nsys)
{
    struct sqlite_rows rows;
    struct place place;
    sqlite_rows_begin(&rows, trace->file, table, copy_columns, SQLITE_COUNT(copy_columns));
    while (sqlite_rows_next(&rows))
        if (read_place(trace, &rows, &place) && !(nsys && add_migration(trace, &rows, &place)))
            add_copy(trace, &rows, &place, nsys);
    sqlite_trace_end(trace, &rows);
}

enum { SET_VALUE = FIRST_OWN, SET_BYTES, SET_FLAGS, SET_KIND, SET_KIND_NSYS, SET_NODE, SET_GRAPH };
static const char *const set_columns[] = {PLACE_COLUMNS, "value",   "bytes",       "flags",
                                          "memoryKind",  "memKind", "graphNodeId", "graphId"};

static void add_set(struct sqlite_trace *trace, struct sqlite_rows *rows, const struct place *place,
                    bool nsys)
{
    struct unordered_op op = op_of(place);
    struct tl_memset detail = {0}, *set = &detail;
    set->bytes = after_epoch(sqlite_rows_int(rows, SET_BYTES, 0));
    set->context = place->context;
    set->stream = place->stream;
    set->device = place->device;
    set->memory_kind = memory_kind(rows, nsys ? SET_KIND_NSYS : SET_KIND, nsys);
    set->flags = int_8(rows, SET_FLAGS) & 1;
    set->value = sqlite_rows_uint32(rows, SET_VALUE);
    set->graph_node = (uint64_t)sqlite_rows_int(rows, SET_NODE, 0);
    set->graph = sqlite_rows_uint32(rows, SET_GRAPH);
    unordered_append_memset(trace->events, &op, set);
}

static void read_sets(struct sqlite_trace *trace, bool nsys)
{
    struct sqlite_rows rows;
    struct place place;
    sqlite_rows_begin(&rows, trace->file, "CUPTI_ACTIVITY_KIND_MEMSET", set_columns,
                      SQLITE_COUNT(set_columns));
    while (sqlite_rows_next(&rows))
        if (read_place(trace, &rows, &place))
            add_set(trace, &rows, &place, nsys);
    sqlite_trace_end(trace, &rows);
}

enum { WAIT_TYPE = FIRST_OWN, WAIT_TYPE_NSYS, WAIT_EVENT, WAIT_EVENT_NSYS };
static const char *const wait_columns[] = {PLACE_COLUMNS, "type", "syncType", "cudaEventId",
                                           "eventId"};

/* A wait for the context is of no stream, whatever number stands there. */
static void read_waits(struct sqlite_trace *trace, bool nsys)
{
    struct sqlite_rows rows;
    struct place place;
    sqlite_rows_begin(&rows, trace->file, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", wait_columns,
                      SQLITE_COUNT(wait_columns));
    while (sqlite_rows_next(&rows)) {
        if (!read_place(trace, &rows, &place))
            continue;
        struct unordered_op op = op_of(&place);
        struct tl_sync sync = {.type = sqlite_rows_uint32(&rows, nsys ? WAIT_TYPE_NSYS : WAIT_TYPE),
                               .context = place.context,
                               .event = id_32(&rows, nsys ? WAIT_EVENT_NSYS : WAIT_EVENT)};
        sync.stream = sync.type == 4 ? PROF_SYNC_NO_STREAM : place.stream;
        uint32_t device = place.device;
        bool known = sqlite_rows_int(&rows, DEVICE, -1) >= 0;
        unordered_append_sync(trace->events, &op, &sync, known ? &device : NULL);
    }
    sqlite_trace_end(trace, &rows);
}

/* With --cuda-graph-trace=graph, nsys has one row for all that a launch of a graph did. */
static void read_graphs(struct sqlite_trace *trace)
{
    static const char *const columns[] = {PLACE_COLUMNS, "graphId"};
    struct sqlite_rows rows;
    struct place place;
    sqlite_rows_begin(&rows, trace->file, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", columns,
                      SQLITE_COUNT(columns));
    while (sqlite_rows_next(&rows)) {
        if (!read_place(trace, &rows, &place))
            continue;
        struct unordered_op op = op_of(&place);
        struct tl_graph_run run = {.graph = sqlite_rows_uint32(&rows, FIRST_OWN),
                                   .context = place.context,
                                   .stream = place.stream,
                                   .device = place.device};
        unordered_append_graph_run(trace->events, &op, &run);
    }
    sqlite_trace_end(trace, &rows);
}

void sqlite_gpu_read(struct sqlite_trace *trace, bool nsys)
{
    read_kernels(trace, "CUPTI_ACTIVITY_KIND_KERNEL");
    read_kernels(trace, "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL");
    read_copies(trace, "CUPTI_ACTIVITY_KIND_MEMCPY", nsys);
    read_copies(trace, "CUPTI_ACTIVITY_KIND_MEMCPY2", nsys);
    read_sets(trace, nsys);
    read_waits(trace, nsys);
    if (nsys)
        read_graphs(trace);
}

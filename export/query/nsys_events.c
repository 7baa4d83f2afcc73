/* nsys_events.c - the rows of nsys's tables: events of threads, the walk over everything, and facts
 * that are not events. */
#include "array.h"
#include "device_api.h"
#include "exporter.h"
#include "nsys_export.h"
#include "run_facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char insert_memory[] =
    "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS(start, globalPid, deviceId, address, bytes, memKind, "
    "memoryOperationType, name, globalTid) VALUES(?,?,?,?,?,?,?,?,?)";

/* Of tables that SQL does not have. */
static const char *const inserts[NSYS_TABLES] = {
    [NSYS_MEMORY] = insert_memory,
    [NSYS_LAUNCHES] = "INSERT INTO PROF_LAUNCHES VALUES(?,?,?)",
    [NSYS_ATTRIBUTES] = "INSERT INTO PROF_ATTRIBUTES VALUES(?,?,?)",
    [NSYS_FAILED] = "INSERT INTO PROF_FAILED_CALLS VALUES(?,?,?,?)",
    [NSYS_COUNTERS] = "INSERT INTO PROF_COUNTERS VALUES(?,?,?,?)",
    [NSYS_TIMINGS] = "INSERT INTO PROF_TIMINGS VALUES(?,?,?,?,?)",
    [NSYS_ALLOCATIONS] = "INSERT INTO PROF_ALLOCATIONS VALUES(?,?,?,?,?,?,?)",
    [NSYS_OVERHEADS] = "INSERT INTO PROF_OVERHEADS VALUES(?,?,?,?,?,?,?,?,?)",
};

/* ---- ranges, marks ---- */

static void put_attr(struct nsys_export *nsys, uint32_t nvtx_row, const struct tl_attr *attr)
{
    struct database_row *row = nsys->tables[NSYS_ATTRIBUTES];
    double real;
    row_int(row, nvtx_row);
    row_int(row, attr->key);
    if (attr->type == PROF_ATTR_DOUBLE) {
        memcpy(&real, &attr->value, sizeof real);
        row_real(row, real);
    } else if (attr->type == PROF_ATTR_STRING) {
        row_text(row, nsys->timeline->names.at[attr->value]);
    } else {
        row_int(row, (int64_t)attr->value);
    }
    row_write(row);
}

/* An item of NVTX_EVENTS, with its attributes. */
static void put_nvtx(struct nsys_export *nsys, uint32_t item, const struct tl_attr *attrs,
                     uint32_t count)
{
    nsys_put_event(nsys, NSYS_NVTX, item);
    nsys->nvtx_rows++;
    for (uint32_t i = 0; i < count; i++)
        put_attr(nsys, nsys->nvtx_rows, &attrs[i]);
}

/* Of the segment that a later one continues. */
static uint32_t row_of_first(const struct nsys_export *nsys, uint32_t segment)
{
    const struct timeline *timeline = nsys->timeline;
    uint32_t at = ARRAY_LOWER_BOUND(&timeline->segments, struct tl_segment, slice, 0, segment);
    bool found = at < timeline->segments.count && timeline->segments.at[at].slice == segment;
    return found ? nsys->row_of_slice[timeline->segments.at[at].first] : 0;
}

/* A range in segments is one row, from its first segment to the end of its last. */
static void put_range(struct nsys_export *nsys, uint32_t index, const struct tl_attr *attrs,
                      uint32_t count)
{
    const struct tl_slice *slice = &nsys->timeline->slices.at[index];
    if (slice->flags & TL_CONTINUED) {
        nsys->row_of_slice[index] = row_of_first(nsys, index);
        return;
    }
    put_nvtx(nsys, index, attrs, count);
    nsys->row_of_slice[index] = nsys->nvtx_rows;
}

/* ---- calls ---- */

/* Of the innermost range around a slice. */
static uint32_t range_row(const struct nsys_export *nsys, uint32_t slice)
{
    slice = tl_range_around(nsys->timeline, slice);
    return slice == TL_NONE ? 0 : nsys->row_of_slice[slice];
}

static void put_launch(struct nsys_export *nsys, uint32_t index, uint32_t correlation)
{
    struct database_row *row = nsys->tables[NSYS_LAUNCHES];
    uint32_t range = range_row(nsys, index);
    row_int(row, nsys->data.global_ids.threads[nsys->timeline->slices.at[index].thread]);
    row_int(row, correlation);
    if (range)
        row_int(row, range);
    else
        row_null(row);
    row_write(row);
}

/* Calls that are recorded only where they fail have no duration: nsys knows none like that. */
static void put_failed(struct nsys_export *nsys, const struct tl_slice *slice, int32_t result)
{
    struct database_row *row = nsys->tables[NSYS_FAILED];
    row_int(row, slice->start_ns);
    row_int(row, slice->name);
    row_int(row, result);
    row_int(row, nsys->data.global_ids.threads[slice->thread]);
    row_write(row);
}

/* A call in segments is one row, from its first segment to the end of its last. */
static void put_call(struct nsys_export *nsys, uint32_t index)
{
    const struct tl_slice *slice = &nsys->timeline->slices.at[index];
    const struct tl_api *api = &nsys->timeline->apis.at[slice->api];
    if (api->failed_only) {
        put_failed(nsys, slice, api->result);
        return;
    }
    if (slice->flags & TL_CONTINUED)
        return;
    nsys_put_event(nsys, NSYS_CALLS, index);
    if (slice->gpu_count)
        put_launch(nsys, index, api->correlation);
}

static void on_slice(void *user, uint32_t index, const struct tl_attr *attrs, uint32_t count)
{
    struct nsys_export *nsys = user;
    if (nsys->timeline->slices.at[index].kind == TL_API)
        put_call(nsys, index);
    else
        put_range(nsys, index, attrs, count);
}

static void on_async(void *user, uint32_t index)
{
    struct nsys_export *nsys = user;
    struct tl_attrs attrs = timeline_async_attrs(nsys->timeline, index);
    put_nvtx(nsys, nsys->timeline->slices.count + index, attrs.at, attrs.count);
}

static void on_mark(void *user, uint32_t index)
{
    struct nsys_export *nsys = user;
    struct tl_attrs attrs = timeline_mark_attrs(nsys->timeline, index);
    put_nvtx(nsys, nsys->timeline->slices.count + nsys->timeline->asyncs.count + index, attrs.at,
             attrs.count);
}

static void on_counter(void *user, uint32_t index)
{
    struct nsys_export *nsys = user;
    const struct tl_counter *counter = &nsys->timeline->counters.at[index];
    struct database_row *row = nsys->tables[NSYS_COUNTERS];
    row_int(row, counter->time_ns);
    row_int(row, counter->name);
    row_real(row, counter->value);
    row_int(row, nsys->data.global_ids.threads[counter->thread]);
    row_write(row);
}

static void on_timing(void *user, uint32_t index)
{
    struct nsys_export *nsys = user;
    const struct tl_timing *timing = &nsys->timeline->timings.at[index];
    struct database_row *row = nsys->tables[NSYS_TIMINGS];
    row_int(row, timing->start_ns);
    row_int(row, timing->end_ns);
    row_known(row, nsys->row_of_slice[timing->slice] ? nsys->row_of_slice[timing->slice] : TL_NONE);
    row_known(row, timing->device);
    row_int(row, timing->error_ns);
    row_write(row);
}

/* ---- all of it ---- */

bool nsys_events_walk(struct nsys_export *nsys)
{
    static const struct exporter exporter = {
        .name = "sqlite",
        .slice = on_slice,
        .async = on_async,
        .mark = on_mark,
        .counter = on_counter,
        .timing = on_timing,
        .gpu = nsys_on_gpu,
        .memory = nsys_on_memory,
        .migration = nsys_on_migration,
    };
    return exporter_walk(&exporter, nsys, nsys->timeline);
}

/* ---- what it needs ---- */

bool nsys_events_init(struct nsys_export *nsys)
{
    for (int i = 0; i < NSYS_TABLES; i++)
        nsys->tables[i] = i < NSYS_SHARED ? nsys_prepare(nsys->database, nsys_shared[i])
                                          : database_prepare(nsys->database, inserts[i]);
    nsys->data.nvtx_rows = &nsys->nvtx_rows;
    nsys->row_of_slice = calloc(nsys->timeline->slices.count + 1u, sizeof *nsys->row_of_slice);
    return nsys->row_of_slice && query_data_shorten_begin(&nsys->data);
}

void nsys_events_fini(struct nsys_export *nsys)
{
    free(nsys->row_of_slice);
}

/* ---- what does not happen but is: names, processes, threads, devices, and what was lost ---- */

/* A table that SQL has, too, from an item on. */
static void write_table(struct nsys_export *nsys, const struct query_table *table, uint32_t item)
{
    struct database_row *row = nsys_prepare(nsys->database, table);
    for (uint32_t end = table->count(&nsys->data); item < end; item++)
        if (!table->is_row || table->is_row(&nsys->data, item))
            nsys_put(&nsys->data, row, table, item);
}

static void write_processes(struct nsys_export *nsys)
{
    struct database_row *row =
        database_prepare(nsys->database, "INSERT INTO PROCESSES VALUES(?,?,?)");
    struct database_row *host = database_prepare(
        nsys->database, "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES(?,'OSInfo','Hostname',1,?)");
    for (uint32_t i = 0; i < nsys->timeline->processes.count; i++) {
        const struct tl_process_info *info = &nsys->timeline->processes.at[i].info;
        row_int(row, nsys->data.global_ids.processes[i]);
        row_int(row, (int64_t)info->pid);
        row_text(row, info->program);
        row_write(row);
        row_int(host, nsys->data.global_ids.processes[i] >> 48);
        row_text(host, info->host);
        row_write(host);
    }
}

/* What does not fit into 24 bits. */
static void write_ids(struct nsys_export *nsys)
{
    const struct timeline *timeline = nsys->timeline;
    struct database_row *row =
        database_prepare(nsys->database, "INSERT OR IGNORE INTO PROF_IDS VALUES(?,?,?)");
    for (uint32_t i = 0; i < timeline->threads.count; i++) {
        const struct tl_thread *thread = &timeline->threads.at[i];
        uint64_t pid = timeline->processes.at[thread->process].info.pid;
        if (thread->tid <= GLOBAL_IDS_MAX && pid <= GLOBAL_IDS_MAX)
            continue;
        row_int(row, nsys->data.global_ids.threads[i]);
        row_int(row, (int64_t)pid);
        row_int(row, (int64_t)thread->tid);
        row_write(row);
    }
}

static void uuid_text(const uint8_t uuid[16], char to[48])
{
    int used = snprintf(to, 48, "GPU-");
    for (int i = 0; i < 16; i++)
        used += snprintf(to + used, 48 - (size_t)used, "%s%02x",
                         i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

static void write_device(struct nsys_export *nsys, struct database_row *row,
                         const struct tl_device *device)
{
    const struct tl_device_info *info = &device->info;
    char uuid[48];
    uuid_text(info->uuid, uuid);
    row_int(row, nsys->data.global_ids.processes[device->process] >> 48);
    row_int(row, info->device);
    if (device->name == TL_NONE)
        row_null(row);
    else
        row_text(row, nsys->timeline->names.at[device->name]);
    row_int(row, info->l2_bytes);
    row_int(row, (int64_t)info->memory_bytes);
    row_int(row, (int64_t)info->memory_bandwidth);
    row_int(row, (int64_t)info->core_clock_khz * 1000);
    row_int(row, info->multiprocessors);
    row_string(row, uuid);
    row_int(row, info->device);
    row_int(row, info->registers_per_block);
    row_int(row, info->shared_memory_per_block);
    row_int(row, info->shared_memory_per_multiprocessor);
    row_int(row, info->registers_per_multiprocessor);
    row_int(row, info->threads_per_warp);
    row_int(row, info->max_warps_per_multiprocessor);
    row_int(row, info->max_blocks_per_multiprocessor);
    row_int(row, info->max_threads_per_block);
    row_int(row, info->compute_major);
    row_int(row, info->compute_minor);
    row_write(row);
}

static bool is_first_of_ordinal(const struct timeline *timeline, uint32_t index)
{
    const struct tl_device *device = &timeline->devices.at[index];
    for (uint32_t i = 0; i < device->process; i++)
        if (timeline_device_of(timeline, i, device->info.device))
            return false;
    return true;
}

/* nsys has a device once, however many processes use it. */
static void write_devices(struct nsys_export *nsys)
{
    struct database_row *row = database_prepare(
        nsys->database,
        "INSERT INTO TARGET_INFO_GPU(vmId, id, name, l2CacheSize, totalMemory, memoryBandwidth, "
        "clockRate, smCount, uuid, cuDevice, maxRegistersPerBlock, maxShmemPerBlock, "
        "maxShmemPerSm, "
        "maxRegistersPerSm, threadsPerWarp, maxWarpsPerSm, maxBlocksPerSm, maxThreadsPerBlock, "
        "computeMajor, computeMinor) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    for (uint32_t i = 0; i < nsys->timeline->devices.count; i++)
        if (is_first_of_ordinal(nsys->timeline, i))
            write_device(nsys, row, &nsys->timeline->devices.at[i]);
}

/* The GPU that each process has at an ordinal. */
static void write_cuda_devices(struct nsys_export *nsys)
{
    struct database_row *row =
        database_prepare(nsys->database, "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES(?,?,?,?,?)");
    for (uint32_t i = 0; i < nsys->timeline->devices.count; i++) {
        const struct tl_device *device = &nsys->timeline->devices.at[i];
        char uuid[48];
        uuid_text(device->info.uuid, uuid);
        row_int(row, device->info.device);
        row_int(row, device->info.device);
        row_int(row, nsys->data.global_ids.processes[device->process] >> 24 & GLOBAL_IDS_MAX);
        row_string(row, uuid);
        row_int(row, device->info.multiprocessors);
        row_write(row);
    }
}

/* Nodes of graphs, and the calls or ranges in which they were captured. */
static void write_graph_nodes(struct nsys_export *nsys)
{
    const struct timeline *timeline = nsys->timeline;
    struct database_row *row = database_prepare(
        nsys->database, "INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES(?,?,?,?,?,?,NULL)");
    for (uint32_t i = 0; i < timeline->graph_nodes.count; i++) {
        const struct tl_graph_node *node = &timeline->graph_nodes.at[i];
        if (node->when != TL_CAPTURED_RECORDED || node->slice == TL_NONE)
            continue;
        const struct tl_slice *slice = &timeline->slices.at[node->slice];
        row_int(row, slice->start_ns);
        row_int(row, slice->end_ns);
        row_int(row, 0);
        row_int(row, nsys->data.global_ids.threads[slice->thread]);
        row_int(row, slice->name);
        row_int(row, (int64_t)node->node);
        row_write(row);
    }
}

static bool is_same_context(const struct tl_stream *a, const struct tl_stream *b)
{
    return a->process == b->process && a->device == b->device && a->context == b->context;
}

/* Streams are sorted by process, device and context. */
static void write_streams(struct nsys_export *nsys)
{
    const struct timeline *timeline = nsys->timeline;
    struct database_row *context = database_prepare(
        nsys->database,
        "INSERT INTO TARGET_INFO_CUDA_CONTEXT_INFO VALUES(NULL,0,?,?,?,?,NULL,NULL)");
    struct database_row *row = database_prepare(
        nsys->database, "INSERT INTO TARGET_INFO_CUDA_STREAM VALUES(?,0,?,?,?,?,NULL)");
    for (uint32_t i = 0; i < timeline->streams.count; i++) {
        const struct tl_stream *stream = &timeline->streams.at[i];
        int64_t machine = nsys->data.global_ids.processes[stream->process] >> 48;
        int64_t pid = nsys->data.global_ids.processes[stream->process] >> 24 & GLOBAL_IDS_MAX;
        if (stream->device != TL_NONE && (i == 0 || !is_same_context(stream, stream - 1))) {
            row_int(context, machine);
            row_int(context, pid);
            row_int(context, stream->device);
            row_int(context, stream->context);
            row_write(context);
        }
        row_int(row, stream->stream);
        row_int(row, machine);
        row_int(row, pid);
        row_int(row, stream->context);
        if (stream->priority == PROF_PRIORITY_UNKNOWN)
            row_null(row);
        else
            row_int(row, stream->priority);
        row_write(row);
    }
}

static void write_count(struct database_row *row, const char *name, uint64_t count)
{
    row_string(row, name);
    row_int(row, (int64_t)count);
    row_write(row);
}

static void write_ledger(struct nsys_export *nsys)
{
    const struct tl_ledger *ledger = &nsys->timeline->ledger;
    struct database_row *row =
        database_prepare(nsys->database, "INSERT INTO PROF_LEDGER VALUES(?,?)");
    write_count(row, "launched", ledger->launched);
    write_count(row, "recorded", ledger->recorded);
    write_count(row, "lost_operations", ledger->lost_operations);
    write_count(row, "undelivered", ledger->undelivered);
    write_count(row, "unobserved", ledger->unobserved);
    write_count(row, "missing", ledger->missing);
    write_count(row, "orphans", ledger->orphans);
    write_count(row, "ambiguous", ledger->ambiguous);
    write_count(row, "graph_expected", ledger->graph_expected);
    write_count(row, "launched_graph", ledger->launched_graph);
}

static void write_meta(struct nsys_export *nsys)
{
    struct run_facts facts;
    struct database_row *row =
        database_prepare(nsys->database, "INSERT INTO META_DATA_EXPORT VALUES(?,?)");
    struct database_row *start = database_prepare(
        nsys->database, "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES(?,"
                        "strftime('%Y-%m-%dT%H:%M:%SZ', ? / 1000000000, 'unixepoch'),NULL)");
    run_facts_init(&facts, nsys->timeline);
    row_string(row, "EXPORTER"), row_string(row, "libprof"), row_write(row);
    row_string(row, "EXPORT_SCHEMA_VERSION"), row_string(row, NSYS_SCHEMA_VERSION);
    row_write(row);
    row_string(row, "GPU_MODE"), row_string(row, facts.mode), row_write(row);
    row_string(row, "GPU_MODE_REASON"), row_text(row, facts.mode_reason), row_write(row);
    row_string(row, "DEVICE_API"), row_string(row, device_api_name(device_api_of(nsys->timeline)));
    row_write(row);
    row_string(row, "SIMULATED"), row_string(row, facts.simulated ? "yes" : "no"), row_write(row);
    row_string(row, "LOST_ANYTHING"), row_string(row, facts.lost_anything ? "yes" : "no");
    row_write(row);
    row_int(start, (int64_t)nsys->timeline->base_realtime_ns);
    row_int(start, (int64_t)nsys->timeline->base_realtime_ns);
    row_write(start);
}

void nsys_facts_write(struct nsys_export *nsys)
{
    const struct timeline *timeline = nsys->timeline;
    write_table(nsys, &nsys_strings, 0);
    write_meta(nsys);
    write_processes(nsys);
    write_table(nsys, &nsys_thread_names, 0);
    write_ids(nsys);
    write_devices(nsys);
    write_cuda_devices(nsys);
    write_streams(nsys);
    write_graph_nodes(nsys);
    write_table(nsys, &nsys_nvtx, /* domains and categories come after all that happened */
                timeline->slices.count + timeline->asyncs.count + timeline->marks.count);
    write_ledger(nsys);
}

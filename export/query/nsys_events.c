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

#define OPEN_END INT64_MIN /* a range that did not end */

static const char *const inserts[NSYS_TABLES] = {
    [NSYS_NVTX] = "INSERT INTO NVTX_EVENTS(start, end, eventType, rangeId, category, color, "
                  "globalTid, endGlobalTid, text, textId, domainId) VALUES(?,?,?,?,?,?,?,?,?,?,?)",
    [NSYS_CALLS] = "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME(start, end, eventClass, globalTid, "
                   "correlationId, nameId, returnValue) VALUES(?,?,?,?,?,?,?)",
    [NSYS_KERNELS] =
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, contextId, streamId, "
        "correlationId, globalPid, demangledName, shortName, mangledName, launchType, "
        "registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory, "
        "dynamicSharedMemory, localMemoryPerThread, sharedMemoryExecuted, graphNodeId, graphId, "
        "queued, submitted) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [NSYS_COPIES] = "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES"
                    "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [NSYS_SETS] = "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [NSYS_SYNCS] = "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES(?,?,?,?,?,?,?,?,?)",
    [NSYS_GRAPHS] = "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES(?,?,?,?,?,?,?,?,?)",
    [NSYS_MEMORY] = "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS(start, globalPid, deviceId, address, "
                    "bytes, memKind, memoryOperationType, name, globalTid) "
                    "VALUES(?,?,?,?,?,?,?,?,?)",
    [NSYS_LAUNCHES] = "INSERT INTO PROF_LAUNCHES VALUES(?,?,?)",
    [NSYS_ATTRIBUTES] = "INSERT INTO PROF_ATTRIBUTES VALUES(?,?,?)",
    [NSYS_FAILED] = "INSERT INTO PROF_FAILED_CALLS VALUES(?,?,?,?)",
    [NSYS_COUNTERS] = "INSERT INTO PROF_COUNTERS VALUES(?,?,?,?)",
    [NSYS_TIMINGS] = "INSERT INTO PROF_TIMINGS VALUES(?,?,?,?,?)",
    [NSYS_ALLOCATIONS] = "INSERT INTO PROF_ALLOCATIONS VALUES(?,?,?,?,?,?,?)",
    [NSYS_OVERHEADS] = "INSERT INTO PROF_OVERHEADS VALUES(?,?,?,?,?,?,?,?,?)",
};

/* ---- ranges, marks ---- */

static void put_label(const struct nsys_export *nsys, struct database_row *row, uint32_t label)
{
    const struct tl_label *of = label == TL_NONE ? NULL : &nsys->timeline->labels.at[label];
    if (of && of->category != TL_NONE)
        row_int(row, nsys->timeline->categories.at[of->category].number);
    else
        row_null(row);
    if (of && of->flags & TL_LABEL_COLORED)
        row_int(row, of->color);
    else
        row_null(row);
}

static uint32_t domain_of(const struct nsys_export *nsys, uint32_t label)
{
    const struct tl_label *of = label == TL_NONE ? NULL : &nsys->timeline->labels.at[label];
    return of && of->domain != TL_NONE ? nsys->timeline->domains.at[of->domain].number : 0;
}

/* Some scripts read the text of a range here, others by its number. */
static void put_name(const struct nsys_export *nsys, struct database_row *row, uint32_t name)
{
    if (name == TL_NONE)
        row_null(row);
    else
        row_text(row, nsys->timeline->names.at[name]);
    row_known(row, name);
}

struct nvtx_row {
    int64_t start_ns, end_ns;
    enum nsys_event_type type;
    uint32_t name, label, thread, end_thread;
    bool has_end;
};

static void put_nvtx(struct nsys_export *nsys, const struct nvtx_row *event)
{
    struct database_row *row = nsys->tables[NSYS_NVTX];
    row_int(row, event->start_ns);
    if (event->has_end)
        row_int(row, event->end_ns);
    else
        row_null(row);
    row_int(row, event->type);
    row_int(row, (int64_t)nsys->next_range++);
    put_label(nsys, row, event->label);
    row_int(row, nsys->ids.threads[event->thread]);
    if (event->type == NSYS_START_END)
        row_int(row, nsys->ids.threads[event->end_thread]);
    else
        row_null(row);
    put_name(nsys, row, event->name);
    row_int(row, domain_of(nsys, event->label));
    row_write(row);
    nsys->nvtx_rows++;
}

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

static void put_attrs(struct nsys_export *nsys, const struct tl_attr *attrs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        put_attr(nsys, nsys->nvtx_rows, &attrs[i]);
}

static int64_t end_of(const struct tl_slice *slice)
{
    return slice->flags & TL_UNCLOSED ? OPEN_END : slice->end_ns;
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
    int64_t end_ns = nsys->whole_end ? nsys->whole_end[index] : end_of(slice);
    put_nvtx(nsys, &(struct nvtx_row){
                       .start_ns = slice->start_ns,
                       .end_ns = end_ns,
                       .type = NSYS_PUSH_POP,
                       .name = slice->name,
                       .label = slice->label,
                       .thread = slice->thread,
                       .has_end = end_ns != OPEN_END,
                   });
    nsys->row_of_slice[index] = nsys->nvtx_rows;
    put_attrs(nsys, attrs, count);
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
    row_int(row, nsys->ids.threads[nsys->timeline->slices.at[index].thread]);
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
    row_int(row, nsys->ids.threads[slice->thread]);
    row_write(row);
}

/* A call in segments is one row, from its first segment to the end of its last. */
static void put_call(struct nsys_export *nsys, uint32_t index)
{
    const struct tl_slice *slice = &nsys->timeline->slices.at[index];
    const struct tl_api *api = &nsys->timeline->apis.at[slice->api];
    struct database_row *row = nsys->tables[NSYS_CALLS];
    if (api->failed_only) {
        put_failed(nsys, slice, api->result);
        return;
    }
    if (slice->flags & TL_CONTINUED)
        return;
    int64_t end_ns = nsys->whole_end ? nsys->whole_end[index] : end_of(slice);
    row_int(row, slice->start_ns);
    if (end_ns == OPEN_END)
        row_null(row);
    else
        row_int(row, end_ns);
    row_int(row, api->domain == PROF_API_DRIVER);
    row_int(row, nsys->ids.threads[slice->thread]);
    row_int(row, api->correlation);
    row_int(row, slice->name);
    if (api->result == TL_RESULT_UNKNOWN)
        row_null(row);
    else
        row_int(row, api->result);
    row_write(row);
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
    const struct tl_async *async = &nsys->timeline->asyncs.at[index];
    struct tl_attrs attrs = timeline_async_attrs(nsys->timeline, index);
    put_nvtx(nsys, &(struct nvtx_row){
                       .start_ns = async->start_ns,
                       .end_ns = async->end_ns,
                       .type = NSYS_START_END,
                       .name = async->name,
                       .label = async->label,
                       .thread = async->thread,
                       .end_thread = async->end_thread,
                       .has_end = !(async->flags & TL_UNCLOSED),
                   });
    put_attrs(nsys, attrs.at, attrs.count);
}

static void on_mark(void *user, uint32_t index)
{
    struct nsys_export *nsys = user;
    const struct tl_mark *mark = &nsys->timeline->marks.at[index];
    struct tl_attrs attrs = timeline_mark_attrs(nsys->timeline, index);
    put_nvtx(nsys, &(struct nvtx_row){
                       .start_ns = mark->time_ns,
                       .type = NSYS_MARK,
                       .name = mark->name,
                       .label = mark->label,
                       .thread = mark->thread,
                   });
    put_attrs(nsys, attrs.at, attrs.count);
}

static void on_counter(void *user, uint32_t index)
{
    struct nsys_export *nsys = user;
    const struct tl_counter *counter = &nsys->timeline->counters.at[index];
    struct database_row *row = nsys->tables[NSYS_COUNTERS];
    row_int(row, counter->time_ns);
    row_int(row, counter->name);
    row_real(row, counter->value);
    row_int(row, nsys->ids.threads[counter->thread]);
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

/* Pieces come after what they continue, so the last one's end stays. */
static bool find_ends(struct nsys_export *nsys)
{
    const struct timeline *timeline = nsys->timeline;
    if (!timeline->segments.count)
        return true;
    nsys->whole_end = malloc(timeline->slices.count * sizeof *nsys->whole_end);
    if (!nsys->whole_end)
        return false;
    for (uint32_t i = 0; i < timeline->slices.count; i++)
        nsys->whole_end[i] = end_of(&timeline->slices.at[i]);
    for (uint32_t i = 0; i < timeline->segments.count; i++) {
        const struct tl_segment *segment = &timeline->segments.at[i];
        nsys->whole_end[segment->first] = end_of(&timeline->slices.at[segment->slice]);
    }
    return true;
}

bool nsys_events_init(struct nsys_export *nsys)
{
    const struct timeline *timeline = nsys->timeline;
    for (int i = 0; i < NSYS_TABLES; i++)
        nsys->tables[i] = database_prepare(nsys->database, inserts[i]);
    nsys->strings = database_prepare(nsys->database, "INSERT INTO StringIds VALUES(?,?)");
    nsys->next_string = timeline->names.count;
    nsys->row_of_slice = calloc(timeline->slices.count + 1u, sizeof *nsys->row_of_slice);
    nsys->short_names = malloc((timeline->names.count + 1u) * sizeof *nsys->short_names);
    if (!nsys->row_of_slice || !nsys->short_names)
        return false;
    memset(nsys->short_names, 0xff, (timeline->names.count + 1u) * sizeof *nsys->short_names);
    return find_ends(nsys);
}

void nsys_events_fini(struct nsys_export *nsys)
{
    free(nsys->row_of_slice);
    free(nsys->short_names);
    free(nsys->whole_end);
}

/* ---- what does not happen but is: names, processes, threads, devices, and what was lost ---- */

static void write_strings(struct nsys_export *nsys)
{
    for (uint32_t i = 0; i < nsys->timeline->names.count; i++) {
        row_int(nsys->strings, i);
        row_text(nsys->strings, nsys->timeline->names.at[i]);
        row_write(nsys->strings);
    }
}

static void write_processes(struct nsys_export *nsys)
{
    struct database_row *row =
        database_prepare(nsys->database, "INSERT INTO PROCESSES VALUES(?,?,?)");
    struct database_row *host = database_prepare(
        nsys->database, "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES(?,'OSInfo','Hostname',1,?)");
    for (uint32_t i = 0; i < nsys->timeline->processes.count; i++) {
        const struct tl_process_info *info = &nsys->timeline->processes.at[i].info;
        row_int(row, nsys->ids.processes[i]);
        row_int(row, (int64_t)info->pid);
        row_text(row, info->program);
        row_write(row);
        row_int(host, nsys->ids.processes[i] >> 48);
        row_text(host, info->host);
        row_write(host);
    }
}

static void write_threads(struct nsys_export *nsys)
{
    struct database_row *row =
        database_prepare(nsys->database, "INSERT INTO ThreadNames VALUES(?,20,?)");
    for (uint32_t i = 0; i < nsys->timeline->threads.count; i++) {
        const struct tl_thread *thread = &nsys->timeline->threads.at[i];
        if (thread->name == TL_NONE || thread->internal)
            continue;
        row_int(row, thread->name);
        row_int(row, nsys->ids.threads[i]);
        row_write(row);
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
        row_int(row, nsys->ids.threads[i]);
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
    row_int(row, nsys->ids.processes[device->process] >> 48);
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
        row_int(row, nsys->ids.processes[device->process] >> 24 & GLOBAL_IDS_MAX);
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
        row_int(row, nsys->ids.threads[slice->thread]);
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
        int64_t machine = nsys->ids.processes[stream->process] >> 48;
        int64_t pid = nsys->ids.processes[stream->process] >> 24 & GLOBAL_IDS_MAX;
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

static void write_named(struct nsys_export *nsys, enum nsys_event_type type, uint32_t process,
                        uint32_t domain, uint32_t category, uint32_t name)
{
    struct database_row *row = nsys->tables[NSYS_NVTX];
    row_int(row, nsys->timeline->start_ns);
    row_null(row);
    row_int(row, type);
    row_null(row);
    if (type == NSYS_CATEGORY)
        row_int(row, category);
    else
        row_null(row);
    row_null(row);
    row_int(row, nsys->ids.processes[process]);
    row_null(row);
    put_name(nsys, row, name);
    row_int(row, domain);
    row_write(row);
}

/* After everything that happened, so that rows are numbered as they were written. */
static void write_domains(struct nsys_export *nsys)
{
    const struct timeline *timeline = nsys->timeline;
    for (uint32_t i = 0; i < timeline->domains.count; i++) {
        const struct tl_domain *domain = &timeline->domains.at[i];
        if (domain->name != TL_NONE)
            write_named(nsys, NSYS_DOMAIN, domain->process, domain->number, 0, domain->name);
    }
    for (uint32_t i = 0; i < timeline->categories.count; i++) {
        const struct tl_category *category = &timeline->categories.at[i];
        const struct tl_domain *domain = &timeline->domains.at[category->domain];
        if (category->name != TL_NONE)
            write_named(nsys, NSYS_CATEGORY, domain->process, domain->number, category->number,
                        category->name);
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
    write_strings(nsys);
    write_meta(nsys);
    write_processes(nsys);
    write_threads(nsys);
    write_ids(nsys);
    write_devices(nsys);
    write_cuda_devices(nsys);
    write_streams(nsys);
    write_graph_nodes(nsys);
    write_domains(nsys);
    write_ledger(nsys);
}

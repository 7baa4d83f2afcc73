#include "nsys_export.h"

#include "demangle.h"

/* ---- the schema ---- */

/* What a device did: when, where, launched by which call. If calls of several processes share a
 * correlation id, and it is unknown which one launched the operation, the id is negative: no call
 * has that. */
#define PLACE                                                                        \
    "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, "      \
    "contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, " \
    "globalPid INTEGER, "
#define ENUM "(id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);"

const char nsys_tables[] =
    "CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
    "CREATE TABLE PROCESSES(globalPid INTEGER, pid INTEGER, name TEXT);"
    "CREATE TABLE ThreadNames(nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);"
    "CREATE TABLE META_DATA_EXPORT(name TEXT NOT NULL, value TEXT);"
    "CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INTEGER, utcTime TEXT, "
    "localTime TEXT);"
    "CREATE TABLE TARGET_INFO_SYSTEM_ENV(globalVid INTEGER, devStateName TEXT NOT NULL, "
    "name TEXT NOT NULL, nameEnum INTEGER NOT NULL, value TEXT NOT NULL);"
    "CREATE TABLE TARGET_INFO_GPU(vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, "
    "busLocation TEXT, isDiscrete INTEGER, l2CacheSize INTEGER, totalMemory INTEGER, "
    "memoryBandwidth INTEGER, clockRate INTEGER, smCount INTEGER, pwGpuId INTEGER, uuid TEXT, "
    "luid INTEGER, chipName TEXT, cuDevice INTEGER, ctxswDevPath TEXT, ctrlDevPath TEXT, "
    "revision INTEGER, nodeMask INTEGER, constantMemory INTEGER, maxIPC INTEGER, "
    "maxRegistersPerBlock INTEGER, maxShmemPerBlock INTEGER, maxShmemPerBlockOptin INTEGER, "
    "maxShmemPerSm INTEGER, maxRegistersPerSm INTEGER, threadsPerWarp INTEGER, "
    "asyncEngines INTEGER, maxWarpsPerSm INTEGER, maxBlocksPerSm INTEGER, "
    "maxThreadsPerBlock INTEGER, computeMajor INTEGER, computeMinor INTEGER, smMajor INTEGER, "
    "smMinor INTEGER);"
    "CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId INTEGER, cudaId INTEGER NOT NULL, "
    "pid INTEGER NOT NULL, uuid TEXT, numMultiprocessors INTEGER);"
    "CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO(nullStreamId INTEGER, hwId INTEGER NOT NULL, "
    "vmId INTEGER NOT NULL, processId INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
    "contextId INTEGER NOT NULL, parentContextId INTEGER, isGreenContext INTEGER);"
    "CREATE TABLE TARGET_INFO_CUDA_STREAM(streamId INTEGER NOT NULL, hwId INTEGER NOT NULL, "
    "vmId INTEGER NOT NULL, processId INTEGER NOT NULL, contextId INTEGER NOT NULL, "
    "priority INTEGER, flag INTEGER);"
    "CREATE TABLE NVTX_EVENTS(start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, "
    "rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, "
    "endGlobalTid INTEGER, textId INTEGER REFERENCES StringIds(id), domainId INTEGER, "
    "uint64Value INTEGER, int64Value INTEGER, doubleValue REAL, uint32Value INTEGER, "
    "int32Value INTEGER, floatValue REAL, jsonTextId INTEGER, jsonText TEXT, binaryData TEXT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER NOT NULL, end INTEGER, "
    "eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, "
    "nameId INTEGER NOT NULL REFERENCES StringIds(id), returnValue INTEGER, "
    "callchainId INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(" PLACE
    "demangledName INTEGER NOT NULL REFERENCES StringIds(id), "
    "shortName INTEGER NOT NULL REFERENCES StringIds(id), "
    "mangledName INTEGER REFERENCES StringIds(id), launchType INTEGER, cacheConfig INTEGER, "
    "registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, "
    "gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, "
    "blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL, "
    "dynamicSharedMemory INTEGER NOT NULL, localMemoryPerThread INTEGER NOT NULL, "
    "localMemoryTotal INTEGER, gridId INTEGER, sharedMemoryExecuted INTEGER, graphNodeId INTEGER, "
    "graphId INTEGER, queued INTEGER, submitted INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(" PLACE
    "bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL REFERENCES ENUM_CUDA_MEMCPY_OPER(id), "
    "srcKind INTEGER REFERENCES ENUM_CUDA_MEM_KIND(id), "
    "dstKind INTEGER REFERENCES ENUM_CUDA_MEM_KIND(id), srcDeviceId INTEGER, "
    "srcContextId INTEGER, dstDeviceId INTEGER, dstContextId INTEGER, graphNodeId INTEGER, "
    "graphId INTEGER, flags INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(" PLACE
    "value INTEGER NOT NULL, bytes INTEGER NOT NULL, graphNodeId INTEGER, "
    "memKind INTEGER REFERENCES ENUM_CUDA_MEM_KIND(id), graphId INTEGER, flags INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(" PLACE
    "syncType INTEGER NOT NULL REFERENCES ENUM_CUPTI_SYNC_TYPE(id), eventId INTEGER NOT NULL);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(" PLACE
    "graphId INTEGER NOT NULL, graphExecId INTEGER NOT NULL);"
    "CREATE TABLE CUDA_GRAPH_NODE_EVENTS(start INTEGER NOT NULL, end INTEGER NOT NULL, "
    "eventClass INTEGER NOT NULL, globalTid INTEGER, "
    "nameId INTEGER NOT NULL REFERENCES StringIds(id), graphNodeId INTEGER NOT NULL, "
    "originalGraphNodeId INTEGER);"
    "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS(start INTEGER NOT NULL, globalPid INTEGER, "
    "deviceId INTEGER, contextId INTEGER, address INTEGER, pc INTEGER, bytes INTEGER NOT NULL, "
    "memKind INTEGER REFERENCES ENUM_CUDA_MEM_KIND(id), memoryOperationType INTEGER, name TEXT, "
    "correlationId INTEGER, streamId INTEGER, globalTid INTEGER);" /* globalTid: libprof's */
    /* libprof's own */
    "CREATE TABLE PROF_LAUNCHES(globalTid INTEGER NOT NULL, correlationId INTEGER NOT NULL, "
    "nvtxRow INTEGER);"
    "CREATE TABLE PROF_ATTRIBUTES(nvtxRow INTEGER NOT NULL, keyId INTEGER NOT NULL, value);"
    "CREATE TABLE PROF_FAILED_CALLS(start INTEGER NOT NULL, nameId INTEGER NOT NULL, "
    "returnValue INTEGER, globalTid INTEGER);"
    "CREATE TABLE PROF_COUNTERS(start INTEGER NOT NULL, nameId INTEGER NOT NULL, value REAL, "
    "globalTid INTEGER);"
    "CREATE TABLE PROF_TIMINGS(start INTEGER NOT NULL, end INTEGER NOT NULL, "
    "nvtxRow INTEGER, deviceId INTEGER, errorNs INTEGER);"
    "CREATE TABLE PROF_ALLOCATIONS(start INTEGER NOT NULL, globalTid INTEGER, "
    "allocatorId INTEGER NOT NULL, nameId INTEGER, address INTEGER, bytes INTEGER NOT NULL, "
    "memoryOperationType INTEGER NOT NULL);"
    "CREATE TABLE PROF_OVERHEADS(start INTEGER NOT NULL, end INTEGER NOT NULL, "
    "globalPid INTEGER NOT NULL, kind INTEGER NOT NULL, objectKind INTEGER, object0 INTEGER, "
    "object1 INTEGER, object2 INTEGER, nameId INTEGER);"
    "CREATE TABLE PROF_IDS(globalTid INTEGER NOT NULL PRIMARY KEY, pid INTEGER NOT NULL, "
    "tid INTEGER NOT NULL);"
    "CREATE TABLE PROF_LEDGER(name TEXT NOT NULL, value INTEGER NOT NULL);";

const char nsys_enums[] =
    "CREATE TABLE ENUM_NSYS_EVENT_TYPE" ENUM "INSERT INTO ENUM_NSYS_EVENT_TYPE VALUES"
    "(0,'TRACE_PROCESS_EVENT_CUDA_RUNTIME','CUDA runtime'),"
    "(1,'TRACE_PROCESS_EVENT_CUDA_DRIVER','CUDA driver'),"
    "(33,'NvtxCategory','NvtxCategory'),(34,'NvtxMark','NvtxMark'),"
    "(39,'NvtxThread','NvtxThread'),(59,'NvtxPushPopRange','NvtxPushPopRange'),"
    "(60,'NvtxStartEndRange','NvtxStartEndRange'),(75,'NvtxDomainCreate','NvtxDomainCreate'),"
    "(76,'NvtxDomainDestroy','NvtxDomainDestroy');"
    "CREATE TABLE ENUM_CUDA_MEMCPY_OPER" ENUM "INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES"
    "(0,'CUDA_MEMCPY_KIND_UNKNOWN','Unknown'),(1,'CUDA_MEMCPY_KIND_HTOD','Host-to-Device'),"
    "(2,'CUDA_MEMCPY_KIND_DTOH','Device-to-Host'),(3,'CUDA_MEMCPY_KIND_HTOA','Host-to-Array'),"
    "(4,'CUDA_MEMCPY_KIND_ATOH','Array-to-Host'),(5,'CUDA_MEMCPY_KIND_ATOA','Array-to-Array'),"
    "(6,'CUDA_MEMCPY_KIND_ATOD','Array-to-Device'),(7,'CUDA_MEMCPY_KIND_DTOA','Device-to-Array'),"
    "(8,'CUDA_MEMCPY_KIND_DTOD','Device-to-Device'),(9,'CUDA_MEMCPY_KIND_HTOH','Host-to-Host'),"
    "(10,'CUDA_MEMCPY_KIND_PTOP','Peer-to-Peer'),"
    "(11,'CUDA_MEMCPY_KIND_UVM_HTOD','Unified Host-to-Device'),"
    "(12,'CUDA_MEMCPY_KIND_UVM_DTOH','Unified Device-to-Host'),"
    "(13,'CUDA_MEMCPY_KIND_UVM_DTOD','Unified Device-to-Device');"
    "CREATE TABLE ENUM_CUDA_MEM_KIND" ENUM "INSERT INTO ENUM_CUDA_MEM_KIND VALUES"
    "(0,'CUDA_MEMOPR_MEMORY_KIND_PAGEABLE','Pageable'),"
    "(1,'CUDA_MEMOPR_MEMORY_KIND_PINNED','Pinned'),"
    "(2,'CUDA_MEMOPR_MEMORY_KIND_DEVICE','Device'),(3,'CUDA_MEMOPR_MEMORY_KIND_ARRAY','Array'),"
    "(4,'CUDA_MEMOPR_MEMORY_KIND_MANAGED','Managed'),"
    "(5,'CUDA_MEMOPR_MEMORY_KIND_DEVICE_STATIC','Device Static'),"
    "(6,'CUDA_MEMOPR_MEMORY_KIND_MANAGED_STATIC','Managed Static'),"
    "(7,'CUDA_MEMOPR_MEMORY_KIND_UNKNOWN','Unknown'),(15,'PROF_MEMORY_KIND_HOST','Host');"
    "CREATE TABLE ENUM_CUPTI_SYNC_TYPE" ENUM "INSERT INTO ENUM_CUPTI_SYNC_TYPE VALUES"
    "(0,'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_UNKNOWN','Unknown'),"
    "(1,'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE','Event sync'),"
    "(2,'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT','Stream wait event'),"
    "(3,'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE','Stream sync'),"
    "(4,'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE','Context sync');";

/* A kernel's launch is the call of its process with its correlation id; where a process has one
 * twice, which only files of others do, there is a row for each. */
#define RANGE_OF_LAUNCH                                                  \
    "LEFT JOIN PROF_LAUNCHES AS l ON l.correlationId = k.correlationId " \
    "AND l.globalTid >> 24 = k.globalPid >> 24 "                         \
    "LEFT JOIN NVTX_EVENTS AS n ON n.rowid = l.nvtxRow "                 \
    "LEFT JOIN StringIds AS r ON r.id = n.textId"

/* A view for each kind: readers that do not trust databases allow no unions. */
#define AVERAGES(kind)                                                        \
    "CREATE VIEW prof_" kind "_averages AS SELECT name, count(*) AS calls, "  \
    "sum(duration) AS total, avg(duration) AS mean, min(duration) AS least, " \
    "max(duration) AS most FROM prof_" kind "s GROUP BY name ORDER BY total DESC;"

const char nsys_views[] =
    "CREATE INDEX PROF_LAUNCHES_BY_CORRELATION ON PROF_LAUNCHES(correlationId);"
    "CREATE VIEW prof_kernels AS SELECT k.start, k.end, k.end - k.start AS duration, "
    "s.value AS name, r.value AS range, k.deviceId, k.streamId, k.correlationId, k.globalPid "
    "FROM CUPTI_ACTIVITY_KIND_KERNEL AS k JOIN StringIds AS s ON s.id = "
    "k.demangledName " RANGE_OF_LAUNCH ";"
    "CREATE VIEW prof_copies AS SELECT k.start, k.end, k.end - k.start AS duration, k.bytes, "
    "o.label AS kind, r.value AS range, k.deviceId, k.streamId, k.correlationId, k.globalPid "
    "FROM CUPTI_ACTIVITY_KIND_MEMCPY AS k "
    "LEFT JOIN ENUM_CUDA_MEMCPY_OPER AS o ON o.id = k.copyKind " RANGE_OF_LAUNCH ";"
    "CREATE VIEW prof_ranges AS SELECT n.rowid AS nvtxRow, n.start, n.end, "
    "n.end - n.start AS duration, s.value AS name, n.globalTid, "
    "ifnull(i.pid, (n.globalTid >> 24) & 16777215) AS pid, "
    "ifnull(i.tid, n.globalTid & 16777215) AS tid FROM NVTX_EVENTS AS n "
    "JOIN StringIds AS s ON s.id = n.textId LEFT JOIN PROF_IDS AS i ON i.globalTid = n.globalTid "
    "WHERE n.eventType IN (59, 60);"
    "CREATE VIEW prof_calls AS SELECT c.start, c.end, c.end - c.start AS duration, "
    "s.value AS name, c.returnValue, c.correlationId, c.globalTid "
    "FROM CUPTI_ACTIVITY_KIND_RUNTIME AS c JOIN StringIds AS s ON s.id = c.nameId;"
    "CREATE VIEW prof_range_attributes AS SELECT a.nvtxRow, k.value AS key, a.value "
    "FROM PROF_ATTRIBUTES AS a JOIN StringIds AS k ON k.id = a.keyId;" AVERAGES("range")
        AVERAGES("kernel") AVERAGES("call");

/* ---- what devices did, and what happened to their memory ---- */

static void put_place(struct nsys_export *nsys, struct database_row *row, const struct tl_gpu *gpu,
                      uint32_t context, uint32_t stream)
{
    row_int(row, gpu->start_ns);
    row_int(row, gpu->end_ns);
    row_int(row, gpu->device == TL_NONE ? -1 : (int64_t)gpu->device);
    row_int(row, context);
    row_int(row, stream == PROF_SYNC_NO_STREAM ? -1 : (int64_t)stream);
    bool ambiguous = (gpu->flags & TL_GPU_AMBIGUOUS) != 0;
    row_int(row, ambiguous ? -(int64_t)gpu->correlation : (int64_t)gpu->correlation);
    row_int(row, nsys->ids.processes[gpu->process]);
}

static void put_graph(struct database_row *row, uint64_t node, uint32_t graph)
{
    if (node)
        row_int(row, (int64_t)node);
    else
        row_null(row);
    row_known(row, graph ? graph : TL_NONE);
}

static int64_t short_name_id(struct nsys_export *nsys, uint32_t name)
{
    if (nsys->short_names[name] == TL_NONE) {
        struct text whole = nsys->timeline->names.at[name], part = demangle_short_name(whole);
        bool is_whole = part.size == whole.size;
        nsys->short_names[name] = is_whole ? name : (uint32_t)nsys->next_string++;
        if (!is_whole) {
            row_int(nsys->strings, nsys->short_names[name]);
            row_text(nsys->strings, part);
            row_write(nsys->strings);
        }
    }
    return nsys->short_names[name];
}

static int64_t since_base(const struct nsys_export *nsys, uint64_t realtime_ns)
{
    return (int64_t)(realtime_ns - nsys->timeline->base_realtime_ns);
}

static void put_kernel(struct nsys_export *nsys, const struct tl_gpu *gpu)
{
    const struct tl_kernel *kernel = &nsys->timeline->kernels.at[gpu->detail];
    struct database_row *row = nsys->tables[NSYS_KERNELS];
    int64_t called = short_name_id(nsys, gpu->name);
    put_place(nsys, row, gpu, kernel->context, kernel->stream);
    row_int(row, gpu->name);
    row_int(row, called);
    row_known(row, kernel->name < nsys->timeline->names.count ? kernel->name : TL_NONE);
    row_int(row, kernel->launch_type);
    row_int(row, kernel->registers);
    row_int(row, kernel->grid_x);
    row_int(row, kernel->grid_y);
    row_int(row, kernel->grid_z);
    row_int(row, kernel->block_x);
    row_int(row, kernel->block_y);
    row_int(row, kernel->block_z);
    row_int(row, kernel->static_shared_memory);
    row_int(row, kernel->dynamic_shared_memory);
    row_int(row, kernel->local_memory);
    row_int(row, kernel->shared_memory_executed);
    put_graph(row, kernel->graph_node, kernel->graph);
    if (kernel->queued_ns)
        row_int(row, since_base(nsys, kernel->queued_ns));
    else
        row_null(row);
    if (kernel->submitted_ns)
        row_int(row, since_base(nsys, kernel->submitted_ns));
    else
        row_null(row);
    row_write(row);
}

/* nsys counts kinds of memory from 0 and calls what is unknown 7; CUPTI counts from 1. */
static int64_t memory_kind(uint8_t kind)
{
    if (kind == TL_MEMORY_HOST)
        return kind;
    return kind >= 1 && kind <= 7 ? kind - 1 : 7;
}

static void put_copy(struct nsys_export *nsys, const struct tl_gpu *gpu)
{
    const struct tl_memcpy *copy = &nsys->timeline->memcpys.at[gpu->detail];
    bool is_peer = copy->src_context || copy->dst_context;
    struct database_row *row = nsys->tables[NSYS_COPIES];
    put_place(nsys, row, gpu, copy->context, copy->stream);
    row_int(row, (int64_t)gpu->bytes);
    row_int(row, copy->copy_kind);
    row_int(row, memory_kind(copy->src_kind));
    row_int(row, memory_kind(copy->dst_kind));
    row_known(row, is_peer ? copy->src_device : TL_NONE);
    row_known(row, is_peer ? copy->src_context : TL_NONE);
    row_known(row, is_peer ? copy->dst_device : TL_NONE);
    row_known(row, is_peer ? copy->dst_context : TL_NONE);
    put_graph(row, copy->graph_node, copy->graph);
    row_int(row, copy->flags);
    row_write(row);
}

static void put_set(struct nsys_export *nsys, const struct tl_gpu *gpu)
{
    const struct tl_memset *set = &nsys->timeline->memsets.at[gpu->detail];
    struct database_row *row = nsys->tables[NSYS_SETS];
    put_place(nsys, row, gpu, set->context, set->stream);
    row_int(row, set->value);
    row_int(row, (int64_t)gpu->bytes);
    if (set->graph_node)
        row_int(row, (int64_t)set->graph_node);
    else
        row_null(row);
    row_int(row, memory_kind(set->memory_kind));
    row_known(row, set->graph ? set->graph : TL_NONE);
    row_int(row, set->flags);
    row_write(row);
}

static void put_sync(struct nsys_export *nsys, const struct tl_gpu *gpu)
{
    const struct tl_sync *sync = &nsys->timeline->syncs.at[gpu->detail];
    struct database_row *row = nsys->tables[NSYS_SYNCS];
    put_place(nsys, row, gpu, sync->context, sync->stream);
    row_int(row, sync->type);
    row_int(row, sync->event);
    row_write(row);
}

static void put_graph_run(struct nsys_export *nsys, const struct tl_gpu *gpu)
{
    const struct tl_graph_run *run = &nsys->timeline->graph_runs.at[gpu->detail];
    struct database_row *row = nsys->tables[NSYS_GRAPHS];
    put_place(nsys, row, gpu, run->context, run->stream);
    row_int(row, run->graph);
    row_int(row, run->graph);
    row_write(row);
}

static void put_overhead(struct nsys_export *nsys, const struct tl_gpu *gpu)
{
    const struct tl_overhead *overhead = &nsys->timeline->overheads.at[gpu->detail];
    struct database_row *row = nsys->tables[NSYS_OVERHEADS];
    row_int(row, gpu->start_ns);
    row_int(row, gpu->end_ns);
    row_int(row, nsys->ids.processes[gpu->process]);
    row_int(row, overhead->kind);
    row_int(row, overhead->object_kind);
    for (int i = 0; i < 3; i++)
        row_int(row, overhead->object[i]);
    row_known(row, gpu->name);
    row_write(row);
}

void nsys_on_gpu(void *user, uint32_t index)
{
    struct nsys_export *nsys = user;
    const struct tl_gpu *gpu = &nsys->timeline->gpus.at[index];
    switch (gpu->kind) {
    case TL_KERNEL:
        put_kernel(nsys, gpu);
        break;
    case TL_MEMCPY:
        put_copy(nsys, gpu);
        break;
    case TL_MEMSET:
        put_set(nsys, gpu);
        break;
    case TL_SYNC:
        put_sync(nsys, gpu);
        break;
    case TL_GRAPH_RUN:
        put_graph_run(nsys, gpu);
        break;
    default:
        put_overhead(nsys, gpu); /* nsys has no table that it would fit into */
    }
}

static void put_thread(struct nsys_export *nsys, struct database_row *row,
                       const struct tl_memory *memory, bool is_end)
{
    uint32_t thread = is_end ? memory->end_thread : memory->thread;
    if (thread == TL_NONE)
        row_null(row);
    else
        row_int(row, nsys->ids.threads[thread]);
}

/* Memory of the program's own allocators is not CUDA's. */
static void put_allocation(struct nsys_export *nsys, const struct tl_memory_event *event)
{
    const struct tl_memory *memory = &nsys->timeline->memories.at[event->memory];
    struct database_row *row = nsys->tables[NSYS_ALLOCATIONS];
    row_int(row, event->time_ns);
    put_thread(nsys, row, memory, event->is_end);
    row_int(row, memory->heap);
    row_known(row, nsys->timeline->heaps.at[memory->heap].name);
    row_int(row, (int64_t)memory->address);
    row_int(row, (int64_t)memory->bytes);
    row_int(row, event->is_end ? 1 : 0);
    row_write(row);
}

void nsys_on_memory(void *user, uint32_t index)
{
    struct nsys_export *nsys = user;
    const struct timeline *timeline = nsys->timeline;
    const struct tl_memory_event *event = &timeline->memory_events.at[index];
    const struct tl_memory *memory = &timeline->memories.at[event->memory];
    const struct tl_heap *heap = &timeline->heaps.at[memory->heap];
    struct database_row *row = nsys->tables[NSYS_MEMORY];
    if (heap->allocator) {
        put_allocation(nsys, event);
        return;
    }
    row_int(row, event->time_ns);
    row_int(row, nsys->ids.processes[heap->process]);
    row_known(row, heap->device);
    row_int(row, (int64_t)memory->address);
    row_int(row, (int64_t)memory->bytes);
    row_int(row, memory_kind(heap->kind));
    row_int(row, event->is_end ? 1 : 0);
    if (heap->name == TL_NONE)
        row_null(row);
    else
        row_text(row, timeline->names.at[heap->name]);
    put_thread(nsys, row, memory, event->is_end);
    row_write(row);
}

/* Managed memory that the driver moved: copies of kinds of their own. */
void nsys_on_migration(void *user, uint32_t index)
{
    struct nsys_export *nsys = user;
    const struct tl_migration *move = &nsys->timeline->migrations.at[index];
    struct database_row *row = nsys->tables[NSYS_COPIES];
    if (move->kind != 1 && move->kind != 2)
        return;
    row_int(row, move->start_ns);
    row_int(row, move->end_ns);
    row_int(row, move->kind == 1 ? (int32_t)move->target : (int32_t)move->source);
    row_int(row, 0);
    row_int(row, -1);
    row_null(row);
    row_int(row, nsys->ids.processes[move->process]);
    row_int(row, (int64_t)move->value);
    row_int(row, move->kind == 1 ? 11 : 12);
    row_int(row, memory_kind(5)); /* managed */
    row_int(row, memory_kind(5));
    for (int column = 11; column < 18; column++)
        row_null(row);
    row_write(row);
}

#include "nsys_export.h"

/* ---- the schema ---- */

#define ENUM "(id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);"

/* Tables that SQL does not have, or has as views. */
static const char processes[] =
    "CREATE TABLE PROCESSES(globalPid INTEGER, pid INTEGER, name TEXT);";

static const char facts[] =
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
    "priority INTEGER, flag INTEGER);";

static const char events[] =
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

static void create_table(struct database *database, const struct query_table *table)
{
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendf(sql, "CREATE TABLE %s", table->name);
    for (uint32_t i = 0; i < table->column_count; i++)
        sqlite3_str_appendf(sql, "%s%s %s", i ? ", " : "(", table->columns[i].name,
                            table->columns[i].declared);
    sqlite3_str_appendall(sql, ")");
    char *text = sqlite3_str_finish(sql);
    database_run(database, text);
    sqlite3_free(text);
}

/* Parameters have the numbers of columns, so that nsys_put() counts nothing else. */
struct database_row *nsys_prepare(struct database *database, const struct query_table *table)
{
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendf(sql, "INSERT INTO %s VALUES", table->name);
    for (uint32_t i = 0; i < table->column_count; i++)
        sqlite3_str_appendf(sql, table->columns[i].get == query_null ? "%cNULL" : "%c?%u",
                            i ? ',' : '(', i + 1);
    sqlite3_str_appendall(sql, ")");
    char *text = sqlite3_str_finish(sql);
    struct database_row *row = database_prepare(database, text);
    sqlite3_free(text);
    return row;
}

const struct query_table *const nsys_shared[NSYS_SHARED] = {
    [NSYS_NVTX] = &nsys_nvtx,           [NSYS_CALLS] = &nsys_runtime,
    [NSYS_KERNELS] = &nsys_kernels,     [NSYS_COPIES] = &nsys_memcpys,
    [NSYS_SETS] = &nsys_memsets,        [NSYS_SYNCS] = &nsys_syncs,
    [NSYS_GRAPHS] = &nsys_graph_traces,
};

void nsys_create_tables(struct database *database)
{
    create_table(database, &nsys_strings);
    database_run(database, processes);
    create_table(database, &nsys_thread_names);
    database_run(database, facts);
    for (int i = 0; i < NSYS_SHARED; i++)
        create_table(database, nsys_shared[i]);
    database_run(database, events);
    database_run(database, nsys_enums);
}

void nsys_put(const struct query_data *data, struct database_row *row,
              const struct query_table *table, uint32_t item)
{
    sqlite3_stmt *statement = row->statement;
    for (uint32_t i = 0; i < table->column_count; i++) {
        const struct query_column *column = &table->columns[i];
        if (column->get == query_null)
            continue;
        int64_t value = column->get(data, item);
        if (value == QUERY_NULL) {
            sqlite3_bind_null(statement, (int)i + 1);
        } else if (column->type == QUERY_INTEGER) {
            sqlite3_bind_int64(statement, (int)i + 1, value);
        } else {
            struct text text = column->text ? column->text(data, item) : data->texts[value];
            sqlite3_bind_text64(statement, (int)i + 1, text.bytes, text.size, SQLITE_STATIC,
                                SQLITE_UTF8);
        }
    }
    row_write(row);
}

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

static void put_overhead(struct nsys_export *nsys, const struct tl_gpu *gpu)
{
    const struct tl_overhead *overhead = &nsys->timeline->overheads.at[gpu->detail];
    struct database_row *row = nsys->tables[NSYS_OVERHEADS];
    row_int(row, gpu->start_ns);
    row_int(row, gpu->end_ns);
    row_int(row, nsys->data.global_ids.processes[gpu->process]);
    row_int(row, overhead->kind);
    row_int(row, overhead->object_kind);
    for (int i = 0; i < 3; i++)
        row_int(row, overhead->object[i]);
    row_known(row, gpu->name);
    row_write(row);
}

void nsys_on_gpu(void *user, uint32_t index)
{
    static const enum nsys_table tables[] = {[TL_KERNEL] = NSYS_KERNELS,
                                             [TL_MEMCPY] = NSYS_COPIES,
                                             [TL_MEMSET] = NSYS_SETS,
                                             [TL_SYNC] = NSYS_SYNCS,
                                             [TL_GRAPH_RUN] = NSYS_GRAPHS};
    struct nsys_export *nsys = user;
    const struct tl_gpu *gpu = &nsys->timeline->gpus.at[index];
    if (gpu->kind == TL_OVERHEAD) {
        put_overhead(nsys, gpu); /* nsys has no table that it would fit into */
        return;
    }
    if (gpu->kind == TL_KERNEL)
        query_data_shorten_name(&nsys->data, gpu->name);
    nsys_put_event(nsys, tables[gpu->kind], index);
}

static void put_thread(struct nsys_export *nsys, struct database_row *row,
                       const struct tl_memory *memory, bool is_end)
{
    uint32_t thread = is_end ? memory->end_thread : memory->thread;
    if (thread == TL_NONE)
        row_null(row);
    else
        row_int(row, nsys->data.global_ids.threads[thread]);
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
    row_int(row, nsys->data.global_ids.processes[heap->process]);
    row_known(row, heap->device);
    row_int(row, (int64_t)memory->address);
    row_int(row, (int64_t)memory->bytes);
    row_int(row, nsys_memory_kind(heap->kind));
    row_int(row, event->is_end ? 1 : 0);
    if (heap->name == TL_NONE)
        row_null(row);
    else
        row_text(row, timeline->names.at[heap->name]);
    put_thread(nsys, row, memory, event->is_end);
    row_write(row);
}

/* Managed memory that the driver moved. */
void nsys_on_migration(void *user, uint32_t index)
{
    struct nsys_export *nsys = user;
    uint32_t item = nsys->timeline->gpus.count + index;
    if (nsys_memcpys.is_row(&nsys->data, item))
        nsys_put_event(nsys, NSYS_COPIES, item);
}

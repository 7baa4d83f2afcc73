/* nsys_export.c - the schema: see nsys_export.h. */
#include "nsys_export.h"

/* What a device did: when, where, launched by whom. A correlation id that calls of several processes
 * have, of which none is known to be meant, stands as a negative number: no call has that. */
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
    "(7,'CUDA_MEMOPR_MEMORY_KIND_UNKNOWN','Unknown');"
    "CREATE TABLE ENUM_CUPTI_SYNC_TYPE" ENUM "INSERT INTO ENUM_CUPTI_SYNC_TYPE VALUES"
    "(0,'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_UNKNOWN','Unknown'),"
    "(1,'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE','Event sync'),"
    "(2,'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT','Stream wait event'),"
    "(3,'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE','Stream sync'),"
    "(4,'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE','Context sync');";

/* A kernel's launch is the call of its process with its correlation id; where a process has one twice,
 * which only files of others do, there is a row for each. */
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
    "n.end - n.start AS duration, s.value AS name, n.globalTid, (n.globalTid >> 24) & 16777215 "
    "AS pid, n.globalTid & 16777215 AS tid FROM NVTX_EVENTS AS n "
    "JOIN StringIds AS s ON s.id = n.textId WHERE n.eventType IN (59, 60);"
    "CREATE VIEW prof_calls AS SELECT c.start, c.end, c.end - c.start AS duration, "
    "s.value AS name, c.returnValue, c.correlationId, c.globalTid "
    "FROM CUPTI_ACTIVITY_KIND_RUNTIME AS c JOIN StringIds AS s ON s.id = c.nameId;"
    "CREATE VIEW prof_range_attributes AS SELECT a.nvtxRow, k.value AS key, a.value "
    "FROM PROF_ATTRIBUTES AS a JOIN StringIds AS k ON k.id = a.keyId;" AVERAGES("range")
        AVERAGES("kernel") AVERAGES("call");

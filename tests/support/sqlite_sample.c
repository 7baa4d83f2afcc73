/* sqlite_sample.c - see sqlite_sample.h. */
#include "sqlite_sample.h"

#ifdef PROF_HAVE_SQLITE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sqlite3 *sqlite_sample_open(void)
{
    sqlite3 *database = NULL;
    if (sqlite3_open(":memory:", &database) != SQLITE_OK)
        abort();
    sqlite_sample_run(database, "PRAGMA page_size=1024");
    return database;
}

void sqlite_sample_run(sqlite3 *database, const char *statements)
{
    char *error = NULL;
    if (sqlite3_exec(database, statements, NULL, NULL, &error) == SQLITE_OK)
        return;
    fprintf(stderr, "%s: %.200s\n", error, statements);
    abort();
}

uint8_t *sqlite_sample_bytes(sqlite3 *database, size_t *size)
{
    sqlite3_int64 bytes = 0;
    unsigned char *serialized = sqlite3_serialize(database, "main", &bytes, 0);
    uint8_t *copy = serialized ? malloc((size_t)bytes) : NULL;
    if (!copy)
        abort();
    memcpy(copy, serialized, (size_t)bytes);
    sqlite3_free(serialized);
    *size = (size_t)bytes;
    return copy;
}

/* ---- nvprof ---- */

#define ID "_id_ INTEGER PRIMARY KEY AUTOINCREMENT, "
#define CALLS                                                                        \
    "(" ID "cbid INT NOT NULL, start INT NOT NULL, end INT NOT NULL, processId INT " \
    "NOT NULL, threadId INT NOT NULL, correlationId INT NOT NULL, returnValue INT NOT NULL);"
#define PLACE "start INT NOT NULL, end INT NOT NULL, "
#define STREAM "deviceId INT NOT NULL, contextId INT NOT NULL, streamId INT NOT NULL, "

static const char nvprof_tables[] =
    "CREATE TABLE StringTable(_id_ INTEGER PRIMARY KEY AUTOINCREMENT, value TEXT NOT NULL UNIQUE);"
    "CREATE TABLE Version(version INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME" CALLS "CREATE TABLE CUPTI_ACTIVITY_KIND_DRIVER" CALLS
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MARKER(" ID
    "flags INT NOT NULL, timestamp INT NOT NULL, id INT NOT NULL, objectKind INT NOT NULL, "
    "objectId BLOB NOT NULL, name INT NOT NULL, domain INT NOT NULL);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MARKER_DATA(" ID
    "flags INT NOT NULL, id INT NOT NULL, payloadKind INT NOT NULL, payload BLOB NOT NULL, "
    "color INT NOT NULL, category INT NOT NULL);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_OVERHEAD(" ID
    "overheadKind INT NOT NULL, objectKind INT NOT NULL, objectId BLOB NOT NULL, start INT NOT "
    "NULL, end INT NOT NULL);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_NAME(" ID
    "objectKind INT NOT NULL, objectId BLOB NOT NULL, name INT NOT NULL);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_CONTEXT(" ID
    "contextId INT NOT NULL, deviceId INT NOT NULL, computeApiKind INT NOT NULL, nullStreamId INT "
    "NOT NULL);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_DEVICE(" ID
    "globalMemoryBandwidth INT NOT NULL, globalMemorySize INT NOT NULL, coreClockRate INT NOT "
    "NULL, numMultiprocessors INT NOT NULL, numThreadsPerWarp INT NOT NULL, "
    "maxWarpsPerMultiprocessor INT NOT NULL, computeCapabilityMajor INT NOT NULL, "
    "computeCapabilityMinor INT NOT NULL, id INT NOT NULL, uuid BLOB NOT NULL, name INT NOT NULL);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(" ID "type INT NOT NULL, " PLACE
    "correlationId INT NOT NULL, contextId INT NOT NULL, streamId INT NOT NULL, cudaEventId INT "
    "NOT NULL);";

#define KERNEL_9                                                                                  \
    ID PLACE "completed INT, " STREAM "gridX INT, gridY INT, gridZ INT, blockX INT, blockY "      \
             "INT, blockZ INT, registersPerThread INT, staticSharedMemory INT, "                  \
             "dynamicSharedMemory INT, localMemoryPerThread INT, correlationId INT, gridId INT, " \
             "name INT"
#define COPY_9                                                                       \
    ID "copyKind INT, srcKind INT, dstKind INT, flags INT, bytes INT, " PLACE STREAM \
       "correlationId INT, runtimeCorrelationId INT"
#define SET_9 \
    ID "value INT, bytes INT, " PLACE STREAM "correlationId INT, flags INT, memoryKind INT"

static const char nvprof_9_tables[] =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL(" KERNEL_9 ");"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(" COPY_9 ");"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(" SET_9 ");"
    "INSERT INTO Version VALUES(9);";
static const char nvprof_14_tables[] =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL(" KERNEL_9
    ", queued INT, submitted INT, launchType INT, sharedMemoryExecuted INT, graphNodeId INT, "
    "graphId INT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(" COPY_9 ", graphNodeId INT, graphId INT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(" SET_9 ", graphNodeId INT, graphId INT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_STREAM(" ID
    "contextId INT, streamId INT, priority INT, flag INT, correlationId INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_STREAM VALUES(1,1,7,-1,3,0);"
    "INSERT INTO Version VALUES(14);";

/* Times are told from 0 and moved at the end. Threads: 1 and 2 of process 100; an objectId is pid and
 * tid, little-endian. */
#define THREAD_1 "x'640000000100000000000000'"
#define THREAD_2 "x'640000000200000000000000'"

static const char nvprof_rows[] =
    "INSERT INTO StringTable VALUES(0,'-- null --'),(1,'python train.py'),(2,'Tesla V100'),"
    "(3,'step'),(4,'layer'),(5,'_Z3addPf'),(6,'net'),(7,'here'),(8,'transfer'),(9,'worker');"
    "INSERT INTO CUPTI_ACTIVITY_KIND_NAME VALUES(1,1,x'6400000000000000abcdef01',1),"
    "(2,2," THREAD_2 ",9);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_DEVICE VALUES(1,898048000,16945512448,1380000,80,32,64,7,0,0,"
    "x'000102030405060708090a0b0c0d0e0f',2);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_CONTEXT VALUES(1,1,0,1,7);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MARKER VALUES"
    "(1,2,1000,1,2," THREAD_1 ",3,0),(2,2,2000,2,2," THREAD_1 ",4,0),"
    "(3,1,2500,3,2," THREAD_1 ",7,0),(4,4,5000,2,2," THREAD_1 ",0,0),"
    "(5,2,6000,4,2," THREAD_1 ",4,6),(6,4,7000,4,2," THREAD_1 ",0,6),"
    "(7,2,1500,5,2," THREAD_1 ",8,0),(8,4,8000,5,2," THREAD_2 ",0,0),"
    "(9,4,9000,1,2," THREAD_1 ",0,0);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MARKER_DATA VALUES(1,2,4,0,x'00',4278255360,5),"
    "(2,1,2,0,x'00',0,0);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(1,211,2100,2200,100,1,10,0),"
    "(2,41,6100,6200,100,1,11,0),(3,9999,7500,7600,100,1,12,0),(4,51,6300,6400,100,1,14,0);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_DRIVER VALUES(1,307,3000,3100,100,2,13,0);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES(1,3,7500,7590,12,1,7,4294967295);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_OVERHEAD VALUES(1,131072,2," THREAD_1 ",8000,8100);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL(start,end,deviceId,contextId,streamId,gridX,"
    "gridY,gridZ,blockX,blockY,blockZ,registersPerThread,staticSharedMemory,dynamicSharedMemory,"
    "localMemoryPerThread,correlationId,name) VALUES(2300,2900,0,1,7,8,1,1,256,1,1,30,0,64,0,10,5),"
    "(3200,3700,0,1,7,1,1,1,32,1,1,16,0,0,0,13,5);"
    "INSERT INTO "
    "CUPTI_ACTIVITY_KIND_MEMCPY(copyKind,srcKind,dstKind,flags,bytes,start,end,deviceId,"
    "contextId,streamId,correlationId) VALUES(1,1,3,1,4096,6150,6250,0,1,7,11);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET(value,bytes,start,end,deviceId,contextId,streamId,"
    "correlationId,flags,memoryKind) VALUES(0,512,6450,6500,0,1,7,14,1,3);";

/* Adds the beginning to a column of times. */
static void move(sqlite3 *database, const char *table, const char *column)
{
    char statement[256];
    snprintf(statement, sizeof statement, "UPDATE %s SET %s = %s + %lld", table, column, column,
             (long long)SQLITE_SAMPLE_NS);
    sqlite_sample_run(database, statement);
}

void sqlite_sample_nvprof(sqlite3 *database, int version)
{
    static const char *const timed[] = {
        "CUPTI_ACTIVITY_KIND_RUNTIME",          "CUPTI_ACTIVITY_KIND_DRIVER",
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",  "CUPTI_ACTIVITY_KIND_OVERHEAD",
        "CUPTI_ACTIVITY_KIND_MEMCPY",           "CUPTI_ACTIVITY_KIND_MEMSET",
        "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL"};
    sqlite_sample_run(database, nvprof_tables);
    sqlite_sample_run(database, version < 14 ? nvprof_9_tables : nvprof_14_tables);
    sqlite_sample_run(database, nvprof_rows);
    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++) {
        move(database, timed[i], "start");
        move(database, timed[i], "end");
    }
    move(database, "CUPTI_ACTIVITY_KIND_MARKER", "timestamp");
}

/* ---- nsys ---- */

/* globalTid of threads 11 and 12 of process 501, 21 of process 502: 1 << 48 | pid << 24 | tid. */
#define P1 "281483382095872"
#define P1_T11 "281483382095883"
#define P1_T12 "281483382095884"
#define P2 "281483398873088"
#define P2_T21 "281483398873109"

#define NSYS_PLACE                                                                                \
    "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER " \
    "NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, "
#define NSYS_SHAPE                                                                              \
    "registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, " \
    "blockY INTEGER, blockZ INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, " \
    "localMemoryPerThread INTEGER, localMemoryTotal INTEGER, gridId INTEGER"

static const char nsys_tables[] =
    "CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
    "CREATE TABLE PROCESSES(globalPid INTEGER, pid INTEGER, name TEXT);"
    "CREATE TABLE ThreadNames(nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);"
    "INSERT INTO StringIds VALUES(1,'cudaLaunchKernel_v7000'),(2,'cudaMemcpyAsync_v3020'),"
    "(3,'cuLaunchKernel'),(4,'add'),(5,'add(float *)'),(6,'_Z3addPf'),(7,'registered'),"
    "(8,'main thread'),(9,'cudaGraphLaunch_v10000'),(10,'cudaStreamSynchronize_v3020'),"
    "(11,'step');"
    "INSERT INTO PROCESSES VALUES(" P1 ",501,'/usr/bin/python3'),(" P2
    ",502,'worker'),(281474976710656,1,'init');"
    "INSERT INTO ThreadNames VALUES(8,20," P1_T11 ");";

static const char nsys_old_tables[] =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INT NOT NULL, end INT NOT NULL, globalTid INT "
    "NOT "
    "NULL, correlationId INT NOT NULL, nameId INT NOT NULL, returnValue INT NOT NULL);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(" NSYS_PLACE
    "demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, " NSYS_SHAPE ");"
    "CREATE TABLE NVTX_EVENTS(start INT NOT NULL, end INT, eventType INT NOT NULL, rangeId INT, "
    "category INT, color INT, text TEXT, globalTid INT, endGlobalTid INT);";

static const char nsys_modern_tables[] =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER NOT NULL, end INTEGER, eventClass "
    "INTEGER NOT NULL DEFAULT 0, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT "
    "NULL, "
    "returnValue INTEGER NOT NULL, callchainId INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(" NSYS_PLACE
    "demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, " NSYS_SHAPE
    ", mangledName INTEGER, launchType INTEGER, sharedMemoryExecuted INTEGER, graphNodeId INTEGER, "
    "greenContextId INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(" NSYS_PLACE
    "bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, srcKind INTEGER, dstKind INTEGER, "
    "srcDeviceId INTEGER, srcContextId INTEGER, dstDeviceId INTEGER, dstContextId INTEGER, "
    "graphNodeId INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(" NSYS_PLACE
    "value INTEGER NOT NULL, bytes INTEGER NOT NULL, graphNodeId INTEGER, memKind INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(" NSYS_PLACE
    "syncType INTEGER NOT NULL, eventId INTEGER NOT NULL);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(" NSYS_PLACE
    "graphId INTEGER NOT NULL, graphExecId INTEGER NOT NULL);"
    "CREATE TABLE NVTX_EVENTS(start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, "
    "rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid "
    "INTEGER, textId INTEGER, domainId INTEGER, uint64Value INTEGER, int64Value INTEGER, "
    "doubleValue REAL, uint32Value INTEGER, int32Value INTEGER, floatValue REAL, jsonTextId "
    "INTEGER, jsonText TEXT, binaryData TEXT);"
    "CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);"
    "CREATE TABLE TARGET_INFO_SYSTEM_ENV(globalVid INTEGER, devStateName TEXT NOT NULL, name TEXT "
    "NOT NULL, nameEnum INTEGER NOT NULL, value TEXT NOT NULL);"
    "CREATE TABLE TARGET_INFO_GPU(vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, "
    "totalMemory "
    "INTEGER, memoryBandwidth INTEGER, clockRate INTEGER, smCount INTEGER, uuid TEXT, "
    "threadsPerWarp INTEGER, maxWarpsPerSm INTEGER, computeMajor INTEGER, computeMinor INTEGER);"
    "CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO(nullStreamId INTEGER NOT NULL, hwId INTEGER NOT "
    "NULL, vmId INTEGER NOT NULL, processId INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId "
    "INTEGER NOT NULL, parentContextId INTEGER, isGreenContext INTEGER);"
    "CREATE TABLE TARGET_INFO_CUDA_STREAM(streamId INTEGER NOT NULL, hwId INTEGER NOT NULL, vmId "
    "INTEGER NOT NULL, processId INTEGER NOT NULL, contextId INTEGER NOT NULL, priority INTEGER "
    "NOT "
    "NULL, flag INTEGER NOT NULL);"
    "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES(1600000000000000000,'',''); "
    "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES(0,'OSInfo','Hostname',1,'node7');"
    "INSERT INTO TARGET_INFO_GPU VALUES(0,0,'NVIDIA "
    "H200',150000000000,4800000000000,1980000000,132,"
    "'GPU-00010203-0405-0607-0809-0a0b0c0d0e0f',32,64,9,0);"
    "INSERT INTO TARGET_INFO_CUDA_CONTEXT_INFO VALUES(7,0,0,501,0,1,NULL,0),(7,0,0,502,0,1,NULL,0);"
    "INSERT INTO TARGET_INFO_CUDA_STREAM VALUES(7,0,0,501,1,-2,3);"
    "INSERT INTO StringIds VALUES(20,'NCCL');";

/* What both generations have: each process launches under correlation id 7. */
static const char nsys_rows[] =
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME(start,end,globalTid,correlationId,nameId,returnValue) "
    "VALUES(1100,1200," P1_T11 ",7,1,0),(1100,1300," P2_T21 ",7,1,0),(1400,1450," P1_T12 ",8,3,0);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start,end,deviceId,contextId,streamId,correlationId,"
    "globalPid,demangledName,shortName,registersPerThread,gridX,gridY,gridZ,blockX,blockY,blockZ) "
    "VALUES(1300,1800,0,1,7,7," P1 ",5,4,32,64,1,1,128,1,1),(1400,1500,0,1,7,7," P2
    ",5,4,32,1,1,1,32,1,1),(1900,1950,0,1,7,8," P1 ",5,4,32,1,1,1,32,1,1);"
    "INSERT INTO NVTX_EVENTS(start,end,eventType,text,globalTid) "
    "VALUES(1000,3000,59,'outer'," P1_T11 "),(1050,1250,59,'inner'," P1_T11
    "),(1000,2000,59,'work'," P2_T21 "),(1500,NULL,34,'mark'," P1_T11 ");"
    "INSERT INTO NVTX_EVENTS(start,end,eventType,text,globalTid,endGlobalTid,rangeId) "
    "VALUES(1010,2500,60,'across'," P1_T11 "," P1_T12 ",3);";

static const char nsys_modern_rows[] =
    "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET mangledName = 6;"
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME(start,end,globalTid,correlationId,nameId,returnValue) "
    "VALUES(2000,2100," P1_T11 ",20,2,0),(2110,2150," P1_T11 ",21,9,0),(2160,2400," P1_T11
    ",22,10,0),(2900,NULL," P1_T12 ",23,10,0);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(2050,2090,0,1,7,20," P1
    ",4096,1,1,2,NULL,NULL,NULL,NULL,NULL),(2600,2650,0,1,7,0," P1
    ",65536,11,4,2,NULL,NULL,NULL,NULL,NULL);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES(2200,2210,0,1,7,21," P1 ",0,512,99,2);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES(2220,2300,0,1,7,21," P1 ",5,6);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES(2160,2390,0,1,7,22," P1 ",3,0);"
    "INSERT INTO NVTX_EVENTS(start,end,eventType,textId,globalTid,domainId,color,category,"
    "int64Value) VALUES(2010,2120,59,7," P1_T11 ",3,4278255360,5,42);"
    "INSERT INTO NVTX_EVENTS(start,end,eventType,text,globalTid,domainId) VALUES(2800,NULL,59,"
    "'never ends'," P1_T12 ",0);"
    "INSERT INTO NVTX_EVENTS(start,eventType,text,globalTid,domainId,category) VALUES"
    "(0,33,'collectives'," P1_T11 ",3,5);"
    "INSERT INTO NVTX_EVENTS(start,eventType,textId,globalTid,domainId) VALUES(0,75,20," P1_T11
    ",3);";

void sqlite_sample_nsys(sqlite3 *database, int modern)
{
    sqlite_sample_run(database, nsys_tables);
    sqlite_sample_run(database, modern ? nsys_modern_tables : nsys_old_tables);
    sqlite_sample_run(database, nsys_rows);
    if (modern)
        sqlite_sample_run(database, nsys_modern_rows);
}
#endif

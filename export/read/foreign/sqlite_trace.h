/* sqlite_trace.h - what the readers of nvprof's and of nsys's databases share: names, processes,
 * threads and calls by the ids of the file.
 */
#ifndef PROF_SQLITE_TRACE_H
#define PROF_SQLITE_TRACE_H

#include "array.h"
#include "maps.h"
#include "sqlite_file.h"
#include "unordered.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Times of the file beyond +-this are not believed (36 years; nvprof counts from 1970). */
#define SQLITE_TIME_MAX_NS (INT64_C(1) << 61)

/* Processes of one file, at most: every fact is emitted once for each. */
#define SQLITE_PROCESSES_MAX 512u

/* A row of the file's table of strings. */
struct sqlite_string {
    struct text text;
    uint32_t name; /* its id; 0 not requested yet */
    uint32_t call; /* as the name of a call, without its version */
    uint8_t call_flags;
};

struct sqlite_trace {
    struct sqlite_file *file;
    struct unordered *events;
    struct keymap string_places; /* id -> into strings */
    struct keymap processes;     /* the file's id -> its number */
    struct keymap threads;       /* thread ids of the file -> its number */
    struct idmap callers;        /* correlation id -> process */
    struct {
        struct sqlite_string *at;
        uint32_t count, capacity;
    } strings;
    /* How many of its rows could not be understood, in words that a warning goes on with. */
    uint64_t timed; /* rows of events that were read */
    uint64_t untimed, unnamed, strange, too_many, uncorrelated;
};

void sqlite_trace_fini(struct sqlite_trace *trace);

/* Ends a table, with what was odd about it. */
void sqlite_trace_end(struct sqlite_trace *trace, struct sqlite_rows *rows);
/* Makes warnings of what was counted. */
void sqlite_trace_warn(struct sqlite_trace *trace);

/* Reads the table of strings. */
void sqlite_trace_strings(struct sqlite_trace *trace, const char *table, const char *id,
                          const char *value);
/* NULL: there is no such string. */
struct sqlite_string *sqlite_trace_string(struct sqlite_trace *trace, int64_t id);
/* The id of its name; "(string N is missing)" for one that is not there. */
uint32_t sqlite_trace_name(struct sqlite_trace *trace, int64_t id);

#define SQLITE_NO_PROCESS UINT32_MAX

/* The process of an id of the file, which is new when it was not seen yet. SQLITE_NO_PROCESS: there
 * are too many. */
uint32_t sqlite_trace_process(struct sqlite_trace *trace, int64_t id, uint32_t pid);
/* The thread, new or not, 0: of no process. `id` is unique in the file. */
uint32_t sqlite_trace_thread(struct sqlite_trace *trace, uint32_t process, int64_t id,
                             uint32_t tid);

/* The row's time. False: there is none that can be; it is counted. */
bool sqlite_trace_time(struct sqlite_trace *trace, struct sqlite_rows *rows, int column,
                       int64_t *time_ns);

/* Start and end of the row, of columns 0 and 1. False: it has no time that can be; it is counted.
 * Without an end: `end_ns` is the start, and `open` true. */
bool sqlite_trace_times(struct sqlite_trace *trace, struct sqlite_rows *rows, int64_t *start_ns,
                        int64_t *end_ns, bool *open);

/* What follows the id in the row of a device, where the tables have the names of CUPTI's record. */
#define SQLITE_CUPTI_DEVICE_COLUMNS                                                           \
    "name", "globalMemorySize", "globalMemoryBandwidth", "computeCapabilityMajor",            \
        "computeCapabilityMinor", "numMultiprocessors", "coreClockRate", "l2CacheSize",       \
        "numThreadsPerWarp", "maxThreadsPerBlock", "maxBlocksPerMultiprocessor",              \
        "maxWarpsPerMultiprocessor", "maxRegistersPerBlock", "maxRegistersPerMultiprocessor", \
        "maxSharedMemoryPerBlock", "maxSharedMemoryPerMultiprocessor", "uuid"

/* Columns 4 to 6 and 8 to 16 of a device's row: compute capability major and minor,
 * multiprocessors; L2 bytes, threads per warp and block, blocks and warps per multiprocessor,
 * registers and bytes of shared memory per block and per multiprocessor. */
void sqlite_trace_device(struct sqlite_rows *rows, struct tl_device_info *device);

/* The devices in a table of the machine: emitted for each process, at most `most` in total. */
void sqlite_trace_devices(struct sqlite_trace *trace, const char *table, const char *const *columns,
                          int count, uint32_t most,
                          struct tl_device_info (*take)(struct sqlite_trace *trace,
                                                        struct sqlite_rows *rows));

/* A correlation id of 32 bits; 0 none. */
uint32_t sqlite_trace_correlation(struct sqlite_trace *trace, int64_t id);

struct sqlite_call {
    int64_t start_ns, end_ns;
    uint32_t process, thread;
    uint32_t name;        /* its id */
    uint32_t correlation; /* 0 none */
    int32_t result;
    uint8_t flags; /* as complete_slice.flags */
};

/* A CUDA call; remembers whose its correlation id is. */
void sqlite_trace_call(struct sqlite_trace *trace, const struct sqlite_call *call);

/* ---- sqlite_calls.c: CUDA calls by what nvprof and nsys say of them ---- */

/* The name of a callback id, without a version, as in "cudaLaunchKernel"; NULL: not known. */
const char *sqlite_call_name(bool driver, int64_t cbid);

/* complete_slice.flags of a call of this name. */
uint8_t sqlite_call_flags(struct text name);

/* The name without the version that CUPTI appends: "cudaLaunchKernel_v7000" is "cudaLaunchKernel";
 * "cuMemAlloc_v2" is a name. */
struct text sqlite_call_trim(struct text name);

/* ---- the tables ---- */

/* Device operations, waits and device times of all tables that the two tools call the same. `nsys`:
 * their memory kinds count from 0. */
void sqlite_gpu_read(struct sqlite_trace *trace, bool nsys);

/* The readers. What fails is remembered in trace->file. They return where time 0 lies, since the
 * epoch. */
uint64_t sqlite_nvprof_read(struct sqlite_trace *trace);
uint64_t sqlite_nsys_read(struct sqlite_trace *trace);

/* A serialized GlobalId: hardware and virtual machine, 24 bits of pid, 24 bits of tid. */
static inline uint32_t sqlite_nsys_pid(int64_t global)
{
    return (uint32_t)(global >> 24 & 0xffffff);
}

/* When all processes, threads and devices are known. Returns when the session began, since the
 * epoch; 0 unknown. */
uint64_t sqlite_nsys_facts(struct sqlite_trace *trace);

#ifdef __cplusplus
}
#endif

#endif

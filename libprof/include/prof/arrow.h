/* arrow.h - what was recorded, as tables in Apache Arrow's C stream interface.
 *
 *     struct ArrowArrayStream stream;
 *     if (prof_arrow("run.prof", PROF_ARROW_KERNELS, &stream) == PROF_OK)
 *         consume(&stream);   // pyarrow, polars, DuckDB, nanoarrow ...; it releases the stream
 *
 * The three structures are Arrow's, as its specification of the C data and stream interfaces prints them: whoever
 * includes Arrow's own header has the same. All columns, with their Arrow types; times are nanoseconds since the epoch
 * in UTC (timestamp[ns, UTC]), names are dictionaries of strings (dictionary<uint32, large_string>).
 *
 * PROF_ARROW_EVENTS     what threads did: ranges, steps, CUDA calls, begin/end ranges, marks
 *     pid, tid          uint32
 *     kind              dictionary: "range", "step", "call", "async" (begin/end), "mark"
 *     name              dictionary
 *     start             timestamp
 *     duration_ns       int64, 0 of a mark
 *     depth             uint16, 0 outermost; 0 of begin/end ranges, which need not nest
 *     correlation       uint32, null of what is no call
 *     result            int32, null of what is no call or did not return
 *     parent            int64: row of the event around it, counted from 0 over the whole table; null at top level and
 *                       of begin/end ranges
 *     continues         int64: row of the segment that this one goes on from, where a range was cut because one of
 *                       another stack ended inside of it; null else. Attributes and stack are on the first segment
 *     thread_name       dictionary, null unknown
 *     domain, category  dictionary: of NVTX; null in the default domain, without category. A category that was not
 *                       named is its number
 *     self_ns           int64: duration without the ranges and calls directly inside; this and the next two null of
 *                       begin/end ranges and marks
 *     device_ns         int64: of the operations launched inside, however deep; of a range that CUDA events timed the
 *                       time between the two
 *     self_device_ns    int64: of a range, of those whose innermost range it is (timed: without the timed ranges
 *                       inside on the same device); 0 of a call, whose operations are its range's
 *     host_bytes, device_bytes   int64: memory allocated minus freed inside, however deep; null where such memory was
 *                       not recorded
 *     shapes            dictionary: attribute "Input Dims" or "sizes", a list of sizes for each input as PyTorch writes
 *                       it; null not given
 *     sequence          int64: attribute "stashed_seq", else "Sequence number" or "seq"; null not given
 *     forward_tid       uint32: of a backward pass, the thread of the forward range it belongs to; null else or unknown
 *     stack             dictionary: frames innermost first, separated by ';', as in attribute "Call stack", else of the
 *                       stack that was taken, each "?? (file+0xoffset)"; null none
 *     flops             float64: attribute "flops"; null not given
 *     attributes        large_string: JSON object of all other attributes, numbers as numbers, those that are not finite
 *                       as null; null where there are none
 *
 * PROF_ARROW_LAUNCHES   calls that launched something that was recorded
 *     pid, tid          uint32
 *     name              dictionary: the call
 *     range             dictionary: innermost range around it, null outside of all
 *     start             timestamp
 *     duration_ns       int64
 *     correlation       uint32
 *     operations        uint32, recorded
 *     device_ns         int64, of these
 *     event             int64: its row in PROF_ARROW_EVENTS
 *
 * PROF_ARROW_KERNELS    what devices did: kernels, copies, sets, whole graphs
 *     pid               uint32
 *     kind              dictionary: "kernel", "memcpy", "memset", "graph"
 *     name              dictionary
 *     range             dictionary: innermost range around its launch, null unknown or outside of all
 *     device            uint32, null unknown
 *     context, stream   uint32, null unknown
 *     start             timestamp
 *     duration_ns       int64
 *     correlation       uint32
 *     bytes             uint64, null of kernels and graphs
 *     grid_x, grid_y, grid_z, block_x, block_y, block_z, registers      uint32, null of what is no kernel
 *     shared_bytes      uint32, static and dynamic, null of what is no kernel
 *     event             int64: row in PROF_ARROW_EVENTS of the call that launched it, null unknown
 *     tid               uint32: thread of that call, null unknown
 *     queue_ns          int64: from the end of that call to the start, 0 where it started before; null unknown
 *     graph, node       uint32, uint64: CUPTI's ids of graph and node, null of what is not of a graph
 *
 * PROF_ARROW_COUNTERS   values over time: the program's counters, then changes of memory
 *     pid               uint32
 *     tid               uint32, null unknown
 *     kind              dictionary: "counter", "memory"
 *     name              dictionary: the counter; of memory what it is allocated from: "device", "pinned", the
 *                       program's name for an allocator ...
 *     time              timestamp
 *     value             float64: the counter's, of memory the bytes in use of that name and device after the change
 *     device            uint32, null of counters, of host memory and of the program's allocators
 *     bytes             int64: allocated, negative freed; null of counters
 *     address           uint64, null of counters and where only the size is known
 *     event             int64: row in PROF_ARROW_EVENTS of the innermost event in which memory changed, null none
 *
 * Rows are in the order of threads and streams, in each of time; begin/end ranges stand behind all others, marks
 * behind these. So a row's number is that of the whole table, whatever batch it comes in. What libprof did itself is left
 * out. Each text is in the dictionary once, and is valid UTF-8: U+FFFD stands for bytes that are not. New columns come
 * behind those that are there.
 */
#ifndef PROF_ARROW_H
#define PROF_ARROW_H

#include "arrow_abi.h"
#include "prof.h"

#ifdef __cplusplus
extern "C" {
#endif

enum prof_arrow_table {
    PROF_ARROW_EVENTS,
    PROF_ARROW_LAUNCHES,
    PROF_ARROW_KERNELS,
    PROF_ARROW_COUNTERS
};

PROF_DECLARE(prof_status, prof_arrow,
             (const char *path, enum prof_arrow_table table, struct ArrowArrayStream *stream));
PROF_DECLARE(prof_status, prof_arrow_window,
             (const char *path, enum prof_arrow_table table, int64_t from_ns, int64_t to_ns,
              struct ArrowArrayStream *stream));

#ifndef PROF_IMPLEMENTATION

/* Reads a trace of libprof and fills in `stream`, which is the caller's to release; the file may be
 * gone then. `path` NULL: what this process has recorded so far, after a flush. Needs libprofdump.so beside libprof.so. On failure `stream` is
 * not touched. Threads: any; one stream is for one thread at a time. */
static inline prof_status prof_arrow(const char *path, enum prof_arrow_table table,
                                     struct ArrowArrayStream *stream)
{
    return PROF_PRESENT(prof_arrow) ? prof_arrow_in_library(path, table, stream) : PROF_ABSENT;
}

/* The same of what began in [from_ns, to_ns), nanoseconds since the epoch in UTC (CLOCK_REALTIME); operations
 * of devices are with the call that launched them, and ranges that are open at to_ns end there. from_ns 0 and
 * to_ns INT64_MAX are before and after everything. PROF_INVALID unless from_ns < to_ns; a table without rows
 * when nothing began then. */
static inline prof_status prof_arrow_window(const char *path, enum prof_arrow_table table,
                                            int64_t from_ns, int64_t to_ns,
                                            struct ArrowArrayStream *stream)
{
    return PROF_PRESENT(prof_arrow_window)
               ? prof_arrow_window_in_library(path, table, from_ns, to_ns, stream)
               : PROF_ABSENT;
}

#endif

#ifdef __cplusplus
}
#endif
#endif

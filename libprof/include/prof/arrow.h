/* arrow.h - exports recordings as tables through Apache Arrow's C stream interface.
 *
 *     struct ArrowArrayStream stream;
 *     if (prof_arrow("run.prof", PROF_ARROW_KERNELS, &stream) == PROF_OK)
 *         consume(&stream);   // pyarrow, polars, DuckDB, nanoarrow ...; it releases the stream
 *
 * The three structures of arrow_abi.h are copied from the specification of Arrow's C data and C
 * stream interfaces, so they are compatible with Arrow's own header. The tables below list all
 * columns with their Arrow types. "timestamp" is timestamp[ns, UTC], nanoseconds since the epoch;
 * "dictionary" is dictionary<uint32, large_string>.
 *
 * PROF_ARROW_EVENTS     what threads did: ranges, steps, CUDA calls, begin/end ranges, marks
 *     pid, tid          uint64
 *     kind              dictionary: "range", "step", "call", "async" (begin/end), "mark"
 *     name              dictionary
 *     start             timestamp
 *     duration_ns       int64, 0 for a mark
 *     depth             uint16, 0 outermost; 0 for begin/end ranges, which need not nest
 *     correlation       uint32, null unless a call
 *     result            int32, null unless a call that returned
 *     parent            int64: row of the enclosing event, counted from 0 over the whole table;
 *                       null at top level and for begin/end ranges
 *     continues         int64: row of the preceding segment of the same range, if the range was cut
 *                       because a range of another stack ended inside it; otherwise null.
 *                       Attributes and stack are on the first segment
 *     thread_name       dictionary, null if unknown
 *     domain, category  dictionary: NVTX domain and category; null for the default domain and
 *                       without a category. The category's number if it has no name
 *     self_ns           int64: duration without the ranges and calls directly inside. This and the
 *                       next two are null for begin/end ranges and marks
 *     device_ns         int64: total time of the operations launched inside, at any depth; for a
 *                       range timed with CUDA events, the time between the two events
 *     self_device_ns    int64: for a range, time of the operations whose innermost range it is (if
 *                       timed with CUDA events: without the timed ranges inside on the same
 *                       device). 0 for a call: its operations belong to the enclosing range
 *     host_bytes, device_bytes   int64: memory allocated minus freed inside, at any depth; null if
 *                                such memory was not
 *                       recorded
 *     shapes            dictionary: attribute "Input Dims" or "sizes", a list of sizes for each
 *                       input as PyTorch writes it; null if absent
 *     sequence          int64: attribute "stashed_seq", otherwise "Sequence number" or "seq"; null
 *                       if absent
 *     forward_tid       uint64: for a backward pass, the thread of its forward range; null
 *                       otherwise or if unknown
 *     stack             dictionary: frames, innermost first, separated by ';', from attribute "Call
 *                       stack", otherwise from the recorded call stack, each "?? (file+0xoffset)";
 *                       null if there is none
 *     flops             float64: attribute "flops"; null if absent
 *     attributes        large_string: JSON object of all other attributes; numbers are JSON
 *                       numbers, infinite and NaN values are null. Null if there are no attributes
 *
 * PROF_ARROW_LAUNCHES   calls that launched operations, if any of these were recorded
 *     pid, tid          uint64
 *     name              dictionary: the call
 *     range             dictionary: innermost range around it, null outside any range
 *     start             timestamp
 *     duration_ns       int64
 *     correlation       uint32
 *     operations        uint32: number of recorded operations
 *     device_ns         int64: total time of these operations
 *     event             int64: its row in PROF_ARROW_EVENTS
 *
 * PROF_ARROW_KERNELS    device operations: kernels, copies, sets, and graphs recorded as one
 *                       operation
 *     pid               uint64
 *     kind              dictionary: "kernel", "memcpy", "memset", "graph"
 *     name              dictionary
 *     range             dictionary: innermost range around its launch, null if unknown or outside
 *                       any range
 *     device            uint32, null if unknown
 *     context, stream   uint32, null if unknown
 *     start             timestamp
 *     duration_ns       int64
 *     correlation       uint32
 *     bytes             uint64, null for kernels and graphs
 *     grid_x, grid_y, grid_z, block_x, block_y, block_z, registers      uint32, null unless a
 *                                                                       kernel
 *     shared_bytes      uint32: static plus dynamic shared memory, null unless a kernel
 *     event             int64: row in PROF_ARROW_EVENTS of the call that launched it, null if
 *                       unknown
 *     tid               uint64: thread of that call, null if unknown
 *     queue_ns          int64: from the end of that call to the start of the operation, 0 if it
 *                       started earlier; null if unknown
 *     graph, node       uint32, uint64: CUPTI's ids of graph and node, null unless launched by a
 *                       graph
 *
 * PROF_ARROW_COUNTERS   values over time: the program's counters, then memory in use
 *     pid               uint64
 *     tid               uint64, null if unknown
 *     kind              dictionary: "counter", "memory"
 *     name              dictionary: name of the counter, or kind of memory: "device", "pinned", the
 *                       name of one of the program's allocators ...
 *     time              timestamp
 *     value             float64: the counter's value, or the bytes in use of that name and device
 *                       after the change
 *     device            uint32, null for counters, host memory and the program's allocators
 *     bytes             int64: bytes allocated, negative if freed; null for counters
 *     address           uint64, null for counters and if only the size is known
 *     event             int64: row in PROF_ARROW_EVENTS of the innermost event around the change,
 *                       null outside any
 *
 * PROF_ARROW_FUNCTIONS  calls of Python functions (python.h); one that a range crosses has a row
 *                       for each segment
 *     pid, tid          uint64
 *     name              dictionary: "file.py(LINE): function", or "nn.Module: Linear_0"
 *     start             timestamp
 *     duration_ns       int64
 *     call              int64: row of the call's first segment: its own, unless it is a later one
 *     parent            int64: row of the first segment of the call around it, null for the
 *                       outermost
 *     module            uint32: number of the PyTorch module, null for other functions
 *
 * Rows are ordered by thread or stream, then by time; begin/end ranges follow all other events, and
 * marks follow these. Row numbers count across batches. Libprof's own activity is left out. Each
 * text is in its dictionary once and is valid UTF-8: U+FFFD replaces invalid bytes. Future versions
 * add columns only at the end.
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
    PROF_ARROW_COUNTERS,
    PROF_ARROW_FUNCTIONS
};

PROF_DECLARE(prof_status, prof_arrow,
             (const char *path, enum prof_arrow_table table, struct ArrowArrayStream *stream));
PROF_DECLARE(prof_status, prof_arrow_window,
             (const char *path, enum prof_arrow_table table, int64_t from_ns, int64_t to_ns,
              struct ArrowArrayStream *stream));

#ifndef PROF_IMPLEMENTATION

/* Reads a libprof trace and fills in `stream`, which the caller releases; the file need not exist
 * any longer by then. With a NULL path, flushes and exports what this process has recorded so far.
 * Needs libprofdump.so next to libprof.so. On failure `stream` is unchanged. Any thread; only one
 * thread at a time may use a stream. */
static inline prof_status prof_arrow(const char *path, enum prof_arrow_table table,
                                     struct ArrowArrayStream *stream)
{
    return PROF_PRESENT(prof_arrow) ? PROF_CALL(prof_arrow)(path, table, stream) : PROF_ABSENT;
}

/* Like prof_arrow(), but only for events that began in [from_ns, to_ns), nanoseconds since the
 * epoch in UTC (CLOCK_REALTIME). Device operations are selected by the call that launched them;
 * ranges still open at to_ns end there. from_ns 0 and to_ns INT64_MAX mean no bound. Returns
 * PROF_INVALID unless from_ns < to_ns; the table is empty if nothing began then. */
static inline prof_status prof_arrow_window(const char *path, enum prof_arrow_table table,
                                            int64_t from_ns, int64_t to_ns,
                                            struct ArrowArrayStream *stream)
{
    return PROF_PRESENT(prof_arrow_window)
               ? PROF_CALL(prof_arrow_window)(path, table, from_ns, to_ns, stream)
               : PROF_ABSENT;
}

#endif

#ifdef __cplusplus
}
#endif
#endif

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
 * PROF_ARROW_EVENTS     what threads did: ranges, steps and CUDA calls
 *     pid, tid          uint32
 *     kind              dictionary: "range", "step", "call"
 *     name              dictionary
 *     start             timestamp
 *     duration_ns       int64
 *     depth             uint16, 0 outermost
 *     correlation       uint32, null of what is no call
 *     result            int32, null of what is no call or did not return
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
 *
 * Rows are in the order of threads and streams, in each of time. What libprof did itself is left out.
 */
#ifndef PROF_ARROW_H
#define PROF_ARROW_H

#include "arrow_abi.h"
#include "prof.h"

#ifdef __cplusplus
extern "C" {
#endif

enum prof_arrow_table { PROF_ARROW_EVENTS, PROF_ARROW_LAUNCHES, PROF_ARROW_KERNELS };

PROF_DECLARE(prof_status, prof_arrow,
             (const char *path, enum prof_arrow_table table, struct ArrowArrayStream *stream));
PROF_DECLARE(prof_status, prof_arrow_window,
             (const char *path, enum prof_arrow_table table, int64_t from_ns, int64_t to_ns,
              struct ArrowArrayStream *stream));

#ifndef PROF_IMPLEMENTATION

/* Reads a trace of libprof and fills in `stream`, which is the caller's to release; the file may be
 * gone then. `path` NULL: what this process has recorded so far, after a flush. On failure `stream` is
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

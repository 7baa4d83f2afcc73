/* metrics.h - PROF_PROMETHEUS: metrics of the running process, in a file for node_exporter's
 * textfile collector.
 *
 * The walk of the summary feeds them, once per second; every METRICS_PERIOD_NS the writer thread
 * replaces the file. All of it is protected by the lock of summary.c, except where noted.
 *
 *     metrics_values.c  counts what the walk meets
 *     metrics_memory.c  allocations, to their ends
 *     metrics.c         the text, and when it is written
 *     metrics_file.c    the file: replaced at once, left behind by others, removed
 */
#ifndef PROF_METRICS_H
#define PROF_METRICS_H

#include "prof/format.h"
#include "prof/prometheus.h"

#include <stdbool.h>

#define METRICS_DEVICES 64u
#define METRICS_HEAPS 64u

/* Whether they are wanted. Any thread. */
bool metrics_on(void);

/* A new file: nothing was counted. False: no memory. */
bool metrics_begin(void);

/* ---- the walk ---- */

/* Something ended then. */
void metrics_progress(int64_t now_ns);
void metrics_step(int64_t length_ns);
/* What the device did in a step of which no operation is missing. */
void metrics_step_parts(const struct prof_rec_summary_step *step);
void metrics_launch(void);
void metrics_unseen(uint64_t chunks);
/* A call of that prof_metrics_function() began. */
void metrics_collective(unsigned function);

struct metrics_work {
    int64_t start_ns, end_ns;
    uint64_t bytes;
    uint16_t device;
    uint8_t kind;      /* PROF_METRICS_KERNEL ... */
    uint8_t direction; /* of a copy */
};
void metrics_operation(const struct metrics_work *operation);

/* ALLOC, FREE or MEMORY; other records are ignored. */
void metrics_memory(const uint64_t *record, int64_t time_ns);

/* ---- writing ---- */

/* After each walk: writes the file when that is due. */
void metrics_tick(int64_t now_ns);

/* Writes the file now; `running`: the process goes on. Returns 0 or an errno value. */
int metrics_write(int64_t now_ns, bool running);

/* Path of the file, "" before the first one. */
const char *metrics_path(void);

/* ---- between the files here ---- */

struct metrics_heap {
    uint64_t live_bytes, peak_bytes;
    uint32_t allocator; /* 0: CUDA's */
    uint16_t device;
    uint8_t kind; /* CUDA's, as in prof_rec_memory */
};

struct metrics_values {
    int64_t progress_ns;
    uint64_t losses; /* when last looked at */
    struct prof_metrics_histogram steps;
    uint64_t step_parts_ns[PROF_METRICS_STEP_PARTS];
    uint64_t launches, unseen;
    uint64_t operations[PROF_METRICS_KINDS];
    uint64_t copied_bytes[PROF_METRICS_DIRECTIONS];
    uint64_t collectives[PROF_METRICS_FUNCTIONS];
    uint64_t busy_ns[METRICS_DEVICES];
    bool was_used[METRICS_DEVICES];
};
struct metrics_values *metrics_counted(void);
bool metrics_values_begin(void);

bool metrics_memory_begin(void);
/* Counts what was allocated and freed before then. */
void metrics_memory_until(int64_t time_ns);
/* False: there were more allocations at once than fit, so that nothing is known. */
bool metrics_memory_known(void);
const struct metrics_heap *metrics_memory_heaps(uint32_t *count);

/* Replaces the file in PROF_PROMETHEUS by this text; the first time it removes files that processes
 * left behind. Returns 0 or an errno value. */
int metrics_file_replace(const char *text, size_t bytes);

#endif

/* diff_side.h - one of the two runs of a diff, added up: rows with all their durations.
 *
 * Made by any thread, so both sides can be made at once; read-only afterwards.
 */
#ifndef PROF_DIFF_SIDE_H
#define PROF_DIFF_SIDE_H

#include "key_averages.h"

#ifdef __cplusplus
extern "C" {
#endif

enum diff_by {
    DIFF_BY_PATH,   /* ranges, by the ranges around them */
    DIFF_BY_KERNEL, /* kernels and whole graphs */
    DIFF_BY_RANGE,  /* ranges, by name: operators are ranges */
    DIFF_BY_API,    /* CUDA calls */
    DIFF_BY_COPY,   /* copies and sets */
    DIFF_BY_COUNT
};

/* Values of a row, ascending. */
struct diff_samples {
    const int64_t *ns;
    size_t count;
};

struct diff_entry {
    struct text name;
    enum diff_by by;
    enum key_kind kind;
    uint32_t
        path; /* of a range by path: into averages.paths. Of a kernel: the ranges around the calls
                       that took the most of its time; TL_NONE none, or not known */
    uint64_t count;    /* calls */
    int64_t total_ns;  /* CPU time of ranges and CUDA calls, else device time */
    int64_t own_ns;    /* total_ns without the time of inner ranges; adds up over all ranges */
    int64_t device_ns; /* of ranges: CUDA total */
    struct diff_samples time, device; /* as struct diff_row */
};

struct diff_side {
    const struct timeline *timeline;
    struct key_averages averages;
    TL_ARRAY(struct diff_entry) entries;
    size_t runs;           /* recordings that were made one after the other: diff_runs.c */
    int64_t *wall_ns;      /* how long each was recorded, ascending */
    int64_t *host_ns;      /* of that, while no device was busy, ascending */
    bool host_known;       /* false: device records of launches are missing */
    uint64_t steps;        /* ProfilerStep#N; of several threads or processes the sum */
    int64_t *step_ns;      /* their durations, ascending */
    size_t step_samples;   /* marks of steps have none */
    double tick_ns;        /* what CPU times count in */
    double device_tick_ns; /* what device times count in */
};

/* `tables`: 1 << enum diff_by; PATH and RANGE exclude each other. Device work is always there, for
 * the sake of the noise of all of it. False: no memory; fini is not needed then. The timeline must
 * outlive the side. */
bool diff_side_init(struct diff_side *side, const struct timeline *timeline, uint32_t tables);
void diff_side_fini(struct diff_side *side);

/* Fills runs, wall_ns, host_ns, host_known. Called by diff_side_init(); diff_side_fini() frees.
 * False: no memory. */
bool diff_runs_init(struct diff_side *side);

#ifdef __cplusplus
}
#endif
#endif

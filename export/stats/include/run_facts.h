/* run_facts.h - facts about the run as a whole that every output reports: who timed the device,
 * what was lost, what recording cost, and how much came through NVTX.
 *
 * Several processes are added up. A process that never used CUDA does not affect the mode of the
 * others.
 */
#ifndef PROF_RUN_FACTS_H
#define PROF_RUN_FACTS_H

#include "timeline.h"

struct run_facts {
    const char *mode;        /* of run_facts_mode_name(); "mixed" when processes differ */
    struct text mode_reason; /* of the first process that is in this mode; the timeline's */
    bool simulated;          /* at least one process ran on the simulated CUDA */
    bool ring;               /* at least one file keeps only the end of its run */
    uint64_t loss[PROF_LOSS_COUNT];
    struct tl_ledger ledger;
    uint64_t torn_records, bad_records,
        missing_chunks; /* missing_chunks: not those that a ring recycled */
    uint64_t truncated_files;
    uint64_t unknown_range_ends, homeless_attrs; /* as in struct tl_anomalies */
    bool lost_anything;
    bool
        may_have_lost; /* that, or something of which a loss would not show: --fail-on-loss fails */
    /* A sentence without a full stop: was anything lost? Only what the input has evidence for */
    const char *verdict;
};

void run_facts_init(struct run_facts *facts, const struct timeline *timeline);

/* "none", "cupti", "events", "unavailable", "partial" */
const char *run_facts_mode_name(enum prof_gpu_mode mode);

const char *run_facts_reason_name(enum prof_control_reason reason);

/* Name and sentence of a cause, from PROF_LOSS_CAUSES. */
const char *run_facts_cause_name(enum prof_loss_cause cause);
const char *run_facts_cause_sentence(enum prof_loss_cause cause);

/* What is wrong with a file or a run beside the counted causes. One row per kind of trouble, so
 * that all outputs say the same. */
struct run_trouble {
    const char *name;
    const char *sentence;
    uint64_t count;
    bool is_loss; /* false: the program's doing, worth showing */
};
#define RUN_TROUBLES 16

/* Fills all RUN_TROUBLES rows, also those whose count is 0. */
void run_facts_troubles(const struct run_facts *facts, struct run_trouble troubles[RUN_TROUBLES]);

/* ---- cost ----
 *
 * What recording cost, of a run as a whole: the processes added up.
 *
 * The share is time taken from the program's threads, all added up, of the wall time during which
 * recording was on, or of the CPU time of the program where that is more, since several threads ran
 * at once. So it is of one thread at work, and never flattered by threads that only wait. CPU time
 * of libprof's own threads, on whatever core, is beside it.
 */

struct run_cost {
    bool stated;
    uint64_t base_ns;  /* of what the share is one */
    uint64_t taken_ns; /* from the program's threads while they ran */
    uint64_t
        begin_ns; /* from them before that: no part of the share, which short runs would drown in */
    uint64_t own_ns;    /* CPU time of libprof's threads */
    uint64_t end_ns;    /* the program waited for at its end */
    uint64_t launches;  /* measured: about those of the trace */
    uint64_t launch_ns; /* per launch, without its call stack; 0 nothing was launched */
    uint32_t budget_ppm;
    struct tl_cost_part parts[PROF_COST_COUNT];
};

enum run_cost_whose { RUN_COST_THREADS, RUN_COST_BEGIN, RUN_COST_OWN, RUN_COST_END };

void run_cost_init(struct run_cost *cost, const struct timeline *timeline);
double run_cost_percent(const struct run_cost *cost);
/* CPU time of libprof's threads, in percent of the same. */
double run_cost_own_percent(const struct run_cost *cost);

/* Texts of PROF_COST_PARTS and PROF_THROTTLE_THINGS. */
const char *run_cost_part_name(enum prof_cost_part part);
const char *run_cost_part_sentence(enum prof_cost_part part);
enum run_cost_whose run_cost_part_whose(enum prof_cost_part part);
const char *run_cost_throttle_name(const struct tl_throttle *throttle);
const char *run_cost_throttle_sentence(const struct tl_throttle *throttle);

/* ---- NVTX: how much came through it, by domain and by category ---- */

struct nvtx_count {
    uint64_t ranges;     /* push/pop; one that goes on in segments is one */
    uint64_t marks;      /* those with a label: see tl_async.label */
    uint64_t begin_ends; /* likewise */
};

struct nvtx_counts {
    struct nvtx_count *domains;    /* by domains[] */
    struct nvtx_count *categories; /* by categories[] */
    struct nvtx_count all;
};

/* Returns false when memory is short; fini is not needed then. */
bool nvtx_counts_init(struct nvtx_counts *counts, const struct timeline *timeline);
void nvtx_counts_fini(struct nvtx_counts *counts);

#endif

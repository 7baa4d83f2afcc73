/* run_facts.h - what every output says about the run as a whole: who timed the device, and what was
 * lost.
 *
 * Several processes are added up. A process that never touched CUDA has no say in the mode of the
 * others.
 */
#ifndef PROF_RUN_FACTS_H
#define PROF_RUN_FACTS_H

#include "timeline.h"

struct run_facts {
    const char *mode;        /* as run_facts_mode_name() says; "mixed" when processes differ */
    struct text mode_reason; /* of the first process that is in this mode; the timeline's */
    bool simulated;          /* at least one process ran on the simulated CUDA */
    bool ring;               /* at least one file keeps only the end of its run */
    uint64_t loss[PROF_LOSS_COUNT];
    struct tl_ledger ledger;
    uint64_t torn_records, bad_records,
        missing_chunks; /* missing_chunks: not those that a ring recycled */
    uint64_t truncated_files;
    uint64_t unknown_range_ends, crossed_steps, homeless_attrs; /* as in struct tl_oddities */
    bool lost_anything;                                         /* --fail-on-loss fails */
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
#define RUN_TROUBLES 15

/* Fills all RUN_TROUBLES rows, also those whose count is 0. */
void run_facts_troubles(const struct run_facts *facts, struct run_trouble troubles[RUN_TROUBLES]);

#endif

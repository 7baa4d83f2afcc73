/* evidence.h - what each report needs to have been recorded, and what it says of input that lacks
 * it.
 *
 * A report gives no all-clear for what its input cannot show. Where evidence is missing, it prints
 * the sentence of evidence_lacks(), which names what was there instead:
 *
 *     report      evidence that it needs             sentence where that is missing
 *     ledger      launches; a recorder that counts   whether anything was lost cannot be judged:
 *                 its losses                         ... (run_facts.h)
 *     explain,    operations of a device             cannot be judged: N launches and N copies have
 *     breakdown,                                     no device record; ... N launches were
 *     roofline,                                      captured, and nothing was launched; ... N CUDA
 *     diff                                           calls, none of which launches anything; ... no
 *                                                    CUDA calls and no device operations were
 *                                                    recorded
 *     explain     CUDA calls                         what devices waited for cannot be judged: no
 *                                                    CUDA calls ...
 *     memory      memory records                     cannot be judged: no memory was recorded; N
 *                                                    allocation calls ...
 *     graphs      launches or captures of graphs     N operations of CUDA graphs, and no launch of
 *                                                    one ...; a capture of N launches, and no graph
 *                                                    was launched
 *     hang        whether processes ended, and what  cannot be judged: the file does not say what
 *                 was open: whole recordings of      was open; ... N events ... were not recorded;
 *                 libprof                            ... is missing from its file
 *     check       events                             nothing to check: ... no events
 *     stacks,     call stacks; samples; calls of     there are no call stacks in this recording ...
 *     stats       Python functions
 *     fleet       world size; collectives with       cannot be judged: ... (_verdict.py of the
 *                 communicators; steps               Python package)
 */
#ifndef PROF_EVIDENCE_H
#define PROF_EVIDENCE_H

#include "timeline.h"

/* What was recorded. Calls that libprof makes itself are left out. */
struct evidence {
    bool is_native;       /* libprof recorded all of it, which counts and closes what it records */
    uint64_t events;      /* of any kind */
    uint64_t calls;       /* of CUDA's API or its like */
    uint64_t launches;    /* of these, of kernels and graphs, without those that were captured */
    uint64_t copies;      /* and sets */
    uint64_t captured;    /* launched into a stream capture */
    uint64_t allocations; /* calls that allocate memory */
    uint64_t frees;
    uint64_t operations;       /* of devices */
    uint64_t graph_operations; /* of these, of CUDA graphs */
    uint64_t graph_launches;
    uint64_t stacks, samples, frames, migrations, steps;
    uint64_t queue_times; /* kernels whose time in the queue is known */
    uint64_t damaged; /* recordings of processes that have not ended, of which a part is missing */
    uint64_t unrecorded; /* events of the host in processes that have not ended */
    /* The setting by which nothing, or only the least, was recorded of devices, as in
     * "PROF_GPU=none"; NULL: none that is known */
    const char *off, *minimal;
    enum tl_device_api api;
    bool has_memory; /* records of allocations */
    bool has_graphs;
};

/* False: no memory. */
bool evidence_init(struct evidence *evidence, const struct timeline *timeline);

enum evidence_report {
    EVIDENCE_DEVICE, /* explain, breakdown, roofline, diff */
    EVIDENCE_CALLS,  /* explain */
    EVIDENCE_MEMORY,
    EVIDENCE_GRAPHS,
    EVIDENCE_HANG,
    EVIDENCE_CHECK,
    EVIDENCE_LOSS,   /* of the ledger, which has words of its own: run_facts.h */
    EVIDENCE_STACKS, /* stacks */
    EVIDENCE_SAMPLES,
    EVIDENCE_PYTHON,     /* stats */
    EVIDENCE_STEPS,      /* breakdown */
    EVIDENCE_QUEUES,     /* query */
    EVIDENCE_MIGRATIONS, /* memory */
};
#define EVIDENCE_BYTES 256u

enum evidence_state {
    EVIDENCE_THERE,
    EVIDENCE_NONE,    /* it would have been recorded, and there was nothing */
    EVIDENCE_MISSING, /* it was not recorded */
};

/* A question that a report answers, and what makes a recording that can. */
struct evidence_question {
    const char *name;
    enum evidence_report report;
    const char *question;
    const char *command;   /* that answers it */
    const char *recorder;  /* the program that records */
    const char *options;   /* of that, which record it; "": any recording has it */
    const char *variables; /* the same for programs that run without profrun; "": there are none */
    const char *program;   /* what the program has to do; NULL: nothing */
};

extern const struct evidence_question evidence_questions[]; /* ends with a NULL name */

/* How well the report's evidence is there, and the sentence, without a full stop, unless it is. */
enum evidence_state evidence_judge(const struct evidence *evidence, enum evidence_report report,
                                   char to[EVIDENCE_BYTES]);

/* The sentence, without a full stop, where the report's evidence is missing. False: it is there. */
bool evidence_lacks(const struct evidence *evidence, enum evidence_report report,
                    char to[EVIDENCE_BYTES]);

/* The same of a timeline. False, too: no memory. */
bool evidence_missing(const struct timeline *timeline, enum evidence_report report,
                      char to[EVIDENCE_BYTES]);

#endif

/* findings.h - where the time went, as findings: what was seen, who owns it, what to do, and what that
 * would save at most.
 *
 * A rule is a row of finding_rules[]: a name, a title, a remedy, and a function that looks at the
 * timeline and adds what it finds. What several rules need is in the context, made once.
 */
#ifndef PROF_FINDINGS_H
#define PROF_FINDINGS_H

#include "range_paths.h"
#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FINDING_SENTENCE_BYTES 512u

struct finding {
    const struct finding_rule *rule;
    uint32_t process; /* TL_NONE all */
    uint32_t device;  /* ordinal; TL_NONE none, or several */
    uint32_t path;    /* into context->paths: the range and call that own it, TL_NONE */
    uint32_t stack;   /* an example of a call stack, TL_NONE */
    uint32_t slice;   /* an example of a call or range, TL_NONE: where to look in a trace */
    uint64_t count;   /* how often */
    int64_t cost_ns;  /* time that passed like this */
    int64_t saved_ns; /* of the wall time, at most, if the remedy is applied; 0: cannot be told */
    char sentence[FINDING_SENTENCE_BYTES]; /* with its numbers; UTF-8, safe to show */
};

struct finding_context;
struct findings;

struct finding_rule {
    const char *name;   /* "gpu-idle-launch-bound": of --rule, JSON and tests */
    const char *title;  /* "The GPU waited for launches" */
    const char *remedy; /* a sentence or two: what to do about it */
    /* False: no memory. */
    bool (*find)(const struct finding_context *context, const struct finding_rule *rule,
                 struct findings *findings);
};

/* Thresholds of the rules; below them nothing is said. From a file or the command line. */
struct finding_limits {
    double least_share;   /* of the wall time that a finding must cost: 0.01 */
    int64_t least_gap_ns; /* of an idle gap: shorter ones are launch latency, told as such */
    int64_t tiny_kernel_ns;
    double low_occupancy; /* share of the warps an SM can hold */
    uint32_t loop_calls;  /* so many calls from one place are a loop */
};

struct finding_context {
    const struct timeline *timeline;
    const struct finding_limits *limits;
    struct range_paths *paths;
    int64_t wall_ns; /* from the first to the last event */
    void *shared;    /* what rules_*.c compute together: see finding_gaps.h */
};

struct findings {
    TL_ARRAY(struct finding) found; /* most saved first, then most cost */
    bool failed;
};

extern const struct finding_rule *const finding_rules[]; /* ends with NULL */

void finding_limits_default(struct finding_limits *limits);

/* All rules, or those named. Sorted. False: no memory; fini is not needed then. */
bool findings_init(struct findings *findings, struct finding_context *context);
void findings_fini(struct findings *findings);

/* Adds one with its sentence; what costs less than the limits ask for is left out. Returns false
 * when there is no memory. */
bool findings_add(struct findings *findings, const struct finding_context *context,
                  const struct finding *finding, const char *sentence, ...)
    __attribute__((format(printf, 4, 5)));

#ifdef __cplusplus
}
#endif
#endif

/* findings.h - where the time went, as findings: what was seen, which range is responsible, what to
 * do about it, and an upper bound on what that saves.
 *
 * A rule is a row of finding_rules[]: a name, a title, a remedy, and a function that examines the
 * timeline and adds findings. The context holds what several rules need, computed once.
 *
 * The saving of a finding is an upper bound on the wall time gained if its cause disappears and
 * nothing else changes; each rule states how it computes it. Several findings can be about the same
 * time, so their savings do not add up.
 */
#ifndef PROF_FINDINGS_H
#define PROF_FINDINGS_H

#include "cuda_calls.h"
#include "finding_steps.h"
#include "operation_totals.h"
#include "range_paths.h"
#include "temporal_breakdown.h"
#include "timeline.h"
#include "units.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- settings ---- */

#define FINDING_RULES_MAX 64u

/* Reporting thresholds. Each rule has its own copy of all of them, so that a file can change one
 * for a single rule. A new one is a member here and a row in the table of findings.c. */
struct finding_limits {
    double least_share;   /* of the wall time that a finding must cost: 0.01 */
    double owner_share;   /* of all that a rule finds on a device: a range with less is merged into
                             the range around it: 0.1 */
    int64_t least_gap_ns; /* shorter idle gaps count as short: a device needs 1 to 2 us between two
                             operations of a stream: 2 us */
    int64_t launch_ns;    /* normal delay from a launch to the start of its kernel: 20 us; a kernel
                             that starts later waited for something */
    int64_t tiny_kernel_ns; /* a launch costs the CPU and the device about 5 us: 10 us */
    double low_occupancy;   /* share of the warps an SM can hold: 0.25 */
    double tail_share;      /* of a kernel's time that its last wave must waste: 0.1 */
    uint32_t queue_limit;   /* queued launches from which on launching blocks: 1000 */
    uint32_t loop_calls;    /* this many calls from one place are a loop: 20 */
    int64_t long_gap_ns;    /* an idle gap of this length is long: nsys' default, 500 ms */
    double low_utilization; /* share of the time that a device is used: nsys' default, 0.5 */
};

struct finding_settings {
    bool enabled[FINDING_RULES_MAX]; /* by place in finding_rules[] */
    struct finding_limits limits[FINDING_RULES_MAX];
    struct finding_limits shared; /* of what is computed once for all rules: finding_gaps.h */
};

/* All rules, with the default limits. */
void finding_settings_default(struct finding_settings *settings);

#define FINDING_SETTINGS_MESSAGE 200u

/* Reads limits:
 *
 *     # of all rules; this section comes first, its header can be left out
 *     [all]
 *     least_share = 0.02
 *     [tiny-kernels]
 *     tiny_kernel_us = 5
 *     [cpu-only]
 *     enabled = no
 *
 * Names end with their units. On failure returns false and sets `message` and `*line`, which is 0
 * when the file could not be read. The message quotes the file's text unchanged. */
bool finding_settings_read(struct finding_settings *settings, FILE *file, uint32_t *line,
                           char message[FINDING_SETTINGS_MESSAGE]);

/* ---- findings ---- */

#define FINDING_SENTENCE_BYTES 512u

/* How saved_ns follows from sums, so that it can be had for some steps, too. */
enum finding_saving {
    FINDING_SAVES_SUM, /* it is one */
    /* The cost, but not more than the process's device idled that idled least */
    FINDING_SAVES_IDLE,
    FINDING_SAVES_LEAST, /* the cost, but not more than the sum of most_ns */
};

/* Whose call stack a finding has. Time that a range spends outside of calls has none: a call next
 * to the gap stands in. */
enum finding_stack_of {
    FINDING_STACK_CALL, /* of the call, or of the range where it was opened */
    FINDING_STACK_NEXT, /* of the call that ended the gap: it launched the next operation */
    FINDING_STACK_LAST, /* of the call that launched the last operation */
};

struct finding {
    const struct finding_rule *rule;
    uint32_t process; /* TL_NONE all */
    uint32_t device;  /* ordinal; TL_NONE none, or several */
    uint32_t path;    /* into context->paths: the responsible range and call, TL_NONE */
    uint32_t stack;   /* an example of a call stack, TL_NONE */
    enum finding_stack_of stack_of;
    uint32_t slice;   /* an example of a call or range, TL_NONE: where to look in a trace */
    uint64_t count;   /* occurrences */
    int64_t cost_ns;  /* time spent this way */
    int64_t saved_ns; /* upper bound on the wall time that the remedy saves; 0: unknown */
    enum finding_saving saving;
    struct finding_parts parts; /* by step; empty: not known, or not requested */
    uint32_t also;              /* the next one of its cause: 1 + place in findings.also; 0 */
    char sentence[FINDING_SENTENCE_BYTES]; /* with its numbers; names in it are the file's */
};

/* A finding about everything at once, to be filled in. */
#define FINDING_OF_ALL                    \
    ((struct finding){.process = TL_NONE, \
                      .device = TL_NONE,  \
                      .path = TL_NONE,    \
                      .stack = TL_NONE,   \
                      .slice = TL_NONE})

struct finding_context;
struct finding_gaps;
struct findings;

struct finding_rule {
    const char *name;         /* "gpu-idle-launch-bound": of --rule, JSON and tests */
    const char *title;        /* "The GPU waited for launches" */
    const char *noun;         /* what it counts: "call"; NULL: it only adds notes */
    const char *remedy;       /* a sentence or two: what to do about it */
    const char *remedy_torch; /* in place of it for programs that use PyTorch; NULL: the same */
    /* Another one for the finding's devices: see remedies.h. NULL, or a result of NULL:
     * `remedy`. */
    const char *(*remedy_of)(const struct finding_context *context, const struct finding *finding);
    uint32_t explains; /* causes of idle time that its findings can be about: 1 << enum gap_cause */
    /* False: no memory. */
    bool (*find)(const struct finding_context *context, const struct finding_rule *rule,
                 struct findings *findings);
};

/* Breakdowns that several rules examine, computed once. */
struct finding_facts {
    struct work_classes classes; /* of every kernel that ran: also KERNEL_* in `traits` */
    struct temporal_breakdown temporal;
    struct launch_stats launches;
    struct call_stats calls;
};

struct finding_context {
    const struct timeline *timeline;
    const struct finding_limits *limits; /* of the rule that is running */
    struct range_paths
        *paths; /* steps are one path, "ProfilerStep*"; so are "frame 0", "frame 1" */
    const struct cuda_calls *calls;
    const struct finding_gaps *gaps; /* why devices idled: finding_gaps.h */
    const struct finding_facts *facts;
    struct finding_steps *steps; /* NULL: nothing is asked for by step */
    int64_t wall_ns;             /* from the first to the last event; 0: there are none */
    bool uses_torch;             /* operators or kernels of PyTorch ran */
    struct finding_below *below; /* of the rule that is running */
};

/* What a rule found, and its limits left out. */
struct finding_below {
    uint64_t count;
    int64_t cost_ns;
    bool is_rare;      /* fewer from one place than loop_calls */
    bool is_short;     /* costs less than least_share */
    bool saves_little; /* would save less than least_share */
};

/* What could not be examined, and why: "no limits of device 0: occupancy was not examined". */
struct finding_note {
    const struct finding_rule *rule;
    char sentence[FINDING_SENTENCE_BYTES];
};

struct findings {
    TL_ARRAY(struct finding) found; /* those with an owner first, then most saved, then most cost */
    TL_ARRAY(struct finding) also;  /* of other rules, about what one of `found` is about */
    TL_ARRAY(struct finding_note) notes;
    struct finding_below below[FINDING_RULES_MAX]; /* by place in finding_rules[] */
    struct finding_limits limits[FINDING_RULES_MAX];
    struct finding_context context;    /* as the rules saw it; its limits are NULL */
    struct finding_workings *workings; /* owns what the context refers to */
};

extern const struct finding_rule *const finding_rules[]; /* ends with NULL */

/* The place of a rule in finding_rules[]; FINDING_RULES_MAX: there is none of that name. */
uint32_t finding_rule_find(const char *name);

/* Runs the enabled rules on the timeline, which must outlive the findings. `settings` NULL: all
 * rules, with their defaults. False: no memory; fini is not needed then. Threads: one. */
bool findings_init(struct findings *findings, const struct timeline *timeline,
                   const struct finding_settings *settings);
/* The same, with the parts of findings and of idle time by step. `is_apart`: of each step, whether
 * it is kept apart. Both must outlive the findings. */
bool findings_init_by_step(struct findings *findings, const struct timeline *timeline,
                           const struct finding_settings *settings, const struct steps *steps,
                           const bool *is_apart);
void findings_fini(struct findings *findings);

/* Whether it names a range, a call or a call stack. */
bool finding_has_owner(const struct finding *finding);

/* "13 calls, 2.10 ms (0.5 %): fewer than 20 from one place", of a rule without findings. False: it
 * found nothing that costs time, or has findings. */
bool findings_below_text(const struct findings *findings, uint32_t rule,
                         char to[FINDING_SENTENCE_BYTES]);

/* The next finding of the same cause; NULL: that was the last. */
static inline const struct finding *findings_next(const struct findings *findings,
                                                  const struct finding *finding)
{
    return finding->also ? &findings->also.at[finding->also - 1] : NULL;
}

/* Sorts what rules found and joins findings of one cause: finding_causes.c. False: no memory. */
bool findings_order(struct findings *findings);

/* ---- for rules ---- */

/* "GPU 0", "GPU 0 of rank 3", "GPU 0 of pid 4711", "GPU 0 of pid 4711 #2": as much as distinguishes
 * it from others. */
struct sentence_text finding_device(const struct finding_context *context, uint32_t process,
                                    uint32_t device);

/* Whether time of this length is worth a finding by the limits of the rule that is running. */
bool finding_is_worth(const struct finding_context *context, int64_t cost_ns);

/* Notes that the rule leaves this out: it costs too little, there are too few from one place, or
 * they would save too little. */
void finding_leave_short(const struct finding_context *context, uint64_t count, int64_t cost_ns);
void finding_leave_rare(const struct finding_context *context, uint64_t count, int64_t cost_ns);
void finding_leave_little(const struct finding_context *context, uint64_t count, int64_t cost_ns);

/* Whether a kernel with one of these traits ran: KERNEL_*. */
bool finding_facts_any(const struct finding_facts *facts, uint8_t traits);

/* Adds a copy of `finding`, whose rule must be set, with its sentence. Leaves out and notes what
 * costs less than the limits demand, and cuts `saved_ns` to the wall time. False: no memory. */
bool findings_add(struct findings *findings, const struct finding_context *context,
                  const struct finding *finding, const char *sentence, ...)
    __attribute__((format(printf, 4, 5)));

/* Adds a note, unless the same one exists. False: no memory. */
bool findings_note(struct findings *findings, const struct finding_rule *rule, const char *sentence,
                   ...) __attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif
#endif

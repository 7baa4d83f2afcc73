/* findings.h - where the time went, as findings: what was seen, who owns it, what to do, and what that
 * would save at most.
 *
 * A rule is a row of finding_rules[]: a name, a title, a remedy, and a function that looks at the
 * timeline and adds what it finds. What several rules need is in the context, made once.
 *
 * What a finding saves is an upper bound of the wall time that is gained when its cause is gone and
 * nothing else changes; each rule says how it is reckoned. Several findings can be about the same
 * time, so what they save does not add up.
 */
#ifndef PROF_FINDINGS_H
#define PROF_FINDINGS_H

#include "cuda_calls.h"
#include "finding_settings.h"
#include "finding_text.h"
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
    char sentence[FINDING_SENTENCE_BYTES]; /* with its numbers; names in it are the file's */
};

/* Of everything at once: the start of a finding. */
#define FINDING_OF_ALL                    \
    ((struct finding){.process = TL_NONE, \
                      .device = TL_NONE,  \
                      .path = TL_NONE,    \
                      .stack = TL_NONE,   \
                      .slice = TL_NONE})

struct finding_context;
struct finding_facts;
struct finding_gaps;
struct findings;

struct finding_rule {
    const char *name;   /* "gpu-idle-launch-bound": of --rule, JSON and tests */
    const char *title;  /* "The GPU waited for launches" */
    const char *remedy; /* a sentence or two: what to do about it */
    /* False: no memory. */
    bool (*find)(const struct finding_context *context, const struct finding_rule *rule,
                 struct findings *findings);
};

struct finding_context {
    const struct timeline *timeline;
    const struct finding_limits *limits; /* of the rule that is running */
    struct range_paths *paths;           /* steps are one path: "ProfilerStep*" */
    const struct cuda_calls *calls;
    const struct finding_gaps *gaps;   /* what devices idled for: finding_gaps.h */
    const struct finding_facts *facts; /* breakdowns: finding_facts.h */
    int64_t wall_ns;                   /* from the first to the last event; 0: there are none */
};

/* What could not be looked at, and why: "no limits of device 0: occupancy was not examined". */
struct finding_note {
    const struct finding_rule *rule;
    char sentence[FINDING_SENTENCE_BYTES];
};

struct findings {
    TL_ARRAY(struct finding) found; /* most saved first, then most cost */
    TL_ARRAY(struct finding_note) notes;
    struct finding_context context;    /* as the rules saw it; its limits are NULL */
    struct finding_workings *workings; /* owns what the context refers to */
};

extern const struct finding_rule *const finding_rules[]; /* ends with NULL */

/* The place of a rule in finding_rules[]; FINDING_RULES_MAX: there is none of that name. */
uint32_t finding_rule_find(const char *name);

/* Has the enabled rules look at the timeline, which must outlive the findings. `settings` NULL: all of
 * them, with their defaults. False: no memory; fini is not needed then. Threads: one. */
bool findings_init(struct findings *findings, const struct timeline *timeline,
                   const struct finding_settings *settings);
void findings_fini(struct findings *findings);

/* "GPU 0", "GPU 0 of rank 3", "GPU 0 of pid 4711": as much as tells it from others. */
struct finding_text finding_device(const struct finding_context *context, uint32_t process,
                                   uint32_t device);

/* What is known of the device; NULL: nothing. */
const struct tl_device *finding_device_facts(const struct timeline *timeline, uint32_t process,
                                             uint32_t device);

/* Whether time of this length is worth a finding by the limits of the rule that is running. */
bool finding_is_worth(const struct finding_context *context, int64_t cost_ns);

/* Adds one with its sentence; what costs less than the limits ask for is left out. `saved_ns` is cut
 * to the wall time. The rule of `finding` is the one that is running: set it. Returns false when there is no memory. */
bool findings_add(struct findings *findings, const struct finding_context *context,
                  const struct finding *finding, const char *sentence, ...)
    __attribute__((format(printf, 4, 5)));

/* Adds a note, unless the same is there. Returns false when there is no memory. */
bool findings_note(struct findings *findings, const struct finding_rule *rule, const char *sentence,
                   ...) __attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif
#endif

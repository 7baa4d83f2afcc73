/* finding_owners.h - sums by process, device and path, and which of them are worth a finding.
 *
 * What is not worth one by itself is added to the range around it, so that many small costs below
 * one range are a finding of that range, and nothing is reported twice.
 */
#ifndef PROF_FINDING_OWNERS_H
#define PROF_FINDING_OWNERS_H

#include "findings.h"
#include "maps.h"

#ifdef __cplusplus
extern "C" {
#endif

struct finding_owner {
    uint32_t process; /* TL_NONE all */
    uint32_t device;  /* ordinal, TL_NONE */
    uint32_t path;    /* TL_NONE outside of every range */
    uint32_t slice;   /* of the largest single cost, TL_NONE */
    uint32_t call;    /* what else may have a call stack for it, TL_NONE */
    uint64_t count;
    int64_t cost_ns;
    int64_t saved_ns;
    int64_t largest_ns;         /* the cost of `slice` */
    int64_t more;               /* another sum, as the rule defines it */
    struct finding_parts parts; /* by step: count, cost_ns, saved_ns */
};

/* Zeroed is empty. */
struct finding_owners {
    TL_ARRAY(struct finding_owner) owners;
    struct keymap known; /* process, device and path -> owner */
    bool failed;         /* no memory */
};

void finding_owners_fini(struct finding_owners *owners);

/* Adds the cost of a slice (TL_NONE: unattributed) to the owner with its path: the range or call
 * itself. The owner, so that more can be added to it: valid until the next call. NULL: no
 * memory. */
struct finding_owner *finding_owners_add(struct finding_owners *owners,
                                         const struct finding_context *context, uint32_t process,
                                         uint32_t device, uint32_t slice, int64_t cost_ns);

/* The same of time that passes in those steps, whichever step `slice` is of. */
struct finding_owner *finding_owners_add_time(struct finding_owners *owners,
                                              const struct finding_context *context,
                                              uint32_t process, uint32_t device, uint32_t slice,
                                              int64_t start_ns, int64_t end_ns);

/* Adds to what the owner has counted and saves; to the step of what was added to it last. */
void finding_owner_adjust(struct finding_owner *owner, const struct finding_context *context,
                          int64_t count, int64_t saved_ns);

/* A copy that can be gathered, as the owners that several rules look at must not be. False: no
 * memory, and fini is not needed. */
bool finding_owners_copy(struct finding_owners *to, const struct finding_owners *from,
                         struct finding_steps *steps);

/* Gathers what is not worth a finding in the ranges around. What is left: owners that are worth
 * one, most cost first, by the limits of the context. False: no memory. */
bool finding_owners_gather(struct finding_owners *owners, const struct finding_context *context);

/* Leaves out those of fewer calls, and notes them. */
void finding_owners_drop(struct finding_owners *owners, const struct finding_context *context,
                         uint64_t least_count);

/* The start of a finding about it. */
struct finding finding_of_owner(const struct finding_context *context,
                                const struct finding_rule *rule, const struct finding_owner *owner);

/* ---- what rules have in common ----
 *
 * They add up what operations or calls cost, by owner, and report them. */

/* The sentence about an owner. */
typedef void rule_words(const struct finding_context *context, const struct finding_owner *owner,
                        char sentence[FINDING_SENTENCE_BYTES]);

/* Adds what an operation costs to its owner; false: no memory. Not asked about waits, overhead and
 * libprof's own. */
typedef bool rule_operation(struct finding_owners *owners, const struct finding_context *context,
                            const struct tl_gpu *operation);

bool rule_add_operations(struct finding_owners *owners, const struct finding_context *context,
                         rule_operation *add);

/* Adds the durations of the calls whose name is wanted, except those within another such call,
 * unless all of them together are not worth a finding. Places with fewer than `least` of them are
 * left out. */
bool rule_add_calls(struct finding_owners *owners, const struct finding_context *context,
                    bool (*wanted)(struct text name), uint64_t least);

/* What would be saved at most if the process's threads did not spend its cost like this: devices
 * have their work to do, so no more than they idled. */
void rule_save_host(const struct finding_context *context, struct finding *finding);

/* Gathers the owners and adds a finding for each that is worth it; then they are empty. `saved_ns`
 * of owners stands. False: no memory. */
bool rule_report(struct finding_owners *owners, const struct finding_context *context,
                 const struct finding_rule *rule, struct findings *findings, rule_words *words);

/* The same with saved_ns by rule_save_host(). */
bool rule_report_host(struct finding_owners *owners, const struct finding_context *context,
                      const struct finding_rule *rule, struct findings *findings,
                      rule_words *words);

/* Whether the name is one of `names`, which ends with NULL: the same, or, where one ends with '*',
 * as far as that goes. */
bool rule_name_in(struct text name, const char *const *names);

#ifdef __cplusplus
}
#endif
#endif

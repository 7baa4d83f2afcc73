/* rule_search.h - what rules have in common: they add up what operations or calls cost, by who owns
 * them, and say it. */
#ifndef PROF_RULE_SEARCH_H
#define PROF_RULE_SEARCH_H

#include "finding_gaps.h"
#include "finding_owners.h"
#include "finding_text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The sentence about an owner. */
typedef void rule_words(const struct finding_context *context, const struct finding_owner *owner,
                        char sentence[FINDING_SENTENCE_BYTES]);

/* Adds what an operation costs to its owner; false: no memory. Not asked about waits, overhead and
 * libprof's own. */
typedef bool rule_operation(struct finding_owners *owners, const struct finding_context *context,
                            const struct tl_gpu *operation);

bool rule_add_operations(struct finding_owners *owners, const struct finding_context *context,
                         rule_operation *add);

/* Adds the durations of the calls whose name is wanted, those within another one of them left out,
 * unless all of them are not worth a finding. Places with fewer than `least` of them are left out. */
bool rule_add_calls(struct finding_owners *owners, const struct finding_context *context,
                    bool (*wanted)(struct text name), uint64_t least);

/* What would be saved at most if the process's threads did not spend `cost_ns` like this: devices
 * have their work to do, so no more than they idled. */
int64_t rule_host_saving(const struct finding_context *context, uint32_t process, int64_t cost_ns);

/* Gathers the owners and adds a finding for each that is worth it; then they are empty. `saved_ns` of
 * owners stands. False: no memory. */
bool rule_tell(struct finding_owners *owners, const struct finding_context *context,
               const struct finding_rule *rule, struct findings *findings, rule_words *words);

/* The same with saved_ns by rule_host_saving(). */
bool rule_tell_host(struct finding_owners *owners, const struct finding_context *context,
                    const struct finding_rule *rule, struct findings *findings, rule_words *words);

/* Whether the name is one of `names`, which ends with NULL: the same, or, where one ends with '*', as
 * far as that goes. */
bool rule_name_in(struct text name, const char *const *names);

#ifdef __cplusplus
}
#endif
#endif

/* finding_facts.h - breakdowns that several rules look at, made once. */
#ifndef PROF_FINDING_FACTS_H
#define PROF_FINDING_FACTS_H

#include "call_stats.h"
#include "launch_stats.h"
#include "temporal_breakdown.h"

#ifdef __cplusplus
extern "C" {
#endif

struct finding_facts {
    struct work_classes classes; /* of every kernel that ran: also KERNEL_* in `traits` */
    struct temporal_breakdown temporal;
    struct launch_stats launches;
    struct call_stats calls;
};

/* False: no memory; fini may be called all the same. */
bool finding_facts_init(struct finding_facts *facts, const struct timeline *timeline,
                        int64_t long_gap_ns);
void finding_facts_fini(struct finding_facts *facts);

/* Whether a kernel of the traits ran: KERNEL_*. */
bool finding_facts_any(const struct finding_facts *facts, uint8_t traits);

#ifdef __cplusplus
}
#endif
#endif

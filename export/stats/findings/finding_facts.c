/* finding_facts.c - see finding_facts.h. */
#include "finding_facts.h"

bool finding_facts_init(struct finding_facts *facts, const struct timeline *timeline,
                        int64_t long_gap_ns)
{
    *facts = (struct finding_facts){0};
    return work_classes_init(&facts->classes, timeline) &&
           temporal_breakdown_init(&facts->temporal, timeline, &facts->classes, long_gap_ns) &&
           launch_stats_init(&facts->launches, timeline, LAUNCH_SLOW_CALL_NS,
                             LAUNCH_LATE_START_NS) &&
           call_stats_init(&facts->calls, timeline);
}

void finding_facts_fini(struct finding_facts *facts)
{
    call_stats_fini(&facts->calls);
    launch_stats_fini(&facts->launches);
    temporal_breakdown_fini(&facts->temporal);
    work_classes_fini(&facts->classes);
}

bool finding_facts_any(const struct finding_facts *facts, uint8_t traits)
{
    for (uint32_t i = 0; i < facts->classes.timeline->names.count; i++)
        if (facts->classes.traits[i] & traits)
            return true;
    return false;
}

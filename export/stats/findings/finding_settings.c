/* finding_settings.c - see finding_settings.h. */
#include "finding_settings.h"

void finding_limits_default(struct finding_limits *limits)
{
    *limits = (struct finding_limits){
        .least_share = 0.01,
        .least_gap_ns = 2000,
        .launch_ns = 20000,
        .tiny_kernel_ns = 10000,
        .low_occupancy = 0.25,
        .tail_share = 0.1,
        .queue_limit = 1000,
        .loop_calls = 20,
    };
}

void finding_settings_default(struct finding_settings *settings)
{
    finding_limits_default(&settings->shared);
    for (uint32_t i = 0; i < FINDING_RULES_MAX; i++) {
        settings->enabled[i] = true;
        finding_limits_default(&settings->limits[i]);
    }
}

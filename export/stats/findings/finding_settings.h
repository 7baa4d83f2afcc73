/* finding_settings.h - which rules run, and what they are told to leave out. */
#ifndef PROF_FINDING_SETTINGS_H
#define PROF_FINDING_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FINDING_RULES_MAX 64u

/* Thresholds; below them nothing is said. Each rule has its own copy of all of them, so that a file can
 * change one for a single rule. A new one is a member here and a row in finding_settings.c. */
struct finding_limits {
    double least_share;   /* of the wall time that a finding must cost: 0.01 */
    double owner_share;   /* of all that a rule finds on a device, that a range must have to be told
                             by itself: 0.1; else it is part of the range around it */
    int64_t least_gap_ns; /* of an idle gap: a device needs 1 to 2 us from one operation of a
                             stream to the next, so shorter ones are told as such: 2 us */
    int64_t launch_ns;    /* from a launch to the start of its kernel when nothing is in between
                             this may pass: 20 us; what is longer waits for something */
    int64_t tiny_kernel_ns; /* a launch costs the CPU and the device about 5 us: 10 us */
    double low_occupancy;   /* share of the warps an SM can hold: 0.25 */
    double tail_share;      /* of a kernel's time that its last wave must waste: 0.1 */
    uint32_t queue_limit;   /* launches in the queue from which on launching blocks: 1000 */
    uint32_t loop_calls;    /* so many calls from one place are a loop: 20 */
    int64_t long_gap_ns;    /* a device that idles as long at a time did nothing for long: nsys'
                             default, 500 ms */
    double low_utilization; /* share of the time that a device is used: nsys' default, 0.5 */
};

struct finding_settings {
    bool enabled[FINDING_RULES_MAX]; /* by place in finding_rules[] */
    struct finding_limits limits[FINDING_RULES_MAX];
    struct finding_limits shared; /* of what is made once for all rules: finding_gaps.h */
};

void finding_limits_default(struct finding_limits *limits);

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
 * Names end with their units. False after having set `*line` (0: the file could not be read, or no
 * memory) and `message`, of text as it is in the file. */
bool finding_settings_read(struct finding_settings *settings, FILE *file, uint32_t *line,
                           char message[FINDING_SETTINGS_MESSAGE]);

/* Has only the rules run that are named after the first call of it. False: there is no such rule. */
bool finding_settings_only(struct finding_settings *settings, const char *rule, bool first);

#ifdef __cplusplus
}
#endif
#endif

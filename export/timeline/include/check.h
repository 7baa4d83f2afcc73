/* check.h - every invariant of a file and of the timeline made from it.
 *
 *     struct check_report report;
 *     timeline_check(timeline, &report);
 *     for (unsigned i = 0; i < report.count; i++)
 *         puts(report.findings[i].sentence);
 *     return report.errors != 0;
 */
#ifndef PROF_CHECK_H
#define PROF_CHECK_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

enum check_severity {
    CHECK_NOTE,    /* worth knowing, nothing is wrong */
    CHECK_WARNING, /* something is missing or odd, and it is accounted for */
    CHECK_ERROR,   /* an invariant does not hold */
};

/* X(symbol, name). One finding at most per rule: it counts, and describes the first case. */
#define CHECK_RULES(X)                      \
    X(DAMAGE, "damage")                     \
    X(TRUNCATED, "truncated")               \
    X(MISSING_CHUNKS, "missing-chunks")     \
    X(TORN, "torn-records")                 \
    X(UNKNOWN_RECORDS, "unknown-records")   \
    X(NOT_CLOSED, "not-closed")             \
    X(LOSS, "loss")                         \
    X(CLAMPED, "clamped-times")             \
    X(CLOCK_STEP, "clock-step")             \
    X(DEVICE_COUNT, "device-record-count")  \
    X(RANGES, "index-range")                \
    X(NAMES, "names")                       \
    X(ORDER, "slice-order")                 \
    X(NESTING, "slice-nesting")             \
    X(UNBALANCED, "unbalanced-ranges")      \
    X(ODD_CALLS, "odd-calls")               \
    X(ODD_NAMES, "odd-names")               \
    X(SEGMENTS, "slice-pieces")             \
    X(FWDBWD, "forward-backward")           \
    X(GPU_TIME, "device-times")             \
    X(GPU_ORDER, "device-order")            \
    X(LANES, "device-lanes")                \
    X(OVERRUNS, "device-overruns")          \
    X(ARROWS, "arrows")                     \
    X(CAUSALITY, "causality")               \
    X(TIMINGS, "range-times")               \
    X(CLOCK_PROOF, "clock-proof")           \
    X(ORPHANS, "orphans")                   \
    X(AMBIGUOUS, "ambiguous")               \
    X(LEDGER, "ledger")                     \
    X(GRAPHS, "graphs")                     \
    X(MISSING, "missing-operations")        \
    X(MEMORY, "memory")                     \
    X(UNKNOWN_FREES, "unknown-frees")       \
    X(REUSED_ADDRESSES, "reused-addresses") \
    X(THROTTLE, "shed")                     \
    X(THROTTLE_ORDER, "shed-order")         \
    X(FRAMES, "python-calls")               \
    X(ODD_FRAMES, "odd-python-calls")       \
    X(RECORDER, "recorder")

enum check_rule {
#define CHECK_ENUM(symbol, name) CHECK_RULE_##symbol,
    CHECK_RULES(CHECK_ENUM)
#undef CHECK_ENUM
        CHECK_RULE_COUNT
};

struct check_finding {
    enum check_severity severity;
    enum check_rule rule;
    uint64_t count;     /* cases */
    char sentence[400]; /* one line, names the file where there is one */
};

struct check_report {
    struct check_finding findings[CHECK_RULE_COUNT]; /* in the order of the rules */
    unsigned count;
    unsigned errors, warnings, notes; /* findings of each severity */
};

/* Linear in the timeline's size; allocates nothing. Safe on any timeline whose arrays are what they
 * claim. */
void timeline_check(const struct timeline *timeline, struct check_report *report);

/* "slice-nesting" */
const char *check_rule_name(enum check_rule rule);
/* "error", "warning", "note" */
const char *check_severity_name(enum check_severity severity);

#ifdef __cplusplus
}
#endif
#endif

/* diff.h - two runs compared: what got slower or faster, by how much, and whether that is more than
 * noise.
 *
 * Rows are matched by name, kernels also across other template arguments and tile sizes
 * (diff_match.c). Each row has counts, totals, means and medians of both sides, and the ratio of
 * the medians with an interval (bootstrap.h). A difference whose interval contains 1 cannot be
 * distinguished from noise. If the interval also contains a change that matters (DIFF_MATTERS), the
 * sides may differ as well.
 *
 * At 95 %, one unchanged row in twenty is called different by chance: there is no correction for
 * the number of rows. That is why the gate demands a limit, and of a kernel a share of the whole.
 *
 * No calls are left out as "cold": the first calls hardly change the median, but they do change
 * totals and means.
 *
 * Totals per step: where both runs have steps, totals and counts can be divided by their number, so
 * that runs of different length compare. What happened outside of steps is divided, too. Otherwise,
 * where a side is several runs, totals and counts are divided by their number.
 */
#ifndef PROF_DIFF_H
#define PROF_DIFF_H

#include "bootstrap.h"
#include "diff_side.h"

#ifdef __cplusplus
extern "C" {
#endif

enum diff_match {
    DIFF_SAME_NAME,
    DIFF_RENAMED, /* a kernel with another name: diff_match.c */
};

enum diff_verdict {
    DIFF_UNKNOWN, /* "too few" values, or nothing measured */
    DIFF_SAME,    /* the interval holds 1, and no change that matters */
    DIFF_UNCLEAR, /* the interval holds 1, and a change that matters */
    DIFF_SLOWER,
    DIFF_FASTER,
    /* Each takes as long, or there are too few to compare, and there are more of them */
    DIFF_MORE_CALLS,
    DIFF_FEWER_CALLS,
    DIFF_NEW,  /* not in the left run */
    DIFF_GONE, /* not in the right run */
    DIFF_VERDICTS
};

/* A change that matters: the ratio is at least this, or at most its inverse. */
#define DIFF_MATTERS 1.05

/* Unknown numbers are NaN. */
struct diff_measure {
    uint64_t samples[2];
    double total_ns[2], mean_ns[2], median_ns[2]; /* totals as normalised */
    struct bootstrap_interval ratio;              /* of the medians, right over left */
    enum diff_verdict verdict;
};

struct diff_row {
    uint32_t entry[2]; /* into sides[].entries; TL_NONE: not there */
    enum diff_match match;
    bool ambiguous;           /* renamed, and others could have been paired as well */
    double count[2];          /* calls, as normalised; 0 where it is not there */
    struct diff_measure time; /* kernels, copies, sets: on the device; else CPU time */
    struct diff_measure
        device;      /* of ranges: what calls launched. Calls that launched nothing are not
                                   among its samples */
    double delta_ns; /* of time.total_ns, absent counting as 0 */
    double device_delta_ns;
    double share; /* the size of delta_ns, of diff_table.moved_ns; NaN: nothing changed */
};

/* Rows of one kind, the largest change first. */
struct diff_table {
    enum diff_by by;
    TL_ARRAY(struct diff_row) rows;
    uint32_t
        verdicts[DIFF_VERDICTS]; /* rows, by verdict of their time, or of their device time where
                                         only that is one */
    uint32_t renamed, ambiguous;
    /* What changed in all: of kernels, copies and calls the sum of delta_ns; of ranges, which lie
     * in each other, that of their own times. */
    double change_ns;
    /* The sizes of these increases and decreases together, which do not cancel. No share exceeds 1:
     * where one row changed by more than this, as ranges by name can, it is that change. */
    double moved_ns;
};

/* One number for a whole run. */
struct diff_total {
    bool known; /* both sides have it */
    double value_ns[2];
    uint64_t samples[2];
    struct bootstrap_interval ratio;
    enum diff_verdict verdict;
};

enum diff_normalise { DIFF_PER_STEP_AUTO, DIFF_PER_STEP, DIFF_TOTALS };

/* The verdict about two runs, by what the gate judges. Of kernels: slower if one is, else
 * inconclusive if one is, else faster if one is. */
enum diff_outcome {
    DIFF_RUN_FASTER,
    DIFF_RUN_SLOWER,
    DIFF_RUN_SAME,
    DIFF_RUN_INCONCLUSIVE,   /* noise may explain the difference, or hide one, or is unknown */
    DIFF_RUN_NOT_COMPARABLE, /* a run lacks what is judged, or they have nothing in common */
    DIFF_OUTCOMES
};

/* --fail-if-slower fails if what it judges is slower than the limit allows and the difference is
 * more than noise. If it is slower than the limit allows, and noise may explain that or is
 * unknown, the result is inconclusive, as it is of runs that cannot be compared. Noise only ever
 * excuses an excess, so what is within the limit passes. */
enum diff_gate_of {
    DIFF_GATE_AUTO,   /* steps where both runs have them, else wall time */
    DIFF_GATE_STEPS,  /* median duration of a step */
    DIFF_GATE_WALL,   /* median wall time of a run */
    DIFF_GATE_DEVICE, /* device time, as normalised */
    DIFF_GATE_HOST,   /* median of a run's wall time during which no device was busy */
    DIFF_GATE_KERNEL, /* any kernel with a hundredth of the right run's device time at least */
    DIFF_GATES
};
/* Of kernels, the worst result counts. */
enum diff_gate_result {
    DIFF_GATE_NONE, /* not requested */
    DIFF_GATE_PASSED,
    DIFF_GATE_INCONCLUSIVE,
    DIFF_GATE_FAILED,
};

struct diff_gate {
    enum diff_gate_of of; /* AUTO is decided, also where no gate was requested */
    enum diff_gate_result result;
    double limit;                    /* 0.05: 5 % slower */
    struct bootstrap_interval ratio; /* that decided */
    const struct diff_table *table;  /* DIFF_GATE_KERNEL: where `row` is; else NULL */
    uint32_t row;
};

#define DIFF_FACT_BYTES 256u

/* Properties of the runs other than their times. */
struct diff_fact {
    const char *name; /* "device", "driver" ... */
    char value
        [2][DIFF_FACT_BYTES]; /* of each side: different values of several processes or devices, in
                                       order of appearance; any bytes; empty: not known */
    bool differs;
};

#define DIFF_FACTS 11u

struct diff_facts {
    struct diff_fact at[DIFF_FACTS]; /* those that differ are marked */
    uint32_t differing;
};

struct diff_options {
    size_t size_bytes;
    uint32_t tables; /* 1 << enum diff_by */
    uint32_t resamples;
    double confidence;
    enum diff_normalise normalise;
    bool match; /* kernels under other names, too */
    bool gate;
    double gate_limit;
    enum diff_gate_of gate_of;
};

struct diff {
    const struct diff_side *sides[2];
    struct diff_options options;
    struct bootstrap bootstrap;
    /* Those that were requested, and those of device work. */
    struct diff_table tables[DIFF_BY_COUNT];
    bool per_step;
    bool per_run;           /* not per step, and a side is several runs */
    bool lengths_differ;    /* not per step, and calls of what both have differ by more than 1 % */
    struct diff_total step; /* medians of steps */
    struct diff_total wall; /* medians of the runs' wall times; of one run, the noise is unknown */
    struct diff_total device; /* device time of kernels, copies and sets, as normalised */
    struct diff_total host;   /* medians of the runs' wall times during which no device was busy */
    struct diff_facts facts;
    struct diff_gate gate;
    enum diff_outcome outcome;
    /* There are rows in the tables, printed or not, and none of them is on both sides. */
    bool nothing_in_common;
};

/* Tables of paths, kernels, calls and copies, 1000 resamples, 95 %. */
void diff_options_default(struct diff_options *options);

/* Compares two sides that were made with the tables of the options; they must outlive `diff`.
 * False: no memory; fini is not needed then. */
bool diff_init(struct diff *diff, const struct diff_side *left, const struct diff_side *right,
               const struct diff_options *options);
void diff_fini(struct diff *diff);

/* Of a difference, by its interval and the values. */
enum diff_verdict diff_verdict_of(const struct bootstrap_interval *ratio);

/* Fills the rows of diff->tables: entries and matches. Called by diff_init(). False: no memory. */
bool diff_match(struct diff *diff);

/* Whether a ratio is above 1 + `limit` by more than noise. Within the limit, its noise does not
 * matter. */
enum diff_gate_result diff_gate_judge(const struct bootstrap_interval *ratio, double limit);

/* NULL: the gate is not about a total, but about kernels. */
const struct diff_total *diff_total_of(const struct diff *diff, enum diff_gate_of of);

/* "slower", "new" ...; "same", "not comparable" ...; "path", "kernel" ...; "steps", "wall" ... */
const char *diff_verdict_name(enum diff_verdict verdict);
const char *diff_outcome_name(enum diff_outcome outcome);
const char *diff_by_name(enum diff_by by);
const char *diff_gate_name(enum diff_gate_of of);
/* False: there is none. "op" is "range", "api" is "call". */
bool diff_by_find(const char *name, enum diff_by *by);
bool diff_gate_find(const char *name, enum diff_gate_of *of);

#ifdef __cplusplus
}
#endif
#endif

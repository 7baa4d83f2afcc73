/* name_sums.h - durations of a rank by step, kind and name: their count, sum, extremes and
 * histogram. */
#ifndef PROF_NAME_SUMS_H
#define PROF_NAME_SUMS_H

#include "maps.h"
#include "recording.h"

#define SUMMARY_KINDS 5u /* words up to WORD_CALL */
#define SUMMARY_BUCKETS 64u

struct summary_row {
    int64_t count, sum_ns, min_ns, max_ns;
    uint32_t name; /* place in recording.names; TL_NONE: the recording names none */
    /* Of the step in unit.numbers; TL_NONE: outside of all. Of recorded summaries, the number */
    uint32_t place;
    uint32_t first; /* into buckets[], TL_NONE none */
    uint8_t kind;   /* enum rows_word */
};

struct summary_bucket {
    int64_t count;
    uint32_t next; /* into buckets[], TL_NONE: it was the last */
    uint8_t log2;
};

struct summary {
    TL_ARRAY(struct summary_row) rows;
    TL_ARRAY(struct summary_bucket) buckets;
    struct keymap places[SUMMARY_KINDS]; /* of rows, by step and name */
    bool failed;                         /* no memory */
};

/* Of the events, or of what PROF_SUMMARY recorded: see fleet_source.summaries. False: no memory;
 * fini is needed all the same. */
bool summary_init(struct summary *summary, const struct recording *recording, uint32_t unit);
void summary_fini(struct summary *summary);

/* Counts of a row by bucket. */
void summary_counts(const struct summary *summary, const struct summary_row *row,
                    int64_t counts[SUMMARY_BUCKETS]);

#endif

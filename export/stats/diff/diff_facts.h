/* diff_facts.h - what else differs between two runs than their times. */
#ifndef PROF_DIFF_FACTS_H
#define PROF_DIFF_FACTS_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DIFF_FACT_BYTES 256u

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

void diff_facts_init(struct diff_facts *facts, const struct timeline *left,
                     const struct timeline *right);

#ifdef __cplusplus
}
#endif
#endif

/* breakdown_report.h - profdump breakdown: what devices, streams, launches, copies and collectives did,
 * as HolisticTraceAnalysis breaks a trace down. */
#ifndef PROF_BREAKDOWN_REPORT_H
#define PROF_BREAKDOWN_REPORT_H

#include "timeline.h"
#include "write_format.h"

#ifdef __cplusplus
extern "C" {
#endif

struct breakdown_options {
    enum write_format format;
    int64_t rows;           /* of each table for people, -1 all */
    unsigned width;         /* of names, for people; 0 no limit but 4096 */
    unsigned table_width;   /* of the terminal that the text has to fit; 0 any */
    const char *table;      /* only this one; NULL all */
    const char *sequences;  /* kernel sequences of ranges whose name holds this; NULL: of steps */
    int64_t kernel_wait_ns; /* see struct idle_breakdown */
    uint32_t queue_full;    /* see struct queue_depth */
};

void breakdown_options_default(struct breakdown_options *options);

/* Whether there is a table of this name. */
bool breakdown_table_find(const char *name);

/* The names of all tables, separated by commas. */
const char *breakdown_table_names(void);

/* False with errno: no memory, or the stream failed. */
bool write_breakdown(const struct timeline *timeline, const struct breakdown_options *options,
                     FILE *stream);

#ifdef __cplusplus
}
#endif
#endif

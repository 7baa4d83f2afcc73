/* arrow_stream.h - a timeline as tables in Arrow's C stream interface: those of prof/arrow.h. */
#ifndef PROF_WRITE_ARROW_H
#define PROF_WRITE_ARROW_H

#include "prof/arrow_abi.h"
#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

enum arrow_table {
    ARROW_EVENTS,
    ARROW_LAUNCHES,
    ARROW_KERNELS,
    ARROW_COUNTERS,
    ARROW_FUNCTIONS,
    ARROW_TABLES
};

/* A batch ends with the row that makes it this large. */
#define ARROW_BATCH_ROWS 65536u
#define ARROW_BATCH_TEXT_BYTES (8u << 20) /* of attributes */

/* Fills in `stream`. `done` is called with the timeline when the stream is released, NULL: nothing
 * is; batches do not need the timeline and may outlive the stream. False: no memory, `stream` is
 * not touched. */
bool arrow_stream_init(struct ArrowArrayStream *stream, struct timeline *timeline,
                       enum arrow_table table, void (*done)(struct timeline *timeline));

/* What the timeline itself does not have, for ARROW_EVENTS. Members may be NULL. */
struct arrow_more {
    char *const
        *stacks; /* by stack: as stack_text_lines() makes them; read during init alone. NULL: where
                            each frame lies in its file */
    const double *flops; /* by slice, negative or NaN unknown: then the attribute counts; stays the
                            caller's until the stream is released */
};

/* The same with `more`, which may be NULL. */
bool arrow_stream_init_more(struct ArrowArrayStream *stream, struct timeline *timeline,
                            enum arrow_table table, const struct arrow_more *more,
                            void (*done)(struct timeline *timeline));

/* "events" ... */
const char *arrow_table_name(enum arrow_table table);

#ifdef __cplusplus
}
#endif
#endif

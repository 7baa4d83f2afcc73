/* arrow.h - a timeline as tables in Arrow's C stream interface: the tables of prof/arrow.h. */
#ifndef PROF_WRITE_ARROW_H
#define PROF_WRITE_ARROW_H

#include "prof/arrow_abi.h"
#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

enum arrow_table { ARROW_EVENTS, ARROW_LAUNCHES, ARROW_KERNELS, ARROW_TABLES };

#define ARROW_BATCH_ROWS 65536u

/* Fills in `stream`. `done` is called with the timeline when the stream is released, NULL: nothing is; batches
 * do not need the timeline and may outlive the stream. False: no memory, `stream` is not touched. */
bool arrow_stream_init(struct ArrowArrayStream *stream, struct timeline *timeline,
                       enum arrow_table table, void (*done)(struct timeline *timeline));

#ifdef __cplusplus
}
#endif
#endif

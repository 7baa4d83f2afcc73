/* large_trace.h - writes a trace file with a given number of events.
 *
 * Of the events half are ranges, a quarter launches and a quarter the kernels that they launched; a
 * range is pushed and popped, a launch enters and exits, and is one event all the same. Half of
 * the events are of a second thread.
 */
#ifndef PROF_LARGE_TRACE_H
#define PROF_LARGE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

/* shapes: every second range has an attribute with the sizes of its inputs, as an operator. longer_ns: of
 * every kernel, so that two files differ. The names
 * are the builder's, so one thread at a time. False: no memory, or the file cannot be written. */
bool large_trace_write(const char *path, uint32_t events, bool shapes, uint32_t longer_ns);

#endif

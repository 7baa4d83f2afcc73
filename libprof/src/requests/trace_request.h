/* trace_request.h - a trace on demand: recording is on from a moment or step to another, then
 * copied.
 *
 *     NONE --accept--> WAITING --begin--> RECORDING --end--> ENDED --copy--> NONE
 *
 * The control thread accepts and copies. It also begins and ends by time; the thread that steps
 * does so by steps. One request at a time: another one is refused.
 *
 * Where recording is off, the request is a window of the file. Where it is on, it stays on. In both
 * cases a copy of what was recorded since the beginning is written into the directory of the trace
 * file, under the name of kineto_config_file_name(). The requester cannot choose another directory,
 * and nothing is replaced.
 */
#ifndef PROF_TRACE_REQUEST_H
#define PROF_TRACE_REQUEST_H

#include "kineto_config.h"
#include "recorder.h"

/* From here on steps are counted while recording is off, too. */
void trace_request_listen(bool listens);
bool trace_request_listens(void);

/* Accepts a request of `source` ("Dynolog's daemon", or a path). A request that cannot be met is
 * refused with a sentence, on stderr and in the file. */
void trace_request_accept(const struct kineto_config *config, const char *source);

/* States such a sentence: "trace request of SOURCE refused: REASON". */
void trace_request_refuse(const char *source, const char *reason);

/* Whether there is one, so that another would be refused. */
bool trace_request_is_busy(void);

/* From the control thread: does what is due. */
void trace_request_tick(void);

/* When something is due next, CLOCK_MONOTONIC ns; UINT64_MAX: nothing by time. */
uint64_t trace_request_due_ns(void);

/* Step `number` begins. Any thread; one comparison unless something changes. */
void trace_request_step(uint64_t number);

/* In a forked child: the request is the parent's. */
void trace_request_fork_child(void);

/* Emits what was stated before there was a file. */
extern const struct collector trace_request_collector;

#endif

/* session.h - the life of a recording: on and off, its file, fork, the end.
 *
 *     no file --first event--> file --finish--> closed (for good)
 *        ^                       |
 *        '-----forked child------'
 */
#ifndef PROF_SESSION_H
#define PROF_SESSION_H

#include "recorder.h"

/* Once, from the library's constructor. `collectors` ends with NULL and outlives the process.
 * `start_now`: recording is on from here (preloaded, injected), else from session_start() on. */
void session_init(const struct collector *const *collectors, bool start_now);

/* Recording is on while there were more starts than stops. */
void session_start(void);
void session_stop(void);

/* Creates the file if there is none. False: it cannot be had (said once, counted), or is over. */
bool session_ready(void);
bool session_has_file(void);

/* Path of the file, "" while there is none. */
const char *session_path(void);

/* Everything that is buffered anywhere is in the file when this returns, at most `deadline_ms`
 * later. */
void session_flush(unsigned deadline_ms);

/* The process ends by exit(). Idempotent, both. The collectors finish before what they depend on
 * goes (CUPTI's destructors); ranges are recorded on, until the session finishes. */
void session_finish_collectors(void);
void session_finish(void);

/* The process ends or is replaced without exit handlers: nothing is recorded any more, what was is
 * in the file. Takes no lock but the writer's and allocates nothing. session_resume() if exec
 * failed. */
void session_suspend(void);
void session_resume(void);

void session_fork_child(void);

/* CUDA is being initialised in this process. */
void session_cuda_init(void);

/* The writer thread's beat. */
void session_tick_collectors(void);

#endif

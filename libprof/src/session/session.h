/* session.h - the life cycle of a recording: switching on and off, the file, fork, exit.
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

/* What recorder_renew_exit() calls. Before the first collector runs. */
void session_at_exit(void (*renew)(void));

/* Recording is on while there were more starts than stops. */
void session_start(void);
void session_stop(void);

/* Switches recording on or off, regardless of earlier starts and stops: for switches outside the
 * program. Returns false if nothing changed, or if the recording has ended for good. Takes locks:
 * not for signal handlers. */
bool session_switch(bool on, enum prof_control_reason reason);

/* Has collectors prepare for a start that will come soon, or undo that. No effect while recording
 * is on. */
void session_warm(bool soon);

/* Sets whether prof_step() counts steps also while recording is off; it does so while anybody wants
 * it. */
enum session_stepper { SESSION_STEPS_TRIGGERS = 1, SESSION_STEPS_REQUESTS = 2 };
void session_enable_steps(enum session_stepper who, bool wanted);

struct session_status {
    bool on;
    uint32_t windows;                /* how often recording was switched on */
    enum prof_control_reason reason; /* of the last switch */
    uint32_t gpu_mode;               /* enum prof_gpu_mode */
    const char *gpu_reason;
};
void session_describe(struct session_status *status);

/* Creates the file if there is none. Returns false if that fails (logged once, counted), or if the
 * recording has ended. */
bool session_ready(void);
bool session_has_file(void);

/* Whether there is no file yet, and session_ready() would make one. */
bool session_may_begin(void);

/* Whether this process has recorded nothing and does not use CUDA. libprof then makes no system
 * call at fork, exec and exit, for which a sandbox might kill the process. */
bool session_is_idle(void);

/* Appends a line to the file that PROF_SESSION_FILE names, if it names one. */
void session_announce(const char *line);

/* The errno value for which the file could not be created; 0: it was not tried, or it was
 * created. */
int session_error(void);

/* Path of the file, or "" before it exists. */
const char *session_path(void);

/* Writes everything that is buffered anywhere to the file, within `deadline_ms`. */
void session_flush(unsigned deadline_ms);

/* For exit(). Both are idempotent. Collectors finish first, before what they depend on is destroyed
 * (by CUPTI's destructors); ranges are recorded until the session finishes. */
void session_finish_collectors(void);
void session_finish(void);

/* For exits without exit handlers, and for exec: stops recording and writes everything to the file.
 * Takes no lock but the writer's and allocates nothing. If exec fails, the same thread calls
 * session_resume(). Once all threads that suspended have done so, recording is on or off as others
 * switched it meanwhile. */
void session_suspend(void);
void session_resume(void);

/* Ends the recording for good, in this process and its children, because the process enters a
 * sandbox, which may kill it for any unexpected system call. From then on libprof makes no system
 * call and does not read the time-stamp counter. Returns false if the recording had already ended,
 * or in a vfork child, which shares memory with the recording process. */
bool session_enter_sandbox(void);
bool session_is_in_sandbox(void);

void session_fork_child(void);

/* CUDA is being initialized in this process. */
void session_cuda_init(void);

/* Called periodically by the writer thread. */
void session_tick_collectors(void);

#endif

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

/* What recorder_renew_exit() calls. Before the first collector runs. */
void session_at_exit(void (*renew)(void));

/* Recording is on while there were more starts than stops. */
void session_start(void);
void session_stop(void);

/* Recording is on or off from here on, whatever was started or stopped before: for what switches it
 * from outside of the program. False: it was so already, or the recording is over. Takes locks:
 * not for signal handlers. */
bool session_switch(bool on, enum prof_control_reason reason);

/* Recording will go on soon: collectors get ready for it; or it will not. Nothing while it is
 * on. */
void session_warm(bool soon);

/* Whether prof_step() matters also while recording is off. */
void session_enable_steps(bool wanted);

struct session_status {
    bool on;
    uint32_t windows;                /* how often recording went on so far */
    enum prof_control_reason reason; /* of the last time that it went on or off */
    uint32_t gpu_mode;               /* enum prof_gpu_mode */
    const char *gpu_reason;
};
void session_describe(struct session_status *status);

/* Creates the file if there is none. False: it cannot be had (said once, counted), or is over. */
bool session_ready(void);
bool session_has_file(void);

/* Whether this process has recorded nothing and does not use CUDA. Such a process makes no system call of
 * ours at fork, exec and exit: a sandbox might kill it for one. */
bool session_is_idle(void);

/* Appends a line to the file that PROF_SESSION_FILE names, if it names one. */
void session_announce(const char *line);

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
 * in the file. Takes no lock but the writer's and allocates nothing. The same thread calls session_resume() if
 * exec failed: recording is then as others switched it meanwhile, once no other thread is at it. */
void session_suspend(void);
void session_resume(void);

/* The process enters a sandbox, which may end it for any system call that it did not expect: its recording
 * ends, for good and for its children. What follows are accesses of memory, no system call and no look at
 * the processor's counter. False: it had ended before, or this is a vfork child, which shares memory with the
 * process that records. */
bool session_enter_sandbox(void);
bool session_is_in_sandbox(void);

void session_fork_child(void);

/* CUDA is being initialised in this process. */
void session_cuda_init(void);

/* The writer thread's beat. */
void session_tick_collectors(void);

#endif

/* session.h - the life cycle of a recording: switching on and off, the file, fork, exit.
 *
 *     no file --first event--> file --finish--> closed (for good)
 *        ^                       |
 *        '-----forked child------'
 */
#ifndef PROF_SESSION_H
#define PROF_SESSION_H

#include "environment.h"
#include "recorder.h"

#include "prof/format.h"

#include <stdbool.h>

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

/* Has recording on until session_release(), beside other starts and holds. A stop by anybody else
 * ends all of them: releasing one that has ended does nothing. Both take locks: not for signal
 * handlers. session_hold() returns the hold's token, or 0 if the recording has ended for good. */
uint64_t session_hold(enum prof_control_reason reason);
void session_release(uint64_t token, enum prof_control_reason reason);
/* Whether it has not ended. */
bool session_holds(uint64_t token);

/* `holds` of the holds want a level of detail of their own, at most `level`; while nobody else has
 * recording on, that is what CUPTI records. Threads: one at a time. */
void session_set_gpu_detail(uint32_t holds, uint32_t level);

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

/* ---- session_file.c: the file of a recording ---- */

#define SESSION_PATH_BYTES 4096

/* Creates the file with the name of PROF_OUTPUT; if that is taken, with one beside it that is this
 * process's own. Never overwrites, but renames an earlier file of the same process that has no
 * events. Stores the path. Returns 0, or an errno value. */
int session_file_create(const struct rank *rank, char path[SESSION_PATH_BYTES]);

/* The first chunk's beginning, for a thread of the program's or one of ours; and the records after
 * it, once others may see the file. */
void session_file_fill_header(struct prof_file_header *header, const struct rank *rank,
                              bool by_program);
void session_file_emit_facts(const struct rank *rank);

/* Whether a thread of the program has recorded anything; and that one has. Any thread. */
bool session_file_has_events(void);
void session_file_note_event(void);

/* Whether a daemon keeps the system's clock: looked at, and stated, at the beginning and at the
 * end. */
void session_file_look_at_system_clock(void);
void session_file_emit_system_clock(void);

/* What the collector said by recorder_set_gpu_mode(). Any thread. */
uint32_t session_file_gpu_mode(void);
const char *session_file_gpu_reason(void);

/* In a forked child: no collector has said anything yet. */
void session_file_fork_child(void);

/* ---- writer.c: the writer thread ---- */

/* It extends the file ahead of need, samples the clocks and flushes collectors. It blocks all
 * signals, so the host's handlers never run on it. While there is none, or it is parked, threads
 * that record extend the file themselves. */

/* Starts the thread, once per process. If that fails, recording continues. */
void writer_start(void);

bool writer_runs(void);

/* Has the thread flush everything (session_flush) and waits for at most `deadline_ms`: for callers
 * in a restricted context. Without a writer thread, also while it is parked (workers_park), the
 * caller flushes. */
void writer_flush(unsigned deadline_ms);

/* Ends the thread's periodic work, and waits for that for at most `deadline_ms`. */
void writer_stop(unsigned deadline_ms);

/* In a forked child, which has no writer thread. */
void writer_fork_child(void);

/* ---- starter.c: the recording of a process that has recorded nothing ---- */

/* Recording is on. Starts the thread if it is wanted, and there is no file. */
void starter_begin(void);

/* In a forked child. First in a fork handler: there is no thread. Then, when fork() returns, since
 * a thread's start allocates memory, and an allocator may become usable only after the handlers:
 * starts one for PROF_SAMPLE. PROF_HANG does not watch a child that records nothing, such as one
 * that waits for work. */
void starter_fork_child(void);
void starter_forked(void);

/* The process is about to end or to call exec: from here on, the thread makes no file, and none is
 * half made. Until the call has failed. Any number of times; also in signal handlers, and in a
 * child that shares the process's memory. */
void starter_hold(void);
void starter_release(void);

/* Ends the thread for good; from here on, the others make no system call. */
void starter_end(unsigned deadline_ms);

#endif

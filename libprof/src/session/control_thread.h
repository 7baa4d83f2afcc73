/* control_thread.h - the thread that switches recording from outside of the program: at a time
 * (PROF_START, PROF_STOP), at a signal (PROF_SIGNAL), for profdump ctl (PROF_CONTROL), and for
 * trace requests (requests.h).
 *
 * It exists only if one of these is enabled, and sleeps until one of them happens. The writer
 * thread cannot do this, because it exists only while there is a file, and this thread must also
 * serve processes that do not record yet. It blocks all signals.
 */
#ifndef PROF_CONTROL_THREAD_H
#define PROF_CONTROL_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Once, from the library's constructor, after session_init(). */
void control_thread_init(void);

/* Stops recording `ms` from now, instead of at the time of PROF_STOP. Starts the thread if there is
 * none; false: there can be none. Threads: one at a time. */
bool control_thread_stop_after(uint64_t ms);

/* Waits until profdump ctl can reach this process, if it is to. */
void control_thread_await_entry(unsigned deadline_ms);

/* Grows by one when recording was stopped at a time and everything buffered was written. */
const uint32_t *control_thread_stops(void);

/* In a forked child: begins again there. */
void control_thread_fork_child(void);

/* The process ends: it cannot be found by profdump ctl any more. Safe in signal handlers. */
void control_thread_end(void);

/* The thread ends, and there is none in children any more, until it returns. */
void control_thread_leave(void);
void control_thread_return(void);

/* Has it look at what is due. Any thread, also in signal handlers. */
void control_thread_wake(void);

/* Whether there is such a thread. Not in children made by clone() alone, which have a copy of what
 * its parent knew. */
bool control_thread_runs(void);

/* ---- control_signal.c: PROF_SIGNAL ---- */

/* Reads "USR2", "SIGUSR2", "RTMIN+3" or a number. False for anything else, and for signals that
 * cannot be caught or that report a fault or a child. */
bool control_signal_parse(const char *text, uint64_t *number);

/* Installs the handler. A handler that is there already is called after ours; one that the program
 * installs later replaces ours, as it asks. Each signal calls `switch_over`, in the handler. */
void control_signal_install(int number, void (*switch_over)(void));

/* ---- control_socket.c: the socket of prof/control.h ---- */

/* Makes the directory and the socket, replacing an entry that this process's number had before.
 * Returns the listening descriptor, -1 where no directory can be trusted (said at level 2). */
int control_socket_open(void);

/* Takes one connection and answers it. Waits for a slow caller for a second at most. */
void control_socket_serve(int listener);

/* Removes the entry. Safe in signal handlers. */
void control_socket_remove(void);

/* ---- control_sessions.c: profdump ctl's sessions; on the control thread ---- */

struct control_session {
    uint32_t number; /* from 1 on */
    uint32_t detail; /* enum config_gpu_detail */
    bool has_detail; /* else that of PROF_GPU_DETAIL */
    uint64_t end_ns; /* CLOCK_MONOTONIC; UINT64_MAX: a stop ends it */
    uint64_t hold;   /* session_hold() */
};

/* Begins one that ends after `for_ms`, 0 never. `detail`: a level, or NULL. Returns its number, 0:
 * the recording has ended for good, or there are 16 already. */
uint32_t control_sessions_start(uint64_t for_ms, const uint64_t *detail);
/* False: there is no such session any more. */
bool control_sessions_stop(uint32_t number);
/* The one after `before`, NULL: the first one. Returns NULL after the last one. */
const struct control_session *control_sessions_next(const struct control_session *before);
/* Ends those that are over; when the next one is, CLOCK_MONOTONIC ns. */
void control_sessions_tick(void);
uint64_t control_sessions_due_ns(void);

/* control_commands.c: does what the command says and writes the answer, at most `answer_bytes`.
 * Returns its size. */
size_t control_commands_run(const char *command, char *answer, size_t answer_bytes);

#endif

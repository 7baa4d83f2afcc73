/* own_signal.h - the signal with which libprof interrupts threads of the program, and which no
 * program can receive.
 *
 * glibc keeps two signals for itself: sigaction() refuses their numbers, pthread_sigmask() leaves
 * them unblocked, and no set of sigfillset() has them. So a program can neither handle, reset,
 * block nor await one, unless it makes the system calls itself. libprof shares SIGSETXID, with
 * which glibc has each thread change its user: libprof's handler stands before glibc's and passes
 * on what is not libprof's. Where glibc has put its own back, that one ignores libprof's signals.
 *
 * A signal must not end a system call either. There are two ways to send one:
 *
 *   own_signal_timer_begin()   to a thread that runs, by a timer on its CPU clock. Since Linux 5.9
 *                              (x86-64), the kernel sends it when the thread returns to the
 *                              program, never within a system call: none fails with EINTR or is cut
 *                              short. tgkill() to a thread that runs would do both.
 *   own_signal_send()          to a thread that waits in a futex without a timeout, which then
 *                              waits on.
 */
#ifndef PROF_OWN_SIGNAL_H
#define PROF_OWN_SIGNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum own_signal_use { OWN_SIGNAL_SAMPLES, OWN_SIGNAL_HANG, OWN_SIGNAL_USES };

/* From here on, a signal whose value is an address in the array `values` calls `handle` with it,
 * and with what was interrupted: the handler's third argument. `handle` must be
 * async-signal-safe. */
void own_signal_use(enum own_signal_use use, const void *values, size_t bytes,
                    void (*handle)(void *value, const void *context));

/* Call before each send, on a thread of ours: only then has glibc installed its handler, after
 * which ours goes. False: no signal may be sent, as the program has its own handler for this
 * number. Costs a system call. */
bool own_signal_prepare(void);

/* Has the thread interrupted after each `period_ns` of its CPU time. Returns 0, or an errno
 * value. */
int own_signal_timer_begin(uint32_t tid, void *value, uint64_t period_ns, int *timer);

/* A signal that the kernel has sent just before may still arrive. */
void own_signal_timer_end(int timer);

/* Interrupts the thread now. False: it is gone, or no signal may be sent. */
bool own_signal_send(uint32_t tid, void *value);

/* The number; and what is called before the program makes the system call that changes its
 * disposition, to what `action` points to: when this returns, no signal of libprof's is pending,
 * and none is sent any more. */
#define OWN_SIGNAL_NUMBER 33 /* SIGSETXID, in a header that glibc does not install */
void own_signal_yield(const void *action);

/* In a forked child: timers are not inherited. */
void own_signal_fork_child(void);

/* Whether /proc/self/task/TID/status, whose text this is, says that the thread blocks the
 * signal. */
bool own_signal_is_blocked(const char *status);

#endif

/* futex_wait.h - which futex waits have no timeout. The kernel starts these again after a thread
 * was stopped, or after a handler with SA_RESTART has run, and nothing shows that: no error, no
 * lost wake-up, no longer wait. */
#ifndef PROF_FUTEX_WAIT_H
#define PROF_FUTEX_WAIT_H

#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

/* Newer than the headers of Debian 11; the same number on each processor. */
enum {
    FUTEX_WAIT_CALL_WAITV = 449,     /* Linux 5.16: futex_waitv(2) */
    FUTEX_WAIT_CALL_WAIT = 455,      /* Linux 6.7: futex_wait(2) */
    FUTEX_WAIT_OPERATION_PI2 = 13,   /* Linux 5.14: FUTEX_LOCK_PI2 */
    FUTEX_WAIT_TIMEOUT_OF_WAITV = 3, /* which argument it is */
    FUTEX_WAIT_TIMEOUT_OF_WAIT = 4,
    FUTEX_WAIT_TIMEOUT_OF_FUTEX = 3,
};

/* FUTEX_WAIT_REQUEUE_PI is not among them: once it is requeued, it returns EWOULDBLOCK. */
static inline bool futex_wait_is_endless(long call, const uint64_t arguments[6])
{
    if (call == FUTEX_WAIT_CALL_WAITV)
        return !arguments[FUTEX_WAIT_TIMEOUT_OF_WAITV];
    if (call == FUTEX_WAIT_CALL_WAIT)
        return !arguments[FUTEX_WAIT_TIMEOUT_OF_WAIT];
    const int operation = (int)arguments[1] & FUTEX_CMD_MASK;
    const bool waits = operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET ||
                       operation == FUTEX_LOCK_PI || operation == FUTEX_WAIT_OPERATION_PI2;
    return call == SYS_futex && waits && !arguments[FUTEX_WAIT_TIMEOUT_OF_FUTEX];
}

#endif

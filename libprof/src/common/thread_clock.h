/* thread_clock.h - CPU time of any thread of the process. */
#ifndef PROF_THREAD_CLOCK_H
#define PROF_THREAD_CLOCK_H

#include <stdint.h>
#include <time.h>

/* The kernel's number of a thread's CPU clock; pthread_getcpuclockid() derives it from the thread's
 * number as well. */
static inline clockid_t thread_clock(uint32_t tid)
{
    return (clockid_t)(~tid << 3 | 6u);
}

/* 0: the thread is gone. While it waits, the value does not change: two equal readings mean that it
 * did nothing between. */
static inline uint64_t thread_clock_ns(uint32_t tid)
{
    struct timespec now;
    if (clock_gettime(thread_clock(tid), &now) != 0)
        return 0;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif

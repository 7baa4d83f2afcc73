/* arch.h - the processor-specific part, one file per processor:
 *
 *     arch_ticks()                 the counter, whatever its trust
 *     arch_local_advance()         fetch-and-add to a pointer, not to be split by the
 *                                  thread's own signal handlers
 *     arch_local_cas()             compare-and-swap, likewise
 *     arch_ticks_per_second()      0 unknown
 *     arch_ticks_never_stop()      the counter has one rate at all times
 *     arch_float_hold()            until arch_float_restore(), arithmetic raises no SIGFPE; the
 *                                  flags that it leaves go
 *     arch_float_reset()           for good: as a thread has it that the program did not change
 *     ARCH_CLOCK_KIND              what arch_ticks() reads
 *     ARCH_TRUSTED_CLOCKSOURCE     the kernel's clocksource that proves it trustworthy
 *     ARCH_PAGE_BYTES_MAX          the largest page a kernel may have
 */
#ifndef PROF_ARCH_H
#define PROF_ARCH_H

#if defined(__x86_64__)
#include "arch_x86_64.h"
#elif defined(__aarch64__)
#include "arch_aarch64.h"
#else
#include "arch_generic.h"
#endif

#endif

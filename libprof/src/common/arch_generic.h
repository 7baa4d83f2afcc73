/* arch_generic.h - any other processor: no counter that user code may trust. See arch.h. */
#ifndef PROF_ARCH_GENERIC_H
#define PROF_ARCH_GENERIC_H

#include "prof/format.h"

#include <stdbool.h>
#include <stdint.h>

#define ARCH_PAGE_BYTES_MAX 65536u
#define ARCH_CLOCK_KIND PROF_CLOCK_MONOTONIC

static inline uint64_t arch_ticks(void)
{
    return 0;
}

static inline uint64_t *arch_local_advance(uint64_t **place, uint64_t words)
{
    return __atomic_fetch_add(place, words * sizeof(uint64_t), __ATOMIC_RELAXED);
}

static inline bool arch_local_cas(uint64_t **place, uint64_t *expected, uint64_t *desired)
{
    return __atomic_compare_exchange_n(place, &expected, desired, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
}

static inline uint64_t arch_ticks_per_second(void)
{
    return 0;
}

/* Asked where the kernel keeps time by something else, and then nothing is known of it. */
static inline bool arch_ticks_never_stop(void)
{
    return false;
}

struct arch_float {
    uint32_t unknown;
};

static inline void arch_float_hold(struct arch_float *saved)
{
    (void)saved;
}

static inline void arch_float_restore(const struct arch_float *saved)
{
    (void)saved;
}

static inline void arch_float_reset(void) {}

#define ARCH_TRUSTED_CLOCKSOURCE ""

#endif

/* arch_aarch64.h - what is peculiar to 64-bit Arm (Grace, Jetson). See arch.h. */
#ifndef PROF_ARCH_AARCH64_H
#define PROF_ARCH_AARCH64_H

#include "prof/format.h"

#include <stdbool.h>
#include <stdint.h>

#define ARCH_PAGE_BYTES_MAX 65536u /* kernels with 64 KiB pages exist */
#define ARCH_CLOCK_KIND PROF_CLOCK_CNTVCT

/* The generic timer is architected: constant rate, the same on all cores. */
static inline uint64_t arch_ticks(void)
{
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

/* Atomic against the thread's own signal handlers: relaxed atomics are as cheap as Arm has it. */
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
    uint64_t frequency;
    __asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
    return frequency;
}

/* Asked where the kernel keeps time by something else, and then nothing is known of it. */
static inline bool arch_ticks_never_stop(void)
{
    return false;
}

struct arch_float {
    uint64_t control, status;
};

static inline void arch_float_restore(const struct arch_float *saved)
{
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1"
                     :
                     : "r"(saved->control), "r"(saved->status)
                     : "memory");
}

static inline void arch_float_reset(void)
{
    arch_float_restore(&(struct arch_float){0, 0});
}

static inline void arch_float_hold(struct arch_float *saved)
{
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr"
                     : "=r"(saved->control), "=r"(saved->status)
                     :
                     : "memory");
    arch_float_reset();
}

#define ARCH_TRUSTED_CLOCKSOURCE "arch_sys_counter"

#endif

/* arch_x86_64.h - what is peculiar to x86-64. See arch.h. */
#ifndef PROF_ARCH_X86_64_H
#define PROF_ARCH_X86_64_H

#include "prof/format.h"

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>
#include <x86intrin.h>

#define ARCH_PAGE_BYTES_MAX 4096u
#define ARCH_CLOCK_KIND PROF_CLOCK_TSC

/* rdtsc, not rdtscp: waiting for earlier instructions costs 1.4x and orders nothing we need. */
static inline uint64_t arch_ticks(void)
{
    return __rdtsc();
}

/* Both are atomic against the thread's own signal handlers, not against other threads: no lock
 * prefix, which would cost 7 ns. Of a push+pop pair the exchange takes 1.02x of two plain stores,
 * the compare-and-swap 1.25x. */
static inline uint64_t *arch_local_advance(uint64_t **place, uint64_t words)
{
    uint64_t bytes = words * sizeof(uint64_t);
    __asm__ volatile("xaddq %0, %1" : "+r"(bytes), "+m"(*place) : : "memory");
    return (uint64_t *)bytes;
}

static inline bool arch_local_cas(uint64_t **place, uint64_t *expected, uint64_t *desired)
{
    bool done;
    __asm__ volatile("cmpxchgq %3, %1"
                     : "=@ccz"(done), "+m"(*place), "+a"(expected)
                     : "r"(desired)
                     : "memory");
    return done;
}

/* 0: not known from the processor itself, to be measured. */
static inline uint64_t arch_ticks_per_second(void)
{
    return 0;
}

/* Invariant TSC: does not stop in sleep states, and has a constant rate. */
static inline bool arch_ticks_never_stop(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
}

/* libm's feholdexcept() and fesetenv(), which libprof.so does not link. A thread inherits all of
 * it. */
struct arch_float {
    uint32_t x87[7]; /* long double */
    uint32_t mxcsr;  /* double and float */
};

static inline void arch_float_set(uint32_t mxcsr)
{
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr) : "memory");
}

static inline void arch_float_hold(struct arch_float *saved)
{
    __asm__ volatile("fnstenv %0\n\tstmxcsr %1"
                     : "=m"(saved->x87), "=m"(saved->mxcsr)
                     :
                     : "memory");
    arch_float_set(0x1f80);
}

static inline void arch_float_restore(const struct arch_float *saved)
{
    __asm__ volatile("fldenv %0" : : "m"(saved->x87) : "memory");
    arch_float_set(saved->mxcsr);
}

static inline void arch_float_reset(void)
{
    __asm__ volatile("fninit" : : : "memory");
    arch_float_set(0x1f80);
}

/* The kernel has checked that the counters of all cores agree and never stop iff it uses them
 * itself. */
#define ARCH_TRUSTED_CLOCKSOURCE "tsc"

#endif

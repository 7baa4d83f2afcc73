/* arch.h - the processor-specific part, a section per processor:
 *
 *     arch_ticks()                 the counter, whatever its trust
 *     arch_local_advance()         fetch-and-add to a pointer, not to be split by the
 *                                  thread's own signal handlers
 *     arch_local_cas()             compare-and-swap, likewise
 *     arch_ticks_per_second()      0: not known from the processor itself, to be measured
 *     arch_ticks_never_stop()      the counter has one rate at all times
 *     arch_float_hold()            until arch_float_restore(), arithmetic raises no SIGFPE; the
 *                                  flags that it leaves go
 *     arch_float_reset()           for good: as a thread has it that the program did not change
 *     ARCH_CLOCK_KIND              what arch_ticks() reads
 *     ARCH_TRUSTED_CLOCKSOURCE     the kernel's clocksource that proves it trustworthy
 *     ARCH_PAGE_BYTES_MAX          the largest page a kernel may have
 *     ARCH_CODE_ADDRESS_MASK       the bits of a return address that are an address
 *     ARCH_LIBUNWIND               whether libunwind.so.8 can unwind our own functions
 */
#ifndef PROF_ARCH_H
#define PROF_ARCH_H

#include "prof/format.h"

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)

/* ---- x86-64 ---- */

#include <cpuid.h>
#include <x86intrin.h>

#define ARCH_PAGE_BYTES_MAX 4096u
#define ARCH_CODE_ADDRESS_MASK UINT64_MAX
#define ARCH_LIBUNWIND true
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

#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

/* ---- 64-bit Arm (Grace, Jetson) ---- */

#define ARCH_PAGE_BYTES_MAX 65536u                          /* kernels with 64 KiB pages exist */
#define ARCH_CODE_ADDRESS_MASK UINT64_C(0x0000ffffffffffff) /* not pointer authentication's */
/* libunwind 1.6 cannot unwind functions that sign return addresses; 1.8 fails from the second walk
 * on. */
#define ARCH_LIBUNWIND false
#define ARCH_CLOCK_KIND PROF_CLOCK_CNTVCT

/* The generic timer is architected: constant rate, the same on all cores. */
static inline uint64_t arch_ticks(void)
{
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

/* Both are atomic against the thread's own signal handlers: a handler's return ends the exclusive
 * access, and the store fails. Inline: the compiler's own choice is a call, as not all processors
 * have ldadd and cas (outline atomics). */
static inline uint64_t *arch_local_advance(uint64_t **place, uint64_t words)
{
    uint64_t *before, *after;
    uint32_t failed;
    __asm__ volatile("1:  ldxr %0, %3\n"
                     "    add %1, %0, %4\n"
                     "    stxr %w2, %1, %3\n"
                     "    cbnz %w2, 1b"
                     : "=&r"(before), "=&r"(after), "=&r"(failed), "+Q"(*place)
                     : "Ir"(words * sizeof(uint64_t))
                     : "memory");
    return before;
}

static inline bool arch_local_cas(uint64_t **place, uint64_t *expected, uint64_t *desired)
{
    uint64_t *found;
    uint32_t failed;
    __asm__ volatile("1:  ldxr %0, %2\n"
                     "    cmp %0, %3\n"
                     "    b.ne 2f\n"
                     "    stxr %w1, %4, %2\n"
                     "    cbnz %w1, 1b\n"
                     "2:"
                     : "=&r"(found), "=&r"(failed), "+Q"(*place)
                     : "r"(expected), "r"(desired)
                     : "memory", "cc");
    return found == expected;
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
    const struct arch_float none = {0, 0};
    arch_float_restore(&none);
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

#else
#error "libprof runs on x86-64 and on little-endian aarch64"
#endif

#endif

/* bench_floor.h - the least that any recorder could pay for a push and a pop: two readings of the
 * time-stamp counter and two 24-byte stores into a prefaulted thread-local ring, inline.
 */
#ifndef PROF_BENCH_FLOOR_H
#define PROF_BENCH_FLOOR_H

#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#define FLOOR_EVENTS 4096u

struct floor_event {
    uint64_t ticks, name, kind;
};

static __thread struct floor_event floor_ring[FLOOR_EVENTS];
static __thread uint32_t floor_head;

static inline uint64_t floor_ticks(void)
{
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

static inline void floor_store(uint64_t name, uint64_t kind)
{
    struct floor_event *event = &floor_ring[floor_head++ % FLOOR_EVENTS];
    event->ticks = floor_ticks();
    event->name = name;
    event->kind = kind;
    __asm__ volatile("" : : "r"(event) : "memory");
}

static inline void floor_pairs(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++) {
        floor_store(1, 1);
        floor_store(1, 2);
    }
}

#endif

#include "clock.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define CLOCK_ATTEMPTS 8

uint32_t clock_kind = ARCH_CLOCK_KIND;

static const char *clock_reason; /* clock_choose() releases -> acquires; all callers choose alike */

uint64_t clock_gettime_ns(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_monotonic_ns(void)
{
    return clock_gettime_ns(CLOCK_MONOTONIC);
}

uint64_t clock_now(void)
{
    return clock_read();
}

static bool clock_kernel_trusts_counter(void)
{
    char name[64] = "";
    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                  O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t size = read(fd, name, sizeof name - 1);
    close(fd);
    if (size <= 0)
        return false;
    name[strcspn(name, "\n")] = '\0';
    return strcmp(name, ARCH_TRUSTED_CLOCKSOURCE) == 0;
}

const char *clock_choose(void)
{
    const char *reason = load_acquire(&clock_reason);
    int cancel_state;
    if (reason)
        return reason;
    /* open() is a cancellation point */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    reason = "the processor's counter: the kernel keeps time by it too";
    if (ARCH_CLOCK_KIND == PROF_CLOCK_MONOTONIC || !clock_kernel_trusts_counter()) {
        reason = "CLOCK_MONOTONIC: the kernel does not keep time by the processor's counter";
        store_relaxed(&clock_kind, (uint32_t)PROF_CLOCK_MONOTONIC);
    }
    store_release(&clock_reason, reason);
    pthread_setcancelstate(cancel_state, NULL);
    return reason;
}

/* The counter's rate is not something the processor tells, so it is measured between the first
 * sample and now; 0 as long as less than 20 us have passed, which a sample's width (tens of ns)
 * would blur. */
uint64_t clock_ticks_per_second(void)
{
    static struct prof_rec_clock first;
    if (clock_kind == PROF_CLOCK_MONOTONIC)
        return 1000000000u;
    if (arch_ticks_per_second())
        return arch_ticks_per_second();
    if (first.ticks == 0)
        clock_sample(&first);
    struct prof_rec_clock now;
    do
        clock_sample(&now);
    while (now.monotonic_ns - first.monotonic_ns < 20000);
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)(now.ticks - first.ticks) * 1000000000u /
                      (now.monotonic_ns - first.monotonic_ns));
}

static void clock_sample_once(struct prof_rec_clock *sample)
{
    uint64_t before = clock_read();
    sample->monotonic_ns = clock_gettime_ns(CLOCK_MONOTONIC);
    sample->realtime_ns = clock_gettime_ns(CLOCK_REALTIME);
    uint64_t after = clock_read();
    sample->ticks = before + (after - before) / 2;
    sample->width_ticks = after - before;
}

void clock_sample(struct prof_rec_clock *sample)
{
    clock_sample_once(sample);
    for (int attempt = 1; attempt < CLOCK_ATTEMPTS; attempt++) {
        struct prof_rec_clock again = *sample;
        clock_sample_once(&again);
        if (again.width_ticks < sample->width_ticks)
            *sample = again;
    }
}

#include "sim_clock.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "sim_config.h"

/* Below this a sleep would overshoot by more than it waits: timer slack alone is 50 us. */
static const uint64_t spin_ns = 60000;

static uint64_t origin_ns;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void take_origin(void)
{
    origin_ns = sim_clock_now();
}

uint64_t sim_clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void sleep_until(uint64_t time_ns)
{
    const struct timespec until = {
        .tv_sec = (time_t)(time_ns / 1000000000u),
        .tv_nsec = (long)(time_ns % 1000000000u),
    };
    while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL) == EINTR)
        ;
}

void sim_clock_wait(uint64_t time_ns)
{
    const uint64_t now = sim_clock_now();
    if (time_ns > now + spin_ns)
        sleep_until(time_ns - spin_ns);
    while (sim_clock_now() < time_ns)
        sched_yield();
}

uint64_t sim_clock_device(uint64_t time_ns)
{
    const struct sim_config *config = sim_config();
    pthread_once(&once, take_origin);
    const int64_t elapsed = (int64_t)(time_ns - origin_ns);
    const int64_t drift = elapsed / 1000000 * config->clock_drift_ppm +
                          elapsed % 1000000 * config->clock_drift_ppm / 1000000;
    return (uint64_t)((int64_t)time_ns + drift + config->clock_skew_ns);
}

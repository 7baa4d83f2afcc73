/* event_clock.c - the time of a CUDA event on the CPU's clock: see event_timing.h. */
#define _POSIX_C_SOURCE 200809L
#include "arch.h"
#include "atomic.h"
#include "clock.h"
#include "event_timing.h"

#include <string.h>
#include <time.h>

#define WARM_UP_ROUNDS 5
#define RENEW_NS 1000000000u
#define RESOLUTION_NS 500u /* of cuEventElapsedTime */

/* Polls instead of synchronising: the program may have filled the device with a kernel that waits
 * for the host. */
static bool event_clock_wait_for(const struct driver_library *driver, void *event,
                                 uint64_t deadline_ns)
{
    int result;
    do
        result = driver->cuEventQuery(event);
    while (result == ABI_CUDA_NOT_READY && clock_gettime_ns(CLOCK_MONOTONIC) < deadline_ns);
    return result == ABI_OK;
}

static bool event_clock_round_trip(const struct driver_library *driver, void *event, void *stream)
{
    uint64_t deadline_ns = clock_gettime_ns(CLOCK_MONOTONIC) + EVENT_CLOCK_WAIT_MS * 1000000u;
    return driver->cuEventRecord(event, stream) == ABI_OK &&
           event_clock_wait_for(driver, event, deadline_ns);
}

bool event_clock_set(struct event_clock *clock, const struct driver_library *driver)
{
    uint64_t count = load_relaxed(&clock->count);
    struct event_anchor *anchor = &clock->anchors[count % EVENT_CLOCK_ANCHORS];
    store_relaxed(&clock->set_ns, clock_gettime_ns(CLOCK_MONOTONIC));
    uint64_t before_ns = clock_gettime_ns(CLOCK_REALTIME);
    if (!event_clock_round_trip(driver, anchor->event, clock->stream))
        return false;
    uint64_t after_ns = clock_gettime_ns(CLOCK_REALTIME);
    if (after_ns < before_ns) /* the clock was set just now */
        return false;
    uint64_t half_ns = (after_ns - before_ns) / 2;
    anchor->realtime_ns = before_ns + half_ns;
    anchor->error_ns = half_ns < UINT32_MAX ? (uint32_t)half_ns : UINT32_MAX;
    store_release(&clock->count, count + 1);
    return true;
}

bool event_clock_init(struct event_clock *clock, const struct driver_library *driver)
{
    *clock = (struct event_clock){0};
    if (driver->cuStreamCreate(&clock->stream, ABI_CUDA_STREAM_NON_BLOCKING) != ABI_OK)
        return false;
    for (unsigned i = 0; i < EVENT_CLOCK_ANCHORS; i++)
        if (driver->cuEventCreate(&clock->anchors[i].event, ABI_CUDA_EVENT_DEFAULT) != ABI_OK)
            return false;
    bool answers = true;
    for (int i = 0; i < WARM_UP_ROUNDS && answers; i++)
        answers = event_clock_round_trip(driver, clock->anchors[0].event, clock->stream);
    if (answers)
        event_clock_set(clock, driver);
    return true;
}

bool event_clock_is_due(const struct event_clock *clock)
{
    return clock_gettime_ns(CLOCK_MONOTONIC) - load_relaxed(&clock->set_ns) >= RENEW_NS;
}

/* Not inlined, so that it stays between the calls around it. */
__attribute__((noinline)) static int64_t event_clock_round(float ms)
{
    double ns = (double)ms * 1e6;
    return (int64_t)(ns < 0 ? ns - 0.5 : ns + 0.5);
}

/* Of CUDA's milliseconds, which are a float. */
static int64_t event_clock_to_ns(float ms)
{
    struct arch_float saved;
    arch_float_hold(&saved);
    int64_t ns = event_clock_round(ms);
    arch_float_restore(&saved);
    return ns;
}

/* The distance to the next larger float comes on top of what an event can tell. */
static uint32_t event_clock_float_error_ns(float ms)
{
    uint32_t bits;
    float size = ms < 0 ? -ms : ms, next;
    memcpy(&bits, &size, sizeof bits);
    bits++;
    memcpy(&next, &bits, sizeof next);
    return RESOLUTION_NS + (uint32_t)event_clock_to_ns(next - size);
}

int event_clock_read(const struct event_clock *clock, const struct driver_library *driver,
                     void *start, void *end, struct event_interval *interval)
{
    float since_anchor = 0, length = 0;
    uint64_t count = load_acquire(&clock->count);
    if (count == 0)
        return ABI_CUDA_NOT_READY;
    struct event_anchor anchor = clock->anchors[(count - 1) % EVENT_CLOCK_ANCHORS];
    int result = driver->cuEventElapsedTime(&since_anchor, anchor.event, start);
    if (result == ABI_OK)
        result = driver->cuEventElapsedTime(&length, start, end);
    if (result != ABI_OK)
        return result;
    if (load_acquire(&clock->count) - count >= EVENT_CLOCK_ANCHORS - 1)
        return ABI_CUDA_NOT_READY; /* the anchor may have been another one by now */
    int64_t length_ns = event_clock_to_ns(length);
    interval->start_ns = anchor.realtime_ns + (uint64_t)event_clock_to_ns(since_anchor);
    interval->end_ns = interval->start_ns + (uint64_t)(length_ns > 0 ? length_ns : 0);
    interval->error_ns = anchor.error_ns + event_clock_float_error_ns(since_anchor);
    return ABI_OK;
}

/* start_events.c - an operation per device between two clock readings: see facts.h. */
#include "atomic.h"
#include "callbacks.h"
#include "clock.h"
#include "config.h"
#include "cost.h"
#include "facts.h"
#include "graphs.h"
#include "loader.h"
#include "recorder.h"

#include <errno.h>

#define DEVICE_MAX 64
#define WARM_UP_ROUNDS 5

/* IDLE -> BUSY -> DONE                      (nothing came of it, or CUPTI told the memset's id)
 *              -> AWAITING -> WRITING -> DONE (the id comes with the memset's record) */
enum state { IDLE, BUSY, AWAITING, WRITING, DONE };

struct device {
    uint32_t state;                     /* enum state, moved by compare-and-swap */
    uint64_t before_ticks, after_ticks; /* written in BUSY, read in WRITING */
    void *stream, *event;               /* of the context it was made in; never destroyed */
};

static struct device devices[DEVICE_MAX];

/* The last context that began to be destroyed: enough to keep off it on other threads. */
static const void *dying;

/* Polls instead of synchronising: the program may have filled the device with a kernel that
 * waits for the host, and a synchronising call would wait forever. */
static bool start_events_wait_for(const struct driver_library *driver, void *event,
                                  uint64_t deadline_ns)
{
    int result;
    do
        result = driver->cuEventQuery(event);
    while (result == ABI_CUDA_NOT_READY && clock_monotonic_ns() < deadline_ns);
    return result == ABI_OK;
}

static bool start_events_round_trip(const struct driver_library *driver,
                                    const struct device *device, uint64_t deadline_ns)
{
    return driver->cuEventRecord(device->event, device->stream) == ABI_OK &&
           start_events_wait_for(driver, device->event, deadline_ns);
}

static bool start_events_warm_up(const struct driver_library *driver, struct device *device,
                                 uint64_t deadline_ns)
{
    if (driver->cuStreamCreate(&device->stream, ABI_CUDA_STREAM_NON_BLOCKING) != ABI_OK ||
        driver->cuEventCreate(&device->event, ABI_CUDA_EVENT_DEFAULT) != ABI_OK)
        return false;
    for (int i = 0; i < WARM_UP_ROUNDS; i++)
        if (!start_events_round_trip(driver, device, deadline_ns))
            return false;
    return true;
}

/* The four bytes are left to the context: cuMemFree would wait for everything that runs on the
 * device. */
static bool start_events_bracket(const struct driver_library *driver, struct device *device)
{
    uint64_t deadline_ns = clock_monotonic_ns() + START_EVENTS_WAIT_MS * 1000000u;
    uint64_t address = 0;
    void *after = NULL;
    if (!start_events_warm_up(driver, device, deadline_ns) ||
        driver->cuMemAlloc_v2(&address, START_EVENTS_BYTES) != ABI_OK ||
        driver->cuEventCreate(&after, ABI_CUDA_EVENT_DEFAULT) != ABI_OK ||
        driver->cuEventRecord(device->event, device->stream) != ABI_OK)
        return false;
    device->before_ticks = clock_now();
    if (driver->cuMemsetD32Async(address, START_EVENTS_VALUE, 1, device->stream) != ABI_OK ||
        driver->cuEventRecord(after, device->stream) != ABI_OK ||
        !start_events_wait_for(driver, after, deadline_ns))
        return false;
    device->after_ticks = clock_now();
    return true;
}

static void start_events_write_record(uint32_t index, uint32_t correlation, bool late)
{
    unsigned words = sizeof(struct prof_rec_start_event) / 8;
    uint64_t *space = late ? thread_reserve_late(PROF_REC_START_EVENT, words)
                           : thread_reserve(PROF_REC_START_EVENT, words);
    if (!space)
        return;
    struct prof_rec_start_event *record = (struct prof_rec_start_event *)(void *)space;
    record->device = index;
    record->correlation = correlation;
    record->before_ticks = devices[index].before_ticks;
    record->after_ticks = devices[index].after_ticks;
    thread_commit(space, PROF_REC_START_EVENT, words, thread_ticks(space));
}

static void start_events_run(const struct driver_library *driver, uint32_t index)
{
    struct device *device = &devices[index];
    callbacks_own_begin();
    bool done = start_events_bracket(driver, device);
    uint32_t correlation = callbacks_own_end();
    if (done && correlation)
        start_events_write_record(index, correlation, false);
    store_release(&device->state, done && !correlation ? AWAITING : DONE);
}

/* RELAXED: calls that another thread's capture forbids (creating a stream, allocating) stay
 * allowed here and do not spoil that capture. */
static void start_events_run_outside_capture(const struct driver_library *driver, uint32_t index)
{
    int mode = ABI_CUDA_CAPTURE_MODE_RELAXED;
    int kept_errno = errno;
    uint64_t began = cost_clock();
    if (driver->cuThreadExchangeStreamCaptureMode(&mode) == ABI_OK) {
        start_events_run(driver, index);
        driver->cuThreadExchangeStreamCaptureMode(&mode);
    } else {
        store_release(&devices[index].state, DONE);
    }
    cost_charge(PROF_COST_CUDA, began);
    errno = kept_errno;
}

static bool start_events_driver_has_all(const struct driver_library *driver)
{
    return driver && driver->cuCtxGetCurrent && driver->cuCtxGetDevice &&
           driver->cuThreadExchangeStreamCaptureMode && driver->cuStreamCreate &&
           driver->cuEventCreate && driver->cuEventRecord && driver->cuEventQuery &&
           driver->cuMemAlloc_v2 && driver->cuMemsetD32Async;
}

/* The context must be the thread's current one: cuCtxGetDevice and the rest act on that. */
static bool start_events_current_device(const struct driver_library *driver, const void *context,
                                        int *device)
{
    void *current = NULL;
    return driver->cuCtxGetCurrent(&current) == ABI_OK && current == context &&
           driver->cuCtxGetDevice(device) == ABI_OK;
}

bool start_events_check(void *context)
{
    const struct driver_library *driver = loader_driver();
    if (!config_get()->start_events || !start_events_driver_has_all(driver))
        return true;
    int ordinal = -1;
    if (!recorder_on() || graphs_capture_may_be_active() || context == load_relaxed(&dying) ||
        !start_events_current_device(driver, context, &ordinal))
        return false;
    if (ordinal < 0 || ordinal >= DEVICE_MAX)
        return true;
    uint32_t idle = IDLE;
    if (cas_acq_rel(&devices[ordinal].state, &idle, (uint32_t)BUSY))
        start_events_run_outside_capture(driver, (uint32_t)ordinal);
    return true;
}

void start_events_context(void *context, bool alive)
{
    if (!alive)
        store_relaxed(&dying, context);
    else if (load_relaxed(&dying) == context)
        store_relaxed(&dying, NULL);
}

void start_events_record(uint32_t device, uint32_t correlation)
{
    uint32_t awaiting = AWAITING;
    if (device >= DEVICE_MAX || !cas_acq_rel(&devices[device].state, &awaiting, (uint32_t)WRITING))
        return;
    start_events_write_record(device, correlation, true);
    store_release(&devices[device].state, DONE);
}

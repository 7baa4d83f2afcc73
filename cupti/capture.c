#include "capture.h"

#include "atomic.h"
#include "loader.h"

#include <errno.h>

#define PER_THREAD_STREAM 2u

/* Captures in progress. Too high after a stream was destroyed in mid-capture: then launches ask
 * the driver for nothing. */
static int64_t active;

void capture_began(void)
{
    fetch_add_relaxed(&active, 1);
}

void capture_ended(void)
{
    int64_t seen = load_relaxed(&active);
    while (seen > 0 && !cas_acq_rel(&active, &seen, seen - 1))
        continue;
}

bool capture_may_be_active(void)
{
    return load_relaxed(&active) > 0;
}

bool capture_is_active(uint64_t stream, bool per_thread)
{
    const struct driver_library *driver = loader_driver();
    if (!driver || !driver->cuStreamIsCapturing)
        return false;
    if (!stream && per_thread)
        stream = PER_THREAD_STREAM;
    int status = ABI_CUDA_CAPTURE_NONE;
    int kept_errno = errno;
    int result = driver->cuStreamIsCapturing((void *)(uintptr_t)stream, &status);
    errno = kept_errno;
    return result == ABI_OK && status != ABI_CUDA_CAPTURE_NONE;
}

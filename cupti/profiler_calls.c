#include "profiler_calls.h"

#include "abi.h"
#include "loader.h"
#include "recorder.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

static const struct {
    uint32_t domain, cbid;
    bool start;
} profiler_calls[] = {
    {ABI_DOMAIN_RUNTIME, ABI_CBID_RUNTIME_PROFILER_START, true},
    {ABI_DOMAIN_RUNTIME, ABI_CBID_RUNTIME_PROFILER_STOP, false},
    {ABI_DOMAIN_DRIVER, ABI_CBID_DRIVER_PROFILER_START, true},
    {ABI_DOMAIN_DRIVER, ABI_CBID_DRIVER_PROFILER_STOP, false},
};
#define PROFILER_CALLS (sizeof profiler_calls / sizeof *profiler_calls)

void profiler_calls_enable(void *subscriber)
{
    for (size_t i = 0; i < PROFILER_CALLS; i++)
        loader_cupti()->cuptiEnableCallback(1, subscriber, profiler_calls[i].domain,
                                            profiler_calls[i].cbid);
}

/* The runtime's function calls the driver's: the second switch changes nothing. */
void profiler_calls_receive(uint32_t domain, uint32_t cbid, uint32_t site)
{
    int kept_errno = errno;
    for (size_t i = 0; i < PROFILER_CALLS; i++)
        if (profiler_calls[i].domain == domain && profiler_calls[i].cbid == cbid &&
            site == (profiler_calls[i].start ? ABI_SITE_EXIT : ABI_SITE_ENTER))
            recorder_switch(profiler_calls[i].start, PROF_CONTROL_PROFILER);
    errno = kept_errno;
}

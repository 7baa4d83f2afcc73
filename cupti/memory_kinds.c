#include "memory_kinds.h"

#include "abi_memory.h"
#include "atomic.h"
#include "config.h"
#include "facts.h"
#include "loader.h"
#include "log.h"
#include "oracle.h"
#include "subscription.h"

#include <stdio.h>

static bool from_calls; /* memory_kinds_enable stores -> memory_kinds_from_calls loads */

/* Said once per process: the kinds are enabled again at every start. */
static void note_refused_counters(int result)
{
    static uint32_t said;
    char text[96];
    if (exchange_acquire(&said, 1u))
        return;
    snprintf(text, sizeof text, "CUPTI refused to record migrations of managed memory: error %d",
             result);
    log_line(LOG_ERROR, "%s", text);
    facts_info(PROF_INFO_NOTE, text);
}

static bool enable(const struct oracle *oracle, uint32_t kind)
{
    if (!oracle_size(oracle, kind))
        return false;
    int result = subscription_enable(kind);
    if (result != ABI_OK)
        log_line(LOG_PROCESS, "CUPTI refused activity kind %u: error %d", kind, result);
    return result == ABI_OK;
}

static void enable_unified(void)
{
    static const uint32_t counters[] = {ABI_UNIFIED_HTOD,       ABI_UNIFIED_DTOH,
                                        ABI_UNIFIED_CPU_FAULT,  ABI_UNIFIED_GPU_FAULT,
                                        ABI_UNIFIED_THRASHING,  ABI_UNIFIED_THROTTLING,
                                        ABI_UNIFIED_REMOTE_MAP, ABI_UNIFIED_DTOD};
    enum { COUNTERS = sizeof counters / sizeof *counters };
    const struct cupti_library *cupti = loader_cupti();
    struct abi_unified_config configs[COUNTERS];
    int result = ABI_NOT_SUPPORTED;
    for (unsigned i = 0; i < COUNTERS; i++)
        configs[i] = (struct abi_unified_config){
            .scope = ABI_UNIFIED_ALL_DEVICES, .kind = counters[i], .enable = 1};
    if (cupti->cuptiActivityConfigureUnifiedMemoryCounter)
        result = cupti->cuptiActivityConfigureUnifiedMemoryCounter(configs, COUNTERS);
    if (result == ABI_OK)
        result = subscription_enable(ABI_KIND_UNIFIED_MEMORY);
    if (result != ABI_OK)
        note_refused_counters(result);
}

static bool wants_memory(void)
{
    return config_get()->memory && config_get()->gpu_detail >= CONFIG_DETAIL_STANDARD;
}

void memory_kinds_enable(const struct oracle *oracle)
{
    if (wants_memory()) {
        store_release(&from_calls, !enable(oracle, ABI_KIND_MEMORY));
        enable(oracle, ABI_KIND_MEMORY_POOL);
    }
    if (config_get()->unified_memory)
        enable_unified();
}

void memory_kinds_disable(void)
{
    if (config_get()->unified_memory)
        subscription_disable(ABI_KIND_UNIFIED_MEMORY);
    if (!wants_memory())
        return;
    subscription_disable(ABI_KIND_MEMORY_POOL);
    subscription_disable(ABI_KIND_MEMORY);
}

bool memory_kinds_from_calls(void)
{
    return load_acquire(&from_calls);
}

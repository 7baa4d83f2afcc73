#include "kernel_times.h"

#include "atomic.h"
#include "config.h"
#include "facts.h"
#include "loader.h"
#include "log.h"

#include <stdio.h>

static bool by_hardware; /* set once, before records come -> kernel_times_let_flush loads */

static void say(const char *text)
{
    log_line(LOG_ERROR, "%s", text);
    facts_info(PROF_INFO_NOTE, text);
}

static void note_hardware(int result)
{
    char text[160];
    if (result != ABI_OK) {
        snprintf(text, sizeof text,
                 "PROF_HARDWARE_TRACE: CUPTI cannot have the device time kernels: error %d%s",
                 result, result == ABI_NOT_SUPPORTED ? " (Blackwell and later can)" : "");
        say(text);
        return;
    }
    store_release(&by_hardware, true);
    if (!kernel_times_let_flush())
        say("PROF_HARDWARE_TRACE: before CUDA 13.4 device records are collected only when the "
            "program ends");
}

void kernel_times_before_subscribing(enum subscription_form form)
{
    const struct cupti_library *cupti = loader_cupti();
    uint8_t on = 1;
    size_t bytes = sizeof on;
    if (config_get()->hardware_trace && form == SUBSCRIPTION_SECOND)
        note_hardware(cupti->cuptiActivitySetAttribute_v2(
            NULL, (uint32_t)ABI_ATTRIBUTE_HARDWARE_TRACE, &bytes, &on));
}

static int ask_for_latency(void)
{
    const struct cupti_library *cupti = loader_cupti();
    if (subscription_form() == SUBSCRIPTION_SECOND)
        return subscription_set(ABI_ATTRIBUTE_LATENCY, 1);
    return cupti->cuptiActivityEnableLatencyTimestamps
               ? cupti->cuptiActivityEnableLatencyTimestamps(1)
               : ABI_NOT_SUPPORTED;
}

void kernel_times_subscribed(void)
{
    char text[160];
    int result;
    if (!config_get()->kernel_latency)
        return;
    if (config_get()->hardware_trace) {
        say("PROF_KERNEL_LATENCY is left out: CUPTI cannot do it together with "
            "PROF_HARDWARE_TRACE");
        return;
    }
    if ((result = ask_for_latency()) == ABI_OK)
        return;
    snprintf(text, sizeof text,
             "PROF_KERNEL_LATENCY: CUPTI does not tell when kernels were queued: error %d", result);
    say(text);
}

bool kernel_times_wants_init(void)
{
    return config_get()->hardware_trace && subscription_form() == SUBSCRIPTION_FIRST;
}

void kernel_times_init_finished(void)
{
    const struct cupti_library *cupti = loader_cupti();
    if (kernel_times_wants_init())
        note_hardware(cupti->cuptiActivityEnableHWTrace ? cupti->cuptiActivityEnableHWTrace(1)
                                                        : ABI_NOT_SUPPORTED);
}

bool kernel_times_let_flush(void)
{
    return !load_acquire(&by_hardware) || loader_cupti()->version >= ABI_VERSION_13_4;
}

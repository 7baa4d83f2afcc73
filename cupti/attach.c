#include "attach.h"

#include "activity.h"
#include "callbacks.h"
#include "config.h"
#include "kernel_times.h"
#include "profiler_calls.h"
#include "recorder.h"
#include "refusal.h"
#include "subscription.h"

#include <stdio.h>

#define REASON_BYTES 320u
#define MODE_BYTES 440u

/* One form of CUPTI's interface; what was asked of it last, and who was in the way. */
struct attempt {
    enum subscription_form form;
    const char *mode; /* what the GPU mode says of it, should it do */
    int result;
    const char *step;
    char holder[ABI_OLD_SUBSCRIBER_BYTES];
};

static bool fails(struct attempt *attempt, const char *step, int result)
{
    attempt->step = step;
    attempt->result = result;
    return result != ABI_OK;
}

static bool follow_calls(void)
{
    if (!callbacks_enable(subscription_handle()))
        return false;
    if (CONFIG_MOMENT(config_get()->start) == CONFIG_START_CUDA)
        profiler_calls_enable(subscription_handle());
    return true;
}

/* The GPU mode is stated before kinds are enabled: that may find that not all can be had. */
static void begin_records(struct attempt *attempt, attach_enable enable)
{
    if (fails(attempt, "deliver records",
              activity_begin((size_t)config_get()->gpu_buffer_kib << 10)) ||
        fails(attempt, NULL, follow_calls() ? ABI_OK : ABI_NOT_SUPPORTED))
        return;
    char mode[MODE_BYTES];
    bool minimal = config_get()->gpu_detail == CONFIG_DETAIL_MINIMAL;
    snprintf(mode, sizeof mode, "%s%s", attempt->mode, minimal ? ", PROF_GPU_DETAIL=minimal" : "");
    recorder_set_gpu_mode(PROF_GPU_CUPTI, mode);
    fails(attempt, "record kernels", enable ? enable() : ABI_OK);
}

/* All of one form, from subscribing to enabling kinds, or nothing of it. */
static bool try_form(struct attempt *attempt, attach_enable enable)
{
    kernel_times_before_subscribing(attempt->form);
    if (fails(attempt, "subscribe",
              subscription_open(attempt->form, callbacks_receive, attempt->holder)))
        return false;
    kernel_times_subscribed();
    begin_records(attempt, enable);
    if (attempt->result != ABI_OK)
        subscription_close();
    return attempt->result == ABI_OK;
}

static void describe(const struct attempt *attempt, char *sentence, size_t bytes)
{
    if (attempt->step)
        refusal_sentence(attempt->result, attempt->step, attempt->holder, sentence, bytes);
    else
        snprintf(sentence, bytes, "CUPTI refused every callback");
}

static bool try_first(const char *mode, attach_enable enable, char *why, size_t why_bytes)
{
    struct attempt attempt = {.form = SUBSCRIPTION_FIRST, .mode = mode};
    if (try_form(&attempt, enable))
        return true;
    describe(&attempt, why, why_bytes);
    return false;
}

/* What is refused to the form that lets other tools in may be granted to the one that does not. */
static bool try_first_after(const struct attempt *second, attach_enable enable, char *why,
                            size_t why_bytes)
{
    char sentence[REASON_BYTES], mode[MODE_BYTES];
    describe(second, sentence, sizeof sentence);
    snprintf(mode, sizeof mode, "CUPTI activity records, but not beside other tools: %s", sentence);
    return try_first(mode, enable, why, why_bytes);
}

bool attach_begin(attach_enable enable, char *why, size_t why_bytes)
{
    struct attempt second = {.form = SUBSCRIPTION_SECOND,
                             .mode = "CUPTI activity records, beside other tools"};
    if (!subscription_has_second())
        return try_first("CUPTI activity records", enable, why, why_bytes);
    return try_form(&second, enable) || try_first_after(&second, enable, why, why_bytes);
}

bool attach_again(int refused, attach_enable enable, char *why, size_t why_bytes)
{
    struct attempt failed = {.result = refused, .step = "record kernels"};
    if (subscription_form() == SUBSCRIPTION_SECOND) {
        subscription_close();
        return try_first_after(&failed, enable, why, why_bytes);
    }
    describe(&failed, why, why_bytes);
    return false;
}

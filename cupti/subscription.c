#include "subscription.h"

#include "abi.h"
#include "activity.h"
#include "api_calls.h"
#include "atomic.h"
#include "callbacks.h"
#include "config.h"
#include "loader.h"
#include "other_tool.h"
#include "recorder.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static uint32_t api_in_use; /* enum subscription_api; subscription_open stores -> all load */
static void *handle;        /* likewise; stored before `api_in_use` */
static abi_buffer_requested request; /* subscription_register stores, before CUPTI has them */
static abi_buffer_completed complete;

static bool subscription_is_v2(void)
{
    return load_acquire(&api_in_use) == SUBSCRIPTION_V2;
}

bool subscription_has_v2(void)
{
    const struct cupti_library *cupti = loader_cupti();
    const struct driver_library *driver = loader_driver();
    return cupti && cupti->version >= ABI_VERSION_13_3 && driver &&
           driver->version >= ABI_DRIVER_MULTIPLE_SUBSCRIBERS && cupti->cuptiSubscribe_v2 &&
           cupti->cuptiActivityEnable_v2 && cupti->cuptiActivityDisable_v2 &&
           cupti->cuptiActivityRegisterCallbacks_v2 && cupti->cuptiActivityGetNextRecord_v2 &&
           cupti->cuptiActivityGetNumDroppedRecords_v2 && cupti->cuptiActivitySetAttribute_v2 &&
           cupti->cuptiGetTimestamp_v2;
}

/* ---- subscribing ---- */

/* Queries who holds CUPTI: only the v2 API reports it. */
static void subscription_query_holder(const struct cupti_library *cupti,
                                      char holder[ABI_OLD_SUBSCRIBER_BYTES])
{
    static const abi_callback none = NULL;
    void *subscriber = NULL;
    struct abi_subscriber_params params = {
        .struct_bytes = ABI_SUBSCRIBER_PARAMS_BYTES_13_0,
        .name = "libprof",
        .old_name = holder,
        .old_name_bytes = ABI_OLD_SUBSCRIBER_BYTES,
    };
    if (!*holder && cupti->cuptiSubscribe_v2 &&
        cupti->cuptiSubscribe_v2(&subscriber, none, NULL, &params) == ABI_OK)
        cupti->cuptiUnsubscribe(subscriber);
}

static int subscription_open_v1(const struct cupti_library *cupti, abi_callback callback,
                                void **subscriber, char holder[ABI_OLD_SUBSCRIBER_BYTES])
{
    int result = cupti->cuptiSubscribe(subscriber, callback, NULL);
    if (result == ABI_MULTIPLE_SUBSCRIBERS)
        subscription_query_holder(cupti, holder);
    return result;
}

/* Tests the v2 API by reading its clock before anything depends on it. XLA also falls back to
 * the v1 API where v2's clock fails [openxla/xla PR 44322]. */
static int subscription_open_v2(const struct cupti_library *cupti, abi_callback callback,
                                void **subscriber, char holder[ABI_OLD_SUBSCRIBER_BYTES])
{
    uint64_t time_ns = 0;
    char old_name[ABI_OLD_SUBSCRIBER_BYTES] = "";
    struct abi_subscriber_params params = {
        .struct_bytes = sizeof params,
        .name = "libprof",
        .old_name = old_name,
        .old_name_bytes = sizeof old_name,
        .allow_others = 1,
    };
    int result = cupti->cuptiSubscribe_v2(subscriber, callback, NULL, &params);
    if (result != ABI_OK) {
        /* On success, it would be the name of the first subscriber, which does not matter. */
        memcpy(holder, old_name, sizeof old_name);
        return result;
    }
    result = cupti->cuptiGetTimestamp_v2(*subscriber, &time_ns);
    if (result == ABI_OK && time_ns)
        return ABI_OK;
    cupti->cuptiUnsubscribe(*subscriber);
    return result == ABI_OK ? ABI_NOT_COMPATIBLE : result;
}

int subscription_open(enum subscription_api api, abi_callback callback,
                      char holder[ABI_OLD_SUBSCRIBER_BYTES])
{
    const struct cupti_library *cupti = loader_cupti();
    void *subscriber = NULL;
    int result = api == SUBSCRIPTION_V2
                     ? subscription_open_v2(cupti, callback, &subscriber, holder)
                     : subscription_open_v1(cupti, callback, &subscriber, holder);
    if (result != ABI_OK)
        return result;
    store_release(&handle, subscriber);
    store_release(&api_in_use, (uint32_t)api);
    return ABI_OK;
}

void subscription_close(void)
{
    void *subscriber = load_acquire(&handle);
    store_release(&handle, NULL);
    if (subscriber)
        loader_cupti()->cuptiUnsubscribe(subscriber);
    store_release(&api_in_use, (uint32_t)SUBSCRIPTION_V1);
}

void subscription_forget(void)
{
    store_release(&handle, NULL);
}

enum subscription_api subscription_api(void)
{
    return (enum subscription_api)load_acquire(&api_in_use);
}

void *subscription_handle(void)
{
    return load_acquire(&handle);
}

/* ---- functions of both forms ---- */

static void subscription_requested(uint8_t **buffer, size_t *bytes, size_t *max_records,
                                   const void *info)
{
    (void)info;
    request(buffer, bytes, max_records);
}

static void subscription_completed(uint8_t *buffer, size_t bytes, size_t valid_bytes,
                                   const void *info)
{
    (void)info;
    complete(NULL, 0, buffer, bytes, valid_bytes);
}

int subscription_register(abi_buffer_requested ask, abi_buffer_completed give)
{
    const struct cupti_library *cupti = loader_cupti();
    if (!subscription_is_v2())
        return cupti->cuptiActivityRegisterCallbacks(ask, give);
    request = ask;
    complete = give;
    return cupti->cuptiActivityRegisterCallbacks_v2(subscription_handle(), subscription_requested,
                                                    subscription_completed);
}

/* Those of contexts and streams come at creation; this gives those of what exists. From 11.7 on. */
static int subscription_enable_and_dump(const struct cupti_library *cupti, uint32_t kind)
{
    bool dumps = kind == ABI_KIND_CONTEXT || kind == ABI_KIND_STREAM;
    return dumps && cupti->cuptiActivityEnableAndDump ? cupti->cuptiActivityEnableAndDump(kind)
                                                      : ABI_NOT_SUPPORTED;
}

int subscription_enable(uint32_t kind)
{
    const struct cupti_library *cupti = loader_cupti();
    if (!subscription_is_v2() && subscription_enable_and_dump(cupti, kind) == ABI_OK)
        return ABI_OK;
    return subscription_is_v2() ? cupti->cuptiActivityEnable_v2(subscription_handle(), kind, NULL)
                                : cupti->cuptiActivityEnable(kind);
}

int subscription_disable(uint32_t kind)
{
    const struct cupti_library *cupti = loader_cupti();
    return subscription_is_v2() ? cupti->cuptiActivityDisable_v2(subscription_handle(), kind, NULL)
                                : cupti->cuptiActivityDisable(kind);
}

int subscription_set(enum abi_attribute attribute, uint8_t value)
{
    const struct cupti_library *cupti = loader_cupti();
    size_t bytes = sizeof value;
    if (subscription_is_v2())
        return cupti->cuptiActivitySetAttribute_v2(subscription_handle(), (uint32_t)attribute,
                                                   &bytes, &value);
    return cupti->cuptiActivitySetAttribute
               ? cupti->cuptiActivitySetAttribute((uint32_t)attribute, &bytes, &value)
               : ABI_NOT_SUPPORTED;
}

int subscription_next_record(uint8_t *buffer, size_t valid_bytes, void **record)
{
    const struct cupti_library *cupti = loader_cupti();
    if (!cupti)
        return ABI_NOT_INITIALIZED;
    return subscription_is_v2() ? cupti->cuptiActivityGetNextRecord_v2(subscription_handle(),
                                                                       buffer, valid_bytes, record)
                                : cupti->cuptiActivityGetNextRecord(buffer, valid_bytes, record);
}

int subscription_dropped(size_t *dropped)
{
    const struct cupti_library *cupti = loader_cupti();
    return subscription_is_v2() ? cupti->cuptiActivityGetNumDroppedRecords_v2(subscription_handle(),
                                                                              NULL, 0, dropped)
                                : cupti->cuptiActivityGetNumDroppedRecords(NULL, 0, dropped);
}

bool subscription_confirms(const struct oracle *oracle)
{
    static const uint32_t kinds[] = {ABI_KIND_CONCURRENT_KERNEL, ABI_KIND_MEMCPY, ABI_KIND_MEMSET};
    const struct cupti_library *cupti = loader_cupti();
    for (size_t i = 0; cupti->cuptiActivityGetStructSize && i < sizeof kinds / sizeof *kinds; i++) {
        size_t bytes = 0;
        if (cupti->cuptiActivityGetStructSize(kinds[i], 0, &bytes) == ABI_OK &&
            bytes != oracle_size(oracle, kinds[i]))
            return false;
    }
    return true;
}

/* ---- choosing an API, or explaining why there is none ---- */

#define REASON_BYTES 320u
#define MODE_BYTES 440u

/* One API of CUPTI: the last request, and what refused it. */
struct attempt {
    enum subscription_api api;
    const char *mode; /* what the GPU mode says of it, should it do */
    int result;
    const char *step;
    char holder[ABI_OLD_SUBSCRIBER_BYTES];
};

static bool cupti_attach_fails(struct attempt *attempt, const char *step, int result)
{
    attempt->step = step;
    attempt->result = result;
    return result != ABI_OK;
}

static bool cupti_attach_follow_calls(void)
{
    if (!callbacks_enable(subscription_handle()))
        return false;
    if (CONFIG_MOMENT(config_get()->start) == CONFIG_START_CUDA)
        api_calls_enable_profiler(subscription_handle());
    return true;
}

/* The GPU mode is stated before kinds are enabled: that may find that not all can be had. */
static void cupti_attach_begin_records(struct attempt *attempt, cupti_attach_enable enable)
{
    if (cupti_attach_fails(attempt, "deliver records",
                           activity_begin((size_t)config_get()->gpu_buffer_kib << 10)) ||
        cupti_attach_fails(attempt, NULL, cupti_attach_follow_calls() ? ABI_OK : ABI_NOT_SUPPORTED))
        return;
    char mode[MODE_BYTES];
    bool minimal = recorder_gpu_detail() == CONFIG_DETAIL_MINIMAL;
    snprintf(mode, sizeof mode, "%s%s", attempt->mode, minimal ? ", PROF_GPU_DETAIL=minimal" : "");
    recorder_set_gpu_mode(PROF_GPU_CUPTI, mode);
    cupti_attach_fails(attempt, "record kernels", enable ? enable() : ABI_OK);
}

/* All of one api, from subscribing to enabling kinds, or nothing of it. */
static bool cupti_attach_try_api(struct attempt *attempt, cupti_attach_enable enable)
{
    activity_before_subscribing(attempt->api);
    if (cupti_attach_fails(attempt, "subscribe",
                           subscription_open(attempt->api, callbacks_receive, attempt->holder)))
        return false;
    activity_subscribed();
    cupti_attach_begin_records(attempt, enable);
    if (attempt->result != ABI_OK)
        subscription_close();
    return attempt->result == ABI_OK;
}

static void cupti_attach_describe(const struct attempt *attempt, char *sentence, size_t bytes)
{
    if (attempt->step)
        cupti_attach_explain(attempt->result, attempt->step, attempt->holder, sentence, bytes);
    else
        snprintf(sentence, bytes, "CUPTI refused every callback");
}

static bool cupti_attach_try_v1(const char *mode, cupti_attach_enable enable, char *why,
                                size_t why_bytes)
{
    struct attempt attempt = {.api = SUBSCRIPTION_V1, .mode = mode};
    if (cupti_attach_try_api(&attempt, enable))
        return true;
    cupti_attach_describe(&attempt, why, why_bytes);
    return false;
}

/* What v2 refuses, v1 may allow. */
static bool cupti_attach_try_v1_after(const struct attempt *v2, cupti_attach_enable enable,
                                      char *why, size_t why_bytes)
{
    char sentence[REASON_BYTES], mode[MODE_BYTES];
    cupti_attach_describe(v2, sentence, sizeof sentence);
    snprintf(mode, sizeof mode,
             "CUPTI activity records through the v1 subscriber API, which excludes other tools: %s",
             sentence);
    return cupti_attach_try_v1(mode, enable, why, why_bytes);
}

bool cupti_attach_begin(cupti_attach_enable enable, char *why, size_t why_bytes)
{
    struct attempt v2 = {.api = SUBSCRIPTION_V2,
                         .mode = "CUPTI activity records, beside other tools"};
    if (!subscription_has_v2() || (loader_finds_tool() && other_tool_is_seen()))
        return cupti_attach_try_v1("CUPTI activity records", enable, why, why_bytes);
    return cupti_attach_try_api(&v2, enable) ||
           cupti_attach_try_v1_after(&v2, enable, why, why_bytes);
}

bool cupti_attach_again(int refused, cupti_attach_enable enable, char *why, size_t why_bytes)
{
    struct attempt failed = {.result = refused, .step = "record kernels"};
    if (subscription_api() == SUBSCRIPTION_V2) {
        subscription_close();
        return cupti_attach_try_v1_after(&failed, enable, why, why_bytes);
    }
    cupti_attach_describe(&failed, why, why_bytes);
    return false;
}

/* ---- why CUPTI cannot be had ---- */

struct refusal {
    int result;
    const char *sentence;
};

/* What is the matter, then what to do. */
static const struct refusal refusals[] = {
    {ABI_NOT_INITIALIZED, "CUPTI found no usable CUDA driver, or is newer than the driver"},
    {ABI_UNKNOWN, "CUPTI found no usable CUDA driver: check with nvidia-smi whether it works"},
    {ABI_NO_DEVICE, "CUPTI found no CUDA device: check nvidia-smi and CUDA_VISIBLE_DEVICES"},
    {ABI_NOT_COMPATIBLE, "this libcupti is not compatible with the CUDA driver"},
    {ABI_VIRTUALIZED_DEVICE, "CUPTI does not support this virtual GPU"},
    {ABI_INSUFFICIENT_PRIVILEGES,
     "the driver reserves GPU profiling for administrators: run as root or with CAP_SYS_ADMIN, or "
     "set NVreg_RestrictProfilingToAdminUsers=0 (developer.nvidia.com/ERR_NVGPUCTRPERM)"},
    {ABI_VIRTUALIZED_PRIVILEGES,
     "the hypervisor does not permit profiling of this virtual GPU: its administrator can, per "
     "vGPU (enable_profiling=1)"},
    {ABI_OLD_PROFILER_API, "the program itself uses the old CUDA profiler interface"},
    {ABI_LEGACY_PROFILER, "this CUPTI does not support profiling this GPU"},
    {ABI_CONFIDENTIAL_COMPUTING, "CUPTI does not work under confidential computing"},
    {ABI_CMP_DEVICE, "CUPTI does not support this mining GPU"},
    {ABI_MIG_DEVICE,
     "CUPTI does not support this MIG partition: profile on a whole GPU, or with a newer driver"},
    {ABI_SLI_DEVICE, "CUPTI does not support GPUs in SLI mode: switch SLI off"},
    {ABI_WSL_DEVICE, "CUPTI does not support this GPU under Windows Subsystem for Linux"},
};

static const char *cupti_attach_find(int result)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (refusals[i].result == result)
            return refusals[i].sentence;
    return NULL;
}

static void cupti_attach_name_holder(const char *holder, char *sentence, size_t bytes)
{
    if (holder && *holder)
        snprintf(sentence, bytes, "another tool holds CUPTI: %s; run without it", holder);
    else
        snprintf(sentence, bytes,
                 "another tool holds CUPTI (Nsight, cuda-gdb, PyTorch's profiler ...); run without "
                 "it");
}

/* From CUDA 13.2 on several tools may subscribe, but only with the v2 api of the functions;
 * to the v1 API everything is then incompatible. */
static bool cupti_attach_is_v2_only(int result, const struct cupti_library *cupti)
{
    return result == ABI_NOT_COMPATIBLE && cupti && cupti->version >= ABI_VERSION_13_2;
}

static bool cupti_attach_is_too_new(int result, const struct cupti_library *cupti,
                                    const struct driver_library *driver)
{
    return result == ABI_NOT_INITIALIZED && cupti && driver && driver->version > 0 &&
           cupti->version >= ABI_VERSION_13_0 &&
           (int)(cupti->version / 10000) > driver->version / 1000;
}

static void cupti_attach_explain_too_new(const struct cupti_library *cupti,
                                         const struct driver_library *driver, char *sentence,
                                         size_t bytes)
{
    snprintf(sentence, bytes,
             "this libcupti is of CUDA %u.%u and newer than the driver, which is for CUDA %d.%d: "
             "install a newer driver, or name an older libcupti in PROF_CUPTI",
             cupti->version / 10000, cupti->version / 100 % 100, driver->version / 1000,
             driver->version % 1000 / 10);
}

static void cupti_attach_explain_unknown(int result, const char *step,
                                         const struct cupti_library *cupti, char *sentence,
                                         size_t bytes)
{
    const char *text = NULL;
    if (cupti && cupti->cuptiGetResultString)
        cupti->cuptiGetResultString((uint32_t)result, &text);
    snprintf(sentence, bytes, "CUPTI refused to %s: error %d%s%s", step, result, text ? ", " : "",
             text ? text : "");
}

void cupti_attach_explain(int result, const char *step, const char *holder, char *sentence,
                          size_t bytes)
{
    const struct cupti_library *cupti = loader_cupti();
    const struct driver_library *driver = loader_driver();
    const char *known = cupti_attach_find(result);
    if (result == ABI_MULTIPLE_SUBSCRIBERS)
        cupti_attach_name_holder(holder, sentence, bytes);
    else if (cupti_attach_is_v2_only(result, cupti))
        snprintf(sentence, bytes,
                 "another tool uses CUPTI's v2 subscriber API, which excludes v1 subscribers: run "
                 "without it (error %d on %s)",
                 result, step);
    else if (cupti_attach_is_too_new(result, cupti, driver))
        cupti_attach_explain_too_new(cupti, driver, sentence, bytes);
    else if (known)
        snprintf(sentence, bytes, "%s (error %d on %s)", known, result, step);
    else
        cupti_attach_explain_unknown(result, step, cupti, sentence, bytes);
}

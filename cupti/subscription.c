#include "subscription.h"

#include "atomic.h"
#include "loader.h"

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

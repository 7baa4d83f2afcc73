/* A libcupti whose answers the test chooses with environment variables:
 *
 *     FAKE_VERSION, FAKE_SUBSCRIBE, FAKE_ENABLE   what the functions of that name return
 *     FAKE_HOLDER                                 who holds CUPTI
 *     FAKE_FLUSH=hang                             flushing never returns
 *     FAKE_KERNELS=n                              each flush delivers n kernels
 *     FAKE_BYTES=n                                of which it says that they fill a buffer of n bytes
 *
 * What was asked of it can be read from the fake_* counters.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void (*requested_function)(uint8_t **, size_t *, size_t *);
typedef void (*completed_function)(void *, uint32_t, uint8_t *, size_t, size_t);

_Atomic int fake_enabled_kinds, fake_disabled_kinds, fake_callbacks, fake_flushes, fake_subscribers,
    fake_last_flags;

static requested_function requested;
static completed_function completed;

static int answer(const char *variable, int otherwise)
{
    const char *text = getenv(variable);
    return text ? atoi(text) : otherwise;
}

int cuptiGetVersion(uint32_t *version)
{
    *version = (uint32_t)answer("FAKE_VERSION", 130000);
    return 0;
}

int cuptiSubscribe(void **subscriber, void *callback, void *user)
{
    (void)callback, (void)user;
    int result = answer("FAKE_SUBSCRIBE", 0);
    fake_subscribers += result == 0;
    *subscriber = (void *)&fake_subscribers;
    return result;
}

struct params {
    size_t bytes;
    const char *name;
    char *old_name;
    size_t old_bytes;
};

int cuptiSubscribe_v2(void **subscriber, void *callback, void *user, struct params *params)
{
    const char *holder = getenv("FAKE_HOLDER");
    (void)subscriber, (void)callback, (void)user;
    if (holder && params->old_name)
        snprintf(params->old_name, params->old_bytes, "%s", holder);
    return 39;
}

int cuptiUnsubscribe(void *subscriber)
{
    (void)subscriber;
    fake_subscribers--;
    return 0;
}

int cuptiEnableCallback(uint32_t on, void *subscriber, uint32_t domain, uint32_t cbid)
{
    (void)subscriber, (void)domain, (void)cbid;
    fake_callbacks += on ? 1 : -1;
    return 0;
}

int cuptiActivityEnable(uint32_t kind)
{
    int result = kind == 10 ? answer("FAKE_ENABLE", 0) : 0;
    fake_enabled_kinds += result == 0;
    return result;
}

int cuptiActivityDisable(uint32_t kind)
{
    (void)kind;
    fake_disabled_kinds++;
    return 0;
}

int cuptiActivityRegisterCallbacks(requested_function ask, completed_function give)
{
    requested = ask;
    completed = give;
    return 0;
}

static size_t size_of(uint32_t kind)
{
    switch (kind) {
    case 1:
        return 96;
    case 2:
        return 88;
    case 10:
        return 216;
    default:
        return 0;
    }
}

int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void **record)
{
    uint8_t *at = *record ? *record : buffer;
    uint32_t kind;
    memcpy(&kind, at, sizeof kind);
    if (!size_of(kind))
        return 21;
    if (*record)
        at += size_of(kind);
    if (at + size_of(kind) > buffer + valid)
        return 12;
    *record = at;
    return 0;
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *dropped)
{
    (void)context, (void)stream;
    *dropped = 0;
    return 0;
}

static void put(uint8_t *record, size_t at, uint64_t value, size_t width)
{
    memcpy(record + at, &value, width);
}

static void deliver(int kernels)
{
    uint8_t *buffer = NULL;
    size_t bytes = 0, most = 0;
    requested(&buffer, &bytes, &most);
    const int begun = getenv("FAKE_BYTES") != NULL; /* one more, which does not fit */
    for (int i = 0; i < kernels + begun; i++) {
        uint8_t *record = buffer + (size_t)i * 216;
        put(record, 0, 10, 4);
        put(record, 16, 1000, 8);
        put(record, 24, 2000, 8);
        if (i < kernels)
            put(record, 92, (uint64_t)i + 1, 4);
    }
    size_t valid = (size_t)answer("FAKE_BYTES", kernels * 216);
    completed(NULL, 0, buffer, valid > bytes ? valid : bytes, valid);
}

int cuptiActivityFlushAll(uint32_t flags)
{
    const char *how = getenv("FAKE_FLUSH");
    fake_last_flags = (int)flags;
    fake_flushes++;
    if (how && strcmp(how, "hang") == 0)
        for (;;)
            pause();
    if (answer("FAKE_KERNELS", 0))
        deliver(answer("FAKE_KERNELS", 0));
    return 0;
}

#include "api_calls.h"

#include <string.h>

#define STREAM(field, at) .stream_at = (at) + 1
#define BYTES(field, at) .bytes_at = (at) + 1
#define ELEMENTS(field, at, shift) .bytes_at = (at) + 1, .bytes_shift = (shift)
#define KIND(field, at) .kind_at = (at) + 1
#define PER_THREAD .per_thread = 1
#define ROW(cbid, name, does, ...) [cbid] = {.what = API_##does, __VA_ARGS__},

static const struct api_call runtime_calls[ABI_CBID_COUNT] = {ABI_RUNTIME_CALLS(ROW, ROW)};
static const struct api_call driver_calls[ABI_CBID_COUNT] = {ABI_DRIVER_CALLS(ROW, ROW)};

const struct api_call *api_calls_find(uint32_t domain, uint32_t cbid)
{
    if (cbid >= ABI_CBID_COUNT)
        return NULL;
    const struct api_call *call =
        domain == ABI_DOMAIN_RUNTIME ? &runtime_calls[cbid] : &driver_calls[cbid];
    return call->what == API_NOT_FOLLOWED ? NULL : call;
}

static uint64_t word_at(const void *parameters, unsigned offset)
{
    uint64_t value;
    memcpy(&value, (const char *)parameters + offset, sizeof value);
    return value;
}

/* A launch whose configuration is NULL fails in CUDA: it has no stream. */
static uint64_t stream_of_config(const void *parameters)
{
    const void *config = (const void *)(uintptr_t)word_at(parameters, 0);
    return config ? word_at(config, ABI_CONFIG_STREAM) : 0;
}

static uint64_t stream_of(const struct api_call *call, const void *parameters)
{
    if (call->what == API_KERNEL_CONFIG)
        return stream_of_config(parameters);
    return call->stream_at ? word_at(parameters, call->stream_at - 1u) : 0;
}

static uint64_t bytes_of(const struct api_call *call, const void *parameters)
{
    return call->bytes_at ? word_at(parameters, call->bytes_at - 1u) << call->bytes_shift : 0;
}

/* A copy within the host may be made by the CPU, and cudaMemcpyDefault may turn out to be one. */
static bool names_device(const struct api_call *call, const void *parameters)
{
    uint32_t kind;
    memcpy(&kind, (const char *)parameters + call->kind_at - 1, sizeof kind);
    return kind >= ABI_COPY_HTOD && kind <= ABI_COPY_DTOD;
}

/* Only what is certain: a number that is sometimes wrong would make the ledger useless. So
 * nothing is promised for copies of rectangles and between devices (CUDA may split or stage
 * them) or of zero bytes. */
static uint32_t operations_of(const struct api_call *call, const void *parameters, uint64_t bytes)
{
    switch (call->what) {
    case API_KERNEL:
    case API_KERNEL_CONFIG:
        return 1;
    case API_COPY:
    case API_SET:
        return bytes > 0;
    case API_COPY_BY_KIND:
        return bytes > 0 && names_device(call, parameters);
    default:
        return 0;
    }
}

struct api_effect api_calls_effect(const struct api_call *call, const void *parameters)
{
    struct api_effect effect = {.is_graph = call->what == API_GRAPH};
    if (!parameters)
        return effect;
    effect.stream = stream_of(call, parameters);
    effect.bytes = bytes_of(call, parameters);
    effect.operations = operations_of(call, parameters, effect.bytes);
    return effect;
}

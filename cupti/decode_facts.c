#include "decode_facts.h"

#include "abi_records.h"
#include "facts.h"

/* Another tool asked for it: the driver tells of devices (devices.h). */
bool decode_device(const uint8_t *record, uint32_t size)
{
    (void)record, (void)size;
    return false;
}

bool decode_context(const uint8_t *record, uint32_t size)
{
    (void)size;
    struct prof_rec_context context = {
        .context = abi_uint32_t(record, ABI_CONTEXT_ID),
        .device = abi_uint32_t(record, ABI_CONTEXT_DEVICE),
        .null_stream = abi_uint16_t(record, ABI_CONTEXT_NULL_STREAM),
    };
    facts_state(PROF_REC_CONTEXT, &context, sizeof context);
    return false;
}

bool decode_stream(const uint8_t *record, uint32_t size)
{
    (void)size;
    struct prof_rec_stream stream = {
        .context = abi_uint32_t(record, ABI_STREAM_CONTEXT),
        .stream = abi_uint32_t(record, ABI_STREAM_ID),
        .priority = (int32_t)abi_uint32_t(record, ABI_STREAM_PRIORITY),
        .flags = abi_uint32_t(record, ABI_STREAM_FLAG),
    };
    facts_state(PROF_REC_STREAM, &stream, sizeof stream);
    return false;
}

#include "memory_calls.h"

#include "abi_calls.h"
#include "abi_memory.h"
#include "loader.h"
#include "recorder.h"

#include <errno.h>
#include <time.h>

/* Offsets are stored plus one; 0 = the call has no such argument. */
struct memory_call {
    uint8_t kind, flags;
    uint8_t gives_at, box_at, takes_at;
    uint8_t bytes_at, pitch_at, rows_at, depth_at;
};

#define GIVES(field, at) .gives_at = (at) + 1
#define BOX(field, at) .box_at = (at) + 1
#define TAKES(field, at) .takes_at = (at) + 1
#define BYTES(field, at) .bytes_at = (at) + 1
#define PITCH(field, at) .pitch_at = (at) + 1
#define ROWS(field, at) .rows_at = (at) + 1
#define DEPTH(field, at) .depth_at = (at) + 1
#define ROW(cbid, name, memory, with_flags, ...) \
    [cbid] = {.kind = ABI_MEMORY_KIND_##memory, .flags = (with_flags), __VA_ARGS__},

static const struct memory_call runtime_calls[ABI_CBID_COUNT] = {ABI_RUNTIME_MEMORY_CALLS(ROW)};
static const struct memory_call driver_calls[ABI_CBID_COUNT] = {ABI_DRIVER_MEMORY_CALLS(ROW)};

static const struct memory_call *find(uint32_t domain, uint32_t cbid)
{
    if (cbid >= ABI_CBID_COUNT)
        return NULL;
    const struct memory_call *call =
        domain == ABI_DOMAIN_RUNTIME ? &runtime_calls[cbid] : &driver_calls[cbid];
    return call->gives_at || call->box_at || call->takes_at ? call : NULL;
}

bool memory_calls_follows(uint32_t domain, uint32_t cbid)
{
    return find(domain, cbid) != NULL;
}

static uint64_t word_at(const void *from, unsigned offset)
{
    uint64_t value;
    memcpy(&value, (const char *)from + offset, sizeof value);
    return value;
}

/* What the argument at `at_plus_one` points to; 0 for NULL. */
static uint64_t pointed_at(const void *parameters, unsigned at_plus_one, unsigned offset)
{
    const void *to = (const void *)(uintptr_t)word_at(parameters, at_plus_one - 1);
    return to ? word_at(to, offset) : 0;
}

static uint64_t address_of(const struct memory_call *call, const void *parameters)
{
    if (call->takes_at)
        return word_at(parameters, call->takes_at - 1u);
    return pointed_at(parameters, call->box_at ? call->box_at : call->gives_at, 0);
}

static uint64_t bytes_of(const struct memory_call *call, const void *parameters)
{
    uint64_t bytes;
    if (call->bytes_at)
        return word_at(parameters, call->bytes_at - 1u);
    if (!call->rows_at)
        return 0;
    bytes = call->box_at ? pointed_at(parameters, call->box_at, 8)
                         : pointed_at(parameters, call->pitch_at, 0);
    bytes *= word_at(parameters, call->rows_at - 1u);
    return call->depth_at ? bytes * word_at(parameters, call->depth_at - 1u) : bytes;
}

static bool has_succeeded(const struct abi_call_data *data)
{
    uint32_t result = 1;
    if (data->result)
        memcpy(&result, data->result, sizeof result);
    return result == 0 && data->parameters;
}

/* The context says it too, but a context that is older than the recording is not in the file. */
static uint16_t current_device(void)
{
    const struct driver_library *driver = loader_driver();
    int device = 0;
    if (!driver || !driver->cuCtxGetDevice || driver->cuCtxGetDevice(&device) != ABI_OK ||
        device < 0 || device > UINT16_MAX)
        return UINT16_MAX;
    return (uint16_t)device;
}

static uint64_t realtime_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void write_record(const struct memory_call *call, uint64_t address,
                         const struct abi_call_data *data)
{
    unsigned words = PROF_REC_MEMORY_SHORT_BYTES / 8;
    uint16_t device = current_device();
    uint64_t *space = thread_reserve(PROF_REC_MEMORY, words);
    if (!space)
        return;
    struct prof_rec_memory *memory = (struct prof_rec_memory *)(void *)space;
    memory->time_ns = realtime_ns();
    memory->address = address;
    memory->bytes = bytes_of(call, data->parameters);
    memory->context = data->context_uid == ABI_NO_CONTEXT ? 0 : data->context_uid;
    memory->device = device;
    memory->operation = call->takes_at ? PROF_MEMORY_RELEASE : PROF_MEMORY_ALLOCATE;
    memory->kind = call->kind;
    memory->flags = (uint8_t)(call->flags | PROF_MEMORY_FROM_CALL);
    thread_commit(space, PROF_REC_MEMORY, words, data->correlation);
}

void memory_calls_note(uint32_t domain, uint32_t cbid, const struct abi_call_data *data)
{
    const struct memory_call *call = find(domain, cbid);
    if (!call || !has_succeeded(data))
        return;
    int kept_errno = errno;
    uint64_t address = address_of(call, data->parameters);
    if (address)
        write_record(call, address, data);
    errno = kept_errno;
}

/* device_memory.c - allocations and frees, pools, migrations: see activity.h. */
#include "abi_calls.h"
#include "abi_memory.h"
#include "activity.h"
#include "atomic.h"
#include "clock.h"
#include "config.h"
#include "facts.h"
#include "loader.h"
#include "log.h"
#include "oracle.h"
#include "recorder.h"
#include "subscription.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

/* ---- which kinds are on ---- */

static bool from_calls; /* device_memory_enable stores -> device_memory_from_calls loads */

/* Said once per process: the kinds are enabled again at every start. */
static void device_memory_note_refused_counters(int result)
{
    static uint32_t reported;
    char text[96];
    if (exchange_acquire(&reported, 1u))
        return;
    snprintf(text, sizeof text, "CUPTI refused to record migrations of managed memory: error %d",
             result);
    facts_emit_note(text);
}

static bool device_memory_enable_kind(const struct oracle *oracle, uint32_t kind)
{
    if (!oracle_size(oracle, kind))
        return false;
    int result = subscription_enable(kind);
    if (result != ABI_OK)
        log_line(LOG_PROCESS, "CUPTI refused activity kind %u: error %d", kind, result);
    return result == ABI_OK;
}

static void device_memory_enable_unified(void)
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
        device_memory_note_refused_counters(result);
}

static bool device_memory_wants_memory(void)
{
    return config_get()->memory && activity_detail() >= CONFIG_DETAIL_STANDARD;
}

void device_memory_enable_memory(const struct oracle *oracle)
{
    if (!device_memory_wants_memory())
        return;
    store_release(&from_calls, !device_memory_enable_kind(oracle, ABI_KIND_MEMORY));
    device_memory_enable_kind(oracle, ABI_KIND_MEMORY_POOL);
}

void device_memory_enable(const struct oracle *oracle)
{
    device_memory_enable_memory(oracle);
    if (config_get()->unified_memory)
        device_memory_enable_unified();
}

void device_memory_disable_memory(void)
{
    if (!device_memory_wants_memory())
        return;
    subscription_disable(ABI_KIND_MEMORY_POOL);
    subscription_disable(ABI_KIND_MEMORY);
    store_release(&from_calls, false);
}

void device_memory_disable(void)
{
    if (config_get()->unified_memory)
        subscription_disable(ABI_KIND_UNIFIED_MEMORY);
    device_memory_disable_memory();
}

bool device_memory_from_calls(void)
{
    return load_acquire(&from_calls);
}

/* ---- allocations read from the calls ---- */

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

static const struct memory_call *device_memory_find(uint32_t domain, uint32_t cbid)
{
    if (cbid >= ABI_CBID_COUNT)
        return NULL;
    const struct memory_call *call =
        domain == ABI_DOMAIN_RUNTIME ? &runtime_calls[cbid] : &driver_calls[cbid];
    return call->gives_at || call->box_at || call->takes_at ? call : NULL;
}

bool device_memory_follows_call(uint32_t domain, uint32_t cbid)
{
    return device_memory_find(domain, cbid) != NULL;
}

static uint64_t device_memory_word_at(const void *from, unsigned offset)
{
    uint64_t value;
    memcpy(&value, (const char *)from + offset, sizeof value);
    return value;
}

/* What the argument at `at_plus_one` points to; 0 for NULL. */
static uint64_t device_memory_pointed_at(const void *parameters, unsigned at_plus_one,
                                         unsigned offset)
{
    const void *to = (const void *)(uintptr_t)device_memory_word_at(parameters, at_plus_one - 1);
    return to ? device_memory_word_at(to, offset) : 0;
}

static uint64_t device_memory_address_of(const struct memory_call *call, const void *parameters)
{
    if (call->takes_at)
        return device_memory_word_at(parameters, call->takes_at - 1u);
    return device_memory_pointed_at(parameters, call->box_at ? call->box_at : call->gives_at, 0);
}

static uint64_t device_memory_bytes_of(const struct memory_call *call, const void *parameters)
{
    uint64_t bytes;
    if (call->bytes_at)
        return device_memory_word_at(parameters, call->bytes_at - 1u);
    if (!call->rows_at)
        return 0;
    bytes = call->box_at ? device_memory_pointed_at(parameters, call->box_at, 8)
                         : device_memory_pointed_at(parameters, call->pitch_at, 0);
    bytes *= device_memory_word_at(parameters, call->rows_at - 1u);
    return call->depth_at ? bytes * device_memory_word_at(parameters, call->depth_at - 1u) : bytes;
}

static bool device_memory_has_succeeded(const struct abi_call_data *data)
{
    uint32_t result = 1;
    if (data->result)
        memcpy(&result, data->result, sizeof result);
    return result == 0 && data->parameters;
}

/* The context says it too, but a context that is older than the recording is not in the file. */
static uint16_t device_memory_current_device(void)
{
    const struct driver_library *driver = loader_driver();
    int device = 0;
    if (!driver || !driver->cuCtxGetDevice || driver->cuCtxGetDevice(&device) != ABI_OK ||
        device < 0 || device > UINT16_MAX)
        return UINT16_MAX;
    return (uint16_t)device;
}

static void device_memory_write_record(const struct memory_call *call, uint64_t address,
                                       const struct abi_call_data *data)
{
    unsigned words = PROF_REC_MEMORY_SHORT_BYTES / 8;
    uint16_t device = device_memory_current_device();
    uint64_t *space = thread_reserve(PROF_REC_MEMORY, words);
    if (!space)
        return;
    struct prof_rec_memory *memory = (struct prof_rec_memory *)(void *)space;
    memory->time_ns = clock_gettime_ns(CLOCK_REALTIME);
    memory->address = address;
    memory->bytes = device_memory_bytes_of(call, data->parameters);
    memory->context = data->context_uid == ABI_NO_CONTEXT ? 0 : data->context_uid;
    memory->device = device;
    memory->operation = call->takes_at ? PROF_MEMORY_RELEASE : PROF_MEMORY_ALLOCATE;
    memory->kind = call->kind;
    memory->flags = (uint8_t)(call->flags | PROF_MEMORY_FROM_CALL);
    thread_commit(space, PROF_REC_MEMORY, words, data->correlation);
}

void device_memory_note_call(uint32_t domain, uint32_t cbid, const struct abi_call_data *data)
{
    const struct memory_call *call = device_memory_find(domain, cbid);
    if (!call || !device_memory_has_succeeded(data))
        return;
    int kept_errno = errno;
    uint64_t address = device_memory_address_of(call, data->parameters);
    if (address)
        device_memory_write_record(call, address, data);
    errno = kept_errno;
}

/* ---- activity records ---- */

#define WORDS(bytes) ((unsigned)(bytes) / 8u)

static uint32_t device_memory_known(uint32_t id, uint32_t none)
{
    return id == none ? 0 : id;
}

/* Whether a record has a time and was requested; counts it if not. */
static bool device_memory_is_good(uint64_t time_ns, uint32_t correlation)
{
    if (time_ns == 0) {
        loss_add(PROF_LOSS_ZERO_TIME, 1);
        return false;
    }
    if (lost_was_off(correlation)) {
        loss_add(PROF_LOSS_OUT_OF_WINDOW, 1);
        return false;
    }
    return true;
}

static bool device_memory_is_operation(uint32_t operation)
{
    if (operation == PROF_MEMORY_ALLOCATE || operation == PROF_MEMORY_RELEASE)
        return true;
    loss_add(PROF_LOSS_UNKNOWN_RECORD, 1);
    return false;
}

static void device_memory_fill_memory(struct prof_rec_memory *memory, const uint8_t *record)
{
    memory->time_ns = abi_uint64_t(record, ABI_MEMORY_TIME);
    memory->address = abi_uint64_t(record, ABI_MEMORY_ADDRESS);
    memory->bytes = abi_uint64_t(record, ABI_MEMORY_BYTES);
    memory->context = device_memory_known(abi_uint32_t(record, ABI_MEMORY_CONTEXT), ABI_NO_CONTEXT);
    memory->stream = device_memory_known(abi_uint32_t(record, ABI_MEMORY_STREAM), ABI_NO_STREAM);
    memory->device = abi_narrow16(abi_uint32_t(record, ABI_MEMORY_DEVICE));
    memory->operation = (uint8_t)abi_uint32_t(record, ABI_MEMORY_OPERATION);
    memory->kind = (uint8_t)abi_uint32_t(record, ABI_MEMORY_KIND);
    memory->flags = abi_uint32_t(record, ABI_MEMORY_IS_ASYNC) ? PROF_MEMORY_ASYNC : 0;
    memory->pool_type = (uint8_t)abi_uint32_t(record, ABI_MEMORY_POOL_TYPE);
}

static void device_memory_fill_memory_pool(struct prof_rec_memory *memory, const uint8_t *record,
                                           uint32_t size)
{
    memory->pool = abi_uint64_t(record, ABI_MEMORY_POOL);
    memory->pool_release_threshold = abi_uint64_t(record, ABI_MEMORY_POOL_THRESHOLD);
    if (memory->pool_type != ABI_POOL_TYPE_IMPORTED)
        memory->pool_bytes = abi_uint64_t(record, ABI_MEMORY_POOL_BYTES);
    if (abi_has(size, MEMORY_POOL_USED))
        memory->pool_used_bytes = abi_uint64_t(record, ABI_MEMORY_POOL_USED);
}

bool device_memory_decode(const uint8_t *record, uint32_t size)
{
    uint32_t correlation = abi_uint32_t(record, ABI_MEMORY_CORRELATION);
    if (!device_memory_is_operation(abi_uint32_t(record, ABI_MEMORY_OPERATION)) ||
        !device_memory_is_good(abi_uint64_t(record, ABI_MEMORY_TIME), correlation))
        return false;
    bool in_pool = abi_uint32_t(record, ABI_MEMORY_POOL_TYPE) != 0;
    unsigned words = WORDS(in_pool ? sizeof(struct prof_rec_memory) : PROF_REC_MEMORY_SHORT_BYTES);
    uint64_t *space = thread_reserve_late(PROF_REC_MEMORY, words);
    if (!space)
        return false;
    struct prof_rec_memory *memory = (struct prof_rec_memory *)(void *)space;
    device_memory_fill_memory(memory, record);
    if (in_pool)
        device_memory_fill_memory_pool(memory, record, size);
    thread_commit(space, PROF_REC_MEMORY, words, correlation);
    return false;
}

bool device_memory_decode_pool(const uint8_t *record, uint32_t size)
{
    uint32_t correlation = abi_uint32_t(record, ABI_POOL_CORRELATION);
    unsigned words = WORDS(sizeof(struct prof_rec_memory_pool));
    uint64_t *space = device_memory_is_good(abi_uint64_t(record, ABI_POOL_TIME), correlation)
                          ? thread_reserve_late(PROF_REC_MEMORY_POOL, words)
                          : NULL;
    if (!space)
        return false;
    struct prof_rec_memory_pool *pool = (struct prof_rec_memory_pool *)(void *)space;
    pool->time_ns = abi_uint64_t(record, ABI_POOL_TIME);
    pool->pool = abi_uint64_t(record, ABI_POOL_ADDRESS);
    pool->bytes = abi_uint64_t(record, ABI_POOL_BYTES);
    pool->used_bytes = abi_has(size, POOL_USED) ? abi_uint64_t(record, ABI_POOL_USED) : 0;
    pool->release_threshold = abi_uint64_t(record, ABI_POOL_THRESHOLD);
    pool->keep_bytes = abi_uint64_t(record, ABI_POOL_KEEP_BYTES);
    pool->device = abi_narrow16(abi_uint32_t(record, ABI_POOL_DEVICE));
    pool->operation = (uint8_t)abi_uint32_t(record, ABI_POOL_OPERATION);
    pool->pool_type = (uint8_t)abi_uint32_t(record, ABI_POOL_TYPE);
    pool->process = abi_uint32_t(record, ABI_POOL_PROCESS);
    thread_commit(space, PROF_REC_MEMORY_POOL, words, correlation);
    return false;
}

/* Faults of the CPU, thrashing and remote maps are instants: their end means nothing. */
static bool device_memory_has_end(uint32_t kind)
{
    return kind != ABI_UNIFIED_CPU_FAULT && kind != ABI_UNIFIED_THRASHING &&
           kind != ABI_UNIFIED_REMOTE_MAP;
}

bool device_memory_decode_unified(const uint8_t *record, uint32_t size)
{
    (void)size;
    uint32_t kind = abi_uint32_t(record, ABI_UNIFIED_KIND);
    uint64_t start_ns = abi_uint64_t(record, ABI_UNIFIED_START);
    uint64_t end_ns =
        device_memory_has_end(kind) ? abi_uint64_t(record, ABI_UNIFIED_END) : start_ns;
    if (start_ns == 0 || end_ns < start_ns) {
        loss_add(PROF_LOSS_ZERO_TIME, 1);
        return false;
    }
    unsigned words = WORDS(sizeof(struct prof_rec_unified_memory));
    uint64_t *space = thread_reserve_late(PROF_REC_UNIFIED_MEMORY, words);
    if (!space)
        return false;
    struct prof_rec_unified_memory *unified = (struct prof_rec_unified_memory *)(void *)space;
    unified->start_ns = start_ns;
    unified->end_ns = end_ns;
    unified->address = abi_uint64_t(record, ABI_UNIFIED_ADDRESS);
    unified->value = kind == ABI_UNIFIED_CPU_FAULT ? 1 : abi_uint64_t(record, ABI_UNIFIED_VALUE);
    unified->kind = kind;
    unified->flags = abi_uint32_t(record, ABI_UNIFIED_FLAGS);
    unified->source = abi_uint32_t(record, ABI_UNIFIED_SOURCE);
    unified->target = abi_uint32_t(record, ABI_UNIFIED_TARGET);
    unified->stream = abi_uint32_t(record, ABI_UNIFIED_STREAM);
    unified->process = abi_uint32_t(record, ABI_UNIFIED_PROCESS);
    thread_commit(space, PROF_REC_UNIFIED_MEMORY, words, 0);
    return false;
}

#include "decode_memory.h"

#include "abi_memory.h"
#include "recorder.h"
#include "windows.h"

#define WORDS(bytes) ((unsigned)(bytes) / 8u)

static uint16_t narrow16(uint32_t value)
{
    return value > UINT16_MAX ? UINT16_MAX : (uint16_t)value;
}

static uint32_t known(uint32_t id, uint32_t none)
{
    return id == none ? 0 : id;
}

/* Whether a record has a time and was asked for; counts it where not. */
static bool is_good(uint64_t time_ns, uint32_t correlation)
{
    if (time_ns == 0) {
        loss_add(PROF_LOSS_ZERO_TIME, 1);
        return false;
    }
    if (windows_was_off(correlation)) {
        loss_add(PROF_LOSS_OUT_OF_WINDOW, 1);
        return false;
    }
    return true;
}

static bool is_operation(uint32_t operation)
{
    if (operation == PROF_MEMORY_ALLOCATE || operation == PROF_MEMORY_RELEASE)
        return true;
    loss_add(PROF_LOSS_UNKNOWN_RECORD, 1);
    return false;
}

static void fill_memory(struct prof_rec_memory *memory, const uint8_t *record)
{
    memory->time_ns = abi_uint64_t(record, ABI_MEMORY_TIME);
    memory->address = abi_uint64_t(record, ABI_MEMORY_ADDRESS);
    memory->bytes = abi_uint64_t(record, ABI_MEMORY_BYTES);
    memory->context = known(abi_uint32_t(record, ABI_MEMORY_CONTEXT), ABI_NO_CONTEXT);
    memory->stream = known(abi_uint32_t(record, ABI_MEMORY_STREAM), ABI_NO_STREAM);
    memory->device = narrow16(abi_uint32_t(record, ABI_MEMORY_DEVICE));
    memory->operation = (uint8_t)abi_uint32_t(record, ABI_MEMORY_OPERATION);
    memory->kind = (uint8_t)abi_uint32_t(record, ABI_MEMORY_KIND);
    memory->flags = abi_uint32_t(record, ABI_MEMORY_IS_ASYNC) ? PROF_MEMORY_ASYNC : 0;
    memory->pool_type = (uint8_t)abi_uint32_t(record, ABI_MEMORY_POOL_TYPE);
}

static void fill_memory_pool(struct prof_rec_memory *memory, const uint8_t *record, uint32_t size)
{
    memory->pool = abi_uint64_t(record, ABI_MEMORY_POOL);
    memory->pool_release_threshold = abi_uint64_t(record, ABI_MEMORY_POOL_THRESHOLD);
    if (memory->pool_type != ABI_POOL_TYPE_IMPORTED)
        memory->pool_bytes = abi_uint64_t(record, ABI_MEMORY_POOL_BYTES);
    if (abi_has(size, MEMORY_POOL_USED))
        memory->pool_used_bytes = abi_uint64_t(record, ABI_MEMORY_POOL_USED);
}

bool decode_memory(const uint8_t *record, uint32_t size)
{
    uint32_t correlation = abi_uint32_t(record, ABI_MEMORY_CORRELATION);
    if (!is_operation(abi_uint32_t(record, ABI_MEMORY_OPERATION)) ||
        !is_good(abi_uint64_t(record, ABI_MEMORY_TIME), correlation))
        return false;
    bool in_pool = abi_uint32_t(record, ABI_MEMORY_POOL_TYPE) != 0;
    unsigned words = WORDS(in_pool ? sizeof(struct prof_rec_memory) : PROF_REC_MEMORY_SHORT_BYTES);
    uint64_t *space = thread_reserve_late(PROF_REC_MEMORY, words);
    if (!space)
        return false;
    struct prof_rec_memory *memory = (struct prof_rec_memory *)(void *)space;
    fill_memory(memory, record);
    if (in_pool)
        fill_memory_pool(memory, record, size);
    thread_commit(space, PROF_REC_MEMORY, words, correlation);
    return false;
}

bool decode_memory_pool(const uint8_t *record, uint32_t size)
{
    uint32_t correlation = abi_uint32_t(record, ABI_POOL_CORRELATION);
    unsigned words = WORDS(sizeof(struct prof_rec_memory_pool));
    uint64_t *space = is_good(abi_uint64_t(record, ABI_POOL_TIME), correlation)
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
    pool->device = narrow16(abi_uint32_t(record, ABI_POOL_DEVICE));
    pool->operation = (uint8_t)abi_uint32_t(record, ABI_POOL_OPERATION);
    pool->pool_type = (uint8_t)abi_uint32_t(record, ABI_POOL_TYPE);
    pool->process = abi_uint32_t(record, ABI_POOL_PROCESS);
    thread_commit(space, PROF_REC_MEMORY_POOL, words, correlation);
    return false;
}

/* Faults of the CPU, thrashing and remote maps are instants: their end means nothing. */
static bool has_end(uint32_t kind)
{
    return kind != ABI_UNIFIED_CPU_FAULT && kind != ABI_UNIFIED_THRASHING &&
           kind != ABI_UNIFIED_REMOTE_MAP;
}

bool decode_unified_memory(const uint8_t *record, uint32_t size)
{
    (void)size;
    uint32_t kind = abi_uint32_t(record, ABI_UNIFIED_KIND);
    uint64_t start_ns = abi_uint64_t(record, ABI_UNIFIED_START);
    uint64_t end_ns = has_end(kind) ? abi_uint64_t(record, ABI_UNIFIED_END) : start_ns;
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

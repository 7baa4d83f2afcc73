/* sim_activity_memory.c - memory records: allocations, pools, managed memory. */
#include <stdatomic.h>
#include <unistd.h>

#include "sim_activity.h"
#include "sim_buffer.h"
#include "sim_call.h"
#include "sim_client_clock.h"
#include "sim_clock.h"
#include "sim_context.h"
#include "sim_cupti.h"
#include "sim_memory.h"
#include "sim_model.h"
#include "sim_record.h"
#include "sim_stream.h"
#include "sim_tools.h"

/* CUPTI's counters of managed memory. */
enum counter { HTOD = 1, DTOH = 2, GPU_FAULTS = 4, DTOD = 8, COUNTERS };

/* One fault is reported for a stretch of this size. */
static const uint64_t fault_bytes = 2u << 20;

static const uint32_t local_pool = 1;

static atomic_uint configured; /* a bit per counter */

static uint32_t memory_kind(int type)
{
    static const uint32_t kinds[] = {1, 2, 3, 5}; /* pageable, pinned, device, managed */
    return kinds[type];
}

void sim_activity_memory(const struct sim_memory_change *change)
{
    if (!sim_activity_is_on(SIM_KIND_MEMORY2))
        return;
    const struct sim_record_memory record = {
        .kind = SIM_KIND_MEMORY2,
        .operation = change->is_release ? 2 : 1,
        .memory_kind = memory_kind(change->memory_type),
        .correlation = change->correlation,
        .address = change->address,
        .bytes = change->bytes,
        .timestamp = sim_client_clock_now(),
        .process = (uint32_t)getpid(),
        .device = change->context ? (uint32_t)change->context->device : 0,
        .context = change->context ? change->context->id : UINT32_MAX,
        .stream = change->stream ? change->stream->id : UINT32_MAX,
        .name = change->symbol,
        .is_async = change->stream != NULL,
        .pool_type = change->pool ? local_pool : 0,
        .pool_address = change->pool,
        .pool_threshold = change->pool_release_threshold,
        .pool_size = change->pool_reserved_bytes,
        .pool_used = change->pool_used_bytes,
    };
    sim_buffer_add(&record, 0, 0);
}

void sim_activity_pool(const struct sim_pool_change *change)
{
    if (!sim_activity_is_on(SIM_KIND_MEMORY_POOL))
        return;
    const struct sim_record_pool record = {
        .kind = SIM_KIND_MEMORY_POOL,
        .operation = (uint32_t)change->operation,
        .pool_type = local_pool,
        .correlation = change->correlation,
        .process = (uint32_t)getpid(),
        .device = (uint32_t)change->device,
        .keep_bytes = change->keep_bytes,
        .address = change->address,
        .bytes = change->reserved_bytes,
        .threshold = change->release_threshold,
        .timestamp = sim_client_clock_now(),
        .used = change->used_bytes,
    };
    sim_buffer_add(&record, 0, 0);
}

/* ---- managed memory ---- */

int sim_activity_configure_unified(const uint32_t (*configs)[4], uint32_t count)
{
    unsigned on = atomic_load(&configured);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t kind = configs[i][1];
        SIM_CUPTI_CHECK(kind > 0 && kind < COUNTERS, SIM_CUPTI_INVALID_PARAMETER);
        on = configs[i][3] ? on | 1u << kind : on & ~(1u << kind);
    }
    atomic_store(&configured, on);
    return SIM_CUPTI_OK;
}

/* Without a configuration the kind delivers nothing. */
static void add_counter(enum counter counter, uint64_t value, const struct sim_migration *migration)
{
    if (!sim_activity_is_on(SIM_KIND_UNIFIED_MEMORY) || !(atomic_load(&configured) & 1u << counter))
        return;
    const struct sim_record_unified record = {
        .kind = SIM_KIND_UNIFIED_MEMORY,
        .counter = counter,
        .value = value,
        .start = sim_client_clock_of(sim_clock_device(migration->start_ns)),
        .end = sim_client_clock_of(sim_clock_device(migration->end_ns)),
        .address = migration->address,
        .source = (uint32_t)migration->source,
        .target = (uint32_t)migration->target,
        .stream = UINT32_MAX,
        .process = (uint32_t)getpid(),
        .flags = counter == GPU_FAULTS ? 1 : migration->cause, /* a fault by reading */
    };
    sim_buffer_add(&record, migration->end_ns, 0);
}

static enum counter direction(const struct sim_migration *migration)
{
    if (migration->source == SIM_ON_HOST)
        return HTOD;
    return migration->target == SIM_ON_HOST ? DTOH : DTOD;
}

void sim_activity_migration(const struct sim_migration *migration)
{
    add_counter(direction(migration), migration->bytes, migration);
}

static void touch(const struct sim_op *kernel, const struct sim_allocation *was)
{
    const int device = kernel->stream->context->device;
    struct sim_migration fault = {
        .address = (uint64_t)(uintptr_t)was->base,
        .bytes = was->bytes,
        .start_ns = kernel->start_ns,
        .end_ns = kernel->start_ns + sim_model_migration(was->bytes, was->resident, device),
        .source = device,
        .target = device,
        .cause = SIM_MIGRATION_COHERENCE,
    };
    add_counter(GPU_FAULTS, (was->bytes + fault_bytes - 1) / fault_bytes, &fault);
    fault.source = was->resident;
    sim_activity_migration(&fault);
}

void sim_activity_touch(const struct sim_op *kernel)
{
    struct sim_allocation was;
    while (sim_memory_touch(kernel->stream->context->device, &was))
        touch(kernel, &was);
}

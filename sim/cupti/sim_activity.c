/* sim_activity.c - enabling kinds, clocks, and the records other than those of device work. */
#include "sim_activity.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim_buffer.h"
#include "sim_call.h"
#include "sim_client_clock.h"
#include "sim_clock.h"
#include "sim_context.h"
#include "sim_core.h"
#include "sim_cupti.h"
#include "sim_device.h"
#include "sim_layout.h"
#include "sim_record.h"
#include "sim_stream.h"
#include "sim_tools.h"

enum { MAX_CBIDS = 1024 };

static atomic_uint on[SIM_KINDS];           /* a bit per client */
static _Atomic int8_t api_on[3][MAX_CBIDS]; /* by domain: 0 as the kind, 1 on, -1 off */
static _Atomic uint32_t thread_id_type;

/* ---- switches ---- */

bool sim_activity_is_on(uint32_t kind)
{
    return kind < SIM_KINDS && atomic_load_explicit(&on[kind], memory_order_relaxed);
}

/* In the v1 API copies turn on copies between devices, too; in v2 each is enabled by
 * itself. */
uint32_t sim_activity_clients(uint32_t kind)
{
    uint32_t clients = kind < SIM_KINDS ? atomic_load(&on[kind]) : 0;
    if (kind == SIM_KIND_MEMCPY2)
        clients |= atomic_load(&on[SIM_KIND_MEMCPY]) & 1u;
    return clients;
}

bool sim_activity_client_is_on(uint32_t client)
{
    for (uint32_t kind = 1; kind < SIM_KINDS; kind++)
        if (atomic_load(&on[kind]) & 1u << client)
            return true;
    return false;
}

void sim_activity_disable_client(uint32_t client)
{
    for (uint32_t kind = 1; kind < SIM_KINDS; kind++)
        atomic_fetch_and(&on[kind], ~(1u << client));
}

/* Serialised and concurrent kernel records exclude each other. */
static bool clashes(uint32_t kind)
{
    if (kind == SIM_KIND_KERNEL)
        return sim_activity_is_on(SIM_KIND_CONCURRENT_KERNEL);
    return kind == SIM_KIND_CONCURRENT_KERNEL && sim_activity_is_on(SIM_KIND_KERNEL);
}

/* Kinds a version has records for but refuses to enable without older facilities. */
static bool is_refused(uint32_t kind)
{
    return kind == SIM_KIND_CUDA_EVENT && sim_layout_version() < 22;
}

static void forget_api_switches(uint32_t domain)
{
    for (size_t i = 0; i < MAX_CBIDS; i++)
        atomic_store(&api_on[domain][i], 0);
}

int sim_activity_enable(uint32_t client, uint32_t kind, bool wanted)
{
    if (!sim_layout_size(kind) || is_refused(kind))
        return SIM_CUPTI_INVALID_KIND;
    if (wanted && clashes(kind))
        return SIM_CUPTI_NOT_COMPATIBLE;
    if (wanted)
        atomic_fetch_or(&on[kind], 1u << client);
    else
        atomic_fetch_and(&on[kind], ~(1u << client));
    /* The kind's own switch overrides what was chosen function by function before. */
    if (kind == SIM_KIND_DRIVER)
        forget_api_switches(SIM_DOMAIN_DRIVER);
    if (kind == SIM_KIND_RUNTIME)
        forget_api_switches(SIM_DOMAIN_RUNTIME);
    return SIM_CUPTI_OK;
}

void sim_activity_enable_api(uint32_t domain, uint32_t cbid, bool wanted)
{
    if (cbid < MAX_CBIDS)
        atomic_store(&api_on[domain][cbid], wanted ? 1 : -1);
}

bool sim_activity_wants_api(const struct sim_call *call)
{
    const uint32_t domain = call->api->domain;
    const uint32_t kind = domain == SIM_DOMAIN_DRIVER ? SIM_KIND_DRIVER : SIM_KIND_RUNTIME;
    const uint32_t cbid = sim_layout_cbid(domain, call->api->cbid);
    if (!cbid)
        return false;
    const int8_t own = atomic_load_explicit(&api_on[domain][cbid], memory_order_relaxed);
    return own ? own > 0 : sim_activity_is_on(kind);
}

/* ---- ids ---- */

void sim_activity_set_thread_id_type(uint32_t type)
{
    atomic_store(&thread_id_type, type);
}

uint32_t sim_activity_thread_id_type(void)
{
    return atomic_load(&thread_id_type);
}

static uint32_t this_thread(void)
{
    return sim_activity_thread_id_type() ? (uint32_t)syscall(SYS_gettid)
                                         : (uint32_t)(uintptr_t)pthread_self();
}

/* ---- records ---- */

void sim_activity_api(const struct sim_call *call, uint64_t end_ns)
{
    if (!call->start_ns || !sim_activity_wants_api(call))
        return;
    const uint32_t domain = call->api->domain;
    const struct sim_record_api record = {
        .kind = domain == SIM_DOMAIN_DRIVER ? SIM_KIND_DRIVER : SIM_KIND_RUNTIME,
        .cbid = sim_layout_cbid(domain, call->api->cbid),
        .start = call->start_ns,
        .end = end_ns,
        .process = (uint32_t)getpid(),
        .thread = this_thread(),
        .correlation = call->correlation,
        .result = (uint32_t)call->result,
    };
    sim_buffer_add(&record, 0, 0);
}

void sim_activity_sync(const struct sim_sync *sync)
{
    static const uint32_t none = UINT32_MAX;
    if (!sim_activity_is_on(SIM_KIND_SYNCHRONIZATION))
        return;
    const struct sim_record_sync record = {
        .kind = SIM_KIND_SYNCHRONIZATION,
        .type = (uint32_t)sync->type,
        .start = sync->start_ns,
        .end = sync->end_ns,
        .correlation = sync->correlation,
        .context = sync->context ? sync->context->id : none,
        .stream = sync->stream ? sync->stream->id : none,
        .event = sync->event_id ? sync->event_id : none,
    };
    sim_buffer_add(&record, 0, 0);
}

void sim_activity_context(const struct sim_context *context)
{
    if (!sim_activity_is_on(SIM_KIND_CONTEXT))
        return;
    const struct sim_record_context record = {
        .kind = SIM_KIND_CONTEXT,
        .context = context->id,
        .device = (uint32_t)context->device,
        .api_kind = 1, /* CUDA */
        .null_stream = (uint16_t)context->legacy->id,
        .multiprocessors = SIM_SM_COUNT,
        .process = (uint32_t)getpid(),
    };
    sim_buffer_add(&record, 0, 0);
}

static uint32_t stream_flag(const struct sim_stream *stream)
{
    if (stream->legacy)
        return 3;
    return stream->flags & SIM_STREAM_NON_BLOCKING ? 2 : 1;
}

void sim_activity_stream(const struct sim_stream *stream)
{
    if (!sim_activity_is_on(SIM_KIND_STREAM))
        return;
    const struct sim_record_stream record = {
        .kind = SIM_KIND_STREAM,
        .context = stream->context->id,
        .stream = stream->id,
        .priority = (uint32_t)stream->priority,
        .flag = stream_flag(stream),
        .correlation = sim_call_correlation(),
    };
    sim_buffer_add(&record, 0, 0);
}

void sim_activity_overhead(uint64_t start_ns, uint64_t end_ns)
{
    if (!sim_activity_is_on(SIM_KIND_OVERHEAD))
        return;
    const struct sim_record_overhead record = {
        .kind = SIM_KIND_OVERHEAD,
        .overhead = 1 << 16, /* CUPTI's own: buffer flush */
        .object_kind = 2,    /* a thread */
        .object = {(uint32_t)getpid(), this_thread()},
        .start = sim_client_clock_of(start_ns),
        .end = sim_client_clock_of(end_ns),
    };
    sim_buffer_add(&record, 0, 0);
}

/* ---- what exists already ---- */

static void dump_device(int device)
{
    struct sim_record_device record = {
        .kind = SIM_KIND_DEVICE,
        .flags = 1, /* concurrent kernels */
        .bandwidth_kbs = (uint64_t)SIM_MEMORY_CLOCK_KHZ * 2 * SIM_BUS_BITS / 8,
        .memory = sim_device_memory(),
        .const_bytes = SIM_CONST_BYTES,
        .l2_bytes = SIM_L2_BYTES,
        .warp = SIM_WARP,
        .clock_khz = SIM_CLOCK_KHZ,
        .copy_engines = SIM_COPY_ENGINES,
        .multiprocessors = SIM_SM_COUNT,
        .max_ipc = 4,
        .warps_per_sm = SIM_THREADS_PER_SM / SIM_WARP,
        .blocks_per_sm = SIM_BLOCKS_PER_SM,
        .shared_per_sm = SIM_SHARED_PER_SM,
        .registers_per_sm = SIM_REGISTERS,
        .registers_per_block = SIM_REGISTERS,
        .shared_per_block = SIM_SHARED_PER_BLOCK,
        .threads_per_block = SIM_MAX_THREADS,
        .max_block = {1024, 1024, 64},
        .max_grid = {0x7fffffff, 65535, 65535},
        .major = SIM_CC_MAJOR,
        .minor = SIM_CC_MINOR,
        .id = (uint32_t)device,
        .name = sim_device_name(device),
        .is_visible = 1,
    };
    sim_device_uuid(device, record.uuid);
    sim_buffer_add(&record, 0, 0);
}

static void dump_contexts(bool streams)
{
    sim_core_lock();
    for (const struct sim_context *c = sim_context_first_locked(); c; c = c->next) {
        if (!streams)
            sim_activity_context(c);
        for (const struct sim_stream *s = c->streams; streams && s; s = s->next)
            if (!s->legacy)
                sim_activity_stream(s);
    }
    sim_core_unlock();
}

void sim_activity_dump(uint32_t kind)
{
    if (kind == SIM_KIND_DEVICE)
        for (int device = 0; device < sim_device_count(); device++)
            dump_device(device);
    if (kind == SIM_KIND_CONTEXT || kind == SIM_KIND_STREAM)
        dump_contexts(kind == SIM_KIND_STREAM);
}

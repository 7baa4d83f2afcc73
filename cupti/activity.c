#include "activity.h"

#include "atomic.h"
#include "callbacks.h"
#include "clock.h"
#include "config.h"
#include "cost.h"
#include "facts.h"
#include "graphs.h"
#include "loader.h"
#include "log.h"
#include "other_tool.h"
#include "own_thread.h"
#include "recorder.h"
#include "subscription.h"

#include <errno.h>
#include <stdio.h>

#define SPARE_BUFFERS 2u

/* In the order in which they are enabled: descriptions before events. From which PROF_GPU_DETAIL
 * on. */
static const struct {
    uint32_t kind;
    enum config_gpu_detail from;
} kinds[] = {
    {ABI_KIND_CONTEXT, CONFIG_DETAIL_MINIMAL},
    {ABI_KIND_STREAM, CONFIG_DETAIL_MINIMAL},
    {ABI_KIND_CONCURRENT_KERNEL, CONFIG_DETAIL_MINIMAL},
    {ABI_KIND_MEMCPY, CONFIG_DETAIL_MINIMAL},
    {ABI_KIND_MEMSET, CONFIG_DETAIL_MINIMAL},
    {ABI_KIND_PEER_MEMCPY, CONFIG_DETAIL_MINIMAL},
    {ABI_KIND_SYNCHRONIZATION, CONFIG_DETAIL_STANDARD},
    {ABI_KIND_OVERHEAD, CONFIG_DETAIL_STANDARD},
    {ABI_KIND_CUDA_EVENT, CONFIG_DETAIL_FULL}, /* old versions refuse: waits do not say for what */
};
#define KIND_COUNT (sizeof kinds / sizeof *kinds)

static struct oracle
    oracle;              /* filled by activity_begin, before the callbacks are handed to CUPTI */
static activity_tap tap; /* activity_set_tap releases -> completed acquires */
static bool closed GUEST_DATA;   /* activity_close stores -> completed loads */
static uint32_t detail_in_force; /* 1 + enum config_gpu_detail; activity_set_detail() stores */

/* Up to 13.0 a flush on one thread while another one disables a kind crashes or hangs. The
 * flusher's thread does both, except in activity_flush_inline(). Each side announces itself, then
 * checks for the other. If both are active, neither waits: the work is left for later. */
static bool has_buffer_per_thread; /* activity_begin */
static uint64_t delivered_bytes;   /* since they were last looked at */
static uint32_t inline_flushes;    /* in progress */
static uint32_t disabling;         /* kinds are being disabled */
static uint32_t others_disabling;  /* another tool disables kinds */
static uint64_t flushing_since; /* of the flusher's thread, CLOCK_MONOTONIC; 0: it does not flush */
static __thread bool thread_is_marked;

/* CUPTI's worker gets a log of its own; that it is not the program's must be reported in it. */
static void activity_mark_thread(void)
{
    if (thread_is_marked || callbacks_is_program_thread())
        return;
    thread_is_marked = true;
    own_thread_adopt();
}

static void activity_requested(uint8_t **buffer, size_t *bytes, size_t *max_records)
{
    int kept_errno = errno;
    *buffer = buffers_acquire(bytes);
    *max_records = 0; /* as many as fit */
    errno = kept_errno;
}

static void activity_decode(uint8_t *buffer, size_t valid_bytes)
{
    activity_tap see = load_acquire(&tap);
    if (see)
        see(buffer, valid_bytes);
    activity_mark_thread();
    struct decode_result result =
        decode_buffer(&oracle, subscription_next_record, buffer, valid_bytes);
    if (result.unreadable)
        log_line(LOG_BUFFER, "%llu bytes of a CUPTI buffer could not be read",
                 (unsigned long long)result.unreadable);
}

static __thread uint64_t decoded_ns; /* CPU time on this thread so far */

uint64_t activity_decoded_ns(void)
{
    return decoded_ns;
}

/* At the end, PROF_COST_END covers the program's wait. */
static void activity_cost_ends(bool on_program, uint64_t began)
{
    if (on_program && !recorder_ending())
        cost_charge(PROF_COST_INLINE, began);
    if (on_program)
        return;
    uint64_t ns = cost_thread_ns() - began;
    decoded_ns += ns;
    cost_add_ns(PROF_COST_DECODE, 1, ns);
}

static void activity_completed(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
                               size_t valid_bytes)
{
    (void)context, (void)stream;
    if (!buffer || load_acquire(&closed))
        return;
    int kept_errno = errno;
    size_t own_bytes = buffers_bytes(buffer);
    if (own_bytes && bytes > own_bytes)
        bytes = own_bytes;
    if (valid_bytes > bytes)
        valid_bytes = bytes;
    fetch_add_relaxed(&delivered_bytes, valid_bytes);
    bool on_program = callbacks_is_program_thread();
    /* a program's thread waits meanwhile, so elapsed time counts; on other threads, CPU time */
    uint64_t began = on_program ? cost_clock() : cost_thread_ns();
    if (buffers_is_last_resort(buffer))
        loss_add(PROF_LOSS_GPU_BUFFER, decode_count_only(&oracle, buffer, valid_bytes));
    else
        activity_decode(buffer, valid_bytes);
    buffers_release(buffer, valid_bytes);
    activity_cost_ends(on_program, began);
    errno = kept_errno;
}

/* Also covers other tools' buffers, except v2 subscribers': a tool that we do not see coming may
 * break the promise. */
void activity_promise_zeroes(bool on)
{
    subscription_set(ABI_ATTRIBUTE_ZEROED_OUT_BUFFER, on);
}

int activity_begin(size_t buffer_bytes)
{
    const struct cupti_library *cupti = loader_cupti();
    if (!oracle_query(&oracle, subscription_next_record) || !subscription_confirms(&oracle))
        return ABI_NOT_COMPATIBLE;
    /* None is prepared before the first tick: a short program needs few pages. */
    buffers_init(buffer_bytes);
    activity_promise_zeroes(subscription_api() == SUBSCRIPTION_V2 || other_tool_is_seen());
    has_buffer_per_thread = cupti->version >= ABI_VERSION_12_3;
    if (has_buffer_per_thread)
        subscription_set(ABI_ATTRIBUTE_PER_THREAD_BUFFER, 1);
    graphs_prepare_kind(&oracle);
    return subscription_register(activity_requested, activity_completed);
}

int activity_register_again(void)
{
    return subscription_register(activity_requested, activity_completed);
}

/* What stays unknown without the kind; NULL when it is not an operation. */
static const char *activity_operations_of(uint32_t kind)
{
    switch (kind) {
    case ABI_KIND_MEMCPY:
        return "copies";
    case ABI_KIND_PEER_MEMCPY:
        return "copies between devices";
    case ABI_KIND_MEMSET:
        return "sets";
    default:
        return NULL;
    }
}

static void activity_note_refused_kind(uint32_t kind, int result)
{
    const char *operations = activity_operations_of(kind);
    char text[96];
    log_line(LOG_PROCESS, "CUPTI refused activity kind %u: error %d", kind, result);
    if (!operations)
        return;
    snprintf(text, sizeof text, "CUPTI refused to record %s: error %d", operations, result);
    recorder_set_gpu_mode(PROF_GPU_PARTIAL, text);
}

uint32_t activity_detail(void)
{
    uint32_t detail = load_relaxed(&detail_in_force);
    return detail ? detail - 1 : recorder_gpu_detail();
}

static bool activity_is_wanted(size_t i)
{
    return (uint32_t)kinds[i].from <= activity_detail();
}

int activity_enable(void)
{
    int outcome = ABI_OK;
    for (size_t i = 0; i < KIND_COUNT; i++) {
        int result = activity_is_wanted(i) ? subscription_enable(kinds[i].kind) : ABI_OK;
        if (result == ABI_OK)
            continue;
        activity_note_refused_kind(kinds[i].kind, result);
        if (kinds[i].kind == ABI_KIND_CONCURRENT_KERNEL)
            outcome = result;
    }
    graphs_enable_kind();
    device_memory_enable(&oracle);
    return outcome;
}

static void activity_disable_all(void)
{
    device_memory_disable();
    graphs_disable_kind();
    for (size_t i = KIND_COUNT; i-- > 0;)
        if (activity_is_wanted(i))
            subscription_disable(kinds[i].kind);
}

bool activity_disable(void)
{
    exchange_seq_cst(&disabling, 1u);
    bool alone = load_seq_cst(&inline_flushes) == 0;
    if (alone)
        activity_disable_all();
    exchange_seq_cst(&disabling, 0u);
    return alone;
}

static void activity_add_detail(uint32_t before, uint32_t detail)
{
    store_relaxed(&detail_in_force, 1 + detail);
    for (size_t i = 0; i < KIND_COUNT; i++) {
        bool is_new = (uint32_t)kinds[i].from > before && activity_is_wanted(i);
        int result = is_new ? subscription_enable(kinds[i].kind) : ABI_OK;
        if (result != ABI_OK)
            activity_note_refused_kind(kinds[i].kind, result);
    }
    if (before == CONFIG_DETAIL_MINIMAL)
        device_memory_enable_memory(&oracle);
}

static void activity_remove_detail(uint32_t detail)
{
    if (detail == CONFIG_DETAIL_MINIMAL)
        device_memory_disable_memory();
    for (size_t i = KIND_COUNT; i-- > 0;)
        if (activity_is_wanted(i) && (uint32_t)kinds[i].from > detail)
            subscription_disable(kinds[i].kind);
    store_relaxed(&detail_in_force, 1 + detail);
}

bool activity_set_detail(uint32_t detail, bool kinds_are_on)
{
    uint32_t before = activity_detail();
    if (!kinds_are_on) {
        store_relaxed(&detail_in_force, 1 + detail);
        return true;
    }
    if (detail > before)
        activity_add_detail(before, detail);
    if (detail >= before)
        return true;
    exchange_seq_cst(&disabling, 1u);
    bool alone = load_seq_cst(&inline_flushes) == 0;
    if (alone)
        activity_remove_detail(detail);
    exchange_seq_cst(&disabling, 0u);
    return alone;
}

/* The count is CUPTI's since it was last asked: asking resets it. Never asked in a buffer
 * callback: kineto met a deadlock there. */
static void activity_count_dropped(void)
{
    size_t dropped = 0;
    if (subscription_dropped(&dropped) == ABI_OK && dropped)
        loss_add(PROF_LOSS_CUPTI_DROPPED, dropped);
}

static void activity_note_failed_flush(int result)
{
    static uint32_t reported;
    char text[96];
    if (exchange_acquire(&reported, 1u))
        return;
    snprintf(text, sizeof text, "CUPTI failed to deliver device records: error %d", result);
    facts_emit_note(text);
}

static bool activity_flush_and_count(unsigned flags)
{
    const struct cupti_library *cupti = loader_cupti();
    if (!cupti || load_acquire(&closed))
        return true;
    int result = cupti->cuptiActivityFlushAll(flags);
    if (result != ABI_OK)
        activity_note_failed_flush(result);
    activity_count_dropped();
    return result == ABI_OK;
}

bool activity_flush(unsigned flags)
{
    exchange_seq_cst(&flushing_since, clock_monotonic_ns());
    bool done = load_seq_cst(&others_disabling) || other_tool_has_records() ||
                activity_flush_and_count(flags);
    store_release(&flushing_since, 0);
    return done;
}

/* True if a flush did not return in time: another one would hang the program, too. */
static bool activity_flush_hangs(void)
{
    uint64_t since = load_relaxed(&flushing_since);
    return since && clock_monotonic_ns() - since > config_get()->exit_ms * 1000000u;
}

void activity_flush_inline(unsigned flags)
{
    if (activity_flush_hangs())
        return;
    fetch_add_seq_cst(&inline_flushes, 1u);
    if (!load_seq_cst(&disabling) && !load_seq_cst(&others_disabling))
        activity_flush_and_count(flags);
    fetch_add_seq_cst(&inline_flushes, (uint32_t)-1);
}

/* Disabling takes microseconds, unless it hangs. */
void activity_block_disabling(bool on)
{
    fetch_add_seq_cst(&inline_flushes, on ? 1u : (uint32_t)-1);
    for (int i = 0; i < 10000 && on && load_seq_cst(&disabling) && !callbacks_are_on_stack(); i++)
        clock_pause(50);
}

void activity_block_flushing(bool on)
{
    fetch_add_seq_cst(&others_disabling, on ? 1u : (uint32_t)-1);
    while (on && load_seq_cst(&flushing_since) && !activity_flush_hangs() &&
           !callbacks_are_on_stack())
        clock_pause(50);
}

void activity_disable_inline(void)
{
    activity_block_flushing(true);
    activity_disable_all();
    activity_block_flushing(false);
}

/* CUPTI hands a buffer back when all of it has ended. While a device is never idle that is a full
 * buffer, so its size, in time, is what is lost when the process is killed: half a period of
 * flushing, at the rate at which records come. From 13.0 on each thread fills one of its own. A
 * falling rate is followed slowly. */
static void activity_fit_buffers(void)
{
    static uint64_t last_ns, bytes_per_s; /* the flusher's thread */
    uint64_t now = clock_monotonic_ns(), elapsed_ns = now - last_ns;
    if (last_ns && elapsed_ns < 1000000)
        return;
    uint64_t bytes = exchange_acquire(&delivered_bytes, 0);
    uint64_t rate = last_ns ? bytes * 1000000000 / elapsed_ns : 0;
    bytes_per_s = rate > bytes_per_s ? rate : bytes_per_s - (bytes_per_s - rate) / 8;
    last_ns = now;
    uint64_t threads = has_buffer_per_thread ? callbacks_count_threads() : 1;
    buffers_fit(bytes_per_s * config_get()->flush_ms / 2000 / (threads ? threads : 1));
}

void activity_prepare(void)
{
    activity_fit_buffers();
    buffers_prepare(SPARE_BUFFERS);
}

GUEST_PATH void activity_close(void)
{
    store_release(&closed, true);
}

const struct oracle *activity_oracle(void)
{
    return &oracle;
}

void activity_set_tap(activity_tap see)
{
    store_release(&tap, see);
}

/* ---- how kernels are timed, where that is the user's choice ---- */

static bool by_hardware; /* set once, before records come -> activity_may_flush loads */

static void activity_note_hardware(int result)
{
    char text[160];
    if (result != ABI_OK) {
        snprintf(
            text, sizeof text,
            "PROF_HARDWARE_TRACE: CUPTI cannot enable kernel times from the device: error %d%s",
            result, result == ABI_NOT_SUPPORTED ? " (Blackwell and later can)" : "");
        facts_emit_note(text);
        return;
    }
    store_release(&by_hardware, true);
    if (!activity_may_flush())
        facts_emit_note(
            "PROF_HARDWARE_TRACE: before CUDA 13.4 device records are collected only when the "
            "program ends");
}

void activity_before_subscribing(enum subscription_api api)
{
    const struct cupti_library *cupti = loader_cupti();
    uint8_t on = 1;
    size_t bytes = sizeof on;
    if (config_get()->hardware_trace && api == SUBSCRIPTION_V2)
        activity_note_hardware(cupti->cuptiActivitySetAttribute_v2(
            NULL, (uint32_t)ABI_ATTRIBUTE_HARDWARE_TRACE, &bytes, &on));
}

static int activity_enable_latency(void)
{
    const struct cupti_library *cupti = loader_cupti();
    if (subscription_api() == SUBSCRIPTION_V2)
        return subscription_set(ABI_ATTRIBUTE_LATENCY, 1);
    return cupti->cuptiActivityEnableLatencyTimestamps
               ? cupti->cuptiActivityEnableLatencyTimestamps(1)
               : ABI_NOT_SUPPORTED;
}

void activity_subscribed(void)
{
    char text[160];
    int result;
    if (!config_get()->kernel_latency)
        return;
    if (config_get()->hardware_trace) {
        facts_emit_note("PROF_KERNEL_LATENCY ignored: CUPTI does not support it together with "
                        "PROF_HARDWARE_TRACE");
        return;
    }
    if ((result = activity_enable_latency()) == ABI_OK)
        return;
    snprintf(text, sizeof text,
             "PROF_KERNEL_LATENCY: CUPTI does not report when kernels were queued: error %d",
             result);
    facts_emit_note(text);
}

bool activity_wants_init(void)
{
    return config_get()->hardware_trace && subscription_api() == SUBSCRIPTION_V1;
}

void activity_init_finished(void)
{
    const struct cupti_library *cupti = loader_cupti();
    if (activity_wants_init())
        activity_note_hardware(cupti->cuptiActivityEnableHWTrace
                                   ? cupti->cuptiActivityEnableHWTrace(1)
                                   : ABI_NOT_SUPPORTED);
}

bool activity_may_flush(void)
{
    return !load_acquire(&by_hardware) || loader_cupti()->version >= ABI_VERSION_13_4;
}

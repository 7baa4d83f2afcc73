#define _GNU_SOURCE
#include "other_tool.h"

#include "activity.h"
#include "atomic.h"
#include "callbacks.h"
#include "clock.h"
#include "facts.h"
#include "glibc_only.h"
#include "loaded.h"
#include "loader.h"
#include "log.h"
#include "recorder.h"
#include "subscription.h"

#include <dlfcn.h>
#include <errno.h>
#include <time.h>

#define GONE_AFTER_NS 1000000000u

static const char reason[] =
    "another tool in the process, such as PyTorch's profiler, took CUPTI's "
    "records: what ran meanwhile is missing";

/* OURS --register--> TAKEN --disables kernels--> ENDING --flush, or a second--> OURS */
enum records { OURS, TAKEN, ENDING };

static uint32_t records;   /* enum records; the other tool's threads and other_tool_reclaim() */
static uint64_t ending_ns; /* CLOCK_MONOTONIC; before records becomes ENDING */
static bool has_flushed;   /* since */
static bool kinds_are_off; /* kinds of ours were disabled; other_tool_reclaim() clears */
static bool is_finalized;  /* likewise */
static uint32_t turn;      /* 1: a thread registers callbacks */

/* Changed with the turn only. */
static abi_timestamp their_clock;            /* NULL: CUPTI's own serves them */
static bool is_their_clock;                  /* CUPTI takes times by it */
static const struct other_tool_hooks *hooks; /* other_tool_begin releases -> the rest acquires */

static void other_tool_wake(bool at_once)
{
    const struct other_tool_hooks *ours = load_acquire(&hooks);
    if (ours && at_once)
        ours->take_back();
    else if (ours)
        ours->take_back_soon();
}

void other_tool_begin(const struct other_tool_hooks *with)
{
    store_release(&hooks, with);
}

/* Also where the program's own lookups do not reach: Python opens extensions, and what they need,
 * with RTLD_LOCAL. A library that may be unloaded and loaded again elsewhere is searched for each
 * time. The caller was linked with it, so it is loaded now. */
void *other_tool_find(void **known, const char *name, const char *soname)
{
    bool stays;
    void *found = load_acquire(known);
    if (found)
        return found;
    found = loaded_find(soname, name, soname, &stays);
    if (found && stays)
        store_release(known, found);
    return found;
}

static const void *other_tool_base_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* RTLD_DEFAULT would find our own functions also where libprof.so was loaded late. */
bool other_tool_is_seen(void)
{
    static const char *const sonames[] = {"libcupti.so.11.8", "libcupti.so.12", "libcupti.so.13"};
    const void *ours = other_tool_base_of(&turn);
    void *program = dlopen(NULL, RTLD_LAZY);
    bool seen = false;
    for (size_t i = 0; program && dlvsym && i < sizeof sonames / sizeof *sonames; i++) {
        const void *found = dlvsym(program, "cuptiFinalize", sonames[i]);
        seen |= found && ours && other_tool_base_of(found) == ours;
    }
    dlerror();
    if (program)
        dlclose(program);
    return seen;
}

bool other_tool_is_our_library(const char *soname)
{
    const struct cupti_library *cupti = loader_cupti();
    bool stays;
    return cupti && loaded_find(soname, "cuptiActivityFlushAll", soname, &stays) ==
                        (void *)cupti->cuptiActivityFlushAll;
}

/* Of the library that we record with, in the v1 API, which has one subscriber. */
static bool other_tool_is_ours(const void *function, const void *of_library)
{
    return function == of_library && load_acquire(&hooks) && subscription_api() == SUBSCRIPTION_V1;
}

/* ---- what it does ---- */

bool other_tool_turn_begin(void)
{
    for (int i = 0; i < 10000; i++) {
        if (!exchange_acquire(&turn, 1u))
            return true;
        clock_pause(50);
    }
    return false;
}

void other_tool_turn_end(bool begun)
{
    if (begun)
        store_release(&turn, 0u);
}

void other_tool_emit_mode(void)
{
    recorder_set_gpu_mode(PROF_GPU_PARTIAL, reason);
}

static void other_tool_note_taken(void)
{
    static uint32_t reported;
    store_release(&has_flushed, false);
    store_release(&records, (uint32_t)TAKEN);
    other_tool_emit_mode();
    if (!exchange_acquire(&reported, 1u))
        log_line(LOG_ERROR, "%s", reason);
}

/* CUPTI's own, as far as it says [cupti_activity.h, CUpti_TimestampCallbackFunc]. CUPTI cannot be
 * set back to it. */
static uint64_t other_tool_realtime_ns(void)
{
    return clock_gettime_ns(CLOCK_REALTIME);
}

static void other_tool_set_clock(const struct cupti_library *cupti, bool theirs)
{
    if (!their_clock || theirs == is_their_clock)
        return;
    cupti->cuptiActivityRegisterTimestampCallback(theirs ? their_clock : other_tool_realtime_ns);
    is_their_clock = theirs;
}

int other_tool_clock(other_tool_clock_function real, abi_timestamp clock)
{
    const struct cupti_library *cupti = loader_cupti();
    if (!cupti || !clock ||
        !other_tool_is_ours((void *)real, (void *)cupti->cuptiActivityRegisterTimestampCallback))
        return real(clock);
    bool begun = other_tool_turn_begin();
    is_their_clock &= their_clock == clock;
    their_clock = clock;
    if (other_tool_has_records())
        other_tool_set_clock(cupti, true);
    other_tool_turn_end(begun);
    return ABI_OK;
}

int other_tool_register(other_tool_register_function real, abi_buffer_requested request,
                        abi_buffer_completed complete)
{
    const struct cupti_library *cupti = loader_cupti();
    if (!cupti || !other_tool_is_ours((void *)real, (void *)cupti->cuptiActivityRegisterCallbacks))
        return real(request, complete);
    bool begun = other_tool_turn_begin();
    if (!other_tool_has_records()) {
        hooks->give_way();
        activity_flush_inline(ABI_FLUSH_FORCED);
    }
    activity_promise_zeroes(false);
    other_tool_set_clock(cupti, true);
    int result = real(request, complete);
    if (result == ABI_OK)
        other_tool_note_taken();
    else
        store_release(&kinds_are_off, true);
    other_tool_turn_end(begun);
    if (result != ABI_OK)
        other_tool_wake(false);
    return result;
}

static void other_tool_note_disabled(uint32_t kind)
{
    uint32_t taken = TAKEN;
    store_release(&kinds_are_off, true);
    if (kind != ABI_KIND_CONCURRENT_KERNEL && kind != ABI_KIND_KERNEL)
        return;
    store_relaxed(&ending_ns, clock_monotonic_ns());
    cas_acq_rel(&records, &taken, (uint32_t)ENDING);
}

int other_tool_disable(other_tool_disable_function real, uint32_t kind)
{
    const struct cupti_library *cupti = loader_cupti();
    if (!cupti || !other_tool_is_ours((void *)real, (void *)cupti->cuptiActivityDisable))
        return real(kind);
    activity_block_flushing(true);
    int result = real(kind);
    activity_block_flushing(false);
    if (result == ABI_OK)
        other_tool_note_disabled(kind);
    if (!other_tool_has_records())
        other_tool_wake(false);
    return result;
}

int other_tool_flush(other_tool_flush_function real, uint32_t flags)
{
    const struct cupti_library *cupti = loader_cupti();
    if (!cupti || !other_tool_is_ours((void *)real, (void *)cupti->cuptiActivityFlushAll))
        return real(flags);
    activity_block_disabling(true);
    int result = real(flags);
    activity_block_disabling(false);
    if (load_acquire(&records) == ENDING) {
        store_release(&has_flushed, true);
        other_tool_wake(!callbacks_are_on_stack());
    }
    return result;
}

int other_tool_finalize(other_tool_finalize_function real, bool of_our_library)
{
    bool ours = of_our_library && subscription_handle() && subscription_api() == SUBSCRIPTION_V1;
    if (!ours)
        return real();
    activity_block_flushing(true);
    int result = real();
    if (result == ABI_OK)
        store_release(&is_finalized, true);
    activity_block_flushing(false);
    other_tool_wake(false);
    return result;
}

/* ---- what is ours again ---- */

bool other_tool_has_records(void)
{
    return load_acquire(&records) != OURS;
}

static bool other_tool_has_left(void)
{
    return load_acquire(&records) == ENDING &&
           (load_acquire(&has_flushed) ||
            clock_monotonic_ns() - load_relaxed(&ending_ns) > GONE_AFTER_NS);
}

static bool other_tool_reclaim_callbacks(void)
{
    bool begun = other_tool_turn_begin(), gone = begun && other_tool_has_left();
    if (gone) {
        other_tool_set_clock(loader_cupti(), false);
        activity_register_again();
        activity_promise_zeroes(true);
        store_release(&kinds_are_off, false);
        store_release(&records, (uint32_t)OURS);
    }
    other_tool_turn_end(begun);
    return gone;
}

enum other_tool_loss other_tool_reclaim(void)
{
    if (exchange_acquire(&is_finalized, false)) {
        is_their_clock = false;
        store_release(&records, (uint32_t)OURS);
        store_release(&kinds_are_off, false);
        return OTHER_TOOL_TOOK_ALL;
    }
    if (other_tool_has_left() && other_tool_reclaim_callbacks())
        return OTHER_TOOL_TOOK_CALLBACKS;
    if (!other_tool_has_records() && exchange_acquire(&kinds_are_off, false))
        return OTHER_TOOL_TOOK_KINDS;
    return OTHER_TOOL_TOOK_NOTHING;
}

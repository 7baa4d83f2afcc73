#define _GNU_SOURCE
#include "other_tool.h"

#include "activity.h"
#include "atomic.h"
#include "callbacks.h"
#include "clock.h"
#include "facts.h"
#include "glibc_only.h"
#include "loader.h"
#include "log.h"
#include "recorder.h"
#include "subscription.h"

#include <dlfcn.h>
#include <errno.h>

#define GONE_AFTER_NS 1000000000u

static const char reason[] =
    "another tool in the process, such as PyTorch's profiler, took CUPTI's "
    "records: what ran meanwhile is missing";

/* OURS --register--> TAKEN --disables kernels--> ENDING --flush, or a second--> OURS */
enum records { OURS, TAKEN, ENDING };

static uint32_t records;   /* enum records; the other tool's threads and take_back() */
static uint64_t ending_ns; /* CLOCK_MONOTONIC; before records becomes ENDING */
static bool has_flushed;   /* since */
static bool kinds_are_off; /* kinds of ours were disabled; take_back() clears */
static bool is_finalized;  /* likewise */
static uint32_t turn;      /* 1: somebody registers callbacks */
static void (*take_soon)(void);
static void (*take_now)(void); /* stored first */

static void wake(bool at_once)
{
    void (*take)(void) = load_acquire(&take_soon);
    if (take && at_once)
        take = take_now;
    if (take)
        take();
}

void other_tool_begin(void (*soon)(void), void (*now)(void))
{
    take_now = now;
    store_release(&take_soon, soon);
}

/* Python opens extensions, and what they need, with RTLD_LOCAL: the program's own lookups do not reach them. What
 * was found is kept, so the library is not closed again. */
void *other_tool_find(const char *name, const char *soname)
{
    int kept_errno = errno;
    void *library = dlopen(soname, RTLD_LAZY | RTLD_NOLOAD);
    void *found = library && dlvsym ? dlvsym(library, name, soname) : NULL;
    dlerror(); /* the program's next dlerror() must not report our call */
    errno = kept_errno;
    return found;
}

static const void *base_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* RTLD_DEFAULT would find our own functions also where libprof.so was loaded late. */
bool other_tool_is_seen(void)
{
    static const char *const sonames[] = {"libcupti.so.11.8", "libcupti.so.12", "libcupti.so.13"};
    const void *ours = base_of(&turn);
    void *program = dlopen(NULL, RTLD_LAZY);
    bool seen = false;
    for (size_t i = 0; program && dlvsym && i < sizeof sonames / sizeof *sonames; i++) {
        const void *found = dlvsym(program, "cuptiFinalize", sonames[i]);
        seen |= found && ours && base_of(found) == ours;
    }
    dlerror();
    if (program)
        dlclose(program);
    return seen;
}

bool other_tool_is_our_library(const char *soname)
{
    const struct cupti_library *cupti = loader_cupti();
    return cupti &&
           other_tool_find("cuptiActivityFlushAll", soname) == (void *)cupti->cuptiActivityFlushAll;
}

/* Of the library that we record with, in the form that has no room for two. */
static bool is_ours(const void *function, const void *of_library)
{
    return function == of_library && load_acquire(&take_soon) &&
           subscription_form() == SUBSCRIPTION_FIRST;
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

void other_tool_state_mode(void)
{
    recorder_set_gpu_mode(PROF_GPU_PARTIAL, reason);
}

static void note_taken(void)
{
    static uint32_t said;
    store_release(&has_flushed, false);
    store_release(&records, (uint32_t)TAKEN);
    other_tool_state_mode();
    if (!exchange_acquire(&said, 1u))
        log_line(LOG_ERROR, "%s", reason);
}

int other_tool_register(other_tool_register_function real, abi_buffer_requested request,
                        abi_buffer_completed complete)
{
    const struct cupti_library *cupti = loader_cupti();
    if (!cupti || !is_ours((void *)real, (void *)cupti->cuptiActivityRegisterCallbacks))
        return real(request, complete);
    bool begun = other_tool_turn_begin();
    if (!other_tool_has_records())
        activity_flush_inline(ABI_FLUSH_FORCED);
    activity_promise_zeroes(false);
    int result = real(request, complete);
    if (result == ABI_OK)
        note_taken();
    other_tool_turn_end(begun);
    return result;
}

static void note_disabled(uint32_t kind)
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
    if (!cupti || !is_ours((void *)real, (void *)cupti->cuptiActivityDisable))
        return real(kind);
    activity_keep_from_flushing(true);
    int result = real(kind);
    activity_keep_from_flushing(false);
    if (result == ABI_OK)
        note_disabled(kind);
    if (!other_tool_has_records())
        wake(false);
    return result;
}

int other_tool_flush(other_tool_flush_function real, uint32_t flags)
{
    const struct cupti_library *cupti = loader_cupti();
    if (!cupti || !is_ours((void *)real, (void *)cupti->cuptiActivityFlushAll))
        return real(flags);
    activity_keep_from_disabling(true);
    int result = real(flags);
    activity_keep_from_disabling(false);
    if (load_acquire(&records) == ENDING) {
        store_release(&has_flushed, true);
        wake(!callbacks_are_on_stack());
    }
    return result;
}

int other_tool_finalize(other_tool_finalize_function real, bool of_our_library)
{
    bool ours =
        of_our_library && subscription_handle() && subscription_form() == SUBSCRIPTION_FIRST;
    if (!ours)
        return real();
    activity_keep_from_flushing(true);
    int result = real();
    if (result == ABI_OK)
        store_release(&is_finalized, true);
    activity_keep_from_flushing(false);
    wake(false);
    return result;
}

/* ---- what is ours again ---- */

bool other_tool_has_records(void)
{
    return load_acquire(&records) != OURS;
}

static bool has_gone(void)
{
    return load_acquire(&records) == ENDING &&
           (load_acquire(&has_flushed) ||
            clock_monotonic_ns() - load_relaxed(&ending_ns) > GONE_AFTER_NS);
}

static bool take_callbacks_back(void)
{
    bool begun = other_tool_turn_begin(), gone = begun && has_gone();
    if (gone) {
        activity_register_again();
        activity_promise_zeroes(true);
        store_release(&kinds_are_off, false);
        store_release(&records, (uint32_t)OURS);
    }
    other_tool_turn_end(begun);
    return gone;
}

enum other_tool_loss other_tool_take_back(void)
{
    if (exchange_acquire(&is_finalized, false)) {
        store_release(&records, (uint32_t)OURS);
        store_release(&kinds_are_off, false);
        return OTHER_TOOL_TOOK_ALL;
    }
    if (has_gone() && take_callbacks_back())
        return OTHER_TOOL_TOOK_CALLBACKS;
    if (!other_tool_has_records() && exchange_acquire(&kinds_are_off, false))
        return OTHER_TOOL_TOOK_KINDS;
    return OTHER_TOOL_TOOK_NOTHING;
}

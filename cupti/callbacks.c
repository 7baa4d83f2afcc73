#include "callbacks.h"

#include "activity.h"
#include "api_calls.h"
#include "atomic.h"
#include "config.h"
#include "cost.h"
#include "facts.h"
#include "graphs.h"
#include "loader.h"
#include "meta.h"
#include "recorder.h"

#include <errno.h>
#include <string.h>

/* Calls in progress on one thread. More than one is rare: a runtime call that makes runtime
 * calls. */
#define OPEN_MAX 4u

struct open_call {
    uint32_t correlation;
    uint16_t domain;
    bool recorded; /* its API_ENTER is in the log */
};

struct thread_calls {
    struct open_call open[OPEN_MAX];
    uint32_t depth;
    uint32_t own_correlation;    /* of the last operation of libprof's own */
    const void *checked_context; /* start_events has nothing more to do for it */
    struct stacks_origin origin; /* of the callback in progress */
    uint32_t followed_since;     /* `followed` when the thread was last looked at */
    uint32_t watched;            /* of the runtime call in progress that is not followed, or 0 */
    uint32_t on_stack;           /* callbacks in progress: those of our own calls nest */
    bool own;                    /* inside callbacks_own_begin/end */
    bool seen;                   /* made a CUDA call */
    bool timed;                  /* the callback in progress is */
    uint32_t launches;           /* the program's, since the last timed callback */
    struct cost_sampler cost;    /* of all callbacks, except for libprof's own calls */
};

static __thread struct thread_calls this_thread;

static void *subscribed;  /* callbacks_enable stores, before anything else is called */
static uint32_t followed; /* times that calls began to be followed; callbacks_follow counts */

static bool throttle; /* calls that launch nothing are left out; callbacks_set_calls stores */
static bool
    throttle_is_settled;  /* and CUPTI does not call back for them; callbacks_apply only, and who
                              * follows */
static bool is_following; /* callbacks_follow */
/* The level of detail that calls are enabled for; the same thread's. */
static uint32_t followed_detail;

static bool blind;    /* callbacks_ignore_launches stores -> every followed call loads */
static bool launched; /* a call was recorded, or was to be; callbacks_record_or_note stores */
static uint32_t threads_seen;  /* ever; callbacks_enter() counts */
static bool held;              /* callbacks_hold stores -> every callback loads */
static bool closed GUEST_DATA; /* callbacks_close stores -> every callback loads; never goes back */

/* Names stated, a bit per cbid, by domain - 1. Set by fetch_or: one thread states each. */
static uint64_t named[2][ABI_CBID_COUNT / 64];

static enum prof_api_domain callbacks_format_domain(uint32_t domain)
{
    return domain == ABI_DOMAIN_RUNTIME ? PROF_API_RUNTIME : PROF_API_DRIVER;
}

/* Length without the runtime's version suffix: "cudaMemcpy_v3020" is cudaMemcpy, "cuMemAlloc_v2"
 * itself. */
static size_t callbacks_api_name_length(const char *name)
{
    size_t length = strlen(name);
    const char *suffix = strrchr(name, '_');
    if (!suffix || suffix[1] != 'v' || strlen(suffix + 2) < 4 ||
        strspn(suffix + 2, "0123456789") < 4)
        return length;
    return (size_t)(suffix - name);
}

/* As CUPTI lists it; where it will not tell, as it says in the call. */
static const char *callbacks_api_name(uint32_t domain, uint32_t cbid,
                                      const struct abi_call_data *data)
{
    const struct cupti_library *cupti = loader_cupti();
    const char *name = NULL;
    if (cupti && cupti->cuptiGetCallbackName &&
        cupti->cuptiGetCallbackName(domain, cbid, &name) == ABI_OK && name)
        return name;
    return data->function_name;
}

static void callbacks_emit_name_slow(uint32_t domain, uint32_t cbid,
                                     const struct abi_call_data *data)
{
    int kept_errno = errno;
    const char *name = callbacks_api_name(domain, cbid, data);
    if (name && strncmp(name, "__cudaLaunchKernel", strlen("__cudaLaunchKernel")) == 0)
        name += 2; /* nvcc 13 compiles <<<...>>> to it; programs know it as cudaLaunchKernel */
    if (name) {
        struct prof_rec_api_name record = {.cbid = cbid,
                                           .domain = (uint32_t)callbacks_format_domain(domain)};
        record.name = names_intern(name, callbacks_api_name_length(name));
        facts_emit(PROF_REC_API_NAME, &record, sizeof record);
    }
    errno = kept_errno;
}

static void callbacks_emit_name(uint32_t domain, uint32_t cbid, const struct abi_call_data *data)
{
    uint64_t *word = &named[domain - 1][cbid / 64];
    uint64_t bit = (uint64_t)1 << (cbid % 64);
    if (!(load_relaxed(word) & bit) && !(fetch_or_relaxed(word, bit) & bit))
        callbacks_emit_name_slow(domain, cbid, data);
}

/* What is captured into a graph puts nothing on a device now. */
static void callbacks_subtract_capture(struct api_effect *effect, const struct api_call *call)
{
    if (!effect->operations && !effect->is_graph)
        return;
    if (!graphs_capture_may_be_active() ||
        !graphs_capture_is_active(effect->stream, call->per_thread))
        return;
    effect->operations = 0;
    effect->is_graph = false;
}

static uint8_t callbacks_flags_of(const struct api_effect *effect, bool own)
{
    unsigned flags = 0;
    if (effect->operations)
        flags |= PROF_API_LAUNCHES;
    if (effect->is_graph)
        flags |= PROF_API_GRAPH;
    if (own)
        flags |= PROF_API_INTERNAL;
    return (uint8_t)flags;
}

static bool callbacks_has_symbol(const struct api_call *call)
{
    return call->what == API_KERNEL || call->what == API_KERNEL_CONFIG;
}

static uint32_t callbacks_capture_stack(void)
{
    uint64_t began = this_thread.timed ? cost_clock() : 0;
    uint32_t stack = stacks_capture(this_thread.origin);
    if (began)
        cost_charge_sampled(PROF_COST_STACKS, cost_stands_for(&this_thread.cost), began);
    return stack;
}

/* False: there was no room. `*lost` is then how many operations it launches, as far as that is
 * known. */
static bool callbacks_write_enter(const struct api_call *call, uint32_t domain, uint32_t cbid,
                                  const struct abi_call_data *data, uint32_t *lost)
{
    struct api_effect effect = api_calls_effect(call, data->parameters);
    callbacks_subtract_capture(&effect, call);
    struct graphs_launch graph =
        effect.is_graph ? graphs_of_launch(data) : (struct graphs_launch){0};
    bool stack = stacks_are_on() && api_calls_has_stack(call) && !this_thread.own;
    unsigned words =
        (stack ? sizeof(struct prof_rec_api_enter) : PROF_REC_API_ENTER_SHORT_BYTES) / 8;
    /* Before any name: reserving makes the file, and names have no number without one. */
    uint64_t ticks, *space = thread_reserve_now(PROF_REC_API_ENTER, words, &ticks);
    if (!space) {
        *lost = effect.is_graph ? graph.operations : effect.operations;
        return false;
    }
    uint32_t name = callbacks_has_symbol(call) ? names_intern_stable(data->symbol) : 0;
    callbacks_emit_name(domain, cbid, data);
    struct prof_rec_api_enter *record = (struct prof_rec_api_enter *)(void *)space;
    record->correlation = data->correlation;
    record->cbid = (uint16_t)cbid;
    record->domain = (uint8_t)callbacks_format_domain(domain);
    record->flags =
        callbacks_flags_of(&effect, this_thread.own) | (graph.whole ? PROF_API_WHOLE_GRAPH : 0);
    record->stream = effect.stream;
    record->bytes = effect.bytes;
    record->name = effect.is_graph ? graph.graph : name;
    record->operations = effect.is_graph ? graph.operations : effect.operations;
    if (stack)
        record->stack = callbacks_capture_stack();
    this_thread.launches += !this_thread.own && (effect.operations || effect.is_graph);
    thread_commit(space, PROF_REC_API_ENTER, words, ticks);
    return true;
}

static uint32_t callbacks_result_of(const struct abi_call_data *data)
{
    uint32_t result = 0;
    if (data->result)
        memcpy(&result, data->result, sizeof result);
    return result;
}

static void callbacks_write_exit(const struct abi_call_data *data)
{
    uint32_t result = callbacks_result_of(data);
    uint64_t ticks, *space = thread_reserve_now(PROF_REC_API_EXIT, 2, &ticks);
    if (!space)
        return;
    space[1] = result | (uint64_t)data->correlation << 32;
    thread_commit(space, PROF_REC_API_EXIT, 2, ticks);
}

/* A teardown destroys the context whose records CUPTI still holds; CUPTI's documentation names this
 * callback as a place to flush. Charged to END, since callbacks usually cost far less. */
static void callbacks_flush_before_teardown(void)
{
    int kept_errno = errno;
    uint64_t began = cost_clock();
    activity_flush_inline(ABI_FLUSH_COMPLETED);
    cost_charge(PROF_COST_END, began);
    errno = kept_errno;
}

static bool callbacks_changes_graph(const struct api_call *call)
{
    return call->what == API_INSTANTIATE || call->what == API_UPDATE ||
           call->what == API_SWITCH_NODE;
}

/* These few are seen always: whether a capture is in progress and which contexts and graphs there
 * are must be known when recording begins. */
static bool callbacks_is_always_followed(const struct api_call *call)
{
    return call->what == API_BEGIN_CAPTURE || call->what == API_END_CAPTURE ||
           call->what == API_TEARDOWN || callbacks_changes_graph(call);
}

/* Every device operation keeps its launch, and memory what is known of it. */
static bool callbacks_is_throttleable(const struct api_call *call)
{
    bool allocates = call->what == API_ALLOC || call->what == API_FREE;
    return !api_calls_launches(call) && !callbacks_is_always_followed(call) &&
           !(allocates && device_memory_from_calls());
}

static bool callbacks_is_throttled(const struct api_call *call)
{
    return __builtin_expect(load_relaxed(&throttle), 0) && callbacks_is_throttleable(call);
}

/* PROF_GPU_DETAIL=minimal: only what puts operations on a device. Of the rest, the calls that
 * allocate come too, as the bracketed operation of facts.h is to have an occasion. */
static bool callbacks_is_left_out(const struct api_call *call, uint32_t detail)
{
    return detail == CONFIG_DETAIL_MINIMAL && callbacks_is_throttleable(call);
}

static bool callbacks_is_skipped(const struct api_call *call)
{
    return !api_calls_launches(call) && callbacks_is_left_out(call, activity_detail());
}

static void callbacks_note_off(const struct api_call *call, uint32_t domain, uint32_t cbid,
                               const struct abi_call_data *data)
{
    if (api_calls_launches(call) || device_memory_follows_call(domain, cbid))
        lost_window_note(data->correlation);
}

/* Returns whether the call is in the log. */
static bool callbacks_record_or_note(const struct api_call *call, uint32_t domain, uint32_t cbid,
                                     const struct abi_call_data *data)
{
    if (!recorder_on() || __builtin_expect(load_relaxed(&blind), 0)) {
        callbacks_note_off(call, domain, cbid, data);
        return false;
    }
    if (lost_window_is_open())
        lost_window_end();
    if (callbacks_is_skipped(call))
        return false;
    if (!load_relaxed(&launched))
        store_relaxed(&launched, true);
    uint32_t lost = 0;
    if (callbacks_write_enter(call, domain, cbid, data, &lost))
        return true;
    if (!recorder_on()) /* switched off meanwhile */
        callbacks_note_off(call, domain, cbid, data);
    else if (!this_thread.own)
        loss_add(PROF_LOSS_LAUNCHES, lost);
    return false;
}

static void callbacks_enter(const struct api_call *call, uint32_t domain, uint32_t cbid,
                            const struct abi_call_data *data)
{
    struct thread_calls *thread = &this_thread;
    /* Calls that were open when following stopped ended unseen. */
    if (thread->followed_since != load_relaxed(&followed))
        thread->depth = 0;
    thread->followed_since = load_relaxed(&followed);
    if ((domain == ABI_DOMAIN_DRIVER && thread->depth > 0) || callbacks_is_throttled(call))
        return;
    if (!thread->seen)
        fetch_add_relaxed(&threads_seen, 1u);
    thread->seen = true;
    thread->watched = 0;
    if (call->what == API_TEARDOWN)
        callbacks_flush_before_teardown();
    bool recorded = callbacks_record_or_note(call, domain, cbid, data);
    if (thread->own && api_calls_launches(call))
        thread->own_correlation = data->correlation;
    /* A full stack means that ends never came (longjmp out of a call): start again. */
    if (thread->depth == OPEN_MAX)
        thread->depth = 0;
    thread->open[thread->depth++] =
        (struct open_call){data->correlation, (uint16_t)domain, recorded};
}

/* Takes the call off the stack with whatever never ended above it; NULL when it is not there. */
static const struct open_call *callbacks_pop_open(struct thread_calls *thread, uint32_t domain,
                                                  uint32_t correlation)
{
    for (uint32_t i = thread->depth; i-- > 0;) {
        if (thread->open[i].correlation != correlation || thread->open[i].domain != domain)
            continue;
        thread->depth = i;
        return &thread->open[i];
    }
    return NULL;
}

static void callbacks_note_capture(const struct api_call *call, const struct abi_call_data *data)
{
    if (call->what == API_BEGIN_CAPTURE && callbacks_result_of(data) == ABI_OK)
        graphs_capture_began();
    if (call->what == API_END_CAPTURE)
        graphs_capture_ended();
}

/* Not after a launch: what it launched may run until the program does something else (a kernel
 * that waits for the host), and the bracket would wait with it. */
static void callbacks_check_context(const struct api_call *call, void *context)
{
    struct thread_calls *thread = &this_thread;
    if (!context || context == thread->checked_context || thread->own || thread->depth > 0)
        return;
    if (call->what == API_TEARDOWN)
        return;
    if (start_events_check(context))
        thread->checked_context = context;
}

/* A captured call allocates when its graph runs. libprof's own memory is not counted. */
static bool callbacks_allocates_now(const struct api_call *call, const struct abi_call_data *data)
{
    return !this_thread.own &&
           !(graphs_capture_may_be_active() &&
             graphs_capture_is_active(api_calls_effect(call, data->parameters).stream,
                                      call->per_thread));
}

static void callbacks_exit(const struct api_call *call, uint32_t domain, uint32_t cbid,
                           const struct abi_call_data *data)
{
    const struct open_call *open = callbacks_pop_open(&this_thread, domain, data->correlation);
    if (!open)
        return;
    if (open->recorded)
        callbacks_write_exit(data);
    if (api_calls_launches(call))
        return; /* nothing of what follows is for these */
    if (open->recorded && device_memory_from_calls() && callbacks_allocates_now(call, data))
        device_memory_note_call(domain, cbid, data);
    if (call->what == API_BEGIN_CAPTURE || call->what == API_END_CAPTURE)
        callbacks_note_capture(call, data);
    if (callbacks_changes_graph(call))
        graphs_called(call, data);
    callbacks_check_context(call, data->context);
}

/* ---- calls that are looked at only for whether they fail ---- */

static void callbacks_write_failure(uint32_t domain, uint32_t cbid,
                                    const struct abi_call_data *data)
{
    bool stack = stacks_are_on();
    unsigned words =
        (stack ? sizeof(struct prof_rec_api_enter) : PROF_REC_API_ENTER_SHORT_BYTES) / 8;
    uint64_t *space = thread_reserve(PROF_REC_API_ENTER, words);
    if (!space)
        return;
    callbacks_emit_name(domain, cbid, data);
    struct prof_rec_api_enter *record = (struct prof_rec_api_enter *)(void *)space;
    record->correlation = data->correlation;
    record->cbid = (uint16_t)cbid;
    record->domain = (uint8_t)callbacks_format_domain(domain);
    record->flags = PROF_API_FAILED_ONLY;
    if (stack)
        record->stack = stacks_capture(this_thread.origin);
    thread_commit(space, PROF_REC_API_ENTER, words, thread_ticks(space));
    callbacks_write_exit(data);
}

/* A call of the driver inside a call of the runtime fails in its place, and is not told: within one
 * that is followed, the stack is not empty; within another, that one's id is remembered. Should the
 * end of that never come (longjmp), the next call of the runtime takes its place. */
static bool callbacks_is_within(const struct thread_calls *thread, uint32_t domain)
{
    return thread->depth > 0 || (domain == ABI_DOMAIN_DRIVER && thread->watched);
}

static void callbacks_watch(uint32_t domain, uint32_t cbid, const struct abi_call_data *data)
{
    struct thread_calls *thread = &this_thread;
    if (data->site == ABI_SITE_ENTER) {
        if (domain == ABI_DOMAIN_RUNTIME)
            thread->watched = data->correlation;
        return;
    }
    if (domain == ABI_DOMAIN_RUNTIME)
        thread->watched = 0;
    if (data->site != ABI_SITE_EXIT || !api_calls_is_failure(callbacks_result_of(data)))
        return;
    if (!thread->own && recorder_on() && !callbacks_is_within(thread, domain))
        callbacks_write_failure(domain, cbid, data);
}

static void callbacks_on_call(uint32_t domain, uint32_t cbid, const struct abi_call_data *data)
{
    const struct api_call *call = api_calls_find(domain, cbid);
    if (!call) {
        if (api_calls_is_watched(domain, cbid))
            callbacks_watch(domain, cbid, data);
        else
            api_calls_switch(domain, cbid, data->site);
        return;
    }
    if (data->site == ABI_SITE_ENTER)
        callbacks_enter(call, domain, cbid, data);
    else if (data->site == ABI_SITE_EXIT)
        callbacks_exit(call, domain, cbid, data);
}

/* Whose stack is that of what happens within. */
static bool callbacks_in_recorded_call(void)
{
    const struct thread_calls *thread = &this_thread;
    return thread->depth > 0 && thread->open[thread->depth - 1].recorded;
}

/* Called for one callback in some dozens. */
static void callbacks_on_call_timed(uint32_t domain, uint32_t cbid,
                                    const struct abi_call_data *data, uint64_t began)
{
    struct thread_calls *thread = &this_thread;
    const struct api_call *call = api_calls_find(domain, cbid);
    thread->timed = true;
    callbacks_on_call(domain, cbid, data);
    thread->timed = false;
    cost_end(&thread->cost, call && api_calls_launches(call) ? PROF_COST_LAUNCHES : PROF_COST_CALLS,
             began);
    cost_add_launches(thread->launches);
    thread->launches = 0;
}

/* Callbacks while recording is off are not charged. libprof's own calls are charged to the part
 * that makes them. */
static void callbacks_on_call_measured(uint32_t domain, uint32_t cbid,
                                       const struct abi_call_data *data)
{
    struct thread_calls *thread = &this_thread;
    uint64_t began = thread->own ? 0 : cost_begin(&thread->cost);
    if (began && !recorder_on()) {
        cost_restart(&thread->cost);
        thread->launches = 0;
        began = 0;
    }
    if (__builtin_expect(began != 0, 0))
        callbacks_on_call_timed(domain, cbid, data, began);
    else
        callbacks_on_call(domain, cbid, data);
}

static void callbacks_on_resource(uint32_t cbid, const struct abi_resource_data *data)
{
    if (cbid == ABI_RESOURCE_CONTEXT_CREATED)
        start_events_context(data->context, true);
    if (cbid == ABI_RESOURCE_CONTEXT_DESTROY_STARTING)
        start_events_context(data->context, false);
    if (cbid >= ABI_RESOURCE_GRAPH_NODE_CREATED && data->descriptor)
        graphs_receive(cbid, data->descriptor, this_thread.origin, callbacks_in_recorded_call());
    if (cbid == ABI_RESOURCE_INIT_FINISHED)
        activity_init_finished();
}

void callbacks_receive(void *user, uint32_t domain, uint32_t cbid, const void *data)
{
    (void)user;
    if (load_relaxed(&closed) || load_acquire(&held) || !data)
        return;
    if (stacks_are_on())
        this_thread.origin = stacks_origin_here();
    this_thread.on_stack++;
    if (domain == ABI_DOMAIN_RUNTIME || domain == ABI_DOMAIN_DRIVER)
        callbacks_on_call_measured(domain, cbid, data);
    else if (domain == ABI_DOMAIN_RESOURCE)
        callbacks_on_resource(cbid, data);
    this_thread.on_stack--;
}

/* Single callbacks, not whole domains: a domain would make every cudaGetDevice pay. A cbid this
 * libcupti does not know is refused; that is how one table serves all versions. */
static unsigned callbacks_enable_calls(uint32_t domain, bool always, bool on)
{
    const struct cupti_library *cupti = loader_cupti();
    unsigned done = 0;
    for (uint32_t cbid = 1; cbid < ABI_CBID_COUNT; cbid++) {
        const struct api_call *call = api_calls_find(domain, cbid);
        if (call && callbacks_is_always_followed(call) == always &&
            (!callbacks_is_left_out(call, followed_detail) || call->what == API_ALLOC))
            done += cupti->cuptiEnableCallback(on, subscribed, domain, cbid) == ABI_OK;
    }
    return done;
}

static void callbacks_enable_watched(uint32_t domain, bool on)
{
    const struct cupti_library *cupti = loader_cupti();
    if (followed_detail < CONFIG_DETAIL_FULL)
        return;
    for (uint32_t cbid = 1; cbid < ABI_CBID_COUNT; cbid++)
        if (api_calls_is_watched(domain, cbid))
            cupti->cuptiEnableCallback(on, subscribed, domain, cbid);
}

bool callbacks_enable(void *subscriber)
{
    const struct cupti_library *cupti = loader_cupti();
    subscribed = subscriber;
    if (config_get()->gpu_detail == CONFIG_DETAIL_FULL || config_get()->control)
        api_calls_watch();
    cupti->cuptiEnableCallback(1, subscriber, ABI_DOMAIN_RESOURCE, ABI_RESOURCE_CONTEXT_CREATED);
    cupti->cuptiEnableCallback(1, subscriber, ABI_DOMAIN_RESOURCE,
                               ABI_RESOURCE_CONTEXT_DESTROY_STARTING);
    graphs_enable(subscriber, config_get()->gpu_detail >= CONFIG_DETAIL_STANDARD);
    if (activity_wants_init())
        cupti->cuptiEnableCallback(1, subscriber, ABI_DOMAIN_RESOURCE, ABI_RESOURCE_INIT_FINISHED);
    unsigned runtime = callbacks_enable_calls(ABI_DOMAIN_RUNTIME, true, true);
    unsigned driver = callbacks_enable_calls(ABI_DOMAIN_DRIVER, true, true);
    return runtime + driver > 0;
}

void callbacks_follow(bool on)
{
    if (on) {
        fetch_add_relaxed(&followed, 1u);
        followed_detail = activity_detail();
    }
    callbacks_enable_calls(ABI_DOMAIN_RUNTIME, false, on);
    callbacks_enable_calls(ABI_DOMAIN_DRIVER, false, on);
    callbacks_enable_watched(ABI_DOMAIN_RUNTIME, on);
    callbacks_enable_watched(ABI_DOMAIN_DRIVER, on);
    is_following = on;
    throttle_is_settled = false;
}

void callbacks_ignore_launches(bool on)
{
    store_release(&blind, on);
}

void callbacks_set_calls(bool on)
{
    store_relaxed(&throttle, !on);
}

static void callbacks_enable_throttleable(uint32_t domain, bool on)
{
    const struct cupti_library *cupti = loader_cupti();
    for (uint32_t cbid = 1; cbid < ABI_CBID_COUNT; cbid++) {
        const struct api_call *call = api_calls_find(domain, cbid);
        if (call && callbacks_is_throttleable(call))
            cupti->cuptiEnableCallback(on, subscribed, domain, cbid);
    }
}

void callbacks_apply(void)
{
    bool wanted = load_relaxed(&throttle);
    if (!is_following || wanted == throttle_is_settled)
        return;
    throttle_is_settled = wanted;
    callbacks_enable_throttleable(ABI_DOMAIN_RUNTIME, !wanted);
    callbacks_enable_throttleable(ABI_DOMAIN_DRIVER, !wanted);
    callbacks_enable_watched(ABI_DOMAIN_RUNTIME, !wanted);
    callbacks_enable_watched(ABI_DOMAIN_DRIVER, !wanted);
}

/* Where less is to be followed, the calls stay enabled until following stops, and are skipped: one
 * that is open would not end, and hide all of its thread's calls of the driver. */
void callbacks_set_detail(uint32_t detail)
{
    uint32_t before = followed_detail;
    bool throttled = load_relaxed(&throttle);
    if (detail < CONFIG_DETAIL_FULL && before == CONFIG_DETAIL_FULL) {
        callbacks_enable_watched(ABI_DOMAIN_RUNTIME, false);
        callbacks_enable_watched(ABI_DOMAIN_DRIVER, false);
        followed_detail = CONFIG_DETAIL_STANDARD;
    }
    if (detail <= before)
        return;
    followed_detail = detail;
    if (before == CONFIG_DETAIL_MINIMAL && !throttled) {
        callbacks_enable_throttleable(ABI_DOMAIN_RUNTIME, true);
        callbacks_enable_throttleable(ABI_DOMAIN_DRIVER, true);
    }
    if (!throttled) {
        callbacks_enable_watched(ABI_DOMAIN_RUNTIME, true);
        callbacks_enable_watched(ABI_DOMAIN_DRIVER, true);
    }
}

void callbacks_hold(bool on)
{
    store_release(&held, on);
}

bool callbacks_are_on_stack(void)
{
    return this_thread.on_stack > 0;
}

GUEST_PATH void callbacks_close(void)
{
    store_relaxed(&closed, true);
}

bool callbacks_saw_call(void)
{
    return load_relaxed(&launched);
}

uint32_t callbacks_count_threads(void)
{
    return load_relaxed(&threads_seen);
}

bool callbacks_is_program_thread(void)
{
    return this_thread.seen;
}

void callbacks_own_begin(void)
{
    this_thread.own = true;
    this_thread.own_correlation = 0;
}

uint32_t callbacks_own_end(void)
{
    this_thread.own = false;
    return this_thread.own_correlation;
}

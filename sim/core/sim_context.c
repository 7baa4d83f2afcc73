#include "sim_context.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "sim_clock.h"
#include "sim_core.h"
#include "sim_device.h"
#include "sim_handle.h"
#include "sim_stream.h"
#include "sim_tools.h"

enum { MAX_DEPTH = 32 };

/* Created streams count from 13, the null stream is 7: the numbers users of CUPTI know. */
enum { NULL_STREAM_ID = 7, FIRST_STREAM_ID = 13 };

static struct sim_context *primaries[SIM_MAX_DEVICES]; /* core lock */
static struct sim_context *contexts;                   /* core lock */
static struct sim_context *retired;                    /* destroyed ones; core lock */
static atomic_uint last_id;

static _Thread_local struct sim_context *stack[MAX_DEPTH];
static _Thread_local int depth;

static void link_last(struct sim_context *context)
{
    struct sim_context **end = &contexts;
    while (*end)
        end = &(*end)->next;
    *end = context;
}

static void unlink_context(const struct sim_context *context)
{
    struct sim_context **at = &contexts;
    while (*at && *at != context)
        at = &(*at)->next;
    if (*at)
        *at = context->next;
}

static struct sim_context *make_locked(int device, bool primary)
{
    struct sim_context *context = calloc(1, sizeof *context);
    if (!context)
        return NULL;
    context->id = atomic_fetch_add(&last_id, 1) + 1;
    context->device = device;
    context->primary = primary;
    context->next_stream_id = FIRST_STREAM_ID;
    context->legacy = sim_stream_create_locked(context, NULL_STREAM_ID, 0, 0);
    context->legacy->legacy = true;
    link_last(context);
    sim_handle_add(context, SIM_HANDLE_CONTEXT);
    return context;
}

static void tell(enum sim_resource_id id, struct sim_context *context)
{
    sim_tools_resource(id, &(struct sim_resource){.context = context, .stream = context->legacy});
}

int sim_context_retain(int device, struct sim_context **context)
{
    bool made = false;
    if (device < 0 || device >= sim_device_count())
        return SIM_INVALID_DEVICE;
    sim_core_lock();
    if (!primaries[device]) {
        primaries[device] = make_locked(device, true);
        made = primaries[device] != NULL;
    }
    struct sim_context *primary = primaries[device];
    if (primary)
        primary->references++;
    sim_core_unlock();
    if (!primary)
        return SIM_OUT_OF_MEMORY;
    if (made)
        tell(SIM_CONTEXT_CREATED, primary);
    *context = primary;
    return SIM_OK;
}

struct sim_context *sim_context_primary(int device)
{
    if (device < 0 || device >= SIM_MAX_DEVICES)
        return NULL;
    sim_core_lock();
    struct sim_context *primary = primaries[device];
    sim_core_unlock();
    return primary;
}

/* The struct itself stays allocated: threads may still have it on their stacks. */
static void destroy(struct sim_context *context)
{
    sim_context_synchronize(context);
    tell(SIM_CONTEXT_DESTROY_STARTING, context);
    sim_core_lock();
    if (context->primary)
        primaries[context->device] = NULL;
    unlink_context(context);
    sim_handle_remove(context);
    while (context->streams)
        sim_stream_free_locked(context->streams);
    context->legacy = NULL;
    context->next = retired;
    retired = context;
    sim_core_unlock();
}

int sim_context_release(int device)
{
    struct sim_context *primary = sim_context_primary(device);
    if (!primary)
        return SIM_INVALID_CONTEXT;
    sim_core_lock();
    const int left = --primary->references;
    sim_core_unlock();
    if (left <= 0)
        destroy(primary);
    return SIM_OK;
}

int sim_context_reset(int device)
{
    struct sim_context *primary = sim_context_primary(device);
    if (primary)
        destroy(primary);
    sim_core_recover();
    return SIM_OK;
}

int sim_context_create(int device, struct sim_context **context)
{
    if (device < 0 || device >= sim_device_count())
        return SIM_INVALID_DEVICE;
    sim_core_lock();
    struct sim_context *made = make_locked(device, false);
    sim_core_unlock();
    if (!made)
        return SIM_OUT_OF_MEMORY;
    const int result = sim_context_push(made);
    tell(SIM_CONTEXT_CREATED, made);
    *context = made;
    return result;
}

int sim_context_destroy(struct sim_context *context)
{
    if (!sim_handle_is(context, SIM_HANDLE_CONTEXT) || context->primary)
        return SIM_INVALID_CONTEXT;
    if (depth && stack[depth - 1] == context)
        depth--;
    destroy(context);
    return SIM_OK;
}

struct sim_context *sim_context_current(void)
{
    struct sim_context *top = depth ? stack[depth - 1] : NULL;
    return sim_handle_is(top, SIM_HANDLE_CONTEXT) ? top : NULL;
}

int sim_context_set_current(struct sim_context *context)
{
    if (!context) {
        depth = depth ? depth - 1 : 0;
        return SIM_OK;
    }
    if (!sim_handle_is(context, SIM_HANDLE_CONTEXT))
        return SIM_INVALID_CONTEXT;
    depth = depth ? depth : 1;
    stack[depth - 1] = context;
    return SIM_OK;
}

int sim_context_push(struct sim_context *context)
{
    if (!sim_handle_is(context, SIM_HANDLE_CONTEXT) || depth == MAX_DEPTH)
        return SIM_INVALID_CONTEXT;
    stack[depth++] = context;
    return SIM_OK;
}

int sim_context_pop(struct sim_context **context)
{
    if (!depth)
        return SIM_INVALID_CONTEXT;
    depth--;
    if (context)
        *context = stack[depth];
    return SIM_OK;
}

struct sim_context *sim_context_first_locked(void)
{
    return contexts;
}

void sim_context_synchronize(struct sim_context *context)
{
    sim_core_lock();
    const uint64_t end_ns = sim_stream_settle_all_locked(context, true);
    sim_core_unlock();
    sim_clock_wait(end_ns);
}

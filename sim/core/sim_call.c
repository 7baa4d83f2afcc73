#include "sim_call.h"

#include <stdatomic.h>
#include <string.h>

#include "sim_core.h"
#include "sim_fault.h"
#include "sim_tools.h"

const struct sim_api sim_apis[SIM_API_COUNT] = {
#define SIM_DRIVER_API(name, cbid) {#name, #name, SIM_DOMAIN_DRIVER, cbid},
#define SIM_RUNTIME_API(name, cbid, version) {#name, #name "_v" #version, SIM_DOMAIN_RUNTIME, cbid},
#include "sim_api.def"
#undef SIM_DRIVER_API
#undef SIM_RUNTIME_API
};

static atomic_uint last_correlation;
static _Thread_local struct sim_call *top;
static _Thread_local int last_error;

struct sim_call *sim_call_top(void)
{
    return top;
}

struct sim_call *sim_call_suspend(void)
{
    struct sim_call *call = top;
    top = NULL;
    return call;
}

void sim_call_resume(struct sim_call *call)
{
    top = call;
}

uint32_t sim_call_correlation(void)
{
    return top ? top->correlation : 0;
}

int *sim_call_last_error(void)
{
    return &last_error;
}

static uint32_t correlation_of(const struct sim_call *call)
{
    return call->parent ? call->parent->correlation : atomic_fetch_add(&last_correlation, 1) + 1;
}

/* Calls that stay possible on a destroyed context. */
static bool survives_sticky(enum sim_api_id id)
{
    switch (id) {
    case SIM_ID_cudaGetLastError:
    case SIM_ID_cudaPeekAtLastError:
    case SIM_ID_cudaDeviceReset:
    case SIM_ID_cuDevicePrimaryCtxReset_v2:
    case SIM_ID_cuDriverGetVersion:
    case SIM_ID_cudaDriverGetVersion:
    case SIM_ID_cudaRuntimeGetVersion:
        return true;
    default:
        return false;
    }
}

/* Calls that need no initialised driver. */
static bool needs_driver(enum sim_api_id id)
{
    switch (id) {
    case SIM_ID_cuInit:
    case SIM_ID_cuDriverGetVersion:
    case SIM_ID_cuGetProcAddress_v2:
    case SIM_ID_cudaDriverGetVersion:
    case SIM_ID_cudaRuntimeGetVersion:
    case SIM_ID_cudaGetLastError:
    case SIM_ID_cudaPeekAtLastError:
        return false;
    default:
        return true;
    }
}

/* The runtime initialises the driver by itself, and calls a missing one an insufficient one. */
static int prepare(enum sim_api_id id)
{
    if (!needs_driver(id))
        return SIM_OK;
    if (sim_apis[id].domain == SIM_DOMAIN_DRIVER)
        return sim_core_state();
    const int result = sim_core_init();
    return result == SIM_NO_DEVICE && sim_core_usable() != SIM_OK ? SIM_INSUFFICIENT_DRIVER
                                                                  : result;
}

static int refuse(enum sim_api_id id, uint64_t argument)
{
    int code = SIM_OK;
    if (sim_fault_check(sim_apis[id].name, argument, &code))
        return code;
    return survives_sticky(id) ? SIM_OK : sim_core_sticky();
}

void sim_call_enter(struct sim_call *call, enum sim_api_id id, const void *params,
                    uint64_t first_argument, const char *symbol, bool per_thread)
{
    memset(call, 0, sizeof *call);
    call->api = &sim_apis[id];
    call->params = params;
    call->symbol = symbol;
    call->per_thread = per_thread;
    call->parent = top;
    call->result = prepare(id);
    call->hidden = call->result != SIM_OK || sim_core_state() != SIM_OK;
    call->correlation = correlation_of(call);
    top = call;
    const struct sim_tools *tools = sim_tools_get();
    if (tools && !call->hidden)
        tools->api_enter(call);
    if (call->result == SIM_OK)
        call->result = refuse(id, first_argument);
    call->proceed = call->result == SIM_OK;
}

static bool destroys_context(int result)
{
    return result == 700 || result == 702 || (result >= 714 && result <= 719);
}

static void note_error(const struct sim_call *call)
{
    if (call->result == SIM_OK)
        return;
    if (destroys_context(call->result))
        sim_core_corrupt(call->result);
    if (call->api->domain == SIM_DOMAIN_RUNTIME && call->api != &sim_apis[SIM_ID_cudaGetLastError])
        last_error = call->result;
}

int sim_call_exit(struct sim_call *call, int result)
{
    const struct sim_tools *tools = sim_tools_get();
    call->result = result;
    note_error(call);
    if (tools && !call->hidden)
        tools->api_exit(call);
    top = call->parent;
    return result;
}

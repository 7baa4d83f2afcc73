/* sim_hooks.c - the hook table through which the simulation notifies CUPTI. */
#include "sim_activity.h"
#include "sim_call.h"
#include "sim_client_clock.h"
#include "sim_context.h"
#include "sim_cupti.h"
#include "sim_graph.h"
#include "sim_stream.h"
#include "sim_subscriber.h"
#include "sim_tools.h"

static void api_enter(struct sim_call *call)
{
    sim_subscriber_api(call, false);
    sim_external_record(call);
    call->start_ns = sim_client_clock_now();
    sim_client_clock_align();
}

static void api_exit(struct sim_call *call)
{
    sim_activity_api(call, sim_client_clock_now());
    sim_subscriber_api(call, true);
}

static void resource(enum sim_resource_id id, const struct sim_resource *what)
{
    if (id == SIM_INIT_FINISHED && sim_activity_clients(SIM_KIND_DEVICE))
        sim_activity_dump(SIM_KIND_DEVICE);
    if (id == SIM_CONTEXT_CREATED)
        sim_activity_context(what->context);
    if (id == SIM_STREAM_CREATED)
        sim_activity_stream(what->stream);
    if (id == SIM_EXEC_CREATED)
        sim_activity_instantiated(what->graph->id);
    sim_subscriber_resource(id, what);
}

static void synchronized(const struct sim_sync *sync)
{
    sim_activity_sync(sync);
    sim_subscriber_synchronized(sync);
}

static void op(const struct sim_op *done)
{
    if (done->work.kind == SIM_WORK_KERNEL)
        sim_activity_touch(done);
    sim_activity_op(done);
}

static const struct sim_tools hooks = {
    .api_enter = api_enter,
    .api_exit = api_exit,
    .resource = resource,
    .synchronized = synchronized,
    .memory = sim_activity_memory,
    .pool = sim_activity_pool,
    .migrated = sim_activity_migration,
    .op = op,
};

void sim_activity_install(void)
{
    sim_tools_set(&hooks);
}

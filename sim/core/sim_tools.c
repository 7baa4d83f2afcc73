#include "sim_tools.h"

#include <stdatomic.h>
#include <stddef.h>

static _Atomic(const struct sim_tools *) the_tools;

void sim_tools_set(const struct sim_tools *tools)
{
    atomic_store_explicit(&the_tools, tools, memory_order_release);
}

const struct sim_tools *sim_tools_get(void)
{
    return atomic_load_explicit(&the_tools, memory_order_acquire);
}

void sim_tools_resource(enum sim_resource_id id, const struct sim_resource *resource)
{
    const struct sim_tools *tools = sim_tools_get();
    if (tools)
        tools->resource(id, resource);
}

#include "nvtx.h"

#include "nvtx_events.h"
#include "nvtx_registry.h"
#include "thread.h"

void nvtx_init(void)
{
    nvtx_thread_init();
    thread_ask_names(nvtx_registry_thread_name);
}

/* A child's file begins with what the parent knew: numbers keep their meaning. */
static void nvtx_file_begun(void)
{
    nvtx_registry_restate();
    nvtx_events_restate();
}

const struct collector nvtx_collector = {
    .name = "nvtx",
    .file_begun = nvtx_file_begun,
    .fork_child = nvtx_registry_fork_child,
};

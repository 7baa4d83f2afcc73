#include "itt.h"

#include "itt_calls.h"
#include "itt_handles.h"

#include <string.h>

typedef void (*itt_function)(void);

struct itt_binding {
    const char *name; /* after "__itt_" */
    itt_function function;
};

#define ITT_BINDING(name)               \
    {                                   \
#name, (itt_function)itt_##name \
    }

/* What is not here stays NULL and costs a program nothing: locks, analysis of threading and memory
 * accesses (sync_, fsync_, model_, suppress_), ids and relations by themselves, times of the
 * program's own clocks (_ex), tracks, histograms, modules, arrays. */
static const struct itt_binding itt_bindings[] = {
    ITT_BINDING(domain_create),
    {"string_handle_create", (itt_function)itt_string_create},
    ITT_BINDING(task_begin),
    ITT_BINDING(task_begin_fn),
    ITT_BINDING(task_end),
    ITT_BINDING(task_begin_overlapped),
    ITT_BINDING(task_end_overlapped),
    ITT_BINDING(region_begin),
    ITT_BINDING(region_end),
    ITT_BINDING(frame_begin_v3),
    ITT_BINDING(frame_end_v3),
    ITT_BINDING(frame_submit_v3),
    ITT_BINDING(frame_create),
    ITT_BINDING(frame_begin),
    ITT_BINDING(frame_end),
    ITT_BINDING(marker),
    ITT_BINDING(metadata_add),
    ITT_BINDING(metadata_add_with_scope),
    ITT_BINDING(metadata_str_add),
    ITT_BINDING(metadata_str_add_with_scope),
    ITT_BINDING(formatted_metadata_add),
    ITT_BINDING(formatted_metadata_add_overlapped),
    ITT_BINDING(counter_create),
    ITT_BINDING(counter_create_typed),
    ITT_BINDING(counter_create_v3),
    ITT_BINDING(counter_set_value),
    {"counter_set_value_v3", (itt_function)itt_counter_set_value},
    ITT_BINDING(counter_inc),
    ITT_BINDING(counter_dec),
    ITT_BINDING(counter_inc_delta),
    ITT_BINDING(counter_dec_delta),
    ITT_BINDING(counter_inc_v3),
    ITT_BINDING(counter_dec_v3),
    ITT_BINDING(counter_inc_delta_v3),
    ITT_BINDING(counter_dec_delta_v3),
    ITT_BINDING(event_create),
    ITT_BINDING(event_start),
    ITT_BINDING(event_end),
    ITT_BINDING(mark_create),
    ITT_BINDING(mark),
    {"mark_global", (itt_function)itt_mark},
    ITT_BINDING(thread_set_name),
    ITT_BINDING(thr_name_set),
    ITT_BINDING(pause),
    ITT_BINDING(resume),
    ITT_BINDING(pause_scoped),
    ITT_BINDING(resume_scoped),
    ITT_BINDING(detach),
    ITT_BINDING(get_timestamp),
    ITT_BINDING(heap_function_create),
    ITT_BINDING(heap_allocate_end),
    ITT_BINDING(heap_free_begin),
    ITT_BINDING(heap_reallocate_begin),
    ITT_BINDING(heap_reallocate_end),
};

static itt_function itt_find(const char *name)
{
    static const char prefix[] = "__itt_";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return NULL;
    for (size_t i = 0; i < sizeof itt_bindings / sizeof *itt_bindings; i++)
        if (strcmp(name + sizeof prefix - 1, itt_bindings[i].name) == 0)
            return itt_bindings[i].function;
    return NULL;
}

bool itt_attach(struct itt_global *global, int32_t groups, bool wanted)
{
    static const uint8_t magic[] = ITT_MAGIC;
    if (!global || memcmp(global->magic, magic, sizeof magic) != 0 || global->version_major != 3)
        return false;
    for (const struct itt_api *api = global->apis; api && api->name; api++) {
        itt_function function = wanted && (api->group & groups) ? itt_find(api->name) : NULL;
        void *pointer = function ? (void *)(uintptr_t)function : api->absent;
        store_release(api->pointer, pointer);
    }
    return true;
}

const struct collector itt_collector = {.name = "itt", .fork_child = itt_span_fork_child};

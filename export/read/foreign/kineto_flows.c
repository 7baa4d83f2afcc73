/* kineto_flows.c - see kineto_flows.h. */
#include "kineto_flows.h"

#include <stdlib.h>

void kineto_flows_fini(struct kineto_flows *flows)
{
    free(flows->ends.at);
    free(flows->operations.at);
}

bool kineto_flows_is(const struct kineto_event *event)
{
    const struct json_string *category = &event->category_text;
    return (event->flags & KINETO_EVENT_TIME) &&
           (json_string_is(category, "ac2g") || json_string_is(category, "async_cpu_to_gpu") ||
            json_string_is(category, "async"));
}

/* A number as it is, another text by its bytes. */
static uint64_t id_of(const struct json_string *id)
{
    int64_t number;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    if (json_text_scaled((struct text){id->bytes, id->size}, 0, &number))
        return (uint64_t)number;
    for (uint32_t i = 0; i < id->size; i++)
        hash = (hash ^ (unsigned char)id->bytes[i]) * UINT64_C(0x100000001b3);
    return hash | UINT64_C(1) << 63;
}

bool kineto_flows_add(struct kineto_flows *flows, const struct kineto_event *event,
                      struct kineto_place place)
{
    struct kineto_flow_end *end = ARRAY_ADD(&flows->ends);
    if (end)
        *end = (struct kineto_flow_end){id_of(&event->id), place};
    return end != NULL;
}

bool kineto_flows_operation(struct kineto_flows *flows, struct kineto_place place)
{
    struct kineto_place *operation = ARRAY_ADD(&flows->operations);
    if (operation)
        *operation = place;
    return operation != NULL;
}

/* An end on the row of a device, and where its arrow begins. */
struct target {
    struct kineto_place place;
    uint32_t process;
};

static int by_id(const void *left, const void *right)
{
    const struct kineto_flow_end *a = left, *b = right;
    return (a->id > b->id) - (a->id < b->id);
}

static int compare_places(const struct kineto_place *a, const struct kineto_place *b)
{
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    if (a->tid != b->tid)
        return a->tid < b->tid ? -1 : 1;
    return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

static int by_place(const void *left, const void *right)
{
    return compare_places(&((const struct target *)left)->place,
                          &((const struct target *)right)->place);
}

/* The one process on whose rows some of the ends are; EVENT_NO_PROCESS: none, or several. */
static uint32_t process_of(const struct kineto_rows *rows, const struct kineto_flow_end *ends,
                           uint32_t count)
{
    uint32_t process = EVENT_NO_PROCESS;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = kineto_rows_process(rows, ends[i].place.pid);
        if (other != EVENT_NO_PROCESS && process != EVENT_NO_PROCESS && other != process)
            return EVENT_NO_PROCESS;
        process = other != EVENT_NO_PROCESS ? other : process;
    }
    return process;
}

/* Sorts the ends on rows of devices by place. Returns how many of them tell something. */
static uint32_t find_targets(struct kineto_flows *flows, const struct kineto_rows *rows,
                             struct target *targets)
{
    struct kineto_flow_end *ends = flows->ends.at;
    uint32_t found = 0;
    if (flows->ends.count)
        qsort(ends, flows->ends.count, sizeof *ends, by_id);
    for (uint32_t first = 0, end = 0; first < flows->ends.count; first = end) {
        while (end < flows->ends.count && ends[end].id == ends[first].id)
            end++;
        uint32_t process = process_of(rows, ends + first, end - first);
        for (uint32_t i = first; i < end && process != EVENT_NO_PROCESS; i++)
            if (kineto_rows_process(rows, ends[i].place.pid) == EVENT_NO_PROCESS)
                targets[found++] = (struct target){ends[i].place, process};
    }
    if (found)
        qsort(targets, found, sizeof *targets, by_place);
    return found;
}

/* The one process whose arrows end in that place; EVENT_NO_PROCESS: none, or several. */
static uint32_t process_at(const struct target *targets, uint32_t count,
                           const struct kineto_place *place)
{
    uint32_t first = 0;
    for (uint32_t end = count; first < end;) {
        uint32_t middle = first + (end - first) / 2;
        if (compare_places(&targets[middle].place, place) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    uint32_t process = EVENT_NO_PROCESS;
    for (; first < count && compare_places(&targets[first].place, place) == 0; first++) {
        if (process != EVENT_NO_PROCESS && targets[first].process != process)
            return EVENT_NO_PROCESS;
        process = targets[first].process;
    }
    return process;
}

/* An arrow ends where the operation begins, or one nanosecond into it: see chrome_arrows.c. */
static uint32_t process_to(const struct target *targets, uint32_t count, struct kineto_place place)
{
    uint32_t process = process_at(targets, count, &place);
    if (process != EVENT_NO_PROCESS)
        return process;
    place.time_ns++;
    return process_at(targets, count, &place);
}

uint32_t *kineto_flows_processes(struct kineto_flows *flows, const struct kineto_rows *rows)
{
    uint32_t *processes = malloc((flows->operations.count + (size_t)1) * sizeof *processes);
    struct target *targets = malloc((flows->ends.count + (size_t)1) * sizeof *targets);
    uint32_t count = processes && targets ? find_targets(flows, rows, targets) : 0;
    for (uint32_t i = 0; processes && targets && i < flows->operations.count; i++)
        processes[i] = process_to(targets, count, flows->operations.at[i]);
    bool ready = processes && targets;
    free(targets);
    if (ready)
        return processes;
    free(processes);
    return NULL;
}

/* timeline.c - looking things up in a timeline, and its end. */
#include "timeline.h"

#include "array.h"
#include "build.h"
#include "demangle.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* From files to a timeline, and its end. */

static struct tl_attrs attrs_of(const struct tl_attr *attrs, uint32_t count, uint32_t owner)
{
    uint32_t low =
        array_lower_bound(attrs, count, sizeof *attrs, offsetof(struct tl_attr, slice), owner);
    uint32_t high = low;
    while (high < count && attrs[high].slice == owner)
        high++;
    return (struct tl_attrs){high > low ? attrs + low : NULL, high - low};
}

struct tl_attrs timeline_slice_attrs(const struct timeline *timeline, uint32_t slice)
{
    return attrs_of(timeline->attrs.at, timeline->attrs.count, slice);
}

struct tl_attrs timeline_mark_attrs(const struct timeline *timeline, uint32_t mark)
{
    return attrs_of(timeline->mark_attrs.at, timeline->mark_attrs.count, mark);
}

struct tl_attrs timeline_async_attrs(const struct timeline *timeline, uint32_t async)
{
    return attrs_of(timeline->async_attrs.at, timeline->async_attrs.count, async);
}

void timeline_destroy(struct timeline *timeline)
{
    if (!timeline)
        return;
    text_pool_fini(&timeline->names);
#define FREE(type, member) free(timeline->member.at);
    TL_ARRAYS(FREE)
#undef FREE
    free(timeline);
}

const struct tl_device *timeline_device_of(const struct timeline *timeline, uint32_t process,
                                           uint32_t ordinal)
{
    uint32_t low = 0, high = timeline->devices.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct tl_device *device = &timeline->devices.at[middle];
        if (device->process == process && device->info.device == ordinal)
            return device;
        if (device->process < process ||
            (device->process == process && device->info.device < ordinal))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const struct tl_wait *timeline_wait_of(const struct timeline *timeline, uint32_t gpu)
{
    uint32_t low = ARRAY_LOWER_BOUND(&timeline->waits, struct tl_wait, gpu, 0, gpu);
    bool found = low < timeline->waits.count && timeline->waits.at[low].gpu == gpu;
    return found ? &timeline->waits.at[low] : NULL;
}

uint32_t timeline_timing_of(const struct timeline *timeline, uint32_t slice)
{
    uint32_t low = ARRAY_LOWER_BOUND(&timeline->timings, struct tl_timing, slice, 0, slice);
    return low < timeline->timings.count && timeline->timings.at[low].slice == slice ? low
                                                                                     : TL_NONE;
}

bool tl_attrs_state_stack(const struct timeline *timeline, struct tl_attrs attrs)
{
    for (uint32_t i = 0; i < attrs.count; i++)
        if (attrs.at[i].type == PROF_ATTR_STRING &&
            text_is(timeline->names.at[attrs.at[i].key], TL_CALL_STACK))
            return true;
    return false;
}

double tl_attr_number(const struct tl_attr *attr)
{
    double real;
    switch (attr->type) {
    case PROF_ATTR_INT:
        return (double)(int64_t)attr->value;
    case PROF_ATTR_UINT:
        return (double)attr->value;
    case PROF_ATTR_DOUBLE:
        memcpy(&real, &attr->value, sizeof real);
        return real;
    default:
        return NAN;
    }
}

uint32_t timeline_graph_of(const struct timeline *timeline, const struct tl_gpu *gpu,
                           uint64_t *node)
{
    *node = 0;
    switch (gpu->kind) {
    case TL_KERNEL:
        *node = timeline->kernels.at[gpu->detail].graph_node;
        return timeline->kernels.at[gpu->detail].graph;
    case TL_MEMCPY:
        *node = timeline->memcpys.at[gpu->detail].graph_node;
        return timeline->memcpys.at[gpu->detail].graph;
    case TL_MEMSET:
        *node = timeline->memsets.at[gpu->detail].graph_node;
        return timeline->memsets.at[gpu->detail].graph;
    case TL_GRAPH_RUN:
        return timeline->graph_runs.at[gpu->detail].graph;
    default:
        return 0;
    }
}

int64_t tl_step_number(struct text name)
{
    static const char word[] = "ProfilerStep#";
    int64_t number = 0;
    if (name.size < sizeof word || !text_begins(name, word))
        return -1;
    for (size_t i = sizeof word - 1; i < name.size; i++)
        if (name.bytes[i] < '0' || name.bytes[i] > '9' ||
            __builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, name.bytes[i] - '0', &number))
            return -1;
    return number;
}

bool timeline_label_is_of(const struct timeline *timeline, uint32_t label, const char *domain)
{
    if (label == TL_NONE)
        return false;
    uint32_t name = timeline->domains.at[timeline->labels.at[label].domain].name;
    return name != TL_NONE && text_is(timeline->names.at[name], domain);
}

static uint32_t find(const struct tl_stack_of *at, uint32_t count, uint32_t owner)
{
    uint32_t low =
        array_lower_bound(at, count, sizeof *at, offsetof(struct tl_stack_of, owner), owner);
    return low < count && at[low].owner == owner ? at[low].stack : TL_NONE;
}

uint32_t stack_of_slice(const struct timeline *timeline, uint32_t slice)
{
    return find(timeline->slice_stacks.at, timeline->slice_stacks.count, slice);
}

uint32_t stack_of_async(const struct timeline *timeline, uint32_t async)
{
    return find(timeline->async_stacks.at, timeline->async_stacks.count, async);
}

bool tl_is_evaluation(const struct timeline *timeline, uint32_t slice)
{
    return slice != TL_NONE &&
           text_begins(timeline->names.at[timeline->slices.at[slice].name], TL_EVALUATION);
}

static const struct tl_fwdbwd *link_of(const struct timeline *timeline, uint32_t backward)
{
    uint32_t low = ARRAY_LOWER_BOUND(&timeline->fwdbwds, struct tl_fwdbwd, backward, 0, backward);
    bool found = low < timeline->fwdbwds.count && timeline->fwdbwds.at[low].backward == backward;
    return found ? &timeline->fwdbwds.at[low] : NULL;
}

const struct tl_fwdbwd *timeline_fwdbwd_of(const struct timeline *timeline, uint32_t slice)
{
    const struct tl_fwdbwd *link = timeline->fwdbwds.count ? link_of(timeline, slice) : NULL;
    if (link || !timeline->evaluations.count)
        return link;
    uint32_t low = ARRAY_LOWER_BOUND(&timeline->evaluations, struct tl_evaluation, slice, 0, slice);
    bool found = low < timeline->evaluations.count && timeline->evaluations.at[low].slice == slice;
    return found ? &timeline->evaluations.at[low].link : NULL;
}

uint32_t tl_module_number(const struct timeline *timeline, const struct tl_frame *frame)
{
    struct text name = timeline->names.at[frame->name];
    uint32_t number = 0, scale = 1, at = name.size < UINT16_MAX ? (uint32_t)name.size : 0;
    if (!text_begins(name, "nn.Module: "))
        return TL_NONE;
    for (; at && name.bytes[at - 1] >= '0' && name.bytes[at - 1] <= '9' && scale < 100000000;
         scale *= 10)
        number += scale * (uint32_t)(name.bytes[--at] - '0');
    return scale > 1 && name.bytes[at - 1] == '_' ? number : TL_NONE;
}

/* Whether `module` answers better than `best`: it was there at that time and came later; or neither
 * was, and it came first after that time, for the recorder may see a module after its stack. */
static bool is_better(const struct tl_module *module, const struct tl_module *best, uint64_t ticks)
{
    bool there = module->ticks <= ticks;
    if (!best)
        return true;
    bool best_there = best->ticks <= ticks;
    if (there != best_there)
        return there;
    return there ? module->ticks >= best->ticks : module->ticks < best->ticks;
}

const struct tl_module *stack_of_module(const struct timeline *timeline, uint32_t process,
                                        uint64_t address, uint64_t ticks)
{
    const struct tl_process *owner = &timeline->processes.at[process];
    const struct tl_module *best = NULL;
    for (uint32_t i = 0; i < owner->module_count; i++) {
        const struct tl_module *module = &timeline->modules.at[owner->first_module + i];
        bool covers = address >= module->start && address < module->end;
        if (covers && module->gone_ticks > ticks && is_better(module, best, ticks))
            best = module;
    }
    return best;
}

const struct tl_captured *captured_of(const struct timeline *timeline, uint32_t gpu)
{
    uint32_t low = ARRAY_LOWER_BOUND(&timeline->captured, struct tl_captured, gpu, 0, gpu);
    return low < timeline->captured.count && timeline->captured.at[low].gpu == gpu
               ? &timeline->captured.at[low]
               : NULL;
}

const struct tl_graph_launch *graph_launch_of(const struct timeline *timeline, uint32_t slice)
{
    uint32_t low =
        ARRAY_LOWER_BOUND(&timeline->graph_launches, struct tl_graph_launch, slice, 0, slice);
    return low < timeline->graph_launches.count && timeline->graph_launches.at[low].slice == slice
               ? &timeline->graph_launches.at[low]
               : NULL;
}

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char *pick(const char *const *table, size_t count, uint32_t number)
{
    return number < count && table[number] ? table[number] : "Unrecognized";
}

const char *gpu_label_copy_kind(uint8_t copy_kind)
{
    static const char *const kinds[] = {"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                        "AtoD",    "DtoA", "DtoD", "HtoH", "PtoP"};
    return pick(kinds, COUNT(kinds), copy_kind);
}

const char *gpu_label_memory_kind(uint8_t memory_kind)
{
    static const char *const kinds[] = {
        "Unknown",       "Pageable",       "Pinned",
        "Device",        "Array",          "Managed",
        "Device Static", "Managed Static", [TL_MEMORY_HOST] = "Host"};
    return pick(kinds, COUNT(kinds), memory_kind);
}

const char *gpu_label_sync(uint32_t type)
{
    static const char *const types[] = {"Synchronize", "Event Synchronize", "Stream Wait Event",
                                        "Stream Synchronize", "Context Synchronize"};
    return pick(types, COUNT(types), type);
}

/* CUPTI counts overhead kinds in steps of 65,536. */
const char *gpu_label_overhead(uint32_t kind)
{
    static const char *const kinds[] = {
        "Unknown",
        "Driver Compiler",
        "Buffer Flush",
        "Instrumentation",
        "Resource",
        "Runtime Triggered Module Loading",
        "Lazy Function Loading",
        "Command Buffer Full",
        "Activity Buffer Request",
        "UVM Activity Init",
    };
    return pick(kinds, COUNT(kinds), kind % 65536 ? UINT32_MAX : kind / 65536);
}

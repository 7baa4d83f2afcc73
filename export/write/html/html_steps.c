/* html_steps.c - what devices did in each step, and how much of their communication hid behind
 * computing: see html_page.h. */
#include "array.h"
#include "finding_gaps.h"
#include "html_page.h"
#include "temporal_breakdown.h"

#include <stdlib.h>

#define PARTS (WORK_CLASSES + GAP_CAUSES)

struct step_parts {
    struct step step;
    int64_t ns[PARTS]; /* by class of work, then by cause of idle time */
};

typedef TL_ARRAY(struct step_parts) step_array;

struct device_steps {
    const struct findings *findings;
    struct work_classes classes;
    step_array steps;
    uint32_t next; /* the first step that may have time to come */
    struct class_sweep sweep;
    bool has_operations;
};

/* ---- steps of a process ---- */

static bool find_steps(const struct steps *all, uint32_t process, step_array *steps)
{
    steps->count = 0;
    for (uint32_t i = all->first[process]; i < all->first[process + 1]; i++) {
        struct step_parts *parts = ARRAY_ADD(steps);
        if (!parts)
            return false;
        *parts = (struct step_parts){.step = all->at.at[i]};
    }
    return true;
}

static int64_t inside_ns(const struct step *step, int64_t start_ns, int64_t end_ns)
{
    int64_t from_ns = start_ns > step->start_ns ? start_ns : step->start_ns;
    int64_t to_ns = end_ns < step->end_ns ? end_ns : step->end_ns;
    return to_ns > from_ns ? to_ns - from_ns : 0;
}

/* Stretches of a part come in order of time, and so do those of all parts but idle causes. */
static void add_stretch(step_array *steps, uint32_t *next, unsigned part, int64_t start_ns,
                        int64_t end_ns)
{
    while (*next < steps->count && steps->at[*next].step.end_ns <= start_ns)
        ++*next;
    for (uint32_t i = *next; i < steps->count && steps->at[i].step.start_ns < end_ns; i++) {
        int64_t ns = inside_ns(&steps->at[i].step, start_ns, end_ns);
        steps->at[i].ns[part] += ns;
    }
}

/* ---- a device ---- */

/* Time is that of the first class that runs: computing, else communication, else memory. */
static void advance(struct device_steps *of, int64_t to_ns)
{
    while (of->sweep.now_ns < to_ns) {
        int64_t end_ns = to_ns;
        unsigned running = class_sweep_running(&of->sweep, &end_ns);
        /* idle time is short unless a gap says otherwise */
        unsigned part = running ? (unsigned)__builtin_ctz(running) : WORK_CLASSES + GAP_SHORT;
        add_stretch(&of->steps, &of->next, part, of->sweep.now_ns, end_ns);
        of->sweep.now_ns = end_ns;
    }
}

static void add_operation(struct device_steps *of, const struct tl_gpu *gpu)
{
    of->has_operations = true;
    advance(of, gpu->start_ns);
    class_sweep_add(&of->sweep, work_class_of(&of->classes, gpu), gpu->end_ns);
}

/* `first`: the process's first step, of all. */
static void add_cause(struct device_steps *of, const struct gap_device *device, unsigned cause,
                      uint32_t first)
{
    const struct finding_steps *by_step = of->findings->context.steps;
    const struct finding_part *part = NULL;
    while ((part = finding_parts_next(by_step, &device->idle_parts[cause], part))) {
        if (part->step == TL_NONE)
            continue;
        int64_t *ns = of->steps.at[part->step - first].ns;
        ns[WORK_CLASSES + cause] += part->amounts.cost_ns;
        ns[WORK_CLASSES + GAP_SHORT] -= part->amounts.cost_ns;
    }
}

static void add_causes(struct device_steps *of, const struct tl_stream *stream, uint32_t first)
{
    const struct finding_gaps *gaps = of->findings->context.gaps;
    for (uint32_t i = 0; i < gaps->devices.count; i++) {
        const struct gap_device *device = &gaps->devices.at[i];
        if (device->process != stream->process || device->device != stream->device)
            continue;
        for (unsigned cause = 0; cause < GAP_CAUSES; cause++)
            if (cause != GAP_SHORT)
                add_cause(of, device, cause, first);
    }
}

static void sweep(struct device_steps *of, struct device_walk *walk)
{
    uint32_t index;
    of->next = 0;
    of->has_operations = false;
    class_sweep_begin(&of->sweep, of->steps.at[0].step.start_ns);
    while ((index = device_walk_next(walk)) != TL_NONE)
        add_operation(of, &walk->timeline->gpus.at[index]);
    advance(of, of->steps.at[of->steps.count - 1].step.end_ns);
}

/* ---- the page ---- */

static void write_step(struct json_out *out, const struct timeline *timeline,
                       const struct step_parts *parts)
{
    const struct step *step = &parts->step;
    json_newline(out), json_array_begin(out);
    html_name(out, step->name < timeline->names.count ? timeline->names.at[step->name]
                                                      : (struct text){"", 0});
    json_int(out, step->start_ns), json_int(out, step->end_ns);
    for (unsigned part = 0; part < PARTS; part++)
        json_int(out, parts->ns[part] > 0 ? parts->ns[part] : 0);
    json_array_end(out);
}

static void write_device(struct json_out *out, const struct timeline *timeline,
                         const struct tl_stream *stream, const step_array *steps,
                         const struct html_step_list *list)
{
    uint32_t count = 0, first = list->all.first[stream->process];
    while (count < steps->count && list->is_shown[first + count])
        count++;
    json_newline(out), json_object_begin(out);
    json_key(out, "process"), json_uint(out, stream->process);
    json_key(out, "device"), json_uint(out, stream->device);
    json_key(out, "first"), json_uint(out, first);
    json_key(out, "left_out"), json_uint(out, steps->count - count);
    json_key(out, "steps"), json_array_begin(out);
    for (uint32_t i = 0; i < count; i++)
        write_step(out, timeline, &steps->at[i]);
    json_array_end(out);
    json_object_end(out);
}

static bool write_devices(struct json_out *out, const struct timeline *timeline,
                          const struct html_step_list *list, struct device_steps *of)
{
    struct device_walk walk;
    bool written = device_walk_init(&walk, timeline);
    if (!written)
        return false;
    for (uint32_t stream = 0, next; stream < timeline->streams.count && written; stream = next) {
        const struct tl_stream *first = &timeline->streams.at[stream];
        next = device_walk_begin(&walk, stream);
        written = find_steps(&list->all, first->process, &of->steps);
        if (!written || !of->steps.count)
            continue;
        sweep(of, &walk);
        if (!of->has_operations)
            continue;
        add_causes(of, first, list->all.first[first->process]);
        write_device(out, timeline, first, &of->steps, list);
    }
    device_walk_fini(&walk);
    return written;
}

/* Of each device, how long it communicated, and how long while computing. */
static bool write_overlaps(struct json_out *out, const struct timeline *timeline,
                           const struct work_classes *classes)
{
    struct temporal_breakdown breakdown;
    if (!temporal_breakdown_init(&breakdown, timeline, classes, INT64_MAX, NULL))
        return false;
    json_newline(out), json_key(out, "overlaps"), json_array_begin(out);
    for (uint32_t i = 0; i < breakdown.count; i++) {
        const struct temporal_row *row = &breakdown.at[i];
        json_newline(out), json_array_begin(out);
        json_uint(out, row->process);
        if (row->device == TL_NONE)
            json_null(out);
        else
            json_uint(out, row->device);
        json_int(out, temporal_part_ns(row, WORK_COMPUTE));
        json_int(out, temporal_union_ns(row, WORK_COMMUNICATION));
        json_int(out, temporal_overlap_ns(row, WORK_COMMUNICATION, WORK_COMPUTE));
        json_array_end(out);
    }
    json_array_end(out);
    temporal_breakdown_fini(&breakdown);
    return true;
}

bool html_steps(struct json_out *out, const struct findings *findings,
                const struct html_step_list *steps)
{
    const struct timeline *timeline = findings->context.timeline;
    struct device_steps of = {.findings = findings};
    if (!work_classes_init(&of.classes, timeline))
        return false;
    json_newline(out), json_key(out, "steps"), json_array_begin(out);
    bool written = write_devices(out, timeline, steps, &of);
    json_array_end(out);
    written = written && write_overlaps(out, timeline, &of.classes);
    free(of.steps.at);
    work_classes_fini(&of.classes);
    return written;
}

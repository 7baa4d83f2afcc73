#include "step_parts.h"

#include "device_time.h"
#include "maps.h"

#include <stdlib.h>

struct sweep {
    struct step_parts *parts;
    const struct recording *recording;
    const struct unit *unit;
    uint32_t unit_index;
    struct class_sweep classes;
    struct radix_item *edges; /* starts and ends of steps, in order */
    uint32_t edge_count, next_edge;
    uint32_t steps_begun;
    struct radix_item *ranges; /* outermost ones within steps, by start: slices */
    uint32_t range_count, ranges_begun;
    struct keymap idle_places; /* by step and name, into parts->idle */
    bool failed;               /* no memory */
};

/* ---- steps and ranges in order ---- */

static bool find_edges(struct sweep *sweep)
{
    uint32_t count = sweep->unit->steps.count;
    sweep->edges = malloc((2 * (size_t)count + 1) * sizeof *sweep->edges);
    for (uint32_t i = 0; i < count && sweep->edges; i++) {
        const struct step *step = &sweep->unit->steps.at[i];
        sweep->edges[sweep->edge_count++] = (struct radix_item){radix_key(step->start_ns), i};
        sweep->edges[sweep->edge_count++] = (struct radix_item){radix_key(step->end_ns), i};
    }
    return sweep->edges && radix_sort(sweep->edges, sweep->edge_count);
}

static bool is_outermost(const struct sweep *sweep, const struct tl_slice *slice)
{
    return slice->kind == TL_RANGE && slice->depth == 1 &&
           slice_is_shown(sweep->recording->timeline, slice) &&
           unit_of_thread(sweep->recording, slice->thread) == sweep->unit;
}

static bool find_ranges(struct sweep *sweep)
{
    const struct timeline *timeline = sweep->recording->timeline;
    uint32_t count = 0;
    for (uint32_t i = 0; i < timeline->slices.count; i++)
        count += is_outermost(sweep, &timeline->slices.at[i]);
    sweep->ranges = malloc((count + (size_t)1) * sizeof *sweep->ranges);
    for (uint32_t i = 0; i < timeline->slices.count && sweep->range_count < count && sweep->ranges;
         i++)
        if (is_outermost(sweep, &timeline->slices.at[i]))
            sweep->ranges[sweep->range_count++] =
                (struct radix_item){radix_key(timeline->slices.at[i].start_ns), i};
    return sweep->ranges && radix_sort(sweep->ranges, count);
}

/* TL_NONE: none. Moments come in order. `*until_ns`: until when that is so, at most what it is. */
static uint32_t range_at(struct sweep *sweep, int64_t ns, int64_t *until_ns)
{
    const struct timeline *timeline = sweep->recording->timeline;
    while (sweep->ranges_begun < sweep->range_count &&
           radix_time(sweep->ranges[sweep->ranges_begun].key) <= ns)
        sweep->ranges_begun++;
    if (sweep->ranges_begun < sweep->range_count) {
        int64_t next_ns = radix_time(sweep->ranges[sweep->ranges_begun].key);
        *until_ns = next_ns < *until_ns ? next_ns : *until_ns;
    }
    if (sweep->ranges_begun == 0)
        return TL_NONE;
    const struct tl_slice *range =
        &timeline->slices.at[sweep->ranges[sweep->ranges_begun - 1].value];
    if (ns >= range->end_ns)
        return TL_NONE;
    *until_ns = range->end_ns < *until_ns ? range->end_ns : *until_ns;
    return name_place(sweep->recording, slice_name(timeline, range));
}

/* The step of the current moment; NULL: none. */
static const struct step *step_now(struct sweep *sweep)
{
    const struct unit *unit = sweep->unit;
    while (sweep->steps_begun < unit->steps.count &&
           unit->steps.at[sweep->steps_begun].start_ns <= sweep->classes.now_ns)
        sweep->steps_begun++;
    if (sweep->steps_begun == 0)
        return NULL;
    const struct step *step = &unit->steps.at[sweep->steps_begun - 1];
    return sweep->classes.now_ns < step->end_ns ? step : NULL;
}

/* ---- sums ---- */

static void add_idle(struct sweep *sweep, uint32_t sums, uint32_t name, int64_t host_ns)
{
    uint64_t key = (uint64_t)sums << 32 | name;
    uint32_t place = keymap_find(&sweep->idle_places, key);
    if (place == KEYMAP_NONE) {
        struct step_idle *added = ARRAY_ADD(&sweep->parts->idle);
        place = sweep->parts->idle.count - 1;
        sweep->failed = !added || !keymap_set(&sweep->idle_places, key, place);
        if (sweep->failed)
            return;
        *added = (struct step_idle){sums, name, 0};
    }
    sweep->parts->idle.at[place].host_ns += host_ns;
}

/* `launched_ns`: when the next operation had been; INT64_MAX: nothing is known of it. */
static void idle(struct sweep *sweep, const struct step *step, int64_t to_ns, int64_t launched_ns)
{
    struct step_sums *sums = &sweep->parts->sums[step->sums];
    int64_t until_ns = launched_ns < to_ns ? launched_ns : to_ns;
    int64_t host_ns = until_ns > sweep->classes.now_ns ? until_ns - sweep->classes.now_ns : 0;
    sums->idle_host_ns += host_ns;
    sums->idle_device_ns += to_ns - sweep->classes.now_ns - host_ns;
    for (int64_t at_ns = sweep->classes.now_ns, next_ns; at_ns < until_ns; at_ns = next_ns) {
        next_ns = until_ns;
        uint32_t range = range_at(sweep, at_ns, &next_ns);
        add_idle(sweep, step->sums, range, next_ns - at_ns);
    }
}

static void stretch(struct sweep *sweep, unsigned running, int64_t to_ns, int64_t launched_ns)
{
    const struct step *step = step_now(sweep);
    int64_t length_ns = to_ns - sweep->classes.now_ns;
    bool computes = running & 1u << WORK_COMPUTE, communicates = running & 1u << WORK_COMMUNICATION;
    if (!step)
        return;
    struct step_sums *sums = &sweep->parts->sums[step->sums];
    if (computes)
        sums->compute_ns += length_ns;
    if (computes && communicates)
        sums->overlapped_ns += length_ns;
    else if (communicates)
        sums->communication_ns += length_ns;
    else if (!computes && running)
        sums->copy_ns += length_ns;
    else if (!computes)
        idle(sweep, step, to_ns, launched_ns);
}

/* ---- the sweep ---- */

/* When a step begins or ends next, at most `to_ns`. */
static int64_t next_edge(struct sweep *sweep, int64_t to_ns)
{
    while (sweep->next_edge < sweep->edge_count &&
           radix_time(sweep->edges[sweep->next_edge].key) <= sweep->classes.now_ns)
        sweep->next_edge++;
    if (sweep->next_edge < sweep->edge_count &&
        radix_time(sweep->edges[sweep->next_edge].key) < to_ns)
        to_ns = radix_time(sweep->edges[sweep->next_edge].key);
    return to_ns;
}

/* Nothing begins before `to_ns`; what begins then was launched at `launched_ns`. */
static void advance(struct sweep *sweep, int64_t to_ns, int64_t launched_ns)
{
    while (sweep->classes.now_ns < to_ns && !sweep->failed) {
        int64_t next_ns = next_edge(sweep, to_ns);
        unsigned running = class_sweep_running(&sweep->classes, &next_ns);
        stretch(sweep, running, next_ns, next_ns == to_ns ? launched_ns : INT64_MAX);
        sweep->classes.now_ns = next_ns;
    }
}

static bool is_of_unit(void *user, uint32_t process)
{
    const struct sweep *sweep = user;
    return sweep->recording->unit_of[process] == sweep->unit_index;
}

/* What begins at one time. */
struct begun {
    int64_t start_ns, launched_ns;
    int64_t until_ns[WORK_CLASSES];
};

static void begin(struct sweep *sweep, struct begun *begun, int64_t next_ns)
{
    advance(sweep, begun->start_ns, begun->launched_ns);
    for (unsigned i = 0; i < WORK_CLASSES; i++)
        class_sweep_add(&sweep->classes, i, begun->until_ns[i]);
    *begun = (struct begun){next_ns, INT64_MAX, {INT64_MIN, INT64_MIN, INT64_MIN}};
}

static void add_operation(struct sweep *sweep, struct begun *begun, const struct tl_gpu *gpu)
{
    const struct tl_slice *launch = launch_of(sweep->recording->timeline, gpu);
    enum work_class class = class_of(sweep->recording, gpu);
    if (gpu->start_ns != begun->start_ns)
        begin(sweep, begun, gpu->start_ns);
    if (launch && launch->end_ns < begun->launched_ns)
        begun->launched_ns = launch->end_ns;
    if (gpu->end_ns > begun->until_ns[class])
        begun->until_ns[class] = gpu->end_ns;
}

static bool sweep_operations(struct sweep *sweep)
{
    struct device_walk walk;
    int64_t first_ns = radix_time(sweep->edges[0].key);
    struct begun begun = {first_ns, INT64_MAX, {INT64_MIN, INT64_MIN, INT64_MIN}};
    if (!device_walk_init(&walk, sweep->recording->timeline))
        return false;
    device_walk_begin_processes(&walk, is_of_unit, sweep);
    class_sweep_begin(&sweep->classes, first_ns);
    for (uint32_t gpu; (gpu = device_walk_next(&walk)) != TL_NONE;)
        add_operation(sweep, &begun, &sweep->recording->timeline->gpus.at[gpu]);
    int64_t last_ns = radix_time(sweep->edges[sweep->edge_count - 1].key);
    if (begun.start_ns < last_ns)
        begin(sweep, &begun, last_ns);
    advance(sweep, last_ns, begun.start_ns == last_ns ? begun.launched_ns : INT64_MAX);
    device_walk_fini(&walk);
    return !sweep->failed;
}

static bool find_parts(struct step_parts *parts, const struct recording *recording, uint32_t unit)
{
    struct sweep sweep = {.parts = parts,
                          .recording = recording,
                          .unit = &recording->units.at[unit],
                          .unit_index = unit};
    parts->sums = calloc(sweep.unit->numbers.count + (size_t)1, sizeof *parts->sums);
    bool complete = parts->sums != NULL;
    if (complete && sweep.unit->steps.count)
        complete = find_edges(&sweep) && find_ranges(&sweep) && sweep_operations(&sweep);
    keymap_fini(&sweep.idle_places);
    free(sweep.edges);
    free(sweep.ranges);
    return complete;
}

void step_parts_destroy(struct step_parts *parts)
{
    if (parts) {
        free(parts->sums);
        free(parts->idle.at);
    }
    free(parts);
}

const struct step_parts *step_parts_of(struct recording *recording, uint32_t unit)
{
    struct unit *of = &recording->units.at[unit];
    if (of->parts)
        return of->parts;
    struct step_parts *made = calloc(1, sizeof *made);
    if (!made || !find_parts(made, recording, unit)) {
        step_parts_destroy(made);
        return NULL;
    }
    of->parts = made;
    return made;
}

/* metrics_values.c - counts what the walk meets: steps, launches, operations, and how long each
 * device was busy.
 *
 * Busy is the union of a device's operations. They arrive stream by stream, so the latest busy
 * times are kept as a list, into which an earlier one is merged. Operations that began before the
 * list are counted only from its start on.
 */
#include "metrics.h"
#include "process.h"
#include "summary_inside.h"

#include <string.h>

#define VALUES_SPANS 8192u

struct span {
    int64_t start_ns, end_ns;
};

static struct {
    struct metrics_values values;
    struct device_spans {
        uint32_t count;
        int64_t floor_ns; /* earlier spans were forgotten */
        struct span spans[VALUES_SPANS];
    } devices[METRICS_DEVICES];
} * values;

bool metrics_values_begin(void)
{
    void *memory = values;
    bool begun = process_memory(&memory, sizeof *values);
    values = memory;
    return begun;
}

struct metrics_values *metrics_counted(void)
{
    return &values->values;
}

/* ---- what the walk meets ---- */

void metrics_progress(int64_t now_ns)
{
    if (now_ns > values->values.progress_ns)
        values->values.progress_ns = now_ns;
}

void metrics_step(int64_t length_ns)
{
    prof_metrics_observe(&values->values.steps, length_ns);
}

void metrics_step_parts(const struct prof_rec_summary_step *step)
{
    uint64_t *sums = values->values.step_parts_ns;
    sums[PROF_METRICS_COMPUTE] += step->compute_ns;
    sums[PROF_METRICS_COMMUNICATION] += step->communication_ns;
    sums[PROF_METRICS_COPY] += step->copy_ns;
    sums[PROF_METRICS_IDLE_HOST] += step->idle_host_ns;
    sums[PROF_METRICS_IDLE_DEVICE] += step->idle_device_ns;
}

void metrics_launch(void)
{
    values->values.launches++;
}

void metrics_unseen(uint64_t chunks)
{
    values->values.unseen += chunks;
}

void metrics_collective(unsigned function)
{
    if (function < PROF_METRICS_FUNCTIONS)
        values->values.collectives[function]++;
}

/* ---- devices ---- */

/* The first span that ends at or after that time. */
static uint32_t span_find(const struct device_spans *device, int64_t time_ns)
{
    uint32_t low = 0, high = device->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (device->spans[middle].end_ns < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void span_make_room(struct device_spans *device)
{
    uint32_t dropped = VALUES_SPANS / 2;
    if (device->count < VALUES_SPANS)
        return;
    device->floor_ns = device->spans[dropped - 1].end_ns;
    device->count -= dropped;
    memmove(device->spans, device->spans + dropped, device->count * sizeof *device->spans);
}

/* Returns how much longer the device was busy than was known. */
static uint64_t span_add(struct device_spans *device, struct span span)
{
    span_make_room(device);
    if (span.start_ns < device->floor_ns)
        span.start_ns = device->floor_ns;
    if (span.end_ns <= span.start_ns)
        return 0;
    uint32_t first = span_find(device, span.start_ns), end = first;
    int64_t known_ns = 0;
    for (; end < device->count && device->spans[end].start_ns <= span.end_ns; end++) {
        const struct span *other = &device->spans[end];
        known_ns += other->end_ns - other->start_ns;
        span.start_ns = other->start_ns < span.start_ns ? other->start_ns : span.start_ns;
        span.end_ns = other->end_ns > span.end_ns ? other->end_ns : span.end_ns;
    }
    memmove(&device->spans[first + 1], &device->spans[end],
            (device->count - end) * sizeof *device->spans);
    device->spans[first] = span;
    device->count = device->count - (end - first) + 1;
    return (uint64_t)(span.end_ns - span.start_ns - known_ns);
}

void metrics_operation(const struct metrics_work *operation)
{
    struct metrics_values *all = &values->values;
    all->operations[operation->kind]++;
    if (operation->kind == PROF_METRICS_MEMCPY)
        all->copied_bytes[operation->direction] += operation->bytes;
    if (operation->device >= METRICS_DEVICES)
        return;
    all->was_used[operation->device] = true;
    all->busy_ns[operation->device] += span_add(
        &values->devices[operation->device], (struct span){operation->start_ns, operation->end_ns});
}

/* summary_device.c - operations: the step of each, and what the device did in each step.
 *
 * A device record can be met before the call that launched it, which is in another log. So
 * operations wait for the next walk, which sees everything that precedes them. A step's accounting
 * waits longer, until the operations that ran in it have been delivered.
 */
#include "config.h"
#include "kernel_class.h"
#include "metrics.h"
#include "names.h"
#include "process.h"
#include "recorder.h"
#include "sort.h"
#include "summary_inside.h"

#include <string.h>

#define DEVICE_STEPS 4096u
#define DEVICE_LAUNCHES (1u << 18) /* by correlation id, so these are the latest */
#define DEVICE_WAITING (1u << 17)
#define DEVICE_RAN (1u << 17)
#define DEVICE_KERNELS (1u << 10)

enum device_class { DEVICE_COMPUTE, DEVICE_COMMUNICATION, DEVICE_COPY, DEVICE_CLASSES };

struct device_step {
    uint64_t number;
    int64_t start_ns, end_ns; /* SUMMARY_NEVER: it has not ended */
    bool done;                /* emitted, or never will be */
};

/* An operation that waits for its launch. */
struct device_waiting {
    int64_t start_ns, end_ns;
    uint64_t name, bytes;
    uint32_t correlation;
    uint16_t device;
    uint16_t kind;  /* enum prof_summary_kind */
    uint16_t class; /* enum device_class */
};

/* An operation that waits for the end of the steps that it ran in; or where one begins or ends. */
struct device_edge {
    int64_t ns;          /* its start; of the edge */
    int64_t end_ns;      /* of an operation */
    int64_t launched_ns; /* end of its call, at its begin; SUMMARY_NEVER unknown */
    int32_t change;      /* of an edge: 1, -1 */
    uint32_t class;
};

struct device_kernel {
    uint32_t name;
    enum device_class class;
};

static struct device {
    uint32_t step_count, ran_count;
    bool lost;                  /* operations since the last step that was emitted */
    uint64_t wait_at, wait_end; /* into waiting[], ever; those below wait_known may be placed */
    uint64_t wait_known;
    struct device_step steps[DEVICE_STEPS]; /* by start */
    struct summary_call launches[DEVICE_LAUNCHES];
    struct device_waiting waiting[DEVICE_WAITING];
    struct device_kernel kernels[DEVICE_KERNELS]; /* by name, those met last */
    struct device_edge ran[DEVICE_RAN];
    struct device_edge edges[2 * DEVICE_RAN];
} * device;

bool summary_device_begin(void)
{
    void *memory = device;
    bool begun = process_memory(&memory, sizeof *device);
    device = memory;
    return begun;
}

/* ---- steps ---- */

/* How many steps began at or before that time. */
static uint32_t device_steps_until(int64_t time_ns)
{
    uint32_t low = 0, high = device->step_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (device->steps[middle].start_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t summary_step_at(int64_t time_ns)
{
    uint32_t place = device_steps_until(time_ns);
    const struct device_step *step = place ? &device->steps[place - 1] : NULL;
    return step && time_ns < step->end_ns ? step->number : PROF_SUMMARY_NO_STEP;
}

void summary_step_begin(uint64_t number, int64_t start_ns)
{
    if (device->step_count == DEVICE_STEPS) /* the oldest one is forgotten */
        memmove(&device->steps[0], &device->steps[1], --device->step_count * sizeof *device->steps);
    uint32_t place = device_steps_until(start_ns);
    memmove(&device->steps[place + 1], &device->steps[place],
            (device->step_count - place) * sizeof *device->steps);
    device->steps[place] = (struct device_step){number, start_ns, SUMMARY_NEVER, false};
    device->step_count++;
}

void summary_step_end(uint64_t number, int64_t start_ns, int64_t end_ns)
{
    for (uint32_t place = device_steps_until(start_ns); place-- > 0;) {
        struct device_step *step = &device->steps[place];
        if (step->start_ns != start_ns)
            return;
        if (step->number != number)
            continue;
        step->end_ns = end_ns;
        return;
    }
}

/* ---- operations ---- */

void summary_launch(const struct summary_call *call)
{
    struct summary_call *known = &device->launches[call->correlation % DEVICE_LAUNCHES];
    *known = *call;
}

bool summary_is_internal(uint32_t correlation)
{
    if (!correlation)
        return false;
    const struct summary_call *call = &device->launches[correlation % DEVICE_LAUNCHES];
    return call->correlation == correlation && call->flags & PROF_API_INTERNAL;
}

void summary_launch_end(uint32_t correlation, int64_t enter_ns, int64_t exit_ns)
{
    struct summary_call *known = &device->launches[correlation % DEVICE_LAUNCHES];
    if (correlation && known->correlation == correlation && known->enter_ns == enter_ns)
        known->exit_ns = exit_ns;
}

/* Each kernel runs many times. */
static enum device_class device_class_of(uint32_t name)
{
    struct device_kernel *kernel = &device->kernels[name % DEVICE_KERNELS];
    if (kernel->name != name) {
        const char *text = names_text_of(name);
        *kernel = (struct device_kernel){name, kernel_class_communicates(text, strlen(text))
                                                   ? DEVICE_COMMUNICATION
                                                   : DEVICE_COMPUTE};
    }
    return kernel->class;
}

static void device_ran_add(const struct device_waiting *from, const struct summary_call *call)
{
    if (!device->step_count)
        return;
    if (device->ran_count == DEVICE_RAN) {
        device->lost = true;
        return;
    }
    device->ran[device->ran_count++] =
        (struct device_edge){.ns = from->start_ns,
                             .end_ns = from->end_ns,
                             .launched_ns = call ? call->exit_ns : SUMMARY_NEVER,
                             .class = from->class};
}

static void device_meter(const struct device_waiting *from)
{
    static const uint8_t kinds[] = {[PROF_SUMMARY_KERNEL] = PROF_METRICS_KERNEL,
                                    [PROF_SUMMARY_MEMCPY] = PROF_METRICS_MEMCPY,
                                    [PROF_SUMMARY_MEMSET] = PROF_METRICS_MEMSET,
                                    [PROF_SUMMARY_GRAPH] = PROF_METRICS_GRAPH};
    metrics_operation(
        &(struct metrics_work){.start_ns = from->start_ns,
                               .end_ns = from->end_ns,
                               .bytes = from->bytes,
                               .device = from->device,
                               .kind = kinds[from->kind],
                               .direction = (uint8_t)prof_metrics_direction(from->name & 0xff)});
}

static void device_place(const struct device_waiting *from)
{
    const struct summary_call *call = &device->launches[from->correlation % DEVICE_LAUNCHES];
    if (!from->correlation || call->correlation != from->correlation)
        call = NULL;
    if (call && call->flags & PROF_API_INTERNAL)
        return;
    summary_table_add((enum prof_summary_kind)from->kind,
                      summary_step_at(call ? call->enter_ns : from->start_ns), from->name,
                      from->end_ns - from->start_ns);
    device_ran_add(from, call);
    if (metrics_on())
        device_meter(from);
}

static void device_place_next(void)
{
    device_place(&device->waiting[device->wait_at++ % DEVICE_WAITING]);
}

void summary_operations_place(void)
{
    while (device->wait_at < device->wait_known)
        device_place_next();
    device->wait_known = device->wait_end;
}

static void device_wait(struct device_waiting operation)
{
    if (operation.end_ns < operation.start_ns)
        operation.end_ns = operation.start_ns;
    if (device->wait_end - device->wait_at == DEVICE_WAITING)
        device_place_next();
    device->waiting[device->wait_end++ % DEVICE_WAITING] = operation;
}

/* Sets the operation's kind, class and name from the rest of its record; false: it is not one. */
static bool device_describe(const uint64_t *record, size_t bytes, struct device_waiting *operation)
{
    union {
        struct prof_rec_kernel kernel;
        struct prof_rec_memcpy copy;
        struct prof_rec_memset set;
        struct prof_rec_graph_run run;
    } from = {0};
    memcpy(&from, record, bytes < sizeof from ? bytes : sizeof from);
    switch (PROF_WORD_TYPE(*record)) {
    case PROF_REC_KERNEL:
        operation->kind = PROF_SUMMARY_KERNEL;
        operation->name = from.kernel.name;
        operation->device = from.kernel.device;
        operation->class = (uint16_t)device_class_of((uint32_t)from.kernel.name);
        return true;
    case PROF_REC_MEMCPY:
        operation->kind = PROF_SUMMARY_MEMCPY;
        operation->device = from.copy.device;
        operation->bytes = from.copy.bytes;
        operation->name = (uint64_t)(from.copy.copy_kind | from.copy.src_kind << 8) |
                          (uint64_t)from.copy.dst_kind << 16;
        operation->class = DEVICE_COPY;
        return true;
    case PROF_REC_MEMSET:
        operation->kind = PROF_SUMMARY_MEMSET;
        operation->device = from.set.device;
        operation->name = from.set.memory_kind;
        operation->class = DEVICE_COPY;
        return true;
    case PROF_REC_GRAPH_RUN:
        operation->kind = PROF_SUMMARY_GRAPH;
        operation->device = from.run.device;
        operation->name = from.run.graph;
        operation->class = DEVICE_COMPUTE;
        return true;
    default:
        return false;
    }
}

/* Records without times are losses. */
void summary_operation(const uint64_t *record, unsigned words)
{
    struct device_waiting operation = {.correlation = (uint32_t)PROF_WORD_INFO(*record)};
    if (words < PROF_REC_MEMCPY_SHORT_BYTES / 8 - 1 || !record[1] ||
        !device_describe(record, words * sizeof *record, &operation))
        return;
    operation.start_ns = summary_clock_device_ns(record[1]);
    operation.end_ns = summary_clock_device_ns(record[2]);
    device_wait(operation);
}

/* ---- what the device did in a step ---- */

static bool device_before(const void *a, const void *b)
{
    return ((const struct device_edge *)a)->ns < ((const struct device_edge *)b)->ns;
}

static void device_sort(struct device_edge *edges, size_t count)
{
    sort_heap(edges, count, sizeof *edges, device_before);
}

/* Edges of what ran in from..until, clipped to it, sorted; ran[] is sorted from `first` on. An
 * operation that begins at the end counts: it is what the device waited for. */
static size_t device_edges(uint32_t first, int64_t from, int64_t until)
{
    size_t count = 0;
    for (uint32_t i = first; i < device->ran_count && device->ran[i].ns <= until; i++) {
        struct device_edge begin = device->ran[i];
        if (begin.end_ns < from)
            continue;
        struct device_edge end = {.ns = begin.end_ns < until ? begin.end_ns : until,
                                  .launched_ns = SUMMARY_NEVER,
                                  .change = -1,
                                  .class = begin.class};
        if (begin.ns < from)
            begin = (struct device_edge){
                .ns = from, .launched_ns = SUMMARY_NEVER, .class = begin.class};
        begin.change = 1;
        device->edges[count++] = begin;
        device->edges[count++] = end;
    }
    device_sort(device->edges, count);
    return count;
}

/* Adds the time between two edges to the part of the step that it belongs to. */
static void device_account(struct prof_rec_summary_step *step,
                           const int32_t running[DEVICE_CLASSES], int64_t ns,
                           int64_t until_launch_ns)
{
    if (running[DEVICE_COMPUTE]) {
        step->compute_ns += (uint64_t)ns;
        if (running[DEVICE_COMMUNICATION])
            step->overlapped_ns += (uint64_t)ns;
    } else if (running[DEVICE_COMMUNICATION]) {
        step->communication_ns += (uint64_t)ns;
    } else if (running[DEVICE_COPY]) {
        step->copy_ns += (uint64_t)ns;
    } else {
        int64_t host_ns = until_launch_ns < 0 ? 0 : until_launch_ns < ns ? until_launch_ns : ns;
        step->idle_host_ns += (uint64_t)host_ns;
        step->idle_device_ns += (uint64_t)(ns - host_ns);
    }
}

/* When the first of the operations that begin there had been launched; SUMMARY_NEVER: none
 * begins. */
static int64_t device_launched(size_t at, size_t count)
{
    int64_t ns = device->edges[at].ns, launched_ns = SUMMARY_NEVER;
    for (; at < count && device->edges[at].ns == ns; at++)
        if (device->edges[at].launched_ns < launched_ns)
            launched_ns = device->edges[at].launched_ns;
    return launched_ns;
}

static void device_sweep(struct prof_rec_summary_step *step, uint32_t first, int64_t from,
                         int64_t until)
{
    int32_t running[DEVICE_CLASSES] = {0};
    size_t count = device_edges(first, from, until);
    for (size_t at = 0; at <= count;) {
        int64_t ns = at < count ? device->edges[at].ns : until;
        int64_t launched_ns = at < count ? device_launched(at, count) : SUMMARY_NEVER;
        if (ns > from)
            device_account(step, running, ns - from,
                           launched_ns == SUMMARY_NEVER ? ns - from : launched_ns - from);
        from = ns;
        if (at == count)
            return;
        for (; at < count && device->edges[at].ns == ns; at++)
            running[device->edges[at].class] += device->edges[at].change;
    }
}

/* The time of a step until a later one begins in it. */
static int64_t device_step_until(uint32_t place)
{
    const struct device_step *step = &device->steps[place];
    bool cut = place + 1 < device->step_count && step[1].start_ns < step->end_ns;
    return cut ? step[1].start_ns : step->end_ns;
}

static void device_step_emit(uint32_t place, uint32_t first)
{
    struct device_step *step = &device->steps[place];
    struct prof_rec_summary_step record = {.step = step->number,
                                           .start_ns = (uint64_t)step->start_ns,
                                           .duration_ns = (uint64_t)(step->end_ns - step->start_ns),
                                           .flags = device->lost ? PROF_SUMMARY_STEP_PARTLY : 0};
    step->done = true;
    device_sweep(&record, first, step->start_ns, device_step_until(place));
    if (metrics_on() && !device->lost)
        metrics_step_parts(&record);
    if (config_get()->summary_s)
        meta_append(PROF_REC_SUMMARY_STEP, &record, sizeof record, NULL, 0);
}

/* In order; a step that has not ended holds up those after it. */
void summary_steps_emit(int64_t until_ns)
{
    uint32_t place = 0, first = 0;
    device_sort(device->ran, device->ran_count);
    for (; place < device->step_count; place++) {
        const struct device_step *step = &device->steps[place];
        if (step->done)
            continue;
        if (step->end_ns == SUMMARY_NEVER || step->end_ns > until_ns)
            break;
        while (first < device->ran_count && device->ran[first].end_ns < step->start_ns)
            first++;
        device_step_emit(place, first);
    }
    int64_t needed_ns = place < device->step_count ? device->steps[place].start_ns
                        : place                    ? device->steps[place - 1].end_ns
                                                   : SUMMARY_NEVER;
    uint32_t kept = 0;
    for (uint32_t i = first; i < device->ran_count; i++)
        if (device->ran[i].end_ns >= needed_ns)
            device->ran[kept++] = device->ran[i];
    device->ran_count = kept;
    device->lost = device->lost && kept;
}

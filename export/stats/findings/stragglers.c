/* stragglers.c - see stragglers.h. */
#include "stragglers.h"

#include "array.h"

#include <stdlib.h>

struct part {
    uint32_t name, process, number; /* the n-th of its name in its process */
    int64_t start_ns, duration_ns;
};

struct parts {
    TL_ARRAY(struct part) list;
};

static bool collect(struct parts *parts, const struct timeline *timeline,
                    const struct work_classes *classes)
{
    for (uint32_t i = 0; i < timeline->gpus.count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (!tl_is_work(gpu) || work_class_of(classes, gpu) != WORK_COMMUNICATION)
            continue;
        struct part *part = ARRAY_ADD(&parts->list);
        if (!part)
            return false;
        *part =
            (struct part){gpu->name, gpu->process, 0, gpu->start_ns, gpu->end_ns - gpu->start_ns};
    }
    return true;
}

static int order_of(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int by_process(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    int order = order_of(a->name, b->name);
    order = order ? order : order_of(a->process, b->process);
    return order ? order : (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

static int by_number(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    int order = order_of(a->name, b->name);
    order = order ? order : order_of(a->number, b->number);
    return order ? order : order_of(a->process, b->process);
}

static void number_them(struct part *parts, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (parts[i].name == parts[i - 1].name && parts[i].process == parts[i - 1].process)
            parts[i].number = parts[i - 1].number + 1;
}

/* The parts of one collective: one of each process. */
static void compare(struct stragglers *stragglers, const struct part *parts, uint32_t count)
{
    const struct part *shortest = parts;
    int64_t longest_ns = parts->duration_ns;
    uint32_t equals = 0;
    for (uint32_t i = 1; i < count; i++) {
        if (parts[i].duration_ns < shortest->duration_ns)
            shortest = &parts[i];
        longest_ns = parts[i].duration_ns > longest_ns ? parts[i].duration_ns : longest_ns;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct straggler *row = &stragglers->at[parts[i].process];
        row->collectives++;
        row->waited_ns += parts[i].duration_ns - shortest->duration_ns;
        equals += parts[i].duration_ns == shortest->duration_ns;
    }
    stragglers->compared++;
    if (equals == 1) {
        struct straggler *row = &stragglers->at[shortest->process];
        row->last++;
        row->caused_ns += longest_ns - shortest->duration_ns;
        int64_t ns = longest_ns - shortest->duration_ns;
        finding_parts_add(
            stragglers->steps, &row->parts,
            finding_steps_at(stragglers->steps, shortest->process, shortest->start_ns),
            (struct finding_amounts){.count = 1, .cost_ns = ns, .saved_ns = ns});
    }
}

/* Those of one name, by number: compared where each process has as many. */
static void compare_name(struct stragglers *stragglers, const struct part *parts, uint32_t count)
{
    uint32_t processes = 0;
    while (processes < count && parts[processes].number == 0)
        processes++;
    bool even = processes > 1 && count % processes == 0;
    for (uint32_t i = 0; i < count && even; i++)
        even = parts[i].number == i / processes;
    if (!even)
        stragglers->left_out += processes > 1 ? count : 0;
    for (uint32_t i = 0; i < count && even; i += processes)
        compare(stragglers, &parts[i], processes);
}

static void compare_all(struct stragglers *stragglers, struct part *parts, uint32_t count)
{
    qsort(parts, count, sizeof *parts, by_process);
    number_them(parts, count);
    qsort(parts, count, sizeof *parts, by_number);
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && parts[end].name == parts[first].name;)
            end++;
        compare_name(stragglers, &parts[first], end - first);
    }
}

static int most_caused(const void *left, const void *right)
{
    const struct straggler *a = left, *b = right;
    if (a->caused_ns != b->caused_ns)
        return a->caused_ns > b->caused_ns ? -1 : 1;
    return order_of(a->process, b->process);
}

/* While they are added up, a row is at the place of its process. */
static void keep_compared(struct stragglers *stragglers, uint32_t processes)
{
    for (uint32_t i = 0; i < processes; i++) {
        if (stragglers->at[i].collectives == 0)
            continue;
        stragglers->at[stragglers->count] = stragglers->at[i];
        stragglers->at[stragglers->count++].process = i;
    }
    if (stragglers->count)
        qsort(stragglers->at, stragglers->count, sizeof *stragglers->at, most_caused);
}

bool stragglers_init(struct stragglers *stragglers, const struct timeline *timeline,
                     const struct work_classes *classes, struct finding_steps *steps)
{
    struct parts parts = {0};
    *stragglers = (struct stragglers){
        .steps = steps,
        .at = calloc((size_t)timeline->processes.count + 1, sizeof *stragglers->at)};
    bool done = stragglers->at && collect(&parts, timeline, classes);
    if (done && parts.list.count)
        compare_all(stragglers, parts.list.at, parts.list.count);
    free(parts.list.at);
    if (!done)
        stragglers_fini(stragglers);
    else
        keep_compared(stragglers, timeline->processes.count);
    return done;
}

void stragglers_fini(struct stragglers *stragglers)
{
    free(stragglers->at);
    *stragglers = (struct stragglers){0};
}

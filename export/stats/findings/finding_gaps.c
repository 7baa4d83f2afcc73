/* finding_gaps.c - see finding_gaps.h: one walk over each device, a gap at a time. */
#include "finding_gaps.h"

#include "device_walk.h"
#include "gap_pieces.h"

#include <stdlib.h>

struct gap_search {
    struct finding_gaps *gaps;
    struct gap_pieces pieces;
    struct device_walk walk;
    bool failed;
};

static const struct {
    const char *name, *words;
} causes[GAP_CAUSES] = {
    [GAP_SHORT] = {"short", "between operations, too short to tell"},
    [GAP_LAUNCH] = {"launch-bound", "launching"},
    [GAP_CPU] = {"cpu-bound", "the CPU did something else"},
    [GAP_SYNC] = {"synchronization", "in calls that wait for a device"},
    [GAP_COPY] = {"copy", "in synchronous or pageable copies"},
    [GAP_ALLOCATE] = {"allocation", "in calls that allocate or free"},
    [GAP_OTHER_CALL] = {"other-calls", "in other CUDA calls"},
    [GAP_HOST_FUNCTION] = {"host-function", "a stream waited for a host function"},
    [GAP_QUEUED] = {"queued", "launched, but waited for something"},
    [GAP_START] = {"start", "before its first operation"},
    [GAP_END] = {"end", "after its last operation"},
    [GAP_OFF] = {"off", "recording was off"},
    [GAP_UNKNOWN] = {"unknown", "unknown: the launch is not in the trace"},
};

const char *gap_cause_name(enum gap_cause cause)
{
    return causes[cause].name;
}

const char *gap_cause_words(enum gap_cause cause)
{
    return causes[cause].words;
}

int64_t gap_device_idle(const struct gap_device *device)
{
    return device->window_ns - device->busy_ns;
}

int64_t finding_gaps_bound(const struct finding_gaps *gaps, uint32_t process)
{
    return gaps->bounds[process];
}

/* The least idle time of the process's devices; without one, its whole time. */
static bool find_bounds(struct finding_gaps *gaps, const struct timeline *timeline)
{
    gaps->bounds = calloc((size_t)timeline->processes.count + 1, sizeof *gaps->bounds);
    for (uint32_t i = 0; i < timeline->processes.count && gaps->bounds; i++)
        gaps->bounds[i] = timeline->processes.at[i].end_ns - timeline->processes.at[i].start_ns;
    for (uint32_t i = 0; i < gaps->devices.count && gaps->bounds; i++) {
        int64_t idle_ns = gap_device_idle(&gaps->devices.at[i]);
        int64_t *bound_ns = &gaps->bounds[gaps->devices.at[i].process];
        *bound_ns = idle_ns < *bound_ns ? idle_ns : *bound_ns;
    }
    return gaps->bounds != NULL;
}

/* Example calls: of the range, the launch that ended the gap has a call stack if any has. */
static void add_owner(struct gap_search *search, struct gap_device *device,
                      const struct gap_piece *piece)
{
    struct finding_owner *owner =
        finding_owners_add(&search->gaps->owners[piece->cause], search->pieces.context,
                           device->process, device->device, piece->slice, piece->ns);
    if (!owner)
        search->failed = true;
    else if (owner->largest_ns == piece->ns)
        owner->call = search->pieces.launch;
}

static void keep_gap(struct gap_search *search)
{
    const struct gap_pieces *pieces = &search->pieces;
    struct finding_gap *gap = ARRAY_ADD(&search->gaps->gaps);
    search->failed |= !gap;
    if (gap)
        *gap = (struct finding_gap){.start_ns = pieces->start_ns,
                                    .end_ns = pieces->end_ns,
                                    .next = pieces->next,
                                    .blocker = pieces->blocker,
                                    .device = search->gaps->devices.count - 1,
                                    .cause = (uint8_t)gap_pieces_main(pieces)};
}

/* Short gaps have no owner: nobody can do anything about one. */
static void add_gap(struct gap_search *search, uint32_t before, uint32_t next, int64_t start_ns,
                    int64_t end_ns)
{
    struct gap_device *device = &search->gaps->devices.at[search->gaps->devices.count - 1];
    struct gap_pieces *pieces = &search->pieces;
    if (end_ns <= start_ns || search->failed)
        return;
    search->failed = !gap_pieces_of(pieces, device->process, before, next, start_ns, end_ns);
    for (uint32_t i = 0; i < pieces->pieces.count && !search->failed; i++) {
        const struct gap_piece *piece = &pieces->pieces.at[i];
        device->idle_ns[piece->cause] += piece->ns;
        if (piece->cause != GAP_SHORT)
            add_owner(search, device, piece);
    }
    bool is_short = pieces->pieces.count && pieces->pieces.at[0].cause == GAP_SHORT;
    if (before != TL_NONE && next != TL_NONE && !is_short && !search->failed)
        keep_gap(search);
}

/* Operations in order; what one has in common with those before is busy already. */
static void walk_device(struct gap_search *search, struct gap_device *device, uint32_t first)
{
    const struct timeline *timeline = search->walk.timeline;
    const struct tl_process *process = &timeline->processes.at[device->process];
    int64_t busy_until_ns = process->start_ns;
    uint32_t last = TL_NONE; /* the operation that ended latest */
    for (uint32_t next = first; next != TL_NONE && !search->failed;
         next = device_walk_next(&search->walk)) {
        const struct tl_gpu *gpu = &timeline->gpus.at[next];
        if (gpu->start_ns > busy_until_ns)
            add_gap(search, last, next, busy_until_ns, gpu->start_ns);
        int64_t from_ns = gpu->start_ns > busy_until_ns ? gpu->start_ns : busy_until_ns;
        device->operations++;
        if (gpu->end_ns > from_ns)
            device->busy_ns += gpu->end_ns - from_ns;
        if (gpu->end_ns >= busy_until_ns || last == TL_NONE)
            last = next;
        busy_until_ns = gpu->end_ns > from_ns ? gpu->end_ns : from_ns;
    }
    add_gap(search, last, TL_NONE, busy_until_ns, process->end_ns);
}

static uint32_t add_device(struct gap_search *search, uint32_t stream)
{
    const struct timeline *timeline = search->walk.timeline;
    const struct tl_stream *of = &timeline->streams.at[stream];
    const struct tl_process *process = &timeline->processes.at[of->process];
    uint32_t after = device_walk_begin(&search->walk, stream);
    uint32_t first = device_walk_next(&search->walk);
    struct gap_device *device = first == TL_NONE ? NULL : ARRAY_ADD(&search->gaps->devices);
    if (device) {
        *device = (struct gap_device){.process = of->process,
                                      .device = of->device,
                                      .window_ns = process->end_ns - process->start_ns};
        walk_device(search, device, first);
    }
    search->failed |= first != TL_NONE && !device;
    return after;
}

bool finding_gaps_init(struct finding_gaps *gaps, const struct finding_context *context)
{
    struct gap_search search = {.gaps = gaps};
    *gaps = (struct finding_gaps){0};
    if (!gap_pieces_init(&search.pieces, context))
        return false;
    search.failed = !device_walk_init(&search.walk, context->timeline);
    for (uint32_t i = 0; i < context->timeline->streams.count && !search.failed;)
        i = add_device(&search, i);
    device_walk_fini(&search.walk);
    gap_pieces_fini(&search.pieces);
    search.failed = search.failed || !find_bounds(gaps, context->timeline);
    if (search.failed)
        finding_gaps_fini(gaps);
    return !search.failed;
}

void finding_gaps_fini(struct finding_gaps *gaps)
{
    for (unsigned cause = 0; cause < GAP_CAUSES; cause++)
        finding_owners_fini(&gaps->owners[cause]);
    free(gaps->gaps.at);
    free(gaps->devices.at);
    free(gaps->bounds);
    *gaps = (struct finding_gaps){0};
}

/* diff_runs.c - the runs of a side, how long each took, and how long of that no device was busy.
 *
 * The processes of one run overlap in time, as ranks do, or are kin. All others are separate runs:
 * recordings of one program, made one after the other.
 */
#include "blocks.h"
#include "bootstrap.h"
#include "device_time.h"
#include "diff_side.h"
#include "evidence.h"

#include <stdlib.h>
#include <string.h>

struct runs {
    const struct timeline *timeline;
    uint32_t *run_of; /* by process: a process of its run, the same for all of the run */
    struct interval *recorded;
    size_t *first_of;        /* by process: into `recorded`; one more at the end */
    struct interval *extent; /* by process: from its first to its last moment */
    uint32_t wanted;         /* the run that is added up */
};

/* ---- when processes were recorded ---- */

/* The recorder writes its cost after the last event. If only a window was read, that is outside of
 * it. */
static int64_t last_seen_ns(const struct timeline *timeline, const struct tl_process *process)
{
    bool later =
        process->has_cost && !timeline->restricted && process->cost.time_ns > process->end_ns;
    return later ? process->cost.time_ns : process->end_ns;
}

/* While the recording was on. A ring keeps only the last events, and other formats have no windows:
 * from the first to the last event. */
static size_t add_intervals(const struct runs *runs, uint32_t index, struct interval *to)
{
    const struct timeline *timeline = runs->timeline;
    const struct tl_process *process = &timeline->processes.at[index];
    size_t count = 0;
    for (uint32_t i = 0; i < timeline->windows.count && !process->info.ring; i++) {
        const struct tl_window *window = &timeline->windows.at[i];
        bool ended = window->end_ns != TL_NO_TIME;
        if (window->process == index)
            to[count++] = (struct interval){
                window->start_ns, ended ? window->end_ns : last_seen_ns(timeline, process)};
    }
    if (count == 0)
        to[count++] = (struct interval){process->start_ns, process->end_ns};
    return count;
}

static struct interval extent_of(const struct runs *runs, uint32_t process)
{
    struct interval extent = runs->recorded[runs->first_of[process]];
    for (size_t i = runs->first_of[process]; i < runs->first_of[process + 1]; i++) {
        const struct interval *one = &runs->recorded[i];
        extent.start = one->start < extent.start ? one->start : extent.start;
        extent.end = one->end > extent.end ? one->end : extent.end;
    }
    return extent;
}

/* ---- which processes are of one run ---- */

static bool overlap(const struct interval *left, const struct interval *right)
{
    return left->start < right->end && right->start < left->end;
}

/* One started the other, or one script started both and they are different programs: a script that
 * repeats one program makes several runs. Init adopts processes of any run. */
static bool are_kin(const struct tl_process_info *a, const struct tl_process_info *b)
{
    if (!text_equals(a->host, b->host))
        return false;
    return (a->parent_pid > 1 && a->parent_pid == b->pid) ||
           (b->parent_pid > 1 && b->parent_pid == a->pid) ||
           (a->parent_pid > 1 && a->parent_pid == b->parent_pid &&
            !text_equals(a->program, b->program));
}

static void join_runs(struct runs *runs, uint32_t kept, uint32_t other)
{
    for (uint32_t i = 0; i < runs->timeline->processes.count; i++)
        if (runs->run_of[i] == other)
            runs->run_of[i] = kept;
}

static void find_runs(struct runs *runs)
{
    const struct tl_process *processes = runs->timeline->processes.at;
    for (uint32_t i = 0; i < runs->timeline->processes.count; i++) {
        runs->run_of[i] = i;
        for (uint32_t k = 0; k < i; k++)
            if (runs->run_of[k] != runs->run_of[i] &&
                (overlap(&runs->extent[k], &runs->extent[i]) ||
                 are_kin(&processes[k].info, &processes[i].info)))
                join_runs(runs, runs->run_of[k], runs->run_of[i]);
    }
}

static bool runs_init(struct runs *runs, const struct timeline *timeline)
{
    size_t processes = timeline->processes.count, used = 0;
    *runs = (struct runs){
        .timeline = timeline,
        .run_of = malloc((processes + 1) * sizeof *runs->run_of),
        .recorded = malloc((processes + timeline->windows.count + 1) * sizeof *runs->recorded),
        .first_of = malloc((processes + 1) * sizeof *runs->first_of),
        .extent = malloc((processes + 1) * sizeof *runs->extent)};
    if (!runs->run_of || !runs->recorded || !runs->first_of || !runs->extent)
        return false;
    for (uint32_t i = 0; i < processes; i++) {
        runs->first_of[i] = used;
        used += add_intervals(runs, i, runs->recorded + used);
    }
    runs->first_of[processes] = used;
    for (uint32_t i = 0; i < processes; i++)
        runs->extent[i] = extent_of(runs, i);
    find_runs(runs);
    return true;
}

static void runs_fini(struct runs *runs)
{
    free(runs->run_of);
    free(runs->recorded);
    free(runs->first_of);
    free(runs->extent);
}

/* ---- their times ---- */

static bool is_wanted(void *user, uint32_t process)
{
    const struct runs *runs = user;
    return runs->run_of[process] == runs->wanted;
}

/* `room` takes the intervals of all processes. */
static int64_t wall_ns_of(struct runs *runs, struct interval *room)
{
    size_t count = 0;
    for (uint32_t i = 0; i < runs->timeline->processes.count; i++)
        for (size_t k = runs->first_of[i]; is_wanted(runs, i) && k < runs->first_of[i + 1]; k++)
            room[count++] = runs->recorded[k];
    return intervals_union(room, count, INT64_MIN, INT64_MAX);
}

/* While at least one device of the run ran something. */
static int64_t busy_ns_of(struct runs *runs, struct device_walk *walk)
{
    int64_t busy_ns = 0, reached_ns = INT64_MIN;
    device_walk_begin_processes(walk, is_wanted, runs);
    for (uint32_t gpu = device_walk_next(walk); gpu != TL_NONE; gpu = device_walk_next(walk)) {
        const struct tl_gpu *op = &runs->timeline->gpus.at[gpu];
        int64_t from_ns = op->start_ns > reached_ns ? op->start_ns : reached_ns;
        if (op->end_ns <= from_ns)
            continue;
        busy_ns += op->end_ns - from_ns;
        reached_ns = op->end_ns;
    }
    return busy_ns;
}

/* Runs in which nothing was recorded have no time. */
static bool add_up(struct diff_side *side, struct runs *runs)
{
    struct device_walk walk;
    size_t processes = side->timeline->processes.count;
    struct interval *room = malloc((runs->first_of[processes] + 1) * sizeof *room);
    if (!room || !device_walk_init(&walk, side->timeline)) {
        free(room);
        return false;
    }
    for (runs->wanted = 0; runs->wanted < processes; runs->wanted++) {
        int64_t wall_ns = wall_ns_of(runs, room);
        if (wall_ns <= 0)
            continue;
        int64_t busy_ns = busy_ns_of(runs, &walk);
        side->wall_ns[side->runs] = wall_ns;
        side->host_ns[side->runs++] = busy_ns < wall_ns ? wall_ns - busy_ns : 0;
    }
    device_walk_fini(&walk);
    free(room);
    bootstrap_sort(side->wall_ns, side->runs);
    bootstrap_sort(side->host_ns, side->runs);
    return true;
}

/* Without device records a device looks idle, whatever was launched. */
static bool find_evidence(struct diff_side *side)
{
    struct evidence evidence;
    char lacking[EVIDENCE_BYTES];
    if (!evidence_init(&evidence, side->timeline))
        return false;
    bool launched_nothing = evidence.is_native && !(evidence.launches + evidence.copies);
    side->host_known = launched_nothing || !evidence_lacks(&evidence, EVIDENCE_DEVICE, lacking);
    return true;
}

bool diff_runs_init(struct diff_side *side)
{
    struct runs runs;
    size_t room = side->timeline->processes.count + (size_t)1;
    side->wall_ns = malloc(room * sizeof *side->wall_ns);
    side->host_ns = malloc(room * sizeof *side->host_ns);
    bool added = runs_init(&runs, side->timeline) && side->wall_ns && side->host_ns &&
                 find_evidence(side) && add_up(side, &runs);
    runs_fini(&runs);
    return added;
}

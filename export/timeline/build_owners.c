/* build_owners.c - which process an operation belongs to, and which range it comes from.
 *
 * Calls are found by their correlation id, ranges by the id that is in the same place. Each id is
 * looked up in a table that has the ids of operations alone, so what this costs depends on them.
 *
 * Traces of several processes can have the same ids. An operation whose row has the pid of a
 * process, or to which an arrow leads from one, belongs to that process; one of a merged file
 * belongs to a process of that file, even if others have its id. Among the remaining processes that
 * have a call with the id, these are tried in turn: the only one; the only one that has the range
 * that the operation names; the only one whose call began before the operation and did not launch
 * another one; the one that nearly all operations of the row belong to. An operation that nothing
 * of this decides is ambiguous: it is joined to no call, and counted.
 */
#include "build_unordered.h"

#include <stdlib.h>
#include <string.h>

/* How much an operation may seem to precede its call, since their clocks are not one. */
#define CLOCK_ERROR_NS 20000

/* An id that operations have, and the slices that have it. */
struct wanted {
    uint32_t id;
    uint32_t slice;      /* the first of them; 1 + index, 0 none */
    uint32_t first;      /* into shared[], where slices of several processes have the id */
    uint32_t count;      /* how many those are; 0: slices of one process */
    uint32_t processes;  /* of these */
    uint32_t operations; /* that have the id */
};

/* A slice with an id that several processes have. */
struct shared {
    uint32_t id, slice, process;
    bool taken; /* an operation is known to be its */
};

struct wanted_ids {
    const struct unordered *file;
    struct wanted *at; /* open addressing; id 0 is empty */
    uint32_t mask;
    bool calls;                     /* else ranges */
    uint64_t again;                 /* slices whose id another of their process had before */
    TL_ARRAY(struct shared) shared; /* by id, then process, then as in the file */
};

static bool wanted_init(struct wanted_ids *ids, const struct unordered *file, bool calls)
{
    uint32_t size = 64;
    while (size / 2 < file->gpus.count && size < UINT32_C(1) << 31)
        size *= 2;
    *ids = (struct wanted_ids){
        .file = file, .at = calloc(size, sizeof *ids->at), .mask = size - 1, .calls = calls};
    return ids->at != NULL;
}

static void wanted_fini(struct wanted_ids *ids)
{
    free(ids->at);
    free(ids->shared.at);
}

static struct wanted *wanted_slot(const struct wanted_ids *ids, uint32_t id)
{
    uint32_t at = (id * UINT32_C(2654435769)) >> 4 & ids->mask;
    while (ids->at[at].id && ids->at[at].id != id)
        at = (at + 1) & ids->mask;
    return &ids->at[at];
}

static void want(struct wanted_ids *ids, uint32_t id, bool is_operation)
{
    if (!id)
        return;
    struct wanted *wanted = wanted_slot(ids, id);
    wanted->id = id;
    wanted->operations += is_operation;
}

/* NULL: no slice has it. */
static const struct wanted *wanted_find(const struct wanted_ids *ids, uint32_t id)
{
    const struct wanted *wanted = id ? wanted_slot(ids, id) : NULL;
    return wanted && wanted->slice ? wanted : NULL;
}

static uint32_t process_of(const struct unordered *file, uint32_t slice)
{
    uint32_t thread = file->slices.at[slice - 1].thread;
    return thread && thread <= file->threads.count ? file->threads.at[thread - 1].process : 0;
}

/* The slice's id where operations have it, too; NULL: none. */
static struct wanted *wanted_of(const struct wanted_ids *ids, uint32_t index)
{
    const struct unordered_slice *slice = &ids->file->slices.at[index];
    if (!slice->correlation || (slice->kind == TL_API) != ids->calls)
        return NULL;
    struct wanted *wanted = wanted_slot(ids, slice->correlation);
    return wanted->id ? wanted : NULL;
}

/* Returns how many slices have an id that slices of another process have, too. */
static uint32_t offer(struct wanted_ids *ids)
{
    uint32_t shared = 0;
    for (uint32_t i = 0; i < ids->file->slices.count; i++) {
        struct wanted *wanted = wanted_of(ids, i);
        if (wanted && !wanted->slice)
            wanted->slice = i + 1;
        else if (wanted && process_of(ids->file, wanted->slice) == process_of(ids->file, i + 1))
            ids->again++;
        else if (wanted)
            wanted->count = 1;
    }
    for (uint32_t i = 0; i < ids->file->slices.count; i++) {
        const struct wanted *wanted = wanted_of(ids, i);
        shared += wanted && wanted->count;
    }
    return shared;
}

static int by_id(const void *left, const void *right)
{
    const struct shared *a = left, *b = right;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    return (a->slice > b->slice) - (a->slice < b->slice);
}

/* Finds the slices of every wanted id. False: no memory. */
static bool find_slices(struct wanted_ids *ids)
{
    uint32_t count = offer(ids);
    if (!count)
        return true;
    ids->shared.at = calloc(count, sizeof *ids->shared.at);
    if (!ids->shared.at)
        return false;
    for (uint32_t i = 0; i < ids->file->slices.count; i++) {
        struct wanted *wanted = wanted_of(ids, i);
        if (wanted && wanted->count)
            ids->shared.at[ids->shared.count++] =
                (struct shared){wanted->id, i + 1, process_of(ids->file, i + 1), false};
    }
    qsort(ids->shared.at, count, sizeof *ids->shared.at, by_id);
    for (uint32_t i = 0; i < count; i++) {
        struct wanted *wanted = wanted_slot(ids, ids->shared.at[i].id);
        bool is_first = i == 0 || ids->shared.at[i - 1].id != wanted->id;
        if (is_first)
            wanted->first = i, wanted->count = 0;
        wanted->count++;
        wanted->processes += is_first || ids->shared.at[i - 1].process != ids->shared.at[i].process;
    }
    return true;
}

/* How many operations of a row belong to a process. */
struct vote {
    uint32_t row, process;
    uint64_t count;
};

struct resolving {
    struct unordered *file;
    const struct event_rows *rows;
    struct wanted_ids calls, ranges;
    struct keymap vote_of; /* row << 32 | process -> votes[] */
    TL_ARRAY(struct vote) votes;
    uint32_t *owners; /* by row: whose nearly all of its operations are */
    uint64_t *by_row; /* how many operations each has whose ids slices have */
    bool failed;
};

static void vote(struct resolving *work, uint32_t row, uint32_t process)
{
    int64_t key = (int64_t)((uint64_t)row << 32 | process);
    uint32_t index = keymap_find_id(&work->vote_of, key);
    if (index == KEYMAP_NONE) {
        struct vote *added = ARRAY_ADD(&work->votes);
        index = work->votes.count - 1;
        work->failed |= !added || !keymap_set_id(&work->vote_of, key, index);
        if (added)
            *added = (struct vote){row, process, 0};
    }
    if (!work->failed)
        work->votes.at[index].count++;
}

/* Nine of ten operations: clocks that differ make a few seem to be another process's. */
static void count_votes(struct resolving *work)
{
    for (uint32_t i = 0; i < work->votes.count; i++) {
        const struct vote *counted = &work->votes.at[i];
        if (counted->count * 10 >= work->by_row[counted->row] * 9)
            work->owners[counted->row] = counted->process;
    }
}

/* The slices of one process among those of an id; `first` is moved after them. */
struct candidate {
    struct shared *at;
    uint32_t count;
};

static struct candidate next_candidate(const struct wanted_ids *ids, uint32_t *first, uint32_t end)
{
    struct candidate next = {&ids->shared.at[*first], 0};
    for (; *first < end && ids->shared.at[*first].process == next.at->process; ++*first)
        next.count++;
    return next;
}

static bool has_process(const struct wanted_ids *ids, const struct wanted *wanted, uint32_t process)
{
    if (!wanted->count)
        return process_of(ids->file, wanted->slice) == process;
    for (uint32_t i = wanted->first; i < wanted->first + wanted->count; i++)
        if (ids->shared.at[i].process == process)
            return true;
    return false;
}

/* The process that the operation's row or an arrow to it names. */
static uint32_t named_process(const struct resolving *work, const struct unordered_gpu *gpu)
{
    const struct event_rows *rows = work->rows;
    uint32_t of_row = rows->at[gpu->row].process;
    if (of_row != EVENT_NO_PROCESS || !rows->arrows)
        return of_row;
    return rows->arrows[gpu - work->file->gpus.at];
}

/* Whether the operation can belong to the process, judging by its place in the file. */
static bool can_own(const struct resolving *work, const struct unordered_gpu *gpu, uint32_t process)
{
    uint32_t named = named_process(work, gpu), group = work->rows->at[gpu->row].group;
    if (named != EVENT_NO_PROCESS)
        return process == named;
    return !group || work->rows->groups[process] == group;
}

/* What has the id in a process whose the operation can be; NULL: nothing has. */
static const struct wanted *wanted_in_reach(const struct resolving *work,
                                            const struct unordered_gpu *gpu,
                                            const struct wanted_ids *ids, uint32_t id)
{
    const struct wanted *wanted = wanted_find(ids, id);
    if (!wanted)
        return NULL;
    if (!wanted->count)
        return can_own(work, gpu, process_of(ids->file, wanted->slice)) ? wanted : NULL;
    for (uint32_t i = wanted->first; i < wanted->first + wanted->count; i++)
        if (can_own(work, gpu, ids->shared.at[i].process))
            return wanted;
    return NULL;
}

/* Whether one of them began by then and is not another operation's. */
static bool can_launch(const struct wanted_ids *ids, const struct candidate *candidate,
                       int64_t latest_ns)
{
    for (uint32_t i = 0; i < candidate->count; i++)
        if (!candidate->at[i].taken &&
            ids->file->slices.at[candidate->at[i].slice - 1].start_ns <= latest_ns)
            return true;
    return false;
}

/* The only process that can have launched the operation. `error_ns`: how far the clocks may
 * differ. */
static uint32_t only_one(const struct resolving *work, const struct wanted_ids *ids,
                         const struct wanted *wanted, const struct unordered_gpu *gpu,
                         int64_t error_ns)
{
    const struct wanted *named = ids->calls ? wanted_find(&work->ranges, gpu->origin) : NULL;
    uint32_t in_reach = EVENT_NO_PROCESS, by_range = EVENT_NO_PROCESS, by_time = EVENT_NO_PROCESS;
    uint32_t reached = 0, ranges = 0, able = 0;
    for (uint32_t i = wanted->first; i < wanted->first + wanted->count;) {
        struct candidate next = next_candidate(ids, &i, wanted->first + wanted->count);
        if (!can_own(work, gpu, next.at->process))
            continue;
        in_reach = next.at->process, reached++;
        if (named && has_process(&work->ranges, named, next.at->process))
            by_range = next.at->process, ranges++;
        if (can_launch(ids, &next, gpu->start_ns + error_ns))
            by_time = next.at->process, able++;
    }
    return reached == 1  ? in_reach
           : ranges == 1 ? by_range
           : able == 1   ? by_time
                         : EVENT_NO_PROCESS;
}

/* `by_owner`: after all that is known of the operation itself. */
static uint32_t decide(const struct resolving *work, const struct wanted_ids *ids,
                       const struct wanted *wanted, const struct unordered_gpu *gpu, bool by_owner)
{
    uint32_t owner = by_owner ? work->owners[gpu->row] : EVENT_NO_PROCESS;
    if (owner != EVENT_NO_PROCESS && can_own(work, gpu, owner) && has_process(ids, wanted, owner))
        return owner;
    return only_one(work, ids, wanted, gpu, CLOCK_ERROR_NS);
}

/* The operation's call launched no other one, unless it launched a graph, or there are more
 * operations of that id than processes: then calls launch several. */
static void read_call(const struct wanted_ids *ids, const struct wanted *wanted, uint32_t process)
{
    if (wanted->operations > wanted->processes)
        return;
    for (uint32_t i = wanted->first; i < wanted->first + wanted->count; i++) {
        struct shared *call = &ids->shared.at[i];
        const struct unordered_slice *slice = &ids->file->slices.at[call->slice - 1];
        call->taken |= call->process == process && !(slice->flags & TL_GRAPH);
    }
}

/* By call, else by range: what has the operation's id; NULL: nothing has. */
static const struct wanted *wanted_by(const struct resolving *work, const struct unordered_gpu *gpu,
                                      const struct wanted_ids **ids)
{
    const struct wanted *wanted = wanted_in_reach(work, gpu, &work->calls, gpu->correlation);
    *ids = wanted ? &work->calls : &work->ranges;
    return wanted ? wanted : wanted_in_reach(work, gpu, &work->ranges, gpu->origin);
}

/* Finds the process that owns nearly all operations of each row. `processes`: as decided so far;
 * NULL: none was, and what seems to be of one process counts. */
static void find_owners(struct resolving *work, const uint32_t *processes)
{
    keymap_fini(&work->vote_of);
    work->votes.count = 0;
    memset(work->by_row, 0, work->rows->count * sizeof *work->by_row);
    for (uint32_t i = 0; i < work->file->gpus.count; i++) {
        const struct unordered_gpu *gpu = &work->file->gpus.at[i];
        const struct wanted_ids *ids;
        const struct wanted *wanted = wanted_by(work, gpu, &ids);
        uint32_t process = EVENT_NO_PROCESS;
        if (wanted && wanted->count)
            process = processes ? processes[i] : only_one(work, ids, wanted, gpu, 0);
        else if (wanted)
            process = process_of(work->file, wanted->slice);
        work->by_row[gpu->row] += wanted != NULL;
        if (process != EVENT_NO_PROCESS)
            vote(work, gpu->row, process);
    }
    count_votes(work);
}

/* Decides what can be decided. Whether it was anything. */
static bool decide_some(struct resolving *work, uint32_t *processes, bool by_owner)
{
    bool any = false;
    for (uint32_t i = 0; i < work->file->gpus.count; i++) {
        const struct unordered_gpu *gpu = &work->file->gpus.at[i];
        const struct wanted_ids *ids;
        const struct wanted *wanted =
            processes[i] == EVENT_NO_PROCESS ? wanted_by(work, gpu, &ids) : NULL;
        if (!wanted || !wanted->count)
            continue;
        processes[i] = decide(work, ids, wanted, gpu, by_owner);
        any |= processes[i] != EVENT_NO_PROCESS;
        if (processes[i] != EVENT_NO_PROCESS && ids->calls && unordered_is_operation(gpu))
            read_call(ids, wanted, processes[i]);
    }
    return any;
}

/* Whose calls are known may decide more. */
#define ROUNDS 4u

/* `processes` gets each operation's. */
static void decide_all(struct resolving *work, uint32_t *processes)
{
    if (!work->calls.shared.count && !work->ranges.shared.count)
        return;
    for (unsigned round = 0; round < ROUNDS && decide_some(work, processes, false); round++) {
    }
    for (unsigned round = 0; round < ROUNDS && decide_some(work, processes, true); round++) {
    }
}

/* 1 + index of the process's first slice with that id. */
static uint32_t slice_in(const struct wanted_ids *ids, const struct wanted *wanted,
                         uint32_t process)
{
    for (uint32_t i = wanted->first; i < wanted->first + wanted->count; i++)
        if (ids->shared.at[i].process == process)
            return ids->shared.at[i].slice;
    return wanted->slice;
}

/* Where nothing has its ids, the operation stays with the others of its row. */
static uint32_t process_without(const struct resolving *work, const struct unordered_gpu *gpu)
{
    uint32_t named = named_process(work, gpu), owner = work->owners[gpu->row];
    return named != EVENT_NO_PROCESS   ? named
           : owner != EVENT_NO_PROCESS ? owner
                                       : work->rows->at[gpu->row].main;
}

static void place(struct resolving *work, struct unordered_gpu *gpu, uint32_t process)
{
    const struct wanted_ids *ids;
    const struct wanted *wanted = wanted_by(work, gpu, &ids);
    if (wanted && wanted->count && process == EVENT_NO_PROCESS)
        gpu->ambiguous = true;
    if (!wanted || gpu->ambiguous) {
        gpu->process = process_without(work, gpu);
        return;
    }
    gpu->process = wanted->count ? process : process_of(work->file, wanted->slice);
    if (!ids->calls)
        gpu->range = slice_in(ids, wanted, gpu->process);
    work->file->has_origins |= gpu->range != 0;
}

static void resolve(struct resolving *work, uint32_t *processes)
{
    struct unordered *file = work->file;
    for (uint32_t i = 0; i < file->gpus.count; i++) {
        bool counts = unordered_is_operation(&file->gpus.at[i]);
        want(&work->calls, file->gpus.at[i].correlation, counts);
        want(&work->ranges, file->gpus.at[i].origin, counts);
        processes[i] = EVENT_NO_PROCESS;
    }
    for (uint32_t i = 0; i < work->rows->count; i++)
        work->owners[i] = EVENT_NO_PROCESS;
    if (!find_slices(&work->calls) || !find_slices(&work->ranges)) {
        work->failed = true;
        return;
    }
    find_owners(work, NULL);
    decide_all(work, processes);
    find_owners(work, processes);
    for (uint32_t i = 0; i < file->gpus.count && !work->failed; i++)
        place(work, &file->gpus.at[i], processes[i]);
}

void unordered_resolve(struct unordered *file, const struct event_rows *rows)
{
    struct resolving work = {.file = file, .rows = rows};
    uint32_t *processes = calloc((size_t)file->gpus.count + 1, sizeof *processes);
    work.owners = calloc((size_t)rows->count + 1, sizeof *work.owners);
    bool ready = wanted_init(&work.calls, file, true) && wanted_init(&work.ranges, file, false);
    work.by_row = calloc((size_t)rows->count + 1, sizeof *work.by_row);
    work.failed = !ready || !processes || !work.owners || !work.by_row;
    if (!work.failed)
        resolve(&work, processes);
    file->builder->failed |= work.failed;
    if (file->has_origins)
        unordered_warn(file,
                       "ids that several ranges have, of which the first is taken for the "
                       "origin of device operations",
                       work.ranges.again);
    wanted_fini(&work.calls);
    wanted_fini(&work.ranges);
    keymap_fini(&work.vote_of);
    free(work.votes.at);
    free(work.owners);
    free(work.by_row);
    free(processes);
}

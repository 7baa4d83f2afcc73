#include "hang_ranks.h"

#include "process_look.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STUCK_NS INT64_C(1000000000) /* the last flush before a kill may lack younger ones */

/* ---- processes of this machine ---- */

static enum hang_process_state look_at_process(const struct tl_process_info *info)
{
    static const enum hang_process_state states[] = {[PROCESS_UNKNOWN] = HANG_UNKNOWN,
                                                     [PROCESS_GONE] = HANG_GONE,
                                                     [PROCESS_STOPPED] = HANG_PAUSED,
                                                     [PROCESS_RUNNING] = HANG_RUNNING};
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    return text_is(info->host, host)
               ? states[process_look((uint32_t)info->pid, info->program.bytes, info->program.size)]
               : HANG_UNKNOWN;
}

/* ---- collectives ---- */

/* False: it is not a collective. NCCL's Init ranges have a communicator, but no size. */
static bool read_collective(const struct timeline *timeline, uint32_t slice,
                            struct hang_collective *collective)
{
    const struct tl_slice *range = &timeline->slices.at[slice];
    bool sized = false;
    if (range->kind != TL_RANGE || (range->flags & TL_CONTINUED) ||
        !timeline_label_is_of(timeline, range->label, "NCCL"))
        return false;
    *collective = (struct hang_collective){.name = range->name};
    struct tl_attrs attrs = timeline_slice_attrs(timeline, slice);
    for (uint32_t i = 0; i < attrs.count; i++) {
        struct text key = timeline->names.at[attrs.at[i].key];
        if (text_is(key, "NCCL communicator ID"))
            collective->communicator = attrs.at[i].value;
        if (text_is(key, "Message size [bytes]")) {
            collective->bytes = attrs.at[i].value;
            sized = true;
        }
    }
    return sized;
}

/* By slice, so that each collective is looked up once. */
struct slice_facts {
    uint32_t *last;    /* last segment of a range whose first this is; 0: it has one */
    bool *undelivered; /* an operation that was launched right in it is missing */
};

static void free_facts(struct slice_facts *facts)
{
    free(facts->last);
    free(facts->undelivered);
}

static bool read_facts(struct slice_facts *facts, const struct timeline *timeline)
{
    facts->last = calloc(timeline->slices.count + 1, sizeof *facts->last);
    facts->undelivered = calloc(timeline->slices.count + 1, sizeof *facts->undelivered);
    if (!facts->last || !facts->undelivered)
        return false;
    for (uint32_t i = 0; i < timeline->segments.count; i++)
        facts->last[timeline->segments.at[i].first] = timeline->segments.at[i].slice;
    for (uint32_t i = 0; i < timeline->unrecorded.count; i++) {
        const struct tl_unrecorded *one = &timeline->unrecorded.at[i];
        uint32_t parent = timeline->slices.at[one->slice].parent;
        if (one->cause == TL_UNRECORDED_UNDELIVERED && parent != TL_NONE)
            facts->undelivered[parent] = true;
    }
    return true;
}

static bool is_open(const struct timeline *timeline, const struct slice_facts *facts,
                    uint32_t slice)
{
    uint32_t last = facts->last[slice] ? facts->last[slice] : slice;
    return timeline->slices.at[last].flags & TL_UNCLOSED;
}

static bool add_collective(struct hang_rank *rank, struct hang_collective collective)
{
    struct hang_collective *added = ARRAY_ADD(&rank->collectives);
    if (added)
        *added = collective;
    return added != NULL;
}

static int compare_collectives(const void *a, const void *b, void *user)
{
    const struct hang_rank *rank = user;
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    uint64_t first = rank->collectives.at[one].communicator,
             second = rank->collectives.at[other].communicator;
    if (first != second)
        return first < second ? -1 : 1;
    return one < other ? -1 : one > other;
}

/* Numbers them by communicator. */
static bool number_collectives(struct hang_rank *rank)
{
    rank->in_order = malloc((rank->collectives.count + 1) * sizeof *rank->in_order);
    if (!rank->in_order)
        return false;
    for (uint32_t i = 0; i < rank->collectives.count; i++)
        rank->in_order[i] = i;
    qsort_r(rank->in_order, rank->collectives.count, sizeof *rank->in_order, compare_collectives,
            rank);
    uint64_t communicator = 0;
    uint32_t number = 0;
    for (uint32_t i = 0; i < rank->collectives.count; i++) {
        struct hang_collective *one = &rank->collectives.at[rank->in_order[i]];
        /* no pointer to the collective before, NULL at first: gcc 14.2 reads a field of that
         * NULL */
        number = one->communicator == communicator ? number + 1 : 1;
        communicator = one->communicator;
        one->number = number;
    }
    return true;
}

/* ---- one rank ---- */

static void note_time(struct hang_rank *rank, int64_t time_ns)
{
    if (time_ns > rank->last_ns)
        rank->last_ns = time_ns;
}

static uint32_t depth_of(const struct timeline *timeline, uint32_t slice)
{
    return slice == TL_NONE ? 0 : timeline->slices.at[slice].depth + 1u;
}

/* An open slice ends with the recording, which says nothing. */
static bool read_slices(struct hang_rank *rank, const struct timeline *timeline,
                        const struct slice_facts *facts, const struct tl_thread *thread)
{
    for (uint32_t i = thread->first_slice; i < thread->first_slice + thread->slice_count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        struct hang_collective collective;
        bool open = slice->flags & TL_UNCLOSED;
        if (slice->flags & TL_INTERNAL)
            continue;
        note_time(rank, open ? slice->start_ns : slice->end_ns);
        rank->has_events = true;
        if (open && depth_of(timeline, i) > depth_of(timeline, rank->open_slice))
            rank->open_slice = i;
        if (!read_collective(timeline, i, &collective))
            continue;
        collective.open = is_open(timeline, facts, i);
        if (!add_collective(rank, collective))
            return false;
    }
    return true;
}

static void read_device(struct hang_rank *rank, const struct timeline *timeline)
{
    int64_t started_ns = INT64_MAX;
    for (uint32_t i = 0; i < timeline->gpus.count; i++)
        if (timeline->gpus.at[i].process == rank->index)
            note_time(rank, timeline->gpus.at[i].end_ns);
    for (uint32_t i = 0; i < timeline->unrecorded.count; i++) {
        const struct tl_unrecorded *one = &timeline->unrecorded.at[i];
        const struct tl_slice *call = &timeline->slices.at[one->slice];
        if (timeline->threads.at[call->thread].process != rank->index ||
            one->cause != TL_UNRECORDED_UNDELIVERED || call->start_ns >= started_ns)
            continue;
        started_ns = call->start_ns;
        rank->stuck_call = one->slice;
        rank->stuck_stream = call->flags & TL_GRAPH ? TL_NONE : one->place;
    }
    if (started_ns == INT64_MAX || rank->process->end_ns - started_ns < STUCK_NS)
        rank->stuck_call = TL_NONE;
}

static void read_memory(struct hang_rank *rank, const struct timeline *timeline)
{
    for (uint32_t i = 0; i < timeline->memories.count; i++) {
        const struct tl_memory *memory = &timeline->memories.at[i];
        const struct tl_heap *heap = &timeline->heaps.at[memory->heap];
        if (heap->process == rank->index && heap->device != TL_NONE && !heap->allocator &&
            memory->end_ns == TL_MEMORY_LIVE)
            rank->device_bytes += memory->bytes;
    }
}

static bool read_rank(struct hang_rank *rank, const struct timeline *timeline,
                      const struct slice_facts *facts, uint32_t index)
{
    *rank = (struct hang_rank){.process = &timeline->processes.at[index],
                               .index = index,
                               .last_ns = INT64_MIN,
                               .open_slice = TL_NONE,
                               .stuck_call = TL_NONE,
                               .stuck_stream = TL_NONE,
                               .group = index};
    rank->rank = rank->process->info.rank;
    rank->state = rank->process->info.closed ? HANG_ENDED : look_at_process(&rank->process->info);
    for (uint32_t i = 0; i < rank->process->thread_count; i++)
        if (!read_slices(rank, timeline, facts,
                         &timeline->threads.at[rank->process->first_thread + i]))
            return false;
    if (!number_collectives(rank))
        return false;
    read_device(rank, timeline);
    read_memory(rank, timeline);
    uint32_t parent =
        rank->stuck_call == TL_NONE ? TL_NONE : timeline->slices.at[rank->stuck_call].parent;
    if (rank->collectives.count && parent != TL_NONE)
        rank->collectives.at[rank->collectives.count - 1].open |= facts->undelivered[parent];
    if (rank->last_ns == INT64_MIN)
        rank->last_ns = rank->process->start_ns;
    return true;
}

/* ---- verdicts ---- */

static const struct hang_collective *collective_of(const struct hang_rank *rank,
                                                   uint64_t communicator, uint32_t number)
{
    uint32_t low = 0, high = rank->collectives.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct hang_collective *one = &rank->collectives.at[rank->in_order[middle]];
        if (one->communicator == communicator && one->number == number)
            return one;
        if (one->communicator < communicator ||
            (one->communicator == communicator && one->number < number))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static bool is_same(const struct hang_collective *a, const struct hang_collective *b)
{
    return a && b && a->name == b->name && a->bytes == b->bytes;
}

/* True if the rank entered a collective of the communicator. */
static bool is_member(const struct hang_rank *rank, uint64_t communicator)
{
    for (uint32_t i = 0; i < rank->collectives.count; i++)
        if (rank->collectives.at[i].communicator == communicator)
            return true;
    return false;
}

/* How many ranks entered a collective. Sets `lacking` if another member did not. */
static uint32_t count_entered(const struct hang_ranks *ranks, const struct hang_collective *one,
                              bool *lacking)
{
    uint32_t entered = 0;
    *lacking = false;
    for (uint32_t i = 0; i < ranks->count; i++) {
        const struct hang_rank *rank = &ranks->at[i];
        bool same = is_same(collective_of(rank, one->communicator, one->number), one);
        entered += same;
        *lacking |= !same && is_member(rank, one->communicator);
    }
    return entered;
}

/* The collective that most ranks are in; of equal ones, that of the first communicator. Prefers one
 * that a member has not entered: if all entered it, it may have ended and only its record is late.
 */
static const struct hang_collective *find_expected(const struct hang_ranks *ranks)
{
    const struct hang_collective *expected = NULL;
    bool expected_lacks = false;
    uint32_t most = 0;
    for (uint32_t i = 0; i < ranks->count; i++) {
        const struct hang_rank *rank = &ranks->at[i];
        const struct hang_collective *last = hang_rank_last(rank);
        if (!last || !last->open || rank->state == HANG_ENDED)
            continue;
        bool lacks;
        uint32_t entered = count_entered(ranks, last, &lacks);
        if (expected && lacks != expected_lacks
                ? lacks
                : entered > most ||
                      (entered == most && expected && last->number < expected->number)) {
            most = entered;
            expected = last;
            expected_lacks = lacks;
        }
    }
    return expected;
}

static void add_verdict(struct hang_ranks *ranks, struct hang_verdict verdict)
{
    ranks->verdicts[ranks->verdict_count++] = verdict;
}

static bool has_file(const struct hang_ranks *ranks, int32_t number)
{
    for (uint32_t i = 0; i < ranks->count; i++)
        if (ranks->at[i].rank == number)
            return true;
    return false;
}

/* Launchers, helpers and workers enter no collectives: they have no rank, or that of another
 * process. */
static bool is_helper(const struct hang_ranks *ranks, const struct hang_rank *rank)
{
    bool others_have_ranks = false;
    if (rank->collectives.count)
        return false;
    for (uint32_t i = 0; i < ranks->count; i++) {
        const struct hang_rank *other = &ranks->at[i];
        if (other != rank && rank->rank >= 0 && other->rank == rank->rank &&
            other->collectives.count)
            return true;
        others_have_ranks |= other->rank >= 0;
    }
    return rank->rank < 0 && (others_have_ranks || !rank->has_events);
}

/* What is known of the process itself comes before what it did last. */
static bool judge(const struct hang_ranks *ranks, struct hang_rank *rank,
                  const struct hang_collective *expected, struct hang_verdict *verdict)
{
    const struct hang_collective *entered =
        expected ? collective_of(rank, expected->communicator, expected->number) : NULL;
    verdict->entered = entered;
    verdict->expected = expected;
    verdict->rank = rank->rank;
    bool behind = expected && !is_same(entered, expected) && !is_helper(ranks, rank) &&
                  (is_member(rank, expected->communicator) || !rank->collectives.count);
    if (rank->state == HANG_PAUSED)
        verdict->kind = HANG_STOPPED;
    else if (behind && entered)
        verdict->kind = HANG_OTHER;
    else if (behind)
        verdict->kind = rank->state == HANG_GONE ? HANG_LOST : HANG_MISSING;
    else if (!expected && rank->state != HANG_ENDED && rank->stuck_call != TL_NONE)
        verdict->kind = HANG_DEVICE;
    else
        return false;
    return true;
}

/* Files of killed jobs: all processes are gone, so that alone says nothing. */
static void forget_gone(struct hang_ranks *ranks)
{
    bool all = ranks->count > 0;
    for (uint32_t i = 0; i < ranks->count; i++)
        all &= ranks->at[i].state != HANG_RUNNING && ranks->at[i].state != HANG_PAUSED;
    for (uint32_t i = 0; i < ranks->count && all; i++)
        if (ranks->at[i].state == HANG_GONE)
            ranks->at[i].state = HANG_UNKNOWN;
}

static void add_open(struct hang_ranks *ranks)
{
    for (uint32_t i = 0; i < ranks->count; i++)
        if (ranks->at[i].state != HANG_ENDED && ranks->at[i].open_slice != TL_NONE)
            add_verdict(ranks, (struct hang_verdict){
                                   .kind = HANG_OPEN, .rank = ranks->at[i].rank, .at = i});
}

static void add_at_start(struct hang_ranks *ranks)
{
    for (uint32_t i = 0; i < ranks->count; i++)
        if (ranks->at[i].state != HANG_ENDED && ranks->at[i].is_at_start)
            add_verdict(ranks, (struct hang_verdict){
                                   .kind = HANG_START, .rank = ranks->at[i].rank, .at = i});
}

void hang_ranks_judge(struct hang_ranks *ranks)
{
    const struct hang_collective *expected = find_expected(ranks);
    forget_gone(ranks);
    for (int32_t i = 0; i < ranks->world && i < (int32_t)ranks->count + 64; i++)
        if (!has_file(ranks, i))
            add_verdict(ranks, (struct hang_verdict){.kind = HANG_LOST, .rank = i, .at = TL_NONE});
    bool explained = ranks->verdict_count; /* not by a deadlock: it may not block the ranges */
    for (uint32_t i = 0; i < ranks->count; i++) {
        struct hang_verdict verdict = {.at = i};
        if (judge(ranks, &ranks->at[i], expected, &verdict)) {
            add_verdict(ranks, verdict);
            explained = true;
        } else if (hang_rank_is_deadlocked(&ranks->at[i])) {
            verdict.kind = HANG_DEADLOCK;
            add_verdict(ranks, verdict);
        }
    }
    if (explained)
        return;
    uint32_t deadlocks = ranks->verdict_count;
    add_open(ranks);
    if (ranks->verdict_count == deadlocks)
        add_at_start(ranks);
}

/* ---- all ranks ---- */

static int compare_ranks(const void *a, const void *b)
{
    const struct hang_rank *first = a, *second = b;
    if (first->rank != second->rank)
        return first->rank < second->rank ? -1 : 1;
    return first->index < second->index ? -1 : 1;
}

static bool read_ranks(struct hang_ranks *ranks)
{
    const struct timeline *timeline = ranks->timeline;
    struct slice_facts facts;
    bool good = read_facts(&facts, timeline);
    for (uint32_t i = 0; good && i < timeline->processes.count; i++) {
        ranks->count++;
        good = read_rank(&ranks->at[i], timeline, &facts, i);
        if (timeline->processes.at[i].info.world_size > ranks->world)
            ranks->world = timeline->processes.at[i].info.world_size;
    }
    free_facts(&facts);
    return good;
}

bool hang_ranks_init(struct hang_ranks *ranks, const struct timeline *timeline)
{
    *ranks = (struct hang_ranks){.timeline = timeline, .world = -1};
    ranks->at = calloc(timeline->processes.count + 1, sizeof *ranks->at);
    ranks->verdicts = calloc(3 * (size_t)timeline->processes.count + 65, sizeof *ranks->verdicts);
    if (!ranks->at || !ranks->verdicts || !read_ranks(ranks))
        return false;
    qsort(ranks->at, ranks->count, sizeof *ranks->at, compare_ranks);
    for (uint32_t i = 0; i < ranks->count; i++) {
        ranks->at[i].group = i;
        if (ranks->at[i].last_ns < ranks->at[ranks->first].last_ns)
            ranks->first = i;
    }
    return true;
}

void hang_ranks_fini(struct hang_ranks *ranks)
{
    for (uint32_t i = 0; i < ranks->count; i++) {
        free(ranks->at[i].collectives.at);
        free(ranks->at[i].in_order);
        free(ranks->at[i].text);
        hang_locks_fini(&ranks->at[i].locks);
    }
    free(ranks->at);
    free(ranks->verdicts);
}

const char *hang_ranks_mixed(const struct hang_ranks *ranks)
{
    for (uint32_t i = 1; i < ranks->count; i++) {
        const struct hang_rank *before = &ranks->at[i - 1], *rank = &ranks->at[i];
        if (before->rank >= 0 && rank->process->info.world_size != before->process->info.world_size)
            return "the files are of different jobs: their numbers of ranks differ";
        if (rank->rank >= 0 && rank->rank == before->rank && rank->collectives.count &&
            before->collectives.count)
            return "the files are of different jobs: two are of the same rank";
    }
    return NULL;
}

static bool does_the_same(const struct hang_ranks *ranks, const struct hang_rank *a,
                          const struct hang_rank *b)
{
    const struct timeline *timeline = ranks->timeline;
    uint32_t one = a->open_slice, other = b->open_slice;
    if (a->state != b->state)
        return false;
    while (one != TL_NONE && other != TL_NONE &&
           timeline->slices.at[one].name == timeline->slices.at[other].name) {
        one = timeline->slices.at[one].parent;
        other = timeline->slices.at[other].parent;
    }
    const struct hang_collective *last = hang_rank_last(a), *others = hang_rank_last(b);
    if (one != other || !last != !others)
        return false;
    return !last || (last->number == others->number && is_same(last, others));
}

void hang_ranks_group(struct hang_ranks *ranks, char *const *stacks)
{
    for (uint32_t i = 0; i < ranks->count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (ranks->at[j].group == j && strcmp(stacks[i], stacks[j]) == 0 &&
                does_the_same(ranks, &ranks->at[i], &ranks->at[j])) {
                ranks->at[i].group = j;
                break;
            }
}

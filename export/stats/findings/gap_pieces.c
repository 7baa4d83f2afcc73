/* gap_pieces.c - see finding_gaps.h for how a gap is explained. */
#include "gap_pieces.h"

#include "radix.h"
#include "thread_walk.h"

#include <stdlib.h>
#include <string.h>

#define PAGEABLE 1u /* prof_rec_memcpy.src_kind */

/* ---- functions of the host ---- */

static bool list_host_functions(struct gap_pieces *pieces)
{
    const struct timeline *timeline = pieces->context->timeline;
    const struct cuda_calls *calls = pieces->context->calls;
    uint32_t count = 0;
    struct radix_item *items = malloc((calls->listed_count + (size_t)1) * sizeof *items);
    for (uint32_t i = 0; i < calls->listed_count && items; i++) {
        const struct tl_slice *slice = &timeline->slices.at[calls->listed[i]];
        if (cuda_call_of(calls, slice) == CUDA_CALL_HOST_FUNCTION)
            items[count++] = (struct radix_item){radix_key(slice->start_ns), calls->listed[i]};
    }
    pieces->host_functions = malloc((count + (size_t)1) * sizeof *pieces->host_functions);
    bool sorted = items && pieces->host_functions && radix_sort(items, count);
    for (uint32_t i = 0; i < count && sorted; i++)
        pieces->host_functions[i] = items[i].value;
    pieces->host_function_count = sorted ? count : 0;
    free(items);
    return sorted;
}

bool gap_pieces_init(struct gap_pieces *pieces, const struct finding_context *context)
{
    *pieces = (struct gap_pieces){.context = context};
    if (list_host_functions(pieces))
        return true;
    gap_pieces_fini(pieces);
    return false;
}

void gap_pieces_fini(struct gap_pieces *pieces)
{
    free(pieces->pieces.at);
    free(pieces->host_functions);
    *pieces = (struct gap_pieces){0};
}

static const struct tl_slice *slice_at(const struct gap_pieces *pieces, uint32_t slice)
{
    return &pieces->context->timeline->slices.at[slice];
}

static uint32_t process_of(const struct gap_pieces *pieces, uint32_t slice)
{
    return pieces->context->timeline->threads.at[slice_at(pieces, slice)->thread].process;
}

static uint64_t stream_handle(const struct gap_pieces *pieces, uint32_t slice)
{
    const struct timeline *timeline = pieces->context->timeline;
    uint32_t api = slice_at(pieces, slice)->api;
    return api < timeline->apis.count ? timeline->apis.at[api].stream_handle : 0;
}

/* How many host functions were asked for before that time. */
static uint32_t host_functions_before(const struct gap_pieces *pieces, int64_t time_ns)
{
    uint32_t low = 0, high = pieces->host_function_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (slice_at(pieces, pieces->host_functions[middle])->start_ns < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* When the operation was launched that is in front of `next` in its stream; waits are no operations. */
static int64_t launched_before_ns(const struct gap_pieces *pieces)
{
    const struct tl_gpu *gpus = pieces->context->timeline->gpus.at;
    uint32_t stream = gpus[pieces->next].stream;
    for (uint32_t i = pieces->next; i-- > 0 && gpus[i].stream == stream;)
        if (tl_is_work(&gpus[i]))
            return gpus[i].slice == TL_NONE ? INT64_MIN : slice_at(pieces, gpus[i].slice)->start_ns;
    return INT64_MIN;
}

/* The latest function of the host that stands between the two in that stream; TL_NONE. Where streams
 * are not known, all count as one. */
static uint32_t host_function_of(const struct gap_pieces *pieces)
{
    int64_t from_ns = launched_before_ns(pieces);
    uint32_t launch = pieces->launch;
    for (uint32_t i = host_functions_before(pieces, slice_at(pieces, launch)->start_ns); i-- > 0;) {
        uint32_t call = pieces->host_functions[i];
        if (slice_at(pieces, call)->start_ns < from_ns)
            break;
        if (process_of(pieces, call) == process_of(pieces, launch) &&
            stream_handle(pieces, call) == stream_handle(pieces, launch))
            return call;
    }
    return TL_NONE;
}

/* ---- pieces ---- */

static bool add(struct gap_pieces *pieces, enum gap_cause cause, uint32_t slice, int64_t ns)
{
    if (ns <= 0)
        return true;
    struct gap_piece *piece = ARRAY_ADD(&pieces->pieces);
    if (piece)
        *piece = (struct gap_piece){ns, slice, (uint8_t)cause};
    return piece != NULL;
}

/* Whether a copy that the call launched reads or writes memory that can be swapped out: then it is
 * staged by the host, and what is called asynchronous is not. */
static bool is_pageable(const struct gap_pieces *pieces, const struct tl_slice *call)
{
    const struct timeline *timeline = pieces->context->timeline;
    for (uint32_t i = 0; i < call->gpu_count; i++) {
        const struct tl_gpu *gpu =
            &timeline->gpus.at[timeline->gpu_by_slice.at[call->gpu_first + i]];
        if (gpu->kind != TL_MEMCPY || gpu->detail >= timeline->memcpys.count)
            continue;
        const struct prof_rec_memcpy *copy = &timeline->memcpys.at[gpu->detail];
        if (copy->src_kind == PAGEABLE || copy->dst_kind == PAGEABLE)
            return true;
    }
    return false;
}

static enum gap_cause cause_of_call(const struct gap_pieces *pieces, uint32_t slice)
{
    const struct tl_slice *call = slice_at(pieces, slice);
    switch (cuda_call_of(pieces->context->calls, call)) {
    case CUDA_CALL_NONE:
        return GAP_CPU;
    case CUDA_CALL_LAUNCH:
    case CUDA_CALL_HOST_FUNCTION:
        return GAP_LAUNCH;
    case CUDA_CALL_COPY:
        return GAP_COPY;
    case CUDA_CALL_COPY_ASYNC:
        return is_pageable(pieces, call) ? GAP_COPY : GAP_LAUNCH;
    case CUDA_CALL_ALLOCATE:
    case CUDA_CALL_FREE:
    case CUDA_CALL_ALLOCATE_ASYNC:
    case CUDA_CALL_FREE_ASYNC:
        return GAP_ALLOCATE;
    case CUDA_CALL_SYNC_DEVICE:
    case CUDA_CALL_SYNC_STREAM:
    case CUDA_CALL_SYNC_EVENT:
        return GAP_SYNC;
    default:
        return GAP_OTHER_CALL;
    }
}

static uint32_t without_calls(const struct gap_pieces *pieces, uint32_t slice)
{
    while (slice != TL_NONE && slice_at(pieces, slice)->kind == TL_API)
        slice = slice_at(pieces, slice)->parent;
    return slice;
}

/* Who owns time of a call: launches belong to the range that makes them, together with what is between
 * them; other calls are told by name. */
static uint32_t owner_of(const struct gap_pieces *pieces, enum gap_cause cause, uint32_t slice)
{
    uint32_t range = cause == GAP_LAUNCH ? without_calls(pieces, slice) : TL_NONE;
    return range == TL_NONE ? slice : range;
}

/* The thread was in no range: the one that launched the operation before may have been. */
static bool add_other_thread(struct gap_pieces *pieces, int64_t from_ns, int64_t to_ns)
{
    const struct timeline *timeline = pieces->context->timeline;
    uint32_t other = pieces->before == TL_NONE ? TL_NONE : timeline->gpus.at[pieces->before].slice;
    struct thread_walk walk;
    struct thread_piece piece;
    bool added = true;
    if (other == TL_NONE ||
        slice_at(pieces, other)->thread == slice_at(pieces, pieces->launch)->thread)
        return add(pieces, GAP_CPU, TL_NONE, to_ns - from_ns);
    thread_walk_begin(&walk, timeline, other, from_ns, to_ns);
    while (added && thread_walk_next(&walk, &piece))
        added =
            add(pieces, GAP_CPU, without_calls(pieces, piece.slice), piece.end_ns - piece.start_ns);
    return added;
}

static bool add_thread_piece(struct gap_pieces *pieces, const struct thread_piece *piece)
{
    if (piece->slice == TL_NONE)
        return add_other_thread(pieces, piece->start_ns, piece->end_ns);
    uint32_t slice = cuda_call_outermost(pieces->context->timeline, piece->slice);
    enum gap_cause cause = cause_of_call(pieces, slice);
    if (piece->start_ns == pieces->start_ns &&
        (cause == GAP_SYNC || cause == GAP_COPY || cause == GAP_ALLOCATE))
        pieces->blocker = slice;
    return add(pieces, cause, owner_of(pieces, cause, slice), piece->end_ns - piece->start_ns);
}

/* What the thread of the launch did before it. */
static bool add_before_launch(struct gap_pieces *pieces, int64_t from_ns, int64_t to_ns)
{
    struct thread_walk walk;
    struct thread_piece piece;
    bool added = true;
    thread_walk_begin(&walk, pieces->context->timeline, pieces->launch, from_ns, to_ns);
    while (added && thread_walk_next(&walk, &piece))
        added = add_thread_piece(pieces, &piece);
    return added;
}

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* In the call, on its way, and waiting. */
static bool add_after_launch(struct gap_pieces *pieces, int64_t from_ns, int64_t to_ns)
{
    const struct tl_slice *call = slice_at(pieces, pieces->launch);
    int64_t returned_ns = clamp(call->end_ns, from_ns, to_ns);
    int64_t due_ns = clamp(call->start_ns + pieces->context->limits->launch_ns, returned_ns, to_ns);
    enum gap_cause waiting = GAP_QUEUED;
    uint32_t owner = pieces->launch;
    uint32_t function = due_ns < to_ns ? host_function_of(pieces) : TL_NONE;
    if (function != TL_NONE) {
        waiting = GAP_HOST_FUNCTION;
        owner = function;
    }
    enum gap_cause cause = cause_of_call(pieces, pieces->launch);
    return add(pieces, cause, owner_of(pieces, cause, pieces->launch), returned_ns - from_ns) &&
           add(pieces, GAP_LAUNCH, owner_of(pieces, GAP_LAUNCH, pieces->launch),
               due_ns - returned_ns) &&
           add(pieces, waiting, owner, to_ns - due_ns);
}

/* A part in which recording was on. */
static bool add_recorded(struct gap_pieces *pieces, int64_t from_ns, int64_t to_ns)
{
    const struct timeline *timeline = pieces->context->timeline;
    uint32_t origin = pieces->next == TL_NONE ? TL_NONE : timeline->gpus.at[pieces->next].slice;
    if (pieces->launch == TL_NONE)
        return add(pieces, GAP_UNKNOWN, origin, to_ns - from_ns);
    if (pieces->next == TL_NONE)
        return add_before_launch(pieces, from_ns, to_ns);
    int64_t launched_ns = clamp(slice_at(pieces, pieces->launch)->start_ns, from_ns, to_ns);
    return add_before_launch(pieces, from_ns, launched_ns) &&
           add_after_launch(pieces, launched_ns, to_ns);
}

/* The first of the process's windows; `*end` behind its last. */
static uint32_t windows_of(const struct timeline *timeline, uint32_t process, uint32_t *end)
{
    uint32_t first = ARRAY_LOWER_BOUND(&timeline->windows, struct tl_window, process, 0, process);
    for (*end = first;
         *end < timeline->windows.count && timeline->windows.at[*end].process == process;)
        ++*end;
    return first;
}

/* Around the windows in which recording was on; where none is told, it always was. */
static bool add_all(struct gap_pieces *pieces, uint32_t process)
{
    const struct timeline *timeline = pieces->context->timeline;
    uint32_t end, i = windows_of(timeline, process, &end);
    int64_t at_ns = pieces->start_ns;
    bool added = true;
    if (i == end)
        return add_recorded(pieces, at_ns, pieces->end_ns);
    for (; i < end && at_ns < pieces->end_ns && added; i++) {
        const struct tl_window *window = &timeline->windows.at[i];
        int64_t to_ns = window->end_ns == TL_NO_TIME ? INT64_MAX : window->end_ns;
        int64_t on_ns = clamp(window->start_ns, at_ns, pieces->end_ns);
        int64_t off_ns = clamp(to_ns, on_ns, pieces->end_ns);
        added = add(pieces, GAP_OFF, TL_NONE, on_ns - at_ns) &&
                (off_ns == on_ns || add_recorded(pieces, on_ns, off_ns));
        at_ns = off_ns;
    }
    return added && add(pieces, GAP_OFF, TL_NONE, pieces->end_ns - at_ns);
}

/* ---- the gap as a whole ---- */

static void sum_causes(const struct gap_pieces *pieces, int64_t sums[GAP_CAUSES])
{
    memset(sums, 0, GAP_CAUSES * sizeof *sums);
    for (uint32_t i = 0; i < pieces->pieces.count; i++)
        sums[pieces->pieces.at[i].cause] += pieces->pieces.at[i].ns;
}

static void replace(struct gap_pieces *pieces, int from, enum gap_cause to)
{
    for (uint32_t i = 0; i < pieces->pieces.count; i++) {
        struct gap_piece *piece = &pieces->pieces.at[i];
        if (piece->cause == from || (from < 0 && piece->cause != GAP_OFF))
            piece->cause = (uint8_t)to;
    }
}

/* What has a cause as a whole, whatever its pieces are. */
static void settle_cause(struct gap_pieces *pieces)
{
    int64_t sums[GAP_CAUSES];
    sum_causes(pieces, sums);
    if (pieces->before == TL_NONE)
        replace(pieces, -1, GAP_START);
    else if (pieces->next == TL_NONE)
        replace(pieces, -1, GAP_END);
    else if (sums[GAP_LAUNCH] >= sums[GAP_CPU])
        replace(pieces, GAP_CPU, GAP_LAUNCH);
}

/* A range is no launch: when it launched is not known. */
static uint32_t launch_of(const struct timeline *timeline, uint32_t gpu)
{
    uint32_t slice = gpu == TL_NONE ? TL_NONE : timeline->gpus.at[gpu].slice;
    if (slice == TL_NONE || timeline->slices.at[slice].kind != TL_API)
        return TL_NONE;
    return cuda_call_outermost(timeline, slice);
}

bool gap_pieces_of(struct gap_pieces *pieces, uint32_t process, uint32_t before, uint32_t next,
                   int64_t start_ns, int64_t end_ns)
{
    const struct timeline *timeline = pieces->context->timeline;
    bool is_inside = before != TL_NONE && next != TL_NONE;
    pieces->pieces.count = 0;
    pieces->before = before, pieces->next = next;
    pieces->start_ns = start_ns, pieces->end_ns = end_ns;
    pieces->blocker = TL_NONE;
    pieces->launch = launch_of(timeline, next == TL_NONE ? before : next);
    if (is_inside && end_ns - start_ns < pieces->context->limits->least_gap_ns)
        return add(pieces, GAP_SHORT, pieces->launch, end_ns - start_ns);
    if (!add_all(pieces, process))
        return false;
    settle_cause(pieces);
    return true;
}

enum gap_cause gap_pieces_main(const struct gap_pieces *pieces)
{
    int64_t sums[GAP_CAUSES];
    unsigned main = GAP_SHORT;
    sum_causes(pieces, sums);
    for (unsigned cause = 0; cause < GAP_CAUSES; cause++)
        if (sums[cause] > sums[main])
            main = cause;
    return (enum gap_cause)main;
}

#include "make_job.h"

#include "rank_recorder.h"

#include <prof/prof.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LAUNCH_CBID 211
#define SYNC_CBID 165
#define COMM_KERNEL "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"
#define HOP_KERNEL "ncclDevKernel_SendRecv"
#define JOB_REALTIME UINT64_C(1790000000000000000)

static const char *const kernel_names[KERNEL_NAMES] = {
    "sm90_gemm_bf16_128x256x64_forward", "sm90_gemm_bf16_128x256x64_backward",
    "_Z18elementwise_kernelILi4EEvPfi", "_Z11adam_kernelPfS_S_f"};
static const char *const range_names[RANGE_NAMES] = {"input", "forward", "backward", "optimizer"};

/* Sends and receives have a stream for each neighbour in the pipeline. */
enum stream { COMPUTE, COMM, NEXT, PREVIOUS, STREAMS };
static const uint32_t stream_ids[STREAMS] = {7, 20, 24, 28};

/* Ends by collective and leader of the group; NEVER: it hangs. */
static int64_t *ends;

/* ---- a rank: host thread and streams ---- */

struct rank {
    long number;
    int64_t cpu_ns, free_ns[STREAMS]; /* when each is free; NEVER: it waits for ever */
    int64_t last_ns;                  /* last event of the host thread */
    bool stopped;                     /* the host thread waits for ever, or is dead */
    bool records;                     /* false: the first pass */
    int64_t began_ns;
    uint32_t correlation;
    struct pending {
        int64_t start_ns, end_ns;
        uint32_t correlation;
        enum stream stream;
        const char *name;
    } * pending; /* operations, written after the calls: they have a log of their own */
    size_t pending_count, pending_room;
};

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t plus(int64_t time_ns, int64_t ns)
{
    return time_ns == NEVER ? NEVER : time_ns + ns;
}

static int64_t local(const struct rank *rank, int64_t true_ns)
{
    return clock_of(rank->number, true_ns) - clock_of(rank->number, rank->began_ns);
}

/* What happens from here on happens then. */
static void at(const struct rank *rank, int64_t true_ns)
{
    rank_recorder_at(local(rank, true_ns));
}

static void note_operation(struct rank *rank, int64_t start_ns, int64_t end_ns, const char *name,
                           enum stream stream)
{
    if (!rank->records || end_ns == NEVER)
        return;
    if (rank->pending_count == rank->pending_room) {
        rank->pending_room = rank->pending_room ? rank->pending_room * 2 : 1024;
        rank->pending = realloc(rank->pending, rank->pending_room * sizeof *rank->pending);
        if (!rank->pending)
            fail("out of memory");
    }
    rank->pending[rank->pending_count++] =
        (struct pending){start_ns, end_ns, rank->correlation, stream, name};
}

/* ---- what it does ---- */

/* Its correlation id is the rank's latest. A call that does not return has no exit. */
static void call(struct rank *rank, uint16_t cbid, uint8_t flags, int64_t end_ns)
{
    rank->correlation++;
    if (rank->records) {
        at(rank, rank->cpu_ns);
        rank_recorder_enter(
            (struct prof_rec_api_enter){.correlation = rank->correlation,
                                        .cbid = cbid,
                                        .domain = PROF_API_RUNTIME,
                                        .flags = flags,
                                        .operations = flags & PROF_API_LAUNCHES ? 1 : 0});
        if (end_ns != NEVER) {
            at(rank, end_ns);
            rank_recorder_exit(rank->correlation);
        }
    }
    rank->stopped |= end_ns == NEVER;
    rank->last_ns = rank->cpu_ns;
    rank->cpu_ns = end_ns;
}

static void launch(struct rank *rank)
{
    call(rank, LAUNCH_CBID, PROF_API_LAUNCHES, rank->cpu_ns + 4 * US);
    rank->cpu_ns += US;
}

static void run_kernel(struct rank *rank, size_t index)
{
    launch(rank);
    int64_t start = later(rank->free_ns[COMPUTE], rank->cpu_ns + 2 * US);
    int64_t end = plus(start, kernel_ns(rank->number, index));
    note_operation(rank, start, end, kernel_names[ops[index].which], COMPUTE);
    rank->free_ns[COMPUTE] = plus(end, US);
}

static bool sends(const struct op *op, long rank)
{
    struct op first = {.kind = OP_KERNEL, .stage = op->stage};
    return takes_part(&first, rank);
}

static enum stream stream_of(const struct op *op, long rank)
{
    if (op->kind != OP_HOP)
        return op->kind == OP_TP ? COMPUTE : COMM;
    return sends(op, rank) == (op->stage < op->to) ? NEXT : PREVIOUS;
}

/* Within a pair, the rank of the earlier stage has number 0. */
static void record_nccl(const struct op *op, long rank)
{
    struct rank_recorder_nccl what = {.name = "ncclAllReduce",
                                      .communicator = communicator_of(op, rank),
                                      .bytes = bytes_of(op),
                                      .peer = -1};
    if (op->kind == OP_HOP) {
        what.name = sends(op, rank) ? "ncclSend" : "ncclRecv";
        what.peer = leader_of(op, rank) == rank;
    } else if (is_mismatched(op, rank)) {
        what.name = "ncclAllGather";
    }
    rank_recorder_nccl_push(&what);
}

/* When this rank enters: all wait for what the compute stream has; tensor-parallel ones are on it. */
static int64_t enter_collective(struct rank *rank, const struct op *op)
{
    if (rank->records) {
        at(rank, rank->cpu_ns);
        record_nccl(op, rank->number);
    }
    rank->cpu_ns += US;
    launch(rank);
    if (rank->records) {
        at(rank, rank->cpu_ns);
        rank_recorder_nccl_pop();
    }
    rank->cpu_ns += US;
    int64_t ready = later(rank->free_ns[COMPUTE], rank->cpu_ns + 2 * US);
    return later(ready, rank->free_ns[stream_of(op, rank->number)]);
}

static int64_t *end_of(const struct op *op, long rank)
{
    return &ends[(size_t)op->which * (size_t)job.ranks + (size_t)leader_of(op, rank)];
}

/* Ends differ by up to a microsecond between ranks: the last bytes arrive when they arrive. Kernels after a receive need
 * what came. */
static void leave_collective(struct rank *rank, const struct op *op, int64_t enter_ns)
{
    enum stream stream = stream_of(op, rank->number);
    int64_t end = *end_of(op, rank->number);
    end = plus(end, (int64_t)(chance(7, op->which, (uint64_t)rank->number) * 1e3));
    note_operation(rank, enter_ns, end, op->kind == OP_HOP ? HOP_KERNEL : COMM_KERNEL, stream);
    rank->free_ns[stream] = plus(end, US);
    if (op->kind == OP_HOP && !sends(op, rank->number))
        rank->free_ns[COMPUTE] = later(rank->free_ns[COMPUTE], plus(end, US));
}

static void push(struct rank *rank, uint32_t which)
{
    if (rank->records) {
        at(rank, rank->cpu_ns);
        prof_range_push(range_names[which]);
    }
    rank->cpu_ns += US;
}

static void pop(struct rank *rank)
{
    rank->cpu_ns += US;
    if (rank->records) {
        at(rank, rank->cpu_ns);
        prof_range_pop();
    }
}

static int64_t all_free_ns(const struct rank *rank)
{
    int64_t free_ns = 0;
    for (int stream = 0; stream < STREAMS; stream++)
        free_ns = later(free_ns, rank->free_ns[stream]);
    return free_ns;
}

/* All but collectives. */
static void run_op(struct rank *rank, size_t index)
{
    const struct op *op = &ops[index];
    switch (op->kind) {
    case OP_STEP:
        if (rank->records) {
            at(rank, rank->cpu_ns);
            prof_step_at(op->step);
        }
        break;
    case OP_PUSH:
        push(rank, op->which);
        break;
    case OP_POP:
        pop(rank);
        break;
    case OP_INPUT:
        rank->cpu_ns += input_ns(rank->number, op->step);
        break;
    case OP_JOIN:
        rank->free_ns[COMPUTE] = all_free_ns(rank);
        break;
    case OP_SYNC:
        call(rank, SYNC_CBID, 0, plus(later(rank->cpu_ns, all_free_ns(rank)), 5 * US));
        break;
    default:
        run_kernel(rank, index);
    }
}

static void begin(struct rank *rank, long number)
{
    *rank = (struct rank){.number = number};
    rank->began_ns = (int64_t)(chance(8, (uint64_t)number, 0) * 2e6);
    rank->cpu_ns = rank->began_ns + 10 * US;
}

/* ---- the first pass: when collectives end ---- */

/* A group ends `transfer` after its last rank; one that nobody may end hangs. */
static void finish_collective(const struct op *op, const int64_t *enters)
{
    for (long rank = 0; rank < job.ranks; rank++) {
        if (!takes_part(op, rank))
            continue;
        int64_t *end = end_of(op, rank);
        bool hangs = enters[rank] == NEVER || is_mismatched(op, rank);
        *end = hangs || *end == NEVER ? NEVER : later(*end, enters[rank]);
    }
    for (long rank = 0; rank < job.ranks; rank++)
        if (takes_part(op, rank) && leader_of(op, rank) == rank && *end_of(op, rank) != NEVER)
            *end_of(op, rank) += transfer_ns(op, rank);
}

static void run_one(struct rank *rank, size_t index, int64_t *enter_ns)
{
    const struct op *op = &ops[index];
    rank->stopped |= is_dead(op, rank->number);
    if (rank->stopped || !takes_part(op, rank->number))
        return;
    if (is_collective(op))
        *enter_ns = enter_collective(rank, op);
    else
        run_op(rank, index);
}

void run_ranks(uint32_t collectives)
{
    struct rank *ranks = allocate((size_t)job.ranks, sizeof *ranks);
    int64_t *enters = allocate((size_t)job.ranks, sizeof *enters);
    ends = allocate((size_t)collectives * (size_t)job.ranks, sizeof *ends);
    for (long r = 0; r < job.ranks; r++)
        begin(&ranks[r], r);
    for (size_t i = 0; i < op_count; i++) {
        for (long r = 0; r < job.ranks; r++) {
            enters[r] = NEVER;
            run_one(&ranks[r], i, &enters[r]);
        }
        if (!is_collective(&ops[i]))
            continue;
        finish_collective(&ops[i], enters);
        for (long r = 0; r < job.ranks; r++)
            if (!ranks[r].stopped && takes_part(&ops[i], r))
                leave_collective(&ranks[r], &ops[i], enters[r]);
    }
    free(enters);
    free(ranks);
}

/* ---- the second pass: one recording after the other ---- */

static void begin_recording(const struct rank *rank, const char *path)
{
    char host[64];
    snprintf(host, sizeof host, "node%ld", host_of(rank->number));
    rank_recorder_begin(&(struct rank_recorder_options){
        .path = path,
        .host = host,
        .pid = (uint32_t)(10000 + 2 * rank->number),
        .rank = (int32_t)rank->number,
        .local_rank = (int32_t)(rank->number % job.gpus),
        .world_size = (int32_t)job.ranks,
        .clock_error_ns = job.ntp * US,
        .start_realtime_ns =
            JOB_REALTIME + (uint64_t)(clock_of(rank->number, rank->began_ns) + 1000 * MS)});
    rank_recorder_device((uint32_t)(rank->number % job.gpus), "Generated GPU", stream_ids,
                         job.pp > 1 ? STREAMS : NEXT);
    rank_recorder_api_name(LAUNCH_CBID, "cudaLaunchKernel");
    rank_recorder_api_name(SYNC_CBID, "cudaDeviceSynchronize");
}

/* The thread that receives what the device did. */
static void record_operations(void *argument)
{
    const struct rank *rank = argument;
    for (size_t i = 0; i < rank->pending_count; i++) {
        const struct pending *ran = &rank->pending[i];
        struct prof_rec_kernel kernel = {.context = 1,
                                         .stream = stream_ids[ran->stream],
                                         .device = (uint16_t)(rank->number % job.gpus),
                                         .grid_x = ran->stream == COMPUTE ? 132 : 16,
                                         .grid_y = 1,
                                         .grid_z = 1,
                                         .block_x = 256,
                                         .block_y = 1,
                                         .block_z = 1};
        rank_recorder_kernel(kernel, ran->name, ran->correlation, local(rank, ran->start_ns),
                             local(rank, ran->end_ns));
    }
}

/* What stands still is killed five seconds later. */
static int64_t end_of_recording(const struct rank *rank)
{
    return rank->cpu_ns == NEVER ? rank->last_ns + 5000 * MS : rank->cpu_ns + MS;
}

static void finish(struct rank *rank)
{
    at(rank, rank->stopped ? rank->last_ns : rank->cpu_ns);
    rank_recorder_thread(record_operations, rank, true);
    at(rank, end_of_recording(rank));
    rank_recorder_end(rank->stopped);
}

/* The program's thread. */
static void run_program(void *argument)
{
    struct rank *rank = argument;
    for (size_t i = 0; i < op_count && !rank->stopped; i++) {
        int64_t enter_ns = NEVER;
        run_one(rank, i, &enter_ns);
        if (!rank->stopped && is_collective(&ops[i]) && takes_part(&ops[i], rank->number))
            leave_collective(rank, &ops[i], enter_ns);
    }
    if (rank->stopped)
        finish(rank); /* its thread does not end */
    at(rank, rank->cpu_ns);
}

void record_rank(long number)
{
    struct rank rank;
    char path[4096];
    begin(&rank, number);
    rank.records = true;
    snprintf(path, sizeof path, "%s/rank-%05ld.prof", job.directory, number);
    if (unlink(path) != 0 && errno != ENOENT)
        fail("cannot replace a recording");
    begin_recording(&rank, path);
    rank_recorder_thread(run_program, &rank, false);
    finish(&rank);
}

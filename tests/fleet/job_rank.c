#include "make_job.h"

#include "rank_recorder.h"

#include <prof/prof.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LAUNCH_CBID 211
#define SYNC_CBID 165
#define INSTANTIATE_CBID 310
#define GRAPH_CBID 311
#define CAPTURE_CBID 315
#define CAPTURED_GRAPH 1 /* ids of the graph, of what is launched, and of their nodes */
#define LAUNCHED_GRAPH 2
#define CAPTURED_NODE(number) (UINT64_C(1000) + (number))
#define LAUNCHED_NODE(number) (UINT64_C(5000000) + (number))
#define COMM_KERNEL "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"
#define HOP_KERNEL "ncclDevKernel_SendRecv"
#define JOB_REALTIME UINT64_C(1790000000000000000)

static const char *const kernel_names[KERNEL_NAMES] = {
    "sm90_gemm_bf16_128x256x64_forward", "sm90_gemm_bf16_128x256x64_backward",
    "_Z18elementwise_kernelILi4EEvPfi", "_Z11adam_kernelPfS_S_f"};
static const char *const range_names[NO_RANGE] = {"input", "forward",    "backward",  "optimizer",
                                                  "gc",    "checkpoint", "scale_grad"};

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
    bool ended;                       /* as it should not have */
    bool records;                     /* false: the first pass */
    int64_t began_ns;
    uint32_t correlation;
    int64_t graph_ns, graph_from_ns; /* when the last graph was launched; when it may begin */
    uint32_t graph_correlation;
    int64_t called_ns;           /* when NCCL was called last */
    uint64_t groups;             /* of its calls, so far */
    int32_t places[OP_NORM + 1]; /* the next place on its communicator, by kind of collective */
    FILE *truth;
    struct pending {
        int64_t start_ns, end_ns;
        uint32_t correlation, node;
        enum stream stream;
        const char *name; /* NULL: a copy */
    } * pending;          /* operations, written after the calls: they have a log of their own */
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

static void note_operation(struct rank *rank, const struct op *op, int64_t start_ns, int64_t end_ns,
                           const char *name, enum stream stream)
{
    if (!rank->records || end_ns == NEVER)
        return;
    if (rank->pending_count == rank->pending_room) {
        rank->pending_room = rank->pending_room ? rank->pending_room * 2 : 1024;
        rank->pending = realloc(rank->pending, rank->pending_room * sizeof *rank->pending);
        if (!rank->pending)
            fail("out of memory");
    }
    rank->pending[rank->pending_count++] = (struct pending){
        start_ns, end_ns, op->phase == REPLAYED ? rank->graph_correlation : rank->correlation,
        op->node, stream, name};
}

/* ---- what it does ---- */

/* `captured`: the operation that becomes a node instead of being launched; NULL: none. */
struct cuda_call {
    uint16_t cbid;
    uint8_t flags;
    uint32_t operations, graph;
    const struct op *captured;
};

/* Its correlation id is the rank's latest. A call that does not return has no exit. */
static void call(struct rank *rank, const struct cuda_call *what, int64_t end_ns)
{
    rank->correlation++;
    if (rank->records) {
        at(rank, rank->cpu_ns);
        rank_recorder_enter((struct prof_rec_api_enter){.correlation = rank->correlation,
                                                        .cbid = what->cbid,
                                                        .domain = PROF_API_RUNTIME,
                                                        .flags = what->flags,
                                                        .name = what->graph,
                                                        .operations = what->operations});
        if (what->captured)
            rank_recorder_graph_node(CAPTURED_NODE(what->captured->node), 0, CAPTURED_GRAPH);
        if (what->cbid == INSTANTIATE_CBID)
            for (uint32_t i = 1; i <= graph_nodes(); i++)
                rank_recorder_graph_node(LAUNCHED_NODE(i), CAPTURED_NODE(i), LAUNCHED_GRAPH);
        if (end_ns != NEVER) {
            at(rank, end_ns);
            rank_recorder_exit(rank->correlation);
        }
    }
    rank->stopped |= end_ns == NEVER;
    rank->last_ns = rank->cpu_ns;
    rank->cpu_ns = end_ns;
}

static void launch(struct rank *rank, const struct op *op)
{
    bool captured = op->phase == CAPTURED;
    struct cuda_call what = {LAUNCH_CBID, captured ? 0 : PROF_API_LAUNCHES, !captured, 0,
                             captured ? op : NULL};
    call(rank, &what, rank->cpu_ns + 4 * US);
    rank->cpu_ns += US;
}

static void call_alone(struct rank *rank, uint16_t cbid, int64_t ns)
{
    call(rank, &(struct cuda_call){.cbid = cbid}, plus(rank->cpu_ns, ns));
    rank->cpu_ns = plus(rank->cpu_ns, US);
}

static void launch_graph(struct rank *rank)
{
    rank->graph_ns = rank->cpu_ns;
    call(rank, &(struct cuda_call){GRAPH_CBID, PROF_API_GRAPH, graph_nodes(), LAUNCHED_GRAPH, NULL},
         rank->cpu_ns + 9 * US);
    rank->graph_correlation = rank->correlation;
    rank->graph_from_ns = rank->cpu_ns + 2 * US;
    rank->cpu_ns += US;
}

/* When the device may begin what the rank has come to. */
static int64_t ready_ns(const struct rank *rank, const struct op *op)
{
    return op->phase == REPLAYED ? rank->graph_from_ns : rank->cpu_ns + 2 * US;
}

static void run_kernel(struct rank *rank, size_t index)
{
    const struct op *op = &ops[index];
    if (op->phase != REPLAYED)
        launch(rank, op);
    if (op->phase == CAPTURED)
        return;
    int64_t start = later(rank->free_ns[COMPUTE], ready_ns(rank, op));
    int64_t end = plus(start, kernel_ns(rank->number, index));
    note_operation(rank, op, start, end, kernel_names[op->which], COMPUTE);
    rank->free_ns[COMPUTE] = plus(end, US);
}

static void run_copy(struct rank *rank, const struct op *op)
{
    launch(rank, op);
    int64_t start = later(rank->free_ns[COMPUTE], ready_ns(rank, op));
    int64_t end = plus(start, copy_ns(rank->number, op->step));
    note_operation(rank, op, start, end, NULL, COMPUTE);
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
static struct rank_recorder_nccl nccl_of(const struct op *op, long rank)
{
    struct rank_recorder_nccl what = {.name = "ncclAllReduce",
                                      .communicator = communicator_of(op, rank),
                                      .bytes = bytes_of(op),
                                      .peer = -1,
                                      .captured = op->phase == CAPTURED};
    if (op->kind == OP_HOP) {
        what.name = sends(op, rank) ? "ncclSend" : "ncclRecv";
        what.peer = leader_of(op, rank) == rank;
    } else if (is_mismatched(op, rank)) {
        what.name = job.fault == MISMATCH ? "ncclAllGather" : what.name;
        what.bytes /= job.fault == MISMATCH ? 1 : 2;
    }
    return what;
}

static void push_nccl(struct rank *rank, const struct rank_recorder_nccl *what)
{
    if (rank->records) {
        at(rank, rank->cpu_ns);
        rank_recorder_nccl_push(what);
    }
    rank->cpu_ns += US;
}

static void pop_nccl(struct rank *rank)
{
    if (rank->records) {
        at(rank, rank->cpu_ns);
        rank_recorder_nccl_pop();
    }
    rank->cpu_ns += US;
}

/* A call encloses its launch; calls of a group end before theirs. */
static void call_nccl(struct rank *rank, const struct op *op)
{
    struct rank_recorder_nccl what = nccl_of(op, rank->number);
    rank->called_ns = rank->cpu_ns;
    if (op->calls > 1)
        what.group = ++rank->groups;
    for (uint16_t i = 0; i < op->calls; i++) {
        push_nccl(rank, &what);
        if (op->calls > 1)
            pop_nccl(rank);
    }
    if (op->calls > 1 && rank->records) {
        at(rank, rank->cpu_ns);
        rank_recorder_nccl_push_launch(what.group);
    }
    launch(rank, op);
    pop_nccl(rank);
}

/* When this rank enters: all wait for what the compute stream has; tensor-parallel ones are on it. */
static int64_t enter_collective(struct rank *rank, const struct op *op)
{
    if (op->phase != REPLAYED)
        call_nccl(rank, op);
    int64_t ready = later(rank->free_ns[COMPUTE], ready_ns(rank, op));
    return later(ready, rank->free_ns[stream_of(op, rank->number)]);
}

/* ---- the truth ---- */

/* By the clock of the rank's host, since 1970. */
static int64_t shown_ns(const struct rank *rank, int64_t true_ns)
{
    return (int64_t)JOB_REALTIME + clock_of(rank->number, true_ns) + (1 + job.start) * 1000 * MS;
}

/* The dataset's row of a collective: rank, step, communicator, sequence, function, bytes, called, start, duration, stream, place
 * in the group and its bytes; empty where it is NULL. */
static void tell_collective(struct rank *rank, const struct op *op, int64_t enter_ns,
                            int64_t end_ns)
{
    struct rank_recorder_nccl what = nccl_of(op, rank->number);
    for (uint16_t i = 0; i < op->calls; i++) {
        int64_t called_ns = op->phase == REPLAYED ? rank->graph_ns : rank->called_ns + i * 2 * US;
        fprintf(rank->truth, "%ld\t%u\t%llu\t", rank->number, op->step,
                (unsigned long long)what.communicator >> 1);
        if (op->kind != OP_HOP)
            fprintf(rank->truth, "%d", rank->places[op->kind]++);
        fprintf(rank->truth, "\t%s\t%llu\t%lld\t", what.name, (unsigned long long)what.bytes,
                (long long)shown_ns(rank, called_ns));
        if (end_ns == NEVER) {
            fprintf(rank->truth, "\t\t\t\t\n");
            continue;
        }
        fprintf(rank->truth, "%lld\t%lld\t%u\t", (long long)shown_ns(rank, enter_ns),
                (long long)(shown_ns(rank, end_ns) - shown_ns(rank, enter_ns)),
                stream_ids[stream_of(op, rank->number)]);
        if (op->calls > 1)
            fprintf(rank->truth, "%u\t%llu\n", i, (unsigned long long)what.bytes * op->calls);
        else
            fprintf(rank->truth, "\t\n");
    }
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
    note_operation(rank, op, enter_ns, end, op->kind == OP_HOP ? HOP_KERNEL : COMM_KERNEL, stream);
    if (rank->records)
        tell_collective(rank, op, enter_ns, end);
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
        call(rank, &(struct cuda_call){.cbid = SYNC_CBID},
             plus(later(rank->cpu_ns, all_free_ns(rank)), 5 * US));
        break;
    case OP_CAPTURE:
        call_alone(rank, CAPTURE_CBID, 8 * US);
        break;
    case OP_INSTANTIATE:
        call_alone(rank, INSTANTIATE_CBID, 300 * US);
        if (rank->records)
            rank_recorder_graph(LAUNCHED_GRAPH, CAPTURED_GRAPH, graph_nodes());
        break;
    case OP_LAUNCH_GRAPH:
        launch_graph(rank);
        break;
    case OP_KERNEL:
        run_kernel(rank, index);
        break;
    case OP_EXTRA:
        if (has_extra(rank->number))
            run_kernel(rank, index);
        break;
    case OP_COPY:
        run_copy(rank, op);
        break;
    case OP_HOST:
        rank->cpu_ns += host_ns(rank->number, op);
        break;
    default: /* one that is captured */
        call_nccl(rank, op);
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
    rank->ended |= has_ended(op, rank->number);
    rank->stopped |= rank->ended || is_dead(op, rank->number);
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
        .pid = (uint32_t)(10000 + 2 * rank->number + (job.start ? 100000 : 0)),
        .rank = (int32_t)rank->number,
        .local_rank = (int32_t)(rank->number % job.gpus),
        .world_size = (int32_t)job.ranks,
        .summary = job.summary,
        .clock_error_ns = job.ntp * US,
        .start_realtime_ns = (uint64_t)shown_ns(rank, rank->began_ns)});
    rank_recorder_device((uint32_t)(rank->number % job.gpus), "Generated GPU", stream_ids,
                         job.pp > 1 ? STREAMS : NEXT);
    rank_recorder_api_name(LAUNCH_CBID, "cudaLaunchKernel");
    rank_recorder_api_name(SYNC_CBID, "cudaDeviceSynchronize");
    rank_recorder_api_name(CAPTURE_CBID, "cudaStreamBeginCapture");
    rank_recorder_api_name(INSTANTIATE_CBID, "cudaGraphInstantiate");
    rank_recorder_api_name(GRAPH_CBID, "cudaGraphLaunch");
}

/* The thread that receives what the device did. */
static void record_operations(void *argument)
{
    const struct rank *rank = argument;
    for (size_t i = 0; i < rank->pending_count; i++) {
        const struct pending *ran = &rank->pending[i];
        if (!ran->name) {
            rank_recorder_copy((uint16_t)(rank->number % job.gpus), stream_ids[ran->stream],
                               ran->correlation, local(rank, ran->start_ns),
                               local(rank, ran->end_ns));
            continue;
        }
        struct prof_rec_kernel kernel = {.context = 1,
                                         .stream = stream_ids[ran->stream],
                                         .device = (uint16_t)(rank->number % job.gpus),
                                         .grid_x = ran->stream == COMPUTE ? 132 : 16,
                                         .grid_y = 1,
                                         .grid_z = 1,
                                         .block_x = 256,
                                         .block_y = 1,
                                         .block_z = 1,
                                         .priority = PROF_PRIORITY_UNKNOWN};
        if (ran->node) {
            kernel.graph = LAUNCHED_GRAPH;
            kernel.graph_node = LAUNCHED_NODE(ran->node);
        }
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
    if (fclose(rank->truth) != 0)
        fail("cannot write the truth");
    rank_recorder_end(rank->stopped && !rank->ended);
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
    snprintf(path, sizeof path, "%s/rank-%05ld.tsv", job.directory, number);
    rank.truth = fopen(path, "w");
    if (!rank.truth)
        fail("cannot write the truth");
    rank_recorder_thread(run_program, &rank, false);
    finish(&rank);
}

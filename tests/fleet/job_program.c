#include "make_job.h"

#include <stdio.h>
#include <stdlib.h>

struct op *ops;
size_t op_count;
static size_t op_room;
static uint32_t collectives;
static enum phase phase; /* of what is added */
static uint32_t nodes;   /* of the graph, so far */

void fail(const char *what)
{
    fprintf(stderr, "make_job: %s\n", what);
    exit(2);
}

void *allocate(size_t count, size_t bytes)
{
    void *made = calloc(count ? count : 1, bytes);
    if (!made)
        fail("out of memory");
    return made;
}

/* ---- chance ---- */

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

double chance(uint64_t what, uint64_t a, uint64_t b)
{
    uint64_t bits = mix(mix(mix((uint64_t)job.seed * 31 + what) + a) + b);
    return (double)(bits >> 11) / 9007199254740992.0;
}

/* ---- the program ---- */

static bool is_device_work(const struct op *op)
{
    return op->kind == OP_KERNEL || is_nccl(op);
}

static void add(struct op op)
{
    op.phase = phase;
    op.calls = op.calls ? op.calls : 1;
    if (phase != RUNS && is_device_work(&op))
        op.node = ++nodes;
    if (op_count == op_room) {
        op_room = op_room ? op_room * 2 : 1024;
        ops = realloc(ops, op_room * sizeof *ops);
        if (!ops)
            fail("out of memory");
    }
    ops[op_count++] = op;
}

static void add_to_all(enum op_kind kind, uint32_t step, uint32_t which)
{
    add((struct op){.kind = kind, .step = step, .which = which, .stage = -1, .to = -1});
}

/* What a graph replays has no ranges of its own. */
static void add_push(uint32_t step, uint32_t range)
{
    if (phase != REPLAYED)
        add_to_all(OP_PUSH, step, range);
}

static void add_pop(uint32_t step)
{
    if (phase != REPLAYED)
        add_to_all(OP_POP, step, 0);
}

static void add_collective(enum op_kind kind, uint32_t step, int16_t stage, long calls)
{
    add((struct op){.kind = kind,
                    .step = step,
                    .which = collectives++,
                    .stage = stage,
                    .to = -1,
                    .calls = (uint16_t)calls});
}

static void add_layer(uint32_t step, int16_t stage, uint32_t gemm)
{
    for (long i = 0; i < job.kernels; i++)
        add((struct op){.kind = OP_KERNEL,
                        .step = step,
                        .which = i % 2 ? ELEMENTWISE : gemm,
                        .stage = stage,
                        .to = -1});
    if (job.tp > 1)
        add_collective(OP_TP, step, stage, 1);
}

static void add_hop(uint32_t step, int16_t from, int16_t to)
{
    if (to >= 0 && to < job.pp)
        add((struct op){
            .kind = OP_HOP, .step = step, .which = collectives++, .stage = from, .to = to});
}

static void add_forward(uint32_t step, int16_t stage)
{
    for (long layer = 0; layer < job.layers; layer++)
        add_layer(step, stage, FORWARD_GEMM);
    add_hop(step, stage, (int16_t)(stage + 1));
}

/* Gradients are reduced after the last microbatch: those of each layer alone, or those of all layers in a group. */
static void add_backward(uint32_t step, int16_t stage, bool is_last)
{
    for (long layer = 0; layer < job.layers; layer++) {
        add_layer(step, stage, BACKWARD_GEMM);
        if (is_last && !job.groups)
            add_collective(OP_DP, step, stage, 1);
    }
    if (is_last && job.groups)
        add_collective(OP_DP, step, stage, job.layers);
    add_hop(step, stage, (int16_t)(stage - 1));
}

static void add_host(uint32_t step, uint32_t range)
{
    if (range != NO_RANGE)
        add_to_all(OP_PUSH, step, range);
    add_to_all(OP_HOST, step, range);
    if (range != NO_RANGE)
        add_to_all(OP_POP, step, 0);
}

/* All microbatches go forward, then all go backward. Each rank's own order is the order of its stage's entries. */
static void add_passes(uint32_t step)
{
    add_push(step, FORWARD_RANGE);
    for (long batch = 0; batch < job.microbatches; batch++)
        for (int16_t stage = 0; stage < job.pp; stage++)
            add_forward(step, stage);
    add_pop(step);
    add_push(step, BACKWARD_RANGE);
    if (job.fault == SLOW_BACKWARD)
        add_host(step, SCALE_RANGE);
    for (long batch = 0; batch < job.microbatches; batch++)
        for (int16_t stage = (int16_t)(job.pp - 1); stage >= 0; stage--)
            add_backward(step, stage, batch == job.microbatches - 1);
    add_pop(step);
}

static void add_in_phase(enum phase in, uint32_t step)
{
    nodes = 0;
    phase = in;
    add_passes(step);
    phase = RUNS;
}

/* Where the device has nothing to do. */
static void add_idle(uint32_t step)
{
    if (job.host || job.warm || job.fault == SLOW_LAUNCH || job.fault == STALL)
        add_host(step, NO_RANGE);
    if (job.fault == PAUSES)
        add_host(step, GC_RANGE);
    if (job.fault == CHECKPOINT && step % 10 == 5)
        add_host(step, CHECKPOINT_RANGE);
    if (job.fault == HIDDEN) {
        add_to_all(OP_EXTRA, step, ELEMENTWISE);
        add_host(step, NO_RANGE);
    }
}

static bool is_eval(uint32_t step)
{
    return job.eval && step % (uint32_t)job.eval == (uint32_t)job.eval / 2;
}

static void add_step(uint32_t step)
{
    add_to_all(OP_STEP, step, 0);
    add_push(step, INPUT_RANGE);
    add_to_all(OP_INPUT, step, 0);
    if (job.copies || job.fault == SLOW_COPY)
        add_to_all(OP_COPY, step, 0);
    add_pop(step);
    add_idle(step);
    for (int i = 0; is_eval(step) && i < 4; i++)
        add_in_phase(RUNS, step);
    if (job.graphs)
        add_to_all(OP_LAUNCH_GRAPH, step, 0);
    add_in_phase(job.graphs ? REPLAYED : RUNS, step);
    add_push(step, OPTIMIZER_RANGE);
    if (job.pp > 1)
        add_collective(OP_NORM, step, -1, 1);
    add_to_all(OP_JOIN, step, 0);
    add_to_all(OP_KERNEL, step, ADAM);
    add_pop(step);
    add_to_all(OP_SYNC, step, 0);
}

uint32_t graph_nodes(void)
{
    return nodes;
}

uint32_t make_program(void)
{
    if (job.graphs) {
        add_to_all(OP_CAPTURE, 0, 0);
        add_in_phase(CAPTURED, 0);
        add_to_all(OP_INSTANTIATE, 0, 0);
    }
    for (uint32_t step = 0; step < (uint32_t)job.steps; step++)
        add_step(step);
    return collectives;
}

/* ---- places ---- */

long host_of(long rank)
{
    return rank / job.gpus;
}

long host_count(void)
{
    return (job.ranks + job.gpus - 1) / job.gpus;
}

static long stage_of(long rank)
{
    return rank / (job.tp * job.dp);
}

bool takes_part(const struct op *op, long rank)
{
    long stage = stage_of(rank);
    return op->stage < 0 || stage == op->stage || (op->kind == OP_HOP && stage == op->to);
}

bool is_nccl(const struct op *op)
{
    return op->kind >= OP_TP && op->kind <= OP_NORM;
}

bool is_collective(const struct op *op)
{
    return is_nccl(op) && op->phase != CAPTURED;
}

long leader_of(const struct op *op, long rank)
{
    long of_stage = job.tp * job.dp;
    switch (op->kind) {
    case OP_TP:
        return rank - rank % job.tp;
    case OP_DP:
        return stage_of(rank) * of_stage + rank % job.tp;
    case OP_HOP:
        return (op->stage < op->to ? op->stage : op->to) * of_stage + rank % of_stage;
    default:
        return 0;
    }
}

uint64_t communicator_of(const struct op *op, long rank)
{
    return mix((uint64_t)op->kind * 65536 + (uint64_t)leader_of(op, rank));
}

/* ---- the faults ---- */

static bool in_last_half(uint32_t step)
{
    return step >= (uint32_t)job.steps / 2;
}

static long victims(void)
{
    switch (job.fault) {
    case SLOW_LINK:
    case SLOW_HOST:
        return host_count();
    case SLOW_GROUP:
        return job.ranks / job.tp;
    case SLOW_STAGE:
        return job.pp;
    case SLOW_HOP:
        return job.pp - 1;
    default:
        return job.ranks;
    }
}

void choose_victim(void)
{
    static const long sizes[FAULTS] = {
        [SLOW_GPU] = 30,      [SLOW_LINK] = 4,   [SLOW_INPUT] = 12, [LATE_RANK] = 25,
        [SLOW_STAGE] = 30,    [SLOW_HOP] = 4,    [SLOW_HOST] = 30,  [SLOW_GROUP] = 4,
        [SLOW_COPY] = 10,     [SLOW_LAUNCH] = 2, [THROTTLE] = 30,   [TWO_GPUS] = 30,
        [STALL] = 40,         [PAUSES] = 20,     [CHECKPOINT] = 30, [HIDDEN] = 1,
        [SLOW_BACKWARD] = 200};
    if (job.victim < 0)
        job.victim = (long)(chance(1, 0, 0) * (double)victims());
    if (job.victim >= victims())
        fail("victim: there is no such rank, host, stage or hop");
    if (job.size == 0)
        job.size = sizes[job.fault]; /* %, times or ms */
}

static bool hits(enum fault fault, long rank)
{
    if (job.fault != fault)
        return false;
    switch (fault) {
    case SLOW_LINK:
    case SLOW_HOST:
        return job.victim == host_of(rank);
    case SLOW_GROUP:
        return job.victim == rank / job.tp;
    case SLOW_STAGE:
        return job.victim == stage_of(rank);
    case PAUSES:
        return true;
    case TWO_GPUS:
        return job.victim == rank || (job.victim + job.ranks / 2) % job.ranks == rank;
    default:
        return job.victim == rank;
    }
}

bool is_dead(const struct op *op, long rank)
{
    return hits(DEAD_RANK, rank) && in_last_half(op->step);
}

bool has_ended(const struct op *op, long rank)
{
    return hits(EARLY_END, rank) && in_last_half(op->step);
}

/* The victim calls all-gather instead, or with half of the bytes, once. */
bool is_mismatched(const struct op *op, long rank)
{
    return (hits(MISMATCH, rank) || hits(WRONG_SIZE, rank)) && op->kind == OP_DP &&
           op->step == (uint32_t)job.steps / 2;
}

/* ---- how long things take ---- */

int64_t input_ns(long rank, uint32_t step)
{
    int64_t ns = 300 * US + (int64_t)(chance(2, (uint64_t)rank, step) * 100e3);
    if (hits(SLOW_INPUT, rank))
        ns += job.size * MS;
    if (hits(LATE_RANK, rank) && step % 3 == 1)
        ns += job.size * MS;
    return ns;
}

int64_t copy_ns(long rank, uint32_t step)
{
    int64_t ns = 200 * US + (int64_t)(chance(10, (uint64_t)rank, step) * 10e3);
    return hits(SLOW_COPY, rank) ? ns * job.size : ns;
}

int64_t host_ns(long rank, const struct op *op)
{
    double luck = chance(11, (uint64_t)rank, op->step);
    if (op->which == GC_RANGE)
        return luck < 0.06 ? job.size * MS : 20 * US;
    if (op->which == CHECKPOINT_RANGE)
        return hits(CHECKPOINT, rank) ? job.size * MS : 30 * US;
    if (op->which == SCALE_RANGE)
        return hits(SLOW_BACKWARD, rank) ? job.size * MS : 100 * US;
    double ns = (double)(job.host * US) * (1 + 0.02 * luck);
    if (job.warm && op->step == 0)
        ns += (80 + 60 * luck) * (double)MS;
    if (hits(SLOW_LAUNCH, rank) || (hits(STALL, rank) && op->step == (uint32_t)job.steps * 2 / 3))
        ns += (double)(job.size * MS);
    return (int64_t)ns + (job.fault == HIDDEN ? 3 * job.size * MS : 0);
}

bool has_extra(long rank)
{
    return hits(HIDDEN, rank);
}

/* Stages of a pipeline are never quite equal. */
int64_t kernel_ns(long rank, size_t index)
{
    static const int64_t usual_ns[KERNEL_NAMES] = {180 * US, 340 * US, 30 * US, 400 * US};
    double ns = (double)usual_ns[ops[index].which];
    if (ops[index].kind == OP_EXTRA)
        return job.size * MS;
    ns *= 1 + (double)job.noise / 100 * chance(3, (uint64_t)rank, index);
    if (job.pp > 1)
        ns *= 1 + 0.02 * chance(9, (uint64_t)stage_of(rank), 0);
    bool slow = hits(SLOW_GPU, rank) || hits(SLOW_STAGE, rank) || hits(SLOW_HOST, rank) ||
                hits(TWO_GPUS, rank) || (hits(THROTTLE, rank) && in_last_half(ops[index].step));
    return (int64_t)(slow ? ns * (double)(100 + job.size) / 100 : ns);
}

uint64_t bytes_of(const struct op *op)
{
    switch (op->kind) {
    case OP_TP:
        return UINT64_C(8) << 20;
    case OP_DP:
        return UINT64_C(32) << 20;
    case OP_HOP:
        return UINT64_C(16) << 20;
    default:
        return 4;
    }
}

/* A group that has the victim's host in it uses the slow link. */
static bool is_slow(const struct op *op, long rank)
{
    if (job.fault == SLOW_HOP)
        return op->kind == OP_HOP && (op->stage < op->to ? op->stage : op->to) == job.victim;
    if (job.fault == SLOW_GROUP)
        return op->kind == OP_TP && hits(SLOW_GROUP, rank);
    bool slow = false;
    for (long other = 0; other < job.ranks && job.fault == SLOW_LINK && !slow; other++)
        slow = takes_part(op, other) && leader_of(op, other) == leader_of(op, rank) &&
               hits(SLOW_LINK, other);
    return slow;
}

int64_t transfer_ns(const struct op *op, long rank)
{
    double gbps = op->kind == OP_TP ? 300 : 40;
    int64_t ns = 15 * US + (int64_t)((double)(bytes_of(op) * op->calls) / gbps);
    ns += (int64_t)((double)ns * 0.03 * chance(4, op->which, (uint64_t)leader_of(op, rank)));
    return is_slow(op, rank) ? ns * job.size : ns;
}

/* ---- clocks ---- */

/* One host is bad; its clock is ahead by 50 ms more, drifts more, and may be set during the job. */
static bool is_bad(long host)
{
    return job.clocks != CLOCK_GOOD && host == host_count() - 1;
}

double drift_ppm(long host)
{
    return (chance(5, (uint64_t)host, 0) - 0.5) * 20 + (is_bad(host) ? 40 : 0);
}

int64_t offset_ns(long host)
{
    return (int64_t)((chance(6, (uint64_t)host, 0) - 0.5) * 100e3) + (is_bad(host) ? 50 * MS : 0);
}

int64_t jump_at_ns(long host)
{
    return job.clocks == CLOCK_JUMP && is_bad(host) ? job.steps * 4 * MS : NEVER;
}

int64_t clock_of(long rank, int64_t true_ns)
{
    long host = host_of(rank);
    int64_t jump = true_ns >= jump_at_ns(host) ? 3 * MS : 0;
    return true_ns + offset_ns(host) + jump + (int64_t)((double)true_ns * drift_ppm(host) / 1e6);
}

/* make_job.c - writes the recordings of a simulated training job, and the truth about it.
 *
 *     make_job [OPTION=VALUE]... DIRECTORY
 *
 *     ranks=8 steps=10 layers=4 tp=1 gpus=8 seed=1    gpus: ranks of a host; tp: ranks that share each layer
 *     kernels=4                                       kernels of a layer, forward and backward each
 *     fault=none                                      slow_gpu, slow_link, slow_input, late_rank, dead_rank, mismatch
 *     victim=-1 size=0                                rank or host of the fault, and how much: -1 and 0 choose by seed
 *     clock=good                                      good: within 50 us; bad: one host is 50 ms off and drifts; jump
 *     missing=-1                                      a rank without a recording
 *
 * Each rank runs the same program: read input, forward, backward, optimizer. Tensor-parallel all-reduces block the
 * compute stream, data-parallel ones overlap with the backward pass. A collective ends on all of its ranks when the
 * last one has entered and the data is across. The first pass computes those ends for all ranks, the second has a process for
 * each rank that records it with the recorder's own code (rank_recorder.h), so memory does not grow with the recordings.
 *
 * DIRECTORY gets rank-00000.prof ... and truth.json. All events and times are functions of the options; what the
 * recorder states about itself, such as its cost, is not.
 */
#include "rank_recorder.h"

#include <prof/prof.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NEVER INT64_MAX
#define MS INT64_C(1000000)
#define US INT64_C(1000)
#define LAUNCH_CBID 211
#define SYNC_CBID 165
#define COMPUTE_STREAM 7u
#define COMM_STREAM 20u
#define COMM_KERNEL "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"
#define JOB_REALTIME UINT64_C(1790000000000000000)

enum fault { NONE, SLOW_GPU, SLOW_LINK, SLOW_INPUT, LATE_RANK, DEAD_RANK, MISMATCH, FAULTS };
static const char *const fault_names[FAULTS] = {"none",      "slow_gpu",  "slow_link", "slow_input",
                                                "late_rank", "dead_rank", "mismatch"};

enum clocks { CLOCK_GOOD, CLOCK_BAD, CLOCK_JUMP, CLOCKS };
static const char *const clock_names[CLOCKS] = {"good", "bad", "jump"};

static struct {
    long ranks, steps, layers, kernels, tp, gpus, seed, victim, size, missing;
    enum fault fault;
    enum clocks clocks;
    const char *directory;
} job = {8, 10, 4, 4, 1, 8, 1, -1, 0, -1, NONE, CLOCK_GOOD, NULL};

/* What every rank does, in order. */
enum op_kind { OP_STEP, OP_PUSH, OP_POP, OP_INPUT, OP_KERNEL, OP_TP, OP_DP, OP_JOIN, OP_SYNC };
struct op {
    enum op_kind kind;
    uint32_t step;
    uint32_t which; /* kernel or range: its name; collective: its number */
};

enum { FORWARD_GEMM, BACKWARD_GEMM, ELEMENTWISE, ADAM, KERNEL_NAMES };
static const char *const kernel_names[KERNEL_NAMES] = {
    "sm90_gemm_bf16_128x256x64_forward", "sm90_gemm_bf16_128x256x64_backward",
    "_Z18elementwise_kernelILi4EEvPfi", "_Z11adam_kernelPfS_S_f"};
static const int64_t kernel_ns[KERNEL_NAMES] = {180 * US, 340 * US, 30 * US, 400 * US};

enum { INPUT_RANGE, FORWARD_RANGE, BACKWARD_RANGE, OPTIMIZER_RANGE, RANGE_NAMES };
static const char *const range_names[RANGE_NAMES] = {"input", "forward", "backward", "optimizer"};

static struct op *ops;
static size_t op_count, op_room;
static uint32_t collectives;

/* Ends in true time, by collective and group; NEVER: it hangs. */
static int64_t *ends;

static void fail(const char *what)
{
    fprintf(stderr, "make_job: %s\n", what);
    exit(2);
}

static void *allocate(size_t count, size_t bytes)
{
    void *made = calloc(count ? count : 1, bytes);
    if (!made)
        fail("out of memory");
    return made;
}

/* ---- chance, the same for everyone who asks the same ---- */

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

/* From 0 up to 1. */
static double chance(uint64_t what, uint64_t a, uint64_t b)
{
    uint64_t bits = mix(mix(mix((uint64_t)job.seed * 31 + what) + a) + b);
    return (double)(bits >> 11) / 9007199254740992.0;
}

/* ---- the program ---- */

static void add(enum op_kind kind, uint32_t step, uint32_t which)
{
    if (op_count == op_room) {
        op_room = op_room ? op_room * 2 : 1024;
        ops = realloc(ops, op_room * sizeof *ops);
        if (!ops)
            fail("out of memory");
    }
    ops[op_count++] = (struct op){kind, step, which};
}

static void add_layer(uint32_t step, uint32_t gemm)
{
    for (long i = 0; i < job.kernels; i++)
        add(OP_KERNEL, step, i % 2 ? ELEMENTWISE : gemm);
    if (job.tp > 1)
        add(OP_TP, step, collectives++);
}

static void add_step(uint32_t step)
{
    add(OP_STEP, step, 0);
    add(OP_PUSH, step, INPUT_RANGE), add(OP_INPUT, step, 0), add(OP_POP, step, 0);
    add(OP_PUSH, step, FORWARD_RANGE);
    for (long layer = 0; layer < job.layers; layer++)
        add_layer(step, FORWARD_GEMM);
    add(OP_POP, step, 0);
    add(OP_PUSH, step, BACKWARD_RANGE);
    for (long layer = 0; layer < job.layers; layer++) {
        add_layer(step, BACKWARD_GEMM);
        add(OP_DP, step, collectives++);
    }
    add(OP_POP, step, 0);
    add(OP_PUSH, step, OPTIMIZER_RANGE);
    add(OP_JOIN, step, 0);
    add(OP_KERNEL, step, ADAM);
    add(OP_POP, step, 0);
    add(OP_SYNC, step, 0);
}

/* ---- the faults ---- */

static long host_of(long rank)
{
    return rank / job.gpus;
}

static long host_count(void)
{
    return (job.ranks + job.gpus - 1) / job.gpus;
}

static bool in_last_half(uint32_t step)
{
    return step >= (uint32_t)job.steps / 2;
}

static void choose_victim(void)
{
    long of = job.fault == SLOW_LINK ? host_count() : job.ranks;
    static const long sizes[FAULTS] = {0, 30, 4, 12, 25, 0, 0}; /* %, times, ms, ms */
    if (job.victim < 0)
        job.victim = (long)(chance(1, 0, 0) * (double)of);
    if (job.victim >= of)
        fail("victim: there is no such rank or host");
    if (job.size == 0)
        job.size = sizes[job.fault];
}

static bool hits(enum fault fault, long rank)
{
    return job.fault == fault && (fault == SLOW_LINK ? host_of(rank) : rank) == job.victim;
}

static int64_t input_ns(long rank, uint32_t step)
{
    int64_t ns = 300 * US + (int64_t)(chance(2, (uint64_t)rank, step) * 100e3);
    if (hits(SLOW_INPUT, rank))
        ns += job.size * MS;
    if (hits(LATE_RANK, rank) && step % 3 == 1)
        ns += job.size * MS;
    return ns;
}

static int64_t duration_of(long rank, size_t index)
{
    int64_t ns = kernel_ns[ops[index].which];
    ns += (int64_t)((double)ns * 0.02 * chance(3, (uint64_t)rank, index));
    return hits(SLOW_GPU, rank) ? ns * (100 + job.size) / 100 : ns;
}

static long group_of(const struct op *op, long rank)
{
    return op->kind == OP_TP ? rank / job.tp : rank % job.tp;
}

static uint64_t bytes_of(const struct op *op)
{
    return op->kind == OP_TP ? UINT64_C(8) << 20 : UINT64_C(32) << 20;
}

static int64_t *end_of(const struct op *op, long rank)
{
    return &ends[(size_t)op->which * (size_t)job.ranks + (size_t)group_of(op, rank)];
}

static bool is_dead(const struct op *op, long rank)
{
    return hits(DEAD_RANK, rank) && in_last_half(op->step);
}

/* The victim of a mismatch calls all-gather once. */
static bool is_mismatched(const struct op *op, long rank)
{
    return hits(MISMATCH, rank) && op->kind == OP_DP && op->step == (uint32_t)job.steps / 2;
}

/* A group that has the victim's host in it uses the slow link. */
static int64_t transfer_ns(const struct op *op, long rank)
{
    double gbps = op->kind == OP_TP ? 300 : 40;
    int64_t ns = 15 * US + (int64_t)((double)bytes_of(op) / gbps);
    bool slow = false;
    for (long other = 0; other < job.ranks && job.fault == SLOW_LINK && !slow; other++)
        slow = group_of(op, other) == group_of(op, rank) && hits(SLOW_LINK, other);
    ns += (int64_t)((double)ns * 0.03 * chance(4, op->which, (uint64_t)group_of(op, rank)));
    return slow ? ns * job.size : ns;
}

/* ---- one rank: host thread and two streams, in true nanoseconds ---- */

struct rank {
    long number;
    int64_t cpu_ns, compute_ns, comm_ns; /* when each is free; NEVER: it waits for ever */
    int64_t last_ns;                     /* last event of the host thread */
    bool stopped;                        /* the host thread waits for ever, or is dead */
    bool records;                        /* false: the first pass */
    int64_t began_ns;
    uint32_t correlation;
    struct pending {
        int64_t start_ns, end_ns;
        uint32_t correlation, stream;
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

/* Drift in parts per million, offset and jump of a host's clock. */
static double drift_ppm(long host)
{
    double own = (chance(5, (uint64_t)host, 0) - 0.5) * 20;
    return job.clocks != CLOCK_GOOD && host == host_count() - 1 ? own + 40 : own;
}

static int64_t offset_ns(long host)
{
    int64_t own = (int64_t)((chance(6, (uint64_t)host, 0) - 0.5) * 100e3);
    return job.clocks != CLOCK_GOOD && host == host_count() - 1 ? own + 50 * MS : own;
}

static int64_t jump_at_ns(long host)
{
    return job.clocks == CLOCK_JUMP && host == host_count() - 1 ? job.steps * 4 * MS : NEVER;
}

/* What the clock of a rank's host shows, 0 at the beginning of the job. */
static int64_t clock_of(long rank, int64_t true_ns)
{
    long host = host_of(rank);
    int64_t jump = true_ns >= jump_at_ns(host) ? 3 * MS : 0;
    return true_ns + offset_ns(host) + jump + (int64_t)((double)true_ns * drift_ppm(host) / 1e6);
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
                           uint32_t stream)
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

/* A call of `ns`; its correlation id is the rank's latest. A call that does not return has no exit. */
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
    int64_t start = later(rank->compute_ns, rank->cpu_ns + 2 * US);
    int64_t end = plus(start, duration_of(rank->number, index));
    note_operation(rank, start, end, kernel_names[ops[index].which], COMPUTE_STREAM);
    rank->compute_ns = plus(end, US);
}

/* When this rank enters: a tensor-parallel collective is on the compute stream, others wait for what is there. */
static int64_t enter_collective(struct rank *rank, const struct op *op)
{
    if (rank->records) {
        at(rank, rank->cpu_ns);
        rank_recorder_nccl_push(
            is_mismatched(op, rank->number) ? "ncclAllGather" : "ncclAllReduce",
            mix((uint64_t)op->kind * 65536 + (uint64_t)group_of(op, rank->number)), bytes_of(op));
    }
    rank->cpu_ns += US;
    launch(rank);
    if (rank->records) {
        at(rank, rank->cpu_ns);
        rank_recorder_nccl_pop();
    }
    rank->cpu_ns += US;
    int64_t ready = later(rank->compute_ns, rank->cpu_ns + 2 * US);
    return op->kind == OP_TP ? ready : later(ready, rank->comm_ns);
}

/* Ends differ by up to a microsecond between ranks: the last bytes arrive when they arrive. */
static void leave_collective(struct rank *rank, const struct op *op, int64_t enter_ns)
{
    int64_t end = *end_of(op, rank->number);
    end = plus(end, (int64_t)(chance(7, op->which, (uint64_t)rank->number) * 1e3));
    bool tp = op->kind == OP_TP;
    note_operation(rank, enter_ns, end, COMM_KERNEL, tp ? COMPUTE_STREAM : COMM_STREAM);
    *(tp ? &rank->compute_ns : &rank->comm_ns) = plus(end, US);
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
        rank->compute_ns = later(rank->compute_ns, rank->comm_ns);
        break;
    case OP_SYNC:
        call(rank, SYNC_CBID, 0,
             plus(later(rank->cpu_ns, later(rank->compute_ns, rank->comm_ns)), 5 * US));
        break;
    default:
        run_kernel(rank, index);
    }
}

static bool is_collective(const struct op *op)
{
    return op->kind == OP_TP || op->kind == OP_DP;
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
        int64_t *end = end_of(op, rank);
        bool hangs = enters[rank] == NEVER || is_mismatched(op, rank);
        *end = hangs || *end == NEVER ? NEVER : later(*end, enters[rank]);
    }
    for (long group = 0; group < job.ranks; group++) {
        long first = op->kind == OP_TP ? group * job.tp : group;
        int64_t *end = first < job.ranks ? end_of(op, first) : NULL;
        if (first < job.ranks && group_of(op, first) == group)
            *end = plus(*end, *end == NEVER ? 0 : transfer_ns(op, first));
    }
}

static void run_all(struct rank *ranks)
{
    int64_t *enters = allocate((size_t)job.ranks, sizeof *enters);
    for (size_t i = 0; i < op_count; i++) {
        for (long r = 0; r < job.ranks; r++) {
            enters[r] = NEVER;
            if (ranks[r].stopped || is_dead(&ops[i], r))
                ranks[r].stopped = true;
            else if (is_collective(&ops[i]))
                enters[r] = enter_collective(&ranks[r], &ops[i]);
            else
                run_op(&ranks[r], i);
        }
        if (!is_collective(&ops[i]))
            continue;
        finish_collective(&ops[i], enters);
        for (long r = 0; r < job.ranks; r++)
            if (!ranks[r].stopped)
                leave_collective(&ranks[r], &ops[i], enters[r]);
    }
    free(enters);
}

/* ---- the second pass: one recording after the other ---- */

static void begin_recording(const struct rank *rank, const char *path)
{
    const uint32_t streams[] = {COMPUTE_STREAM, COMM_STREAM};
    char host[64];
    snprintf(host, sizeof host, "node%ld", host_of(rank->number));
    rank_recorder_begin(&(struct rank_recorder_options){
        .path = path,
        .host = host,
        .pid = (uint32_t)(10000 + 2 * rank->number),
        .rank = (int32_t)rank->number,
        .local_rank = (int32_t)(rank->number % job.gpus),
        .world_size = (int32_t)job.ranks,
        .start_realtime_ns =
            JOB_REALTIME + (uint64_t)(clock_of(rank->number, rank->began_ns) + 1000 * MS)});
    rank_recorder_device((uint32_t)(rank->number % job.gpus), "Generated GPU", streams, 2);
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
                                         .stream = ran->stream,
                                         .device = (uint16_t)(rank->number % job.gpus),
                                         .grid_x = ran->stream == COMM_STREAM ? 16 : 132,
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
static void run_rank(void *argument)
{
    struct rank *rank = argument;
    for (size_t i = 0; i < op_count && !rank->stopped; i++) {
        if (is_dead(&ops[i], rank->number))
            rank->stopped = true;
        else if (is_collective(&ops[i]))
            leave_collective(rank, &ops[i], enter_collective(rank, &ops[i]));
        else
            run_op(rank, i);
    }
    if (rank->stopped)
        finish(rank); /* its thread does not end */
    at(rank, rank->cpu_ns);
}

static void record_rank(long number)
{
    struct rank rank;
    char path[4096];
    begin(&rank, number);
    rank.records = true;
    snprintf(path, sizeof path, "%s/rank-%05ld.prof", job.directory, number);
    if (unlink(path) != 0 && errno != ENOENT)
        fail("cannot replace a recording");
    begin_recording(&rank, path);
    rank_recorder_thread(run_rank, &rank, false);
    finish(&rank);
}

static void await_rank(void)
{
    int status = -1;
    if (wait(&status) < 0 || status != 0)
        fail("cannot write a recording");
}

/* As many at a time as there are processors. */
static void write_ranks(void)
{
    long running = 0, most = sysconf(_SC_NPROCESSORS_ONLN);
    for (long r = 0; r < job.ranks; r++) {
        if (r == job.missing)
            continue;
        if (running == most) {
            await_rank();
            running--;
        }
        pid_t child = fork();
        if (child == 0)
            record_rank(r);
        if (child < 0)
            fail("cannot begin a process");
        running++;
    }
    while (running-- > 0)
        await_rank();
}

/* ---- the truth ---- */

static void write_truth(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/truth.json", job.directory);
    FILE *file = fopen(path, "w");
    if (!file)
        fail("cannot write truth.json");
    fprintf(file,
            "{\"ranks\": %ld, \"steps\": %ld, \"tp\": %ld, \"gpus_per_host\": %ld, \"fault\": "
            "\"%s\", \"victim\": %ld, "
            "\"size\": %ld, \"clock\": \"%s\", \"missing\": %ld,\n \"hosts\": [",
            job.ranks, job.steps, job.tp, job.gpus, fault_names[job.fault],
            job.fault == NONE ? -1 : job.victim, job.size, clock_names[job.clocks], job.missing);
    for (long host = 0; host < host_count(); host++)
        fprintf(file,
                "%s\n  {\"host\": \"node%ld\", \"offset_ns\": %lld, \"drift_ppm\": %.6f, "
                "\"jump_at_ns\": %lld}",
                host ? "," : "", host, (long long)offset_ns(host), drift_ppm(host),
                jump_at_ns(host) == NEVER ? -1LL : (long long)jump_at_ns(host));
    fprintf(file, "\n ]}\n");
    if (fclose(file) != 0)
        fail("cannot write truth.json");
}

/* ---- options ---- */

static unsigned word_in(const char *const *words, unsigned count, const char *word)
{
    for (unsigned i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    fail("no such fault or clock");
    return 0;
}

static bool read_number(const char *name, size_t size, const char *text)
{
    static const struct {
        const char *name;
        long *value;
    } numbers[] = {{"ranks", &job.ranks},     {"steps", &job.steps}, {"layers", &job.layers},
                   {"kernels", &job.kernels}, {"tp", &job.tp},       {"gpus", &job.gpus},
                   {"seed", &job.seed},       {"size", &job.size},   {"victim", &job.victim},
                   {"missing", &job.missing}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strlen(numbers[i].name) != size || strncmp(numbers[i].name, name, size) != 0)
            continue;
        *numbers[i].value = strtol(text, NULL, 10);
        return true;
    }
    return false;
}

static void read_option(const char *word)
{
    const char *value = strchr(word, '=') + 1;
    size_t size = (size_t)(value - word) - 1;
    if (size == 5 && strncmp(word, "fault", size) == 0)
        job.fault = (enum fault)word_in(fault_names, FAULTS, value);
    else if (size == 5 && strncmp(word, "clock", size) == 0)
        job.clocks = (enum clocks)word_in(clock_names, CLOCKS, value);
    else if (!read_number(word, size, value))
        fail("no such option");
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strchr(argv[i], '='))
            read_option(argv[i]);
        else
            job.directory = argv[i];
    if (!job.directory || job.ranks < 1 || job.steps < 1 || job.tp < 1 || job.ranks % job.tp ||
        job.gpus < 1)
        fail("usage: make_job [OPTION=VALUE]... DIRECTORY; ranks is a multiple of tp");
    if (mkdir(job.directory, 0777) != 0 && errno != EEXIST)
        fail("cannot make the directory");
    choose_victim();
    for (uint32_t step = 0; step < (uint32_t)job.steps; step++)
        add_step(step);
    ends = allocate((size_t)collectives * (size_t)job.ranks, sizeof *ends);
    struct rank *ranks = allocate((size_t)job.ranks, sizeof *ranks);
    for (long r = 0; r < job.ranks; r++)
        begin(&ranks[r], r);
    run_all(ranks);
    write_ranks();
    write_truth();
    free(ranks);
    free(ends);
    free(ops);
    return 0;
}
